"""The card reader in the shoe's mouth: which face a card shows it as it passes.

Owns what an exit reader can see (READER-1.3). Must not know rounds: what is read stays inside the shoe.
"""

from __future__ import annotations

from typing import Final

from cardshoe.sim.deck import Design, Placed

FOREIGN, UNREADABLE = 0xFD, 0xFE
KINDS: Final = ("exit_unreadable", "exit_misread")


def seen_face(placed: Placed | None) -> int:
    """Return the face of what passed: it is read from below, so that a card that lies face up shows its back."""
    if placed is None or placed.face_up:
        return UNREADABLE
    if placed.card.design is not Design.HOUSE:
        return FOREIGN
    return placed.card.face if placed.card.legible else UNREADABLE
