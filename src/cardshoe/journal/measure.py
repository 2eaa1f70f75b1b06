"""How fast the journal is here, beside the least that the disk can do.

Owns the measurement of the sync floor (append 303 bytes and fdatasync) and of commits, on the same disk in one run. It
judges nothing: a figure is worth little, its ratio to the floor of the same run is worth much.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardshoe.journal.anchor import AnchorFile
from cardshoe.journal.canonical import Entry, prepare
from cardshoe.journal.committer import Committer
from cardshoe.journal.keyfile import load_key, public_bytes
from cardshoe.journal.presence import SETTLED_NS
from cardshoe.journal.reader import anchor_path
from cardshoe.journal.store import Journal

EVENT_BYTES: Final = 303
_EVENT: Final = Entry("measured", {"note": "x" * 180}, 1)  # with its other fields 303 bytes
_WALL: Final = "2026-01-31T12:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Timing:
    """Durations of `count` operations of `events` events each, in microseconds, and events a second in all."""

    count: int
    events: int
    median_us: float
    p99_us: float
    events_per_s: float


def measure_sync_floor(directory: Path, *, count: int = 500, pause_s: float = 0.0) -> Timing:
    """Return the cost of appending 303 bytes and waiting for the disk, in `directory`. Raises OSError.

    With `pause_s` each waits that long before: a disk, and a processor, that rested are slower than busy ones.
    """
    with tempfile.TemporaryDirectory(dir=directory, prefix="sync-floor-") as work:
        descriptor = os.open(Path(work) / "floor", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:

            def append() -> None:
                os.write(descriptor, b"x" * EVENT_BYTES)
                os.fdatasync(descriptor)

            return _time(append, count=count, events=1, pause_s=pause_s)
        finally:
            os.close(descriptor)


def measure_commit(directory: Path, *, count: int = 500, events: int = 1) -> Timing:
    """Return the cost of a commit of `events` events of 303 bytes: prepare, link, insert, sync. Raises JournalError."""
    with tempfile.TemporaryDirectory(dir=directory, prefix="commit-") as work:
        path = Path(work) / "journal.db"
        Journal.open(path).close()
        key = load_key(Path(work) / "journal.db.key")
        committer = Committer(path, key, AnchorFile(anchor_path(path), public_bytes(key)))
        try:

            def commit() -> None:
                batch = [
                    prepare(_EVENT, boot=1, mono_us=time.monotonic_ns() // 1000, wall=_WALL) for _ in range(events)
                ]
                committer.commit(batch, sealed=False)
                committer.tidy()

            commit()
            time.sleep(2 * SETTLED_NS / 1e9)  # a journal at work lies in a directory in which nothing else happens
            return _time(commit, count=count, events=events)
        finally:
            committer.close()


def measure_append(directory: Path, *, count: int = 500) -> Timing:
    """Return the cost of `append_now` of one event, with the way to the writer thread and back. Raises JournalError."""
    with (
        tempfile.TemporaryDirectory(dir=directory, prefix="append-") as work,
        Journal.open(Path(work) / "journal.db") as journal,
    ):
        return _time(lambda: journal.append_now([_EVENT]), count=count, events=1)


def _time(operation: Callable[[], object], *, count: int, events: int, pause_s: float = 0.0) -> Timing:
    operation()  # the first one makes files and caches
    durations: list[float] = []
    began = time.perf_counter()
    for _ in range(count):
        if pause_s:
            time.sleep(pause_s)
        start = time.perf_counter()
        operation()
        durations.append((time.perf_counter() - start) * 1e6)
    whole = time.perf_counter() - began
    durations.sort()
    return Timing(
        count=count,
        events=events,
        median_us=round(statistics.median(durations), 1),
        p99_us=round(durations[min(count - 1, int(count * 0.99))], 1),
        events_per_s=round(count * events / whole, 1),
    )
