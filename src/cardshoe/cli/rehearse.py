"""`cardshoe rehearse [FILE]`: is each step of a round allowed?

Owns the reading of a line of `rehearse` and the run of its operations. A refused operation changes nothing and the next
is tried. Exit status 0 done, 1 a line was refused, 2 wrong usage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from cardshoe.cli.fields import Fields, as_flag, as_list, as_object, check_keys, parse_irregularity, the_game, the_house
from cardshoe.cli.json_lines import answer_lines
from cardshoe.errors import CardshoeError, InputError, Refused
from cardshoe.games.quoting import quoted
from cardshoe.games.script import Game
from cardshoe.round.events import (
    BoardDealt,
    BoardTurned,
    CardBurned,
    CardDealt,
    CoverCardInserted,
    DealerRevealed,
    DecisionMade,
    EntryCorrected,
    Event,
    HandCollected,
    HandSettled,
    NoMoreBetsCalled,
    PlayerLeft,
    PlayerSeated,
    StackDelivered,
    StackRequested,
    StubRemoved,
    WagerPlaced,
    WagerWithdrawn,
)
from cardshoe.round.machine import apply, find_method, new_round
from cardshoe.round.state import State


def command(
    file: Annotated[
        Path | None,
        typer.Argument(
            help='JSON Lines, {"game", "method", "operations"} each, as in README.md; standard input without it.'
        ),
    ] = None,
    *,
    _as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON, which it always does.")] = False,
) -> None:
    """Try the operations of a round: is each step allowed?"""
    answer_lines(file, rehearsed)


def rehearsed(case: Fields) -> dict[str, object]:
    """Return the answer to one line, without its `id`. Raises `InputError` for a line that cannot be read."""
    game = the_game(case)
    check_keys(case, ("game", "method", "operations"), ("id", "house"), "")
    house = the_house(game, case)
    method = find_method(game, case["method"])
    operations = [
        checked_operation(game, each, f"operations[{number}]")
        for number, each in enumerate(as_list(case["operations"], "operations"))
    ]
    run = _Run(game, new_round(game, house, method, 0, {}, live=False))
    for number, operation in enumerate(operations):
        run.try_one(number, operation)
    return {"accepted": run.accepted, "refusals": run.refusals}


# --- the form of an operation ----------------------------------------------------------------------------------------

_KEYS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "seat": (("position", "player"), ()),
    "wager": (("position", "player", "wagers"), ()),
    "withdraw": (("position", "player", "wagers"), ()),
    "no_more_bets": ((), ()),
    "stack": (("to", "cards"), ()),
    "card": (("to",), ("under_cover_card",)),
    "cover_card": ((), ()),
    "remove_stub": ((), ()),
    "decide": (("position", "action"), ()),
    "burn": (("cards",), ()),
    "board": (("cards",), ()),
    "turn_board": (("cards",), ()),
    "leave": (("player",), ()),
    "reveal_dealer": ((), ()),
    "settle": (("position",), ()),
    "collect": (("position",), ()),
    "correct": (("of",), ("position", "player", "wagers", "action")),
}
"""Operation to (required keys, optional keys) beside `op`; an irregularity has its own."""


def checked_operation(game: Game, value: object, where: str, more: tuple[str, ...] = ()) -> Fields:
    """Return an operation whose keys are right; raises `InputError`, which refuses the line."""
    fields = as_object(value, where)
    if "op" not in fields:
        raise InputError("missing-key", f"{where}: the key 'op' is missing; add it")
    op = fields["op"]
    if op == "irregularity":
        _check_irregularity(game, fields, where)
        return fields
    keys = _KEYS.get(op) if isinstance(op, str) else None
    if keys is None:
        names = ", ".join((*_KEYS, "irregularity", *more))
        raise InputError("unknown-op", f"{where}: {quoted(op)} is no operation; there are {names}")
    check_keys(fields, ("op", *keys[0]), keys[1], f"{where}: ")
    if "under_cover_card" in fields:
        as_flag(fields["under_cover_card"], f"{where}.under_cover_card")
    wagers = fields.get("wagers")
    if op == "withdraw":
        as_list(wagers, f"{where}.wagers")
    elif wagers is not None or "wagers" in fields:
        _check_spots(game, as_object(wagers, f"{where}.wagers"), where)
    return fields


def _check_irregularity(game: Game, fields: Fields, where: str) -> None:
    try:
        parse_irregularity(game, _without_op(fields), where)
    except Refused:
        return  # a bad position or number refuses the operation, when its turn comes


def _check_spots(game: Game, wagers: Fields, where: str) -> None:
    for name in wagers:
        if game.spot(name) is None:
            names = ", ".join(spot.name for spot in game.spots)
            raise InputError("unknown-key", f"{where}.wagers: unknown key {quoted(name)}; {game.name} has {names}")


def _without_op(fields: Fields) -> Fields:
    return {key: value for key, value in fields.items() if key != "op"}


# --- the run ---------------------------------------------------------------------------------------------------------


class _Run:
    """The operations of one line on one round."""

    __slots__ = ("_entry", "_entry_at", "_game", "_state", "accepted", "refusals")

    def __init__(self, game: Game, state: State) -> None:
        self._game = game
        self._state = state
        self._entry: Fields = {}
        self._entry_at: frozenset[int] = frozenset()
        self.accepted: list[bool] = []
        self.refusals: list[dict[str, object]] = []

    def try_one(self, number: int, operation: Fields) -> None:
        """Apply operation `number`, or note why it is refused."""
        try:
            state = self._state
            for event in self._events(number, operation):
                state, _ = apply(state, event)
        except CardshoeError as error:
            self.accepted.append(False)
            self.refusals.append({"index": number, "code": error.code, "text": error.text, "cites": error.cites})
            return
        self.accepted.append(True)
        self._state = state
        if operation["op"] in ("wager", "decide"):
            self._entry, self._entry_at = operation, frozenset({number})
        elif operation["op"] == "correct":
            self._entry, self._entry_at = self._corrected(operation), self._entry_at | {number}

    def _events(self, number: int, operation: Fields) -> tuple[Event, ...]:
        op = operation["op"]
        if op == "stack":
            # The shoe of a rehearsal delivers at once.
            to, cards = _text(operation, "to"), _number(operation, "cards")
            return StackRequested(number + 1, to, cards), StackDelivered(number + 1, to, cards)
        if op == "irregularity":
            return (parse_irregularity(self._game, _without_op(operation), f"operations[{number}]"),)
        if op == "correct":
            return (EntryCorrected(self._entry_event(self._corrected(operation))),)
        return (EVENT_OF[str(op)](operation),)

    def _corrected(self, operation: Fields) -> Fields:
        of = operation["of"]
        if type(of) is not int or of not in self._entry_at:
            raise Refused(
                "nothing-to-correct",
                f"operation {quoted(of)} is not the last wager or decision; only that can be corrected, until the next "
                "step that cannot be undone",
            )
        fields = {key: value for key, value in operation.items() if key not in ("op", "of")}
        for key in fields:
            if key not in self._entry:
                raise Refused("nothing-to-correct", f"operation {of} has no {key!r} that could be corrected")
        return {**self._entry, **fields}

    def _entry_event(self, fields: Fields) -> WagerPlaced | DecisionMade:
        return _wager(fields) if fields["op"] == "wager" else _decision(fields)


def _text(fields: Fields, key: str) -> str:
    """Return a text; anything else refuses the operation, by the code that a wrong text of its kind has."""
    value = fields[key]
    if isinstance(value, str):
        return value
    code = {"player": "player", "action": "action", "to": "wrong-destination"}.get(key, "position")
    raise Refused(code, f"{key}: {quoted(value)} is no text; write it in quotes")


def _number(fields: Fields, key: str) -> int:
    value = fields[key]
    if type(value) is not int:
        raise Refused("wrong-count", f"{key}: {quoted(value)} is no whole number of cards")
    return value


def _wager(fields: Fields) -> WagerPlaced:
    wagers: Any = fields["wagers"]  # the amounts are checked by the rules of the round
    return WagerPlaced(_text(fields, "position"), _text(fields, "player"), wagers)


def _withdrawal(fields: Fields) -> WagerWithdrawn:
    spots = as_list(fields["wagers"], "wagers")
    names = tuple([name for name in spots if isinstance(name, str)])
    if len(names) != len(spots):
        wrong = next(name for name in spots if not isinstance(name, str))
        raise Refused("no-wager", f"wagers: {quoted(wrong)} names no spot; write it in quotes")
    return WagerWithdrawn(_text(fields, "position"), _text(fields, "player"), names)


def _card(fields: Fields) -> CardDealt:
    covered = fields.get("under_cover_card")
    return CardDealt(_text(fields, "to"), covered if isinstance(covered, bool) else None)


def _decision(fields: Fields) -> DecisionMade:
    return DecisionMade(_text(fields, "position"), _text(fields, "action"))


EVENT_OF: Final[Mapping[str, Callable[[Fields], Event]]] = {
    "seat": lambda fields: PlayerSeated(_text(fields, "position"), _text(fields, "player")),
    "wager": _wager,
    "withdraw": _withdrawal,
    "no_more_bets": lambda _: NoMoreBetsCalled(),
    "card": _card,
    "cover_card": lambda _: CoverCardInserted(),
    "remove_stub": lambda _: StubRemoved(),
    "decide": _decision,
    "burn": lambda fields: CardBurned(_number(fields, "cards")),
    "board": lambda fields: BoardDealt(_number(fields, "cards")),
    "turn_board": lambda fields: BoardTurned(_number(fields, "cards")),
    "leave": lambda fields: PlayerLeft(_text(fields, "player")),
    "reveal_dealer": lambda _: DealerRevealed(),
    "settle": lambda fields: HandSettled(_text(fields, "position")),
    "collect": lambda fields: HandCollected(_text(fields, "position")),
}
"""Operation to the event that it means; `stack`, `irregularity` and `correct` are told apart before."""
