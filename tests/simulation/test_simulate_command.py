"""`cardshoe simulate`: its lines, its JSON, its exit status, and the command that replays a broken promise."""

from __future__ import annotations

import json
import re
import shlex

import pytest

from cardshoe import cli
from cardshoe.lab.simulation import runs
from cardshoe.lab.simulation.people import SimulatedPlay
from cardshoe.lab.simulation.promises import Broken
from cardshoe.lab.simulation.runs import Order, run
from cardshoe.lab.simulation.shrink import command, shrunk
from cardshoe.lab.simulation.stack import SimulatedTable


def _run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = cli.run(["simulate", *words])
    said = capsys.readouterr()
    return status, said.out, said.err


def test_rounds_without_a_broken_promise_end_with_status_0(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = _run(capsys, "--seeds", "1..2", "--rounds", "3", "--faults", "light", "--jobs", "1")
    assert (status, err) == (0, "")
    assert re.match(r"\d+ rounds of 2 seeds: \d+ completed, \d+ void; ", out)
    assert "No seeds with a broken promise." in out


def test_json_is_one_object_a_seed_and_one_for_all(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = _run(capsys, "--seeds", "1..2", "--rounds", "3", "--faults", "none", "--jobs", "1", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert [line["seed"] for line in lines[:2]] == [1, 2]
    assert all(line["broken"] is None and len(line["digest"]) == 64 for line in lines[:2])
    assert lines[2]["seeds"] == 2
    assert lines[2]["rounds"] == 6
    assert lines[2]["broken"] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--seeds", "5..1"),
        ("--seeds", "a"),
        ("--seeds", "1..99999999"),
        ("--rounds", "0"),
        ("--faults", "some"),
        ("--game", "whist"),
        ("--only", "k1"),
        ("--jobs", "0"),
    ],
)
def test_wrong_options_are_named_and_end_with_status_2(
    words: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = _run(capsys, *words)
    assert (status, out) == (2, "")
    assert words[0] in err


def _spoil(monkeypatch: pytest.MonkeyPatch) -> None:
    """A promise is broken as soon as one trouble of a certain kind has happened."""
    real = SimulatedTable._strike

    def strike(self: SimulatedTable, trouble: object) -> None:
        real(self, trouble)  # type: ignore[arg-type]
        if trouble.kind in ("drop", "crash", "jam"):  # type: ignore[attr-defined]
            raise Broken("P1", "spoiled on purpose", self.now)

    monkeypatch.setattr(SimulatedTable, "_strike", strike)


def test_a_broken_promise_ends_with_status_1_and_the_command_that_replays_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _spoil(monkeypatch)
    status, out, _ = _run(capsys, "--seeds", "2..2", "--rounds", "12", "--faults", "hostile", "--jobs", "1")
    assert status == 1
    assert "seed 2: P1 (never two stacks, never none) is broken at" in out
    replay = shlex.split(next(line for line in out.splitlines() if "cardshoe simulate" in line))
    assert len(replay[replay.index("--only") + 1].split(",")) == 1
    status, out, _ = _run(capsys, *replay[2:], "--jobs", "1", "--json")
    assert status == 1
    assert json.loads(out.splitlines()[0])["broken"]["promise"] == "P1"


def test_a_run_shrinks_to_the_trouble_that_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    _spoil(monkeypatch)
    result = run(Order(2, 12, "hostile"))
    smaller = shrunk(result)
    assert result.finding is not None
    assert smaller.finding is not None
    assert smaller.order.only is not None
    assert len(smaller.order.only) == 1
    assert smaller.order.rounds <= result.rounds + 1
    assert command(smaller.order).startswith(f"cardshoe simulate --seeds 2..2 --rounds {smaller.order.rounds} ")


def test_a_program_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_self: SimulatedPlay, _rounds: int) -> str:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(SimulatedPlay, "go_on", fail)
    finding = runs.run(Order(1, 1, "none")).finding
    assert finding is not None
    assert (finding.promise, finding.text) == ("fault", "ZeroDivisionError: by nothing")
