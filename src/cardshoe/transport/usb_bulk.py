"""USB bulk endpoints as a transport: one thread reads, one writes, the loop is told.

Owns the two threads, the bounded queues on either side of them and the end of both. Must not know frames; what pyusb
needs is in `usb_session`. pyusb has no call that does not wait, so the waiting is done on threads, in short turns: this
is the one transport that needs them.

Error numbers keep their own meaning (FR-36): 110 while reading is "no news"; 32 is cleared once and tried again; 19,
75, 5, 71 and a second 32 end the transport, each with its own code. Bytes that came with a time-out are kept.
"""

from __future__ import annotations

import asyncio
import errno
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import usb.core

from cardshoe.errors import DeviceError
from cardshoe.transport.ports import READ_CHUNK_BYTES, WRITE_LIMIT_BYTES, Life, OnBytes, OnLost, overflow
from cardshoe.transport.urls import UsbUrl
from cardshoe.transport.usb_session import UsbSession, explain, open_session

OPEN_S: Final = 3.0
READ_MS: Final = 50
"""One turn of the reader: how long closing waits for it, at most."""

WRITE_MS: Final = 250
LAST_WRITE_MS: Final = 50
STUCK_S: Final = 2.0
"""A device that takes no byte for so long is given up; the link's heartbeat has missed it long before."""

CHUNKS_WAITING: Final = 64
"""How many chunks may wait for a busy loop before the reader waits, too."""

CLOSE_JOIN_S: Final = 0.25


class UsbBulkTransport:
    """A `Transport` over a `UsbSession`, which it owns from here on."""

    def __init__(self, session: UsbSession, *, write_limit_bytes: int = WRITE_LIMIT_BYTES) -> None:
        self._url = str(session.url)
        self._session = session
        self._limit = write_limit_bytes
        self._life = Life(self._url)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._room = threading.Semaphore(CHUNKS_WAITING)
        self._changed = threading.Condition()
        self._pending = bytearray()  # guarded by _changed, as are the next two
        self._stopping = False
        self._discard = False
        self._threads: list[threading.Thread] = []
        self._running = 0

    @property
    def url(self) -> str:
        """The device URL it was opened with."""
        return self._url

    def start(self, loop: asyncio.AbstractEventLoop, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Begin to deliver; see `Transport.start`."""
        self._life.start(loop, on_bytes, on_lost)
        if self._life.ended:
            return
        self._loop = loop
        self._threads = [
            threading.Thread(target=self._run, args=(turn,), name=f"{self._url} {name}", daemon=True)
            for name, turn in (("in", self._read_on), ("out", self._write_on))
        ]
        self._running = len(self._threads)
        for thread in self._threads:
            thread.start()

    def write(self, data: bytes) -> None:
        """Queue bytes; see `Transport.write`."""
        if self._life.ended or not data:
            return
        with self._changed:
            self._pending += data
            too_many = len(self._pending) > self._limit
            self._changed.notify_all()
        if too_many:
            self._lose(overflow(self._url, self._limit))

    def close(self) -> None:
        """Let the threads finish their turn and give the device back; see `Transport.close`.

        A thread that the library holds longer than CLOSE_JOIN_S gives the device back by itself when it returns.
        """
        if not self._life.close():
            return
        self._stop(discard=False)
        deadline = time.monotonic() + CLOSE_JOIN_S
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _lose(self, error: DeviceError) -> None:
        if self._life.lose(error):
            self._stop(discard=True)

    def _stop(self, *, discard: bool) -> None:
        with self._changed:
            first, self._stopping = not self._stopping, True
            self._discard = self._discard or discard
            self._changed.notify_all()
        if first and not self._threads:
            self._session.release()  # never started: there is no thread to do it

    # On the threads

    def _run(self, turn: Callable[[], None]) -> None:
        loss: DeviceError | None = explain(self._session.url, OSError("its thread ended unexpectedly"))
        try:
            turn()
            loss = None
        except OSError as error:
            loss = explain(self._session.url, error)
        finally:
            if loss is not None:  # also for what pyusb may raise besides: a loss is always signalled (FR-23)
                self._tell(self._lose, loss)
                self._stop(discard=True)
            with self._changed:
                self._running -= 1
                last = self._running == 0
            if last:
                self._session.release()

    def _tell(self, callback: Callable[..., object], *args: object) -> None:
        try:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(callback, *args)
        except RuntimeError:  # the loop was closed under us: nobody is left to tell
            self._stop(discard=True)

    def _read_on(self) -> None:
        cleared = False
        while not self._stopping:
            try:
                data = self._session.read(READ_MS)
            except usb.core.USBTimeoutError:
                cleared = False
                continue
            except usb.core.USBError as error:
                if error.errno != errno.EPIPE or cleared:
                    raise
                self._session.clear_in()
                cleared = True
                continue
            cleared = False
            if data and self._wait_for_room():
                self._tell(self._arrived, data)

    def _wait_for_room(self) -> bool:
        while not self._stopping:
            if self._room.acquire(timeout=READ_MS / 1000):
                return True
        return False

    def _arrived(self, data: bytes) -> None:
        self._room.release()
        self._life.deliver(data)

    def _write_on(self) -> None:
        cleared = False
        stuck_since: float | None = None  # an idle device is not a stuck one: counted from the first time-out
        while True:
            chunk, last = self._next_chunk()
            if not chunk:
                if last:
                    return
                continue
            try:
                taken = self._session.write(chunk, LAST_WRITE_MS if last else WRITE_MS)
            except usb.core.USBTimeoutError:
                stuck_since = stuck_since or time.monotonic()
                if last or time.monotonic() - stuck_since > STUCK_S:
                    raise
                continue
            except usb.core.USBError as error:
                if error.errno != errno.EPIPE or cleared:
                    raise
                self._session.clear_out()
                cleared = True
                continue
            cleared, stuck_since = False, None
            with self._changed:
                del self._pending[:taken]
            if last:
                return

    def _next_chunk(self) -> tuple[bytes, bool]:
        """Wait for bytes or the end; return what is next to write, and whether it is the last turn."""
        with self._changed:
            if not self._pending and not self._stopping:
                self._changed.wait()
            waiting = b"" if self._discard else bytes(self._pending[:READ_CHUNK_BYTES])
            return waiting, self._stopping


class _Handover:
    """A session on its way from the thread that opens it to the loop, which may have given up waiting."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._session: UsbSession | None = None
        self._abandoned = False

    def open(self, url: UsbUrl, backend: Any) -> UsbSession:
        """Open, on the thread; what nobody waits for any more is given back at once."""
        session = open_session(url, backend)
        with self._lock:
            if not self._abandoned:
                self._session = session
                return session
        session.release()
        raise DeviceError("usb-stuck", f"the device {url} was opened too late and was given back. Connect again.")

    def abandon(self) -> None:
        """Give up waiting."""
        with self._lock:
            self._abandoned = True
            session, self._session = self._session, None
        if session is not None:
            session.release()


async def open_usb(
    url: UsbUrl, *, within_s: float = OPEN_S, write_limit_bytes: int = WRITE_LIMIT_BYTES, backend: Any = None
) -> UsbBulkTransport:
    """Open the device within `within_s` seconds, on a thread of the loop's executor; `backend` is a pyusb backend.

    Raises DeviceError with the codes of `open_session`, and `usb-stuck` when it takes too long.
    """
    handover = _Handover()
    opening = asyncio.get_running_loop().run_in_executor(None, handover.open, url, backend)
    try:
        async with asyncio.timeout(within_s):
            session = await asyncio.shield(opening)
    except TimeoutError as error:
        handover.abandon()
        opening.add_done_callback(_forget)
        raise explain(url, TimeoutError(errno.ETIMEDOUT, "not opened in time"), opening=True) from error
    except asyncio.CancelledError:
        handover.abandon()
        opening.add_done_callback(_forget)
        raise
    return UsbBulkTransport(session, write_limit_bytes=write_limit_bytes)


def _forget(opening: asyncio.Future[UsbSession]) -> None:
    """Take the outcome of an opening that nobody waits for, or asyncio reports it as never looked at."""
    if not opening.cancelled():
        opening.exception()
