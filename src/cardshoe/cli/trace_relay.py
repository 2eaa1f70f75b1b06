"""A line in the middle: a port for the host, the device behind it, and every byte of both kept.

Owns the host's port (a pty behind a link, or a TCP port) and the passing of bytes. Must not know frames: what passes is
recorded and handed on, whatever it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tty
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from cardshoe.errors import ConfigError

READ_BYTES: Final = 4096


class HostPort(Protocol):
    """The host's side."""

    @property
    def url(self) -> str:
        """The device URL by which the host opens it."""

    def write(self, data: bytes) -> None:
        """Bytes for the host; lost when nobody is there."""

    def close(self) -> None:
        """Leave nothing behind."""


class PtyHost:
    """A pty behind a symbolic link; one slave is held open, so that a host may come and go."""

    def __init__(self, link: Path, on_bytes: Callable[[bytes], None]) -> None:
        self._link = link.absolute()
        if self._link.exists() and not self._link.is_symlink():
            raise ConfigError("trace-port", f"{self._link} is there and is no link. Choose another place for the port.")
        self._on_bytes = on_bytes
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        fresh = self._link.with_name(f".{self._link.name}.{os.getpid()}")
        try:
            fresh.symlink_to(os.ttyname(self._slave))
            os.replace(fresh, self._link)
        except OSError as error:
            os.close(self._master)
            os.close(self._slave)
            raise ConfigError("trace-port", f"the link {self._link} cannot be made: {error.strerror}.") from error
        asyncio.get_running_loop().add_reader(self._master, self._readable)

    @property
    def url(self) -> str:
        """`serial://LINK`."""
        return f"serial://{self._link}"

    def _readable(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._on_bytes(os.read(self._master, READ_BYTES))

    def write(self, data: bytes) -> None:
        """What a full pty does not take is lost, as on a line that nobody reads."""
        with contextlib.suppress(BlockingIOError):
            os.write(self._master, data)

    def close(self) -> None:
        """Hang up and take the link away."""
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)
        os.close(self._slave)
        self._link.unlink(missing_ok=True)


class TcpHost:
    """A TCP port that serves one connection at a time."""

    def __init__(self, host: str, port: int, on_bytes: Callable[[bytes], None]) -> None:
        self._host, self._port = host, port
        self._on_bytes = on_bytes
        self._server: asyncio.Server | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def listen(self) -> None:
        """Begin. Raises ConfigError `trace-port`."""
        try:
            self._server = await asyncio.start_server(self._serve, self._host, self._port)
        except OSError as error:
            raise ConfigError("trace-port", f"cannot listen on {self._host}:{self._port}: {error.strerror}.") from error
        self._port = self._server.sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        """`tcp://HOST:PORT`."""
        return f"tcp://{self._host}:{self._port}"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._writer is not None:
            writer.close()
            return
        self._writer = writer
        try:
            while data := await reader.read(READ_BYTES):
                self._on_bytes(data)
        except OSError:
            return  # a reset connection is an ended one
        finally:
            self._writer = None
            writer.close()

    def write(self, data: bytes) -> None:
        """Without a connection it is lost."""
        if self._writer is not None:
            self._writer.write(data)

    def close(self) -> None:
        """End the connection and listen no longer."""
        if self._writer is not None:
            self._writer.close()
        if self._server is not None:
            self._server.close()


async def open_host_port(address: str, on_bytes: Callable[[bytes], None]) -> HostPort:
    """Open `pty:LINK` or `tcp:HOST:PORT` (port 0: a free one). Raises ConfigError `trace-port`."""
    kind, _, rest = address.partition(":")
    if kind == "pty" and rest:
        return PtyHost(Path(rest), on_bytes)
    host, _, port = rest.rpartition(":")
    if kind == "tcp" and host and port.isascii() and port.isdigit() and int(port) <= 65535:
        made = TcpHost(host, int(port), on_bytes)
        await made.listen()
        return made
    raise ConfigError(
        "trace-port", f"--port is {address!r}; write pty:LINK or tcp:HOST:PORT (port 0 for any free one)."
    )
