"""Time as the house uses it.

Owns the one source of time for the shells: monotonic seconds as a float. Pure rooms never import it; they are handed
`now`. Deadlines never use the wall clock (promise P9); the wall clock is only ever written down beside a record.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What a shell needs of time; a virtual clock in the laboratory implements it too."""

    def now(self) -> float:
        """Return monotonic seconds; never goes back."""

    def wall(self) -> str:
        """Return the wall clock as ISO 8601 UTC with milliseconds, for people to read, never to compare."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> float:
        """Return monotonic seconds of this boot."""
        return time.monotonic()

    def wall(self) -> str:
        """Return UTC as `2026-01-31T12:00:00.000Z`."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
