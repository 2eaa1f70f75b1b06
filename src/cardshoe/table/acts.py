"""What people at the table may do.

Owns the acts beside the round's own events, and which of those events a person may enter at all: what a shoe or a
reader reports is never taken from a person's hand. `Upkeep` acts are about decks, counts and machines; `role` is who
does it, `reason` why, both written down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from cardshoe.round.events import (
    REPORTS,
    CardTurned,
    CoverCardInserted,
    DecisionMade,
    Event,
    RoundOpened,
    StackRequested,
    StubRemoved,
    WagerPlaced,
)


@dataclass(frozen=True, slots=True)
class OpenRound:
    """Begin the next round; who sat in the last one sits in it. `seats` adds players (position to player)."""

    seats: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClearAlarm:
    """Answer an open question between rounds."""

    code: str
    role: str
    reason: str
    second: str = ""


@dataclass(frozen=True, slots=True)
class CorrectEntry:
    """Put `entry` in the place of the last wager, decision or entered card, which was entered wrongly."""

    entry: WagerPlaced | DecisionMade | CardTurned
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class DeckPlaced:
    """The dealer says which deck lies in the shoe, by the colour of its back."""

    back: str


@dataclass(frozen=True, slots=True)
class DeckReplaced:
    """The floor counted the deck with this back, or put a new one in its place; its life begins anew."""

    back: str
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class DeckDoubted:
    """Somebody has seen something about the deck: a card on the floor, one with another back, a marked one."""

    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class HandShuffled:
    """The deck was shuffled by hand; the shoe has to verify it all the same."""

    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class StopAsked:
    """Somebody wants the shoe to stop, whatever it does."""

    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class StubCounted:
    """The dealer has spread and counted what is left of the deck: `cards`."""

    cards: int


@dataclass(frozen=True, slots=True)
class SignedOff:
    """The cards were counted out of shoe, rack and table: `cards`. The table deals no more until it is opened anew."""

    cards: int
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class CalibrationChanged:
    """A device was set up or calibrated; `old` and `new` are SHA-256 of its calibration, as the maker's tool says."""

    device: str
    old: str
    new: str
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class LimitsChanged:
    """The floor sets what may be wagered from the next round on, in cents for each spot. A spot that is left out has
    the configuration's own minimum, and no maximum.
    """

    minimum_wager: Mapping[str, object]
    maximum_wager: Mapping[str, object]
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """From now on what happens at this table is training (`on`), or is not any more."""

    on: bool
    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class TableReopened:
    """After the cards were counted out the floor opens the table again: a new shift begins."""

    role: str
    reason: str


@dataclass(frozen=True, slots=True)
class ShoeGivenUp:
    """The shoe is out of order and says nothing any more: what became of its last stack is decided by people."""

    role: str
    reason: str


UpkeepAct = (
    DeckPlaced
    | DeckReplaced
    | DeckDoubted
    | HandShuffled
    | StopAsked
    | StubCounted
    | SignedOff
    | CalibrationChanged
    | LimitsChanged
    | TrainingSet
    | TableReopened
    | ShoeGivenUp
)
Act = OpenRound | ClearAlarm | CorrectEntry | UpkeepAct | Event

ENTERED_BY_DEVICES: Final = (REPORTS | {StackRequested, RoundOpened}) - {CardTurned}
"""Events that the table makes itself; the face of a card may also be declared."""

ENTERED_WITHOUT_SHOE: Final = frozenset({CoverCardInserted, StubRemoved})
"""Reports that a person enters where no shoe is connected to tell them."""
