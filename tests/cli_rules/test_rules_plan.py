"""`cardshoe plan`: the steps of each game by each method, with their clauses."""

from __future__ import annotations

from typing import Any

import pytest

from cardshoe.cli.plan import planned
from cardshoe.errors import CardshoeError

UTH, THB, TCP = "ultimate-texas-holdem", "texas-holdem-bonus", "three-card-poker"


def plan(game: str, method: str, positions: list[Any], **house: object) -> list[tuple[Any, ...]]:
    """The steps as tuples: kind, what it says, clause."""
    steps: Any = planned({"game": game, "method": method, "positions": positions, "house": house})["steps"]
    return [
        tuple(value if not isinstance(value, list) else " ".join(value) for value in step.values()) for step in steps
    ]


ULTIMATE_ROUND = [
    ("decide", "2 5", "check play 3x play 4x", "NY-5324.36(e)(1)"),
    ("burn", 1, "NY-5324.36(e)(2)"),
    ("board", 3, "NY-5324.36(e)(2)"),
    ("decide", "2 5", "check play 2x", "NY-5324.36(e)(3)"),
    ("burn", 1, "NY-5324.36(e)(4)"),
    ("board", 2, "NY-5324.36(e)(4)"),
    ("decide", "2 5", "fold play 1x", "NY-5324.36(e)(5)"),
    ("reveal_dealer", "NY-5324.36(e)(6)"),
    ("settle", "5 2", "NY-5324.36(e)(8)"),
]

BONUS_ROUND = [
    ("decide", "2 5", "fold flop", "NY-5324.35(e)(1)"),
    ("burn", 1, "NY-5324.35(e)(2)"),
    ("board", 3, "NY-5324.35(e)(2)"),
    ("decide", "2 5", "check turn", "NY-5324.35(e)(3)"),
    ("burn", 1, "NY-5324.35(e)(4)"),
    ("board", 1, "NY-5324.35(e)(4)"),
    ("decide", "2 5", "check river", "NY-5324.35(e)(5)"),
    ("burn", 1, "NY-5324.35(e)(6)"),
    ("board", 1, "NY-5324.35(e)(6)"),
    ("reveal_dealer", "NY-5324.35(e)(7)"),
    ("settle", "5 2", "NY-5324.35(e)(8)"),
]


def test_ultimate_from_an_automated_shoe() -> None:
    """NY-5324.36(c)(2), NY-5324.36(d)(2), NY-5324.36(d)(3), NY-5324.36(e)(1) to NY-5324.36(e)(8)."""
    assert plan(UTH, "automated-shoe", ["5", "2"]) == [
        ("no_more_bets", "NY-5324.36(c)(2)"),
        ("stack", "2", 2, "NY-5324.36(d)(2)"),
        ("stack", "5", 2, "NY-5324.36(d)(2)"),
        ("cover_card_allowed", "NY-5324.36(d)(2)"),
        ("stack", "dealer", 2, "NY-5324.36(d)(2)"),
        ("remove_stub", "NY-5324.36(d)(3)"),
        *ULTIMATE_ROUND,
    ]


@pytest.mark.parametrize("method", ["manual-shoe", "hand"])
def test_ultimate_by_hand(method: str) -> None:
    """NY-5324.36(d)(1)(i), NY-5324.36(d)(1)(ii), NY-5324.36(d)(1)(iii), NY-5324.36(d)(1)(iv): single cards, each of
    the dealer's under a cover card."""
    assert plan(UTH, method, ["2", "5"]) == [
        ("no_more_bets", "NY-5324.36(c)(2)"),
        ("card", "2", False, "NY-5324.36(d)(1)(i)"),
        ("card", "5", False, "NY-5324.36(d)(1)(i)"),
        ("card", "dealer", True, "NY-5324.36(d)(1)(ii)"),
        ("card", "2", False, "NY-5324.36(d)(1)(iii)"),
        ("card", "5", False, "NY-5324.36(d)(1)(iii)"),
        ("card", "dealer", True, "NY-5324.36(d)(1)(iv)"),
        *ULTIMATE_ROUND,
    ]


@pytest.mark.parametrize(("board_from", "stub"), [(None, True), ("hand", True), ("shoe", False)])
def test_bonus_from_an_automated_shoe(board_from: str | None, stub: bool) -> None:
    """NY-5324.35(c)(2), NY-5324.35(d)(2), NY-5324.35(e)(1) to NY-5324.35(e)(8); ruling 4: `board_from`."""
    assert plan(THB, "automated-shoe", ["2", "5"], board_from=board_from) == [
        ("no_more_bets", "NY-5324.35(c)(2)"),
        ("stack", "2", 2, "NY-5324.35(d)(2)"),
        ("stack", "5", 2, "NY-5324.35(d)(2)"),
        ("cover_card_allowed", "NY-5324.35(d)(2)"),
        ("stack", "dealer", 2, "NY-5324.35(d)(2)"),
        *([("remove_stub", None)] if stub else []),
        *BONUS_ROUND,
    ]


@pytest.mark.parametrize("method", ["manual-shoe", "hand"])
def test_bonus_by_hand(method: str) -> None:
    """NY-5324.35(d)(1)(i), NY-5324.35(d)(1)(ii), NY-5324.35(d)(1)(iii), NY-5324.35(d)(1)(iv): no cover card."""
    assert plan(THB, method, ["2", "5"]) == [
        ("no_more_bets", "NY-5324.35(c)(2)"),
        ("card", "2", False, "NY-5324.35(d)(1)(i)"),
        ("card", "5", False, "NY-5324.35(d)(1)(i)"),
        ("card", "dealer", False, "NY-5324.35(d)(1)(ii)"),
        ("card", "2", False, "NY-5324.35(d)(1)(iii)"),
        ("card", "5", False, "NY-5324.35(d)(1)(iii)"),
        ("card", "dealer", False, "NY-5324.35(d)(1)(iv)"),
        *BONUS_ROUND,
    ]


def test_three_card_poker() -> None:
    """NJ-69F-20.12A(b); the rest has no clause. By hand: single cards, the dealer last in each turn."""
    round_ = [("decide", "2 5", "fold play", None), ("reveal_dealer", None), ("settle", "5 2", None)]
    assert plan(TCP, "automated-shoe", ["2", "5"]) == [
        ("no_more_bets", "NJ-69F-20.12A(b)"),
        ("stack", "2", 3, None),
        ("stack", "5", 3, None),
        ("cover_card_allowed", None),
        ("stack", "dealer", 3, None),
        *round_,
    ]
    turn = [("card", to, False, None) for to in ("2", "5", "dealer")]
    for method in ("manual-shoe", "hand"):
        assert plan(TCP, method, ["2", "5"]) == [("no_more_bets", "NJ-69F-20.12A(b)"), *turn * 3, *round_]


@pytest.mark.parametrize("game", [UTH, THB, TCP])
def test_card_accounting(game: str) -> None:
    """Handbook section 2: what leaves the shoe in stacks, and what is used in all, for 1 to 6 positions."""
    each = 3 if game == TCP else 2
    for count in range(1, 7):
        steps = plan(game, "automated-shoe", [str(position) for position in range(1, count + 1)])
        stacks = sum(step[2] for step in steps if step[0] == "stack")
        others = sum(step[1] for step in steps if step[0] in ("burn", "board"))
        assert stacks == each * (count + 1)
        assert others == {UTH: 7, THB: 8, TCP: 0}[game]


def test_minimum_stakes_and_exactness_do_not_disturb_a_plan() -> None:
    """A plan is about steps: the house's amounts never refuse one."""
    house = {"minimum_wager": 12_345, "rounding": "refuse"}
    assert plan(UTH, "hand", ["1"], **house) == plan(UTH, "hand", ["1"])
    multiples = {"flop_multiple": 3, "turn_multiple": 2, "minimum_wager": {"flop": 99_999}}
    assert plan(THB, "hand", ["1"], **multiples) == plan(THB, "hand", ["1"])


def test_nobody_wagers() -> None:
    """Without a wager the round ends with "no more bets"."""
    assert plan(UTH, "automated-shoe", []) == [("no_more_bets", "NY-5324.36(c)(2)")]


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ({"game": "whist", "method": "hand", "positions": ["1"]}, "unknown-game"),
        ({"game": UTH, "method": "by mouth", "positions": ["1"]}, "unknown-method"),
        ({"game": UTH, "method": ["hand"], "positions": ["1"]}, "unknown-method"),
        ({"game": UTH, "method": "hand"}, "missing-key"),
        ({"game": UTH, "positions": ["1"]}, "missing-key"),
        ({"game": UTH, "method": "hand", "positions": ["1"], "colour": 1}, "unknown-key"),
        ({"game": UTH, "method": "hand", "positions": "12"}, "field-type"),
        ({"game": UTH, "method": "hand", "positions": ["7"]}, "position"),
        ({"game": UTH, "method": "hand", "positions": [1]}, "position"),
        ({"game": UTH, "method": "hand", "positions": ["1", "1"]}, "position"),
        ({"game": UTH, "method": "hand", "positions": [["1"]]}, "position"),
        ({"game": UTH, "method": "hand", "positions": ["1"], "house": {"board_from": "shoe"}}, "house-value"),
        ({"game": UTH, "method": "hand", "positions": ["1"], "house": {"flop_multiple": 2}}, "house-key"),
        ({"game": UTH, "method": "hand", "positions": ["1"], "house": []}, "field-type"),
    ],
)
def test_a_plan_that_is_refused(case: dict[str, Any], code: str) -> None:
    """By value and place."""
    with pytest.raises(CardshoeError) as caught:
        planned(case)
    assert caught.value.code == code
