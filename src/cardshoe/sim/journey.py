"""What goes wrong with cards on their way through the shoe, and how hard the rollers work.

Owns the effects of feed faults on one run of the feeder. Must not move a card: the mechanism asks it at each stage.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

TRAVEL_MS: Final = (80.0, 90.0)
FREED_MS: Final = {"path": (100.0, 250.0), "exit": (100.0, 900.0)}


class Pull(Enum):
    """How hard the rollers work. Shaking moves only a card that has left the magazine."""

    NORMAL = 1
    STRONG = 2
    SHAKE = 3


@dataclass(frozen=True, slots=True)
class Effect:
    """What goes wrong with one card on its way. `where` is "path" or "exit"."""

    kind: str
    where: str = "path"
    flagged: bool = False  # hidden (double_feed), miscount (sensor_chatter), undetected (face_up)


class Journey:
    """The cards of one run, counted from 1 as they leave the magazine; `effects` by that number."""

    def __init__(self, effects: Mapping[int, Effect]) -> None:
        self._effects = effects
        self._card = 0
        self._freed = False

    def card_leaves(self) -> None:
        """The next card has left the magazine."""
        self._card += 1
        self._freed = False

    def cards_return(self, count: int) -> None:
        """Cards went back to the magazine."""
        self._card -= count

    def hits(self, kind: str, *, flagged: bool = False) -> bool:
        """Tell whether this happens to the present card; with `flagged`, whether it happens in its special form."""
        effect = self._effects.get(self._card)
        return effect is not None and effect.kind == kind and (effect.flagged or not flagged)

    def _hits_at(self, where: str, kind: str) -> bool:
        effect = self._effects.get(self._card)
        return effect is not None and effect.kind == kind and effect.where == where

    def jams_at(self, where: str) -> bool:
        """Tell whether the present card jams here."""
        return self._hits_at(where, "jam")

    def sticks_at(self, where: str, pull: Pull) -> bool:
        """Tell whether the present card sticks here until it is shaken."""
        return self._hits_at(where, "stuck") and pull is not Pull.SHAKE and not self._freed

    def leg_ms(self, where: str, pull: Pull, rng: random.Random) -> float:
        """Return how long the present card needs for this part of its way."""
        if pull is Pull.SHAKE and self._hits_at(where, "stuck"):
            self._freed = True
            return rng.uniform(*FREED_MS[where])
        return rng.uniform(*TRAVEL_MS)

    def next_slips(self, pull: Pull) -> bool:
        """Tell whether the next card does not follow a pull of this strength."""
        effect = self._effects.get(self._card + 1)
        if effect is None:
            return False
        return effect.kind == "short_feed" or (effect.kind == "slip" and pull is not Pull.STRONG)
