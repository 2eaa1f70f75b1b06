"""A journal that was removed with everything beside it, exchanged or put back older is asked about (P6, FR-09)."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from keeping_bench import Call, Home, Running, called, played

from cardshoe.errors import JournalError
from cardshoe.journal import JournalReader, verify
from cardshoe.journal.archive import continue_in
from cardshoe.table.config import parse_config
from cardshoe.table.journal_memory import JournalMemory, memory_of


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return called(capsys)


def memory(home: Home) -> JournalMemory:
    """What is remembered of the table's journal, in a folder beside."""
    return JournalMemory(home.journal, home.folder.parent / "state")


def remove(home: Home) -> None:
    """Everything that is called like the journal."""
    for path in home.folder.glob("table.sqlite*"):
        path.unlink()


def refusal(home: Home) -> str:
    with pytest.raises(JournalError) as refused:
        memory(home).require()
    assert refused.value.code == "journal-gone"
    assert "cardshoe journal accept" in refused.value.text
    return refused.value.text


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A table whose journal is remembered."""
    made = Home(tmp_path / "home")
    memory(made).require()  # nothing is remembered of a new one
    played(made)
    memory(made).keep()
    memory(made).require()
    return made


def test_removed_with_key_and_anchor(home: Home) -> None:
    remove(home)
    assert "there is no journal" in refusal(home)


def test_another_one_in_its_place(home: Home) -> None:
    remove(home)
    for _ in range(4):
        played(home)
    assert "another journal" in refusal(home)


def test_an_older_copy_with_its_own_anchor(home: Home, tmp_path: Path) -> None:
    """What the anchor cannot show, for it was put back, too; and so with one that went on otherwise."""
    shutil.copytree(home.folder, tmp_path / "older")
    played(home)
    played(home)
    memory(home).keep()
    for ends in ("an older copy is there", "is another than the one"):
        remove(home)
        for path in (tmp_path / "older").glob("table.sqlite*"):
            shutil.copy2(path, home.folder)
        if ends.startswith("is"):
            for _ in range(3):
                played(home)
        assert verify(home.journal).ok
        assert ends in refusal(home)


def test_one_that_went_on_or_is_continued_is_the_same(home: Home, tmp_path: Path) -> None:
    """A kill before the end was remembered; an archive whose new journal takes the old one's name."""
    played(home)
    memory(home).require()
    memory(home).keep()
    new = tmp_path / "new"
    continue_in(home.journal, new, lambda reader: [])
    remove(home)
    for end in ("", ".key", ".anchor"):
        Path(f"{new}{end}").rename(f"{home.journal}{end}")
    memory(home).require()


def test_a_started_table_asks_and_the_answer_stands_in_the_journal(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`cardshoe run` remembers by itself, kill or not; without the answer nothing starts, and nothing is made."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    home = Home(tmp_path / "home")
    Running(home.config).kill()
    records = verify(home.journal).records
    remove(home)
    for _ in range(2):
        status, _out, err = call("run", "--config", home.config)
        assert (status, "there is no journal" in err) == (4, True)
        assert list(home.folder.glob("table.sqlite*")) == []
    status, out, err = call("journal", "accept", "--config", home.config, "--reason", "disk replaced", "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["reason"] == "disk replaced"
    with JournalReader(home.journal) as reader:
        (body,) = [record.body for record in reader.records() if record.kind == "journal_accepted"]
    assert body["records"] in range(1, records + 1)
    assert Running(home.config).end() == (0, "")
    assert verify(home.journal).ok
    assert call("journal", "accept", "--config", home.config, "--reason", "again")[0] == 2


def test_a_reason_that_cannot_be_read_is_none(call: Call, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(home.folder.parent / "own"))
    memory_of(parse_config(home.config.read_text(), "t"), home.folder).keep()
    remove(home)
    for reason in ("", " ", "\x1b[2J", "x" * 201):
        assert call("journal", "accept", "--config", home.config, "--reason", reason)[0] == 2
        assert list(home.folder.glob("table.sqlite*")) == []


def test_where_nothing_can_be_remembered_a_bench_says_so_and_goes_on(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A live table does not start there; see `memory_of`."""
    (tmp_path / "state").write_text("no folder")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    home = Home(tmp_path / "home")
    status, err = Running(home.config).end()
    assert status == 0
    assert "does not remember the journal" in err
    assert JournalMemory(home.journal, None).known() is None
    played(home)
    with pytest.raises(Exception, match="cannot write"):
        JournalMemory(home.journal, tmp_path / "state", must=True).keep()
    assert os.path.isfile(tmp_path / "state")
