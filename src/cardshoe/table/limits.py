"""What may be wagered at this table: the house's own limits, and those that the floor has set over them.

Owns the reading of the floor's limits, which hold from the next round on and are part of what that round is opened
with, so that a replay checks each wager against the limits of its day. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cardshoe.errors import Refused
from cardshoe.games.house import House, least_cents, parse_house
from cardshoe.games.quoting import quoted
from cardshoe.games.script import Game, Placed
from cardshoe.round.machine import find_game
from cardshoe.table.acts import LimitsChanged
from cardshoe.table.desk import Desk

_NONE: Final[Mapping[str, object]] = {}


def house_of(desk: Desk) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Return the house (JSON form) and the maximum of each spot in cents with which the next round is opened."""
    limits, config = desk.state.upkeep.limits, desk.config
    if limits.game != config.table.game:  # nothing was set, or for another game than is dealt now
        return config.house, _NONE
    return _house(desk, find_game(limits.game), limits.minimum_cents), limits.maximum_cents


def change_limits(desk: Desk, act: LimitsChanged) -> None:
    """Set the limits from the next round on. Raises `Refused` and `InputError`; then nothing is written."""
    if desk.open_round is not None:
        raise Refused(
            "round-open", f"round {desk.state.last_round_id} is not complete; limits are changed between two rounds"
        )
    game = find_game(desk.config.table.game)
    house = parse_house(game, _house(desk, game, act.minimum_wager), maximum=act.maximum_wager)
    for name in (*act.minimum_wager, *act.maximum_wager):
        _require_laid_down(game, name)
    for name, most in house.maximum_cents.items():
        _require_room(game, house, name, most)
    desk.write(
        "limits_changed",
        {
            "game": game.name,
            "minimum_cents": dict(act.minimum_wager),
            "maximum_cents": dict(act.maximum_wager),
            "role": act.role,
            "reason": act.reason,
        },
    )


def _house(desk: Desk, game: Game, minimum: Mapping[str, object]) -> Mapping[str, object]:
    """Return the configured house with `minimum` over its own minimum of each spot."""
    if not minimum:
        return desk.config.house
    own = parse_house(game, desk.config.house).minimum_cents
    return {**desk.config.house, "minimum_wager": {**own, **minimum}}


def _require_laid_down(game: Game, name: str) -> None:
    spot = game.spot(name)
    if spot is not None and spot.placed is Placed.DECISION:
        raise Refused(
            "wager-limits",
            f"a wager on {quoted(name)} follows from decision and ante; set limits for what is laid down before",
        )


def _require_room(game: Game, house: House, name: str, most: int) -> None:
    """Refuse a maximum that leaves no wager between it and the minimum, that of an equal spot included."""
    same = [spot for spot in game.stakes if name in (spot.name, spot.equals) or spot.name == _equal(game, name)]
    least = max([1, *(least_cents(game, house, spot) for spot in same)])
    if most < least:
        raise Refused(
            "wager-limits",
            f"the maximum of {most} cents for {quoted(name)} is below its minimum of {least}; set one that is not",
        )


def _equal(game: Game, name: str) -> str:
    spot = game.spot(name)
    return spot.equals if spot is not None else ""
