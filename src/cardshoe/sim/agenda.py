"""What will happen when, in the world's own time.

Owns the order of things that are due at once (first planned, first done), so that a run is the same every time. Knows
no clock: `now` comes in, in seconds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial


@dataclass(slots=True)
class Entry:
    """One planned act; `done` once it happened or was called off."""

    at: float
    act: Callable[[float], None] | None

    @property
    def done(self) -> bool:
        """Tell whether nothing will come of it any more."""
        return self.act is None

    def cancel(self) -> None:
        """Call it off."""
        self.act = None


class Agenda:
    """Planned acts in order of time."""

    def __init__(self, now: float) -> None:
        self._heap: list[tuple[float, int, Entry]] = []
        self._number = 0
        self.now = now

    def call_at(self, at: float, act: Callable[[float], None]) -> Entry:
        """Plan `act(t)` for time `at` (never before the present)."""
        if at < self.now:
            at = self.now
        self._number += 1
        entry = Entry(at, act)
        heapq.heappush(self._heap, (at, self._number, entry))
        return entry

    def next_deadline(self) -> float | None:
        """Return when the next act is due, or None."""
        heap = self._heap
        while heap and heap[0][2].act is None:
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def run_until(self, now: float) -> None:
        """Do all that is due by `now`, each act at its own time."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            at, _, entry = heapq.heappop(heap)
            act = entry.act
            if act is None:
                continue
            if at > self.now:
                self.now = at
            entry.act = None
            act(self.now)
        if now > self.now:
            self.now = now


class Timers:
    """The part of an agenda that belongs to one device, so that a power cut ends all of it at once.

    `after` takes milliseconds of the mechanism, which the world's speed shortens; `at` takes absolute seconds, which
    nothing scales. `guard(act, t)` does each act: a device uses it to catch its own power cut.
    """

    def __init__(
        self, agenda: Agenda, *, speed: float, guard: Callable[[Callable[[float], None], float], None] | None = None
    ) -> None:
        self._agenda = agenda
        self._speed = speed
        self._guard = guard
        self._entries: list[Entry] = []

    @property
    def now(self) -> float:
        """The present, in seconds."""
        return self._agenda.now

    def after(self, ms: float, act: Callable[[float], None]) -> Entry:
        """Plan `act` for `ms` milliseconds of the mechanism from now."""
        return self.at(self._agenda.now + ms / 1000.0 / self._speed, act)

    def at(self, when: float, act: Callable[[float], None]) -> Entry:
        """Plan `act` for the absolute time `when`, in seconds."""
        if len(self._entries) > 64:
            self._entries = [entry for entry in self._entries if entry.act is not None]
        entry = self._agenda.call_at(when, act if self._guard is None else partial(self._guard, act))
        self._entries.append(entry)
        return entry

    def drop_all(self) -> None:
        """Call off everything that is planned here."""
        for entry in self._entries:
            entry.cancel()
        self._entries.clear()
