"""One session with a device, as a test wants it: do something, wait for what must come, look at the state.

Owns a product driver on a port, its clock, and the list of what happened. Events are acknowledged as they come, in the
place of a journal. Test bodies never ask whether the device is real (design, promise P10).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from bench_attestation import BenchKeys, Measured, measured
from cardshoe.devices.events import (
    AttestationJudged,
    DeviceIdentified,
    DeviceLost,
    DeviceRefused,
    EventsLost,
    Output,
    RequestFailed,
    SealedCountSeen,
)
from cardshoe.devices.reader import ReaderDriver
from cardshoe.devices.reader_events import ReaderStatusSeen
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_events import ShoeStatusSeen
from cardshoe.lab.conform.line import PortLine
from cardshoe.lab.conform.watching import Watched

OPENS_S = 30.0
ANSWER_S = 2.0
ATTEST_S = 5.0
BEAT_S = 0.05
T = TypeVar("T")


class Surprise(Exception):
    """The bench is not what the test left or found: nothing more may be done with it."""


class Session:
    """A driver on a line. `log` keeps every event of the driver, oldest first."""

    def __init__(
        self,
        kind: str,
        line: PortLine,
        watched: Watched,
        *,
        serial: str | None,
        consumed: int | None,
        keys: BenchKeys | None = None,
    ) -> None:
        make = ShoeDriver if kind == "shoe" else ReaderDriver
        self.kind, self._line, self._watched, self._keys = kind, line, watched, keys
        self.driver: Any = make(
            expected=Expected(line.url, serial=serial),
            nonce=lambda: secrets.token_bytes(16),
            consumed_event=consumed,
            lease_ms=1000,
            paired=None if keys is None else keys.paired(),
        )
        self.log: list[Any] = []
        self.round_trips_ms: list[float] = []
        self.consumed = consumed
        self._seen = 0
        self._asked_at = self._answered_at = 0.0
        self.status: Any = None
        self.identity: Any = None
        self.measured: Measured | None = None
        self.expects_loss = False
        self.others: Callable[[], Iterable[Session]] = tuple

    def open(self, within_s: float = OPENS_S) -> None:
        """Begin a session. Raises Surprise when none begins."""
        self._take(self.driver.open(self._line.now(), deadline=self._line.now() + within_s))
        came = self.wait(DeviceIdentified, DeviceRefused, within_s=within_s + 1)
        if isinstance(came, DeviceRefused):
            raise Surprise(f"no session: {came.error}")
        self.identity = came.identity
        if self._keys is not None:
            self.measured = self._attested()

    def _attested(self) -> Measured:
        """Have the device measure its firmware, as in every new session (LINK-12.2)."""
        told = self.ask(self.driver.attest, AttestationJudged, RequestFailed, within_s=ATTEST_S)
        if isinstance(told, RequestFailed):
            return Measured(None, f"it did not answer ATTEST ({told.reason})")
        return measured(told.attestation)

    @property
    def live(self) -> bool:
        """Whether the session lasts."""
        return bool(self.driver.live)

    def do(self, call: Callable[..., Output[Any]], *, within_s: float = ANSWER_S, **arguments: Any) -> None:
        """Give the driver something to do, with one deadline from now."""
        now = self._line.now()
        self._take(call(now=now, deadline=now + within_s, **arguments))

    def ask(
        self, call: Callable[..., Output[Any]], *answers: type[Any], within_s: float = ANSWER_S, **arguments: Any
    ) -> Any:
        """Do it and return the answer, one of `answers`."""
        self.mark()
        self.do(call, within_s=within_s, **arguments)
        return self.wait(*answers, within_s=within_s + 1)

    def mark(self) -> None:
        """From here on `wait` counts."""
        self._seen = len(self.log)

    def wait(self, *kinds: type[Any], within_s: float, that: Callable[[Any], bool] = lambda _: True) -> Any:
        """Return the next event of one of `kinds`, after the one that was waited for last. Fails when none comes."""
        end = self._line.now() + within_s
        while True:
            for at in range(self._seen, len(self.log)):
                if isinstance(self.log[at], kinds) and that(self.log[at]):
                    self._seen = at + 1
                    return self.log[at]
            if self._line.now() >= end:
                wanted = " or ".join(kind.__name__ for kind in kinds)
                came = [type(event).__name__ for event in self.log[self._seen :]]
                raise AssertionError(f"no {wanted} within {within_s:g} s; came: {', '.join(came) or 'nothing'}")
            self._turn(end)

    def run(self, seconds: float) -> None:
        """Let time pass, with heartbeats."""
        end = self._line.now() + seconds
        while self._line.now() < end:
            self._turn(end)

    def silent(self, seconds: float) -> None:
        """Say nothing, not even a heartbeat, and end the session: what the device tells is told to the next one."""
        end = self._line.now() + seconds
        while self._line.now() < end:
            self._watched.read(min(end, self._line.now() + BEAT_S))
            self._keep_others()
        self.close()

    def state(self) -> Any:
        """Return a status that was asked for after this call."""
        end = self._line.now() + ANSWER_S
        wanted = len(self.round_trips_ms) + (2 if self._asked_at > self._answered_at else 1)
        while len(self.round_trips_ms) < wanted:
            if self._line.now() > end:
                raise Surprise(f"the {self.kind} does not answer heartbeats")
            self._turn(end)
        return self.status

    def settle(self, right: Callable[[Any], bool], within_s: float) -> Any:
        """Wait until the status is right, or the time is over; return the last status."""
        end = self._line.now() + within_s
        while not right(status := self.state()) and self._line.now() < end:
            self.run(0.1)
        return status

    def close(self) -> None:
        """End the session."""
        self._take(self.driver.close())

    def _turn(self, end: float) -> None:
        due = self.driver.next_deadline()
        until = min(end, self._line.now() + BEAT_S)
        self.pump(until if due is None else min(until, due))
        self._keep_others()

    def pump(self, until: float) -> None:
        """Take what comes until then, and let what is due be sent."""
        data = self._watched.read(until)
        now = self._line.now()
        if data:
            self._take(self.driver.receive(data, now))
        due = self.driver.advance(now)
        if due.data:
            self._asked_at = now  # a heartbeat, or something that is sent again: either way the next STATUS may be old
        self._take(due)

    def _keep_others(self) -> None:
        """Keep the sessions with the other devices up: one host serves all of them."""
        for other in self.others():
            other.pump(self._line.now())

    def _take(self, output: Output[Any]) -> None:
        if output.data:
            self._watched.write(output.data)
        for event in output.happened:
            self._happened(event)

    def _happened(self, event: Any) -> None:
        if isinstance(event, ShoeStatusSeen | ReaderStatusSeen):
            self.status = event.status
            self.round_trips_ms.append(event.round_trip_ms)
            self._answered_at = self._line.now()
            return
        self.log.append(event)
        if isinstance(event, SealedCountSeen) and self._keys is not None:
            self._keys.keep_count(event.key_id, event.sealed_count)
            self._take(self.driver.count_kept(self._line.now()))
        if (event_id := getattr(event, "event_id", None)) is not None:
            self.consumed = event_id
            self._take(self.driver.acknowledge(event_id, self._line.now()))
        if isinstance(event, EventsLost):
            raise Surprise(f"events of the {self.kind} are lost: {event}")
        if isinstance(event, DeviceLost) and not self.expects_loss and event.reason.name != "CLOSED":
            raise Surprise(str(event.error))
