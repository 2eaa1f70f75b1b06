"""The plainest ranking of hands: look at every five cards. Imports nothing of cardshoe.

Written from NY-5324.35(b), NY-5324.36(b), NJ-69F-20.12A(a) and N.J.A.C. 13:69F-20.3. Cards are two characters of text.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

RANKS = "23456789TJQKA"
SUITS = "cdhs"
FIVE = ["high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house"]
FIVE += ["four of a kind", "straight flush", "royal flush"]
THREE = ["high card", "pair", "flush", "straight", "three of a kind", "straight flush"]


def rank_of(card: str) -> int:
    return RANKS.index(card[0])


def place_of(card: str) -> int:
    return rank_of(card) * 4 + SUITS.index(card[1])


def shape(hand: tuple[str, ...]) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Ranks by group size, then height, and the cards in that order; a low ace counts as -1 and stands last."""
    sizes = Counter(rank_of(card) for card in hand)
    cards = sorted(hand, key=lambda card: (sizes[rank_of(card)], place_of(card)), reverse=True)
    ranks = [rank_of(card) for card in cards]
    if ranks in ([12, 3, 2, 1, 0], [12, 1, 0]):
        cards, ranks = cards[1:] + cards[:1], [*ranks[1:], -1]
    return tuple(ranks), tuple(cards)


def in_a_row(ranks: tuple[int, ...]) -> bool:
    return all(one - other == 1 for one, other in pairwise(ranks))


def rank_five(hand: tuple[str, ...]) -> tuple[int, tuple[int, ...], tuple[int, ...], tuple[str, ...]]:
    ranks, cards = shape(hand)
    sizes = sorted(Counter(ranks).values(), reverse=True)
    suited = len({card[1] for card in hand}) == 1
    if in_a_row(ranks):
        name = "straight" if not suited else "royal flush" if ranks[0] == 12 else "straight flush"
    elif sizes[0] == 4:
        name = "four of a kind"
    elif sizes[:2] == [3, 2]:
        name = "full house"
    elif suited:
        name = "flush"
    else:
        name = {(3, 1): "three of a kind", (2, 2): "two pair", (2, 1): "pair", (1, 1): "high card"}[sizes[0], sizes[1]]
    return FIVE.index(name), ranks, tuple(place_of(card) for card in cards), cards


def best_of(cards: list[str]) -> tuple[tuple[int, tuple[int, ...]], str, list[str]]:
    """Comparison key, category and the five cards of the best hand in `cards`."""
    strength, ranks, _, best = max(rank_five(five) for five in combinations(cards, 5))
    return (strength, ranks), FIVE[strength], list(best)


def three_of(cards: list[str]) -> tuple[tuple[int, tuple[int, ...]], str, list[str]]:
    """Comparison key, category and the cards of a three-card hand: a straight ranks above a flush."""
    ranks, best = shape(tuple(cards))
    suited = len({card[1] for card in cards}) == 1
    if in_a_row(ranks):
        name = "straight flush" if suited else "straight"
    elif suited:
        name = "flush"
    else:
        name = {1: "three of a kind", 2: "pair", 3: "high card"}[len(set(ranks))]
    return (THREE.index(name), ranks), name, list(best)
