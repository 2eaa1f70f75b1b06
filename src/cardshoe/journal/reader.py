"""Reading a journal without touching it, also while a table holds it open.

Owns the read-only connection: one snapshot for each walk, no change to the database, its write-ahead file or its
anchor. It must not know the writer. The verdict itself is `chain.judge`.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal import schema, trouble
from cardshoe.journal.anchor import Anchor, read_anchor
from cardshoe.journal.canonical import Record, parse_record
from cardshoe.journal.chain import Head, Row, Verdict, judge
from cardshoe.journal.lock import held_by_this_process

Found = TypeVar("Found")

_WAL_MAGIC: Final = (0x377F0682, 0x377F0683)
_BUSY_S: Final = 5.0
_HEADER_BYTES: Final = 100
_LOOKS: Final = 5


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
        if not os.path.isfile(path):
            raise ConfigError("journal-missing", f"There is no journal at {path}. Check the path.")
        here = held_by_this_process(path)
        if not here:
            require_file_form(path)
        self._still = None if here or _wal_path(path).exists() else _stamp(path)
        try:
            self._connection = _connect(path, still=self._still is not None)
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, path) from error
        try:
            self._connection.execute("PRAGMA temp_store = MEMORY")
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
            self._require_still()
            raise trouble.from_sqlite(error, self.path) from error
        self._require_still()

    def _require_still(self) -> None:
        if self._still is not None and (_wal_path(self.path).exists() or _stamp(self.path) != self._still):
            raise trouble.in_use(self.path, "a table opened it while it was being read; read it again")

    def records(self, *, first_seq: int = 1, newest_first: bool = False) -> Iterator[Record]:
        """Yield the records in order, unverified. Raises JournalError where one cannot be read."""
        for row in self.rows(first_seq=first_seq, newest_first=newest_first):
            yield parse_record(row.text)

    def copy_to(self, target: Path) -> None:
        """Write what is in this snapshot to `target`, durably, in place of what is there. Raises JournalError."""
        target.unlink(missing_ok=True)
        try:
            copy = sqlite3.connect(target, isolation_level=None)
            try:
                self._connection.backup(copy)
            finally:
                copy.close()
        except sqlite3.Error as error:
            self._require_still()
            raise trouble.from_sqlite(error, target) from error
        self._require_still()

    def numbered(self) -> int:
        """Return how many records the database has ever numbered. Raises JournalError."""
        try:
            row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'records'").fetchone()
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, self.path) from error
        return int(row[0]) if row is not None and isinstance(row[0], int) else 0

    def require_shipped_schema(self) -> None:
        """Check the schema alone, which is quick. Raises JournalError `journal-altered`."""
        try:
            schema.require_known(self._connection, self.path)
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, self.path) from error

    def require_sound(self) -> None:
        """Check the pages of the file and its schema. Raises JournalError `journal-damaged` or `journal-altered`."""
        try:
            state = self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if _as_text(state) != "ok":
                raise trouble.damaged(self.path, f"SQLite finds {_as_text(state)!r}")
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, self.path) from error
        self.require_shipped_schema()


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def require_file_form(path: Path) -> None:
    """Look at the file itself, because the write-ahead file may hide damage to it from SQLite. Raises JournalError.

    Not for a journal that this process has open: closing a descriptor of the database drops SQLite's own locks.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_HEADER_BYTES)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise trouble.from_system(error, path) from error
    if not head:
        raise trouble.damaged(path, "the file is empty")
    page = int.from_bytes(head[16:18], "big")
    if not head.startswith(b"SQLite format 3\0") or page != schema.PAGE_BYTES:
        raise trouble.damaged(path, "its header is not that of a journal")
    if size % schema.PAGE_BYTES:
        raise trouble.damaged(path, f"its {size} bytes are not whole pages of {schema.PAGE_BYTES}")


def _connect(path: Path, *, still: bool) -> sqlite3.Connection:
    """Open read-only; `still`: nobody has it open, so that SQLite need not (and does not) make files beside it."""
    uri = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if still else ''}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_BUSY_S, check_same_thread=False)
    connection.text_factory = bytes
    return connection


def _wal_path(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def wal_is_blank(path: Path) -> bool:
    """Whether the write-ahead file has bytes but not its header: SQLite would pass over all that was in it."""
    try:
        with _wal_path(path).open("rb") as file:
            head = file.read(4)
    except FileNotFoundError:
        return False
    return bool(head) and int.from_bytes(head, "big") not in _WAL_MAGIC


def verify(path: Path, *, trusted_key: bytes | None = None, auditor_anchor: Head | None = None) -> Verdict:
    """Return the verdict on the journal at `path`, which may be held open, or just be opened, by a table.

    `trusted_key` is the public key (32 bytes) that the auditor holds, `auditor_anchor` a head that was kept elsewhere.
    Raises ConfigError `journal-missing` if there is no such file. Damage is a verdict, not an error.
    """
    try:
        return examine(path, trusted_key=trusted_key, auditor_anchor=auditor_anchor)
    except JournalError as error:
        return _untrusted(0, None, error.text)


def examine(path: Path, *, trusted_key: bytes | None = None, auditor_anchor: Head | None = None) -> Verdict:
    """Return the verdict as `verify` does, but raise JournalError for what no single record is to blame for."""
    if not os.path.isfile(path):
        raise ConfigError("journal-missing", f"There is no journal at {path}. Check the path.")
    return looked_at_again(lambda: _examine_once(path, trusted_key, auditor_anchor))


def looked_at_again(look: Callable[[], Found]) -> Found:
    """Return what `look` finds; it looks again a few times where a table opened the journal between two looks.

    Raises what `look` raises, JournalError `journal-in-use` after the last time.
    """
    for _ in range(_LOOKS - 1):
        try:
            return look()
        except JournalError as error:
            if error.code != "journal-in-use":
                raise
    return look()


def _examine_once(path: Path, trusted_key: bytes | None, auditor_anchor: Head | None) -> Verdict:
    beside = read_anchor(anchor_path(path))  # before the snapshot: the anchor is never ahead of the database
    blank = wal_is_blank(path)
    with JournalReader(path) as reader:
        verdict = _judge_snapshot(reader, trusted_key, beside, auditor_anchor)
        if not verdict.ok:
            return verdict
        reader.require_sound()
    if beside is not None and beside.public_key.hex() != verdict.public_key:
        raise JournalError("journal-anchor", f"The head anchor {anchor_path(path)} is signed with another key.")
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
        return judge(rows(), trusted_key=key, anchors=anchors, counted=reader.numbered())
    except JournalError as error:
        if error.code == "journal-in-use":
            raise
        return _untrusted(walked, walked + 1, f"The database cannot be read from there on: {error.__cause__}.")


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
