"""Cut the power at every point of a block device's log, and judge the journal on what the disk then holds.

Owns the log of dm-log-writes (writes in the order in which they became durable, marks for what had been acknowledged),
the disks rebuilt from it, and the count of what was lost. A kill keeps the page cache; only this shows what a flush is
for.
"""

from __future__ import annotations

import os
import random
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import independent_verifier

from cardshoe.journal import verify

MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8
DISK_BYTES, LOG_BYTES = 64 << 20, 512 << 20


@dataclass(frozen=True)
class LoggedWrite:
    """One entry of the log: where, how long, how durable, with which bytes; or a mark."""

    at: int
    length: int
    flags: int
    mark: str = ""
    data: bytes = b""

    @property
    def changes_disk(self) -> bool:
        return bool(self.length and not self.flags & MARK)


GUEST = Path(__file__).with_name("powercut_guest.py")


def record_log(uml: Path, work: Path, *, synced: bool, appends: int, guest: Path = GUEST) -> tuple[Path, Path]:
    """Run the workload of `guest` in a user-mode Linux; return its log and its disk's size as a file."""
    (work / "mnt").mkdir()
    disk, log = work / "disk", work / "log"
    for path, size in ((disk, DISK_BYTES), (log, LOG_BYTES)):
        path.touch()
        os.truncate(path, size)
    init = work / "init"
    way = f"PATH=/usr/sbin:/usr/bin:/sbin:/bin PYTHONPATH={GUEST.parent}"
    init.write_text(f"#!/bin/sh\nexport {way}\nexec {sys.executable} -B {guest}\n")
    init.chmod(0o755)
    modules = next((uml / "usr/lib/uml/modules").glob("*/kernel/drivers/md"))
    kernel = [str(uml / "usr/bin/linux.uml"), "mem=256M", "rootfstype=hostfs", "rootflags=/", f"init={init}"]
    kernel += [f"ubd0={disk}", f"ubd1={log}", "con=null", "con0=fd:0,fd:1", "quiet"]
    kernel += [f"WORK={work}", f"MODULES={modules}", f"SYNCED={'yes' if synced else 'no'}", f"APPENDS={appends}"]
    done = subprocess.run(kernel, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240, check=False)
    assert "guest: done" in done.stdout, done.stdout[-3000:]
    return log, disk


def read_log(file: BinaryIO) -> Iterator[LoggedWrite]:
    """Yield the entries in order."""
    magic, _version, count, unit = struct.unpack("<QQQI", file.read(28))
    assert magic == MAGIC
    file.seek(unit)
    for _ in range(count):
        head = file.read(unit)
        sector, sectors, flags, extra = struct.unpack_from("<4Q", head)
        at, length = sector * unit, sectors * unit
        if flags & MARK:
            yield LoggedWrite(at, length, flags, mark=head[32 : 32 + extra].rstrip(b"\0").decode())
        else:
            data = file.read(length) if sectors and not flags & DISCARD else b""
            yield LoggedWrite(at, length, flags, data=data)


def _apply(disk: Path, writes: list[LoggedWrite]) -> None:
    with disk.open("r+b") as file:
        for write in writes:
            file.seek(write.at)
            file.write(write.data or bytes(min(write.length, 1 << 20)))


@dataclass
class PowerCuts:
    """`whole` holds every write up to here, `flushed` only what a flush has confirmed."""

    work: Path
    judge: Callable[[Path, int], str | None] | None = None
    every: int = 1
    asked: int = 0
    tried: int = 0
    bad: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._whole, self._flushed = self.work / "whole.img", self.work / "flushed.img"
        self._mountpoint = self.work / "cut"
        self._mountpoint.mkdir()
        for disk in (self._whole, self._flushed):
            disk.touch()
            os.truncate(disk, DISK_BYTES)

    def cut(self, disk: Path, extra: list[LoggedWrite], acknowledged: int, where: str) -> None:
        """Judge the disk as a machine would find it after the cut; of `every` so many one is tried."""
        self.asked += 1
        if self.asked % self.every:
            return
        self.tried += 1
        cut = self.work / f"cut-{self.asked}.img"  # a busy machine may still show the last content of the same name
        subprocess.run(["cp", "--sparse=always", disk, cut], check=True)
        _apply(cut, extra)
        subprocess.run(["mount", "-o", "loop", cut, self._mountpoint], check=True)
        try:
            wrong = (self.judge or judge_cut)(self._mountpoint / "table.db", acknowledged)
        finally:
            subprocess.run(["umount", self._mountpoint], check=True)
            cut.unlink()
        if wrong is not None:
            self.bad.append(f"{where}: {wrong}")

    def replay(self, log: Iterator[LoggedWrite], *, inside_flushes: int, chance: random.Random) -> None:
        """Cut after every entry, and `inside_flushes` times in each flush with a random part of what it confirms."""
        acknowledged, started = 0, False
        unflushed: list[LoggedWrite] = []
        for number, entry in enumerate(log):
            started = started or entry.mark == "start"
            if entry.mark.startswith("ack-"):
                acknowledged = int(entry.mark[4:])
            if entry.flags & FLUSH:
                for _ in range(inside_flushes if started and unflushed else 0):
                    part = [write for write in unflushed if write.flags & FUA or chance.random() < 0.5]
                    self.cut(self._flushed, part, acknowledged, f"in the flush of entry {number}")
                _apply(self._flushed, unflushed)
                unflushed = []
            if entry.changes_disk:
                _apply(self._whole, [entry])
                unflushed.append(entry)
            if started and (entry.changes_disk or entry.mark):
                self.cut(self._whole, [], acknowledged, f"after entry {number}")


def judge_cut(path: Path, acknowledged: int) -> str | None:
    """Nothing, or what is wrong: the second verifier for what was acknowledged, our own for a false alarm."""
    if not path.exists():
        return f"{acknowledged} records acknowledged, no journal there" if acknowledged else None
    rows = independent_verifier.read_rows(path)
    wrong = independent_verifier.what_is_wrong(rows)
    if wrong is not None:
        return wrong
    if len(rows) < acknowledged:
        return f"{acknowledged} records acknowledged, {len(rows)} there"
    verdict = verify(path)
    return None if verdict.ok else f"not trusted: {verdict.why}"
