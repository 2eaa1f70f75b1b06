"""A file or directory that one process at a time may change, locked so that the lock ends with its holder.

A leaf: it must not know what is locked, nor why. Who calls turns the errors into errors of his own.
"""

from __future__ import annotations

import fcntl
import time
from typing import Final

_LOOK_S: Final = 0.01


def take_lock(descriptor: int, *, shared: bool = False, wait_s: float = 0.0) -> None:
    """Lock what `descriptor` has open, alone or with others who share it.

    Raises `BlockingIOError` when another holds it for longer than `wait_s`, `OSError` where it cannot be locked.
    """
    wanted = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    end = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(descriptor, wanted)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise
            time.sleep(_LOOK_S)
        else:
            return
