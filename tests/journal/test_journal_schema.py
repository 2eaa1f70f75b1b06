"""Every schema that was ever shipped can be read, verified and continued; a later one is left alone."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from fixed_key import write_fixed_key
from journal_bench import beside, rows_of, stranger, write_journal

from cardshoe.cli import run as run_command
from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal import Entry, Journal, schema, verify
from cardshoe.journal.rollback import roll_back

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


INDEX = "CREATE INDEX records_by_digest ON records (digest)"


@pytest.fixture
def next_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way that a next version will take: an index more."""
    monkeypatch.setattr(schema, "VERSION", 2)
    monkeypatch.setitem(schema.SHIPPED, 2, (*schema.SHIPPED[1], INDEX))
    monkeypatch.setitem(schema.MIGRATIONS, 1, lambda connection: connection.execute(INDEX))


def version_of(path: Path) -> int:
    with stranger(path) as connection:
        return int(connection.execute("pragma user_version").fetchone()[0])


def test_a_step_to_a_next_schema_changes_the_schema_and_no_record(tmp_path: Path, next_schema: None) -> None:
    path = _shipped(1, tmp_path)
    before = rows_of(path)
    assert verify(path).ok
    with Journal.open(path) as journal:
        journal.append_now([Entry("a", {})])
    assert rows_of(path)[: len(before)] == before
    assert verify(path).ok
    assert version_of(path) == 2
    assert Journal.open(path).close() is None


def test_before_a_step_the_file_is_kept_beside(tmp_path: Path, next_schema: None) -> None:
    """FR-09: as it was, of the old schema, for its owner alone; a start without a step keeps nothing."""
    path = _shipped(1, tmp_path)
    records = len(rows_of(path))
    for _ in range(2):
        Journal.open(path).close()
        kept = beside(path, ".schema-1")
        assert (verify(kept).records, version_of(kept), kept.stat().st_mode & 0o777) == (records, 1, 0o600)
    assert not beside(path, ".schema-2").exists()


def test_where_the_file_cannot_be_kept_no_step_is_made(tmp_path: Path, next_schema: None) -> None:
    """P2, FR-09: the table does not start, and says why."""
    path = _shipped(1, tmp_path)
    beside(path, ".schema-1").mkdir()
    with pytest.raises(JournalError) as refused:
        Journal.open(path)
    assert refused.value.code == "journal-disk"
    assert version_of(path) == 1
    beside(path, ".schema-1").rmdir()
    with Journal.open(path) as journal:
        assert journal.opening.closed_cleanly


def test_back_to_an_older_schema_with_every_record(tmp_path: Path, next_schema: None) -> None:
    """The upgrade was a mistake: what was recorded after it is there for the older program, too."""
    path = _shipped(1, tmp_path)
    with Journal.open(path) as journal:
        journal.append_now([Entry("a", {"after": "the upgrade"})])
    rows, before = rows_of(path), verify(path)
    done = roll_back(path, 1)
    assert (done.records, done.head, done.was) == (before.records, before.head, 2)
    assert (rows_of(path), version_of(path), version_of(done.kept)) == (rows, 1, 2)
    with pytest.MonkeyPatch.context() as older:
        older.setattr(schema, "VERSION", 1)
        assert verify(path) == before
        with Journal.open(path) as journal:
            assert journal.opening.closed_cleanly
    assert rows_of(path)[: len(rows)] == rows
    Journal.open(path).close()
    assert (version_of(path), verify(path).ok) == (2, True)


def test_a_newer_journal_is_refused_with_its_version_and_the_way_back(tmp_path: Path, next_schema: None) -> None:
    path = _shipped(1, tmp_path)
    Journal.open(path).close()
    with pytest.MonkeyPatch.context() as older:
        older.setattr(schema, "VERSION", 1)
        with pytest.raises(JournalError) as refused:
            Journal.open(path)
    assert refused.value.code == "journal-newer"
    for told in ("has schema 2", "up to 1", f"cardshoe journal rollback {path} --schema 1"):
        assert told in refused.value.text


@pytest.mark.parametrize("version", [0, 2, 3, -1])
def test_what_is_not_older_is_no_way_back(tmp_path: Path, next_schema: None, version: int) -> None:
    path = _shipped(1, tmp_path)
    Journal.open(path).close()
    before = path.read_bytes()
    with pytest.raises(ConfigError) as refused:
        roll_back(path, version)
    assert (refused.value.code, "brought back to 1" in refused.value.text) == ("journal-rollback", True)
    assert path.read_bytes() == before


def test_of_the_first_schema_nothing_is_older(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _shipped(1, tmp_path)
    assert run_command(["journal", "rollback", str(path), "--schema", "1"]) == 2
    assert "there is none before it" in capsys.readouterr().err
    assert run_command(["journal", "rollback", str(tmp_path / "none"), "--schema", "1"]) == 2


def test_a_journal_in_use_or_damaged_is_not_brought_back(tmp_path: Path, next_schema: None) -> None:
    path = _shipped(1, tmp_path)
    with Journal.open(path), pytest.raises(JournalError) as refused:
        roll_back(path, 1)
    assert refused.value.code == "journal-in-use"
    with stranger(path) as connection:
        connection.execute("update records set text = replace(text, 'the', 'THE')")
        connection.execute("update records set digest = zeroblob(32) where seq = 3")
    with pytest.raises(JournalError) as refused:
        roll_back(path, 1)
    assert refused.value.code == "journal-untrusted"
    assert version_of(path) == 2


@pytest.mark.parametrize("call", ["os.link", "os.rename", "sqlite3.connect"])
def test_cut_off_on_the_way_back_the_journal_opens(
    tmp_path: Path, next_schema: None, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P2: at any of the three, with every record, in the one schema or the other."""
    path = _shipped(1, tmp_path)
    Journal.open(path).close()
    rows = rows_of(path)

    def cut(*_: object, **_more: object) -> None:
        raise OSError(5, "cut off")

    with monkeypatch.context() as patched:
        patched.setattr(f"cardshoe.journal.rollback.{call}" if call != "os.rename" else "os.rename", cut)
        with pytest.raises(JournalError):
            roll_back(path, 1)
    assert rows_of(path) == rows
    with Journal.open(path) as journal:
        assert journal.opening.records == len(rows)
    assert roll_back(path, 1).records == len(rows) + 2


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
