"""A long journal opens quickly: what a restart needs is verified first, the rest while the table is up (P6, G8)."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from journal_bench import beside, copy_journal, replace_rows, rewrite_from, rows_of, stranger

from cardshoe.errors import JournalError
from cardshoe.journal import Entry, Journal, verify
from cardshoe.journal.chain import Row
from cardshoe.journal.quick import CHUNK_RECORDS
from cardshoe.journal.store import CHECKED

NOTED = "table_noted"
ROUNDS = 200
A_ROUND = 5  # three records, the note, the head


def write_long(path: Path, rounds: int) -> None:
    with Journal.open(path) as journal:
        for number in range(1, rounds + 1):
            entries = [Entry("wager_placed", {"note": f"wager {number}"}, number)] * (A_ROUND - 2)
            journal.append_now([*entries, Entry(NOTED, {"last_round_id": number})])
            journal.sign_head("round-completed", round_number=number).result()


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("long") / "table.db"
    write_long(path, ROUNDS)
    return path


def _edit(seq: int) -> Callable[[Path], None]:
    def tamper(path: Path) -> None:
        with stranger(path) as connection:
            connection.execute("update records set text = replace(text, 'wager ', 'wages ') where seq = ?", (seq,))

    return tamper


def _drop(seq: int) -> Callable[[Path], None]:
    def tamper(path: Path) -> None:
        with stranger(path) as connection:
            connection.execute("delete from records where seq = ?", (seq,))

    return tamper


def _linked_anew(seq: int) -> Callable[[Path], None]:
    """An old record edited and everything up to the next head linked anew; the head's signature does not fit then."""

    def tamper(path: Path) -> None:
        rows = rows_of(path)
        old = rows[seq - 1]
        text = old.text.replace("wager ", "wages ")
        replace_rows(path, rewrite_from([*rows[: seq - 1], Row(seq, text, b"", b""), *rows[seq:]], seq, None))

    return tamper


def test_it_starts_before_the_newest_note_and_finds_nothing_wrong(long: Path, tmp_path: Path) -> None:
    """P6: a few records first, then all the others; the result stands in the journal."""
    path = copy_journal(long, tmp_path / "copy")
    records = len(rows_of(path))
    with Journal.open(path, restart_kind=NOTED) as journal:
        assert records - 4 * A_ROUND < journal.opening.verified_from <= records - A_ROUND
        assert (journal.opening.records, journal.opening.closed_cleanly) == (records, True)
        verdict = journal.check_rest().result(60)
        assert verdict is not None
        assert (verdict.ok, verdict.records) == (True, journal.opening.verified_from - 1)
        journal.append_now([Entry("wager_placed", {}, 1)])
        with journal.reader() as reader:
            (checked,) = [record for record in reader.records(first_seq=records) if record.kind == CHECKED]
        assert (checked.body["ok"], checked.body["records"]) == (True, verdict.records)
    assert verify(path).ok


OLD = 3 * A_ROUND + 3  # an ordinary record of an old round


@pytest.mark.parametrize("tamper", [_edit(OLD), _drop(OLD)], ids=["edit", "drop"])
def test_an_old_record_that_was_changed_is_found_afterwards(long: Path, tmp_path: Path, tamper) -> None:
    """P6: the opening does not look there, the thread does; the journal says so for ever."""
    path = copy_journal(long, tmp_path / "copy")
    tamper(path)
    with Journal.open(path, restart_kind=NOTED) as journal:
        verdict = journal.check_rest().result(60)
        assert verdict is not None
        assert (verdict.ok, verdict.first_bad) == (False, OLD)
        journal.append_now([Entry("alarm_raised", {}, None)])
        with journal.reader() as reader:
            (checked,) = [r for r in reader.records(first_seq=journal.opening.records) if r.kind == CHECKED]
        assert (checked.body["ok"], checked.body["first_bad"]) == (False, OLD)


def test_a_past_that_was_linked_anew_is_found_at_once(long: Path, tmp_path: Path) -> None:
    """P6: the signature of the head from which the quick look starts does not fit any more."""
    path = copy_journal(long, tmp_path / "copy")
    _linked_anew(OLD)(path)
    with pytest.raises(JournalError) as refused:
        Journal.open(path, restart_kind=NOTED)
    assert refused.value.code == "journal-untrusted"


@pytest.mark.parametrize("back", [1, 3, A_ROUND])
def test_what_a_restart_sets_out_from_is_verified_before(long: Path, tmp_path: Path, back: int) -> None:
    """P2, P6: each of the newest records, by its text, its digest and its place."""
    last = len(rows_of(long))
    for statement in (
        "update records set text = replace(text, '\"boot\":1', '\"boot\":2') where seq = ?",
        "update records set digest = zeroblob(32) where seq = ?",
        "delete from records where seq = ?",
    ):
        path = copy_journal(long, tmp_path / "copy")
        with stranger(path) as connection:
            connection.execute(statement, (last - back,))
        before = path.read_bytes()
        with pytest.raises(JournalError) as refused:
            Journal.open(path, restart_kind=NOTED)
        assert refused.value.code == "journal-untrusted"
        assert path.read_bytes() == before


def test_without_anchor_or_note_the_whole_is_verified(long: Path, tmp_path: Path) -> None:
    """P6: no shortcut where nothing outside the database vouches for its end."""
    path = copy_journal(long, tmp_path / "bare", ends=("", ".key"))
    with Journal.open(path, restart_kind=NOTED) as journal:
        assert (journal.opening.verified_from, journal.opening.anchor_missing) == (1, True)
        assert journal.check_rest().result(1) is None
    path = copy_journal(long, tmp_path / "copy")
    with Journal.open(path, restart_kind="never_written") as journal:
        assert journal.opening.verified_from == 1
    _edit(OLD)(path)
    with pytest.raises(JournalError):
        Journal.open(path)


def test_a_schema_that_was_changed_is_found_at_once(long: Path, tmp_path: Path) -> None:
    """P6: without its triggers the journal is not append-only."""
    path = copy_journal(long, tmp_path / "copy")
    connection = sqlite3.connect(path)
    connection.execute("drop trigger records_never_deleted")
    connection.close()
    with pytest.raises(JournalError) as refused:
        Journal.open(path, restart_kind=NOTED)
    assert refused.value.code == "journal-altered"


def test_closing_ends_the_check(long: Path, tmp_path: Path) -> None:
    """P9: a table that ends does not wait for a long check."""
    path = copy_journal(long, tmp_path / "copy")
    assert len(rows_of(path)) > 2 * CHUNK_RECORDS
    journal = Journal.open(path, restart_kind=NOTED)
    answer = journal.check_rest()
    journal.close()
    assert answer.result(5) is None
    assert verify(path).ok
    assert not beside(path, "-wal").exists()


@pytest.mark.nightly
def test_a_hundred_thousand_records(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """G8: figures only; the opening looks at one round whatever the length."""
    path = tmp_path / "table.db"
    write_long(path, 100_000 // A_ROUND)
    for kind in (None, NOTED):
        began = time.perf_counter()
        with Journal.open(path, restart_kind=kind) as journal:
            took_ms = (time.perf_counter() - began) * 1e3
            looked_at = journal.opening.records - journal.opening.verified_from + 1
        with capsys.disabled():
            print(f"\nopening a journal of {journal.opening.records} records, {looked_at} verified: {took_ms:.0f} ms")
    assert looked_at < 4 * A_ROUND
