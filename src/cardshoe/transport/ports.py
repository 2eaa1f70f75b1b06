"""The seam of the transports, and the life that every one of them leads.

Owns the structural interface `Transport` and the rule of its life: started once, bytes while it lives, then either lost
(signalled once, never from inside a call of the owner) or closed (signalled never). Must not know frames, devices or
how a particular port works. Promises P9 and P10.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from cardshoe.errors import DeviceError

WRITE_LIMIT_BYTES: Final = 16 * 1024
"""Default bound of what may wait to be written: 1.4 s of line at 115200 baud, 64 of the largest frames."""

READ_CHUNK_BYTES: Final = 4096
"""The most that one wake-up reads, so that a flood on one port cannot keep the loop from the others."""

OnBytes = Callable[[bytes], None]
OnLost = Callable[[DeviceError], None]


class Transport(Protocol):
    """Moves bytes in and out, on one loop, and says once when it cannot any more.

    Not thread-safe: every call comes from the thread of the loop given to `start`, and so does every call-back.
    """

    @property
    def url(self) -> str:
        """The device URL it was opened with, for texts and logs."""

    def start(self, loop: asyncio.AbstractEventLoop, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Begin to deliver. Chunks are not empty and have no meaning in their length.

        Raises DeviceError `transport-started` when called twice, `transport-closed` after `close`. A loss from before
        the start is signalled after it.
        """

    def write(self, data: bytes) -> None:
        """Queue bytes; never blocks, never signals from inside. After loss or close the bytes go nowhere.

        When more than the limit is waiting the transport is lost with code `transport-overflow`.
        """

    def close(self) -> None:
        """Give the port back within a bounded time; allowed at any time and again. Nothing is signalled afterwards."""


class Scheduler(Protocol):
    """The part of an event loop that a life needs; a virtual clock can stand in for it."""

    def time(self) -> float:
        """Return monotonic seconds."""

    def call_soon(self, callback: Callable[..., object], *args: object) -> object:
        """Call back after the present call has returned."""


class Life:
    """One transport's life: waiting → started → ended, with the loss signalled at most once."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._scheduler: Scheduler | None = None
        self._on_bytes: OnBytes | None = None
        self._on_lost: OnLost | None = None
        self._loss: DeviceError | None = None
        self._closed = False

    @property
    def ended(self) -> bool:
        """True once it is lost or closed."""
        return self._closed or self._loss is not None

    def start(self, scheduler: Scheduler, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Take the call-backs. Raises DeviceError `transport-started` or `transport-closed`."""
        if self._closed:
            raise DeviceError(
                "transport-closed", f"{self._url} was closed and cannot be started; open the device again."
            )
        if self._scheduler is not None:
            raise DeviceError("transport-started", f"{self._url} is started already; it has one owner. Open it again.")
        self._scheduler, self._on_bytes, self._on_lost = scheduler, on_bytes, on_lost
        if self._loss is not None:
            scheduler.call_soon(self._signal)

    def deliver(self, data: bytes) -> None:
        """Hand bytes on, unless it has ended."""
        if self._on_bytes is not None and not self.ended:
            self._on_bytes(data)

    def lose(self, error: DeviceError) -> bool:
        """End it as lost; return False, changing nothing, when it had ended before."""
        if self.ended:
            return False
        self._loss = error
        if self._scheduler is not None:
            self._scheduler.call_soon(self._signal)
        return True

    def close(self) -> bool:
        """End it as closed, which silences a loss not yet signalled; return False when it was closed before."""
        if self._closed:
            return False
        self._closed = True
        return True

    def _signal(self) -> None:
        if self._on_lost is not None and self._loss is not None and not self._closed:
            self._on_lost(self._loss)


def overflow(url: str, limit_bytes: int) -> DeviceError:
    """The loss of a transport whose device takes nothing while more and more is written."""
    return DeviceError(
        "transport-overflow",
        f"{url} takes no bytes: more than {limit_bytes} bytes were waiting to be written. The device has stopped "
        "reading or the line is stuck; the connection was given up. Check the device and its cable, then connect "
        "again.",
    )
