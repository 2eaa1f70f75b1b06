"""Checking of requests and fault data: which keys, of which kind.

Owns the texts for a wrong key or value. Must not know what a request does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from cardshoe.sim.errors import Impossible


class Kind(Enum):
    """What a value must be."""

    TEXT = "a text"
    COUNT = "a whole number from 1"
    NUMBER = "a number from 0"
    CHANCE = "a number from 0 to 1"
    FLAG = "true or false"


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a request: its kind, the texts it may have, whether it must be there, what it is otherwise."""

    kind: Kind = Kind.TEXT
    choices: tuple[str, ...] = ()
    required: bool = True
    default: object = None


def optional(kind: Kind = Kind.TEXT, choices: tuple[str, ...] = (), default: object = None) -> Key:
    """Return a key that may be left out."""
    return Key(kind, choices, required=False, default=default)


def checked(what: str, request: Mapping[str, object], keys: Mapping[str, Key]) -> dict[str, object]:
    """Return the values of `keys`, with defaults. Raises Impossible that names the key and quotes the value."""
    for name in request:
        if name not in keys:
            known = ", ".join(keys) or "none"
            raise Impossible(f"{what}: unknown key {name!r}; it takes: {known}")
    values: dict[str, object] = {}
    for name, key in keys.items():
        value = request.get(name)
        if value is None:
            if key.required:
                raise Impossible(f"{what}: key {name!r} is missing ({_wanted(key)})")
            values[name] = key.default
        elif not _fits(key, value):
            raise Impossible(f"{what}: {name} is {value!r}, wanted is {_wanted(key)}")
        else:
            values[name] = value
    return values


def described(keys: Mapping[str, Key]) -> dict[str, str]:
    """Return what each key takes, as a person reads it."""
    return {name: _wanted(key) + ("" if key.required else ", may be left out") for name, key in keys.items()}


def _wanted(key: Key) -> str:
    return "one of " + ", ".join(key.choices) if key.choices else key.kind.value


def _fits(key: Key, value: object) -> bool:
    match key.kind:
        case Kind.TEXT:
            return isinstance(value, str) and (not key.choices or value in key.choices)
        case Kind.FLAG:
            return isinstance(value, bool)
        case Kind.COUNT:
            return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 1_000_000
        case Kind.NUMBER | Kind.CHANCE:
            most = 1.0 if key.kind is Kind.CHANCE else 1e9
            return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most
