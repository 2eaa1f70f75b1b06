"""What a commit finds ready and looks at: room in the write-ahead file, and whether the files are still there (P2)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from journal_bench import beside, copy_journal

from cardshoe.errors import JournalError
from cardshoe.journal import Entry, Journal, log_room, verify
from cardshoe.journal.log_room import LOG_BYTES, make_room
from cardshoe.journal.presence import SETTLED_NS, Presence
from cardshoe.journal.space import Space

HEADER_BYTES, FRAME_BYTES = 32, 24 + 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


def _until(true: Callable[[], bool]) -> None:
    while not true():
        time.sleep(0.001)


def test_the_write_ahead_file_has_room_once_the_journal_is_open(path: Path) -> None:
    """P2: what is committed into the room made before is read like any other, also after a kill."""
    with Journal.open(path) as journal:
        _until(lambda: beside(path, "-wal").stat().st_size == LOG_BYTES)
        last = [journal.append_now([Entry("a", {"n": n})]).last_seq for n in range(300)][-1]
        assert (verify(path).records, verify(path).ok) == (last, True)
    assert not beside(path, "-wal").exists()


def test_room_is_made_behind_the_frames_of_an_earlier_start(path: Path, tmp_path: Path) -> None:
    """P2: a write-ahead file that a killed table left is lengthened, never overwritten."""
    with Journal.open(path) as journal:
        last = journal.append_now([Entry("a", {"n": n}) for n in range(50)]).last_seq
        copy = copy_journal(path, tmp_path / "killed", ends=("", "-wal", ".key", ".anchor"))
    wal = beside(copy, "-wal")
    frames = -(-len(wal.read_bytes().rstrip(b"\0")) // FRAME_BYTES)
    os.truncate(wal, HEADER_BYTES + frames * FRAME_BYTES)
    before = wal.read_bytes()
    make_room(copy)
    assert wal.read_bytes() == before + bytes(LOG_BYTES - len(before))
    assert verify(copy).records == last
    with Journal.open(copy) as journal:
        assert journal.append_now([Entry("b", {})]).first_seq == last + 2


def test_where_the_disk_is_short_no_room_is_taken(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FR-45: what is left is for records."""
    monkeypatch.setattr(log_room, "free_space", lambda where: Space(str(where), LOG_BYTES * 15, LOG_BYTES * 90))
    with Journal.open(path) as journal:
        assert journal.append_now([Entry("a", {})]).last_seq == 3
        assert beside(path, "-wal").stat().st_size < LOG_BYTES


def test_an_empty_write_ahead_file_is_left_alone(path: Path) -> None:
    """P6: zeros without the file's header would look like a file that somebody emptied."""
    beside(path, "-wal").touch()
    make_room(path)
    assert beside(path, "-wal").stat().st_size == 0


def _replaced(file: Path) -> None:
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content)


def _put_over(file: Path) -> None:
    other = file.parent.parent / "other"
    other.write_bytes(file.read_bytes())
    other.rename(file)


TAKEN: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "moved": lambda file: file.rename(file.with_name("aside")),
    "replaced": _replaced,
    "replaced in one step": _put_over,
    "its directory moved": lambda file: file.parent.rename(file.parent.with_name("elsewhere")),
}


@pytest.mark.parametrize("take", TAKEN.values(), ids=TAKEN)
@pytest.mark.parametrize("end", ["", "-wal"])
@pytest.mark.parametrize("rested", [False, True], ids=["just made", "at rest"])
def test_a_file_that_is_taken_is_found(
    tmp_path: Path, take: Callable[[Path], object], end: str, *, rested: bool
) -> None:
    """P2: after whatever rest, however quickly it happens after the last look."""
    path = tmp_path / "place" / "table.db"
    path.parent.mkdir()
    for each in ("", "-wal"):
        beside(path, each).write_bytes(b"x")
    presence = Presence(path)
    with beside(path, end).open():  # as SQLite has it, so that its number is not given again
        presence.require()
        if rested:
            time.sleep(2 * SETTLED_NS / 1e9)
        presence.require()
        presence.require()
        take(beside(path, end))
        with pytest.raises(JournalError) as refused:
            presence.require()
    assert refused.value.code == "journal-moved"


def test_what_else_happens_in_the_directory_does_not_matter(tmp_path: Path) -> None:
    for each in ("", "-wal"):
        beside(tmp_path / "table.db", each).write_bytes(b"x")
    presence = Presence(tmp_path / "table.db")
    for number in range(3):
        presence.require()
        time.sleep(2 * SETTLED_NS / 1e9)
        presence.require()
        (tmp_path / f"other {number}").touch()
    presence.require()
