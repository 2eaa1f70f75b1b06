"""The smallest run that still breaks the same promise: fewer rounds, then fewer troubles.

Owns the search. A run is a function of its order, so that trying is all there is to it; it is bounded.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from cardshoe.lab.simulation.runs import Finding, Order, Result, run
from cardshoe.lab.simulation.troubles import drawn

MOST_TRIES: Final = 120
MOST_VIRTUAL_S: Final = 4_000.0
"""So much virtual time all tries may take together: runs that wait for what never comes are long."""
_PARTICULARS: Final = re.compile(r"\b([2-9TJQKA][shdc]|dealer|board)\b|\d+(\.\d+)?")


def shrunk(result: Result) -> Result:
    """Return the result of a smaller run that breaks the promise that `result` breaks; `result` itself if none does."""
    if result.finding is None:
        return result
    search = _Search(result)
    search.try_order(replace(result.order, rounds=min(result.rounds + 1, result.order.rounds)))
    order = search.best.order
    if not search.try_order(replace(order, only=frozenset(key for key in search.best.happened if " " not in key))):
        # One that could not be carried out matters all the same: it was tried.
        every = frozenset(each.key for each in drawn(order.seed, order.level, order.rounds, order.only))
        search.try_order(replace(order, only=every))
    size = max(len(search.best.order.only or ()) // 2, 1)
    while size >= 1 and not search.tired:
        if not search.drop_some(size):
            size //= 2
    return search.best


def _shape(finding: Finding) -> tuple[str, str]:
    """Return what is broken and how, without the numbers, places and cards that it happened to."""
    return finding.promise, _PARTICULARS.sub("#", finding.text)


class _Search:
    """The best run so far, and how often something was tried."""

    def __init__(self, result: Result) -> None:
        self.best = result
        self._tries = 0
        self._virtual_s = 0.0

    @property
    def tired(self) -> bool:
        """Tell whether enough was tried."""
        return self._tries >= MOST_TRIES or self._virtual_s > MOST_VIRTUAL_S

    def try_order(self, order: Order) -> bool:
        """Run `order`; keep it when it breaks the same promise."""
        tried = run(order)
        self._tries += 1
        self._virtual_s += tried.virtual_s
        finding, wanted = tried.finding, self.best.finding
        if finding is None or wanted is None or _shape(finding) != _shape(wanted):
            return False
        self.best = tried
        return True

    def drop_some(self, size: int) -> bool:
        """Leave out troubles in groups of `size`; tell whether any group could be left out."""
        dropped = False
        keys = sorted(self.best.order.only or ())
        for start in range(0, len(keys), size):
            group = frozenset(keys[start : start + size])
            only = self.best.order.only or frozenset()
            if self.tired:
                return False
            if group & only and self.try_order(replace(self.best.order, only=only - group)):
                dropped = True
        return dropped


def command(order: Order) -> str:
    """Return the command line that repeats a run."""
    parts = ["cardshoe simulate", f"--seeds {order.seed}..{order.seed}", f"--rounds {order.rounds}"]
    parts.append(f"--faults {order.level}")
    if order.game is not None:
        parts.append(f"--game {order.game}")
    if order.only is not None:
        parts.append(f"--only {','.join(sorted(order.only)) or 'nothing'}")
    return " ".join(parts)
