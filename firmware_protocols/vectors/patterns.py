"""Names and patterns of the dialogues: `$name` binds or compares, a dictionary states a condition.

Owns the small language of README.md, shared by the runners of both roles. Knows no device and no time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Names = dict[str, Any]
_NAME = re.compile(r"\$(\w+)$")
_SUM = re.compile(r"\$(\w+)(?: mod (\d+))? ?([+-] ?\d+)?(?: mod (\d+))?$")
RANKS, SUITS = "23456789TJQKA", "cdhs"


class VectorFailed(Exception):
    """A vector does not hold; the text says at which step, what was expected and what was seen."""


class VectorWrong(Exception):
    """A vector cannot be run as it is written: a name that nobody bound, an unknown step."""


def value_of(pattern: Any, names: Names) -> Any:
    """Return what `pattern` stands for when it is sent: `$name`, `$name+1`, `$name mod 255+1`, lists and dicts of them.

    Raises VectorWrong for a name that is not bound.
    """
    if isinstance(pattern, dict):
        return {key: value_of(inner, names) for key, inner in pattern.items()}
    if isinstance(pattern, list):
        return [value_of(inner, names) for inner in pattern]
    if not isinstance(pattern, str) or not pattern.startswith("$"):
        return pattern
    found = _SUM.match(pattern)
    if found is None or found[1] not in names:
        raise VectorWrong(f"{pattern} is not bound")
    value = names[found[1]]
    if found[2]:
        value %= int(found[2])
    if found[3]:
        value += int(found[3].replace(" ", ""))
    if found[4]:
        value %= int(found[4])
    return value


def _is_face(card: Any, value: Any) -> bool:
    """Whether the card as it is written ("As") has the face number that the reader reports (READER-1.3)."""
    return isinstance(card, str) and len(card) == 2 and value == RANKS.index(card[0]) * 4 + SUITS.index(card[1])


def _is_faces(faces: Any, value: Any) -> bool:
    """Whether eight bytes in hex hold these faces and then FF (READER-3.1)."""
    return bool(value == bytes(faces).ljust(8, b"\xff").hex())


def _has_pairs(whats: Any, value: Any) -> bool:
    """Whether `named` of DECK_REJECTED holds these kinds among its pairs, sorted, zeros behind them (SHOE-6.4)."""
    raw = bytes.fromhex(value)
    pairs = [raw[at : at + 2] for at in range(0, len(raw), 2)]
    named = [pair for pair in pairs if pair[0]]
    tidy = pairs == sorted(named) + [b"\0\0"] * (len(pairs) - len(named))
    return tidy and all(1 <= pair[0] <= 5 for pair in named) and set(whats) <= {pair[0] for pair in named}


CONDITIONS: dict[str, Callable[[Any, Any], bool]] = {
    "min": lambda limit, value: bool(value >= limit),
    "max": lambda limit, value: bool(value <= limit),
    "not": lambda other, value: bool(value != other),
    "in": lambda allowed, value: value in allowed,
    "set": lambda mask, value: value & mask == mask,
    "clear": lambda mask, value: value & mask == 0,
    "card": _is_face,
    "faces": _is_faces,
    "pairs": _has_pairs,
}


def matches(pattern: Any, value: Any, names: Names) -> bool:
    """Whether `value` is what `pattern` asks for; an unbound `$name` takes the value (in `names`)."""
    if pattern == "any":
        return True
    if isinstance(pattern, str) and (found := _NAME.match(pattern)) and found[1] not in names:
        names[found[1]] = value
        return True
    if isinstance(pattern, dict) and pattern and set(pattern) <= {*CONDITIONS, "bind"}:
        tests = {key: value_of(inner, names) for key, inner in pattern.items() if key != "bind"}
        if not all(CONDITIONS[key](inner, value) for key, inner in tests.items()):
            return False
        if "bind" in pattern:
            names[pattern["bind"].removeprefix("$")] = value
        return True
    if isinstance(pattern, dict):
        return isinstance(value, dict) and all(
            key in value and matches(p, value[key], names) for key, p in pattern.items()
        )
    if isinstance(pattern, list):
        return (
            isinstance(value, list) and len(value) == len(pattern)
            and all(matches(p, v, names) for p, v in zip(pattern, value, strict=True))
        )  # fmt: skip
    return bool(value_of(pattern, names) == value)


def matches_all(patterns: Mapping[str, Any], values: Mapping[str, Any], names: Names) -> bool:
    """Whether every named value fits; names are bound only if all of them do."""
    trial = dict(names)
    if all(key in values and matches(pattern, values[key], trial) for key, pattern in patterns.items()):
        names.update(trial)
        return True
    return False
