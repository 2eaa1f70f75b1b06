"""One commit after another into the database, and the head anchor behind them.

Owns the writing connection, its settings and its checkpoints. One thread at a time uses it; `writer` is that thread. It
must not know who waits for an answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardshoe.errors import JournalError
from cardshoe.journal import schema, trouble
from cardshoe.journal.anchor import AnchorFile
from cardshoe.journal.canonical import Prepared
from cardshoe.journal.chain import Head, Row, extend, sign_head
from cardshoe.journal.log_room import make_room
from cardshoe.journal.presence import Presence
from cardshoe.journal.reserve import Reserve, is_full

# A checkpoint costs about four commits.
CHECKPOINT_COMMITS: Final = 200
MAX_UNANCHORED_COMMITS: Final = 64
ROWS_IN_A_STATEMENT: Final = 200
_BUSY_S: Final = 2.0


@cache
def _insert_of(rows: int) -> str:
    return f"INSERT INTO records VALUES {', '.join(['(?, ?, ?, ?)'] * rows)}"  # noqa: S608


class Committer:
    """The database at `path`, open for writing after `head`."""

    def __init__(self, path: Path, key: Ed25519PrivateKey, anchor: AnchorFile, reserve: Reserve | None = None) -> None:
        """Open the database, which must exist. Raises JournalError."""
        self._path = path
        self._reserve = reserve
        self._key = key
        self._anchor = anchor
        self._since_checkpoint = 0
        self._since_anchor = 0
        self._roomy = False
        self._presence = Presence(path)
        try:
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_S, check_same_thread=False)
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, path) from error
        try:
            self._settle()
            schema.migrate(self._connection, path)
            schema.require_known(self._connection, path)
            last = "SELECT seq, digest, signature FROM records ORDER BY seq DESC LIMIT 1"
            self.head = Head(*self._connection.execute(last).fetchone())
        except sqlite3.Error as error:
            self._connection.close()
            raise trouble.from_sqlite(error, path) from error
        except JournalError:
            self._connection.close()
            raise

    def _settle(self) -> None:
        """Set what durability needs and read it back, because SQLite passes over what it cannot do."""
        self._connection.execute("PRAGMA temp_store = MEMORY")
        mode = self._connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA wal_autocheckpoint = 0")  # an automatic one swallows the disk's errors
        level = self._connection.execute("PRAGMA synchronous").fetchone()[0]
        if (mode, level) != ("wal", 2):
            raise trouble.disk(self._path, f"it offers journal mode {mode}, synchronous {level} instead of wal, 2")

    @property
    def unanchored(self) -> bool:
        """Whether the newest head is not in the anchor yet."""
        return self._since_anchor > 0

    def commit(self, batch: Iterable[Prepared], *, sealed: bool) -> list[Row]:
        """Put `batch` on disk as one commit and return its rows; `sealed` makes the last a signed head.

        Raises JournalError; then nothing more may be committed here, and what of this batch is on disk is unknown.
        """
        rows = extend(self.head, batch, self._key if sealed else None)
        try:
            self._put(rows)
        except JournalError as error:
            # SQLite has rolled back what found no room, and nobody was told of it: it may be tried once more.
            if not is_full(error) or self._reserve is None or not self._reserve.give_up():
                raise
            self._put(rows)
        self._presence.require()
        last = rows[-1]
        self.head = Head(last.seq, last.digest, last.signature)
        self._since_checkpoint += 1
        self._since_anchor += 1
        return rows

    def _put(self, rows: list[Row]) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if len(rows) == 1:  # a statement is a commit by itself, and the quickest
                self._insert(rows)
            else:
                self._connection.execute("BEGIN IMMEDIATE")
                for start in range(0, len(rows), ROWS_IN_A_STATEMENT):
                    self._insert(rows[start : start + ROWS_IN_A_STATEMENT])
                self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, self._path) from error

    def _insert(self, rows: list[Row]) -> None:
        """Insert `rows` and see that they were taken, because a foreign trigger may swallow them without a word."""
        taken = self._connection.execute(_insert_of(len(rows)), tuple(chain.from_iterable(rows))).rowcount
        if taken != len(rows):
            raise trouble.altered(self._path, f"of {len(rows)} records from {rows[0].seq} on {taken} were taken")

    def tidy(self) -> None:
        """Do what nobody waits for after a commit: room, the anchor, the checkpoint. Raises JournalError."""
        if not self._roomy:
            make_room(self._path)
            self._roomy = True
        if self._since_anchor >= MAX_UNANCHORED_COMMITS:
            self.anchor(durable=False)
        if self._since_checkpoint >= CHECKPOINT_COMMITS:
            self.checkpoint("PASSIVE")

    def anchor(self, *, durable: bool) -> None:
        """Sign the newest head into the anchor; `durable` waits until that is on disk. Raises JournalError."""
        head = self.head
        signature = head.signature or sign_head(self._key, head.seq, head.digest)
        try:
            self._anchor.write(Head(head.seq, head.digest, signature), durable=durable)
        except OSError as error:
            raise trouble.from_system(error, self._path) from error
        self._since_anchor = 0

    def checkpoint(self, how: str) -> None:
        """Move the write-ahead file into the database here, where an error is seen. Raises JournalError.

        A reader may make it partial; then a later one goes on.
        """
        try:
            self._connection.execute(f"PRAGMA wal_checkpoint({how})").fetchone()
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, self._path) from error
        self._since_checkpoint = 0

    def close(self) -> None:
        """Give the files back. Raises JournalError."""
        try:
            self._connection.close()
            self._anchor.close()
        except sqlite3.Error as error:
            raise trouble.from_sqlite(error, self._path) from error
        except OSError as error:
            raise trouble.from_system(error, self._path) from error
