"""Values of the wire as the house writes them: an unknown count is None, a fault is a row of the table.

Owns the reading of single values that shoe and reader share. Must not know messages. Raises `ValueError` for a value
that the protocol does not know, which its callers turn into an event. Implements SHOE-2.3, SHOE-2.4 and SHOE-8.1,
READER-1.3 as far as single values go.
"""

from __future__ import annotations

from enum import IntFlag
from typing import Final, TypeVar

from cardshoe.cards import DECK, Card
from cardshoe.wire.spec import Fault, load_faults

F = TypeVar("F", bound=IntFlag)
UNKNOWN_COUNT: Final = 0xFF


def bits(flags: type[F], value: int) -> F:
    """Return `value` as flags; raises `ValueError` for a bit that has no name."""
    unnamed = value & ~sum(flags)
    if unnamed:
        raise ValueError(f"{value:04X} has bits that {flags.__name__} does not name: {unnamed:04X}")
    return flags(value)


def card_of(face: int) -> Card:
    """Return the card with this face number, 0 to 51; raises `ValueError` (READER-1.3)."""
    if face >= len(DECK):
        raise ValueError(f"{face:02X} is not the face of a card")
    return DECK[face]


def known(count: int) -> int | None:
    """Return a count or slot of the wire, None where the device does not know it (FF)."""
    return None if count == UNKNOWN_COUNT else count


def fault_of(code: int) -> Fault:
    """Return the fault with this code; raises `ValueError` for a code that faults.toml does not have."""
    fault = load_faults().get(code)
    if fault is None:
        raise ValueError(f"fault code {code:04X} is not in faults.toml")
    return fault


def fault_or_none(code: int) -> Fault | None:
    """Return the fault with this code, None for 0; raises `ValueError` like `fault_of`."""
    return None if code == 0 else fault_of(code)


def truth(value: int) -> bool:
    """Return a yes or no of the wire; raises `ValueError` for anything but 0 and 1."""
    if value not in (0, 1):
        raise ValueError(f"{value} is neither 0 nor 1")
    return value == 1
