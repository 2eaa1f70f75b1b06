"""How long a robot has been waiting, and what a person does about a device that does not come back.

Owns the waiting that belongs to one due step, and the look after plug and switch. Must not decide what is due.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Final

from cardshoe.errors import Refused
from cardshoe.lab.doings import Do, Doing, Shows, Steps, Watch

LONG_S: Final = 30.0
"""How long to watch for what comes by itself; the robot looks again after it."""
REPORT_S: Final = 1.0
READER_S: Final = 3.0
"""After so long without a report of the table reader, and the time that it needs to read, faces are entered."""
READS_S: Final = 1.0
DEVICE_S: Final = 2.5
"""After so long without a device somebody looks at its plug and its switch."""
STUB_S: Final = 5.0
"""After so long without a report that the stub is out the shoe is taken to be out of order."""


class Patience:
    """The robot's sense of time. `now` returns monotonic seconds; `speed` divides what mechanisms and people need."""

    def __init__(self, table: Shows, *, now: Callable[[], float], speed: float) -> None:
        self._table = table
        self._now = now
        self._speed = speed
        self._waiting: tuple[object, float] = (None, 0.0)

    def waited_s(self, due: object) -> float:
        """Return for how long the same thing has been due; 0 where this is the first question about it."""
        key = (self._table.shown.round_id, due)
        if self._waiting[0] != key:
            self._waiting = (key, self._now())
        return self._now() - self._waiting[1]

    def reader_is_silent(self, due: object) -> Generator[Doing, object, bool]:
        """Wait for the reader's report; True when the dealer has to say what lies there."""
        if self._table.config.devices.reader is None:
            return True
        shown = self._table.shown
        if shown.due != due:
            return False  # the report was quicker than the hand that turned the card
        waited_s = self.waited_s(due)
        if (yield Watch(shown, REPORT_S)):
            return False
        if not shown.reader_up:
            yield from self.look_after("reader", waited_s)
        return waited_s > READER_S + READS_S / self._speed

    def look_after(self, device: str, waited_s: float) -> Steps:
        """Somebody plugs the device in and switches it on, if it does not come back by itself."""
        if waited_s < DEVICE_S:
            return
        yield from tried(Do("line", {"port": device, "kind": "replug"}))
        yield from tried(Do("power", {"device": device, "state": "on"}))


def tried(do: Do) -> Steps:
    """Do what may turn out to be needless."""
    try:
        yield do
    except Refused as error:
        if error.code != "hands-refused":
            raise
