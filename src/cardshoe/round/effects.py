"""What the table must do or show because of an event.

Owns the effect classes, a closed set. They tell what has become true; what comes next is asked of the state
(`next_step.next_step`). A table may ignore every effect but the holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from cardshoe.games.verdicts import Cite
from cardshoe.round.settlement import HandResult
from cardshoe.round.state import Hold


@dataclass(frozen=True, slots=True)
class WagersCollected:
    """The house takes the wagers on `spots` of `position`."""

    position: str
    spots: tuple[str, ...]
    cites: Cite


@dataclass(frozen=True, slots=True)
class WagersReturned:
    """The wagers on `spots` of `position` go back to the player; `total_cents` in all."""

    position: str
    spots: tuple[str, ...]
    total_cents: int
    cites: Cite


@dataclass(frozen=True, slots=True)
class HandToRack:
    """The cards of `position` go face down to the discard rack now."""

    position: str
    cites: Cite


@dataclass(frozen=True, slots=True)
class HandWaits:
    """The folded or void cards of `position` stay on the table until `spots` are settled."""

    position: str
    spots: tuple[str, ...]
    cites: Cite


@dataclass(frozen=True, slots=True)
class HandPaid:
    """The wagers of `position` are settled as `result` says; None at a table without faces."""

    position: str
    result: HandResult | None


@dataclass(frozen=True, slots=True)
class HoldOpened:
    """Motors are inhibited and the next deal is refused until `hold` is answered."""

    hold: Hold


@dataclass(frozen=True, slots=True)
class HoldClosed:
    """`hold` was answered with `choice`; motion is possible again once no other hold is open."""

    hold: Hold
    choice: str


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """Nothing is left to be dealt, settled or collected."""


Effect = WagersCollected | WagersReturned | HandToRack | HandWaits | HandPaid | HoldOpened | HoldClosed | RoundEnded
Effects = tuple[Effect, ...]
