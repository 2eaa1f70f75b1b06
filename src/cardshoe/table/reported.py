"""Device events as journal entries: every one of them is evidence, and its id is what the device may forget.

Owns the plain form. Faces stand in it only where a card lay face up on the table (promise P4): a shoe's events hold
none, save the names of a rejected deck's discrepancies, which are no order and no dealt card.
"""

from __future__ import annotations

from dataclasses import fields
from enum import Enum, Flag
from functools import cache
from typing import Any, Final, cast

from cardshoe.cards import Card
from cardshoe.sealed_card import SealedCard
from cardshoe.wire.spec import Fault

_SCALARS: Final = frozenset({str, int, bool, type(None)})


def plain(event: Any) -> dict[str, object]:
    """Return a device event (a frozen dataclass) as a JSON object: `event` names its class, then its fields."""
    kind = type(event)
    told: dict[str, object] = {"event": kind.__name__}
    for name in _names(cast(Any, kind)):
        value = getattr(event, name)
        told[name] = value if type(value) in _SCALARS else _value(value)
    return told


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in fields(cast(Any, kind)))


def _value(value: Any) -> object:
    match value:
        case Card():
            return value.text
        case SealedCard():
            return "sealed"  # that a card was told, never which (promise P4)
        case Fault():
            return value.name
        case Flag():
            return [flag.name.lower() for flag in type(value) if flag in value and flag.name]
        case Enum():
            return value.name.lower()
        case tuple():
            return [_value(each) for each in value]
        case bool() | int() | str() | None:
            return value
        case bytes():
            return value.hex()
        case _:
            return {each.name: _value(getattr(value, each.name)) for each in fields(value)}
