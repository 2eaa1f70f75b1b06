"""A device's port as the makers' tool wants it: bytes and time, one call after the other.

Owns one port of `transport` on a loop of its own, and its coming back: a device that is switched off takes its port
with it (USB), and the same URL is opened again when it is there. Must not know frames.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from cardshoe.errors import DeviceError
from cardshoe.transport.opening import open_transport
from cardshoe.transport.ports import Transport

COMES_BACK_S: Final = 20.0
BYTE_S: Final = 10 / 115_200
UNDER_WAY: Final = 300
"""So many bytes may be under way at the pace of LINK-1.1: a stream of many frames is not written faster than that, or
the buffers between here and the device would overflow and be taken for its fault."""
_RETRY_S: Final = 0.2


class PortLine:
    """One open port. Not thread-safe. Raises DeviceError as `open_transport` does, at once or when it stays away."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._loop = asyncio.new_event_loop()
        self._heard = bytearray()
        self._waiting: asyncio.Future[None] | None = None
        self._loss: DeviceError | None = None
        self._lost_at = self._tried_at = self._free_at = 0.0
        self._transport: Transport | None = None
        try:
            self._open()
        except BaseException:
            self._loop.close()
            raise

    def _open(self) -> None:
        if self._transport is not None:
            self._transport.close()
        self._transport = self._loop.run_until_complete(open_transport(self.url))
        self._transport.start(self._loop, self._bytes, self._lost)
        self._loss = None

    def _bytes(self, data: bytes) -> None:
        self._heard += data
        self._wake()

    def _lost(self, error: DeviceError) -> None:
        self._loss, self._lost_at = error, self.now()
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def now(self) -> float:
        """Return monotonic seconds."""
        return time.monotonic()

    def write(self, data: bytes) -> None:
        """Put bytes on the line; while the port is away they go nowhere. Waits while more is under way than a frame."""
        if self._transport is None or self._loss is not None:
            return
        self._transport.write(data)
        self._free_at = max(self._free_at, self.now()) + len(data) * BYTE_S
        if self._free_at - self.now() > UNDER_WAY * BYTE_S:
            self._loop.run_until_complete(asyncio.sleep(self._free_at - self.now()))

    def read(self, until: float) -> bytes:
        """Return bytes as they come, or none at `until`."""
        if not self._heard and self._loss is not None:
            self._come_back()
        if not self._heard:
            self._wait(until)
        data = bytes(self._heard)
        self._heard.clear()
        return data

    def _wait(self, until: float) -> None:
        if self._loss is not None:
            until = min(until, self.now() + _RETRY_S)
        self._waiting = self._loop.create_future()
        timer = self._loop.call_later(max(0.0, until - self.now()), self._wake)
        self._loop.run_until_complete(self._waiting)
        timer.cancel()

    def _come_back(self) -> None:
        """Try to open the port again. Raises the loss once it has lasted too long."""
        now, loss = self.now(), self._loss
        if loss is None or now - self._tried_at < _RETRY_S:
            return
        self._tried_at = now
        try:
            self._open()
        except DeviceError:
            if now - self._lost_at > COMES_BACK_S:
                raise loss from None

    def close(self) -> None:
        """Give the port back."""
        if self._transport is not None:
            self._transport.close()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()
