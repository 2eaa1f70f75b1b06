"""A journal to break: a real one on disk, its plain SQLite, and the hands of somebody who tampers with it.

Owns what the journal tests share. `Tampered` opens the database as a stranger would: triggers dropped, rows changed.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardshoe.journal import Entry, Journal
from cardshoe.journal.chain import Head, Row, link_digest, sign_head

BESIDE = ("", "-wal", "-shm", ".key", ".anchor", ".lock")


class Steps:
    """A clock that goes on 1 ms a look, from `start` seconds; the wall says what it is told."""

    def __init__(self, start: float = 100.0, wall: str = "2026-01-31T12:00:00.000Z") -> None:
        self.at = start
        self.text = wall

    def now(self) -> float:
        self.at += 0.001
        return self.at

    def wall(self) -> str:
        return self.text


def beside(path: Path, end: str) -> Path:
    """The file of the journal that ends in `end`."""
    return path.with_name(path.name + end)


def write_journal(path: Path, *, rounds: int = 3) -> None:
    """A journal of `rounds` rounds, closed: two records for the journal, four a round, one for the close."""
    with Journal.open(path, clock=Steps()) as journal:
        for number in range(1, rounds + 1):
            journal.append_now([Entry("wager_placed", {"position": "1", "wagers": {"ante": 1000 + number}}, number)])
            journal.append_now(
                [Entry("stack_requested", {"to": "1"}, number), Entry("stack_delivered", {"to": "1"}, number)]
            )
            journal.sign_head("round ended", round_number=number).result()


def copy_journal(path: Path, directory: Path, *, ends: tuple[str, ...] = BESIDE) -> Path:
    """Copy the journal with the files beside it that end in `ends`, as somebody who takes it away would."""
    directory.mkdir(exist_ok=True)
    for end in ends:
        if beside(path, end).exists():
            shutil.copy2(beside(path, end), directory / (path.name + end))
    return directory / path.name


def rows_of(path: Path) -> list[Row]:
    """The stored rows."""
    connection = sqlite3.connect(path)
    try:
        return [
            Row(*row) for row in connection.execute("select seq, text, digest, signature from records order by seq")
        ]
    finally:
        connection.close()


@contextmanager
def stranger(path: Path) -> Iterator[sqlite3.Connection]:
    """The database without its triggers; on leaving they are put back, so that only the rows differ."""
    connection = sqlite3.connect(path, isolation_level=None)
    triggers = connection.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
    try:
        for name, _ in triggers:
            connection.execute(f"drop trigger {name}")
        yield connection
        for _, sql in triggers:
            connection.execute(sql)
    finally:
        connection.close()


def rewrite_from(rows: list[Row], first: int, key: Ed25519PrivateKey | None) -> list[Row]:
    """Link the rows anew from number `first` on, signed by `key` where there was a signature (kept without a key)."""
    done = rows[: first - 1]
    head = Head(done[-1].seq, done[-1].digest, done[-1].signature) if done else Head(0, bytes(32), b"")
    for seq, row in enumerate(rows[first - 1 :], first):
        digest = link_digest(head.digest, head.signature, row.text)
        signature = sign_head(key, seq, digest) if key is not None and row.signature else row.signature
        head = Head(seq, digest, signature)
        done.append(Row(seq, row.text, digest, signature))
    return done


def replace_rows(path: Path, rows: list[Row]) -> None:
    """Put exactly `rows` into the database, its count included."""
    with stranger(path) as connection:
        connection.execute("delete from records")
        values = [(row.seq, row.text, row.digest, row.signature) for row in rows]
        connection.executemany("insert into records values (?, ?, ?, ?)", values)
        connection.execute("update sqlite_sequence set seq = ?", (len(rows),))
