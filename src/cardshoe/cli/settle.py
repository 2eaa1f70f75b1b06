"""`cardshoe settle [FILE]`: recompute a hand, what every wager wins, with its clause.

Owns the reading of a line of `settle`. The whole round is driven through the machine that runs the table. Exit status 0
done, 1 a line was refused, 2 wrong usage.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cardshoe.cli.fields import (
    Fields,
    as_cards,
    as_list,
    as_object,
    check_keys,
    parse_irregularity,
    the_game,
    the_house,
)
from cardshoe.cli.json_lines import answer_lines
from cardshoe.errors import InputError, Refused
from cardshoe.games.quoting import quoted
from cardshoe.games.script import POSITIONS, Game
from cardshoe.round.answers import answer
from cardshoe.round.events import FloorRuled, IrregularityFound
from cardshoe.round.recompute import HandRecord, RoundRecord, recompute


def command(
    file: Annotated[
        Path | None,
        typer.Argument(
            help='JSON Lines, {"game", "positions", "dealer", "board"} each, as in README.md; else standard input.'
        ),
    ] = None,
    *,
    _as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, which it always does.")] = False,
) -> None:
    """Recompute hands: what every wager wins, with its clause."""
    answer_lines(file, settled)


def settled(case: Fields) -> dict[str, object]:
    """Return the answer to one line, without its `id`. Raises `InputError` or `Refused`."""
    game = the_game(case)
    needed = [("dealer", game.has_dealer_hand), ("board", game.board_cards > 0)]
    required = [key for key, needs in needed if needs]
    spare = [key for key, needs in needed if not needs]
    check_keys(case, ("game", "positions", *required), ("id", "house", "irregularities", *spare), "")
    house = the_house(game, case)
    hands = _hands(case["positions"])
    found, rulings = _irregularities(game, case.get("irregularities", []), hands)
    record = RoundRecord(
        game=game,
        house=house,
        hands=hands,
        dealer=as_cards(case.get("dealer", []), "dealer"),
        board=as_cards(case.get("board", []), "board"),
        found=found,
        rulings=rulings,
    )
    return {"game": game.name, **answer(recompute(record))}


def _hands(value: object) -> dict[str, HandRecord]:
    given = as_object(value, "positions")
    for position in given:
        if position not in POSITIONS:
            raise InputError("position", f"positions: {quoted(position)} is no position; positions are 1 to 6")
    if not given:
        raise InputError("missing-key", "positions: there is none; give at least one")
    return {position: _hand(given[position], f"positions[{position!r}]") for position in POSITIONS if position in given}


def _hand(value: object, where: str) -> HandRecord:
    fields = as_object(value, where)
    check_keys(fields, ("wagers", "cards", "actions"), (), f"{where}: ")
    actions = as_list(fields["actions"], f"{where}.actions")
    texts = [action for action in actions if isinstance(action, str)]
    if len(texts) != len(actions):
        wrong = next(action for action in actions if not isinstance(action, str))
        raise Refused("action", f"{where}.actions: {quoted(wrong)} is no answer; write it as text")
    # The amounts are checked where every wager is: by the rules of the round.
    wagers: dict[str, int] = dict(as_object(fields["wagers"], f"{where}.wagers"))  # type: ignore[arg-type]
    return HandRecord(wagers, as_cards(fields["cards"], f"{where}.cards"), tuple(texts))


def _irregularities(
    game: Game, value: object, hands: dict[str, HandRecord]
) -> tuple[tuple[IrregularityFound, ...], tuple[FloorRuled, ...]]:
    found: list[IrregularityFound] = []
    rulings: list[FloorRuled] = []
    for number, each in enumerate(as_list(value, "irregularities")):
        where = f"irregularities[{number}]"
        event = parse_irregularity(game, as_object(each, where), where)
        if event.who in POSITIONS and event.who not in hands:
            raise Refused("position", f"{where}.who: position {event.who} is not in this hand")
        if isinstance(event, FloorRuled):
            rulings.append(event)
        else:
            found.append(event)
    return tuple(found), tuple(rulings)
