"""What is fixed while a table is open: its game, spots, choices, limits and devices, as plain JSON.

Owns the form. The pages draw any game from it, so that a further game needs no further page. Pure.
"""

from __future__ import annotations

from typing import Any

from cardshoe.error_table import ERROR_TABLE, Severity
from cardshoe.games.house import House, least_cents, parse_house
from cardshoe.games.script import POSITIONS, Ask, Choice, Game, Placed, Spot, TakeStub
from cardshoe.round.machine import find_game, find_method
from cardshoe.table.config import TableConfig


def table_facts(config: TableConfig, *, lab: bool, people: bool) -> dict[str, Any]:
    """Return the facts of the table of `config`; `lab`: its world is simulated; `people`: who acts signs in."""
    game = find_game(config.table.game)
    house = parse_house(game, config.house)
    script = game.scripts[find_method(game, config.table.method)]
    return {
        "table": config.table.name,
        "mode": config.table.mode,
        "game": game.name,
        "title": game.title,
        "text": game.text,
        "method": config.table.method,
        "positions": list(POSITIONS),
        "cards_each": game.cards_each,
        "board_cards": game.board_cards,
        "dealer_hand": game.has_dealer_hand,
        "stub": any(isinstance(step, TakeStub) for step in script),
        "spots": [_spot(game, house, spot) for spot in game.spots],
        "at_least_one_of": list(game.at_least_one_of),
        "choices": _choices(game, house, [step for step in script if isinstance(step, Ask)]),
        "shoe": config.devices.shoe is not None,
        "reader": config.devices.reader is not None,
        "backs": list(config.deck.backs),
        "cover_card": config.deck.cover_card,
        "config": config.digest(),
        "lab": lab,
        "people": people,
        "alarms": sorted(code for code, row in ERROR_TABLE.items() if row.severity not in (Severity.NOTE,)),
    }


def _spot(game: Game, house: House, spot: Spot) -> dict[str, Any]:
    return {
        "name": spot.name,
        "placed": {Placed.REQUIRED: "required", Placed.OPTIONAL: "optional", Placed.DECISION: "decision"}[spot.placed],
        "least_cents": least_cents(game, house, spot),
        "beside": [house.words[spot.beside_option]] if spot.beside_option else list(spot.beside),
        "equals": spot.equals,
        "cites": spot.area,
    }


def _choices(game: Game, house: House, asks: list[Ask]) -> dict[str, Any]:
    return {choice.label: _choice(game, house, choice) for ask in asks for choice in ask.choices}


def _choice(game: Game, house: House, choice: Choice) -> dict[str, Any]:
    """Return one choice; `antes`: the multiple that it must be, `usual_antes`: what a page offers first."""
    spot = game.spot(choice.spot)
    return {
        "kind": choice.kind.value,
        "spot": choice.spot,
        "spells": choice.spells,
        "antes": choice.multiple if choice.multiple is not None else house.multiples.get(choice.multiple_option),
        "usual_antes": spot.most_antes if spot is not None else 0,
        "cites": choice.cites,
    }
