"""Process 1 of a user-mode Linux: a whole table, its journal on a real ext4 whose every write is logged.

Run by `test_crash_power_cut` only. Controller, drivers, devices and people are the product's own, under its virtual
clock, because this machine is too slow for a real line; the journal is the real one. Each acknowledgement puts a mark
into the log before the table acts on it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import powercut_guest as guest

from cardshoe.errors import CardshoeError
from cardshoe.journal import Committed, Entry, Journal
from cardshoe.journal.committer import Committer
from cardshoe.lab.virtual import VirtualTable
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.sim.world import World
from cardshoe.table import orders
from cardshoe.table.config import parse_config

SPEED = 50.0
CONFIG = """
[table]
name = "T1"
mode = "bench"
game = "ultimate-texas-holdem"
journal = "unused"
[devices.shoe]
url = "sim://shoe"
[devices.reader]
url = "sim://reader"
"""


class DurableTable(VirtualTable):
    """A virtual table whose disk is a real one."""

    journal: Journal

    def _keep(self, entries: Sequence[Entry]) -> None:
        super()._keep(entries)
        if entries:
            _acknowledged(self.journal.append_now(entries))

    def _perform(self, order: orders.Order) -> None:
        if isinstance(order, orders.SignHead):
            _acknowledged(self.journal.sign_head("round-completed", round_number=order.round_id).result())
        super()._perform(order)


def _acknowledged(committed: Committed) -> None:
    guest._mark(f"ack-{committed.last_seq}")


def _sync_less() -> None:
    settle = Committer._settle

    def settle_less(self: Committer) -> None:
        settle(self)
        self._connection.execute("PRAGMA synchronous = NORMAL")

    Committer._settle = settle_less  # type: ignore[method-assign]


def _play(path: Path, rounds: int) -> None:
    with Journal.open(path, reserve_bytes=1024 * 1024) as journal:
        table = DurableTable(parse_config(CONFIG, "guest.toml"), World(seed=1, speed=SPEED), seed=1)
        table.journal = journal
        VirtualPlay(table, seed=1, speed=SPEED).rounds(rounds)


def main() -> None:
    """Set the machine up, play, and leave a clean log."""
    mnt = guest.set_up(Path(os.environ["WORK"]), Path(os.environ["MODULES"]))
    if os.environ["SYNCED"] != "yes":  # a wrong writer on purpose
        _sync_less()
    guest._mark("start")
    _play(mnt / "table.db", int(os.environ["APPENDS"]))
    guest.tear_down(mnt)


if __name__ == "__main__":
    try:
        main()
        print("guest: done", flush=True)
    except (OSError, subprocess.SubprocessError, CardshoeError):
        traceback.print_exc(file=sys.stdout)
        sys.stdout.flush()
    finally:  # process 1 must not end by itself: the kernel would panic
        guest.LIBC.sync()
        guest.LIBC.reboot(guest.POWER_OFF)
