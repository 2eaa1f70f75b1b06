"""Reading a journal without touching it, also while a table holds it open.

Owns the read-only connection: one snapshot for each walk, no change to the database, its write-ahead file or its
anchor. It must not know the writer. The verdict itself is `chain.judge`.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal import schema, trouble
from cardshoe.journal.anchor import Anchor, read_anchor
from cardshoe.journal.canonical import Record, parse_record
from cardshoe.journal.chain import Head, Row, Verdict, judge

_WAL_MAGIC: Final = (0x377F0682, 0x377F0683)
_BUSY_S: Final = 5.0


def anchor_path(path: Path) -> Path:
    """Return where the head anchor of the journal at `path` lies."""
    return path.with_name(path.name + ".anchor")


class JournalReader:
    """One read-only snapshot of the journal at `path`; a context manager."""

    def __init__(self, path: Path) -> None:
        """Open the snapshot.

        Raises ConfigError `journal-missing` if there is no such file, JournalError if it is not a readable journal.
        """
        self.path = path
        if not path.is_file():
            raise ConfigError("journal-missing", f"There is no journal at {path}. Check the path.")
        if path.stat().st_size == 0:
            raise trouble.damaged(path, "the file is empty")
        try:
            self._connection = _connect(path)
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, path) from error
        try:
            self.schema_version = schema.version_of(self._connection, path)
            self._connection.execute("BEGIN")
        except sqlite3.Error as error:
            self._connection.close()
            raise trouble.from_sqlite(error, path) from error
        except JournalError:
            self._connection.close()
            raise

    def __enter__(self) -> JournalReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the snapshot."""
        self._connection.close()

    def rows(self, *, first_seq: int = 1, newest_first: bool = False) -> Iterator[Row]:
        """Yield the stored rows in order. Raises JournalError `journal-damaged` where the file cannot be read."""
        order = "DESC" if newest_first else "ASC"
        query = f"SELECT seq, text, digest, signature FROM records WHERE seq >= ? ORDER BY seq {order}"  # noqa: S608
        try:
            for seq, text, digest, signature in self._connection.execute(query, (first_seq,)):
                yield Row(int(seq), _as_text(text), _as_bytes(digest), _as_bytes(signature))
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, self.path) from error

    def records(self, *, first_seq: int = 1, newest_first: bool = False) -> Iterator[Record]:
        """Yield the records in order, unverified. Raises JournalError where one cannot be read."""
        for row in self.rows(first_seq=first_seq, newest_first=newest_first):
            yield parse_record(row.text)

    def numbered(self) -> int:
        """Return how many records the database has ever numbered. Raises JournalError."""
        try:
            row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'records'").fetchone()
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, self.path) from error
        return int(row[0]) if row is not None and isinstance(row[0], int) else 0

    def require_sound(self) -> None:
        """Check the pages of the file and its schema. Raises JournalError `journal-damaged` or `journal-altered`."""
        try:
            state = self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if _as_text(state) != "ok":
                raise trouble.damaged(self.path, f"SQLite finds {_as_text(state)!r}")
            if self.schema_version == schema.VERSION:
                schema.require_known(self._connection, self.path)
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, self.path) from error


def _connect(path: Path) -> sqlite3.Connection:
    """Open read-only. A journal that was closed can also be read from a medium that takes no writes at all."""
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(
        f"{uri}?mode=ro", uri=True, isolation_level=None, timeout=_BUSY_S, check_same_thread=False
    )
    connection.text_factory = bytes
    try:
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        unreadable = error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if not unreadable or wal_bytes(path):
            raise
        connection = sqlite3.connect(
            f"{uri}?mode=ro&immutable=1", uri=True, isolation_level=None, check_same_thread=False
        )
        connection.text_factory = bytes
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def wal_bytes(path: Path) -> int:
    """Return the size of the write-ahead file beside the journal at `path`, 0 if there is none."""
    with contextlib.suppress(FileNotFoundError):
        return path.with_name(path.name + "-wal").stat().st_size
    return 0


def wal_is_blank(path: Path) -> bool:
    """Whether the write-ahead file has bytes but not its header: SQLite would pass over all that was in it."""
    try:
        with path.with_name(path.name + "-wal").open("rb") as file:
            head = file.read(4)
    except FileNotFoundError:
        return False
    return bool(head) and int.from_bytes(head, "big") not in _WAL_MAGIC


def verify(path: Path, *, trusted_key: bytes | None = None, auditor_anchor: Head | None = None) -> Verdict:
    """Return the verdict on the journal at `path`, which may be held open by a table.

    `trusted_key` is the public key (32 bytes) that the auditor holds, `auditor_anchor` a head that was kept elsewhere.
    Raises ConfigError `journal-missing` if there is no such file. Damage is a verdict, not an error.
    """
    if not path.is_file():
        raise ConfigError("journal-missing", f"There is no journal at {path}. Check the path.")
    try:
        beside = read_anchor(anchor_path(path))  # before the snapshot: the anchor is never ahead of the database
        blank = wal_is_blank(path)
        with JournalReader(path) as reader:
            verdict = _judge_snapshot(reader, trusted_key, beside, auditor_anchor)
            if not verdict.ok:
                return verdict
            reader.require_sound()
    except JournalError as error:
        return _untrusted(0, None, error.text)
    if blank and beside is None and auditor_anchor is None:
        why = "The write-ahead file has no header, and no head anchor tells what was in it."
        return _untrusted(verdict.records, verdict.records + 1, why)
    return verdict


def _judge_snapshot(
    reader: JournalReader, trusted_key: bytes | None, beside: Anchor | None, auditor_anchor: Head | None
) -> Verdict:
    walked = 0

    def rows() -> Iterator[Row]:
        nonlocal walked
        for row in reader.rows():
            walked = row.seq
            yield row

    key = trusted_key if trusted_key is not None or beside is None else beside.public_key
    anchors = [head for head in (beside.head if beside else None, auditor_anchor) if head is not None]
    try:
        verdict = judge(rows(), trusted_key=key, anchors=anchors, counted=reader.numbered())
    except JournalError as error:
        return _untrusted(walked, walked + 1, error.text)
    if verdict.ok and beside is not None and beside.public_key.hex() != verdict.public_key:
        return _untrusted(verdict.records, None, "The head anchor beside it is signed with another key.")
    return verdict


def _untrusted(records: int, first_bad: int | None, why: str) -> Verdict:
    return Verdict(
        ok=False, records=records, head="", signed=False, signed_to=0, public_key="", first_bad=first_bad, why=why
    )


def _as_text(value: object) -> str:
    """Return the text of a column, or a text that no digest fits when it is none."""
    if isinstance(value, str):
        return value
    return value.decode("ascii", errors="replace") if isinstance(value, bytes) else "\ufffd"


def _as_bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""
