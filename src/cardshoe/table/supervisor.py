"""One device of the table: opened, identified, watched, opened again.

Owns the life of a device's port on the table's loop: one attempt at a time, growing pauses between attempts that go
back to the first only after a stable time, the driver's timers, and the device's health. Passes bytes to the driver
at once, so that heartbeats, acknowledgements and repeats never wait for the round or the disk. A line in the log for
each change of state; what repeats is counted and told once a minute. Must not know rounds; what the driver says
happened is handed on in order. Implements conditions E29 and E31 and scenario S19.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Generic, Protocol, TypeVar

from cardshoe.clock import Clock
from cardshoe.devices.events import DeviceIdentified, DeviceLost, DeviceRefused, Output
from cardshoe.errors import CardshoeError, ConfigError, DeviceError
from cardshoe.link.events import Identity
from cardshoe.table.admission import Admission, SealedDriver, Terms
from cardshoe.table.alarm_clock import AlarmClock
from cardshoe.table.config import TimingPart
from cardshoe.transport import Transport

_log = logging.getLogger(__name__)

E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)

OPENING_S: Final = 3.0
"""How long one attempt to open and identify may take."""
TOLD_AGAIN_S: Final = 60.0
"""How long a thing that repeats in the log is only counted."""


class Health(Enum):
    """How a device stands, for people."""

    CONNECTING = "connecting"
    UP = "up"
    LOST = "lost"
    CLOSED = "closed"


class Driver(SealedDriver, Protocol[E_co]):
    """What the supervisor needs of a device's driver; it may be opened again after each loss."""

    def open(self, now: float, *, deadline: float) -> Output[E_co]:
        """Begin a session."""

    def receive(self, data: bytes, now: float) -> Output[E_co]:
        """Take bytes of the line."""

    def advance(self, now: float) -> Output[E_co]:
        """Let time pass."""

    def next_deadline(self) -> float | None:
        """Return when `advance` is due."""

    def acknowledge(self, event_id: int, now: float) -> Output[E_co]:
        """Tell the device that its events up to `event_id` are safe."""

    def close(self) -> Output[E_co]:
        """End the session."""

    def port_lost(self) -> Output[E_co]:
        """Take the news that the port is gone."""


Opener = Callable[[str], Awaitable[Transport]]


@dataclass(frozen=True, slots=True)
class Attempt:
    """How the last attempts went: `failures` in a row, and the last `error`."""

    failures: int = 0
    error: CardshoeError | None = None


class Repeats:
    """Whether a thing is to be said: at once the first time, then once in `TOLD_AGAIN_S`, with how often it happened.

    `now` is monotonic seconds.
    """

    def __init__(self) -> None:
        self._said: dict[str, float] = {}
        self._unsaid: dict[str, int] = {}

    def say(self, key: str, now: float) -> str | None:
        """Return what to add to the line about `key` ("" or a count), or None where it is only counted."""
        said = self._said.get(key)
        if said is not None and now - said < TOLD_AGAIN_S:
            self._unsaid[key] = self._unsaid.get(key, 0) + 1
            return None
        self._said[key] = now
        unsaid = self._unsaid.pop(key, 0)
        return f" ({unsaid} more times since it was last told)" if unsaid else ""


class DevicePort(Generic[E]):
    """A device at `url`, kept connected by one task. Everything happens on the loop that `start` is called from.

    `terms`: those on which a sealed device is admitted (None: it is spoken to in clear).
    """

    def __init__(
        self,
        name: str,
        url: str,
        driver: Driver[E],
        *,
        clock: Clock,
        timing: TimingPart,
        opener: Opener,
        on_happened: Callable[[E], None],
        terms: Terms | None = None,
    ) -> None:
        self.name = name
        self.url = url
        self.driver = driver
        self.health = Health.CONNECTING
        self.identity: Identity | None = None
        self.last = Attempt()
        self._clock = clock
        self._timing = timing
        self._opener = opener
        self._on_happened = on_happened
        self._take: Callable[[E], None] = self._hand_on
        if terms is not None:
            admission: Admission[E] = Admission(driver, terms, clock=clock, perform=self.perform, hand_on=self._hand_on)
            self._take = admission.take
        self._transport: Transport | None = None
        self._timer = AlarmClock(clock, self._time_passed)
        self._task: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self._first: asyncio.Future[CardshoeError | None] | None = None
        self._pause_s = 0.0
        self._up_since: float | None = None
        self._repeats = Repeats()

    def start(self) -> None:
        """Begin to connect, and keep connected until `close`."""
        loop = asyncio.get_running_loop()
        self._first = loop.create_future()
        self._task = loop.create_task(self._keep_connected(), name=f"device {self.name}")

    async def first_attempt(self, *, waits: bool = False) -> None:
        """Wait for the end of the first attempt; raises its error when the device could not be had.

        `waits`: a `DeviceError` is not raised, because the attempts go on and the device may come later.
        """
        if self._first is None:
            return
        error = await self._first
        if error is not None and not (waits and isinstance(error, DeviceError)):
            raise error

    def perform(self, *outputs: Output[E]) -> None:
        """Carry out what calls of the driver gave: all bytes to the line, then what happened, then the timer."""
        data = outputs[0].data if len(outputs) == 1 else b"".join([output.data for output in outputs])
        if data and self._transport is not None:
            self._transport.write(data)
        for output in outputs:
            for event in output.happened:
                self._take(event)
        self._timer.set(self.driver.next_deadline())

    def _hand_on(self, event: E) -> None:
        self._note(event)
        self._on_happened(event)

    async def close(self) -> None:
        """Give the port back; bounded in time whatever the port does."""
        self.health = Health.CLOSED
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if self._transport is not None:
            self.perform(self.driver.close())
        self._drop_transport()
        self._timer.stop()

    def _note(self, event: E) -> None:
        match event:
            case DeviceIdentified():
                self.health, self.identity = Health.UP, event.identity
                self.last = Attempt()
                self._up_since = self._clock.now()
                self._answer_first(None)
                self._log_line(logging.INFO, "connected", f"connected at {self.url}")
            case DeviceRefused() | DeviceLost():
                self.last = Attempt(self.last.failures + 1, event.error)
                self._answer_first(event.error)
                self._ended.set()
            case _:
                pass

    def _answer_first(self, error: CardshoeError | None) -> None:
        if self._first is not None and not self._first.done():
            self._first.set_result(error)

    async def _keep_connected(self) -> None:
        while True:
            self._up_since = None
            await self._one_session()
            self._drop_transport()
            if self.last.error is not None:
                what = "lost" if self.health is Health.UP else "not connected"
                self._log_line(logging.WARNING, self.last.error.code, f"{what} at {self.url}: {self.last.error}")
            self.health = Health.LOST
            self._choose_pause(stable=self._was_up_s() >= self._timing.stable_ms / 1000)
            await asyncio.sleep(self._pause_s)

    def _was_up_s(self) -> float:
        return 0.0 if self._up_since is None else self._clock.now() - self._up_since

    def _choose_pause(self, *, stable: bool) -> None:
        """Grow the pause; only a session that lasted takes it back (a brief success proves nothing)."""
        first, longest = self._timing.reconnect_first_ms / 1000, self._timing.reconnect_longest_ms / 1000
        self._pause_s = first if stable or not self._pause_s else min(self._pause_s * 2, longest)

    def _log_line(self, level: int, key: str, text: str) -> None:
        more = self._repeats.say(key, self._clock.now())
        if more is not None:
            _log.log(level, "%s: %s%s", self.name, text, more)

    async def _one_session(self) -> None:
        self._ended.clear()
        try:
            self._transport = await self._opener(self.url)
        except (DeviceError, ConfigError) as error:
            self._lost_without_session(error)
            return
        loop = asyncio.get_running_loop()
        self._transport.start(loop, self._received, self._port_lost)
        now = self._clock.now()
        self.perform(self.driver.open(now, deadline=now + OPENING_S))
        await self._ended.wait()

    def _lost_without_session(self, error: CardshoeError) -> None:
        self.last = Attempt(self.last.failures + 1, error)
        self._answer_first(error)

    def _received(self, data: bytes) -> None:
        self.perform(self.driver.receive(data, self._clock.now()))

    def _port_lost(self, error: DeviceError) -> None:
        self.last = Attempt(self.last.failures, error)
        self._answer_first(error)
        self.perform(self.driver.port_lost())
        self._ended.set()

    def _drop_transport(self) -> None:
        if self._transport is not None:
            self._transport.close()
            self._transport = None

    def _time_passed(self) -> None:
        self.perform(self.driver.advance(self._clock.now()))
