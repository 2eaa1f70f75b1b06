"""The product's settlement against the second one, over random rounds and over the published examples.

The two share no code. Compared: refused or not, the dealer's hand, and for every position category, best cards, state,
each wager's outcome, winnings and return, the totals, `limited`, the order of settling and `voided`. Proves the
settlement clauses of NY-5324.35(e)(8), NY-5324.35(f), NY-5324.36(e)(7), NY-5324.36(e)(8), NY-5324.36(f),
NY-5324.36(h) and NJ-69F-20.12A(a), (c), (d).
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from random_rounds import GAMES, random_line, shorten, spoil
from second_settlement import Refusal, settle, void_levels

from cardshoe.cli.json_lines import answer_line
from cardshoe.cli.settle import settled

Line = dict[str, Any]

EXAMPLES = Path(__file__).parents[1] / "data" / "examples" / "settle.jsonl"
CASES = Path(__file__).with_name("settled_cases.jsonl")
ERROR = {"error": True}


def by_product(line: Line) -> Line:
    answer = answer_line(1, json.dumps(line).encode(), settled)
    return ERROR if "error" in answer else json.loads(json.dumps(answer))


def by_second(line: Line) -> Line:
    try:
        return settle(line)
    except Refusal:
        return ERROR


def plain_wagers(wagers: Line, *, limited: bool, total_only: bool) -> Line:
    """Wagers without clauses; an ante bonus, which has no spot of its own, counted with the ante.

    The limit cuts the last-settled wagers; with an ante bonus in the ante that order is not the same on both sides, so
    there only the position's total is compared.
    """
    plain = {
        spot: {key: wager[key] for key in ("staked", "outcome", "won", "returned")} for spot, wager in wagers.items()
    }
    bonus = plain.pop("ante_bonus", None)
    if bonus is not None:
        ante = plain["ante"]
        ante["won"] += bonus["won"]
        if ante["outcome"] == "push":
            ante["outcome"] = "win"
    if limited and total_only:
        for wager in plain.values():
            del wager["won"]
    return plain


def plain(answer: Line) -> Line:
    if answer is ERROR:
        return answer
    positions = {}
    for position, hand in answer["positions"].items():
        wagers = plain_wagers(hand["wagers"], limited=hand["limited"], total_only=answer["game"] == "three-card-poker")
        positions[position] = {**hand, "wagers": wagers}
        positions[position].setdefault("six_card_category", None)
    return {**answer, "positions": positions}


def differences(line: Line) -> list[str]:
    """Every place where the two answers differ, spelt out."""
    return list(walk(plain(by_product(line)), plain(by_second(line)), ""))


def walk(product: Any, second: Any, place: str) -> Iterator[str]:
    if isinstance(product, dict) and isinstance(second, dict):
        for key in sorted(product.keys() | second.keys()):
            yield from walk(product.get(key, "nothing"), second.get(key, "nothing"), f"{place}/{key}")
    elif product != second:
        yield f"{place}: product {product!r}, second {second!r}"


def compare(game: str, rounds: int, seed: int) -> Counter[str]:
    """Compare `rounds` random rounds and as many broken ones; return what was met."""
    draw = random.Random(f"{game} {seed}")
    met: Counter[str] = Counter()
    for number in range(rounds):
        line = random_line(draw, game, f"{game}-{seed}-{number}")
        level = void_levels(line)
        trips_open = any(level[p] == 1 and "trips" in hand["wagers"] for p, hand in line["positions"].items())
        shorten(draw, line, level, board_too=all(level.values()) and not trips_open)
        for case in (line, spoil(draw, line)):
            found = differences(case)
            assert not found, f"{found[:5]}\n{json.dumps(case)}"
        answer = by_second(line)
        met["refused"] += answer is ERROR
        met["voided"] += bool(answer.get("voided"))
        for hand in answer.get("positions", {}).values():
            met["limited"] += hand["limited"]
            met[hand["state"]] += 1
    return met


@pytest.mark.parametrize("game", GAMES)
def test_random_rounds_are_settled_alike(game: str) -> None:
    """NY-5324.35(e)(8), NY-5324.36(e)(8), NY-5324.36(h)(1) to (3), NJ-69F-20.12A(d): 300 rounds, 300 broken ones."""
    met = compare(game, 300, seed=1)
    assert met["refused"] == 0
    for wanted in ("voided", "limited", "played", "folded", "void"):
        assert met[wanted] > 0, f"no hand was {wanted}: the rounds prove nothing about it"


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("game", GAMES)
def test_twenty_thousand_random_rounds_are_settled_alike(game: str) -> None:
    """NY-5324.35(e)(8), NY-5324.36(e)(8), NY-5324.36(h)(1) to (3), NJ-69F-20.12A(d)."""
    assert compare(game, 20_000, seed=2)["refused"] == 0


def expected(wanted: Any, got: Any, place: str) -> Iterator[str]:
    """Where `got` lacks what an example wants; it may say more."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            yield from expected(
                value, got.get(key, "nothing") if isinstance(got, dict) else "nothing", f"{place}/{key}"
            )
    elif wanted != got:
        yield f"{place}: wanted {wanted!r}, got {got!r}"


def example_lines() -> list[Line]:
    return [json.loads(text) for text in EXAMPLES.read_text().splitlines()]


@pytest.mark.parametrize("example", example_lines(), ids=lambda example: example["case"]["id"])
def test_the_examples_hold_for_the_second_settlement(example: Line) -> None:
    """The published answers, clause by clause: the second settlement is no better than what it is checked against."""
    found = list(expected(example["expect"], by_second(example["case"]), ""))
    assert not found, example.get("note")
    assert not differences(example["case"])


def named_cases() -> list[Line]:
    return [json.loads(text) for text in CASES.read_text().splitlines()]


@pytest.mark.parametrize("named", named_cases(), ids=lambda named: named["case"]["id"])
def test_a_named_case(named: Line) -> None:
    """The places where two readers of the text came to differ, or well might have; each case names its clauses."""
    assert named["clauses"], named["note"]
    assert plain(by_second(named["case"])) == named["answer"], named["note"]
    assert plain(by_product(named["case"])) == named["answer"], named["note"]
