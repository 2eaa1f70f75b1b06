"""Files that somebody hands in, read whole, but only up to a size that is said beforehand.

A leaf: it must not know what is in them. Who calls turns the `OSError` into an error of his own, as for any other file
that cannot be read.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def read_at_most(path: Path, most_bytes: int) -> bytes:
    """Return the content of `path`. Raises `OSError` where it cannot be read, or `EFBIG` where it is longer.

    A pipe is refused like a folder: whoever asks must not wait for somebody to write into it.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as file:
        kind = os.fstat(file.fileno()).st_mode
        if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
            raise OSError(errno.EINVAL, "It is no plain file", str(path))
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


def open_plain(path: Path) -> int:
    """Open the plain file `path` for reading and return its descriptor.

    Raises `OSError` for a link, a directory, a pipe or a device too, and waits for nothing: what is no file with an end
    must neither be read nor hold up who asks.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    kind = os.fstat(descriptor).st_mode
    if stat.S_ISREG(kind):
        return descriptor
    os.close(descriptor)
    number = errno.EISDIR if stat.S_ISDIR(kind) else errno.EINVAL
    raise OSError(number, os.strerror(number) if stat.S_ISDIR(kind) else "It is no plain file", str(path))
