"""Room in the write-ahead file before it is needed.

Owns the zeros behind the last frame of PATH-wal. A file that grows makes the system look for blocks, and write down
which, inside every commit; one that is large enough is overwritten in place, and syncs in about half the time. SQLite
reads a frame only if it carries the salt of the file's header, so that zeros are no frames. Must not know what is
recorded.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from cardshoe.journal import trouble
from cardshoe.journal.space import free_space

LOG_BYTES: Final = 2 * 1024 * 1024
"""About what `CHECKPOINT_COMMITS` commits write; a checkpoint lets the file be used from its beginning again."""
SPARE_BYTES: Final = 16 * LOG_BYTES
"""Where less is free than this, blocks are not taken in advance."""


def make_room(path: Path) -> None:
    """Fill the write-ahead file of the journal at `path` up to LOG_BYTES; its header must be written already.

    Only for the thread that commits, between two commits. Leaves the file as it is where the disk has no room. Raises
    JournalError for what else the disk reports.
    """
    try:
        descriptor = os.open(f"{path}-wal", os.O_WRONLY | os.O_CLOEXEC)
        try:
            size = os.fstat(descriptor).st_size
            if 0 < size < LOG_BYTES and free_space(path.parent).free_bytes >= SPARE_BYTES:
                _fill(descriptor, size)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise trouble.from_system(error, path) from error


def _fill(descriptor: int, size: int) -> None:
    try:
        os.pwrite(descriptor, bytes(LOG_BYTES - size), size)
        os.fdatasync(descriptor)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        os.ftruncate(descriptor, size)
