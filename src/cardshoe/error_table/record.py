"""The rows of the journal. Knows nothing but rows; `meaning` says what a row holds."""

from __future__ import annotations

from typing import Final

from cardshoe.error_table.meaning import NOTE, Clears, Meaning, Severity

ROWS: Final[dict[str, Meaning]] = {
    # journal
    "journal-missing": Meaning(*NOTE, "There is no journal there. Check the path."),
    "journal-directory": Meaning(*NOTE, "The journal's directory is missing. Make it first."),
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
    "journal-moved": Meaning(Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal was taken away. Deal nothing."),
    "journal-no-descriptor": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "Too many files are open. Deal nothing."),
    "journal-gone": Meaning(Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal is gone. Deal nothing; call the floor."),
    "journal-continued": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "This journal goes on in another file. Call the technician."
    ),
    "journal-rollback": Meaning(*NOTE, "The journal has no such older form. Read the text."),
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
