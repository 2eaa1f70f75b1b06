"""The forms of the operations that a table takes, as JSON Schema.

Owns the description; the reading is that of `cardshoe run`, which takes the same operations, and a test holds the two
together by name and key. A table with people fills in `role` and `second` itself, where they are "". Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from cardshoe.games.script import POSITIONS

Schema = Mapping[str, Any]

_POSITION: Final[Schema] = {"type": "string", "enum": list(POSITIONS)}
_PLACE: Final[Schema] = {"type": "string", "enum": ["board", "dealer", *POSITIONS]}
_TEXT: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 200}
_CARD: Final[Schema] = {"type": "string", "pattern": "^[AKQJT98765432][shdc]$"}
_CARDS: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 104}
_CENTS: Final[Schema] = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}
_SPOTS: Final[Schema] = {"type": "array", "items": {"type": "string"}}
_SEATS: Final[Schema] = {"type": "object", "additionalProperties": {"type": "string"}}
_FLAG: Final[Schema] = {"type": "boolean"}
_ROLE: Final[Schema] = {"type": "string", "enum": ["", "dealer", "floor", "technician"]}
_DIGEST: Final[Schema] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_NUMBER: Final[Schema] = {"type": "integer", "minimum": 0}
_WHO: Final = {"role": _ROLE, "reason": _TEXT}

FORMS: Final[Mapping[str, tuple[Mapping[str, Schema], Mapping[str, Schema]]]] = {
    "open_round": ({}, {"seats": _SEATS}),
    "seat": ({"position": _POSITION, "player": _TEXT}, {}),
    "leave": ({"player": _TEXT}, {}),
    "wager": ({"position": _POSITION, "player": _TEXT, "wagers": _CENTS}, {}),
    "withdraw": ({"position": _POSITION, "player": _TEXT, "wagers": _SPOTS}, {}),
    "no_more_bets": ({}, {}),
    "stack": ({"to": _PLACE, "cards": _CARDS}, {}),
    "card": ({"to": _PLACE}, {"under_cover_card": _FLAG}),
    "cover_card": ({}, {}),
    "remove_stub": ({}, {}),
    "decide": ({"position": _POSITION, "action": _TEXT}, {}),
    "burn": ({"cards": _CARDS}, {}),
    "board": ({"cards": _CARDS}, {}),
    "turn_board": ({"cards": _CARDS}, {}),
    "reveal_dealer": ({}, {}),
    "turned": ({"place": _PLACE, "card": _CARD}, {}),
    "confirm": ({"role": _ROLE}, {}),
    "settle": ({"position": _POSITION}, {}),
    "collect": ({"position": _POSITION}, {}),
    "complete": ({}, {}),
    "correct": (
        {"of": _NUMBER},
        {"position": _POSITION, "player": _TEXT, "wagers": _CENTS, "action": _TEXT, "card": _CARD, **_WHO},
    ),
    "clear": ({"code": _TEXT, **_WHO}, {"choice": _TEXT, "second": _ROLE}),
    "place_deck": ({"back": _TEXT}, {}),
    "replace_deck": ({"back": {"type": "string"}, **_WHO}, {}),
    "doubt_deck": ({**_WHO}, {}),
    "shuffle_by_hand": ({**_WHO}, {}),
    "stop": ({**_WHO}, {}),
    "count_stub": ({"cards": _CARDS}, {}),
    "sign_off": ({"cards": _CARDS, **_WHO}, {}),
    "change_calibration": (
        {"device": {"type": "string", "enum": ["shoe", "reader"]}, "old": _DIGEST, "new": _DIGEST, **_WHO},
        {},
    ),
    "set_limits": ({"minimum_wager": _CENTS, "maximum_wager": _CENTS, **_WHO}, {}),
    "set_training": ({"on": _FLAG, **_WHO}, {}),
    "reopen_table": ({**_WHO}, {}),
    "give_up_shoe": ({**_WHO}, {}),
}
"""Operation to (required keys, optional keys), each with its schema; an irregularity has a form of its own."""

_IRREGULARITY: Final[Schema] = {
    "type": "object",
    "properties": {
        "op": {"const": "irregularity"},
        "kind": {
            "type": "string",
            "enum": [
                "dealer_card_exposed",
                "card_found_face_up",
                "wrong_card_count",
                "device_fault",
                "floor_ruling",
            ],
        },
        "before_decisions_done": _FLAG,
        "after_initial_deal": _FLAG,
        "who": {"type": "string", "enum": ["all", "dealer", *POSITIONS]},
        "cards": _CARDS,
        "repairable_in_sequence": _FLAG,
        "affects_outcome": _FLAG,
        "outcome": {"type": "string", "enum": ["void", "stands"]},
    },
    "required": ["op", "kind"],
    "additionalProperties": False,
}


def _form(op: str) -> Schema:
    required, optional = FORMS[op]
    return {
        "type": "object",
        "properties": {"op": {"const": op}, **required, **optional},
        "required": ["op", *required],
        "additionalProperties": False,
    }


OPERATION: Final[Schema] = {"oneOf": [*(_form(op) for op in FORMS), _IRREGULARITY]}
