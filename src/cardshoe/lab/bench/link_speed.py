"""Request and reply over a real pty: through the product's port, link and driver, beside bare reads and writes.

Owns the measurement of G1. The request is READ_COUNTERS, one at a time. The peer of the product's run is as bare as the
peer of the floor: it knows beforehand every frame that will come, and its reply. The blocks of floor and product take
turns, so that a busy moment of the computer hits both; both peers run on another processor than we do.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from cardshoe.clock import SystemClock
from cardshoe.devices.events import SealedCountSeen
from cardshoe.devices.paired import Paired
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_events import ShoeCountersRead, ShoeEvent
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.lab.bench.figures import Conditions, Figure, Measured, Skipped, Step, Target, median, percentile
from cardshoe.lab.bench.peers import apart, pty_responder, simulator
from cardshoe.table.config import TimingPart
from cardshoe.table.supervisor import DevicePort
from cardshoe.transport import open_transport
from cardshoe.wire.framing import encode_frame

BLOCKS: Final = 50
FLOOR: Final = "write 16 bytes, read 8, pty"

_ASKED_BYTES, _ANSWERED_BYTES = 16, 8
NONCE: Final = bytes(range(16))
SESSION: Final = 1
_REPLY_S: Final = 2.0


def link(conditions: Conditions, step: Step) -> Iterator[Figure | Skipped]:
    """Yield median and p99 of request and reply, then the median against the simulator as a process."""
    with apart() as processors:
        with (
            pty_responder(processors, asked=_ASKED_BYTES, answered=_ANSWERED_BYTES) as (_, bare),
            pty_responder(processors, canned=canned_replies()) as (path, _),
        ):
            floors, ours = asyncio.run(_in_turn(bare, path, conditions.times(100, 4), step))
        with simulator(processors, "--seed=1") as ready:
            simulated_at = Path(ready["shoe_url"].removeprefix("serial://"))
            simulated = asyncio.run(_only_ours(simulated_at, conditions.times(500, 20)))
    step(1.0)
    for name, share, most in (("median", 50, 2.0), ("p99", 99, 2.5)):
        floor, value = percentile(floors, share), percentile(ours, share)
        target = Target(Measured.RATIO, most, at_most=True)
        yield Figure(f"link.request_reply.{name}", value * 1e6, "µs", FLOOR, floor * 1e6, target)
    yield Figure("link.simulator.median", median(simulated) * 1e6, "µs", FLOOR, median(floors) * 1e6)


async def _in_turn(bare: int, path: Path, count: int, step: Step) -> tuple[list[float], list[float]]:
    floors: list[float] = []
    async with Asking(path) as asking:
        await asking.ask(count)  # the first ones fill caches
        _exchange(bare, count)
        asking.durations.clear()
        for number in range(BLOCKS):
            floors += _exchange(bare, count)
            await asking.ask(count)
            step(0.9 * (number + 1) / BLOCKS)
        return floors, asking.durations


async def _only_ours(path: Path, count: int) -> list[float]:
    async with Asking(path) as asking:
        await asking.ask(count)
        return asking.durations


def _exchange(fd: int, count: int) -> list[float]:
    """Ask `count` times on the bare descriptor; returns the durations in seconds."""
    request, durations = b"\xff" * _ASKED_BYTES, []
    for _ in range(count):
        began = time.perf_counter()
        os.write(fd, request)
        came = 0
        while came < _ANSWERED_BYTES:
            came += len(os.read(fd, _ANSWERED_BYTES))
        durations.append(time.perf_counter() - began)
    return durations


class Asking:
    """The product's side: a connected shoe that is asked for its counters again and again.

    `paired` has the session sealed; the count of sealed sessions is then kept nowhere.
    """

    def __init__(self, path: Path, paired: Paired | None = None) -> None:
        self.durations: list[float] = []
        self._driver = ShoeDriver(expected=Expected(where=str(path)), nonce=lambda: NONCE, paired=paired)
        self._clock = SystemClock()
        self._port: DevicePort[ShoeEvent] = DevicePort(
            "shoe",
            f"serial://{path}",
            self._driver,
            clock=self._clock,
            timing=TimingPart(),
            opener=open_transport,
            on_happened=self._happened,
        )
        self._left = 0
        self._began = 0.0
        self._done: asyncio.Future[None] | None = None

    async def __aenter__(self) -> Asking:
        self._port.start()
        await self._port.first_attempt()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._port.close()

    async def ask(self, count: int) -> None:
        """Ask `count` times, each after the answer to the one before; the durations are kept, in seconds."""
        self._done = asyncio.get_running_loop().create_future()
        self._left = count
        self._next()
        await self._done

    def _next(self) -> None:
        self._began = time.perf_counter()
        now = self._clock.now()
        self._port.perform(self._driver.read_counters(now=now, deadline=now + _REPLY_S))

    def _happened(self, event: ShoeEvent) -> None:
        if isinstance(event, SealedCountSeen):
            self._port.perform(self._driver.count_kept(self._clock.now()))
        if not isinstance(event, ShoeCountersRead) or self._done is None:
            return
        self.durations.append(time.perf_counter() - self._began)
        self._left -= 1
        if self._left > 0:
            asyncio.get_running_loop().call_soon(self._next)
        else:
            self._done.set_result(None)


def canned_replies() -> dict[bytes, bytes]:
    """Return every frame that the measurement sends, without its 00, and the whole reply to it."""
    spec, replies = SHOE_CODEC.spec, {}
    quiet = dict.fromkeys((field.name for field in spec.messages["STATUS"].fields), 0)
    status = {**quiet, "boot_counter": 1, "state": 1, "deck_state": 2, "deck_id": 1, "cards_left": 52}
    counters = dict.fromkeys((field.name for field in spec.messages["READ_COUNTERS_REPLY"].fields), 1000)
    hello = {"host_nonce": NONCE, "spec_hash": spec.hash, "purpose": 0, "security": 0, "consumed_event": 0}
    replies[_frame("HELLO", hello, 0, 0)[:-1]] = _frame("HELLO_REPLY", identity(), 0, 0)
    heartbeat = {"lease_ms": spec.timing.lease_default_ms}
    for sequence in range(256):
        beat = _frame("HEARTBEAT", heartbeat, SESSION, sequence)
        replies[beat[:-1]] = _frame("STATUS", status, SESSION, sequence)
        request = _frame("READ_COUNTERS", {}, SESSION, sequence)
        replies[request[:-1]] = _frame("READ_COUNTERS_REPLY", counters, SESSION, sequence)
    return replies


def _frame(name: str, fields: Mapping[str, Any], session: int, sequence: int) -> bytes:
    payload = SHOE_CODEC.payload(SHOE_CODEC.build(name, fields))
    return encode_frame(session=session, type=SHOE_CODEC.spec.messages[name].type, sequence=sequence, payload=payload)


def identity() -> dict[str, object]:
    return {
        "result": 0,
        "host_nonce": NONCE,
        "device_nonce": NONCE[::-1],
        "spec_hash": SHOE_CODEC.spec.hash,
        "session": SESSION,
        "device_kind": SHOE_CODEC.spec.device_kind,
        "model": "BENCH",
        "serial": "B-1",
        "firmware": "1.0.0",
        "boot_counter": 1,
        "ring_size": 128,
        "capabilities": 31,
        "oldest_event": 1,
        "last_event": 0,
    }
