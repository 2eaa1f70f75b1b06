"""`cardshoe odds`, run in process: what it prints is what was counted, and wrong use is named."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cardshoe.cli import run

Answer = dict[str, Any]


def answered(capsys: pytest.CaptureFixture[str], *arguments: str) -> Answer:
    assert run(["odds", *arguments, "--json"]) == 0
    answer: Answer = json.loads(capsys.readouterr().out)
    return answer


def edges(answer: Answer, wager: str) -> dict[str, str]:
    return {table["table"]: f"{table['house_edge'] * 100:.2f}" for table in answer["tables"] if table["wager"] == wager}


def test_ultimate(capsys: pytest.CaptureFixture[str]) -> None:
    """NY-5324.36(f)(2), NY-5324.36(f)(3): all tables, the configured ones marked, the blind for information."""
    answer = answered(capsys, "ultimate-texas-holdem", "--house", '{"trips_table": "C"}')
    assert edges(answer, "trips") == {"A": "0.90", "B": "1.90", "C": "3.50", "D": "6.18"}
    assert [t["table"] for t in answer["tables"] if t["configured"]] == ["A", "C"]
    blind = answer["tables"][0]
    assert (blind["wager"], blind["house_edge"], blind["cites"]) == ("blind", None, "NY-5324.36(f)(2)")
    assert answer["main_exact"] is None
    assert answer["not_counted"] == []
    for table in answer["tables"]:
        assert sum(row["deals"] for row in table["rows"]) == table["deals"] == 133_784_560
        if table["house_edge"] is not None:
            assert sum(row["contribution"] for row in table["rows"]) == pytest.approx(-table["house_edge"])


def test_bonus_with_and_without_the_row_of_both_aces(capsys: pytest.CaptureFixture[str]) -> None:
    """NY-5324.35(f)(2): handbook 8.2."""
    answer = answered(capsys, "texas-holdem-bonus")
    found = {table["configured"]: f"{table['house_edge']:.6f}" for table in answer["tables"]}
    assert found == {True: "0.085406", False: "0.088989"}


def test_three_card_poker_with_a_table_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """NJ-69F-20.12A(a): a house's own odds stand beside the named tables; ante and play are exact."""
    own = {"royal flush": 1000, "straight flush": 200, "four of a kind": 100, "full house": 20, "flush": 15}
    own |= {"straight": 10, "three of a kind": 8}
    answer = answered(capsys, "three-card-poker", "--house", json.dumps({"six_card_table": own}))
    assert edges(answer, "six_card") == {
        "1000-200-50-25-20-10-5": "10.22",
        "1000-200-100-20-15-10-7": "8.56",
        "1000-200-50-25-15-10-5": "15.28",
        "own": "4.97",  # one unit more in 732,160 of 20,358,520 sets: 3.596 % less than T2
    }
    assert [t["configured"] for t in answer["tables"] if t["wager"] == "six_card"] == [False, False, False, True]
    assert answer["main_exact"]["worst_hand_played"] == ["Qd", "6c", "4c"]
    bonus = next(table for table in answer["tables"] if table["wager"] == "ante")
    assert bonus["won"] == pytest.approx((48 * 5 + 52 * 4 + 720) / 22_100)


def test_the_same_seed_gives_the_same_figure(capsys: pytest.CaptureFixture[str]) -> None:
    """NY-5324.36(e)(8): a simulated main game names its seed, its interval and its player."""
    one = answered(capsys, "ultimate-texas-holdem", "--rounds", "300", "--seed", "5")["main_simulated"]
    same = answered(capsys, "ultimate-texas-holdem", "--rounds", "300", "--seed", "5")["main_simulated"]
    other = answered(capsys, "ultimate-texas-holdem", "--rounds", "300", "--seed", "6")["main_simulated"]
    assert one == same
    assert one["house_edge_per_ante"] != other["house_edge_per_ante"]
    low, high = one["interval_95"]
    assert low < one["house_edge_per_ante"] < high
    assert "4x with threes" in one["strategy"]


def test_what_people_read(capsys: pytest.CaptureFixture[str]) -> None:
    """NY-5324.35(f)(2): rows with their deals and odds, the edge, and the simulated main game."""
    assert run(["odds", "texas-holdem-bonus", "--rounds", "200"]) == 0
    shown = capsys.readouterr().out
    for words in ("ace-king suited", "25:1", "1000:1", "house edge 8.5406 %", "200 rounds simulated (seed 1)", "95 %"):
        assert words in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["poker"], "'poker' is no game of ours"),
        (["three-card-poker", "--house", "{"], "is not JSON"),
        (["three-card-poker", "--house", "[]"], "is not a JSON object"),
        (["three-card-poker", "--house", '{"tips": 1}'], "'tips' is no option"),
        (["ultimate-texas-holdem", "--house", '{"trips_table": "E"}'], "trips_table"),
        (["three-card-poker", "--rounds", "3"], "3 rounds tell nothing"),
        (["mississippi-stud", "--rounds", "200"], "no way to play it"),
        (["three-card-poker", "--rounds", "-1"], "--rounds"),
        ([], "game"),
    ],
)
def test_wrong_use_is_named(capsys: pytest.CaptureFixture[str], arguments: list[str], words: str) -> None:
    """NY-5324.36(f)(3): wrong usage and configuration end with status 2 and say what was wrong."""
    assert run(["odds", *arguments]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""
