"""The store on a real disk: durable before told, one writer, append-only, closed in bounded time (promises P2, P6)."""

from __future__ import annotations

import asyncio
import errno
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from concurrent.futures import Future
from pathlib import Path

import independent_verifier
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journal_bench import Steps, beside, rows_of, write_journal

from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal import Committed, Entry, Journal, JournalReader, verify
from cardshoe.journal import space as space_room
from cardshoe.journal.anchor import AnchorFile
from cardshoe.journal.committer import CHECKPOINT_COMMITS, ROWS_IN_A_STATEMENT, Committer


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


def _kinds(path: Path) -> list[str]:
    with JournalReader(path) as reader:
        return [record.kind for record in reader.records()]


def test_what_is_appended_comes_back_with_its_place_time_and_boot(path: Path) -> None:
    """P6, FR-44: order by sequence, boot counter and monotonic time; the wall clock is only written down."""
    with Journal.open(path, clock=Steps(100.0, "2000-01-01T00:00:00.000Z")) as journal:
        assert (journal.opening.boot, journal.opening.records, journal.opening.created) == (1, 1, True)
        committed = journal.append_now([Entry("a", {"x": 1}, 7), Entry("b", {"y": ["ü", None, True]})])
        assert committed == Committed(3, 4, rows_of(path)[3].digest.hex())
        assert journal.head.digest.hex() == committed.head_hex
    with Journal.open(path, clock=Steps(5.0, "1970-01-01T00:00:00.000Z")) as journal:  # rebooted, clock set back
        assert (journal.opening.boot, journal.opening.records) == (2, 5)
        assert journal.opening.closed_cleanly
        with journal.reader() as reader:
            records = list(reader.records())
    assert [record.seq for record in records] == list(range(1, 7))
    assert [record.boot for record in records] == [0, 1, 1, 1, 1, 2]
    assert [(record.kind, record.round, record.body) for record in records[2:4]] == [
        ("a", 7, {"x": 1}),
        ("b", None, {"y": ["ü", None, True]}),
    ]
    assert records[4].mono_us > records[2].mono_us > 100_000_000
    assert records[5].mono_us < records[4].mono_us
    assert verify(path).ok


def test_a_reader_can_start_anywhere_and_go_backwards(path: Path) -> None:
    write_journal(path)
    with JournalReader(path) as reader:
        assert [record.seq for record in reader.records(first_seq=12)] == [12, 13, 14, 15]
        assert next(reader.records(newest_first=True)).kind == "journal_closed"


def test_a_future_is_done_only_after_the_commit_is_there_for_others(path: Path) -> None:
    """P2: at the moment the future is done, another connection sees the records."""
    seen: list[int] = []
    with Journal.open(path) as journal:

        def look(future: Future[Committed]) -> None:
            connection = sqlite3.connect(path)
            seen.append(connection.execute("select max(seq) from records").fetchone()[0] - future.result().last_seq)
            connection.close()

        for number in range(20):
            future = journal.append([Entry("a", {"n": number})])
            future.add_done_callback(look)
        future.result()
    assert len(seen) == 20
    assert min(seen) >= 0


def test_a_future_cannot_be_cancelled(path: Path) -> None:
    """P2: a record that may be on disk cannot be wished away."""
    with Journal.open(path) as journal:
        future = journal.append([Entry("a", {})])
        assert not future.cancel()
        assert future.result().first_seq == 3


def test_an_event_loop_waits_without_standing_still(path: Path) -> None:
    async def table() -> list[Committed]:
        with Journal.open(path) as journal:
            futures = [asyncio.wrap_future(journal.append([Entry("a", {"n": n})])) for n in range(50)]
            return await asyncio.gather(*futures)

    committed = asyncio.run(table())
    assert [one.first_seq for one in committed] == list(range(3, 53))


def test_many_threads_append_and_the_chain_is_one(path: Path) -> None:
    """P6: order in the chain is order of time, whoever appends; each thread's records keep their order."""
    with Journal.open(path) as journal:

        def work(name: int) -> None:
            for number in range(40):
                journal.append_now([Entry("a", {"thread": name, "n": number})])

        threads = [threading.Thread(target=work, args=(name,)) for name in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    with JournalReader(path) as reader:
        records = [record for record in reader.records() if record.kind == "a"]
    assert [record.mono_us for record in records] == sorted(record.mono_us for record in records)
    for name in range(5):
        assert [record.body["n"] for record in records if record.body["thread"] == name] == list(range(40))
    assert independent_verifier.what_is_wrong(independent_verifier.read_rows(path)) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(st.lists(st.tuples(st.integers(1, 5), st.sampled_from(["", "head", "wait"]), st.booleans()), max_size=20))
def test_however_it_was_cut_into_commits_the_chain_holds(tmp_path_factory, steps) -> None:
    """P6: batches, waits, heads and reopenings in any order; both verifiers agree and no record is lost."""
    path = tmp_path_factory.mktemp("any") / "table.db"
    journal = Journal.open(path)
    appended = 0
    for size, then, reopen in steps:
        future = journal.append([Entry("a", {"n": appended + n}) for n in range(size)])
        appended += size
        if then:
            head = journal.sign_head("round ended", round_number=1)
        if then == "wait":
            head.result()
            assert future.done()
        if reopen:
            journal.close()
            journal = Journal.open(path)
    journal.close()
    with JournalReader(path) as reader:
        assert [r.body["n"] for r in reader.records() if r.kind == "a"] == list(range(appended))
    verdict = verify(path)
    assert (verdict.ok, verdict.signed) == (True, True)
    assert independent_verifier.what_is_wrong(independent_verifier.read_rows(path)) is None


@pytest.mark.parametrize("size", [1, ROWS_IN_A_STATEMENT, ROWS_IN_A_STATEMENT + 1, 3 * ROWS_IN_A_STATEMENT + 7])
def test_an_append_of_any_size_is_one_commit(path: Path, size: int) -> None:
    """P2: all of it or nothing; here a foreign trigger swallows its last record."""
    with Journal.open(path) as journal:
        assert journal.append_now([Entry("a", {"n": n}) for n in range(size)]).last_seq == 2 + size
        connection = sqlite3.connect(path)
        last = 2 + 2 * size
        connection.execute(
            f"create trigger quiet before insert on records when new.seq = {last} begin select raise(ignore); end"
        )
        connection.close()
        with pytest.raises(JournalError) as refused:
            journal.append_now([Entry("b", {"n": n}) for n in range(size)])
        assert refused.value.code == "journal-altered"
    assert len(rows_of(path)) == 2 + size


def test_heads_that_queue_up_are_each_signed(path: Path) -> None:
    """P6: a head that is committed together with what came after it would vouch for nothing."""
    with Journal.open(path) as journal:
        futures = [
            future
            for number in range(50)
            for future in (journal.append([Entry("a", {})] * 3), journal.sign_head("round ended", round_number=number))
        ]
        assert [future.result().last_seq for future in futures[1::2]] == [2 + 4 * (n + 1) for n in range(50)]
    assert verify(path).ok
    assert independent_verifier.what_is_wrong(independent_verifier.read_rows(path)) is None


@pytest.mark.parametrize("kind", ["journal_created", "journal_opened", "head_signed", "journal_closed"])
def test_the_journals_own_kinds_are_refused(path: Path, kind: str) -> None:
    with Journal.open(path) as journal, pytest.raises(JournalError) as refused:
        journal.append([Entry(kind, {})])
    assert refused.value.code == "journal-entry"
    assert verify(path).ok


def test_after_many_commits_the_write_ahead_file_stays_small(path: Path) -> None:
    with Journal.open(path) as journal:
        for _ in range(3):
            for future in [journal.append([Entry("a", {"x": "y" * 300})] * 3) for _ in range(CHECKPOINT_COMMITS // 2)]:
                future.result()
            journal.sign_head("round ended").result()
        assert beside(path, "-wal").stat().st_size < 2**22
    assert not beside(path, "-wal").exists()


# --- append-only


FORBIDDEN = {
    "update": "update records set text = '{}' where seq = 2",
    "delete": "delete from records where seq = 2",
    "delete all": "delete from records",
    "replace": "insert or replace into records select seq, '{}', digest, signature from records where seq = 2",
    "a gap": "insert into records select seq + 10, text, digest, signature from records where seq = 2",
    "no number": "insert into records select null, text, digest, signature from records where seq = 2",
    "upsert": "insert into records select * from records where true on conflict (seq) do update set text = '{}'",
}


@pytest.mark.parametrize("statement", FORBIDDEN.values(), ids=FORBIDDEN)
def test_the_database_itself_refuses_everything_but_the_next_record(path: Path, statement: str) -> None:
    """P6: append-only by triggers, also for another program's connection."""
    write_journal(path)
    before = rows_of(path)
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(statement)
    connection.close()
    assert rows_of(path) == before


def test_a_record_that_somebody_else_put_in_stops_the_writer(path: Path) -> None:
    """P5: the next record has no place any more; nothing after it is reported durable."""
    with Journal.open(path) as journal:
        journal.append_now([Entry("a", {})])
        connection = sqlite3.connect(path)
        connection.execute(
            "insert into records select seq + 1, text, digest, signature from records order by seq desc limit 1"
        )
        connection.commit()
        connection.close()
        with pytest.raises(JournalError) as refused:
            journal.append_now([Entry("b", {})])
        assert refused.value.code == "journal-altered"
        with pytest.raises(JournalError) as refused:
            journal.append([Entry("c", {})])
        assert refused.value.code == "journal-stopped"
        assert "changed by something else" in refused.value.text
    assert "b" not in _kinds_raw(path)


def _kinds_raw(path: Path) -> str:
    return " ".join(row.text for row in rows_of(path) if '"kind":"b"' in row.text)


def test_a_record_that_a_foreign_trigger_swallows_is_not_reported_durable(path: Path) -> None:
    """P2: SQLite says "done" although nothing was taken; the journal looks twice."""
    with Journal.open(path) as journal:
        connection = sqlite3.connect(path)
        connection.execute("create trigger quiet before insert on records begin select raise(ignore); end")
        connection.close()
        with pytest.raises(JournalError) as refused:
            journal.append_now([Entry("a", {})])
        assert refused.value.code == "journal-altered"


def test_a_bad_entry_refuses_its_whole_append_and_nothing_else(path: Path) -> None:
    with Journal.open(path) as journal:
        with pytest.raises(JournalError) as refused:
            journal.append([Entry("a", {}), Entry("b", {"x": 1.5})])
        assert refused.value.code == "journal-entry"
        with pytest.raises(JournalError):
            journal.append([])
        assert journal.append_now([Entry("c", {})]).first_seq == 3
    assert _kinds(path) == ["journal_created", "journal_opened", "c", "journal_closed"]


# --- one writer


def test_a_second_writer_in_this_process_is_refused_by_name(path: Path) -> None:
    """E30, FR-12: the message names the journal and the holder; the first goes on."""
    with Journal.open(path) as journal:
        with pytest.raises(JournalError) as refused:
            Journal.open(path.parent / "." / path.name)
        assert refused.value.code == "journal-in-use"
        assert str(path) in refused.value.text
        assert f"process {os.getpid()}" in refused.value.text
        journal.append_now([Entry("a", {})])


def test_a_second_name_of_the_journal_is_the_same_journal(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere" / "link.db"
    link.parent.mkdir()
    with Journal.open(path):
        link.symlink_to(path)
        with pytest.raises(JournalError) as refused:
            Journal.open(link)
        assert refused.value.code == "journal-in-use"


HOLD = """
import sys
from cardshoe.journal import Journal
journal = Journal.open(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def test_a_writer_in_another_process_is_refused_until_it_dies_however_it_dies(path: Path) -> None:
    """FR-12, FR-22: the lock goes with its holder, also by kill -9; readers are never kept out."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(JournalError) as refused:
            Journal.open(path)
        assert (refused.value.code, f"process {holder.pid}" in refused.value.text) == ("journal-in-use", True)
        assert verify(path).ok
        holder.kill()
        holder.wait()
    with Journal.open(path) as journal:
        assert (journal.opening.boot, journal.opening.closed_cleanly) == (2, False)


# --- the key


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o777])
def test_a_key_that_others_may_read_is_refused(path: Path, mode: int) -> None:
    """P6: mode 0600 is checked at every open."""
    write_journal(path)
    key = beside(path, ".key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    key.chmod(mode)
    with pytest.raises(JournalError) as refused:
        Journal.open(path)
    assert refused.value.code == "journal-key"
    assert f"{mode:04o}" in refused.value.text


BAD_KEYS = {
    "missing": lambda key: key.unlink(),
    "empty": lambda key: key.write_bytes(b""),
    "no key": lambda key: key.write_bytes(b"hello"),
    "a link": lambda key: key.rename(key.with_suffix(".other")) and key.symlink_to(key.with_suffix(".other")),
}


@pytest.mark.parametrize("spoil", BAD_KEYS.values(), ids=BAD_KEYS)
def test_a_journal_without_its_key_is_not_continued_with_a_new_one(path: Path, spoil) -> None:
    write_journal(path)
    spoil(beside(path, ".key"))
    with pytest.raises(JournalError) as refused:
        Journal.open(path)
    assert refused.value.code == "journal-key"
    assert verify(path).ok


def test_another_journals_key_does_not_continue_this_one(path: Path, tmp_path: Path) -> None:
    write_journal(path)
    write_journal(tmp_path / "other.db")
    before = path.read_bytes()
    with pytest.raises(JournalError) as refused:
        Journal.open(path, key_path=tmp_path / "other.db.key")
    assert refused.value.code == "journal-untrusted"
    assert path.read_bytes() == before


# --- close and failure


def test_close_is_bounded_when_the_disk_does_not_answer(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2, P9: what was not confirmed counts as not recorded, and the caller is not kept."""
    stuck, release = threading.Event(), threading.Event()
    journal = Journal.open(path)
    commit = Committer.commit

    def slow(self: Committer, batch, *, sealed: bool):
        stuck.set()
        release.wait()
        return commit(self, batch, sealed=sealed)

    monkeypatch.setattr(Committer, "commit", slow)
    future = journal.append([Entry("a", {})])
    stuck.wait()
    with pytest.raises(JournalError) as refused:
        journal.close(timeout_s=0.05)
    assert refused.value.code == "journal-close-timeout"
    assert not future.done()
    with pytest.raises(JournalError):
        journal.append([Entry("b", {})])
    release.set()
    future.result()
    journal._writer.stop(10)
    journal._lock.release()


def test_whatever_ends_the_writer_nobody_waits_for_ever(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2: even an error that nobody foresaw answers every waiting future with a failure."""
    journal = Journal.open(path)
    noticed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", noticed.append)

    def broken(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Committer, "commit", broken)
    futures = [journal.append([Entry("a", {})]) for _ in range(3)]
    for future in futures:
        with pytest.raises(JournalError):
            future.result(timeout=10)
    assert len(noticed) == 1
    with pytest.raises(JournalError):
        journal.append([Entry("a", {})])
    assert journal.failure is not None
    journal.close()


def test_a_closed_journal_takes_nothing_and_closes_twice(path: Path) -> None:
    journal = Journal.open(path)
    journal.close()
    journal.close()
    with pytest.raises(JournalError) as refused:
        journal.append([Entry("a", {})])
    assert refused.value.code == "journal-stopped"
    assert _kinds(path) == ["journal_created", "journal_opened", "journal_closed"]


def test_the_anchor_follows_when_the_journal_comes_to_rest(path: Path) -> None:
    """P6: a moment after the last commit the tail is under a signature, without a round's end."""
    with Journal.open(path) as journal:
        journal.append_now([Entry("a", {})])
        for _ in range(1000):
            if verify(path).signed:
                break
            threading.Event().wait(0.01)
        verdict = verify(path)
        assert (verdict.signed, verdict.signed_to) == (True, 3)


def test_a_tail_that_no_signature_covers_yet_is_trusted_and_said_so(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P6: killed between a commit and the anchor: the records count, the verdict tells how far signatures reach."""
    monkeypatch.setattr("cardshoe.journal.writer.QUIET_S", 3600)
    with Journal.open(path) as journal:
        journal.append_now([Entry("a", {}), Entry("b", {})])
        verdict = verify(path)
        assert (verdict.ok, verdict.records, verdict.signed, verdict.signed_to) == (True, 4, False, 2)
    assert verify(path).signed


def test_a_failure_that_nobody_was_told_is_told_at_close(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2: the anchor is kept when nobody waits; its trouble must not end in silence."""
    journal = Journal.open(path)

    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(AnchorFile, "write", broken)
    journal.append_now([Entry("a", {})])
    with pytest.raises(JournalError) as refused:
        journal.close()
    assert refused.value.code == "journal-disk"
    assert _kinds(path)[-1] in ("a", "journal_closed")


# --- where it can be


def test_a_directory_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        Journal.open(tmp_path / "none" / "table.db")
    assert refused.value.code == "journal-directory"
    assert str(tmp_path / "none") in refused.value.text


def test_a_directory_in_the_place_of_the_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "table.db").mkdir()
    with pytest.raises((ConfigError, JournalError)):
        Journal.open(tmp_path / "table.db")
    assert (tmp_path / "table.db").is_dir()


def test_too_little_room_is_told_at_the_start_with_the_directory(path: Path) -> None:
    """FR-45: the message names the directory and the bytes; nothing was made."""
    free = space_room.free_space(path.parent).free_bytes
    with pytest.raises(JournalError) as refused:
        Journal.open(path, min_free_bytes=free * 2 + 1)
    assert refused.value.code == "journal-space"
    assert str(path.parent) in refused.value.text
    assert not path.exists()


def test_room_is_told_as_the_system_tells_it(tmp_path: Path) -> None:
    found = space_room.require_space(tmp_path, 1)
    assert 0 < found.free_bytes <= found.total_bytes
    with pytest.raises(JournalError):
        space_room.free_space(tmp_path / "none")
