"""The heartbeat: when to beat, which answer counts, and when silence has lasted too long.

Owns the heartbeat's own sequence and the time of the last valid frame. Must not know bytes or what STATUS says.
Implements LINK-6.1, LINK-6.5 and LINK-6.6 for the host.
"""

from __future__ import annotations

from cardshoe.link.timing import Intervals


class Pulse:
    """The heartbeat of one session, which begins at `now` with a beat that is due at once."""

    __slots__ = ("_awaited", "_beat_at", "_beat_s", "_heard_at", "_lost_s", "_sent_at", "_sequence")

    def __init__(self, intervals: Intervals, now: float) -> None:
        self._beat_s = intervals.heartbeat_s
        self._lost_s = intervals.lost_s
        self._beat_at = self._heard_at = self._sent_at = now
        self._sequence = 0
        self._awaited = False

    def heard(self, now: float) -> None:
        """Note a valid frame of the session."""
        self._heard_at = now

    def silent(self, now: float) -> bool:
        """Tell whether silence has lasted too long, however open the port looks (LINK-6.5)."""
        return now >= self._heard_at + self._lost_s

    def due(self, now: float) -> int | None:
        """Return the sequence of the heartbeat to send now, or None."""
        if now < self._beat_at:
            return None
        self._beat_at += self._beat_s
        if self._beat_at <= now:  # after a pause of the host missed beats are not made up for
            self._beat_at = now + self._beat_s
        self._sequence = (self._sequence + 1) % 256
        self._sent_at = now
        self._awaited = True
        return self._sequence

    def answered(self, sequence: int, now: float) -> float | None:
        """Return the seconds since the heartbeat that a STATUS of this sequence answers, or None (LINK-6.6)."""
        if not self._awaited or sequence != self._sequence:
            return None
        self._awaited = False
        return now - self._sent_at

    def next_deadline(self) -> float:
        """Return when the pulse next wants to be looked at, in absolute seconds."""
        return min(self._beat_at, self._heard_at + self._lost_s)
