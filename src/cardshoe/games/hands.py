"""Ranking of poker hands: the best five of five to seven cards, and hands of three.

Owns the order of hands and the choice of the cards that make them up. Must not know wagers, pay tables or players: what
a hand is worth is said by `games.paytables`.

Five cards: NY-5324.35(b)(1), NY-5324.35(b)(2)(i)–(ix), NY-5324.35(b)(3) and, word for word the same order,
NY-5324.36(b)(1), NY-5324.36(b)(2)(i)–(ix), NY-5324.36(b)(3); best five of six: NJ-69F-20.12A(a)1–7 and
NJ-69F-20.12A(c). Three cards: N.J.A.C. 13:69F-20.3(a)–(c). Equal hands are told apart by category, then by the ranks of
the groups, then by the kickers; a sixth or seventh card never breaks a tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cardshoe.cards import DECK, Card
from cardshoe.errors import InputError

FIVE_CARD_CATEGORIES: Final[tuple[str, ...]] = (
    "royal flush",  # NY-5324.35(b)(2)(i), NY-5324.36(b)(2)(i), NJ-69F-20.12A(a)1
    "straight flush",  # NY-5324.35(b)(2)(ii), NY-5324.36(b)(2)(ii), NJ-69F-20.12A(a)2
    "four of a kind",  # NY-5324.35(b)(2)(iii), NY-5324.36(b)(2)(iii), NJ-69F-20.12A(a)3
    "full house",  # NY-5324.35(b)(2)(iv), NY-5324.36(b)(2)(iv), NJ-69F-20.12A(a)4
    "flush",  # NY-5324.35(b)(2)(v), NY-5324.36(b)(2)(v), NJ-69F-20.12A(a)5
    "straight",  # NY-5324.35(b)(2)(vi), NY-5324.36(b)(2)(vi), NJ-69F-20.12A(a)6
    "three of a kind",  # NY-5324.35(b)(2)(vii), NY-5324.36(b)(2)(vii), NJ-69F-20.12A(a)7
    "two pair",  # NY-5324.35(b)(2)(viii), NY-5324.36(b)(2)(viii)
    "pair",  # NY-5324.35(b)(2)(ix), NY-5324.36(b)(2)(ix)
    "high card",  # NY-5324.35(b)(3), NY-5324.36(b)(3): none of the hands above
)
"""Names of the five-card hands, best first (NY-5324.35(b)(2), NY-5324.36(b)(2))."""

THREE_CARD_CATEGORIES: Final[tuple[str, ...]] = (
    "straight flush",
    "three of a kind",
    "straight",
    "flush",
    "pair",
    "high card",
)
"""Names of the three-card hands, best first (N.J.A.C. 13:69F-20.3(b)): a straight ranks above a flush."""

_ROYAL, _STRAIGHT_FLUSH, _QUADS, _FULL_HOUSE, _FLUSH, _STRAIGHT, _TRIPS, _TWO_PAIR, _PAIR, _HIGH = range(9, -1, -1)
_BY_STRENGTH: Final = tuple(reversed(FIVE_CARD_CATEGORIES))
_BY_GROUPS: Final = {(4, 1): _QUADS, (3, 2): _FULL_HOUSE, (3, 1): _TRIPS, (2, 2): _TWO_PAIR, (2, 1): _PAIR}
_THREE_STRAIGHT_FLUSH, _THREE_TRIPS, _THREE_STRAIGHT, _THREE_FLUSH, _THREE_PAIR, _THREE_HIGH = range(5, -1, -1)
_THREE_BY_STRENGTH: Final = tuple(reversed(THREE_CARD_CATEGORIES))

# An index is rank * 4 + suit with the suits c d h s, so falling index is falling rank and, within a rank, s h d c.
_ACE: Final = 12
_WHEEL_TOP: Final = 3


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranked hand.

    `category` is a name of `FIVE_CARD_CATEGORIES` or `THREE_CARD_CATEGORIES`. `best` holds the five (three) cards used,
    strongest group first, then kickers falling; equal ranks stand in the suit order s h d c, and where cards of equal
    rank could be used the earlier suit is taken. The ace of a low straight stands last. `order` is higher for the
    better hand and equal for a push; two orders compare only within one family (five cards, or three).
    """

    category: str
    best: tuple[Card, ...]
    order: int


def rank_best_five(cards: Sequence[Card]) -> Ranked:
    """Rank the best five-card hand within five, six or seven `cards`.

    NY-5324.35(b), NY-5324.36(b), NJ-69F-20.12A(a) and (c). Raises `InputError`: `card-count` for any other number of
    cards, `duplicate-card` naming the card and both places.
    """
    indices = [card.index for card in cards]
    count = len(indices)
    if not 5 <= count <= 7:
        raise InputError("card-count", f"a five-card hand is made from 5, 6 or 7 cards, not from {_listed(cards)}")
    indices.sort(reverse=True)
    masks = [0, 0, 0, 0]
    for index in indices:
        masks[index & 3] |= 1 << (index >> 2)
    clubs, diamonds, hearts, spades = masks
    ranks = clubs | diamonds | hearts | spades
    distinct = ranks.bit_count()
    if len(set(indices)) != count:
        raise _duplicate(cards)
    if distinct >= 5:  # four of a kind and full houses hold at most four ranks, so these two stand first
        for suit, mask in enumerate(masks):
            if mask.bit_count() >= 5:
                return _flush([index for index in indices if index & 3 == suit], mask)
        top = _straight_top(ranks)
        if top:
            return _hand(_STRAIGHT, _run(indices, top, 5), wheel=top == _WHEEL_TOP)
        if distinct == count:
            return _hand(_HIGH, indices[:5])
    return _grouped(indices)


def rank_three(cards: Sequence[Card]) -> Ranked:
    """Rank a hand of three `cards`; a straight ranks above a flush (N.J.A.C. 13:69F-20.3(a)–(c)).

    Raises `InputError`: `card-count` unless there are three, `duplicate-card` naming the card and both places.
    """
    indices = sorted((card.index for card in cards), reverse=True)
    if len(indices) != 3:
        raise InputError("card-count", f"a three-card hand is made of 3 cards, not of {_listed(cards)}")
    if len(set(indices)) != 3:
        raise _duplicate(cards)
    first, second, third = indices
    high, middle, low = first >> 2, second >> 2, third >> 2
    suited = first & 3 == second & 3 == third & 3
    wheel = (high, middle, low) == (_ACE, 1, 0)
    if wheel:
        indices = [second, third, first]
    if wheel or (high == middle + 1 and middle == low + 1):
        return _three(_THREE_STRAIGHT_FLUSH if suited else _THREE_STRAIGHT, indices, wheel=wheel)
    if suited:
        return _three(_THREE_FLUSH, indices)
    if high == low:
        return _three(_THREE_TRIPS, indices)
    if middle == low:
        return _three(_THREE_PAIR, [second, third, first])
    return _three(_THREE_PAIR if high == middle else _THREE_HIGH, indices)


def _straight_top(ranks: int) -> int:
    """The highest rank (0 to 12) of the best five in a row within the bit set `ranks`, or 0 for none."""
    low_ace = ranks << 1 | ranks >> _ACE
    run = low_ace & low_ace >> 1
    run &= run >> 2 & low_ace >> 4
    return run.bit_length() + 2 if run else 0


def _run(indices: list[int], top: int, length: int) -> list[int]:
    """The first card of each of `length` falling ranks from `top`; the ace of a low straight comes last."""
    first_of: dict[int, int] = {}
    for index in indices:
        first_of.setdefault(index >> 2, index)
    return [first_of[rank if rank >= 0 else _ACE] for rank in range(top, top - length, -1)]


def _flush(suited: list[int], mask: int) -> Ranked:
    top = _straight_top(mask)
    if not top:
        return _hand(_FLUSH, suited[:5])
    return _hand(_ROYAL if top == _ACE else _STRAIGHT_FLUSH, _run(suited, top, 5), wheel=top == _WHEEL_TOP)


def _grouped(indices: list[int]) -> Ranked:
    """Rank a hand with no flush, no straight and at least one pair; `indices` fall."""
    sizes = [0] * 13
    for index in indices:
        sizes[index >> 2] += 1
    by_group = sorted(indices, key=lambda index: sizes[index >> 2] << 6 | index, reverse=True)
    first = sizes[by_group[0] >> 2]
    second = min(sizes[by_group[first] >> 2], 2 if first < 4 else 1)
    best = by_group[:5]
    if first == 4 or first == second == 2:
        best[4] = max(by_group[4:])  # a third pair, or a pair beside four, gives one kicker at most
    return _hand(_BY_GROUPS[first, second], best)


def _hand(strength: int, best: list[int], *, wheel: bool = False) -> Ranked:
    one, two, three, four, five = best
    last = -1 if wheel else five >> 2
    order = (((strength * 16 + (one >> 2)) * 16 + (two >> 2)) * 16 + (three >> 2)) * 16 + (four >> 2)
    cards = (DECK[one], DECK[two], DECK[three], DECK[four], DECK[five])
    return Ranked(_BY_STRENGTH[strength], cards, order * 16 + last + 1)


def _three(strength: int, best: list[int], *, wheel: bool = False) -> Ranked:
    one, two, three = best
    last = -1 if wheel else three >> 2
    order = ((strength * 16 + (one >> 2)) * 16 + (two >> 2)) * 16 + last + 1
    return Ranked(_THREE_BY_STRENGTH[strength], (DECK[one], DECK[two], DECK[three]), order)


def _listed(cards: Sequence[Card]) -> str:
    return f"{len(cards)} ({' '.join(card.text for card in cards[:12])})" if cards else "none"


def _duplicate(cards: Sequence[Card]) -> InputError:
    seen: dict[int, int] = {}
    for place, card in enumerate(cards):
        if card.index in seen:
            return InputError(
                "duplicate-card",
                f"cards[{place}]: {card.text!r} is already at cards[{seen[card.index]}]; "
                "one deck holds each card once, so enter this one again",
            )
        seen[card.index] = place
    raise ValueError("no duplicate among the cards")
