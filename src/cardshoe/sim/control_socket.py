"""The control socket: JSON Lines over a Unix socket, any number of connections.

Owns the socket's file and its lines. Must not know what a request means. A stale file of a dead process is replaced, a
living one is refused.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cardshoe.sim.errors import SimError
from cardshoe.sim.ports import Outgoing

LINE_MAX: Final = 1024 * 1024
READ_BYTES: Final = 65536
PATH_MAX: Final = 107  # what a Unix socket's address holds

Answerer = Callable[[object], dict[str, object]]


class Connection:
    """One connection: requests in, answers out, in the same order."""

    def __init__(
        self, line: socket.socket, *, selector: selectors.BaseSelector, answer: Answerer, ended: Callable[[], None]
    ) -> None:
        line.setblocking(False)
        self._line = line
        self._answer = answer
        self._ended = ended
        self._half = bytearray()
        self._outgoing = Outgoing(selector, line.fileno(), self._readable)

    def _readable(self) -> None:
        try:
            data = self._line.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:  # a reset connection is an ended one
            data = b""
        if not data:
            self._ended()
            return
        self._half += data
        *lines, rest = bytes(self._half).split(b"\n")
        self._half = bytearray(rest)
        try:
            for line in lines:
                if line.strip():
                    self._send(self._answered(line))
            if len(self._half) > LINE_MAX:
                self._send({"ok": False, "text": f"a line is longer than {LINE_MAX} bytes"})
                self._ended()
        except OSError:  # the other side is gone
            self._ended()

    def _answered(self, line: bytes) -> dict[str, object]:
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            return {"ok": False, "text": f"the line is no JSON: {error}"}
        return self._answer(request)

    def _send(self, answer: dict[str, object]) -> None:
        self._outgoing.send(json.dumps(answer).encode() + b"\n")

    def close(self) -> None:
        """End it."""
        self._outgoing.release()
        self._line.close()


class ControlSocket:
    """The listening socket at `path`."""

    def __init__(self, path: Path, *, selector: selectors.BaseSelector, answer: Answerer) -> None:
        self._path = path.absolute()
        self._selector = selector
        self._answer = answer
        self._connections: list[Connection] = []
        self._listener: socket.socket | None = None
        self._inode = 0

    @property
    def spelled(self) -> str:
        """The path."""
        return str(self._path)

    def open(self) -> None:
        """Listen. Raises SimError when the path is taken or cannot be used."""
        if len(os.fsencode(self._path)) > PATH_MAX:
            raise SimError(f"the control path {self._path} is longer than {PATH_MAX} bytes: choose a shorter one")
        self._clear_stale()
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listener.bind(str(self._path))
            self._inode = self._path.stat().st_ino
        except OSError as error:
            listener.close()
            raise SimError(f"the control socket {self._path} cannot be made: {error.strerror}") from error
        listener.listen(16)
        listener.setblocking(False)
        self._listener = listener
        self._selector.register(listener, selectors.EVENT_READ, self._on_connection)

    def _clear_stale(self) -> None:
        try:
            mode = self._path.lstat().st_mode
        except FileNotFoundError:
            return
        except OSError as error:
            raise SimError(f"the control path {self._path} cannot be used: {error.strerror}") from error
        if not stat.S_ISSOCK(mode):
            raise SimError(f"{self._path} is there and is no socket: choose another control path")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.connect(str(self._path))
            except ConnectionRefusedError:
                self._path.unlink(missing_ok=True)  # its process is dead
                return
            except OSError as error:
                raise SimError(f"{self._path} cannot be asked whether it is in use: {error.strerror}") from error
        raise SimError(f"{self._path} is in use by a running simulator: stop it, or choose another control path")

    def _on_connection(self, _: int) -> None:
        if self._listener is None:
            return
        try:
            line, _address = self._listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        made: list[Connection] = []
        connection = Connection(line, selector=self._selector, answer=self._answer, ended=lambda: self._drop(made[0]))
        made.append(connection)
        self._connections.append(connection)

    def _drop(self, connection: Connection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)
            connection.close()

    def close(self) -> None:
        """End all connections and remove the file, if it is still ours."""
        for connection in list(self._connections):
            self._drop(connection)
        if self._listener is None:
            return
        self._selector.unregister(self._listener)
        self._listener.close()
        self._listener = None
        try:
            if self._path.lstat().st_ino == self._inode:
                self._path.unlink()
        except FileNotFoundError:
            return
