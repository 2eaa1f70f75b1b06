"""Frames a second to the checked header and to the typed message, beside the check alone; and damaged frames.

Owns the messages that are measured: what a shoe sends while it deals. `wire.measure` owns the loops. Seconds are
processor time: what else the computer does meanwhile changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from cardshoe.devices.shoe_wire import SHOE_CODEC, StackReady, StackTaken
from cardshoe.lab.bench.damage import KINDS, accepted_changed
from cardshoe.lab.bench.figures import Conditions, Figure, Measured, Skipped, Step, Target
from cardshoe.wire.measure import Speeds, measure

MESSAGES: Final = (StackReady(1, 1, 1, 1, 1, 2, 0), StackTaken(2, 1, 2, 1, 2))
RUNS: Final = 3

_FLOOR: Final = "CRC-32 alone"


def wire(conditions: Conditions, step: Step) -> Iterator[Figure | Skipped]:
    """Yield the speeds of the best of three runs, then the damaged frames of each kind that passed."""
    frames = conditions.times(200_000, 5_000)
    runs: list[Speeds] = []
    for number in range(RUNS):
        runs.append(measure(SHOE_CODEC, MESSAGES, clock=time.process_time, frames=frames))
        step(0.5 * (number + 1) / RUNS)
    check = max(run.check_per_s for run in runs)
    for name, reached, at_least in (
        ("wire.header", max(run.header_per_s for run in runs), 700_000),
        ("wire.typed", max(run.message_per_s for run in runs), 300_000),
    ):
        yield Figure(name, reached, "frames/s", _FLOOR, check, Target(Measured.VALUE, at_least, at_most=False))
    damaged = conditions.times(20_000, 500)
    for number, kind in enumerate(KINDS, start=1):
        passed = accepted_changed(kind, damaged)
        step(0.5 + 0.5 * number / len(KINDS))
        yield Figure(
            f"wire.accepted_changed.{kind}",
            passed,
            f"of {damaged:,} frames",
            target=Target(Measured.VALUE, 0, at_most=True),
        )
