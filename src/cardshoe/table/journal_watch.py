"""What the journal tells the table about itself: room that runs short, an older part that cannot be trusted.

Owns the alarms and their words. Both come between rounds or hold the open one; a round that is open is finished, for
which the journal keeps a reserve. Pure. Implements promises P5 and P6 and field report FR-45.
"""

from __future__ import annotations

from typing import Final

from cardshoe.journal import Verdict
from cardshoe.journal.space import Space
from cardshoe.table.desk import Desk

MIB: Final = 1024 * 1024
RESERVE_BYTES: Final = MIB


def room_looked_at(desk: Desk, space: Space) -> None:
    """Hold the table between rounds while less room is left than `table.min_free_mb`."""
    least = desk.config.table.min_free_mb
    if desk.open_round is None and space.free_bytes < least * MIB:
        desk.alarm(
            "disk-space",
            f"The disk of {space.directory} has {space.free_bytes // MIB} MiB free, a round needs {least}. No round"
            " begins. Make room there, or begin a shorter journal with `cardshoe journal archive`.",
        )


def past_checked(desk: Desk, verdict: Verdict) -> None:
    """Hold the table if the part of the journal that the opening left out cannot be trusted."""
    if not verdict.ok:
        where = "" if verdict.first_bad is None else f" from record {verdict.first_bad} on"
        desk.alarm(
            "journal-past-untrusted",
            f"The older part of the journal cannot be trusted{where}: {verdict.why} Deal nothing more. Keep the file"
            " with those beside it for the auditor.",
        )
