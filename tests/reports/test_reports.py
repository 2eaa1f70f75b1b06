"""Reports: what a shift came to, counted from records alone, and the sheet of one round for a dispute (C5, E7)."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from cardshoe.cli import run
from cardshoe.journal import Entry, Journal, JournalReader
from cardshoe.journal.canonical import Record
from cardshoe.journal.period import days, shifts
from cardshoe.round import events
from cardshoe.round.machine import apply, open_round
from cardshoe.round.records import kind_of, to_record

WAGERS = {"ante": 1000, "blind": 1000, "trips": 500}


def _entry(event: Any, number: int) -> Entry:
    return Entry(kind_of(event), to_record(event), number)


def _round(number: int, *, void: bool = False) -> Iterator[Entry]:
    """A round of one hand of Ultimate: played to a loss of $25, or voided by the floor."""
    yield _entry(events.RoundOpened(number, "ultimate-texas-holdem", "automated-shoe", {}), number)
    yield _entry(events.PlayerSeated("1", "<Ada>"), number)
    yield _entry(events.AlarmRaised("events-lost", "Reports were lost."), number)
    yield _entry(events.HoldCleared("events-lost", "continue", "floor", "counted & right"), number)
    yield _entry(events.StackDelivered(number, "1", 2), number)
    outcome = "void" if void else "lose"
    wagers = [
        {
            "spot": spot,
            "staked_cents": cents,
            "outcome": outcome,
            "won_cents": 0,
            "returned_cents": cents if void else 0,
            "cites": "NY-5324.36(f)(3)",
        }
        for spot, cents in WAGERS.items()
    ]
    hand = {
        "player": "<Ada>",
        "status": "void" if void else "live",
        "wagers": WAGERS,
        "decided": ["check"],
        "faces": ["As", "Kd"],
        "sources": ["read", "declared"],
        "result": {
            "category": "pair",
            "best": ["As"],
            "limited": False,
            "also": {},
            "won_cents": 0,
            "returned_cents": 2500 if void else 0,
            "wagers": wagers,
        },
    }
    yield Entry(
        "settled",
        {
            "round": number,
            "game": "ultimate-texas-holdem",
            "voided": void,
            "settled_in_order": ["1"],
            "dealer": ["Qh"],
            "board": ["2c"],
            "positions": {"1": hand},
        },
        number,
    )


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Two shifts: two rounds and one void, signed off; then one round, a misfeed and a count."""
    path = tmp_path / "journal.sqlite"
    with Journal.open(path) as kept:
        kept.append([Entry("table_opened", {"name": "Table <4>"})]).result()
        for number in (1, 2):
            for entry in _round(number):
                kept.append([entry]).result()
        for entry in _round(3, void=True):
            kept.append([entry]).result()
        kept.append([Entry("signed_off", {"cards": 0})]).result()
        kept.sign_head("shift-end").result()
        for entry in _round(4):
            kept.append([entry]).result()
        kept.append([Entry("shoe_reported", {"event": "DispenseFailed", "fault": "jam"})]).result()
        kept.append([Entry("stub_counted", {"cards": 40, "expected": 41, "first_round": 4}, 4)]).result()
        kept.append([Entry("alarm_raised", {"code": "disk-space", "text": "full"})]).result()
    return path


def test_a_shift_is_counted(journal: Path) -> None:
    with JournalReader(journal) as reader:
        first, second = shifts(reader.records())
    assert (first.settled, first.voided, first.signed_off) == (2, 1, True)
    assert first.alarms == {"events-lost": 3, "stack-not-asked": 3}  # the second is the round machine's own
    assert {name: spot.house_cents for name, spot in first.spots.items()} == {
        "ante": 2000,
        "blind": 2000,
        "trips": 1000,
    }
    assert first.in_all.void_cents == 2500
    assert first.in_all.hold == 1.0
    assert (second.settled, second.signed_off, second.table) == (1, False, "Table <4>")
    assert second.misfeeds == {"jam": 1}
    assert second.misfeeds_per_10000 == 5000
    assert [(each.round, each.cards, each.expected) for each in second.stub_counts] == [(4, 40, 41)]
    assert second.alarms == {"events-lost": 1, "stack-not-asked": 1, "disk-space": 1}


def test_shifts_and_days_lose_nothing(journal: Path) -> None:
    """Each record is in one shift and in one day; the sums are those of the whole."""
    with JournalReader(journal) as reader:
        whole = list(reader.records())
    for cut in (shifts, days):
        found = list(cut(iter(whole)))
        assert [found[0].first_seq, found[-1].last_seq] == [1, len(whole)]
        assert all(one.last_seq + 1 == next_.first_seq for one, next_ in pairwise(found))
        assert sum(each.rounds for each in found) == 4
        assert sum(each.in_all.drop_cents for each in found) == 3 * sum(WAGERS.values())


def test_time_is_the_monotonic_clocks() -> None:
    """A wall clock that is set changes the day, never the duration; a restart is no time at the table (P9)."""

    def record(seq: int, boot: int, mono_s: int, wall: str, kind: str = "x") -> Record:
        return Record(seq, kind, None, boot, mono_s * 1_000_000, wall, {})

    told = [
        record(1, 1, 100, "2026-01-01T10:00:00.000Z"),
        record(2, 1, 1900, "2031-01-01T10:00:00.000Z", "clock_stepped"),
        record(3, 2, 5, "2026-01-01T23:59:00.000Z"),
        record(4, 2, 1805, "2026-01-02T00:29:00.000Z"),
    ]
    (shift,) = shifts(told)
    assert (shift.open_us, shift.clock_steps) == (3600 * 1_000_000, 1)
    assert [day.title for day in days(told)] == ["2026-01-01", "2031-01-01", "2026-01-01", "2026-01-02"]


def test_a_played_round_asks_as_the_round_machine_asks() -> None:
    """Questions are counted as the machine raises them, also those that no alarm record names."""
    opened = events.RoundOpened(1, "ultimate-texas-holdem", "automated-shoe", {})
    state = open_round(opened)
    told: list[Any] = [opened]
    for event in (events.AlarmRaised("door-open", "x"), events.ForeignCardSeen("board", "a joker")):
        told.append(event)
        state, _ = apply(state, event)
    records = [
        Record(seq, kind_of(each), 1, 1, seq, "2026-01-01T00:00:00Z", to_record(each))
        for seq, each in enumerate(told, 1)
    ]
    (shift,) = shifts(records)
    assert shift.alarms.total() == len(state.holds) == 2


@pytest.mark.parametrize("what", ["shift", "day"])
def test_the_page_stands_alone(what: str, journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No script, no network; what people typed is text."""
    page, sheet = tmp_path / "page.html", tmp_path / "page.csv"
    arguments = ["report", what, "--journal", str(journal), "--html", str(page), "--csv", str(sheet), "--json"]
    assert run(arguments) == 0
    told = json.loads(capsys.readouterr().out)
    text = page.read_text()
    assert "Table &lt;4&gt;" in text
    assert not re.search(r"<script|https?:|src=|@import", text)
    assert "CANNOT BE TRUSTED" not in text
    rows = list(csv.reader(sheet.read_text().splitlines()))
    assert rows[0] == ["what", "of", "value"]
    figures = {(row[0], row[1]): row[2] for row in rows[1:]}
    assert figures["in_all", "drop_cents"] == str(told["in_all"]["drop_cents"])


def test_the_sheet_of_a_round(journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who was asked, who ruled, each payout with its clause, and the proof."""
    page = tmp_path / "round.html"
    assert run(["report", "round", "3", "--journal", str(journal), "--html", str(page)]) == 0
    text = page.read_text()
    for expected in ("void: every wager is returned", "NY-5324.36(f)(3)", "counted &amp; right", "&lt;Ada&gt;", "A♠"):
        assert expected in text
    assert "entered by the dealer" in text
    assert not re.search(r"<script|https?:|src=", text)
    capsys.readouterr()
    assert run(["report", "round", "3", "--journal", str(journal), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["voided"], [each["kind"] for each in told["rulings"]]) == (True, ["alarm-raised", "hold-cleared"])
    assert told["head"] in text


@pytest.mark.parametrize(
    "arguments",
    [["round", "99"], ["shift", "--number", "9"], ["day", "--date", "1999-01-01"]],
    ids=lambda each: each[0],
)
def test_what_is_not_there_is_refused(
    arguments: list[str], journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert run(["report", *arguments, "--journal", str(journal), "--html", str(page)]) == 1
    assert list(tmp_path.glob("page*")) == []
    assert "Traceback" not in capsys.readouterr().err


def test_a_journal_that_was_edited_says_so_on_every_page(
    journal: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """P6: what can be read is still reported, and nobody takes it for proved."""
    with sqlite3.connect(journal) as base:
        (table,) = [
            name for (name,) in base.execute("select name from sqlite_master where type='table'") if "record" in name
        ]
        for (trigger,) in list(base.execute("select name from sqlite_master where type='trigger'")):
            base.execute(f"drop trigger {trigger}")
        (column,) = [row[1] for row in base.execute(f"pragma table_info({table})") if row[1] in ("text", "record")]
        base.execute(f"update {table} set {column} = replace({column}, '1000', '9000') where {column} like '%settled%'")
    base.close()
    for what in (["shift"], ["round", "1"]):
        page = tmp_path / f"{what[0]}.html"
        assert run(["report", *what, "--journal", str(journal), "--html", str(page)]) == 4
        if page.exists():
            assert "CANNOT BE TRUSTED" in page.read_text()
    assert "cannot be trusted" in capsys.readouterr().err
