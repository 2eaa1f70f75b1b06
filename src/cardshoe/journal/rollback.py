"""A journal brought back to an older schema, for the program that knows no newer one; no record is lost or changed.

Owns the order of things: the journal is verified; its rows go, as they are, into a database of the older schema beside
it, which is verified, too; the write-ahead file is emptied and taken away; the newer file is kept under another name,
and the older one takes its place at once. It must not know what the records mean.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal import schema, trouble
from cardshoe.journal.chain import Row, Verdict
from cardshoe.journal.keyfile import load_key, public_bytes
from cardshoe.journal.lock import WriterLock
from cardshoe.journal.reader import JournalReader, examine


@dataclass(frozen=True, slots=True)
class RolledBack:
    """What a journal holds as before, and where the newer file is kept."""

    records: int
    head: str
    was: int
    kept: Path


def roll_back(path: Path, version: int) -> RolledBack:
    """Bring the journal at `path` back to the schema `version`.

    Raises ConfigError `journal-rollback` for a version that is none or not older, JournalError if the journal is in
    use, cannot be trusted, or a disk fails; the journal is as it was then.
    """
    real = Path(os.path.realpath(path))
    if not os.path.isfile(real):
        raise ConfigError("journal-missing", f"There is no journal at {path}. Check the path.")
    lock = WriterLock(real)
    fresh = real.with_name(real.name + ".older")
    try:
        trusted = public_bytes(load_key(real.with_name(real.name + ".key")))
        before = _trusted(real, trusted)
        was = _require_older(real, version)
        _remove(fresh)
        with JournalReader(real) as reader:
            _fill(fresh, reader.rows(), version)
        after = _trusted(fresh, trusted)
        if (after.records, after.head) != (before.records, before.head):
            raise trouble.altered(real, "it changed while it was copied")
        lock.note_database_open()
        _settle(real)
        kept = schema.kept_before(real, was)
        kept.unlink(missing_ok=True)
        os.link(real, kept)
        schema.put_in_place(fresh, real)
    except sqlite3.Error as error:
        raise trouble.from_sqlite(error, real) from error
    except OSError as error:
        raise trouble.from_system(error, real) from error
    finally:
        with suppress(OSError):
            _remove(fresh)
        lock.release()
    return RolledBack(before.records, before.head, was, kept)


def _trusted(path: Path, key: bytes) -> Verdict:
    verdict = examine(path, trusted_key=key)
    if not verdict.ok:
        raise JournalError(
            "journal-untrusted",
            f"The journal {path} cannot be trusted from record {verdict.first_bad} on: {verdict.why} It is left as it"
            " is; keep it with the files beside it for the auditor.",
        )
    return verdict


def _require_older(path: Path, version: int) -> int:
    """Return the schema that the journal has. Raises ConfigError."""
    with JournalReader(path) as reader:
        was = reader.schema_version
    if version not in schema.SHIPPED or version >= was:
        older = [str(each) for each in sorted(schema.SHIPPED) if each < was]
        can = f"it can be brought back to {', '.join(older)}" if older else "there is none before it"
        raise ConfigError("journal-rollback", f"--schema {version}: the journal {path} has schema {was}; {can}.")
    return was


def _fill(fresh: Path, rows: Iterable[Row], version: int) -> None:
    connection = sqlite3.connect(fresh, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA page_size = {schema.PAGE_BYTES}")
        connection.execute("BEGIN")
        schema.create(connection, version)
        for row in rows:
            connection.execute("INSERT INTO records VALUES (?, ?, ?, ?)", row)
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _settle(path: Path) -> None:
    """Have everything in the one file: a write-ahead file that is left would be taken for the other's."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        mode = connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]
    finally:
        connection.close()
    if mode != "delete" or path.with_name(path.name + "-wal").exists():
        raise trouble.in_use(path, "a reader has it open; end that one")


def _remove(fresh: Path) -> None:
    for end in ("", "-journal", "-wal", "-shm"):
        fresh.with_name(fresh.name + end).unlink(missing_ok=True)
