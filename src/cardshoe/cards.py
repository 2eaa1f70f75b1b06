"""The 52 playing cards.

Owns the one spelling of a card (`As Td 9c 2h`) and its reading. Each card is a singleton, so that comparing by identity
and using a card as a key are cheap. Knows nothing of hands or games. Implements NY-5324.35(b)(1) and NY-5324.36(b)(1)
as far as the order of ranks goes; the low ace is a matter of straights and lives in `games.hands`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cardshoe.errors import InputError

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"


class Card:
    """One of the 52 cards. `rank` is 2 to 14 (ace), `suit` one of `c d h s`, `index` 0 to 51 (rank first)."""

    __slots__ = ("index", "rank", "suit", "text")

    index: int
    rank: int
    suit: str
    text: str

    def __new__(cls, text: str) -> Card:
        """Return the card spelt `text`; raises `InputError` for any other spelling."""
        return parse_card(text)

    def __repr__(self) -> str:
        return f"Card({self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __hash__(self) -> int:
        return self.index

    def __lt__(self, other: Card) -> bool:
        return self.index < other.index

    def __copy__(self) -> Card:
        return self

    def __deepcopy__(self, memo: object) -> Card:
        return self

    def __reduce__(self) -> tuple[type[Card], tuple[str]]:
        return (Card, (self.text,))


def _make(rank: int, suit: int) -> Card:
    card: Card = object.__new__(Card)
    card.index = rank * 4 + suit
    card.rank = rank + 2
    card.suit = SUITS[suit]
    card.text = RANKS[rank] + SUITS[suit]
    return card


DECK: Final[tuple[Card, ...]] = tuple(_make(rank, suit) for rank in range(13) for suit in range(4))
_BY_TEXT: Final[dict[str, Card]] = {card.text: card for card in DECK}


def parse_card(text: object, where: str = "card") -> Card:
    """Return the card spelt exactly `text` (rank `AKQJT98765432`, suit `shdc` in lower case).

    Raises `InputError` (`card-spelling`) quoting the value and `where` it stood;
    `10h`, `as`, `A♠` and `As ` are refused.
    """
    card = _BY_TEXT.get(text) if isinstance(text, str) else None
    if card is None:
        raise InputError(
            "card-spelling",
            f"{where}: {text!r} is not a card; write a rank AKQJT98765432 and a suit shdc, such as 'Td'",
        )
    return card


def parse_cards(texts: Iterable[object], where: str = "cards") -> tuple[Card, ...]:
    """Return the cards spelt in `texts`, in order; raises `InputError` naming the place of a wrong one."""
    return tuple(parse_card(text, f"{where}[{number}]") for number, text in enumerate(texts))
