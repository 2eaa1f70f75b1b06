"""A pty whose bytes have the speed of a UART line: 115200 8N1, ten bits a byte, in both directions.

Owns the pty, the link to it and the pacing by absolute deadlines: a byte is at the other end when its time has come, an
idle line saves up none. A replug is another pty behind the same link. Modem lines and parity are not shown: a pty has
none (that is `front_tty`).
"""

from __future__ import annotations

import contextlib
import os
import select
import tempfile
import threading
import time
import tty
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from front_bench import Front

BAUD = 115200
BYTE_S = 10 / BAUD
SLICE = 16
"""Bytes handed over at once where more are due: what the FIFO of a UART holds."""


class Pacer:
    """When the bytes of one direction arrive. Pure: time comes in."""

    def __init__(self, byte_s: float = BYTE_S) -> None:
        self._byte_s = byte_s
        self._free = 0.0

    def arrival(self, count: int, now: float) -> float:
        """When the last of `count` bytes put on the line now has arrived."""
        self._free = max(self._free, now) + count * self._byte_s
        return self._free


@dataclass(eq=False)
class _Line:
    """One plugged pty."""

    master: int
    slave: int
    put: Callable[[bytes], None]
    to_host: Pacer
    to_device: Pacer
    waiting: list[tuple[float, bytes]] = field(default_factory=list)


class PtyFront(Front):
    """See the module."""

    features = frozenset({"busy", "paced", "twins"})

    def __init__(self, lock: threading.RLock, *, paced: bool = True) -> None:
        """`paced` False: bytes pass at once, for a device that has a line of its own."""
        super().__init__(lock)
        self._byte_s = BYTE_S if paced else 0.0
        if not paced:
            self.features = frozenset({"busy"})
        self._directory = tempfile.TemporaryDirectory(prefix="front-")
        self._lines: dict[str, _Line] = {}
        self._handed_at = 0.0
        self._echoes = False
        self._seen: list[float] = []
        self._late: list[float] = []
        self._wake_out, self._wake_in = os.pipe2(os.O_NONBLOCK)
        threading.Thread(target=self._run, daemon=True).start()

    def plug(self, name: str, serial_number: str, put: Callable[[bytes], None], opened: Callable[[], None]) -> None:
        """Another pty behind the link."""
        if name in self._lines:
            return
        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        self._lines[name] = _Line(master, slave, put, Pacer(self._byte_s), Pacer(self._byte_s))
        link = self._link(name)
        fresh = link.with_suffix(".new")
        fresh.symlink_to(os.ttyname(slave))
        os.replace(fresh, link)
        self._wake()

    def unplug(self, name: str) -> None:
        """Hang up."""
        line = self._lines.pop(name, None)
        if line is not None:
            self._link(name).unlink(missing_ok=True)
            os.close(line.master)
            os.close(line.slave)
            self._wake()

    def deliver(self, name: str, data: bytes) -> None:
        """Onto the line."""
        self._deliver(name, data, time.monotonic())
        self._wake()

    def _deliver(self, name: str, data: bytes, now: float) -> None:
        line = self._lines.get(name)
        if line is None:
            return
        for at in range(0, len(data), SLICE):
            piece = data[at : at + SLICE]
            line.waiting.append((line.to_host.arrival(len(piece), now), piece))

    def where(self, name: str) -> str:
        """By the link."""
        return f"serial://{self._link(name)}"

    def request(self, what: str, device: str, values: dict[str, Any]) -> dict[str, Any]:
        """`echo`: a device that answers each 16 bytes with 8, from the moment at which the last of them was there: what
        this thread takes to hand it over is none of the line's time. `echoed`: when each question was seen here, and by
        how much its answer was written too late, both in seconds on the clock of `time.monotonic`."""
        if what == "echo":
            self._lines[device].put = lambda data: self._deliver(device, bytes(8 * (len(data) // 16)), self._handed_at)
            self._echoes, self._seen, self._late = True, [], []
            return {}
        if what == "echoed":
            self._echoes = False
            return {"seen": self._seen, "late": self._late}
        return super().request(what, device, values)

    def _link(self, name: str) -> Path:
        return Path(self._directory.name) / name

    def _wake(self) -> None:
        os.write(self._wake_in, b"x")

    def close(self) -> None:
        """Take the links away."""
        self._directory.cleanup()

    def _run(self) -> None:
        with contextlib.suppress(PermissionError):  # a line waits for no processor; without the right it may
            os.sched_setscheduler(threading.get_native_id(), os.SCHED_RR, os.sched_param(1))
        held: list[tuple[float, _Line, bytes]] = []
        while True:
            with self.lock:
                self._hand_over(held)
                lines = {line.master: line for line in self._lines.values()}
                due = min((at for line in lines.values() for at, _ in line.waiting), default=None)
            due = min((at for at, _, _ in held), default=due) if due is None else min([due, *[at for at, _, _ in held]])
            wait = None if due is None else max(0.0, due - time.monotonic())
            poller = select.poll()
            for descriptor in [*lines, self._wake_out]:
                poller.register(descriptor, select.POLLIN)
            ready = _nap(poller, wait)
            with self.lock:
                self._collect(ready, held)

    def _hand_over(self, held: list[tuple[float, _Line, bytes]]) -> None:
        now = time.monotonic()
        for line in list(self._lines.values()):
            while line.waiting and line.waiting[0][0] <= now:
                due, data = line.waiting.pop(0)
                self._write(line, data)
                if self._echoes:
                    self._late.append(time.monotonic() - due)
        while held and held[0][0] <= now:
            self._handed_at, line, data = held.pop(0)
            if line in self._lines.values():
                line.put(data)

    @staticmethod
    def _write(line: _Line, data: bytes) -> None:
        try:
            os.write(line.master, data)
        except BlockingIOError:
            return  # nobody reads: the UART's buffer is full and the bytes are lost

    def _collect(self, ready: list[tuple[int, int]], held: list[tuple[float, _Line, bytes]]) -> None:
        by_master = {line.master: line for line in self._lines.values()}
        for descriptor, _ in ready:
            if descriptor == self._wake_out:
                os.read(self._wake_out, 4096)
            elif descriptor in by_master:
                line = by_master[descriptor]
                try:
                    data = os.read(line.master, 4096)
                except OSError:
                    continue
                seen = time.monotonic()
                if self._echoes:
                    self._seen.append(seen)
                held.append((line.to_device.arrival(len(data), seen), line, data))
        held.sort(key=lambda one: one[0])


SPIN_S = 0.0003
"""The last of a wait is spent awake: a sleep ends late, and a UART does not."""


def _nap(poller: Any, wait_s: float | None) -> list[tuple[int, int]]:
    """Poll until something is ready or the time has come, to some microseconds."""
    if wait_s is None:
        return poller.poll()  # type: ignore[no-any-return]
    end = time.monotonic() + wait_s
    ready: list[tuple[int, int]] = poller.poll(max(0, int((wait_s - SPIN_S) * 1000)))
    while not ready and (left := end - time.monotonic()) > 0:
        if left > SPIN_S:
            time.sleep(left - SPIN_S)
        ready = poller.poll(0)
    return ready
