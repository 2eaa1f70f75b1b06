"""Is the file that is written still the journal that people will find?

Owns the comparison of the open database and its write-ahead file with what lies at their paths. A file that is deleted,
moved or replaced stays writable for the process that has it open, and what is written there is lost with the process:
such a record is not on disk (promise P2). Must not know what is written.

A directory in which nothing was made, moved or deleted holds the same files, so that after each commit it is asked
first. To ask the write-ahead file itself costs more than it seems: the system then notes the time of the next write,
and the disk has to write that down too.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

from cardshoe.journal import trouble

SETTLED_NS: Final = 20_000_000
"""A directory that changed later than this before it was asked may change again and carry the same time."""
SETTLED_COARSE_NS: Final = 3_000_000_000
"""The same where the file system keeps whole seconds only."""
_SECOND_NS: Final = 1_000_000_000
_SUFFIXES: Final = ("", "-wal")

_Identity = tuple[int, int]


class Presence:
    """The files of the journal at `path` as they are at the first `require`; the database is open then, in WAL mode."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._directory = str(path.parent)
        self._names = tuple(f"{path}{suffix}" for suffix in _SUFFIXES)
        self._known: tuple[_Identity, ...] | None = None
        self._settled: tuple[int, ...] | None = None

    def require(self) -> None:
        """Raise `JournalError` (`journal-moved`) when a file is gone or another one lies in its place."""
        directory = self._status(self._directory)
        asked = (directory.st_dev, directory.st_ino, directory.st_mtime_ns, directory.st_ctime_ns)
        if asked == self._settled:
            return
        found = tuple([self._identity(name) for name in self._names])
        if self._known is None:
            self._known = found
        elif found != self._known:
            name = next(name for name, now, then in zip(self._names, found, self._known, strict=True) if now != then)
            raise trouble.moved(self._path, f"another file lies at {name}")
        self._settled = asked if _at_rest(directory) else None

    def _identity(self, name: str) -> _Identity:
        status = self._status(name)
        return status.st_dev, status.st_ino

    def _status(self, name: str) -> os.stat_result:
        try:
            return os.stat(name)
        except FileNotFoundError as error:
            raise trouble.moved(self._path, f"there is no {name} any more") from error
        except OSError as error:
            raise trouble.from_system(error, self._path) from error


def _at_rest(directory: os.stat_result) -> bool:
    newest_ns = max(directory.st_mtime_ns, directory.st_ctime_ns)
    need_ns = SETTLED_NS if newest_ns % _SECOND_NS else SETTLED_COARSE_NS
    return time.time_ns() - newest_ns > need_ns
