"""A damaged file is kept as it is, loudly, and never replaced by an empty one (FR-09, FR-45, E36)."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from journal_bench import beside, copy_journal, write_journal

from cardshoe.errors import JournalError
from cardshoe.journal import Entry, Journal, JournalReader, verify

Damage = Callable[[Path], object]

DIE = """
import os, sys, time
from cardshoe.journal import Entry, Journal
journal = Journal.open(sys.argv[1])
for number in range(40):
    journal.append_now([Entry("wager_placed", {"note": "x" * 900}, number)])
while journal._writer._committer.unanchored:
    time.sleep(0.001)
os.kill(os.getpid(), 9)
"""


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal whose writer died by kill -9, at rest: most of its records are in the write-ahead file."""
    path = tmp_path_factory.mktemp("killed") / "table.db"
    write_journal(path, rounds=30)
    subprocess.run([sys.executable, "-c", DIE, str(path)], check=False)
    assert beside(path, "-wal").stat().st_size > 40 * 900
    return path


def _overwrite(at: float, size: int = 4096) -> Damage:
    def damage(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(int(path.stat().st_size * at))
            file.write(b"\xa5" * size)

    return damage


def _truncate(end: str, by: int) -> Damage:
    return lambda path: os.truncate(beside(path, end), max(0, beside(path, end).stat().st_size - by))


def _zero(end: str, first: int = 0) -> Damage:
    def damage(path: Path) -> None:
        file = beside(path, end)
        file.write_bytes(file.read_bytes()[:first] + bytes(file.stat().st_size - first))

    return damage


def _flip(end: str, at: int) -> Damage:
    def damage(path: Path) -> None:
        content = bytearray(beside(path, end).read_bytes())
        content[at] ^= 0xFF
        beside(path, end).write_bytes(content)

    return damage


def _another_database(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("create table a (b)")
    connection.close()


DAMAGES: dict[str, Damage] = {
    "4 KiB overwritten in the middle": _overwrite(0.5),
    "4 KiB overwritten at the start": _overwrite(0.0),
    "4 KiB overwritten near the end": _overwrite(0.8),
    "100 bytes cut off": _truncate("", 100),
    "cut to nothing": _truncate("", 10**9),
    "write-ahead file zeroed": _zero("-wal"),
    "write-ahead file zeroed behind its header": _zero("-wal", 32),
    "write-ahead file zeroed from its middle": _zero("-wal", 40_000),
    "write-ahead file cut short": lambda path: os.truncate(beside(path, "-wal"), 100_000),
    "write-ahead file gone": lambda path: beside(path, "-wal").unlink(),
    "a bit of the write-ahead file": _flip("-wal", 60_000),
    "header flipped": _flip("", 3),
    "page size flipped": _flip("", 16),
    "text instead of a database": lambda path: path.write_text("hello\n" * 1000),
    "another database": _another_database,
}


def _prints(path: Path) -> dict[str, str]:
    """A digest of every file that holds records; the index of the write-ahead file (-shm) holds none."""
    return {
        end: hashlib.sha256(beside(path, end).read_bytes()).hexdigest()
        for end in ("", "-wal", ".anchor", ".key")
        if beside(path, end).exists()
    }


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_journal_is_refused_and_left_as_it_is(killed: Path, tmp_path: Path, damage: Damage) -> None:
    """FR-09: no opening, twice, and not a byte is changed; the verdict is "not to be trusted" and never a traceback."""
    path = copy_journal(killed, tmp_path / "copy")
    beside(path, "-shm").unlink(missing_ok=True)
    assert verify(path).ok
    damage(path)
    before = _prints(path)
    for _ in range(2):
        assert not verify(path).ok
        with pytest.raises(JournalError) as refused:
            Journal.open(path)
        assert refused.value.code in ("journal-damaged", "journal-untrusted")
        assert str(path) in refused.value.text
        assert refused.value.exit_status == 4
    assert _prints(path) == before


def test_a_sound_journal_after_kill_is_continued(killed: Path, tmp_path: Path) -> None:
    """P2: the same journal without damage opens with every record."""
    path = copy_journal(killed, tmp_path / "copy")
    with Journal.open(path) as journal:
        assert (journal.opening.records, journal.opening.closed_cleanly, journal.opening.boot) == (164, False, 3)
    assert verify(path).ok


def test_the_good_records_before_the_damage_can_still_be_read(killed: Path, tmp_path: Path) -> None:
    """FR-09: last good records recovered if possible."""
    path = copy_journal(killed, tmp_path / "copy")
    _zero("-wal")(path)
    with JournalReader(path) as reader:
        records = list(reader.records())
    assert [record.seq for record in records] == list(range(1, 125))


def test_a_journal_that_is_gone_is_not_begun_anew(tmp_path: Path) -> None:
    """FR-09: no dealing on an empty journal without an operator's word, given by moving the anchor aside."""
    path = tmp_path / "table.db"
    write_journal(path)
    path.unlink()
    with pytest.raises(JournalError) as refused:
        Journal.open(path)
    assert refused.value.code == "journal-gone"
    assert not path.exists()
    beside(path, ".anchor").rename(tmp_path / "for the auditor")
    with Journal.open(path) as journal:
        assert journal.opening.created


def test_an_empty_file_is_not_taken_for_a_new_journal(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    path.touch()
    with pytest.raises(JournalError) as refused:
        Journal.open(path)
    assert refused.value.code == "journal-damaged"
    assert path.stat().st_size == 0


def test_what_a_death_at_birth_left_is_swept_up(tmp_path: Path) -> None:
    """P2: a journal comes to be whole or not at all."""
    path = tmp_path / "table.db"
    for end in (".new", ".new-journal", ".new-wal", ".key.new", ".anchor.new"):
        beside(path, end).write_bytes(b"half")
    with Journal.open(path) as journal:
        journal.append_now([Entry("a", {})])
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "table.db",
        "table.db.anchor",
        "table.db.key",
        "table.db.lock",
    ]


def test_a_journal_of_a_read_only_medium_can_be_verified(tmp_path: Path) -> None:
    """P6: the auditor's copy lies where nothing can be written."""
    path = tmp_path / "medium" / "table.db"
    path.parent.mkdir()
    write_journal(path)
    code = (
        "import sys; from pathlib import Path; from cardshoe.journal import verify; print(verify(Path(sys.argv[1])).ok)"
    )
    beside(path, ".lock").unlink()
    mounted = _read_only_mount(tmp_path / "medium", [sys.executable, "-c", code, str(path)])
    assert mounted == "True\n"


def _read_only_mount(directory: Path, command: list[str]) -> str:
    """Run `command` where `directory` is read-only for everybody; skip where that cannot be had."""
    script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rm", "true"], check=False, capture_output=True).returncode:
        _cannot("unshare -rm is not allowed here: no mount of our own")
    done = subprocess.run(
        [str(unshare), "-rm", "sh", "-c", script, str(directory), *command], check=True, capture_output=True, text=True
    )
    return done.stdout


def _cannot(reason: str) -> None:
    if os.environ.get("CARDSHOE_REQUIRE") == "all":
        pytest.fail(reason)
    pytest.skip(reason)


def test_a_killed_journal_on_a_read_only_medium_says_what_to_do(killed: Path, tmp_path: Path) -> None:
    """P6: its last records are in the write-ahead file, which SQLite cannot read without writing beside it."""
    path = copy_journal(killed, tmp_path / "medium", ends=("", "-wal", ".anchor"))
    code = "import sys; from pathlib import Path; from cardshoe.journal import verify; print(verify(Path(sys.argv[1])))"
    said = _read_only_mount(tmp_path / "medium", [sys.executable, "-c", code, str(path)])
    assert "ok=False" in said
    assert "copy table.db and its -wal to another one" in said


OPEN = """
import sys
from cardshoe.errors import CardshoeError
from cardshoe.journal import Journal
try:
    Journal.open(sys.argv[1])
except CardshoeError as error:
    print(error.code, error.text)
"""


def test_a_journal_that_cannot_be_written_is_not_opened(tmp_path: Path) -> None:
    """FR-09: a file system that the kernel made read-only."""
    directory = tmp_path / "medium"
    directory.mkdir()
    write_journal(directory / "table.db")
    said = _read_only_mount(directory, [sys.executable, "-c", OPEN, str(directory / "table.db")])
    assert said.startswith("journal-read-only")
    assert str(directory / "table.db") in said
