"""The wire trace: every chunk in both directions, byte-exact, in a bounded ring and, where wanted, in a private file.

Owns the ring, the file (mode 0600, JSON lines, capped, one older file kept) and the wrapping of any transport. It is a
record beside the log, not a log level. Must not know frames: what passes is kept as hex. The trace of a clear-text
bench link can hold what the bench may see; a live link is sealed before it comes here (promises P4 and P7).

A line: `{"t": 12.345678, "way": "out" | "in", "hex": "…"}` or `{"t": …, "way": "lost", "code": "…"}`; `t` is monotonic
seconds. A trace file that cannot be written any more is given up with one warning: a full disk must not stop a round.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from cardshoe.errors import ConfigError, DeviceError
from cardshoe.transport.ports import OnBytes, OnLost, Transport

RING_CHUNKS: Final = 1024
RING_BYTES: Final = 256 * 1024
FILE_BYTES: Final = 8 * 1024 * 1024

_log = logging.getLogger(__name__)

Way = Literal["out", "in", "lost"]
Redact = Callable[[Literal["out", "in"], bytes], bytes]
"""Gives what may be kept of a chunk; it must not raise."""


@dataclass(frozen=True, slots=True)
class Passed:
    """One chunk that passed, or the loss: monotonic seconds, direction, hex of the bytes or code of the loss."""

    t: float
    way: Way
    what: str

    def line(self) -> str:
        """Return it as one JSON line without its end."""
        return json.dumps(
            {"t": round(self.t, 6), "way": self.way, ("code" if self.way == "lost" else "hex"): self.what}
        )


class TraceFile:
    """A capped, private file of JSON lines; when full it becomes PATH.1 and a new one begins."""

    def __init__(self, path: str, *, limit_bytes: int = FILE_BYTES) -> None:
        """Open for appending. Raises ConfigError `trace-file` when it cannot be had, or is a link."""
        self.path = path
        self._limit = limit_bytes
        self._fd = -1
        try:
            self._open()
        except OSError as error:
            self.close()
            raise ConfigError(
                "trace-file",
                f"the trace file {path} cannot be written ({error.strerror or error}). Name a file in a folder of your "
                "own that is no link, or leave the trace out.",
            ) from error

    def append(self, line: str) -> None:
        """Write one line; does nothing once the file is closed or had to be given up."""
        if self._fd < 0:
            return
        data = line.encode("utf-8") + b"\n"
        try:
            if self._size and self._size + len(data) > self._limit:
                self._rotate()
            self._size += os.write(self._fd, data)
        except OSError as error:
            _log.warning("the wire trace %s is given up: %s", self.path, error.strerror or error)
            self.close()

    def close(self) -> None:
        """Close the file; allowed again."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._fd = os.open(self.path, flags, 0o600)
        os.fchmod(self._fd, 0o600)  # it may have been there, with other rights
        self._size = os.fstat(self._fd).st_size

    def _rotate(self) -> None:
        self.close()
        os.replace(self.path, f"{self.path}.1")
        self._open()


class Tap:
    """A `Transport` around another one, which keeps what passes."""

    def __init__(
        self,
        inner: Transport,
        *,
        file: TraceFile | None = None,
        ring_chunks: int = RING_CHUNKS,
        ring_bytes: int = RING_BYTES,
        now: Callable[[], float] = time.monotonic,
        redact: Redact | None = None,
    ) -> None:
        """Wrap `inner`; `file`, when given, is closed with the tap. `now` gives monotonic seconds.

        `redact` gives what may be kept in place of a chunk; nothing where that is empty. What passes is never changed.
        """
        self._inner = inner
        self._file = file
        self._ring: deque[Passed] = deque()
        self._ring_bytes = 0
        self._most_chunks, self._most_bytes = ring_chunks, ring_bytes
        self._now = now
        self._redact = redact

    @property
    def url(self) -> str:
        """The URL of the transport inside."""
        return self._inner.url

    def start(self, loop: asyncio.AbstractEventLoop, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Start the transport inside; bytes are kept before they are handed on."""

        def bytes_in(data: bytes) -> None:
            self._keep_bytes("in", data)
            on_bytes(data)

        def lost(error: DeviceError) -> None:
            self._keep("lost", error.code)
            on_lost(error)

        self._inner.start(loop, bytes_in, lost)

    def write(self, data: bytes) -> None:
        """Keep the bytes, then write them: what was attempted is on record even when the port dies of it."""
        if data:
            self._keep_bytes("out", bytes(data))
        self._inner.write(data)

    def close(self) -> None:
        """Close the transport inside and the file; the ring stays readable."""
        self._inner.close()
        if self._file is not None:
            self._file.close()

    def recent(self) -> list[Passed]:
        """Return what the ring holds, oldest first."""
        return list(self._ring)

    def _keep_bytes(self, way: Literal["out", "in"], data: bytes) -> None:
        kept = data if self._redact is None else self._redact(way, data)
        if kept:
            self._keep(way, kept.hex())

    def _keep(self, way: Way, what: str) -> None:
        passed = Passed(self._now(), way, what)
        self._ring.append(passed)
        self._ring_bytes += len(what)
        while len(self._ring) > self._most_chunks or (self._ring_bytes > self._most_bytes and len(self._ring) > 1):
            self._ring_bytes -= len(self._ring.popleft().what)
        if self._file is not None:
            self._file.append(passed.line())
