"""Every schema that was ever shipped can be read, verified and continued; a later one is left alone."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from fixed_key import write_fixed_key
from journal_bench import beside, rows_of, stranger, write_journal

from cardshoe.errors import JournalError
from cardshoe.journal import Entry, Journal, schema, verify

DATA = Path(__file__).parent / "data"
SHIPPED = {1: ("schema-1.db", 11, "f5270100")}  # file, records, first digits of the head


def _shipped(version: int, directory: Path) -> Path:
    """A copy of the journal that the first program with this schema wrote."""
    name = SHIPPED[version][0]
    for end in ("", ".anchor"):
        shutil.copy(DATA / (name + end), directory / (name + end))
    write_fixed_key(directory / (name + ".key"))
    return directory / name


def test_there_is_a_shipped_journal_of_every_version() -> None:
    assert sorted(SHIPPED) == list(range(1, schema.VERSION + 1))
    assert sorted(schema.MIGRATIONS) == list(range(1, schema.VERSION))


@pytest.mark.parametrize("version", SHIPPED)
def test_a_shipped_journal_is_verified_and_continued(version: int, tmp_path: Path) -> None:
    """P6: not one record of it is rewritten, whatever the program's version."""
    path = _shipped(version, tmp_path)
    _, records, head = SHIPPED[version]
    verdict = verify(path)
    assert (verdict.ok, verdict.records, verdict.head[:8]) == (True, records, head)
    before = rows_of(path)
    with Journal.open(path) as journal:
        assert journal.append_now([Entry("a", {})]).first_seq == records + 2
    assert rows_of(path)[:records] == before
    assert verify(path).ok
    connection = sqlite3.connect(path)
    assert connection.execute("pragma user_version").fetchone() == (schema.VERSION,)
    connection.close()


@pytest.mark.parametrize(
    ("pragma", "code"),
    [
        (f"user_version = {schema.VERSION + 1}", "journal-newer"),
        ("user_version = 0", "journal-damaged"),
        ("application_id = 0", "journal-damaged"),
    ],
)
def test_what_is_not_of_this_program_is_left_alone(tmp_path: Path, pragma: str, code: str) -> None:
    path = tmp_path / "table.db"
    write_journal(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"pragma {pragma}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(JournalError) as refused:
        Journal.open(path)
    assert refused.value.code == code
    assert path.read_bytes() == before


def test_a_step_to_a_next_schema_changes_the_schema_and_no_record(tmp_path: Path, monkeypatch) -> None:
    """The way that a next version will take."""
    path = tmp_path / "table.db"
    write_journal(path)
    before = rows_of(path)
    index = "CREATE INDEX records_by_digest ON records (digest)"
    monkeypatch.setattr(schema, "VERSION", 2)
    monkeypatch.setattr(schema, "_STATEMENTS", (*schema._STATEMENTS, index))
    monkeypatch.setitem(schema.MIGRATIONS, 1, lambda connection: connection.execute(index))
    assert verify(path).ok
    with Journal.open(path) as journal:
        journal.append_now([Entry("a", {})])
    assert rows_of(path)[: len(before)] == before
    assert verify(path).ok
    with stranger(path) as connection:
        assert connection.execute("pragma user_version").fetchone() == (2,)
    assert Journal.open(path).close() is None


def test_a_step_that_fails_leaves_the_old_schema(tmp_path: Path, monkeypatch) -> None:
    """P2: one transaction a step."""
    path = tmp_path / "table.db"
    write_journal(path)

    def half(connection: sqlite3.Connection) -> None:
        connection.execute("create table a (b)")
        connection.execute("create table a (b)")

    monkeypatch.setattr(schema, "VERSION", 2)
    monkeypatch.setitem(schema.MIGRATIONS, 1, half)
    with pytest.raises(JournalError):
        Journal.open(path)
    monkeypatch.undo()
    assert verify(path).ok
    with Journal.open(path) as journal:
        assert journal.opening.closed_cleanly
    assert not beside(path, "-wal").exists()
