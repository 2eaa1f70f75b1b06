"""One thing that is due later, on the loop.

Owns a timer that may be set anew after every event without touching the loop: it is most often moved to a later time,
and wakes once in vain instead. Must not know what is due. Deadlines are monotonic seconds of the clock (promise P9).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cardshoe.clock import Clock


class AlarmClock:
    """Calls `ring` on the running loop when what was set last is due, once."""

    def __init__(self, clock: Clock, ring: Callable[[], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._due: float | None = None
        self._wakes_at = 0.0
        self._handle: asyncio.TimerHandle | None = None

    def set(self, due: float | None) -> None:
        """Ring at `due` and at no other time; None: not at all."""
        self._due = due
        if due is not None and (self._handle is None or due < self._wakes_at):
            self._arm(due)

    def stop(self) -> None:
        """Ring no more, and leave nothing in the loop."""
        self._due = None
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _arm(self, due: float) -> None:
        if self._handle is not None:
            self._handle.cancel()
        delay_s = max(0.0, due - self._clock.now())
        self._wakes_at = due
        self._handle = asyncio.get_running_loop().call_later(delay_s, self._woke)

    def _woke(self) -> None:
        self._handle = None
        due = self._due
        if due is None:
            return
        if self._clock.now() < due:
            self._arm(due)
            return
        self._due = None
        self._ring()
