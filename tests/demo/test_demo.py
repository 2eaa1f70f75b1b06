"""`cardshoe demo --headless`: whole tables as processes on real ptys and TCP ports."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import pytest
from demo_bench import FAST, alive, check, check_by_commands, children, command, demo, elsewhere, run

from cardshoe.games import games
from cardshoe.lab.before_opening import open_round_in

KEYS = [
    "rounds",
    "completed",
    "voided",
    "held",
    "stacks_requested",
    "stacks_dispensed",
    "alarms",
    "journal",
    "journal_head",
]
GAMES = tuple(games())
OTHER_METHODS = [(game, method) for game in GAMES for method in ("manual-shoe", "hand")]


def test_rounds_of_a_world_of_its_own_and_then_some_more(tmp_path: Path) -> None:
    """The last line is the object of the interface; a journal that exists is continued, `stacks_*` over all of it."""
    journal = tmp_path / "journal"
    first = demo("--rounds", 2, "--seed", 1, "--journal", journal)
    assert first.status == 0, first.err
    assert list(first.last) == KEYS
    assert (first.last["rounds"], first.last["completed"], first.last["voided"]) == (2, 2, 0)
    check_by_commands(journal, first.last)
    again = demo("--rounds", 2, "--seed", 1, "--journal", journal, "--game", "three-card-poker", "--line", "tcp")
    assert again.status == 0, again.err
    assert again.last["completed"] == 2
    assert again.last["stacks_requested"] > first.last["stacks_requested"]
    told = check(journal, again.last)
    assert [each["body"]["game"] for each in told if each["kind"] == "round-opened"] == [
        *["ultimate-texas-holdem"] * 2,
        *["three-card-poker"] * 2,
    ]


@pytest.mark.parametrize(("game", "line"), [("texas-holdem-bonus", "pty"), ("ultimate-texas-holdem", "tcp")])
def test_figures_are_those_of_the_world_itself(tmp_path: Path, game: str, line: str) -> None:
    """P1, P10: what the journal says was dispensed is what the machine physically did, on a pty as on TCP."""
    with elsewhere(tmp_path, line=line) as world:
        ended = demo("--rounds", 3, "--seed", 2, "--game", game, "--journal", tmp_path / "journal", *world.options)
        assert ended.status == 0, ended.err
        counters = world.ask(do="counters")
    assert ended.last["completed"] == 3
    assert ended.last["stacks_requested"] == ended.last["stacks_dispensed"] == counters["stacks_dispensed"]
    assert counters["cards_out"] == counters["stacks_dispensed"] * games()[game].cards_each
    assert counters["feeds_started"] == counters["stacks_dispensed"]
    check(tmp_path / "journal", ended.last)


def test_without_a_table_reader_the_shoe_tells_the_hands_and_the_board_is_declared(tmp_path: Path) -> None:
    """SHOE-9.7: no board card has a commitment from the hand; every other face that lies up is told at its step."""
    with elsewhere(tmp_path, reader=False) as world:
        ended = demo("--rounds", 2, "--seed", 3, "--journal", tmp_path / "journal", *world.options)
    assert ended.status == 0, ended.err
    told = check(tmp_path / "journal", ended.last)
    turned = {
        (each["body"]["place"] == "board", each["body"]["source"]) for each in told if each["kind"] == "card-turned"
    }
    assert turned == {(True, "declared"), (False, "read")}
    assert any(each["kind"] == "declared-confirmed" for each in told)


def test_by_hand_no_stack_leaves_a_shoe(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    ended = demo("--rounds", 1, "--seed", 4, "--method", "hand", "--journal", journal)
    assert ended.status == 0, ended.err
    assert (ended.last["completed"], ended.last["stacks_requested"]) == (1, 0)
    assert any(each["kind"] == "card-dealt" for each in check(journal, ended.last))


@pytest.mark.nightly
@pytest.mark.parametrize(("game", "method"), [(game, "automated-shoe") for game in GAMES] + OTHER_METHODS)
def test_every_game_by_every_method(tmp_path: Path, game: str, method: str) -> None:
    ended = demo("--rounds", 5, "--seed", 1, "--game", game, "--method", method, "--journal", tmp_path / "journal")
    assert ended.status == 0, ended.err
    assert ended.last["completed"] == 5
    check(tmp_path / "journal", ended.last)


def test_faults_are_asked_about_and_answered(tmp_path: Path) -> None:
    """P5: a jam and a short feed hold their rounds; the robot supervisor answers, and N rounds are over."""
    faults = tmp_path / "faults.jsonl"
    faults.write_text('{"kind": "jam", "stack": 2}\n{"kind": "short_feed", "stack": 3}\n')
    ended = demo("--rounds", 2, "--seed", 5, "--faults", faults, "--journal", tmp_path / "journal")
    assert ended.status == 0, ended.err
    assert ended.last["completed"] + ended.last["voided"] == 2
    assert ended.last["held"] >= 2
    told = check(tmp_path / "journal", ended.last)
    assert all(each["body"]["reason"] for each in told if each["kind"] == "hold-cleared")


def _written(journal: Path, records: int) -> bool:
    """Tell whether the journal holds so many records; its files are made larger than what stands in them.

    It is not looked into before it has a write-ahead file: a reader keeps the one who makes it from making that.
    """
    ahead = journal.with_name(f"{journal.name}-wal")
    if not ahead.exists() or ahead.stat().st_size == 0:
        return False
    with contextlib.closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as db:
        try:
            return bool(db.execute("SELECT max(seq) >= ? FROM records", (records,)).fetchone()[0])
        except sqlite3.OperationalError:  # it is being made
            return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted_it_keeps_its_state_and_takes_its_world_down(tmp_path: Path, number: signal.Signals) -> None:
    """Exit 130 on an interrupt; even a kill leaves no world behind; the next run goes on with the same cards."""
    journal = tmp_path / "journal"
    arguments = ("demo", "--headless", "--json", "--speed", FAST, "--seed", "6", "--journal", journal)
    process = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _until(lambda: _written(journal, 600))
    worlds = children(process.pid)
    assert worlds
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == (-9 if number == signal.SIGKILL else 130), err
    assert bool(out) is (number != signal.SIGKILL)
    _until(lambda: not any(alive(pid) for pid in worlds))
    again = demo("--rounds", 1, "--seed", 6, "--journal", journal)
    assert again.status == 0, again.err
    assert again.last["completed"] == 1
    check(journal, again.last)


def test_an_open_round_is_finished_with_its_own_game(tmp_path: Path) -> None:
    """Another game is refused by exit 2 while a round is open; without --game the open round says what is played."""
    journal = tmp_path / "journal"
    arguments = ("demo", "--headless", "--json", "--speed", "20", "--game", "texas-holdem-bonus", "--journal", journal)
    process = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _until(lambda: _written(journal, 60))
    process.kill()
    process.communicate()
    assert open_round_in(journal) == ("texas-holdem-bonus", "automated-shoe")
    for wrong in (("--game", "three-card-poker"), ("--method", "hand")):
        refused = demo("--rounds", 1, "--journal", journal, *wrong)
        assert refused.status == 2
        assert "texas-holdem-bonus" in refused.err
        assert len(refused.err.splitlines()) == 1
    ended = demo("--rounds", 1, "--journal", journal)
    assert ended.status == 0, ended.err
    assert ended.last["rounds"] == 1  # completed, or void: its world lost its power in mid-deal
    told = check(journal, ended.last)
    assert {each["body"]["game"] for each in told if each["kind"] == "round-opened"} == {"texas-holdem-bonus"}


@pytest.mark.parametrize("own", [True, pytest.param(False, marks=pytest.mark.nightly)], ids=["own", "elsewhere"])
def test_a_world_that_is_gone_ends_the_demo_with_its_reason(tmp_path: Path, own: bool) -> None:
    """Exit 3, one paragraph; what was written can be trusted."""
    journal = tmp_path / "journal"
    with elsewhere(tmp_path) as world:
        arguments = ["demo", "--headless", "--json", "--speed", FAST, "--journal", journal]
        process = subprocess.Popen(
            command(*arguments, *([] if own else world.options)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        _until(lambda: _written(journal, 600))
        if own:
            os.kill(children(process.pid)[0], signal.SIGKILL)
        else:
            world.kill(signal.SIGKILL)
        out, err = process.communicate(timeout=90)
    assert (process.returncode, out) == (3, ""), err
    assert len(err.splitlines()) == 1
    assert "world" in err
    check(journal)


def _until(is_so: object, *, within_s: float = 60.0) -> None:
    end = time.monotonic() + within_s
    while not is_so():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.02)


def test_without_json_it_tells_the_rounds_in_words(tmp_path: Path) -> None:
    """Plain lines where there is no terminal: the journal is named, each round's end, and how to check it."""
    journal = tmp_path / "journal"
    ended = run("demo", "--rounds", 1, "--seed", 1, "--speed", FAST, "--journal", journal)
    assert ended.status == 0, ended.err
    assert ended.out.startswith(f"The journal is {journal}; seed 1.")
    assert "round 1: Take 2 cards to position" in ended.out
    assert re.search(r"round 1 is over: \d live [+-]\$", ended.out)
    assert "1 round: 1 completed, 0 void" in ended.out
