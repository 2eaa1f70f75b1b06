"""What it costs that everything is on disk before it counts: commits, and the way from a report to the next command.

Owns the figures of G5 and G6, beside the least that the same disk can do: append 303 bytes and wait for the disk.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cardshoe.journal.measure import Timing, measure_commit, measure_sync_floor
from cardshoe.lab.bench.figures import Conditions, Figure, Measured, Skipped, Step, Target, median, percentile
from cardshoe.lab.bench.table_line import Dealer, Stamps, watched_table

FLOOR: Final = "append 303 bytes, fdatasync"
WRITES_A_STACK: Final = 4
"""About so many commits a stack costs: its report, its delivery with the next request, and a share of the round's."""
RUNS: Final = 3
NO_DISK_US: Final = 15.0
"""Below this nothing was waited for: the folder is in memory, and a ratio to it says nothing."""

_NAMES: Final = (
    "journal.commit.median",
    "journal.commit.rate",
    "journal.commit_100.rate",
    "journal.report_to_acknowledged.median",
    "journal.report_to_acknowledged.p99",
    "journal.report_to_command.median",
)


def journal(conditions: Conditions, step: Step) -> Iterator[Figure | Skipped]:
    """Yield the figures of commits, then of the whole way through a table; or why none can be had here."""
    folder, count = conditions.directory, conditions.times(200, 10)
    floors, ones, hundreds = [], [], []
    for number in range(RUNS):  # in turns: a disk has its moods
        floors.append(measure_sync_floor(folder, count=count))
        ones.append(measure_commit(folder, count=count))
        hundreds.append(measure_commit(folder, count=max(3, count // 10), events=100))
        step(0.5 * (number + 1) / RUNS)
    floor = _middle(floors)
    if floor.median_us < NO_DISK_US:
        why = f"{folder} does not wait for a disk ({floor.median_us} µs); give --directory one that does"
        yield from (Skipped(name, why) for name in _NAMES)
        return
    yield from _commits(floor, _middle(ones), _middle(hundreds))
    with tempfile.TemporaryDirectory(dir=folder, prefix="cardshoe-bench-") as work:
        began = time.monotonic()
        stamps = asyncio.run(_deal(Path(work), conditions.times(150, 6)))
        # A table writes now and then, not back to back: its floor is a disk that rests as long between two writes.
        pause_s = (time.monotonic() - began) / WRITES_A_STACK / len(stamps.to_acknowledged)
    yield from _ways(measure_sync_floor(folder, count=conditions.times(200, 10), pause_s=pause_s), stamps)
    step(1.0)


def _commits(floor: Timing, one: Timing, hundred: Timing) -> Iterator[Figure]:
    target = Target(Measured.RATIO, 1.5, at_most=True)
    yield Figure("journal.commit.median", one.median_us, "µs", FLOOR, floor.median_us, target)
    for name, timing, least in (("journal.commit.rate", one, 0.65), ("journal.commit_100.rate", hundred, 10)):
        target = Target(Measured.RATIO, least, at_most=False)
        yield Figure(name, timing.events_per_s, "events/s", FLOOR, floor.events_per_s, target)


def _ways(floor: Timing, stamps: Stamps) -> Iterator[Figure]:
    acknowledged, commanded = stamps
    for name, value_s, floor_us, most in (
        ("journal.report_to_acknowledged.median", median(acknowledged), floor.median_us, 2.5),
        ("journal.report_to_acknowledged.p99", percentile(acknowledged, 99), floor.p99_us, 3.0),
        ("journal.report_to_command.median", median(commanded), floor.median_us, 2.5),
    ):
        yield Figure(name, value_s * 1e6, "µs", FLOOR, floor_us, Target(Measured.RATIO, most, at_most=True))


def _middle(timings: list[Timing]) -> Timing:
    """Return the run whose median is the middle one."""
    return sorted(timings, key=lambda timing: timing.median_us)[len(timings) // 2]


async def _deal(folder: Path, stacks: int) -> Stamps:
    async with watched_table(folder) as (table, line):
        await Dealer(table, line).stacks(stacks)
        return line.stamps
