"""Robot players say only what a player may say."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardshoe.games import games
from cardshoe.games.house import parse_house
from cardshoe.games.script import POSITIONS
from cardshoe.lab.players import NAMES, Players
from cardshoe.round.betting import check_wagers

GAMES = tuple(games())
HOUSES = (
    {},
    {"minimum_wager": 700},
    {"rounding": "refuse"},
    {"minimum_wager": {"ante": 2600}},
)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("given_house", HOUSES, ids=str)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), round_id=st.integers(1, 10_000), position=st.sampled_from(POSITIONS))
def test_wagers_are_those_that_the_rules_take(
    name: str, given_house: dict[str, object], seed: int, round_id: int, position: str
) -> None:
    """NY-5324.35(c)(1)–(3), NY-5324.36(c)(1)–(3), NJ-69F-20.12A(a): required, equal, beside, at least the minimum."""
    game = games()[name]
    house = parse_house(game, given_house)
    wagers = Players(game, house, seed).wagers(round_id, position, must=True)
    assert wagers
    check_wagers(game, house, wagers, "robot")  # raises Refused


@given(seed=st.integers(0, 2**32), round_id=st.integers(1, 10_000))
def test_somebody_always_sits_at_a_seat_of_his_own(seed: int, round_id: int) -> None:
    """NY-5324.36(g): one position a player."""
    game = games()["three-card-poker"]
    seated = Players(game, parse_house(game, {}), seed).seated(round_id)
    assert 1 <= len(seated) <= 6
    assert all(NAMES[position] == player for position, player in seated.items())
    assert len(set(seated.values())) == len(seated)
