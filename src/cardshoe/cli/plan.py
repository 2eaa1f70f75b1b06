"""`cardshoe plan [FILE]`: the steps of a round before a card is dealt.

Owns the reading of a line of `plan`. Exit status 0 done, 1 a line was refused, 2 wrong usage.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cardshoe.cli.fields import Fields, as_list, check_keys, the_game, the_house
from cardshoe.cli.json_lines import answer_lines
from cardshoe.errors import InputError
from cardshoe.games.quoting import quoted
from cardshoe.games.script import POSITIONS
from cardshoe.round.machine import find_method
from cardshoe.round.plan import planned_steps
from cardshoe.round.state import is_position


def command(
    file: Annotated[
        Path | None,
        typer.Argument(
            help='JSON Lines, {"game", "method", "positions"} each, as in README.md; standard input without it.'
        ),
    ] = None,
    *,
    _as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, which it always does.")] = False,
) -> None:
    """List the steps of a round before a card is dealt."""
    answer_lines(file, planned)


def planned(case: Fields) -> dict[str, object]:
    """Return the answer to one line, without its `id`. Raises `InputError`."""
    game = the_game(case)
    check_keys(case, ("game", "method", "positions"), ("id", "house"), "")
    house = the_house(game, case)
    method = find_method(game, case["method"])
    return {"steps": planned_steps(game, house, method, _positions(case["positions"]))}


def _positions(value: object) -> tuple[str, ...]:
    given = as_list(value, "positions")
    for number, position in enumerate(given):
        if not is_position(position):
            raise InputError(
                "position", f"positions[{number}]: {quoted(position)} is no position; positions are 1 to 6"
            )
        if position in given[:number]:
            raise InputError("position", f"positions[{number}]: {quoted(position)} stands there twice; keep one")
    return tuple([position for position in POSITIONS if position in given])
