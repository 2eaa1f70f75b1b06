"""The technician's self-test: what can be told without moving a card.

Owns the list of checks. It changes nothing and asks no device to do anything: the heartbeat has asked already.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from cardshoe.console.ports import TablePort
from cardshoe.errors import CardshoeError
from cardshoe.journal.reader import JournalReader
from cardshoe.journal.space import free_space

_MB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    ok: bool
    text: str


def self_test(table: TablePort) -> list[Check]:
    """Return what was found at `table`."""
    return list(_checks(table))


def _checks(table: TablePort) -> Iterator[Check]:
    failure = table.failure
    yield Check("table", failure is None, "runs" if failure is None else failure.text)
    for device in table.devices():
        up = device.health == "up"
        yield Check(
            device.name, up, f"{device.model} {device.serial}, firmware {device.firmware}" if up else device.trouble
        )
    yield _journal(table)
    least, free = table.config.table.min_free_mb, free_space(table.journal_path.parent).free_bytes // _MB
    yield Check("disk", free >= least, f"{free} MiB free, {least} needed for a round")
    for notice in table.shown.notices:
        yield Check("service", False, notice)


def _journal(table: TablePort) -> Check:
    try:
        with JournalReader(table.journal_path) as reader:
            newest = next(reader.rows(newest_first=True), None)
    except CardshoeError as error:
        return Check("journal", False, error.text)
    return Check("journal", newest is not None, "empty" if newest is None else f"{newest.seq} records")
