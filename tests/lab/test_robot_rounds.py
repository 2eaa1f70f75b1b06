"""The robot plays whole rounds of every game, by every method, with and without a table reader."""

from __future__ import annotations

from typing import get_args

import pytest
from robot_table import GAMES, SHOE, SPEED, check_journal, config, counters, kinds, robot

from cardshoe.games import games
from cardshoe.lab.robot import Robot
from cardshoe.table.view import Due

METHODS = [(game, method.value) for game in GAMES for method in games()[game].scripts]


def test_the_robot_knows_every_step_that_can_be_due() -> None:
    """`due` is a closed set: each member has its doer, and nothing else has one."""
    play = robot(config(GAMES[0]))
    known: Robot = play.robot
    assert set(known.doers) == set(get_args(Due))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_rounds_from_the_shoe_are_completed_without_a_question(game: str, seed: int) -> None:
    """P1, P3: every stack asked for is dispensed, once; every round is complete; nothing is refused."""
    play = robot(config(game), seed=seed)
    play.rounds(3)
    tally = play.table.shown.tally
    assert (tally.completed, tally.voided, tally.held) == (3, 0, 0)
    assert play.refusals == []
    assert tally.stacks_requested == tally.stacks_dispensed == counters(play)["stacks_dispensed"]
    cards = games()[game].cards_each
    assert counters(play)["cards_out"] == cards * tally.stacks_dispensed
    check_journal(play)


@pytest.mark.parametrize(("game", "method"), METHODS)
@pytest.mark.parametrize("reader", [True, False])
def test_every_method_with_and_without_a_reader(game: str, method: str, reader: bool) -> None:
    """Without a reader the shoe tells the hands (SHOE-9.7); the rest is declared, and the floor has confirmed it before
    the round is complete.
    """
    play = robot(config(game, method=method, reader=reader), seed=7)
    play.rounds(2)
    assert play.table.shown.tally.completed == 2
    turned = [(body["source"], body["place"]) for body in kinds(play, "card-turned")]
    assert {source for source, place in turned if place == "board"} <= ({"read"} if reader else {"declared"})
    assert {source for source, place in turned if place != "board"} == (
        {"read"} if reader or method == SHOE else {"declared"}
    )
    assert bool(kinds(play, "declared-confirmed")) is any(source == "declared" for source, _ in turned)
    if method != SHOE:
        assert counters(play)["feeds_started"] == 0
        assert kinds(play, "card-dealt")
    check_journal(play)


def test_a_seed_gives_the_same_rounds_again() -> None:
    one, other, another = (robot(config(GAMES[0]), seed=seed) for seed in (3, 3, 4))
    for play in (one, other, another):
        play.rounds(2)
    told = [kinds(play, "settled") for play in (one, other, another)]
    assert told[0] == told[1]
    assert told[0] != told[2]


def test_every_number_of_players_sits_down_and_leaves() -> None:
    """Players come and go between rounds; one to six of them play."""
    play = robot(config("three-card-poker", reader=False), seed=2)
    play.rounds(30)
    seated = {len(body["positions"]) for body in kinds(play, "settled")}
    assert min(seated) >= 1
    assert len(seated) >= 3
    assert kinds(play, "player-left")
    assert kinds(play, "cover-card-inserted")


def test_a_round_at_speed_one_takes_as_long_as_at_a_table() -> None:
    """Three rounds of six players: between one and a half and two and a half minutes each."""
    play = robot(config("ultimate-texas-holdem"), seed=5)
    play.rounds(1)
    start = play.table.now
    play.rounds(6)
    seconds = (play.table.now - start) * SPEED / 6
    assert 45 <= seconds <= 180
