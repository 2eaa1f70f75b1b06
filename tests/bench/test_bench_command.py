"""`cardshoe bench` runs and says all that it should. Nothing here claims a speed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardshoe import cli
from cardshoe.lab.bench import groups, journal_speed, round_speed
from cardshoe.lab.bench.damage import KINDS
from cardshoe.lab.bench.figures import Conditions, Figure, Measured, Skipped, Step, Target

KEYS = {"name", "value", "unit", "floor", "floor_value", "ratio", "target", "ok"}
FIGURES = {
    "wire": {"wire.header", "wire.typed", *(f"wire.accepted_changed.{kind}" for kind in KINDS)},
    "link": {"link.request_reply.median", "link.request_reply.p99", "link.simulator.median"},
    "journal": {
        "journal.commit.median",
        "journal.commit.rate",
        "journal.commit_100.rate",
        "journal.report_to_acknowledged.median",
        "journal.report_to_acknowledged.p99",
        "journal.report_to_command.median",
    },
    "sealed": {"sealed.request_reply.median", "sealed.added_a_message"},
    "round": {"round.ultimate_six", "round.ultimate_six_by_pokerkit", "round.settle"},
    "start": {"start.help", "start.demo_first_stack", "start.table_memory", "start.table_idle"},
}
WITHOUT_FLOOR = {
    "sealed.added_a_message",
    "round.ultimate_six",
    "round.settle",
    "start.table_memory",
    "start.table_idle",
}


def test_the_groups_are_known() -> None:
    assert set(groups.GROUPS) == set(FIGURES)


@pytest.mark.parametrize("group", sorted(FIGURES))
def test_a_group_runs_and_its_json_is_complete(group: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every figure with its floor, ratio and target; the exit status says whether a target was missed."""
    status = cli.run(["bench", group, "--quick", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert set(answer) == {"figures", "skipped"}
    named = [one["name"] for one in answer["figures"] + answer["skipped"]]
    assert sorted(named) == sorted(FIGURES[group])
    for figure in answer["figures"]:
        assert set(figure) == KEYS
        assert figure["unit"]
        counted = figure["name"].startswith("wire.accepted_changed")
        assert figure["value"] > 0 or counted or figure["name"] == "start.table_idle"
        if figure["name"] in WITHOUT_FLOOR or counted:
            assert (figure["floor"], figure["floor_value"], figure["ratio"]) == (None, None, None)
        else:
            assert figure["floor"]
            assert figure["ratio"] == pytest.approx(figure["value"] / figure["floor_value"], rel=0.01)
    assert all(one["why"] for one in answer["skipped"])
    assert status == int(not all(figure["ok"] for figure in answer["figures"]))


def _pretended(*found: Figure | Skipped) -> dict[str, object]:
    def group(conditions: Conditions, step: Step) -> Iterator[Figure | Skipped]:
        assert conditions.directory.is_dir()
        step(0.5)
        yield from found

    return {"some": group}


MET = Figure("some.met", 3.0, "µs", "least", 2.0, Target(Measured.RATIO, 1.5, at_most=True))
MISSED = Figure("some.missed", 2.9, "1/s", target=Target(Measured.VALUE, 3, at_most=False))
NOT_HAD = Skipped("some.other", "it is not [installed]")


def _with(monkeypatch: pytest.MonkeyPatch, *found: Figure | Skipped) -> None:
    for name in list(groups.GROUPS):
        monkeypatch.delitem(groups.GROUPS, name)
    for name, group in _pretended(*found).items():
        monkeypatch.setitem(groups.GROUPS, name, group)  # type: ignore[arg-type]


@pytest.mark.parametrize(("found", "status"), [((MET, NOT_HAD), 0), ((MET, MISSED), 1)])
def test_a_missed_target_is_exit_status_1(
    found: tuple[Figure | Skipped, ...],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _with(monkeypatch, *found)
    assert cli.run(["bench"]) == status
    shown = capsys.readouterr().out
    assert ("missed: none" in shown) == (status == 0)
    assert "ratio ≤ 1.5" in shown
    assert ("some.other was not measured: it is not [installed]" in shown) == (NOT_HAD in found)
    assert cli.run(["bench", "some", "some", "--json"]) == status
    answer = json.loads(capsys.readouterr().out)
    assert {figure["name"]: figure["ok"] for figure in answer["figures"]} == {
        one.name: one is MET for one in found if isinstance(one, Figure)
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["nothing"], "there is no group 'nothing'; the groups are "), (["wire", "--directory", "nowhere"], "nowhere")],
)
def test_a_wrong_command_line_is_exit_status_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["bench", *arguments, "--quick"]) == 2
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.out == ""


def test_a_folder_in_memory_gives_reasons_and_no_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A ratio to a disk that nobody waited for says nothing; so none is given."""
    monkeypatch.setattr(journal_speed, "NO_DISK_US", float("inf"))
    assert cli.run(["bench", "journal", "--quick", "--json", "--directory", str(tmp_path)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["figures"] == []
    assert {one["name"] for one in answer["skipped"]} == FIGURES["journal"]
    assert all("--directory" in one["why"] for one in answer["skipped"])
    assert os.listdir(tmp_path) == []


def test_without_pokerkit_its_ratio_is_left_out_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(round_speed.importlib.util, "find_spec", lambda name: None)
    found = list(round_speed.rounds(Conditions(quick=True, directory=tmp_path), lambda share: None))
    assert [one.name for one in found if isinstance(one, Skipped)] == ["round.ultimate_six_by_pokerkit"]


def test_progress_is_shown_on_a_terminal_and_only_there(pty_pair: Any) -> None:
    """The bar goes to standard error, so that the answer alone stands on standard output."""
    stderr = os.open(pty_pair.path, os.O_RDWR | os.O_NOCTTY)
    try:
        command = [sys.executable, "-m", "cardshoe", "bench", "wire", "--quick", "--json"]
        environment = {**os.environ, "TERM": "xterm"}
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, env=environment)
    finally:
        os.close(stderr)
    assert "figures" in json.loads(ran.stdout)
    assert b"wire" in os.read(pty_pair.master, 65536)
    silent = subprocess.run(command, capture_output=True)
    assert silent.stderr == b""
