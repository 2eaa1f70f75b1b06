"""Bytes in and out of one non-blocking descriptor, on the loop: the body of serial ports and TCP connections.

Owns the descriptor from the moment it is given: reading through `add_reader`, writing directly and through `add_writer`
when the kernel takes no more, and giving it back on every way out. End of file, EIO and hang-up are terminal, so a dead
descriptor never spins (FR-24) and is closed at once (FR-06). Must not know what kind of descriptor it is: how a loss is
named and how the descriptor is given back are handed in. Promise P9: no call here waits.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Protocol

from cardshoe.errors import DeviceError
from cardshoe.transport.ports import READ_CHUNK_BYTES, WRITE_LIMIT_BYTES, Life, OnBytes, OnLost, overflow

NameLoss = Callable[[OSError | None], DeviceError]
"""Turn the error of a read or write, or None at end of file, into the loss that people are told."""


class Release(Protocol):
    """Closes the descriptor and returns within a bounded time; `lost` says that nothing more can be sent."""

    def __call__(self, *, lost: bool) -> None: ...


class DescriptorTransport:
    """A `Transport` over a descriptor, which it owns from here on."""

    def __init__(
        self,
        *,
        url: str,
        fd: int,
        name_loss: NameLoss,
        release: Release,
        write_limit_bytes: int = WRITE_LIMIT_BYTES,
    ) -> None:
        self._url = url
        self._fd = fd
        self._name_loss = name_loss
        self._release = release
        self._limit = write_limit_bytes
        self._life = Life(url)
        self._pending = bytearray()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def url(self) -> str:
        """The device URL it was opened with."""
        return self._url

    @property
    def pending_bytes(self) -> int:
        """How many bytes wait for the kernel to take them."""
        return len(self._pending)

    def start(self, loop: asyncio.AbstractEventLoop, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Begin to deliver; see `Transport.start`."""
        self._life.start(loop, on_bytes, on_lost)
        if self._life.ended:
            return  # lost before it was started: the life signals it
        self._loop = loop
        loop.add_reader(self._fd, self._readable)
        if self._pending:
            loop.add_writer(self._fd, self._writable)

    def write(self, data: bytes) -> None:
        """Queue bytes; see `Transport.write`."""
        if self._life.ended or not data:
            return
        waited = bool(self._pending)
        self._pending += data
        if not waited and not self._push():
            return
        if len(self._pending) > self._limit:
            self._lose(overflow(self._url, self._limit))
        elif self._pending and not waited and self._loop is not None:
            self._loop.add_writer(self._fd, self._writable)

    def close(self) -> None:
        """Offer the kernel what still waits, once, and give the descriptor back; see `Transport.close`."""
        if self._fd >= 0 and self._pending:
            self._push()
        self._life.close()
        self._let_go(lost=False)

    def _readable(self) -> None:
        try:
            data = os.read(self._fd, READ_CHUNK_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(self._name_loss(error))
            return
        if data:
            self._life.deliver(data)
        else:
            self._lose(self._name_loss(None))

    def _writable(self) -> None:
        self._push()
        if not self._pending and self._loop is not None and self._fd >= 0:
            self._loop.remove_writer(self._fd)

    def _push(self) -> bool:
        """Offer the kernel what waits; return False when that showed the loss."""
        try:
            taken = os.write(self._fd, self._pending)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError as error:
            self._lose(self._name_loss(error))
            return False
        del self._pending[:taken]
        return True

    def _lose(self, error: DeviceError) -> None:
        # The descriptor goes first: while a dead handle is open the device comes back under another name (FR-06).
        self._let_go(lost=True)
        self._life.lose(error)

    def _let_go(self, *, lost: bool) -> None:
        fd, self._fd = self._fd, -1
        self._pending.clear()
        if fd < 0:
            return
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(fd)
            self._loop.remove_writer(fd)
        self._release(lost=lost)
