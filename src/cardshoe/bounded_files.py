"""Files that somebody hands in, read whole, but only up to a size that is said beforehand.

A leaf: it must not know what is in them. Who calls turns the `OSError` into an error of his own, as for any other file
that cannot be read.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path


def read_at_most(path: Path, most_bytes: int) -> bytes:
    """Return the content of `path`. Raises `OSError` where it cannot be read, or `EFBIG` where it is longer."""
    with path.open("rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content
