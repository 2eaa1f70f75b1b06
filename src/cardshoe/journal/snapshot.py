"""A copy of a journal as it stands at one moment, also while a table writes it.

Owns the copy by SQLite's own backup, which is one state of the database and never half a commit, with its head anchor,
and the verdict on the copy. The journal itself is only read. It must not know where the copy goes from there. Serves
promise P6: what is kept elsewhere can be proved like the journal that it was taken from.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cardshoe.errors import JournalError
from cardshoe.journal.anchor import anchor_line, read_anchor
from cardshoe.journal.keyfile import write_whole
from cardshoe.journal.reader import JournalReader, anchor_path, examine, looked_at_again


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a copy holds: so many records, up to the head `head` (hex), under `public_key` (hex), in this schema."""

    records: int
    head: str
    public_key: str
    schema: int


def snapshot(path: Path, to: Path, *, trusted_key: bytes | None = None) -> Snapshot:
    """Copy the journal at `path` to `to`, where nothing may be, with its anchor beside; return what the copy holds.

    Raises JournalError if the journal cannot be read or the copy cannot be trusted under `trusted_key`, ConfigError
    `journal-missing`.
    """
    return looked_at_again(lambda: _taken(path, to, trusted_key))


def _taken(path: Path, to: Path, trusted_key: bytes | None) -> Snapshot:
    anchor = read_anchor(anchor_path(path))  # before the copy: the anchor is never ahead of the database
    with JournalReader(path) as reader:
        schema = reader.schema_version
        reader.copy_to(to)
    if anchor is not None:
        write_whole(anchor_path(to), anchor_line(anchor) * 2, mode=0o600)
    verdict = examine(to, trusted_key=trusted_key)
    if not verdict.ok:
        raise JournalError(
            "journal-untrusted",
            f"The journal {path} cannot be trusted from record {verdict.first_bad} on: {verdict.why} No copy was kept;"
            " keep the journal with the files beside it for the auditor.",
        )
    return Snapshot(verdict.records, verdict.head, verdict.public_key, schema)
