"""Which records a shorter journal takes over from a long one.

Owns the choice: from the note that stands before the first of the rounds to keep, so that a table that starts on the
new journal stands where it stood, and the opening of the table, so that the journal says whose it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from cardshoe.counted import counted
from cardshoe.errors import ConfigError
from cardshoe.journal import JournalReader, Record
from cardshoe.journal.replay import SETTLED
from cardshoe.table.state import NOTED


def carried_over(reader: JournalReader, keep_rounds: int) -> Sequence[Record]:
    """Return the records of the last `keep_rounds` complete rounds, an open one, and what a restart needs.

    Raises ConfigError `journal-archive` where the journal has no more rounds than those.
    """
    kept: list[Record] = []
    complete, whole = 0, False
    for record in reader.records(newest_first=True):
        if not whole:
            kept.append(record)
            complete += record.kind == SETTLED
            # A note follows the account of each round: the one after the (n+1)-th account from the end is the start.
            whole = record.kind == NOTED and complete == keep_rounds
        elif record.kind == "table_opened":
            kept.append(record)
            break
    if not whole:
        raise ConfigError(
            "journal-archive",
            f"The journal {reader.path} holds no more than {counted(complete, 'complete round')}; "
            "there is nothing to leave out. "
            f"Keep fewer than that, or go on with it.",
        )
    return kept[::-1]
