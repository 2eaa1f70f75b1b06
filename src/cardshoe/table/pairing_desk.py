"""Pairing and unpairing one device at a port, beside any table.

Owns the order of things: port, pairing window, exchange, store; and for unpairing the sealed session in which the
device forgets the key before this computer does. Prints nothing: what a person must do now is told through `tell`.
Implements LINK-11.2 to LINK-11.7 for a host's shell.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from cardshoe.clock import Clock
from cardshoe.devices.driver import DeviceDriver
from cardshoe.devices.events import DeviceLost, DeviceRefused, Output, RequestFailed, SealedCountSeen, Unpaired
from cardshoe.devices.paired import Paired
from cardshoe.devices.reader import ReaderDriver
from cardshoe.devices.reader_wire import READER_CODEC
from cardshoe.devices.session import Expected, refused_error
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.errors import DeviceError
from cardshoe.link.events import Refusal
from cardshoe.link.messages import DeviceKind
from cardshoe.link.pairing import NO_AUDITOR, Pairing, PairingDone, PairingFailed, PairingWish
from cardshoe.table.keystore import KeyEntry, KeyInfo, KeyStore
from cardshoe.transport import Transport, open_transport
from cardshoe.wire.codec import Codec

ATTEMPT_S: Final = 5.0
AGAIN_S: Final = 1.0
"""Between two looks whether the window is open."""
UNPAIR_S: Final = 5.0
_CODECS: Final[dict[str, Codec]] = {"shoe": SHOE_CODEC, "reader": READER_CODEC}


@dataclass(frozen=True, slots=True)
class PairingOrder:
    """What to pair: the device at `url`, within `wait_s`; `kind` None: as the device says; `paired_by`: who does it."""

    url: str
    kind: str | None
    wish: PairingWish
    wait_s: float
    paired_by: str


async def pair(order: PairingOrder, store: KeyStore, *, clock: Clock, tell: Callable[[str], None]) -> KeyInfo:
    """Pair with the device and store the key; returns what may be shown of it. Raises `DeviceError`, `ConfigError`."""
    transport = await open_transport(order.url)
    try:
        line = _Line(transport, clock)
        until = clock.now() + order.wait_s
        kind = order.kind or "shoe"
        told = False
        while True:
            end = await _attempt(line, _CODECS[kind], order.wish, clock)
            if isinstance(end, PairingDone):
                entry = _entry(end, kind, order, clock)
                store.put(entry)
                return entry.info
            if end.refusal is Refusal.WRONG_SPEC_HASH and order.kind is None and kind != _kind_of(end):
                kind = _kind_of(end)
            elif end.refusal in (Refusal.NOT_PAIRING, Refusal.BUSY) and clock.now() + AGAIN_S < until:
                if not told:
                    tell("Open the device's door and press the pairing button inside. Waiting for it …")
                    told = True
                await asyncio.sleep(AGAIN_S)
            else:
                spec = _CODECS[kind].spec
                raise refused_error(end.refusal, end.identity, Expected(order.url), spec, dropped=end.dropped)
    finally:
        transport.close()


async def unpair(url: str, entry: KeyEntry, store: KeyStore, *, clock: Clock) -> None:
    """Have the device forget the key, then forget it here. Raises `DeviceError`, `ConfigError`."""
    transport = await open_transport(url)
    try:
        await _Unpairing(url, entry, store, _Line(transport, clock), clock).run()
    finally:
        transport.close()
    store.remove(entry.info.key_id)


class _Line:
    """What comes on a port, as it comes."""

    def __init__(self, transport: Transport, clock: Clock) -> None:
        self._transport, self._clock = transport, clock
        self._arrived: asyncio.Queue[bytes | DeviceError] = asyncio.Queue()
        transport.start(asyncio.get_running_loop(), self._arrived.put_nowait, self._arrived.put_nowait)

    def write(self, data: bytes) -> None:
        """Send."""
        if data:
            self._transport.write(data)

    async def read_until(self, due: float) -> bytes:
        """Return the next bytes, or none when `due` has come. Raises `DeviceError` when the port is lost."""
        try:
            got = await asyncio.wait_for(self._arrived.get(), max(0.0, due - self._clock.now()))
        except TimeoutError:
            return b""
        if isinstance(got, DeviceError):
            raise got
        return got


async def _attempt(line: _Line, codec: Codec, wish: PairingWish, clock: Clock) -> PairingDone | PairingFailed:
    now = clock.now()
    pairing = Pairing(codec, wish, entropy=secrets.token_bytes, now=now, deadline=now + ATTEMPT_S)
    output = pairing.advance(now)
    while output.end is None:
        line.write(output.data)
        due = pairing.next_deadline()
        data = await line.read_until(clock.now() if due is None else due)
        output = pairing.receive(data, clock.now()) if data else pairing.advance(clock.now())
    return output.end


def _kind_of(end: PairingFailed) -> str:
    number = 0 if end.identity is None else end.identity.device_kind
    return DeviceKind(number).name.lower() if number in set(DeviceKind) else "shoe"


def _entry(done: PairingDone, kind: str, order: PairingOrder, clock: Clock) -> KeyEntry:
    info = KeyInfo(
        kind=kind,
        model=done.identity.model,
        serial=done.identity.serial,
        role=order.wish.role,
        key_id=done.key.key_id.hex(),
        auditor=None if order.wish.auditor == NO_AUDITOR else order.wish.auditor,
        sealed_count=0,
        paired_at=clock.wall(),
        paired_by=order.paired_by,
    )
    return KeyEntry(info, done.key.secret, done.identity_public)


class _Unpairing:
    """One sealed session whose only command is UNPAIR."""

    def __init__(self, url: str, entry: KeyEntry, store: KeyStore, line: _Line, clock: Clock) -> None:
        self._store, self._line, self._clock = store, line, clock
        self._ended = False
        make = ShoeDriver if entry.info.kind == "shoe" else ReaderDriver
        paired = Paired(entry.key, entry.identity, entry.info.sealed_count, secrets.token_bytes)
        expected = Expected(url, None, entry.info.serial)
        self._driver: DeviceDriver[Any] = make(expected=expected, nonce=lambda: secrets.token_bytes(16), paired=paired)

    async def run(self) -> None:
        """Open, unpair, end. Raises `DeviceError`, `ConfigError`."""
        until = self._clock.now() + UNPAIR_S
        self._take(self._driver.open(self._clock.now(), deadline=until))
        asked = False
        while not self._ended:
            if self._driver.live and not asked:
                asked = True
                self._take(self._driver.unpair(now=self._clock.now(), deadline=until))
            data = await self._line.read_until(self._driver.next_deadline() or self._clock.now())
            now = self._clock.now()
            self._take(self._driver.receive(data, now) if data else self._driver.advance(now))
        self._driver.close()

    def _take(self, output: Output[Any]) -> None:
        self._line.write(output.data)
        for event in output.happened:
            match event:
                case SealedCountSeen(key_id, sealed_count):
                    self._store.raise_count(key_id.hex(), sealed_count)
                    self._take(self._driver.count_kept(self._clock.now()))
                case Unpaired():
                    self._ended = True
                case DeviceRefused() | DeviceLost() if not self._ended:
                    raise event.error
                case RequestFailed("UNPAIR"):
                    pass  # the loss that comes with it is told
                case _:
                    pass
