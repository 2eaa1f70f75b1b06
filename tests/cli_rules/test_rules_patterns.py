"""The deal of a pattern of wagers is remembered between lines: no line may leave anything behind for another."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardshoe.cli.json_lines import answer_line
from cardshoe.cli.settle import settled
from cardshoe.round import recompute

EXAMPLES = Path(__file__).parents[1] / "data" / "examples" / "settle.jsonl"
LINES = [json.loads(line)["case"] for line in EXAMPLES.read_text().splitlines()]


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    recompute.forget_patterns()
    yield
    recompute.forget_patterns()


def _answer(case: dict[str, Any]) -> dict[str, object]:
    return answer_line(2, json.dumps(case).encode(), settled)


def _alone(case: dict[str, Any]) -> dict[str, object]:
    recompute.forget_patterns()
    return _answer(case)


def _raised(case: dict[str, Any], factor: int) -> dict[str, Any]:
    """Return `case` with each wager before the deal `factor` times as large."""
    positions = {
        at: {**hand, "wagers": {spot: cents * factor for spot, cents in hand["wagers"].items()}}
        for at, hand in case["positions"].items()
    }
    return {**case, "positions": positions}


def test_the_order_of_lines_changes_no_answer() -> None:
    """Every example, with amounts once and three times as large, answers in any company as it does alone."""
    cases = [_raised(case, factor) for case in LINES for factor in (1, 3)]
    alone = [_alone(case) for case in cases]
    recompute.forget_patterns()
    order = list(range(len(cases))) * 2
    random.Random(5).shuffle(order)
    for number in order:
        assert _answer(cases[number]) == alone[number]


@pytest.mark.parametrize(
    ("wagers", "house", "code"),
    [
        ({"ante": 1000, "blind": 999}, {}, "wager-unequal"),
        ({"ante": -5, "blind": -5}, {}, "wager-amount"),
        ({"ante": 10.0, "blind": 10}, {}, "wager-amount"),
        ({"ante": 1001, "blind": 1001}, {"rounding": "refuse"}, "wager-inexact"),
        ({"ante": 1000, "blind": 1000}, {"payout_limit": 1}, "house-limit"),
    ],
)
def test_a_wager_is_checked_although_its_pattern_is_known(
    wagers: dict[str, Any], house: dict[str, Any], code: str
) -> None:
    """NY-5324.36(c)(1), NY-5324.36(a)(2)(i), NY-5324.36(f)(2), NY-5324.36(f)(4)."""
    good = next(case for case in LINES if case["id"] == "uth-0003")
    assert "error" not in _answer(good)
    bad = {**good, "house": house, "positions": {"1": {**good["positions"]["1"], "wagers": wagers}}}
    refused: Any = _answer(bad)
    assert refused["error"]["code"] == code
    assert refused == _alone(bad)


def test_few_patterns_are_remembered() -> None:
    """Memory stays flat whatever the lines are: more patterns than are kept give the same answers."""
    names = [str(number) for number in range(1, 7)]
    cards = [rank + suit for suit in "shdc" for rank in "23456789TJQK"]
    spots = [{"ante": 100}, {"pair_plus": 100}, {"ante": 100, "pair_plus": 100}, {"pair_plus": 100, "ante": 100}]
    draw = random.Random(11)
    for _ in range(recompute.MOST_PATTERNS + 200):
        chosen = sorted(draw.sample(names, 6))
        hands = {at: draw.choice(spots) for at in chosen}
        positions = {
            at: {
                "wagers": wagers,
                "cards": cards[3 * place : 3 * place + 3],
                "actions": ["play"] if "ante" in wagers else [],
            }
            for place, (at, wagers) in enumerate(hands.items())
        }
        answer: Any = _answer({"id": 1, "game": "three-card-poker", "positions": positions, "dealer": cards[-3:]})
        assert list(answer["positions"]) == chosen
    assert 0 < recompute.remembered_patterns() <= recompute.MOST_PATTERNS
