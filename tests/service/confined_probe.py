"""Runs in the guest under every line of the table's own unit: what works there, and what the kernel refuses.

Standard library only. Writes one JSON object, an attempt a key: "done", or the name of the error. Started by
`systemd_guest` only, as a unit that differs from the table's in what it starts.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import resource
import socket
from collections.abc import Callable
from pathlib import Path

STATE = Path("/var/lib/cardshoe")
LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER, PR_SET_DUMPABLE = 0x10000000, 4


def _opened(path: str, flags: int) -> None:
    os.close(os.open(path, flags | os.O_NOCTTY | os.O_NONBLOCK))


def _reached_driver(path: str) -> None:
    """Open a serial port that may have nothing behind it: what the driver says is not what the device list says."""
    try:
        _opened(path, os.O_RDWR)
    except OSError as error:
        if error.errno not in (errno.ENODEV, errno.ENXIO, errno.EIO):
            raise


def _socket(family: int, kind: int) -> None:
    socket.socket(family, kind).close()


def _library(result: int) -> None:
    if result:
        raise OSError(ctypes.get_errno(), "refused")


def _set_user_id() -> None:
    path = STATE / "probe"
    path.write_bytes(b"")
    path.chmod(0o4700)


ATTEMPTS: dict[str, Callable[[], object]] = {
    # what a table does
    "serial port": lambda: _reached_driver("/dev/ttyS0"),
    "state": lambda: (STATE / "probe").write_bytes(b"x"),
    "network": lambda: _socket(socket.AF_INET, socket.SOCK_STREAM),
    "netlink": lambda: _socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "no core dump": lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    "closed to debuggers": lambda: _library(LIBC.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)),
    # what nobody does there
    "disk": lambda: _opened("/dev/ubda", os.O_RDONLY),
    "system": lambda: Path("/etc/cardshoe/x").write_bytes(b"x"),
    "packets": lambda: _socket(socket.AF_PACKET, socket.SOCK_RAW),
    "code made in memory": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC),
    "namespace": lambda: _library(LIBC.unshare(CLONE_NEWUSER)),
    "set-user-id": _set_user_id,
    "priority": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "home": lambda: os.listdir("/root"),
}


def _tried(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "done"


if __name__ == "__main__":
    outcome = {name: _tried(attempt) for name, attempt in ATTEMPTS.items()}
    (STATE / "probe.json").write_text(json.dumps(outcome))
