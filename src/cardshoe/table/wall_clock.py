"""Whether the wall clock was set: it is compared with the monotonic clock, and a step is only ever written down.

Owns the comparison of two looks. Nothing in the house waits by the wall clock (promise P9), so a step changes no
order and no deadline; a machine that slept looks like one whose clock was set forward. Pure. Implements condition E36.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

STEP_S: Final = 2.0
LOOK_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Look:
    """One look at both clocks: monotonic seconds, and the wall clock's text."""

    now: float
    wall: str


@dataclass(frozen=True, slots=True)
class ClockStepped:
    """The wall clock went from `before` to `after` while `passed_ms` passed: it was set by `step_ms`."""

    before: str
    after: str
    passed_ms: int
    step_ms: int


def stepped(before: Look, after: Look) -> ClockStepped | None:
    """Return by how much the wall clock was set between two looks, or None when both clocks agree within 2 s.

    Raises `ValueError` for a wall clock that is not ISO 8601.
    """
    passed = after.now - before.now
    shown = (_moment(after.wall) - _moment(before.wall)).total_seconds()
    if abs(shown - passed) <= STEP_S:
        return None
    return ClockStepped(before.wall, after.wall, round(passed * 1000), round((shown - passed) * 1000))


def _moment(wall: str) -> datetime:
    return datetime.fromisoformat(wall.replace("Z", "+00:00"))
