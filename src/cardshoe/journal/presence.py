"""Is the file that is written still the journal that people will find?

Owns the comparison of the open database and its write-ahead file with what lies at their paths. A file that is deleted,
moved or replaced stays writable for the process that has it open, and what is written there is lost with the process:
such a record is not on disk (promise P2). Must not know what is written.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from cardshoe.journal import trouble

_SUFFIXES: Final = ("", "-wal")

_Identity = tuple[int, int]


class Presence:
    """The files of the journal at `path` as they are at the first `require`; the database is open then, in WAL mode."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._names = tuple(f"{path}{suffix}" for suffix in _SUFFIXES)
        self._known: tuple[_Identity, ...] | None = None

    def require(self) -> None:
        """Raise `JournalError` (`journal-moved`) when a file is gone or another one lies in its place."""
        found = tuple(self._identity(name) for name in self._names)
        if self._known is None:
            self._known = found
        elif found != self._known:
            name = next(name for name, now, then in zip(self._names, found, self._known, strict=True) if now != then)
            raise trouble.moved(self._path, f"another file lies at {name}")

    def _identity(self, name: str) -> _Identity:
        try:
            status = os.stat(name)
        except FileNotFoundError as error:
            raise trouble.moved(self._path, f"there is no {name} any more") from error
        except OSError as error:
            raise trouble.from_system(error, self._path) from error
        return status.st_dev, status.st_ino
