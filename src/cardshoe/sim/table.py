"""The felt: which card lies where, face up or down, and what the dealer holds.

Owns the places outside the shoe. Must not know devices; `listener` hears which place has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from cardshoe.sim.deck import Placed
from cardshoe.sim.errors import Impossible
from cardshoe.sim.nvram import Store

POSITIONS: Final = ("1", "2", "3", "4", "5", "6")
PLACES: Final = ("dealer", *POSITIONS, "board")
OFF_TABLE: Final = ("hand", "burns", "rack", "floor")


def _empty() -> dict[str, list[Placed]]:
    return {place: [] for place in (*PLACES, *OFF_TABLE)}


@dataclass(slots=True)
class TableState:
    """Cards by place. `hand` is what the dealer holds, its first card on top; `covers` are cover cards in hand."""

    places: dict[str, list[Placed]] = field(default_factory=_empty)
    covers: list[Placed] = field(default_factory=list)


class Table:
    """Moves cards between the places of the felt."""

    def __init__(self, state: TableState, store: Store) -> None:
        self.state = state
        self._store = store
        self.listener: Callable[[str], None] = lambda _: None

    def cards(self, place: str) -> list[Placed]:
        """Return what lies at a place, in the order in which it came there."""
        return self.state.places[place]

    def faces(self, place: str) -> list[Placed]:
        """Return the cards that lie face up at a place."""
        return [placed for placed in self.state.places[place] if placed.face_up]

    def lay(self, place: str, cards: list[Placed]) -> None:
        """Lay cards down at a place, each as it is."""
        self.state.places[place].extend(cards)
        self._changed(place)

    def take(self, place: str, count: int | None = None) -> list[Placed]:
        """Take the first `count` cards of a place (all without a count). Raises Impossible when there are fewer."""
        there = self.state.places[place]
        wanted = len(there) if count is None else count
        if wanted > len(there):
            raise Impossible(f"{place}: {len(there)} cards lie there, {wanted} wanted")
        taken, self.state.places[place] = there[:wanted], there[wanted:]
        self._changed(place)
        return taken

    def turn(self, place: str, count: int | None, *, face_up: bool) -> list[Placed]:
        """Turn the first `count` cards that lie the other way (all without a count); return them as they lie now.

        Raises Impossible when fewer lie so.
        """
        there = self.state.places[place]
        others = [n for n, placed in enumerate(there) if placed.face_up != face_up]
        wanted = len(others) if count is None else count
        if wanted > len(others) or not others:
            way = "down" if face_up else "up"
            raise Impossible(f"{place}: {len(others)} cards lie face {way}, {max(wanted, 1)} wanted")
        turned = []
        for number in others[:wanted]:
            there[number] = Placed(there[number].card, face_up)
            turned.append(there[number])
        self._changed(place)
        return turned

    def exchange(self, place: str, index: int, placed: Placed) -> None:
        """Lay a card in the stead of the one that lies at `index` of a place."""
        self.state.places[place][index] = placed
        self._changed(place)

    def _changed(self, place: str) -> None:
        self._store.touch()
        if place in PLACES:
            self.listener(place)
