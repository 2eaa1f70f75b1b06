"""Lines that come in while a loop runs.

Owns a thread that reads a descriptor and hands whole lines over: a file, a pipe and a terminal have no other way in
common. The thread holds no lock and no object of the interpreter's own streams, so that a command that ends need not
wait for input that never comes. It is never more than a few lines ahead of who takes them, and each line taken lets the
loop do what else is due, so that a flood of lines fills no memory and stops no heartbeat (P9). Must not know what a
line means.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from typing import Final

from cardshoe.cli.json_lines import LONGEST_LINE

Line = tuple[int, bytes | None]
"""Number from 1, and the bytes; None for a line that is too long."""

_READ_BYTES: Final = 65536
AHEAD: Final = 8
"""So many lines are kept for who takes them; the rest waits where it comes from."""


class Lines:
    """The lines of `descriptor` that are not blank, from now on. Made and used on one running loop."""

    def __init__(self, descriptor: int) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Line | None] = asyncio.Queue()
        self._room = threading.Semaphore(AHEAD)
        threading.Thread(target=_read, args=(descriptor, self._put), name="standard input", daemon=True).start()

    async def get(self) -> Line | None:
        """Return the next line, None at the end of input."""
        await asyncio.sleep(0)  # a queue that is never empty would not let anything else run
        line = await self._queue.get()
        self._room.release()
        return line

    def _put(self, line: Line | None) -> None:
        self._room.acquire()
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
        except RuntimeError:  # the loop is closed: nobody waits for lines any more
            return


def _read(descriptor: int, put: Callable[[Line | None], None]) -> None:
    assembler = Assembler()
    while True:
        try:
            data = os.read(descriptor, _READ_BYTES)
        except OSError:  # a terminal that went away is an input that has ended
            data = b""
        for line in assembler.take(data):
            put(line)
        if not data:
            put(None)
            return


class Assembler:
    """Cuts bytes into lines; of a line that is too long nothing is kept but its number."""

    def __init__(self) -> None:
        self._number = 0
        self._half = b""
        self._too_long = False

    def take(self, data: bytes) -> list[Line]:
        """Return the lines that `data` ends; without data the last one, which has no end of its own."""
        pieces = (self._half + data).split(b"\n")
        self._half = pieces.pop()
        lines = [line for piece in pieces if (line := self._whole(piece)) is not None]
        if not data and self._half:
            last, self._half = self._half, b""
            lines += [line for line in (self._whole(last),) if line is not None]
        elif len(self._half) > LONGEST_LINE + 1:
            self._half, self._too_long = b"", True
        return lines

    def _whole(self, piece: bytes) -> Line | None:
        self._number += 1
        piece = piece.rstrip(b"\r")
        too_long, self._too_long = self._too_long or len(piece) > LONGEST_LINE, False
        if too_long:
            return self._number, None
        return (self._number, piece) if piece.strip() else None
