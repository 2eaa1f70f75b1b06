"""What a cheat's hands do with cards that lie on the table.

Owns the switching and replacing of cards by hand. Must not know devices: the table tells them that a place changed.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from cardshoe.sim.deck import DECK_CARDS, Card, Design, Placed, face_of
from cardshoe.sim.errors import Impossible
from cardshoe.sim.table import Table


class Sleights:
    """Each act raises Impossible, with nothing changed, when it cannot be done."""

    def __init__(self, *, table: Table, rng: random.Random, new_uid: Callable[[], int]) -> None:
        self._table = table
        self._rng = rng
        self._new_uid = new_uid

    def _nth(self, place: str, number: int) -> Placed:
        lying = self._table.cards(place)
        if not 1 <= number <= len(lying):
            raise Impossible(f"{place}: {len(lying)} cards lie there, card {number} wanted")
        return lying[number - 1]

    def switch(self, source: str, target: str, card: int, other: int) -> dict[str, object]:
        """Card number `card` of one place and number `other` of another change places; each place's side stays up."""
        if source == target and card == other:
            raise Impossible(f"{source}: card {card} cannot change places with itself")
        one, two = self._nth(source, card), self._nth(target, other)
        self._table.exchange(source, card - 1, Placed(two.card, one.face_up))
        self._table.exchange(target, other - 1, Placed(one.card, two.face_up))
        return {}

    def replace(self, place: str, number: int, named: str | None, *, foreign: bool) -> dict[str, object]:
        """A card at a place becomes another one, `named` or of any other face; the old one lies on the floor."""
        face = None if named is None else face_of(named)
        if named is not None and face is None:
            raise Impossible(f"replace_card: as is {named!r}, wanted is a card such as As or Td")
        old = self._nth(place, number)
        if face is None:
            face = (old.card.face + self._rng.randrange(1, DECK_CARDS)) % DECK_CARDS
        new = Card(self._new_uid(), face, Design.FOREIGN if foreign else Design.HOUSE)
        self._table.exchange(place, number - 1, Placed(new, old.face_up))
        self._table.lay("floor", [Placed(old.card)])
        return {}
