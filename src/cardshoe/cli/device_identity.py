"""Who answers at a device URL: one HELLO, one STATUS, and the port is given back.

Owns the short session. Must not know how candidates are found or shown. It asks for a clear session with the shortest
lease: nothing moves by it, and a device that takes sealed sessions only still says who it is.
"""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass
from typing import Any, Final

from cardshoe.devices.driver import DeviceDriver
from cardshoe.devices.events import DeviceIdentified, DeviceLost, DeviceRefused
from cardshoe.devices.reader import ReaderDriver
from cardshoe.devices.reader_events import ReaderStatusSeen
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_events import ShoeStatusSeen
from cardshoe.errors import DeviceError
from cardshoe.link.events import Identity
from cardshoe.link.messages import DeviceKind
from cardshoe.transport import Transport, open_transport

ANSWER_S: Final = 1.5
OPEN_S: Final = 3.0


@dataclass(frozen=True, slots=True)
class Answer:
    """Who answered, how it is: `error` is why nobody did, or why no session began; `state` the device's own words."""

    identity: Identity | None
    state: str
    error: DeviceError | None


async def ask_who(url: str, *, answer_s: float = ANSWER_S) -> Answer:
    """Open, ask, close; takes OPEN_S and `answer_s` at most, twice that for a reader. Never raises for a device."""
    try:
        transport = await open_transport(url, within_s=OPEN_S)
    except DeviceError as error:
        return Answer(None, "", error)
    asking = _Asking(transport)
    try:
        answer = await asking.ask(_driver(ShoeDriver, url), answer_s)
        if answer.identity is not None and answer.identity.device_kind == DeviceKind.READER:
            answer = await asking.ask(_driver(ReaderDriver, url), answer_s)
        return answer
    finally:
        transport.close()


def _driver(kind: type[Any], url: str) -> Any:
    return kind(expected=Expected(where=url), nonce=lambda: secrets.token_bytes(16), lease_ms=250)


class _Asking:
    """One transport, asked by one driver after another."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._driver: DeviceDriver[Any] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._answer: asyncio.Future[Answer] = self._loop.create_future()
        self._identity: Identity | None = None
        transport.start(self._loop, self._bytes, self._lost)

    async def ask(self, driver: DeviceDriver[Any], answer_s: float) -> Answer:
        """Return who answered this driver's HELLO."""
        self._driver, self._identity = driver, None
        self._answer = self._loop.create_future()
        now = self._loop.time()
        self._take(driver.open(now, deadline=now + answer_s))
        try:
            # The driver ends its own asking at the deadline; this is for a device that identifies and says no more.
            return await asyncio.wait_for(asyncio.shield(self._answer), 2 * answer_s)
        except TimeoutError:
            return Answer(self._identity, "it does not answer a heartbeat", None)
        finally:
            self._driver = None
            if self._timer is not None:
                self._timer.cancel()

    def _bytes(self, data: bytes) -> None:
        if self._driver is not None:
            self._take(self._driver.receive(data, self._loop.time()))

    def _lost(self, error: DeviceError) -> None:
        self._end(Answer(self._identity, "", error))

    def _tick(self) -> None:
        if self._driver is not None:
            self._take(self._driver.advance(self._loop.time()))

    def _take(self, output: Any) -> None:
        if output.data:
            self._transport.write(output.data)
        for event in output.happened:
            self._hear(event)
        due = self._driver.next_deadline() if self._driver is not None else None
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if due is None else self._loop.call_at(due, self._tick)

    def _hear(self, event: Any) -> None:
        match event:
            case DeviceIdentified(identity):
                self._identity = identity
            case DeviceRefused(error, identity):
                self._end(Answer(identity, "", error))
            case DeviceLost(_, error):
                self._end(Answer(self._identity, "", error))
            case ShoeStatusSeen() | ReaderStatusSeen():
                self._end(Answer(self._identity, _state(event.status), None))
            case _:
                return

    def _end(self, answer: Answer) -> None:
        if not self._answer.done():
            self._answer.set_result(answer)


def _state(status: Any) -> str:
    """Return a device's own words on how it is."""
    words = [status.state.name.lower().replace("_", " ")]
    if status.fault is not None:
        words.append(f"fault {status.fault.name}")
    return ", ".join(words)
