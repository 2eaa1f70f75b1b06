"""What a journal that exists says before a table is opened on it.

Owns two questions: whose journal it is, and which game and method an open round in it has. It reads only; whether the
journal can be trusted is found out by opening it.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

from cardshoe.errors import JournalError
from cardshoe.journal import JournalReader
from cardshoe.table.state import NOTED

_FIRST_RECORDS: Final = 50


def require_own(path: Path, table_name: str) -> None:
    """Raise `JournalError` (`journal-other-table`) when the journal at `path` was begun by another table."""
    if not path.exists():
        return
    with JournalReader(path) as reader:
        for record in islice(reader.records(), _FIRST_RECORDS):
            if record.kind != "table_opened":
                continue
            name = record.body.get("name")
            if name != table_name:
                raise JournalError(
                    "journal-other-table",
                    f"The journal {path} belongs to table {name!r}, this one is {table_name!r}. Nothing is dealt. Name"
                    " the journal of this table, or a new file.",
                )
            return


def open_round_in(path: Path) -> tuple[str, str] | None:
    """Return game and method of the round that is open at the end of the journal, None where none is."""
    if not path.exists():
        return None
    with JournalReader(path) as reader:
        for record in reader.records(newest_first=True):
            if record.kind in ("settled", NOTED):
                return None
            if record.kind == "round-opened":
                return str(record.body["game"]), str(record.body["method"])
    return None
