"""Cards as things: each has an identity of its own, a face, a back, and lies face up or down somewhere.

Owns spelling and numbering of faces (READER-1.3) and the shuffle. Knows no device.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
DECK_CARDS: Final = 52
COVER_CARDS: Final = 2
_COVER_UID: Final = 1000
_SPELLED: Final[tuple[str, ...]] = tuple(rank + suit for rank in RANKS for suit in SUITS)


class Design(Enum):
    """What is printed on a card."""

    HOUSE = "house"
    FOREIGN = "foreign"
    JOKER = "joker"
    COVER = "cover"


@dataclass(frozen=True, slots=True)
class Card:
    """One physical card. `uid` tells it from every other, also from one with the same face."""

    uid: int
    face: int
    design: Design = Design.HOUSE
    legible: bool = True

    @property
    def spelled(self) -> str:
        """The card as a person names it."""
        if self.design is Design.HOUSE or self.design is Design.FOREIGN:
            return _SPELLED[self.face]
        return str(self.design.value)


@dataclass(frozen=True, slots=True)
class Placed:
    """A card as it lies: face up or down."""

    card: Card
    face_up: bool = False

    @property
    def is_cover(self) -> bool:
        """Tell whether this is a cover card: it is never counted (SHOE-6.5)."""
        return self.card.design is Design.COVER


def counted(cards: Iterable[Placed]) -> int:
    """Return how many of these are cards of a deck, cover cards left out."""
    designs = [placed.card.design for placed in cards]
    return len(designs) - designs.count(Design.COVER)


def without_covers(cards: Iterable[Placed]) -> list[Placed]:
    """Return the cards of a deck among these, in their order."""
    return [placed for placed in cards if placed.card.design is not Design.COVER]


def only_covers(cards: Iterable[Placed]) -> list[Placed]:
    """Return the cover cards among these."""
    return [placed for placed in cards if placed.is_cover]


def face_down(cards: Iterable[Placed]) -> list[Placed]:
    """Return these cards, each face down."""
    return [Placed(placed.card) for placed in cards]


def spell(face: int) -> str:
    """Return the two characters of a face, 0 to 51."""
    return _SPELLED[face]


def face_of(text: str) -> int | None:
    """Return the face that two characters name, or None when they name none."""
    if len(text) != 2 or text[0] not in RANKS or text[1] not in SUITS:
        return None
    return RANKS.index(text[0]) * 4 + SUITS.index(text[1])


def new_deck() -> list[Placed]:
    """Return the 52 cards of a deck in factory order; a card's uid is its face."""
    return [Placed(Card(uid=face, face=face)) for face in range(DECK_CARDS)]


def new_covers() -> list[Placed]:
    """Return the cover cards that a table has."""
    return [Placed(Card(uid=_COVER_UID + n, face=0, design=Design.COVER)) for n in range(COVER_CARDS)]


def stream(seed: int | None, *names: object) -> random.Random:
    """Return a random source: from the operating system without a seed, else one that the seed and names fix."""
    if seed is None:
        return secrets.SystemRandom()
    return random.Random("/".join(str(name) for name in (seed, *names)))


def shuffled(cards: Sequence[Placed], rng: random.Random) -> list[Placed]:
    """Return the cards in a random order, each order as likely as any other (Fisher and Yates)."""
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        other = rng.randrange(last + 1)
        order[last], order[other] = order[other], order[last]
    return order
