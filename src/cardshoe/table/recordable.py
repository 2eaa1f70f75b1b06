"""What a person enters, looked at before it is decided: can it stand in a record?

Owns the refusal of text that no record can hold. The journal refuses it too, but only when the table has decided
already, and what is decided and cannot be written stops the table (promise P2). Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Final

from cardshoe.errors import InputError
from cardshoe.games.quoting import quoted

LONGEST_TEXT: Final = 2000
MOST_PARTS: Final = 1000
_INTEGERS: Final = range(-(2**63), 2**64)


def require_recordable(act: object) -> None:
    """Raise `InputError` (`entry-unrecordable`) for an act that holds what cannot be written down."""
    _look(act, type(act).__name__)


def _look(value: object, where: str) -> None:
    match value:
        case str():
            _text(value, where)
        case int() if value not in _INTEGERS:
            raise _refused(where, f"{quoted(value)} is too large a number; correct it")
        case Mapping():
            _parts([*value.keys(), *value.values()], where)
        case tuple() | list():
            _parts(value, where)
        case _ if is_dataclass(value):
            for part in fields(value):
                _look(getattr(value, part.name), part.name)
        case _:
            return  # numbers, truth values and names of a closed set


def _text(value: str, where: str) -> None:
    if len(value) > LONGEST_TEXT:
        raise _refused(where, f"{quoted(value)} has {len(value)} characters; use {LONGEST_TEXT} at most")
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise _refused(where, f"{quoted(value)} holds half a character (a lone surrogate); write it anew")


def _parts(parts: Sequence[object], where: str) -> None:
    if len(parts) > MOST_PARTS:
        raise _refused(where, f"it holds {len(parts)} parts; leave out what does not belong there")
    for each in parts:
        _look(each, where)


def _refused(where: str, problem: str) -> InputError:
    return InputError("entry-unrecordable", f"{where}: {problem}")
