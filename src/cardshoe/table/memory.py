"""The table's state out of its journal, and what is noted so that this stays quick.

Owns `noted` (the state between rounds as a plain object, written at each round's end) and `recalled` (the state after
a restart: the last note, and every record since). Must not know devices or screens. Implements promise P2: a
restarted table stands where it stood.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from cardshoe.errors import CardshoeError, JournalError
from cardshoe.journal import Journal, Record
from cardshoe.table import shoe_round
from cardshoe.table.state import NOTED, TableState, absorb
from cardshoe.table.upkeep import noted_upkeep


def recalled(journal: Journal) -> TableState:
    """Return the state that the journal's records lead to.

    Raises `JournalError` (`journal-unplayable`) naming the record that does not fit.
    """
    with journal.reader() as reader:
        first = 1
        for record in reader.records(newest_first=True):
            if record.kind == NOTED:
                first = record.seq
                break
        state = TableState()
        for record in reader.records(first_seq=first):
            state = _absorbed(state, record)
    return state


def _absorbed(state: TableState, record: Record) -> TableState:
    try:
        return absorb(state, record.kind, record.body)
    except (CardshoeError, KeyError, TypeError, ValueError) as error:
        raise JournalError(
            "journal-unplayable",
            f"Record {record.seq} ({record.kind}) of the journal does not fit the records before it: {error}. "
            "Nothing is dealt. Keep the file and verify it with `cardshoe journal verify`.",
        ) from error


def noted(state: TableState) -> Mapping[str, Any]:
    """Return everything of `state` that outlives a round, as a JSON object."""
    return {
        "last_round_id": state.last_round_id,
        "seats": dict(state.seats),
        "command": None if state.command is None else {**asdict(state.command), "work": state.command.work.value},
        "last_command_id": state.last_command_id,
        "deck_id": state.deck_id,
        "spent_deck_id": state.spent_deck_id,
        "devices": {name: asdict(known) for name, known in state.devices.items()},
        "alarms": [asdict(alarm) for alarm in state.alarms],
        "tally": asdict(state.tally),
        "reader_faces": {place: list(faces) for place, faces in state.reader_faces.items()},
        "reader_rechecks": {place: list(faces) for place, faces in state.reader_rechecks.items()},
        "upkeep": noted_upkeep(state.upkeep),
        "not_moved": list(state.not_moved),
        "uncounted": list(state.uncounted),
        "shoe_round": shoe_round.noted(state.shoe_round),
    }
