"""Files that are there whole or not at all, whatever is cut off in between.

A leaf: it must not know what is in them. Who calls turns the `OSError` into an error of his own. Implements promise P2
for what lies beside the journal: keys, lists, anchors.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path


def write_new(path: Path, content: bytes, *, mode: int) -> None:
    """Write `content` durably to `path`, where nothing may be. Raises `OSError`."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_whole(path: Path, content: bytes, *, mode: int) -> None:
    """Write `content` to `path` so that after any cut the old or the new is there, whole. Raises `OSError`."""
    if not path.name:  # `.` or `/`
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    fresh = path.with_name(path.name + ".new")
    fresh.unlink(missing_ok=True)
    try:
        write_new(fresh, content, mode=mode)
        os.rename(fresh, path)
    except OSError:
        with suppress(OSError):  # what it was is told; half a file is not left for it
            fresh.unlink()
        raise
    sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Make the names in `directory` durable. Raises `OSError`."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
