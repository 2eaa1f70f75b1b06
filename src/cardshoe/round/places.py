"""The places of a table in the dealer's words: one wording for screens, alarms and stories.

Owns the words only. Must not know what lies there. Pure.
"""

from __future__ import annotations

from cardshoe.games.script import DEALER
from cardshoe.round.faces import BOARD


def in_words(place: str) -> str:
    """Return "dealer", "board" or a position as the dealer calls it."""
    return "the dealer" if place == DEALER else "the board" if place == BOARD else f"position {place}"
