"""The suite's figures, each beside its floor in the same run; none is judged by time here.

Owns these bodies; see `front_body` for what a body is.
"""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING

from front_body import body

from cardshoe.transport import Transport, UsbUrl, parse_device_url
from cardshoe.transport.usb_session import open_session

if TYPE_CHECKING:
    from front_worker import Desk


@body("claims")
async def twenty_thousand_round_trips(desk: Desk) -> None:
    """FR-36: none is lost; the driver's way beside bare libusb through the same front end."""
    desk.ask(front="echo")
    floor = await asyncio.to_thread(bare_round_trips, desk, 2_000)
    transport = await desk.open()
    trip = RoundTrip(transport)
    try:
        ours = [await trip.once(b"0123456789abcdef", 16) for _ in range(20_000)]
    finally:
        transport.close()
    assert trip.wrong == 0
    desk.figures |= {
        "bare libusb, median us": middle(floor),
        "transport, median us": middle(ours),
        "ratio": round(middle(ours) / middle(floor), 2),
        "lost": 0,
    }


def bare_round_trips(desk: Desk, count: int) -> list[float]:
    """Seconds of each OUT and IN by pyusb alone."""
    url = parse_device_url(desk.where())
    assert isinstance(url, UsbUrl)
    session = open_session(url, desk.backend)
    times = []
    try:
        for _ in range(count):
            began = time.perf_counter()
            session.write(b"0123456789abcdef", 500)
            assert session.read(500) == b"fedcba9876543210"
            times.append(time.perf_counter() - began)
    finally:
        session.release()
    return times


@body("paced")
async def round_trips_at_the_speed_of_the_line(desk: Desk) -> None:
    """LINK-1.1: 16 bytes out and 8 back at 115200 baud, beside the line's own time, bare reads and writes, and what the
    emulated line is late by: from a bare write to the question's being seen, and in writing the answer."""
    desk.ask(front="echo")
    bare, begun = await asyncio.to_thread(bare_line, desk, 500)
    echoed = desk.ask(front="echoed")
    told = zip(begun, echoed["seen"], echoed["late"], strict=True)
    emulated = middle([seen - asked + late for asked, seen, late in told])
    transport = await desk.open()
    trip = RoundTrip(transport)
    try:
        ours = [await trip.once(b"0123456789abcdef", 8) for _ in range(500)]
    finally:
        transport.close()
    line = 24 * 10 / 115200 * 1e6
    desk.figures |= {
        "line, us": round(line, 1),
        "bare reads and writes, median us": middle(bare),
        "of which the emulation is late, median us": emulated,
        "transport, median us": middle(ours),
        "over the line": round(middle(ours) / line, 3),
        "over the line, the emulation taken off": round((middle(ours) - emulated) / line, 3),
        "over bare": round(middle(ours) / middle(bare), 3),
    }


def bare_line(desk: Desk, count: int) -> tuple[list[float], list[float]]:
    """Seconds of each question and answer by read(2) and write(2), and when each was asked."""
    port = os.open(desk.where().removeprefix("serial://"), os.O_RDWR | os.O_NOCTTY)
    times, begun = [], []
    try:
        for _ in range(count):
            began = time.monotonic()
            os.write(port, b"0123456789abcdef")
            got = 0
            while got < 8:
                got += len(os.read(port, 64))
            times.append(time.monotonic() - began)
            begun.append(began)
    finally:
        os.close(port)
    return times, begun


class RoundTrip:
    """Writes, and waits for so many bytes back."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._came = bytearray()
        self._wanted = 0
        self._done: asyncio.Future[None] = self._loop.create_future()
        self.wrong = 0
        transport.start(self._loop, self._bytes, self._done.set_exception)

    def _bytes(self, data: bytes) -> None:
        self._came += data
        if len(self._came) >= self._wanted and not self._done.done():
            self._done.set_result(None)

    async def once(self, data: bytes, answer: int) -> float:
        """Seconds from the write to the last byte."""
        self._came.clear()
        self._wanted = answer
        self._done = self._loop.create_future()
        began = time.perf_counter()
        self._transport.write(data)
        await asyncio.wait_for(self._done, 10)
        self.wrong += len(self._came) != answer
        return time.perf_counter() - began


def middle(times: list[float]) -> float:
    """Median in microseconds."""
    return round(sorted(times)[len(times) // 2] * 1e6, 1)
