"""What people at the table may do.

Owns the acts beside the round's own events, and which of those events a person may enter at all: what a shoe or a
reader reports is never taken from a person's hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from cardshoe.round.events import (
    REPORTS,
    CardTurned,
    CoverCardInserted,
    Event,
    RoundOpened,
    StackRequested,
    StubRemoved,
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


Act = OpenRound | ClearAlarm | Event

ENTERED_BY_DEVICES: Final = (REPORTS | {StackRequested, RoundOpened}) - {CardTurned}
"""Events that the table makes itself; the face of a card may also be declared."""

ENTERED_WITHOUT_SHOE: Final = frozenset({CoverCardInserted, StubRemoved})
"""Reports that a person enters where no shoe is connected to tell them."""
