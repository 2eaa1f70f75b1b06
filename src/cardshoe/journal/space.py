"""Room on the file systems that the product needs.

Owns the one question "how many bytes may still be written there". The journal keeps SQLite's temporary data in memory,
so that only the journal's own directory counts for it (FR-45).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from cardshoe.errors import JournalError
from cardshoe.journal import trouble


@dataclass(frozen=True, slots=True)
class Space:
    """Room in `directory`: bytes that a user without privilege may still write, of `total_bytes`."""

    directory: str
    free_bytes: int
    total_bytes: int


def free_space(directory: Path) -> Space:
    """Return the room in `directory`. Raises JournalError if it cannot be asked."""
    try:
        status = os.statvfs(directory)
    except OSError as error:
        raise trouble.from_system(error, directory / ".") from error
    return Space(str(directory), status.f_bavail * status.f_frsize, status.f_blocks * status.f_frsize)


def require_space(directory: Path, need_bytes: int) -> Space:
    """Return the room in `directory`. Raises JournalError `journal-space` if it is less than `need_bytes`."""
    space = free_space(directory)
    if space.free_bytes < need_bytes:
        raise JournalError(
            "journal-space",
            f"The directory {directory} has {space.free_bytes} bytes free of {space.total_bytes}; a table needs at "
            f"least {need_bytes}. Make room there and start again.",
        )
    return space
