"""The contacts of the shoe as they really are: each change bounces for some milliseconds.

Owns the raw signals. Must not know what moves, nor who listens.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from cardshoe.sim.agenda import Timers

BOUNCE_MS: Final = (2.0, 5.0)
_LEAST_MS, _MORE_MS = BOUNCE_MS[0], BOUNCE_MS[1] - BOUNCE_MS[0]


class Signals:
    """The raw signals of the contacts, with their bounce. `listener` hears each change."""

    def __init__(self, timers: Timers, rng: random.Random) -> None:
        self._timers = timers
        self._rng = rng
        self._edges: dict[str, int] = {}
        self.listener: Callable[[str, bool], None] | None = None

    def emit(self, sensor: str, *, covered: bool) -> None:
        """Pass on one change as it is."""
        if self.listener is not None:
            self.listener(sensor, covered)

    def edge(self, sensor: str, *, covered: bool, pulses: int = 1) -> None:
        """A contact changes and bounces, 2 to 5 ms a time; a newer change of the same contact ends the bouncing."""
        number = self._edges[sensor] = self._edges.get(sensor, 0) + 1

        def bounce(value: bool) -> Callable[[float], None]:
            return lambda _: self.emit(sensor, covered=value) if self._edges[sensor] == number else None

        at = 0.0
        for _ in range(pulses):
            for value in (not covered, covered):
                at += _LEAST_MS + _MORE_MS * self._rng.random()
                self._timers.after(at, bounce(value))
        self.emit(sensor, covered=covered)
