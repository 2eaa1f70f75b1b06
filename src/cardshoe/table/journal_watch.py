"""What the journal tells the table about itself: room that runs short, an older part that cannot be trusted.

Owns the alarms and their words. Both come between rounds or hold the open one; a round that is open is finished, for
which the journal keeps a reserve. Pure. Implements promises P5 and P6 and field report FR-45.
"""

from __future__ import annotations

from typing import Final

from cardshoe.errors import Refused
from cardshoe.journal import Verdict
from cardshoe.journal.space import Space
from cardshoe.table.config import TableConfig
from cardshoe.table.desk import Desk

MIB: Final = 1024 * 1024
RESERVE_BYTES: Final = MIB
DISK_SPACE: Final = "disk-space"


def room_looked_at(desk: Desk, space: Space) -> None:
    """Hold the table between rounds while less room is left than `table.min_free_mb`."""
    if desk.open_round is None and _is_short(desk.config, space):
        desk.alarm(
            "disk-space",
            f"{_left(desk.config, space)}. No round begins. Make room there, or begin a shorter journal elsewhere with"
            " `cardshoe journal archive`.",
        )


def require_room(config: TableConfig, space: Space) -> None:
    """Raise `Refused` (`disk-space`) while room is short: an alarm cleared without cause would come again at once."""
    if _is_short(config, space):
        raise Refused("disk-space", f"{_left(config, space)}; first make room there")


def _is_short(config: TableConfig, space: Space) -> bool:
    return space.free_bytes < config.table.min_free_mb * MIB


def _left(config: TableConfig, space: Space) -> str:
    free = space.free_bytes // MIB
    return f"The disk of {space.directory} has {free} MiB free, a round needs {config.table.min_free_mb}"


def past_checked(desk: Desk, verdict: Verdict) -> None:
    """Hold the table if the part of the journal that the opening left out cannot be trusted."""
    if not verdict.ok:
        where = "" if verdict.first_bad is None else f" from record {verdict.first_bad} on"
        desk.alarm(
            "journal-past-untrusted",
            f"The older part of the journal cannot be trusted{where}: {verdict.why} Deal nothing more. Keep the file"
            " with those beside it for the auditor.",
        )
