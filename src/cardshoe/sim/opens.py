"""Noticing that someone opens or closes the far end of a pty, which the near end cannot see.

Owns one inotify descriptor (Linux). Where there is none, nothing is noticed and openings are not counted.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

_IN_CLOSE_WRITE: Final = 0x08
_IN_CLOSE_NOWRITE: Final = 0x10
_IN_OPEN: Final = 0x20
_IN_IGNORED: Final = 0x8000
_HEAD: Final = struct.Struct("iIII")
_BUFFER: Final = 4096

Heard = Callable[[bool], None]


class OpenWatch:
    """Tells, for each watched path, every opening (True) and closing (False) by anyone after `watch`."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        start = getattr(self._libc, "inotify_init1", None)
        self.descriptor: int | None = None if start is None else _checked(start(os.O_NONBLOCK | os.O_CLOEXEC))
        self._heard: dict[int, Heard] = {}

    def watch(self, path: Path, heard: Heard) -> int | None:
        """Begin to watch; returns what `unwatch` takes, None where nothing can be noticed."""
        if self.descriptor is None:
            return None
        mask = _IN_OPEN | _IN_CLOSE_WRITE | _IN_CLOSE_NOWRITE
        number = _checked(self._libc.inotify_add_watch(self.descriptor, os.fsencode(path), mask))
        self._heard[number] = heard
        return number

    def unwatch(self, number: int | None) -> None:
        """Watch no longer."""
        if number is not None and self.descriptor is not None and self._heard.pop(number, None) is not None:
            self._libc.inotify_rm_watch(self.descriptor, number)

    def drain(self) -> None:
        """Tell what has happened since the last time."""
        for number, mask in self._events():
            heard = self._heard.get(number)
            if heard is not None and not mask & _IN_IGNORED:
                heard(bool(mask & _IN_OPEN))

    def _events(self) -> Iterator[tuple[int, int]]:
        while self.descriptor is not None:
            try:
                data = os.read(self.descriptor, _BUFFER)
            except BlockingIOError:
                return
            place = 0
            while place < len(data):
                number, mask, _, length = _HEAD.unpack_from(data, place)
                place += _HEAD.size + length
                yield number, mask

    def close(self) -> None:
        """Give the descriptor back."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
