"""A view as plain JSON, and what of it is a question for a person.

Owns the form of the state that browsers get. Everything in it comes from `TableView`, which holds no hidden card. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from cardshoe.console.ports import LastEntry
from cardshoe.error_table import ERROR_TABLE, Clears
from cardshoe.errors import CardshoeError
from cardshoe.round.next_step import Held
from cardshoe.table.view import AnswerAlarm, Due, PositionView, TableView


def shown_plain(view: TableView, *, failure: CardshoeError | None, last: LastEntry | None) -> dict[str, Any]:
    """Return the state as browsers get it, amounts in cents; the feed puts its number before it."""
    return {
        "table": view.name,
        "game": view.game,
        "method": view.method,
        "round": view.round_id,
        "due": due_plain(view.due),
        "words": view.words,
        "alarm": _alarm(view),
        "stopped": None if failure is None else {"code": failure.code, "text": failure.text},
        "positions": [_position(each) for each in view.positions],
        "dealer": {"cards": view.dealer_cards, "faces": list(view.dealer_faces)},
        "board": {"cards": view.board_cards, "faces": list(view.board_faces)},
        "burned": view.burned,
        "cover_card_in": view.cover_card_in,
        "cover_cards": list(view.cover_cards),
        "stub_removed": view.stub_removed,
        "shoe": {"up": view.shoe_up, "deck": view.deck, "owes": view.shoe_owes},
        "reader": {"up": view.reader_up},
        "tally": plain(view.tally),
        "notices": list(view.notices),
        "declared": list(view.declared),
        "limits": plain(view.limits),
        "training": view.training,
        "signed_off": view.signed_off,
        "round_open": view.round_open,
        "last_entry": plain(last),
    }


def due_plain(due: Due) -> dict[str, Any]:
    """Return what is due: `step` names it, in the words of the interface; the rest are its fields."""
    name = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in type(due).__name__)
    return {
        "step": name.removeprefix("_").removesuffix("_due"),
        **{each.name: plain(getattr(due, each.name)) for each in fields(due)},
    }


def plain(value: Any) -> Any:
    """Return a frozen value as JSON knows it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    return value


def _position(each: PositionView) -> dict[str, Any]:
    return {**plain(each), "wagers": dict(each.wagers)}


def _alarm(view: TableView) -> dict[str, Any] | None:
    """Return the question that stands in the way: who may answer it, the lawful answers and what they lead to."""
    due = view.due
    if isinstance(due, Held):
        hold = due.hold
        return _question(hold.code, hold.question, hold.clears) | {
            "choices": list(hold.choices),
            "outcomes": dict(view.outcomes),
            "cites": hold.cites,
            "who": hold.who,
            "in_round": True,
        }
    if isinstance(due, AnswerAlarm):
        alarm = due.alarm
        return _question(alarm.code, alarm.text, alarm.clears) | {
            "choices": [],
            "outcomes": {},
            "cites": None,
            "who": "",
            "in_round": False,
        }
    return None


def _question(code: str, text: str, clears: Clears) -> dict[str, Any]:
    meaning = ERROR_TABLE.get(code)
    return {
        "code": code,
        "text": text,
        "told": meaning.dealer_text if meaning is not None else text,
        "severity": meaning.severity.value if meaning is not None else "hold",
        "clears": clears.name.lower(),
    }
