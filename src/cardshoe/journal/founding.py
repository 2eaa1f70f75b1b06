"""A new journal's file: built beside its place and moved there whole, so that after any cut it is there or it is not.

Owns the first commits of a journal, before any writer has it open. It must not know what the records mean.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardshoe.journal import schema, trouble
from cardshoe.journal.canonical import Prepared
from cardshoe.journal.chain import GENESIS, Head, extend
from cardshoe.whole_files import sync_directory


def found(path: Path, key: Ed25519PrivateKey, batches: Iterable[Sequence[Prepared]]) -> Head:
    """Build the journal at `path`, where nothing is, from `batches`, each closed by a signed head; return the last.

    Raises JournalError for what SQLite reports, OSError for what the system does; then nothing is at `path`.
    """
    fresh = path.with_name(path.name + ".new")
    for leftover in (fresh, *(fresh.with_name(fresh.name + end) for end in ("-journal", "-wal", "-shm"))):
        leftover.unlink(missing_ok=True)
    try:
        connection = sqlite3.connect(fresh, isolation_level=None)
        try:
            head = _fill(connection, key, batches)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise trouble.from_sqlite(error, path) from error
    os.rename(fresh, path)
    sync_directory(path.parent)
    return head


def _fill(connection: sqlite3.Connection, key: Ed25519PrivateKey, batches: Iterable[Sequence[Prepared]]) -> Head:
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA page_size = {schema.PAGE_BYTES}")
    connection.execute("BEGIN")
    schema.create(connection)
    head = GENESIS
    for batch in batches:
        for row in extend(head, batch, key):
            connection.execute("INSERT INTO records VALUES (?, ?, ?, ?)", row)
            head = Head(row.seq, row.digest, row.signature)
    connection.execute("COMMIT")
    connection.execute("PRAGMA journal_mode = WAL")
    return head
