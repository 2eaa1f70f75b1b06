"""A record as a plain JSON object, with its proof where that is wanted.

Owns the fields and their order, for every way in which a journal is shown or exported. It must not judge: a record that
cannot be read is given as it is, so that nothing is passed over.
"""

from __future__ import annotations

from cardshoe.errors import JournalError
from cardshoe.journal.canonical import Record, parse_record
from cardshoe.journal.chain import Row


def record_plain(record: Record) -> dict[str, object]:
    """Return the record as a JSON object."""
    return {
        "seq": record.seq,
        "kind": record.kind,
        "round": record.round,
        "boot": record.boot,
        "mono_us": record.mono_us,
        "wall": record.wall,
        "body": record.body,
    }


def row_plain(row: Row) -> dict[str, object]:
    """Return the record with its proof; one that cannot be read is given as it is."""
    proof: dict[str, object] = {"digest": row.digest.hex(), "signature": row.signature.hex() or None}
    try:
        return record_plain(parse_record(row.text)) | proof
    except JournalError as error:
        return {"seq": row.seq, "kind": None, "round": None, "unreadable": row.text, "why": error.text} | proof
