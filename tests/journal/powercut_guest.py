"""Process 1 of a user-mode Linux: the journal's workload on a real ext4 whose every write is logged.

Run by `power_cut_bench.record_log` only. The journal lies on a dm-log-writes device; each acknowledgement puts a mark
into the log, at the moment when the caller is told. Needs no kmod: modules go in by the system call.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import traceback
from pathlib import Path

from cardshoe.errors import CardshoeError
from cardshoe.journal import Entry, Journal
from cardshoe.journal.committer import Committer

LIBC = ctypes.CDLL(None, use_errno=True)
FINIT_MODULE, MS_NODEV = 313, 4
POWER_OFF = 0x4321FEDC


def _mount(kind: str, target: str, source: str = "none") -> None:
    if LIBC.mount(source.encode(), target.encode(), kind.encode(), 0, None):
        raise OSError(ctypes.get_errno(), f"mount {kind} on {target}")


def _load(module: Path) -> None:
    with module.open("rb") as file:
        if LIBC.syscall(FINIT_MODULE, file.fileno(), b"", 0):
            raise OSError(ctypes.get_errno(), f"load {module}")


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _mark(text: str) -> None:
    _run("dmsetup", "message", "lw", "0", "mark", text)


def _workload(path: Path, *, synced: bool, appends: int) -> None:
    if not synced:  # a wrong writer on purpose
        settle = Committer._settle

        def settle_less(self: Committer) -> None:
            settle(self)
            self._connection.execute("PRAGMA synchronous = NORMAL")

        Committer._settle = settle_less  # type: ignore[method-assign]
    with Journal.open(path, min_free_bytes=0) as journal:
        _mark(f"ack-{journal.head.seq}")
        for number in range(1, appends + 1):
            entries = [Entry("wager_placed", {"note": "x" * 300}, number)] * (1 + number % 2)
            _mark(f"ack-{journal.append_now(entries).last_seq}")
            if number % 6 == 0:
                _mark(f"ack-{journal.sign_head('round ended', round_number=number).result().last_seq}")


def set_up(work: Path, md: Path) -> Path:
    """Make the logged disk, mount it, and return where."""
    _mount("proc", "/proc")
    _mount("sysfs", "/sys")
    for module in ("dm-mod.ko", "dm-log-writes.ko"):
        _load(md / module)
    sectors = Path("/sys/block/ubda/size").read_text().strip()
    table = f"0 {sectors} log-writes /dev/ubda /dev/ubdb"
    _run("dmsetup", "create", "lw", "--noudevsync", "--table", table)
    _run("mkfs.ext4", "-q", "-F", "/dev/dm-0")
    _mount("ext4", str(work / "mnt"), "/dev/dm-0")
    return work / "mnt"


def tear_down(mnt: Path) -> None:
    """Leave a clean log."""
    if LIBC.umount(str(mnt).encode()):
        raise OSError(ctypes.get_errno(), "umount")
    _run("dmsetup", "remove", "lw", "--noudevsync")


def main() -> None:
    """Set the machine up, work, and leave a clean log."""
    mnt = set_up(Path(os.environ["WORK"]), Path(os.environ["MODULES"]))
    _mark("start")
    _workload(mnt / "table.db", synced=os.environ["SYNCED"] == "yes", appends=int(os.environ["APPENDS"]))
    tear_down(mnt)


if __name__ == "__main__":
    try:
        main()
        print("guest: done", flush=True)
    except (OSError, subprocess.SubprocessError, CardshoeError):
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
    finally:  # process 1 must not end by itself: the kernel would panic
        LIBC.sync()
        LIBC.reboot(POWER_OFF)
