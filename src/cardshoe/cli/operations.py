"""The operations that `cardshoe run` takes: those of `rehearse`, and what only a live table has.

Owns the way from the object of a line to an act of the table. Must not know the table's state beyond what a question
needs to be told from an alarm. A live table's stacks come from its shoe, never from an operation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Final

from cardshoe.cli.fields import Fields, as_flag, as_object, check_keys, parse_irregularity
from cardshoe.cli.rehearse import EVENT_OF, checked_operation
from cardshoe.cli.signing_in import OPERATIONS as SIGNING
from cardshoe.errors import InputError, Refused
from cardshoe.games.quoting import quoted
from cardshoe.games.script import Game
from cardshoe.round.events import (
    DECLARED,
    CardTurned,
    DecisionMade,
    DeclaredConfirmed,
    EntryCorrected,
    HoldCleared,
    RoundCompleted,
    WagerPlaced,
)
from cardshoe.table.acts import (
    Act,
    CalibrationChanged,
    ClearAlarm,
    CorrectEntry,
    DeckDoubted,
    DeckPlaced,
    DeckReplaced,
    HandShuffled,
    LimitsChanged,
    OpenRound,
    ShoeGivenUp,
    SignedOff,
    StopAsked,
    StubCounted,
    TableReopened,
    TrainingSet,
    UpkeepAct,
)

_MOST_CARDS: Final = 104
_KEYS: Final[Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "open_round": ((), ("seats",)),
    "turned": (("place", "card"), ()),
    "confirm": (("role",), ()),
    "clear": (("code", "role", "reason"), ("choice", "second")),
    "complete": ((), ()),
    "correct": (("of",), ("position", "player", "wagers", "action", "card", "role", "reason")),
}
"""Operation of a live table to (required keys, optional keys) beside `op`."""

_UPKEEP: Final[Mapping[str, type[UpkeepAct]]] = {
    "place_deck": DeckPlaced,
    "replace_deck": DeckReplaced,
    "doubt_deck": DeckDoubted,
    "shuffle_by_hand": HandShuffled,
    "stop": StopAsked,
    "count_stub": StubCounted,
    "sign_off": SignedOff,
    "change_calibration": CalibrationChanged,
    "set_limits": LimitsChanged,
    "set_training": TrainingSet,
    "reopen_table": TableReopened,
    "give_up_shoe": ShoeGivenUp,
}
"""Operation about decks, counts and machines to its act, whose fields are its keys."""


_NOT_CORRECTED: Final = ("op", "of", "role", "reason", "id")
"""Keys of a correction that are none of the entry."""


class Operations:
    """Turns lines into acts, one table's in their order; knows the last entry, which `correct` may change.

    `held` tells the codes of the open round's questions. With `people` the role of an order is that of who is signed
    in, and may be left out.
    """

    def __init__(self, game: Game, held: Callable[[], tuple[str, ...]], *, people: bool = False) -> None:
        self._game = game
        self._held = held
        self._unstated = ("role",) if people else ()
        self._others = (*_KEYS, *_UPKEEP, *(SIGNING if people else ()))
        self._number = -1
        self._entry: Fields = {}
        self._entry_at: frozenset[int] = frozenset()

    def act(self, line: Fields) -> Act:
        """Return the act that `line` asks for. Raises `InputError` for its form, `Refused` for its values."""
        self._number += 1
        fields = {key: value for key, value in line.items() if key != "id"}
        if "op" not in fields:
            raise InputError("missing-key", "the key 'op' is missing; add it")
        op = fields["op"]
        if isinstance(op, str) and op in _KEYS:
            required, optional = _KEYS[op]
            return self._live(op, self._complete(op, fields, required, optional))
        if isinstance(op, str) and op in _UPKEEP:
            names = tuple(each.name for each in dataclasses.fields(_UPKEEP[op]))
            return _upkeep(op, self._complete(op, fields, names, ()), names)
        return self._rehearsed(checked_operation(self._game, fields, "the line", self._others))

    def pass_over(self) -> None:
        """Count a line that could not be read, so that `correct` counts as the one who writes the lines does."""
        self._number += 1

    def accepted(self, line: Fields) -> None:
        """Note that the act of `line` was accepted: it may be the entry that a later line corrects."""
        if line["op"] in ("wager", "decide", "turned"):
            self._entry, self._entry_at = line, frozenset({self._number})
        elif line["op"] == "correct":
            self._entry, self._entry_at = self._corrected(line), self._entry_at | {self._number}

    def _complete(self, op: str, fields: Fields, required: tuple[str, ...], optional: tuple[str, ...]) -> Fields:
        """Return `fields` with all keys that the operation needs; raises `InputError` for wrong or missing ones."""
        left_out = tuple(key for key in self._unstated if key in required)
        stated = tuple(key for key in required if key not in left_out)
        check_keys(fields, ("op", *stated), (*optional, *left_out), f"{op}: ")
        return {**dict.fromkeys(left_out, ""), **fields}

    def _live(self, op: str, fields: Fields) -> Act:
        match op:
            case "open_round":
                return OpenRound(_seats(fields))
            case "turned":
                return _turned(fields)
            case "confirm":
                return DeclaredConfirmed(_text(fields, "role"))
            case "complete":
                return RoundCompleted()
            case "correct":
                return self._correction(fields)
            case _:
                return self._cleared(fields)

    def _cleared(self, fields: Fields) -> Act:
        code, role, reason = (_text(fields, key) for key in ("code", "role", "reason"))
        second = _text(fields, "second") if "second" in fields else ""
        if code not in self._held() and "choice" not in fields:
            return ClearAlarm(code, role, reason, second)
        if "choice" not in fields:
            raise InputError("missing-key", f"clear: the question {quoted(code)} needs a 'choice'; add it")
        return HoldCleared(code, _text(fields, "choice"), role, reason, second)

    def _rehearsed(self, fields: Fields) -> Act:
        op = fields["op"]
        if op == "stack":
            raise Refused(
                "act", "stacks are asked of the shoe by the table itself; take the stack that lies in the gate"
            )
        if op == "irregularity":
            return parse_irregularity(self._game, {key: fields[key] for key in fields if key != "op"}, "irregularity")
        return EVENT_OF[str(op)](fields)

    def _correction(self, fields: Fields) -> Act:
        """Return the correction of the last entry; with a reason where one is given, which then stands beside it."""
        beside = ("card", "role", "reason")
        checked_operation(self._game, {key: fields[key] for key in fields if key not in beside}, "correct")
        corrected = self._corrected(fields)
        op = corrected["op"]
        entry = _turned(corrected) if op == "turned" else EVENT_OF[str(op)](corrected)
        if not isinstance(entry, WagerPlaced | DecisionMade | CardTurned):
            raise Refused("nothing-to-correct", f"{quoted(op)} is no wager, decision or entered card")
        if "reason" not in fields and "role" not in fields:
            return EntryCorrected(entry)
        return CorrectEntry(entry, _text(fields, "role") if "role" in fields else "", _reason(fields))

    def _corrected(self, fields: Fields) -> Fields:
        of = fields["of"]
        if type(of) is not int or of not in self._entry_at:
            raise Refused(
                "nothing-to-correct",
                f"operation {quoted(of)} is not the last wager, decision or entered card; only that can be corrected,"
                " until the next step that cannot be undone",
            )
        new = {key: value for key, value in fields.items() if key not in _NOT_CORRECTED}
        for key in new:
            if key not in self._entry:
                raise Refused("nothing-to-correct", f"operation {of} has no {key!r} that could be corrected")
        return {**self._entry, **new}


def _upkeep(op: str, given: Fields, names: tuple[str, ...]) -> UpkeepAct:
    kind = _UPKEEP[op]
    values: dict[str, Any] = {name: _UNLIKE_TEXT.get(name, _text)(given, name) for name in names}
    return kind(**values)


def _turned(fields: Fields) -> CardTurned:
    return CardTurned(_text(fields, "card"), _text(fields, "place"), DECLARED)


def _reason(fields: Fields) -> str:
    if "reason" not in fields:
        raise InputError("missing-key", "correct: the key 'reason' is missing; say why beside 'role'")
    return _text(fields, "reason")


def _cards(given: Fields, key: str) -> int:
    value = given[key]
    if type(value) is not int or not 0 <= value <= _MOST_CARDS:
        raise InputError("field-type", f"cards: {quoted(value)} is no number of cards between 0 and {_MOST_CARDS}")
    return value


def _text(fields: Fields, key: str) -> str:
    value = fields[key]
    if not isinstance(value, str):
        raise InputError("field-type", f"{key}: {quoted(value)} is no text; write it in quotes")
    return value


def _flag(fields: Fields, key: str) -> bool:
    return as_flag(fields[key], key)


def _amounts(fields: Fields, key: str) -> Fields:
    return as_object(fields[key], key)


_UNLIKE_TEXT: Final[Mapping[str, Callable[[Fields, str], object]]] = {
    "cards": _cards,
    "on": _flag,
    "minimum_wager": _amounts,
    "maximum_wager": _amounts,
}
"""Keys of the acts about decks, counts and machines that hold no text."""


def _seats(fields: Fields) -> dict[str, str]:
    seats: dict[str, str] = {}
    for position, player in as_object(fields.get("seats", {}), "seats").items():
        if not isinstance(player, str):
            raise InputError("field-type", f"seats.{position}: {quoted(player)} is no text; write it in quotes")
        seats[position] = player
    return seats
