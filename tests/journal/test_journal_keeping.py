"""Heads kept elsewhere, shorter journals, forms of an export: what keeps a journal provable beyond its table."""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from journal_bench import beside, copy_journal, replace_rows, rows_of
from played_rounds import play

from cardshoe.cli import run as run_command
from cardshoe.errors import JournalError
from cardshoe.journal import Entry, Journal, archive, verify
from cardshoe.journal.replay import MachineDriver, replay
from cardshoe.lab.virtual import VirtualTable
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.sim.world import World
from cardshoe.table.config import parse_config
from cardshoe.table.header import opened
from cardshoe.table.memory import recalled

Call = Callable[..., tuple[int, str, str]]
ROUNDS = 6
CONFIG = """
[table]
name = "T1"
mode = "bench"
game = "ultimate-texas-holdem"
journal = "unused"
[devices.shoe]
url = "sim://shoe"
[devices.reader]
url = "sim://reader"
"""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    def call(*words: object) -> tuple[int, str, str]:
        status = run_command(["journal", *map(str, words)])
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


@pytest.fixture(scope="module")
def dealt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The journal of a whole table: six rounds, and a seventh that is open."""
    path = tmp_path_factory.mktemp("dealt") / "table.db"
    table = VirtualTable(parse_config(CONFIG, "test"), World(seed=3, speed=50.0), seed=3)
    people = VirtualPlay(table, seed=3, speed=50.0)
    people.rounds(ROUNDS)
    with Journal.open(path) as journal:
        journal.append_now([Entry("table_opened", opened(table.controller.desk))])
        journal.append_now(table.entries)
        journal.append_now([*play(ROUNDS + 1, "ultimate-texas-holdem", 4)][:4])
    return path


# --- heads kept elsewhere


def test_a_head_on_another_medium_finds_what_the_computer_hides(call: Call, dealt: Path, tmp_path: Path) -> None:
    """P6: whoever owns the computer has the key, and still cannot take back what was anchored elsewhere."""
    path, kept = copy_journal(dealt, tmp_path / "copy"), tmp_path / "kept"
    status, out, _ = call("anchor", path, "--to", kept, "--json")
    told = json.loads(out)
    assert (status, told["seq"], told["head"]) == (0, len(rows_of(path)), rows_of(path)[-1].digest.hex())
    assert call("verify", path, "--anchor", kept)[0] == 0
    older = copy_journal(path, tmp_path / "older")
    status, out, _ = call("sign", path, "--json")
    assert (status, json.loads(out)["reason"]) == (0, "shift-end")
    assert call("anchor", path, "--to", kept)[0] == 0
    assert call("verify", path, "--anchor", kept)[0] == 0
    before = kept.read_bytes()
    assert call("verify", older)[0] == 0  # the older copy is whole in itself
    assert call("verify", older, "--anchor", kept)[0] == 4
    status, _, err = call("anchor", older, "--to", kept)
    assert (status, kept.read_bytes()) == (4, before)
    assert "cut short" in err


def test_a_shift_end_is_a_signed_head_of_its_own(call: Call, dealt: Path, tmp_path: Path) -> None:
    path = copy_journal(dealt, tmp_path / "copy")
    last = len(rows_of(path))
    assert call("sign", path, "--reason", "shift-end")[0] == 0
    signed = rows_of(path)[last + 1]
    assert json.loads(signed.text)["body"] == {"reason": "shift-end"}
    assert len(signed.signature) == 64
    assert call("sign", path, "--reason", "Two words")[0] == 2
    assert call("sign", tmp_path / "none")[0] == 2
    assert not (tmp_path / "none").exists()
    with Journal.open(path):
        status, _, err = call("sign", path)
    assert status == 4
    assert "open for writing elsewhere" in err


# --- shorter journals


def test_a_shorter_journal_continues_the_long_one(call: Call, dealt: Path, tmp_path: Path) -> None:
    """C5, E7: whole rounds by count; the old file is not touched; a table on the new one stands where it stood."""
    path, new = copy_journal(dealt, tmp_path / "copy"), tmp_path / "next" / "table.db"
    new.parent.mkdir()
    before, key = rows_of(path), beside(path, ".key").read_bytes()
    status, out, err = call("archive", path, "--keep-rounds", 4, "--to", new, "--json")
    assert status == 0, err
    told = json.loads(out)
    assert (rows_of(path)[:-1], beside(path, ".key").read_bytes()) == (before, key)
    old, verdict = verify(path), verify(new)
    assert (old.ok, old.signed, old.records) == (True, True, len(before) + 1)
    assert (verdict.ok, verdict.signed, verdict.public_key) == (True, True, old.public_key)
    assert (told["head"], told["new_head"]) == (before[-1].digest.hex(), verdict.head)
    begins = json.loads(rows_of(new)[0].text)["body"]
    genesis = begins["continues"]
    assert (genesis["head"], genesis["records"], genesis["file"]) == (told["head"], len(before), "table.db")
    mark = json.loads(rows_of(path)[-1].text)["body"]
    assert mark["successor"] == {"journal": begins["journal"], "file": "table.db", "head": verdict.head}
    assert rows_of(new)[1].text.find('"kind":"table_opened"') > 0
    replace_rows(path, before)  # as it was before it was continued
    beside(path, ".anchor").unlink()
    with Journal.open(path) as one, Journal.open(new) as other:
        assert recalled(other) == recalled(one)
        with other.reader() as reader:
            found = replay(reader.records(), MachineDriver())
        assert (found.ok, found.rounds, found.settled, found.unsettled) == (True, 5, 4, (ROUNDS + 1,))
    assert beside(new, ".key").stat().st_mode & 0o777 == 0o600


def test_a_journal_that_is_continued_takes_no_more(call: Call, dealt: Path, tmp_path: Path) -> None:
    """P6: there are not two that go on; it is verified, shown and exported as before."""
    path = copy_journal(dealt, tmp_path / "copy")
    assert call("archive", path, "--keep-rounds", 4, "--to", tmp_path / "a")[0] == 0
    rows = rows_of(path)
    for words in (("sign", path), ("archive", path, "--keep-rounds", 4, "--to", tmp_path / "b")):
        status, _, err = call(*words)
        assert (status, "is continued in a" in err) == (4, True)
    with pytest.raises(JournalError) as refused:
        Journal.open(path)
    assert refused.value.code == "journal-continued"
    assert rows_of(path) == rows
    assert not (tmp_path / "b").exists()
    for words in (("verify", path), ("show", path), ("export", path), ("replay", path)):
        assert call(*words)[0] == 0


@pytest.mark.parametrize("cut", ["_mark", "found", "write_whole"])
def test_an_archive_that_was_cut_off_is_finished_by_the_same_call(
    call: Call, dealt: Path, tmp_path: Path, cut: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P2: before the mark, before the new journal, before its key; the old one goes on meanwhile if need be."""
    path, new = copy_journal(dealt, tmp_path / "copy"), tmp_path / "a"

    def fails(*_: object, **_more: object) -> None:
        raise OSError(5, "cut off")

    with monkeypatch.context() as patched:
        patched.setattr(archive, cut, fails)
        assert call("archive", path, "--keep-rounds", 4, "--to", new)[0] == 4
    assert verify(path).records == len(rows_of(dealt))
    made = rows_of(new)[-1].digest if new.exists() else None
    assert (made is not None) == (cut == "_mark")
    status, out, err = call("archive", path, "--keep-rounds", 4, "--to", new, "--json")
    assert (status, err) == (0, "")
    told = json.loads(out)
    assert told["new_head"] == rows_of(new)[-1].digest.hex()
    assert made in (None, rows_of(new)[-1].digest)
    assert json.loads(rows_of(path)[-1].text)["body"]["successor"]["head"] == told["new_head"]
    assert verify(new).ok


def test_an_archive_that_was_cut_off_before_the_table_went_on_is_in_the_way(
    call: Call, dealt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P6: it continues an earlier state; nothing is made of the two."""
    path, new = copy_journal(dealt, tmp_path / "copy"), tmp_path / "a"
    with monkeypatch.context() as patched:
        patched.setattr(archive, "_mark", lambda *_: (_ for _ in ()).throw(OSError(5, "cut off")))
        assert call("archive", path, "--keep-rounds", 4, "--to", new)[0] == 4
    assert call("sign", path)[0] == 0
    status, _, err = call("archive", path, "--keep-rounds", 4, "--to", new)
    assert (status, "lies there" in err) == (2, True)


def test_an_archive_that_cannot_be_changes_nothing(call: Call, dealt: Path, tmp_path: Path) -> None:
    """P6: too few rounds, a place that is taken, a table that runs, a journal that cannot be trusted."""
    path = copy_journal(dealt, tmp_path / "copy")
    taken = tmp_path / "taken"
    taken.write_text("something")
    assert call("archive", path, "--keep-rounds", ROUNDS, "--to", tmp_path / "a")[0] == 2
    assert call("archive", path, "--keep-rounds", 3, "--to", tmp_path / "a")[0] == 2
    assert call("archive", path, "--keep-rounds", 4, "--to", taken)[0] == 2
    assert call("archive", path, "--keep-rounds", 4, "--to", tmp_path / "no" / "a")[0] == 2
    assert call("archive", path, "--keep-rounds", 4, "--to", "/")[0] == 2
    assert call("archive", path, "--keep-rounds", 4, "--to", tmp_path)[0] == 2
    with Journal.open(path):
        assert call("archive", path, "--keep-rounds", 4, "--to", tmp_path / "a")[0] == 4
    replace_rows(path, rows_of(path)[:-3])
    assert call("archive", path, "--keep-rounds", 4, "--to", tmp_path / "a")[0] == 4
    assert taken.read_text() == "something"
    assert not (tmp_path / "a").exists()
    assert not (tmp_path / "a.key").exists()


# --- forms


def test_the_table_for_a_spreadsheet_says_what_the_lines_say(call: Call, dealt: Path) -> None:
    lines = [json.loads(line) for line in call("export", dealt)[1].splitlines()]
    rows = list(csv.DictReader(call("export", dealt, "--csv")[1].splitlines()))
    assert len(rows) == len(lines)
    for row, line in zip(rows, lines, strict=True):
        assert json.loads(row["body"]) == line["body"]
        for name in ("seq", "kind", "round", "boot", "mono_us", "wall", "digest", "signature"):
            assert row[name] == ("" if line[name] is None else str(line[name]))


class Page(HTMLParser):
    """The text of a page, its tags, and everything that would be fetched or run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.tags, self.fetched = "", set[str](), list[str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.fetched += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href") or name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data + " "


def test_the_page_of_a_round_tells_all_of_it(call: Call, dealt: Path, tmp_path: Path) -> None:
    """C5: hands, wagers, payouts with their clauses, every event, every digest; no script, nothing fetched."""
    to = tmp_path / "round.html"
    assert call("export", dealt, "--html", "--round", 3, "--to", to)[0] == 0
    page = Page(to.read_text())
    assert page.fetched == []
    assert page.tags & {"script", "img", "link", "iframe", "object"} == set()
    records = [json.loads(row.text) for row in rows_of(dealt)]
    of_round = [record for record in records if record["round"] == 3]
    account = next(record["body"] for record in of_round if record["kind"] == "settled")
    for hand in account["positions"].values():
        assert hand["player"] in page.text
        for wager in hand["result"]["wagers"]:
            assert wager["cites"] in page.text
    assert all(rows_of(dealt)[record["seq"] - 1].digest.hex() in page.text for record in of_round)
    assert verify(dealt).head in page.text


def test_the_page_shows_no_card_that_was_not_turned_up(call: Call, dealt: Path) -> None:
    """P4: every card of the page was reported face up."""
    page = call("export", dealt, "--html", "--round", 2)[1]
    cards = set(re.findall(r'<span class="card(?: red)?">([^<]+)</span>', page))
    suits = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}
    records = [json.loads(row.text) for row in rows_of(dealt)]
    turned = {r["body"]["face"] for r in records if r["kind"] == "card-turned" and r["round"] == 2}
    assert {card[:-1] + suits[card[-1]] for card in cards} == turned != set()


def test_a_round_that_is_open_has_a_page_too(call: Call, dealt: Path) -> None:
    status, page, _ = call("export", dealt, "--html", "--round", ROUNDS + 1)
    assert status == 0
    assert "not complete" in page


def test_a_name_cannot_write_into_the_page(call: Call, tmp_path: Path) -> None:
    """C5: what a person entered is shown, never obeyed."""
    path, name = tmp_path / "table.db", '<script>alert("x")</script>&'
    with Journal.open(path) as journal:
        journal.append_now([Entry("round-opened", {"note": name}, 1), Entry("settled", {"positions": {}}, 1)])
    page = call("export", path, "--html", "--round", 1)[1]
    assert "<script" not in page
    assert html.escape(name) in page


def test_forms_that_do_not_go_together_are_wrong_usage(call: Call, dealt: Path) -> None:
    for words in (("--csv", "--html", "--round", 1), ("--html",), ("--round", 1), ("--html", "--round", 999)):
        status, out, err = call("export", dealt, *words)
        assert (status, out) == (2, "")
        assert err.startswith("cardshoe: ")


@pytest.mark.parametrize("held_open", [False, True], ids=["stopped", "running"])
def test_the_last_four_rounds_can_be_seen_at_any_time(call: Call, dealt: Path, tmp_path: Path, held_open: bool) -> None:
    """E7: in the order played, the open one among them, while a table holds the journal open and when none does."""
    path = copy_journal(dealt, tmp_path / "copy")
    journal = Journal.open(path) if held_open else None
    if journal is not None:
        journal.append_now([Entry("alarm_raised", {"code": "stop-asked", "text": "held"}, ROUNDS + 1)])
    status, out, _ = call("show", path, "--rounds", 4, "--json")
    told = call("show", path, "--rounds", 4)[1]
    if journal is not None:
        journal.close()
    assert status == 0
    rounds = [json.loads(line)["round"] for line in out.splitlines()]
    played = [number for number in dict.fromkeys(rounds) if number is not None]
    assert played == [ROUNDS - 2, ROUNDS - 1, ROUNDS, ROUNDS + 1]
    assert [f"Round {number} ·" in told for number in (ROUNDS - 3, *played)] == [False, True, True, True, True]
