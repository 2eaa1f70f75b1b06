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
    # journal
    "journal-missing": Meaning(*_NOTE, "There is no journal there. Check the path."),
    "journal-directory": Meaning(*_NOTE, "The journal's directory is missing. Make it first."),
    "journal-in-use": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal is open elsewhere. Stop the other program."
    ),
    "journal-damaged": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal is damaged. Deal nothing; call the floor."
    ),
    "journal-altered": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal was altered. Deal nothing; call the floor."
    ),
    "journal-untrusted": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal cannot be trusted. Deal nothing; call the floor."
    ),
    "journal-gone": Meaning(Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal is gone. Deal nothing; call the floor."),
    "journal-anchor": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal's anchor is bad. Deal nothing; call the floor."
    ),
    "journal-key": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal's key cannot be used. Call the technician."
    ),
    "journal-newer": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal is of a newer program. Call the technician."
    ),
    "journal-unopenable": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal cannot be opened. Call the technician."
    ),
    "journal-read-only": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The disk takes no more records. Stop; call the floor."
    ),
    "journal-full": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "The disk is full. Stop dealing; call the floor."),
    "journal-space": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "Too little room on the disk. Call the technician."),
    "journal-disk": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "The disk failed. Stop dealing; call the floor."),
    "journal-stopped": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "Nothing is recorded any more. Stop; call the floor."
    ),
    "journal-close-timeout": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The disk did not answer. Call the technician."
    ),
    "journal-entry": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "A record could not be made. Stop; call the floor."),
    "journal-record": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "A record cannot be read. Deal nothing; call the floor."
    ),
}
