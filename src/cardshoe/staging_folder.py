"""A folder in which something is put together before it takes its place at once.

A leaf: it must not know what is put together. Whatever cuts the work off, the place has the whole or nothing; what a
cut left in the folder is taken away by the next who works there. One at a time does.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cardshoe.locked_files import take_lock


@contextmanager
def staging_folder(path: Path) -> Iterator[Path]:
    """Give the empty private folder `path`; at the end it is gone, unless it was moved to its place.

    Raises `BlockingIOError` while another works there, `OSError` where there can be none.
    """
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        _require_own(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        take_lock(descriptor)
        if not _is(path, descriptor):
            raise BlockingIOError(0, "it was moved to its place just now", str(path))
        for leftover in path.iterdir():
            _remove(leftover)
        os.fchmod(descriptor, 0o700)
        try:
            yield path
        finally:
            if _is(path, descriptor):
                shutil.rmtree(path)
    finally:
        os.close(descriptor)


def _require_own(path: Path) -> None:
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise FileExistsError(17, "something else lies in the way", str(path))


def _is(path: Path, descriptor: int) -> bool:
    try:
        here = path.lstat()
    except FileNotFoundError:
        return False
    opened = os.fstat(descriptor)
    return (here.st_dev, here.st_ino) == (opened.st_dev, opened.st_ino)


def _remove(leftover: Path) -> None:
    if leftover.is_dir() and not leftover.is_symlink():
        shutil.rmtree(leftover)
    else:
        leftover.unlink()
