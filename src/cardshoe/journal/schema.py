"""The tables of the journal's database, their versions, and the way from one version to the next.

Owns the SQL. Append-only is enforced by the database itself: every update, delete, replacement and gap is aborted by a
trigger, and the text of every trigger is compared at each open.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cardshoe.errors import JournalError
from cardshoe.journal import trouble

APPLICATION_ID: Final = 0x43534A4C  # "CSJL", so that `file` and a technician can tell
VERSION: Final = 1
PAGE_BYTES: Final = 4096

_STATEMENTS: Final = (
    """CREATE TABLE records (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL CHECK (typeof(text) = 'text'),
    digest BLOB NOT NULL CHECK (typeof(digest) = 'blob' AND length(digest) = 32),
    signature BLOB NOT NULL CHECK (typeof(signature) = 'blob' AND length(signature) IN (0, 64))
)""",
    """CREATE TRIGGER records_never_updated BEFORE UPDATE ON records
BEGIN SELECT RAISE(ABORT, 'the journal is append-only: no update'); END""",
    """CREATE TRIGGER records_never_deleted BEFORE DELETE ON records
BEGIN SELECT RAISE(ABORT, 'the journal is append-only: no delete'); END""",
    """CREATE TRIGGER records_only_appended BEFORE INSERT ON records
WHEN NEW.seq IS NOT (SELECT ifnull(max(seq), 0) + 1 FROM records)
BEGIN SELECT RAISE(ABORT, 'the journal is append-only: no gap and no replacement'); END""",
)

# Each shipped version names the step to the next one; the step runs in one transaction and never rewrites a record.
MIGRATIONS: Final[dict[int, Callable[[sqlite3.Connection], None]]] = {}


def create(connection: sqlite3.Connection) -> None:
    """Lay out an empty database. Raises sqlite3.Error."""
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in _STATEMENTS:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version. Raises JournalError if the file is no journal, or of a later program."""
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if application != APPLICATION_ID:
        raise trouble.damaged(path, f"it is not a journal of cardshoe (application id {application:#x})")
    if version < 1:
        raise trouble.damaged(path, f"its schema version {version} was never shipped")
    if version > VERSION:
        raise JournalError(
            "journal-newer",
            f"The journal {path} has schema {version}, this program knows up to {VERSION}. Use the newer program; "
            f"the file is untouched.",
        )
    return version


def require_known(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the newest schema is there as shipped, and nothing else. Raises JournalError."""
    query = (
        "SELECT CAST(sql AS BLOB), CAST(name AS BLOB) FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    found = {
        bytes(sql or b"").decode(errors="replace"): bytes(name).decode(errors="replace")
        for sql, name in connection.execute(query)
    }
    missing = [statement.splitlines()[0].rstrip(" (") for statement in _STATEMENTS if statement not in found]
    if missing:
        raise trouble.altered(path, f"its schema lacks {missing[0]!r} as shipped")
    extra = [name for sql, name in found.items() if sql not in _STATEMENTS]
    if extra:
        raise trouble.altered(path, f"its schema has something that was never shipped: {extra[0]}")


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the schema to the newest version, one transaction a step. Raises JournalError or sqlite3.Error."""
    version = version_of(connection, path)
    while version < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        MIGRATIONS[version](connection)
        version += 1
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")
