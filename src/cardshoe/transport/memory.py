"""A pair of transports inside one process, with a channel between them that can be as bad as a test wants.

Owns the pair and the order of delivery. Must not know frames; the channel does the damage, this delivers it. What it
does not show: the kernel's buffers, partial writes, descriptors, modem lines. For those there are ptys and sockets.

Driven by any loop with `time`, `call_soon` and `call_at`, so one virtual clock can drive it: the same channel and the
same writes give the same deliveries, in the same order.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Protocol

from cardshoe.errors import DeviceError
from cardshoe.transport.ports import WRITE_LIMIT_BYTES, Life, OnBytes, OnLost, Scheduler, overflow

Channel = Callable[[bytes, float], list[tuple[float, bytes]]]
"""What becomes of a write: (bytes, monotonic seconds) → pieces, each with the seconds after which it arrives.

No piece: lost. Changed bytes: damage. Two pieces: split or doubled. Delays may let a later piece overtake."""


class _Timer(Protocol):
    def cancel(self) -> None: ...


class TimerScheduler(Scheduler, Protocol):
    """A scheduler that can also call back at a given time."""

    def call_at(self, when: float, callback: Callable[..., object], *args: object) -> _Timer:
        """Call back at `when` monotonic seconds."""


def clean(data: bytes, now: float) -> list[tuple[float, bytes]]:
    """The channel that does nothing: all of it, at once."""
    del now
    return [(0.0, data)]


class MemoryTransport:
    """One end of a pair; made by `memory_pair`."""

    def __init__(self, url: str, channel: Channel, write_limit_bytes: int) -> None:
        self._url = url
        self._channel = channel
        self._limit = write_limit_bytes
        self._life = Life(url)
        self._scheduler: TimerScheduler | None = None
        self._timer: _Timer | None = None
        self._arriving: list[tuple[float, int, bytes]] = []
        self._arriving_bytes = 0
        self._counted = 0
        self._unsent: list[bytes] = []
        self._peer: MemoryTransport | None = None
        self._ending = False

    @property
    def url(self) -> str:
        """`memory://NAME`."""
        return self._url

    def start(self, loop: TimerScheduler, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Begin to deliver; what arrived before is delivered, in its order."""
        self._life.start(loop, on_bytes, on_lost)
        self._scheduler = loop
        unsent, self._unsent = self._unsent, []
        for data in unsent:
            self.write(data)
        self._set_timer()

    def write(self, data: bytes) -> None:
        """Send bytes through the channel; before the start they wait for it."""
        if self._life.ended or not data or self._peer is None:
            return
        if self._scheduler is None:
            self._unsent.append(data)
            if sum(map(len, self._unsent)) > self._limit:
                self._lose(overflow(self._url, self._limit))
            return
        now = self._scheduler.time()
        for delay_s, piece in self._channel(data, now):
            self._peer.arrive(now + delay_s, piece)
        if self._peer.arriving_bytes > self._limit:
            self._lose(overflow(self._url, self._limit))

    def close(self) -> None:
        """End this side; the other side is lost once what is on its way to it has arrived."""
        if not self._life.close():
            return
        peer, self._peer = self._peer, None
        self._let_go()
        if peer is not None:
            peer.end()

    def unplug(self) -> None:
        """Pull the plug between the two: both sides are lost, what is on its way is gone."""
        self._lose(_gone(self._url))

    @property
    def arriving_bytes(self) -> int:
        """How many bytes are on their way to this end."""
        return self._arriving_bytes

    def arrive(self, due: float, piece: bytes) -> None:
        """Put a piece on its way to this end: the other end calls it."""
        if self._life.ended or not piece:
            return
        self._counted += 1  # pieces due at the same time keep the order in which they were sent
        heapq.heappush(self._arriving, (due, self._counted, piece))
        self._arriving_bytes += len(piece)
        self._set_timer()

    def end(self) -> None:
        """Let what is on its way be the last that arrives: the other end calls it."""
        self._peer = None
        self._ending = True
        if not self._arriving:
            self._lose(_gone(self._url))

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._scheduler is not None and self._arriving and not self._life.ended:
            due = self._arriving[0][0]
            self._timer = self._scheduler.call_at(due, self._deliver, due)

    def _deliver(self, until: float) -> None:
        self._timer = None
        while self._arriving and self._arriving[0][0] <= until and not self._life.ended:
            _, _, piece = heapq.heappop(self._arriving)
            self._arriving_bytes -= len(piece)
            self._life.deliver(piece)
        if self._ending and not self._arriving:
            self._lose(_gone(self._url))
        self._set_timer()

    def _lose(self, error: DeviceError) -> None:
        if self._life.lose(error):
            self._let_go()

    def _let_go(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._arriving.clear()
        self._arriving_bytes = 0
        self._unsent.clear()
        peer, self._peer = self._peer, None
        if peer is not None:
            peer._lose(_gone(peer.url))  # noqa: SLF001  (the other end of the same pair)

    def _join(self, peer: MemoryTransport) -> None:
        self._peer = peer


def memory_pair(
    name: str = "pair",
    *,
    forth: Channel = clean,
    back: Channel = clean,
    write_limit_bytes: int = WRITE_LIMIT_BYTES,
) -> tuple[MemoryTransport, MemoryTransport]:
    """Make two ends; `forth` carries what the first writes, `back` what the second writes."""
    first = MemoryTransport(f"memory://{name}/1", forth, write_limit_bytes)
    second = MemoryTransport(f"memory://{name}/2", back, write_limit_bytes)
    first._join(second)  # noqa: SLF001
    second._join(first)  # noqa: SLF001
    return first, second


def _gone(url: str) -> DeviceError:
    return DeviceError("memory-lost", f"the other end of {url} is gone. Make a new pair.")
