"""What a row of the error table says: severity, who may clear it, what the dealer is told.

Owns the three types and the pairs that many rows share. Knows no code.
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


NOTE: Final = (Severity.NOTE, Clears.NOBODY_NEEDED)
SETUP: Final = (Severity.HOLD, Clears.TECHNICIAN)  # a port that cannot be had: nothing is dealt until it is set right
LINE: Final = (Severity.HOLD, Clears.FLOOR)  # a device that was lost: what it was doing may have to be ruled on
