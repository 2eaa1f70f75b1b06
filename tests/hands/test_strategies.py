"""The simple strategies, decision by decision, and the simulated main game that they play."""

from __future__ import annotations

import random
from math import sqrt

import pytest

from cardshoe.cards import DECK, parse_cards
from cardshoe.errors import ConfigError
from cardshoe.games import games
from cardshoe.games.house import parse_house
from cardshoe.games.odds import play_or_fold
from cardshoe.games.script import Ask, Method
from cardshoe.games.strategies import STRATEGIES
from cardshoe.lab.main_game import ANTE_CENTS, simulate

DECISIONS = [
    ("ultimate-texas-holdem", "As 2d", "", "play 4x"),
    ("ultimate-texas-holdem", "3s 3d", "", "play 4x"),
    ("ultimate-texas-holdem", "2s 2d", "", "check"),
    ("ultimate-texas-holdem", "Kh 2h", "", "play 4x"),
    ("ultimate-texas-holdem", "Kh 4d", "", "check"),
    ("ultimate-texas-holdem", "Kh 5d", "", "play 4x"),
    ("ultimate-texas-holdem", "Qh 6h", "", "play 4x"),
    ("ultimate-texas-holdem", "Qh 7d", "", "check"),
    ("ultimate-texas-holdem", "Jh 8h", "", "play 4x"),
    ("ultimate-texas-holdem", "Jh 9d", "", "check"),
    ("ultimate-texas-holdem", "Th 9h", "", "check"),
    ("ultimate-texas-holdem", "Jh 9d", "9c 4s 2h", "play 2x"),
    ("ultimate-texas-holdem", "2s 2d", "9c 4s Kh", "check"),
    ("ultimate-texas-holdem", "2s 2d", "9c 9s Kh", "play 2x"),
    ("ultimate-texas-holdem", "Th 3d", "9h 4h 2h", "play 2x"),
    ("ultimate-texas-holdem", "9h 3d", "Th 4h 2h", "check"),
    ("ultimate-texas-holdem", "Jh 9d", "Kc 4s 2h", "check"),
    ("ultimate-texas-holdem", "Jh 9d", "Kc 4s 2h 3d Jc", "play 1x"),
    ("ultimate-texas-holdem", "4h 3d", "Kc Qs Jh 8d 7c", "fold"),
    ("ultimate-texas-holdem", "4h 3d", "Kc Ks Kh Kd Ac", "play 1x"),
    ("texas-holdem-bonus", "7h 2d", "", "fold"),
    ("texas-holdem-bonus", "7h 2h", "", "flop"),
    ("texas-holdem-bonus", "8h 2d", "", "flop"),
    ("texas-holdem-bonus", "2h 2d", "", "flop"),
    ("texas-holdem-bonus", "8h 2d", "8c Ks 4h", "turn"),
    ("texas-holdem-bonus", "8h 3d", "Kc Ks 4h", "check"),
    ("texas-holdem-bonus", "8h 3d", "Kc Ks 4h 3s", "river"),
    ("texas-holdem-bonus", "8h 3h", "Kh Qh 4h 2s", "river"),
    ("three-card-poker", "Qh 6d 4c", "", "play"),
    ("three-card-poker", "Qh 6d 3c", "", "fold"),
    ("three-card-poker", "2h 2d 3c", "", "play"),
]


@pytest.mark.parametrize(("game", "own", "board", "label"), DECISIONS)
def test_a_decision(game: str, own: str, board: str, label: str) -> None:
    """NY-5324.35(e)(1), NY-5324.36(e)(1), NY-5324.36(e)(3), NY-5324.36(e)(5): the answer as the strategy says it."""
    assert STRATEGIES[game].choose(parse_cards(own.split()), parse_cards(board.split())) == label


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_every_answer_is_offered_by_the_script(name: str) -> None:
    """NY-5324.35(e)(3), NY-5324.35(e)(5), NY-5324.36(e)(3): no strategy says what its step does not offer."""
    game, draw = games()[name], random.Random(1)
    asks = [step for step in game.scripts[Method.AUTOMATED_SHOE] if isinstance(step, Ask)]
    boards = {"texas-holdem-bonus": (0, 3, 4), "ultimate-texas-holdem": (0, 3, 5), "three-card-poker": (0,)}[name]
    assert len(asks) == len(boards)
    for _ in range(300):
        cards = draw.sample(DECK, game.cards_each + 5)
        own, board = cards[: game.cards_each], cards[game.cards_each :]
        for step, up in zip(asks, boards, strict=True):
            assert STRATEGIES[name].choose(own, board[:up]) in {choice.label for choice in step.choices}


def test_the_simulated_three_card_game_agrees_with_the_exact_one() -> None:
    """N.J.A.C. 13:69F-20.3: within four standard errors of the exact edge, for a fixed seed."""
    game = games()["three-card-poker"]
    house = parse_house(game, {})
    assert game.qualifies is not None
    exact = float(play_or_fold(game.qualifies, house.tables["ante_bonus_table"]).house_edge)
    simulated = simulate(game, house, rounds=6_000, seed=3)
    error = simulated.deviation / sqrt(simulated.rounds)
    assert abs(simulated.house_edge - exact) < 4 * error
    low, high = simulated.interval
    assert high - low == pytest.approx(2 * 1.959964 * error)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("name", "least", "most"), [("ultimate-texas-holdem", 0.0, 0.06), ("texas-holdem-bonus", 0.02, 0.07)]
)
def test_no_simple_strategy_beats_the_house(name: str, least: float, most: float) -> None:
    """NY-5324.35(e)(8), NY-5324.36(e)(8): over 200,000 rounds the edge lies where a simple player's should."""
    game = games()[name]
    simulated = simulate(game, parse_house(game, {}), rounds=200_000, seed=1)
    assert least < simulated.house_edge < most


def test_progress_is_told_to_the_end() -> None:
    """NY-5324.36(e)(8): who watches hears of every 500 rounds and of the last."""
    game = games()["texas-holdem-bonus"]
    heard: list[int] = []
    simulated = simulate(game, parse_house(game, {}), rounds=1_200, seed=1, tell=heard.append)
    assert heard == [500, 1_000, 1_200]
    assert 3.0 < simulated.staked <= 5.0  # ante, flop wager of two antes, perhaps turn and river
    assert ANTE_CENTS % 2 == 0  # 3:2 pays exactly


def test_a_game_without_a_strategy_is_named() -> None:
    """NY-5324.36(e)(1): nothing is made up for a game that no strategy is written for."""
    game = games()["mississippi-stud"]
    with pytest.raises(ConfigError, match="mississippi-stud") as refusal:
        simulate(game, parse_house(game, {}), rounds=100, seed=1)
    assert refusal.value.code == "no-strategy"
