"""Room kept back for the journal, so that an open round can be finished on a file system that has become full.

Owns PATH.reserve: real blocks, given up once, at the first commit that finds no room. Whether a next round may begin
is the table's question to `space`. Must not know what is recorded.
"""

from __future__ import annotations

import os
from pathlib import Path

from cardshoe.errors import JournalError
from cardshoe.journal import trouble
from cardshoe.journal.space import free_space


class Reserve:
    """The reserve of the journal at `path`; of no bytes there is none, and none is made where room is short already.

    `spare_bytes` must be free beyond it.
    """

    def __init__(self, path: Path, size_bytes: int, *, spare_bytes: int = 0) -> None:
        """Make the reserve, or find it. Raises JournalError for a disk that reports anything else than no room."""
        self.path = path.with_name(path.name + ".reserve")
        if not size_bytes or self._lies_there(size_bytes):
            return
        if free_space(path.parent).free_bytes < size_bytes + spare_bytes:
            return
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.posix_fallocate(descriptor, 0, size_bytes)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            failed = trouble.from_system(error, path)
            self.path.unlink(missing_ok=True)
            if failed.code != "journal-full":
                raise failed from error

    def give_up(self) -> bool:
        """Free the reserve; False if there was none. Raises JournalError where the file cannot be removed."""
        try:
            self.path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise trouble.from_system(error, self.path) from error
        return True

    def _lies_there(self, size_bytes: int) -> bool:
        try:
            return self.path.stat().st_size >= size_bytes
        except FileNotFoundError:
            return False
        except OSError as error:
            raise trouble.from_system(error, self.path) from error


def is_full(error: JournalError) -> bool:
    """Tell whether `error` is a file system without room."""
    return error.code == "journal-full"
