"""Lines that go out while a loop runs.

Owns a thread that writes to a descriptor: whoever reads the other end may be slow, or may have stopped reading, and the
loop must not wait for it (P9). The thread holds no lock and no object of the interpreter's own streams, so that a
command that ends need not wait for a reader that never comes. Must not know what a line means.
"""

from __future__ import annotations

import asyncio
import os
import queue
import threading

from cardshoe.cli.streams import no_output
from cardshoe.errors import ConfigError

_Told = asyncio.Future[None]


class Outgoing:
    """Lines to `descriptor`, in order. Made and used on one running loop."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._lines: queue.SimpleQueue[tuple[bytes, _Told]] = queue.SimpleQueue()
        threading.Thread(target=self._write_all, name="standard output", daemon=True).start()

    async def say(self, line: str) -> None:
        """Write `line`; returns once it was taken. Raises `ConfigError` (`no-output`) when it cannot be written."""
        told: _Told = self._loop.create_future()
        # Half of a surrogate pair, which JSON can carry in and UTF-8 cannot carry out, goes back as it came: escaped.
        self._lines.put((line.encode(errors="backslashreplace") + b"\n", told))
        await told

    def _write_all(self) -> None:
        while True:
            line, told = self._lines.get()
            error = self._written(line)
            try:
                self._loop.call_soon_threadsafe(_tell, told, error)
            except RuntimeError:  # the loop is closed: nobody speaks any more
                return

    def _written(self, line: bytes) -> ConfigError | None:
        try:
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError as error:
            return no_output(error)
        return None


def _tell(told: _Told, error: ConfigError | None) -> None:
    if told.done():  # whoever waited was ended
        return
    if error is None:
        told.set_result(None)
    else:
        told.set_exception(error)
