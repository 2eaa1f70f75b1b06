"""How the table's counters went: one sample every ten seconds, for half a day.

Owns the samples, in memory alone. Only allow-listed counters are in it: no card, no name, no amount. Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from cardshoe.console.ports import TablePort

EVERY_S: Final = 10.0
SAMPLES: Final = 4320
_TALLY: Final = ("completed", "voided", "held", "alarms", "stacks_requested", "stacks_dispensed")


def counters(table: TablePort) -> Mapping[str, int]:
    """Return the counters that may leave the table."""
    tally = table.shown.tally
    return {name: getattr(tally, name) for name in _TALLY} | dict(table.rates())


class Trends:
    """The samples of one console."""

    def __init__(self, table: TablePort) -> None:
        self._table = table
        self._samples: deque[tuple[float, Mapping[str, int]]] = deque(maxlen=SAMPLES)

    def sample(self, now: float) -> None:
        """Take one sample; `now` is monotonic seconds."""
        self._samples.append((now, counters(self._table)))

    def plain(self, now: float) -> list[dict[str, Any]]:
        """Return the samples, each with its age in whole seconds."""
        return [{"age_s": round(now - at), **values} for at, values in self._samples]
