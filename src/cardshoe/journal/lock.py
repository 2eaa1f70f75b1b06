"""One writer a journal, across processes.

Owns `<journal>.lock`: an advisory lock that the system gives back when its holder dies, however it dies; the text in
the file only tells people who holds it. A file of its own, because closing any descriptor of the database would drop
SQLite's own locks; for the same reason it knows which journals this process writes.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Final

from cardshoe.journal import trouble

_held: Final[set[Path]] = set()


def held_by_this_process(path: Path) -> bool:
    """Tell whether this process has the database of the journal at `path` open for writing."""
    return Path(os.path.realpath(path)) in _held


def is_being_written(path: Path) -> bool:
    """Tell whether some process writes the journal at the real path `path`. Raises OSError."""
    try:
        descriptor = os.open(path.with_name(path.name + ".lock"), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


class WriterLock:
    """The right to write the journal at the real path `path`, held until `release`."""

    def __init__(self, path: Path) -> None:
        """Take the lock. Raises JournalError `journal-in-use` naming the holder, or what the system reported."""
        self._path = path
        lock_path = path.with_name(path.name + ".lock")
        try:
            self._descriptor = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise trouble.from_system(error, path) from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._descriptor, 200, 0).decode(errors="replace").strip() or "an unnamed process"
            os.close(self._descriptor)
            if not isinstance(error, BlockingIOError):
                raise trouble.from_system(error, path) from error
            raise trouble.in_use(path, holder) from error
        # The text is for people only; a full or failing disk is reported by what needs it.
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"process {os.getpid()}\n".encode(), 0)

    def note_database_open(self) -> None:
        """From here on until `release` this process has SQLite's locks on the database."""
        _held.add(self._path)

    def release(self) -> None:
        """Give the lock back. The file stays: removing it would let two writers hold two locks of one name."""
        _held.discard(self._path)
        os.close(self._descriptor)
