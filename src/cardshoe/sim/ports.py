"""The world's lines as the operating system shows them: a pty behind a symbolic link, or a TCP port.

Owns descriptors, links and what waits to be written. Must not know frames. A port that nobody has open loses what is
sent to it, like any serial line; what nobody reads is dropped beyond 64 KiB, in whole outputs.
"""

from __future__ import annotations

import os
import selectors
import socket
import termios
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from cardshoe.sim.errors import SimError
from cardshoe.sim.opens import OpenWatch

READ_BYTES: Final = 4096
PENDING_MAX: Final = 64 * 1024
TCP_PORT_MAX: Final = 65535

Received = Callable[[bytes], None]
Opened = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Address:
    """Where a port is to be had: `pty` with a link, or `tcp` with host and port (0: any free one)."""

    kind: str
    path: Path = Path()
    host: str = ""
    port: int = 0


def parse_address(text: str) -> Address:
    """Return the address that `pty:LINK` or `tcp:HOST:PORT` means. Raises SimError that quotes what is wrong."""
    kind, _, rest = text.partition(":")
    if kind == "pty" and rest:
        return Address("pty", path=Path(rest))
    host, _, port = rest.rpartition(":")
    if kind == "tcp" and host and port.isascii() and port.isdigit() and int(port) <= TCP_PORT_MAX:
        return Address("tcp", host=host.strip("[]"), port=int(port))
    raise SimError(f"{text!r} is no port: give pty:LINK or tcp:HOST:PORT (port 0 for any free one)")


class Port(Protocol):
    """One port of the process."""

    def open(self) -> None:
        """Make it reachable. Raises SimError when that cannot be done."""

    def write(self, data: bytes) -> None:
        """Send bytes to whoever is there."""

    def close(self) -> None:
        """Make it unreachable and leave nothing behind."""

    @property
    def spelled(self) -> str:
        """The address as it is given on the command line, with the real port number."""

    @property
    def url(self) -> str:
        """The device URL by which a driver opens it."""


class Outgoing:
    """What waits to be written to one descriptor, and the selector's interest in it."""

    def __init__(self, selector: selectors.BaseSelector, descriptor: int, readable: Callable[[], None]) -> None:
        self._selector = selector
        self._descriptor = descriptor
        self._readable = readable
        self._pending = bytearray()
        self._released = False
        selector.register(descriptor, selectors.EVENT_READ, self.on_events)

    def on_events(self, mask: int) -> None:
        """The descriptor is ready; a turn of the loop may still hold an event of one that was given back."""
        if mask & selectors.EVENT_WRITE and not self._released:
            self._write()
        if mask & selectors.EVENT_READ and not self._released:
            self._readable()

    def send(self, data: bytes) -> None:
        """Write now what can be written, the rest later. Raises OSError when the other side is gone."""
        if len(self._pending) + len(data) > PENDING_MAX:
            return
        self._pending += data
        self._write()

    @property
    def waiting(self) -> int:
        """Bytes that wait to be written."""
        return len(self._pending)

    def _write(self) -> None:
        had_to_wait = bool(self._selector.get_key(self._descriptor).events & selectors.EVENT_WRITE)
        try:
            while self._pending:
                del self._pending[: os.write(self._descriptor, self._pending)]
        except BlockingIOError:
            pass  # it waits for EVENT_WRITE, below
        if bool(self._pending) != had_to_wait:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._pending else 0)
            self._selector.modify(self._descriptor, events, self.on_events)

    def forget(self) -> None:
        """Drop what waits."""
        self._pending.clear()

    def release(self) -> None:
        """Give the descriptor back to its owner."""
        self._released = True
        self._selector.unregister(self._descriptor)


def make_raw(descriptor: int) -> None:
    """Set a terminal raw: 115200 8N1, every byte value passes (LINK-1.1)."""
    mode = termios.tcgetattr(descriptor)
    mode[0] &= ~(
        termios.IGNBRK | termios.BRKINT | termios.PARMRK | termios.ISTRIP | termios.INLCR | termios.IGNCR
        | termios.ICRNL | termios.IXON
    )  # fmt: skip
    mode[1] &= ~termios.OPOST
    mode[2] = (mode[2] & ~(termios.CSIZE | termios.PARENB)) | termios.CS8
    mode[3] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
    mode[4] = mode[5] = termios.B115200
    termios.tcsetattr(descriptor, termios.TCSANOW, mode)


class PtyPort:
    """A pty whose far end is reached through a symbolic link. We hold the far end open, so that nothing is lost."""

    def __init__(
        self, link: Path, *, selector: selectors.BaseSelector, watch: OpenWatch, received: Received, opened: Opened
    ) -> None:
        self._link = link.absolute()
        self._selector = selector
        self._watch = watch
        self._received = received
        self._opened = opened
        self._master = self._slave = -1
        self._name = ""
        self._outgoing: Outgoing | None = None
        self._watched: int | None = None
        self._users = 0

    @property
    def spelled(self) -> str:
        """`pty:LINK`."""
        return f"pty:{self._link}"

    @property
    def url(self) -> str:
        """`serial://LINK`."""
        return f"serial://{self._link}"

    def open(self) -> None:
        """Make a pty and let the link lead to it."""
        if self._link.exists() and not self._link.is_symlink():
            raise SimError(f"{self._link} is there and is no symbolic link: choose another place for the port")
        self._master, self._slave = os.openpty()
        os.set_blocking(self._master, False)
        make_raw(self._slave)
        self._name = os.ttyname(self._slave)
        self._users = 0
        self._watched = self._watch.watch(Path(self._name), self._heard)
        self._outgoing = Outgoing(self._selector, self._master, self._readable)
        self._point_link()

    def _point_link(self) -> None:
        fresh = self._link.with_name(f".{self._link.name}.{os.getpid()}")
        try:
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(self._name)
            os.replace(fresh, self._link)
        except OSError as error:
            self.close()
            raise SimError(f"the link {self._link} cannot be made: {error.strerror}") from error

    def _heard(self, opening: bool) -> None:
        self._users = max(0, self._users + (1 if opening else -1))
        if opening:
            if self._users == 1:
                termios.tcflush(self._slave, termios.TCIFLUSH)  # what was sent while nobody listened
            self._opened()

    def _readable(self) -> None:
        try:
            data = os.read(self._master, READ_BYTES)
        except BlockingIOError:
            return
        self._received(data)

    def write(self, data: bytes) -> None:
        """Send bytes; while nobody has the far end open they are lost."""
        if self._outgoing is None or not data:
            return
        if self._watched is not None and self._users == 0:
            self._outgoing.forget()
            return
        self._outgoing.send(data)

    def close(self) -> None:
        """Hang up and take the link away."""
        self._watch.unwatch(self._watched)
        self._watched = None
        if self._outgoing is not None:
            self._outgoing.release()
            self._outgoing = None
        for descriptor in (self._master, self._slave):
            if descriptor >= 0:
                os.close(descriptor)
        self._master = self._slave = -1
        if self._link.is_symlink() and os.readlink(self._link) == self._name:
            self._link.unlink()


class TcpPort:
    """A listening TCP port that serves one connection; a second one at the same time is closed (LINK-1.3)."""

    def __init__(
        self, host: str, port: int, *, selector: selectors.BaseSelector, received: Received, opened: Opened
    ) -> None:
        self._host = host
        self._port = port
        self._selector = selector
        self._received = received
        self._opened = opened
        self._listener: socket.socket | None = None
        self._line: socket.socket | None = None
        self._outgoing: Outgoing | None = None

    @property
    def _shown(self) -> str:
        return f"[{self._host}]" if ":" in self._host else self._host

    @property
    def spelled(self) -> str:
        """`tcp:HOST:PORT`."""
        return f"tcp:{self._shown}:{self._port}"

    @property
    def url(self) -> str:
        """`tcp://HOST:PORT`."""
        return f"tcp://{self._shown}:{self._port}"

    def open(self) -> None:
        """Listen; a port number that was chosen freely stays the same from then on."""
        try:
            listener = socket.create_server(
                (self._host, self._port), family=socket.AF_INET6 if ":" in self._host else socket.AF_INET, backlog=8
            )
        except OSError as error:
            raise SimError(f"cannot listen on {self.spelled}: {error.strerror or error}") from error
        listener.setblocking(False)
        self._port = listener.getsockname()[1]
        self._listener = listener
        self._selector.register(listener, selectors.EVENT_READ, self._on_connection)

    def _on_connection(self, _: int) -> None:
        if self._listener is None:
            return
        try:
            line, _address = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        if self._line is not None:
            self._readable()  # perhaps it has just ended
        if self._line is not None:
            line.close()
            return
        line.setblocking(False)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._line = line
        self._outgoing = Outgoing(self._selector, line.fileno(), self._readable)
        self._opened()

    def _readable(self) -> None:
        if self._line is None:
            return
        try:
            data = self._line.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:  # a reset connection is an ended one
            data = b""
        if data:
            self._received(data)
        else:
            self._hang_up()

    def _hang_up(self) -> None:
        if self._outgoing is not None:
            self._outgoing.release()
            self._outgoing = None
        if self._line is not None:
            self._line.close()
            self._line = None

    def write(self, data: bytes) -> None:
        """Send bytes; without a connection they are lost."""
        if self._outgoing is None or not data:
            return
        try:
            self._outgoing.send(data)
        except OSError:  # the other side is gone
            self._hang_up()

    def close(self) -> None:
        """End the connection and listen no longer."""
        self._hang_up()
        if self._listener is not None:
            self._selector.unregister(self._listener)
            self._listener.close()
            self._listener = None
