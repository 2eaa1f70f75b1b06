"""What goes wrong at a table, as data: the irregular cases, and what a text lets follow from each.

Owns the closed sets of cases and outcomes. Must not know rounds: each game file maps every case to its verdict, and
`round.irregular` applies it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

Cite = str | None


class Case(Enum):
    """The irregular cases that a text may rule."""

    DEALER_CARD_SEEN_EARLY = "a dealer's card was exposed before every position had acted"
    DEALER_CARD_SEEN_LATE = "a dealer's card was exposed after every position had acted"
    CARD_FACE_UP_AFTER_DEAL = "a card was found face up after the initial deal"
    CARD_FACE_UP_DURING_DEAL = "a card was found face up during the initial deal"
    PLAYER_WRONG_COUNT = "a player was dealt a wrong number of cards"
    DEALER_WRONG_COUNT = "the dealer was dealt a wrong number of cards"
    DEALER_SHORT_REPAIRABLE = "the dealer was dealt too few cards, and the rest can be dealt in sequence"
    DEVICE_FAULT = "a device fault affects the outcome"
    DEVICE_FAULT_HARMLESS = "a device fault does not affect the outcome"


class Outcome(Enum):
    """What a text lets happen."""

    NOTHING = "the round goes on"
    REPAIR = "the missing cards are dealt in sequence and the round goes on"
    VOID_HAND = "that hand is void"
    VOID_ALL = "all hands are void"
    ASK_FLOOR = "the text is silent; the floor rules"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What follows from a case; `saves` names the wagers that are settled all the same, under `saves_cites`."""

    outcome: Outcome
    cites: Cite
    saves: tuple[str, ...] = ()
    saves_cites: Cite = None


SILENT: Final = Verdict(Outcome.ASK_FLOOR, None)
"""The text has no rule."""

EQUIPMENT: Final[Mapping[Case, Verdict]] = {
    Case.DEVICE_FAULT: Verdict(Outcome.VOID_ALL, None),
    Case.DEVICE_FAULT_HARMLESS: Verdict(Outcome.NOTHING, None),
}
"""Any fault of equipment that affects the outcome voids the round and returns every wager, side bets too."""
