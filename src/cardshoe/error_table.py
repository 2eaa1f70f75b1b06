"""What each stable error code means: severity, who may clear it, what the dealer is told.

Owns the table; a test compares it with every code that the source raises. Codes are never reused for another meaning.
Texts for the dealer are short enough for an 800 × 480 screen and say what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Severity(Enum):
    """How far an error reaches: from a note to a machine that must not deal again."""

    NOTE = "note"
    ADVISE = "advise"
    HOLD = "hold"
    VOID = "void"
    LOCKOUT = "lockout"


class Clears(Enum):
    """Who may clear it."""

    NOBODY_NEEDED = "nobody needed"
    DEALER = "dealer"
    FLOOR = "floor"
    TWO_PEOPLE = "floor and a second person"
    TECHNICIAN = "technician"


@dataclass(frozen=True, slots=True)
class Meaning:
    """One row of the table."""

    severity: Severity
    clears: Clears
    dealer_text: str


_NOTE = (Severity.NOTE, Clears.NOBODY_NEEDED)

ERROR_TABLE: Final[dict[str, Meaning]] = {
    # leaves: cards, money
    "card-spelling": Meaning(*_NOTE, "That is not a card. Enter rank and suit again."),
    "amount": Meaning(*_NOTE, "That is not an amount. Enter whole cents again."),
    # games: hands
    "card-count": Meaning(*_NOTE, "Wrong number of cards for a hand. Count and enter them again."),
    "duplicate-card": Meaning(*_NOTE, "That card is entered already. Look again and enter the right one."),
}
