"""`cardshoe run`: a table on real ports, played from the outside by lines of JSON."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from demo_bench import Elsewhere, check, command, elsewhere

from cardshoe.cli.incoming import Assembler
from cardshoe.cli.json_lines import LONGEST_LINE

TOML = """
[table]
name = "T7"
mode = "bench"
game = "{game}"
method = "{method}"
journal = "journal"
{devices}
"""


class Running:
    """A `cardshoe run` and the dealer who reads what it says."""

    def __init__(self, directory: Path, world: Elsewhere, game: str, method: str = "automated-shoe") -> None:
        devices = "".join(
            f'[devices.{name}]\nurl = "{world.told[f"{name}_url"]}"\n'
            for name in ("shoe", "reader")
            if world.told.get(f"{name}_url")
        )
        config = directory / "table.toml"
        config.write_text(TOML.format(game=game, method=method, devices=devices))
        self.world = world
        self.process = subprocess.Popen(
            command("run", "--config", config, "--json"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.due: dict[str, Any] = {}

    def heard(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        told: dict[str, Any] = json.loads(line)
        if "due" in told:
            assert told["words"]
            self.due = told["due"]
        return told

    def op(self, op: str, **fields: object) -> dict[str, Any]:
        """Say one operation; return its answer."""
        return self.say(json.dumps({"op": op, **fields}))

    def say(self, line: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        while "accepted" not in (told := self.heard()):
            continue
        return told

    def must(self, op: str, **fields: object) -> None:
        answer = self.op(op, **fields)
        assert answer == {"accepted": True}, answer

    def until(self, *steps: str) -> None:
        while self.due.get("step") not in steps:
            self.heard()

    def end(self) -> tuple[int, str]:
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


@pytest.fixture
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    """A table of game and method of the parameter, without a reader."""
    game, method = getattr(request, "param", ("three-card-poker", "automated-shoe"))
    with elsewhere(tmp_path, reader=False, shoe=method == "automated-shoe") as world:
        table = Running(tmp_path, world, game, method)
        try:
            yield table
        finally:
            table.close()


def _play(table: Running) -> None:
    """Do what is due until the next round may be opened, as a dealer with nothing but eyes and a keyboard."""
    while table.due["step"] not in ("open_round", "load_deck"):
        step, due = table.due["step"], dict(table.due)
        _one(table, step, due)
        while table.due == due:
            table.heard()


def _one(table: Running, step: str, due: dict[str, Any]) -> None:
    ask = table.world.ask
    match step:
        case "take_stack":
            assert ask(do="take_stack", to=due["to"])["cards"] == due["cards"]
        case "deal_card":
            if not ask(do="look")["hand"]:
                ask(do="take_deck")
            ask(do="deal_card", to=due["to"])
            table.must("card", to=due["to"])
        case "remove_stub":
            ask(do="remove_stub")
        case "ask_decision":
            table.must("decide", position=due["positions"][0], action=due["choices"][-1])
        case "burn_cards":
            ask(do="burn", cards=due["cards"])
            table.must("burn", cards=due["cards"])
        case "deal_community":
            ask(do="turn", what="board", cards=due["cards"])
            table.must("board", cards=due["cards"])
        case "turn_dealer":
            ask(do="turn", what="dealer")
            table.must("reveal_dealer")
        case "read_faces":
            _declare(table, due)
        case "settle_hand" | "collect_hand":
            table.must(step.removesuffix("_hand"), position=due["position"])
        case "complete_round":
            ask(do="collect")
            table.must("confirm", role="floor")
            table.must("complete")


def _declare(table: Running, due: dict[str, Any]) -> None:
    table.world.ask(do="turn", what=due["place"])
    faces = table.world.ask(do="look")["places"][due["place"]]["faces"]
    table.must("turned", place=due["place"], card=faces[-due["cards"]])


@pytest.mark.parametrize(
    "running", [("ultimate-texas-holdem", "automated-shoe"), ("three-card-poker", "hand")], indirect=True
)
def test_a_whole_round_by_lines(running: Running, tmp_path: Path) -> None:
    """Every operation of a round, from the first seat to the rack; the journal verifies and replays."""
    running.until("open_round")
    running.must("open_round", seats={"1": "Ann"})
    running.must("seat", position="4", player="Bob")
    first = {"ante": 1000, "blind": 1000} if "deck" not in running.due and _is_ultimate(tmp_path) else {"ante": 1000}
    for position, player in (("1", "Ann"), ("4", "Bob")):
        running.must("wager", position=position, player=player, wagers=first)
    running.must("no_more_bets")
    _play(running)
    assert running.process.stdin is not None
    running.process.stdin.close()
    running.process.stdin = None
    status, err = running.end()
    assert (status, err) == (0, "")
    told = check(tmp_path / "journal")
    (settled,) = [each["body"] for each in told if each["kind"] == "settled"]
    assert set(settled["positions"]) == {"1", "4"}
    assert all(hand["result"] for hand in settled["positions"].values())


def _is_ultimate(directory: Path) -> bool:
    return "ultimate" in (directory / "table.toml").read_text()


def test_what_is_not_allowed_is_refused_and_changes_nothing(running: Running, tmp_path: Path) -> None:
    """Each refusal has its code; at the end of input the status says that there were some."""
    running.until("open_round")
    codes = []
    for line in (
        '{"op": "no_more_bets"}',
        '{"op": "open_round"}',
        '{"op": "seat", "position": "1", "player": "Ann"}',
        '{"op": "wager", "position": "1", "player": "Ann", "wagers": {"ante": 1000}}',
        '{"op": "correct", "of": 3, "wagers": {"ante": 2000}}',
        '{"op": "correct", "of": 1, "wagers": {"ante": 3000}}',
        '{"op": "stack", "to": "1", "cards": 3}',
        '{"op": "card", "to": "1"}',
        '{"op": "turned", "place": "dealer", "card": "As"}',
        '{"op": "clear", "code": "jam", "role": "floor", "reason": "x"}',
        '{"op": "clear", "code": "jam", "choice": "continue", "role": "floor", "reason": "x"}',
        '{"op": "dance"}',
        '{"op": "seat", "seat": "1"}',
        '{"op": "turned", "place": 1, "card": "As"}',
        "[]",
        "nonsense",
        '{"op": "seat", "op": "seat"}',
    ):
        answer = running.say(line)
        codes.append("" if answer["accepted"] else answer["refusal"]["code"])
    assert codes == [
        "no-round",
        "",
        "",
        "",
        "",
        "nothing-to-correct",
        "act",
        "bets-open",
        "card-unexpected" if codes[8] == "card-unexpected" else "",
        "no-hold",
        codes[10],
        "unknown-op",
        "unknown-key",
        "field-type",
        "line-not-object",
        "line-not-json",
        "line-duplicate-key",
    ]
    assert running.process.stdin is not None
    running.process.stdin.close()
    running.process.stdin = None
    assert running.end()[0] == 1
    wagers = [
        each["body"] for each in check(tmp_path / "journal") if each["kind"] in ("wager-placed", "entry-corrected")
    ]
    assert wagers[0]["wagers"] == {"ante": 1000}
    assert wagers[1]["entry"]["wagers"] == {"ante": 2000}


@pytest.mark.parametrize(
    ("number", "status", "stopped"),
    [(signal.SIGTERM, 0, True), (signal.SIGINT, 130, False)],
    ids=["SIGTERM, devices hang", "SIGINT, devices answer"],
)
def test_a_signal_ends_it_whatever_the_ports_do(
    running: Running, tmp_path: Path, number: signal.Signals, status: int, stopped: bool
) -> None:
    """In mid-deal, with devices that hang: the journal is closed and signed."""
    running.until("open_round")
    running.must("open_round", seats={"1": "Ann"})
    running.must("wager", position="1", player="Ann", wagers={"ante": 1000})
    running.must("no_more_bets")
    assert running.world.process is not None
    if stopped:
        running.world.process.send_signal(signal.SIGSTOP)
    running.process.send_signal(number)
    try:
        ended, err = running.end()
    finally:
        running.world.process.send_signal(signal.SIGCONT)
    assert ended == status, err
    assert "Traceback" not in err
    check(tmp_path / "journal")


def test_bytes_become_lines_however_they_come() -> None:
    assembler = Assembler()
    lines = assembler.take(b'{"a"') + assembler.take(b": 1}\r\n\n{}\nlast") + assembler.take(b"")
    assert lines == [(1, b'{"a": 1}'), (3, b"{}"), (4, b"last")]


def test_a_line_that_is_too_long_is_counted_and_not_kept() -> None:
    assembler = Assembler()
    lines = []
    for _ in range(LONGEST_LINE // 65536 + 2):
        lines += assembler.take(b"x" * 65536)
    lines += assembler.take(b"\n{}\n")
    assert lines == [(1, None), (2, b"{}")]
