"""Who has a device node open: read from /proc, for texts and for the doctor.

Owns the reading of /proc/locks and /proc/PID/fd. Must not know what the node is for. Without /proc, or where other
people's processes cannot be looked into, it finds nobody and says so by an empty result: the texts allow for that.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that has the node open."""

    pid: int
    name: str

    def __str__(self) -> str:
        own = ", this process" if self.pid == os.getpid() else ""
        return f"{self.name} (process {self.pid}{own})"


def lock_holders(path: str) -> list[Holder]:
    """Find the processes that hold an flock on the node; the exact answer to "who has it in use?"."""
    try:
        node = os.stat(path)
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return []
    wanted = f"{os.major(node.st_dev):02x}:{os.minor(node.st_dev):02x}:{node.st_ino}"
    # `1: FLOCK  ADVISORY  WRITE 1234 00:1b:5 0 EOF`; a waiting lock has `->` after the number and holds nothing.
    rows = [line.split() for line in lines]
    pids = [int(row[4]) for row in rows if len(row) >= 6 and row[1] == "FLOCK" and row[5] == wanted]
    return [Holder(pid, _name(pid)) for pid in pids if pid > 0]


def openers(path: str) -> list[Holder]:
    """Find the processes, other than this one, that have the node open, locked or not."""
    try:
        wanted = _which(os.stat(path))
    except OSError:
        return []
    return [Holder(pid, _name(pid)) for pid in _pids() if pid != os.getpid() and _has_open(pid, wanted)]


def _pids() -> Iterator[int]:
    try:
        names = os.listdir("/proc")
    except OSError:
        return
    yield from sorted(int(name) for name in names if name.isdecimal())


def _which(status: os.stat_result) -> tuple[int, ...]:
    """Return what makes a node itself: its number where it is a device, under whatever name; else the file."""
    if stat.S_ISCHR(status.st_mode):
        return (status.st_rdev,)
    return (status.st_dev, status.st_ino)


def _has_open(pid: int, wanted: tuple[int, ...]) -> bool:
    try:
        descriptors = os.listdir(f"/proc/{pid}/fd")
    except OSError:  # gone meanwhile, or not ours to look into
        return False
    for descriptor in descriptors:
        try:
            if _which(os.stat(f"/proc/{pid}/fd/{descriptor}")) == wanted:
                return True
        except OSError:
            continue
    return False


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8", errors="replace").strip() or "unknown program"
    except OSError:
        return "unknown program"
