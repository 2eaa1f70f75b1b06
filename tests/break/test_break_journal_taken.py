"""The journal's files are taken away from under a running table: nothing more is told or dealt (P2, P6)."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest
from break_bench import bench, line, run, until, write_all

from cardshoe.errors import JournalError
from cardshoe.journal import Entry, Journal, trouble


def _deleted(path: Path) -> None:
    path.unlink()


def _moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def _replaced(path: Path) -> None:
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data)


@pytest.mark.parametrize("suffix", ["", "-wal"])
@pytest.mark.parametrize("take", [_deleted, _moved, _replaced])
def test_no_record_is_confirmed_that_nobody_will_find(tmp_path: Path, take: object, suffix: str) -> None:
    """P2: SQLite goes on writing into a file without a name; an append into one is not confirmed."""
    path = tmp_path / "journal"
    journal = Journal.open(path)
    journal.append_now([Entry("note", {"n": 1})])
    assert callable(take)
    take(path.with_name(path.name + suffix))
    with pytest.raises(JournalError) as caught:
        journal.append_now([Entry("note", {"n": 2})])
    assert caught.value.code == "journal-moved"
    assert str(path) in caught.value.text
    with pytest.raises(JournalError, match="takes no more records"):
        journal.append([Entry("note", {"n": 3})])
    journal.close()


def test_a_running_table_stops_when_its_journal_is_deleted(tmp_path: Path) -> None:
    """P2, exit status 4: the next thing that is entered is not accepted, in one paragraph."""
    with bench(tmp_path) as table_bench:
        table = table_bench.table()
        until(table, "open_round")
        for name in ("journal", "journal-wal", "journal-shm"):
            (tmp_path / name).unlink()
        assert table.stdin is not None
        write_all(table.stdin.fileno(), line("open_round", seats={"1": "Ann"}))
        out, err = table.communicate(timeout=30)
    assert table.returncode == 4
    assert b'"accepted": true' not in out
    assert b"was deleted, moved or replaced" in err
    assert len(err.splitlines()) == 1


def test_too_many_open_files_are_not_called_a_broken_disk(tmp_path: Path) -> None:
    """One paragraph that says what to do, exit status 3 or 4, and no card moves."""
    with bench(tmp_path) as table_bench:
        seen = set()
        for most in (8, 10, 12, 14):
            ended = run(
                "run",
                "--config",
                table_bench.config,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)),  # noqa: B023
            )
            assert ended.returncode in (0, 3, 4), ended.stderr
            assert "Traceback" not in ended.stderr
            assert "replace this one" not in ended.stderr
            assert "Unplug" not in ended.stderr
            seen.add(ended.returncode)
        assert table_bench.ask(do="counters")["feeds_started"] == 0
    assert seen & {3, 4}


def test_the_reason_is_named_where_sqlite_names_none(tmp_path: Path) -> None:
    program = (
        "import os, resource, sqlite3, sys; from pathlib import Path; from cardshoe.journal import trouble\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (8, 8))\n"
        "held = [os.dup(0) for _ in range(5)]\n"
        "try:\n"
        "    sqlite3.connect(sys.argv[1]).execute('CREATE TABLE x (y)')\n"
        "except sqlite3.Error as error:\n"
        "    found = trouble.from_sqlite(error, Path(sys.argv[1]))\n"
        "    os.write(1, found.code.encode())\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "journal")]
    ended = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "journal-no-descriptor"
    assert trouble.no_descriptor(tmp_path / "journal", "x").exit_status == 4
