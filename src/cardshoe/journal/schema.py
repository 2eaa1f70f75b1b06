"""The tables of the journal's database, their versions, and the way from one version to the next.

Owns the SQL of every version that was shipped. Append-only is enforced by the database itself: every update, delete,
replacement and gap is aborted by a trigger, and the text of every trigger is compared at each open. The four columns of
a record are the same in every version, so that a journal can be brought back to an older one without losing a record
(`rollback`); the file as it was before a step is kept beside it all the same, as PATH.schema-N.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

from cardshoe.errors import JournalError
from cardshoe.journal import trouble
from cardshoe.whole_files import sync_directory

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

SHIPPED: Final[dict[int, tuple[str, ...]]] = {1: _STATEMENTS}
"""Every version that was shipped, and what makes it up."""

# Each shipped version names the step to the next one; the step runs in one transaction and never rewrites a record.
MIGRATIONS: Final[dict[int, Callable[[sqlite3.Connection], None]]] = {}


def create(connection: sqlite3.Connection, version: int | None = None) -> None:
    """Lay out an empty database of `version`, else of the newest. Raises sqlite3.Error."""
    wanted = VERSION if version is None else version
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in SHIPPED[wanted]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {wanted}")


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
            f"The journal {path} has schema {version}, this program knows up to {VERSION}. Use the newer program, or "
            f"have that one bring the journal back, `cardshoe journal rollback {path} --schema {VERSION}`. The file is "
            f"untouched.",
        )
    return version


def require_known(connection: sqlite3.Connection, path: Path) -> None:
    """Check that the schema of its version is there as shipped, and nothing else. Raises JournalError."""
    shipped = SHIPPED[version_of(connection, path)]
    query = (
        "SELECT CAST(sql AS BLOB), CAST(name AS BLOB) FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    )
    found = {
        bytes(sql or b"").decode(errors="replace"): bytes(name).decode(errors="replace")
        for sql, name in connection.execute(query)
    }
    missing = [statement.splitlines()[0].rstrip(" (") for statement in shipped if statement not in found]
    if missing:
        raise trouble.altered(path, f"its schema lacks {missing[0]!r} as shipped")
    extra = [name for sql, name in found.items() if sql not in shipped]
    if extra:
        raise trouble.altered(path, f"its schema has something that was never shipped: {extra[0]}")


def kept_before(path: Path, version: int) -> Path:
    """Return where the journal at `path` lies as it was before it left the schema `version`."""
    return path.with_name(f"{path.name}.schema-{version}")


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the schema to the newest version, one transaction a step; the file as it was is on disk beside it first.

    Raises JournalError or sqlite3.Error; then the journal is as it was.
    """
    version = version_of(connection, path)
    if version < VERSION:
        _keep(connection, path, version)
    while version < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        MIGRATIONS[version](connection)
        version += 1
        connection.execute(f"PRAGMA user_version = {version}")
        connection.execute("COMMIT")


def _keep(connection: sqlite3.Connection, path: Path, version: int) -> None:
    kept = kept_before(path, version)
    fresh = kept.with_name(kept.name + ".new")
    try:
        fresh.unlink(missing_ok=True)
        copy = sqlite3.connect(fresh, isolation_level=None)
        try:
            connection.backup(copy)
        finally:
            copy.close()
        os.chmod(fresh, 0o600)
        put_in_place(fresh, kept)
    except OSError as error:
        raise trouble.from_system(error, path) from error


def put_in_place(fresh: Path, path: Path) -> None:
    """Make the file `fresh` durable and have it take the place of `path`. Raises OSError."""
    descriptor = os.open(fresh, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.rename(fresh, path)
    sync_directory(path.parent)
