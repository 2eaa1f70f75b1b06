"""Three-card ranking (N.J.A.C. 13:69F-20.3): all 22,100 hands, their counts and their order."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from cardshoe.cards import DECK, Card, parse_cards
from cardshoe.errors import InputError
from cardshoe.games.hands import THREE_CARD_CATEGORIES, rank_three


def naive(hand: tuple[Card, ...]) -> tuple[str, tuple[int, ...]]:
    """Category and comparison key of three cards, written straight from N.J.A.C. 13:69F-20.3(a) to (c)."""
    ranks = sorted((card.rank for card in hand), reverse=True)
    sizes = Counter(ranks)
    key = tuple(sorted(ranks, key=lambda rank: (sizes[rank], rank), reverse=True))
    if ranks == [14, 3, 2]:
        key = (3, 2, 1)
    straight = len(sizes) == 3 and key[0] - key[2] == 2
    suited = len({card.suit for card in hand}) == 1
    if straight:
        return ("straight flush" if suited else "straight"), key
    if suited:
        return "flush", key
    return {1: "three of a kind", 2: "pair", 3: "high card"}[len(sizes)], key


def test_all_22100_hands() -> None:
    """N.J.A.C. 13:69F-20.3(a), (b), (c): counts of the handbook (8.1), the order of a naive ranking, the cards used."""
    counts: Counter[str] = Counter()
    minis = queen_or_better = 0
    orders: dict[tuple[int, tuple[int, ...]], int] = {}
    queen_high = rank_three(parse_cards(["Qs", "3d", "2c"])).order
    for hand in combinations(DECK, 3):
        ranked = rank_three(hand)
        category, key = naive(hand)
        assert ranked.category == category
        assert set(ranked.best) == set(hand)
        assert tuple(1 if key == (3, 2, 1) and card.rank == 14 else card.rank for card in ranked.best) == key
        assert orders.setdefault((-THREE_CARD_CATEGORIES.index(category), key), ranked.order) == ranked.order
        counts[category] += 1
        minis += category == "straight flush" and key[0] == 14
        queen_or_better += ranked.order >= queen_high
    assert counts == {
        "straight flush": 48,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
        "high card": 16_440,
    }
    assert minis == 4
    assert queen_or_better == 15_380
    in_order = [orders[key] for key in sorted(orders)]
    assert in_order == sorted(set(in_order))


CASES = [
    ("As Ks Qs", "straight flush", "As Ks Qs"),
    ("3h 2h Ah", "straight flush", "3h 2h Ah"),
    ("2c 3d As", "straight", "3d 2c As"),
    ("2c Kd As", "high card", "As Kd 2c"),  # no wrap-round
    ("7c 7s 7d", "three of a kind", "7s 7d 7c"),
    ("Ac 7s 7d", "pair", "7s 7d Ac"),
    ("2c 7s 7d", "pair", "7s 7d 2c"),
    ("9c 4c 2c", "flush", "9c 4c 2c"),
    ("Qc 3d 2h", "high card", "Qc 3d 2h"),
]


@pytest.mark.parametrize(("cards", "category", "best"), CASES)
def test_named_hands(cards: str, category: str, best: str) -> None:
    """N.J.A.C. 13:69F-20.3(b): 3-2-A is the lowest straight, no other hand uses the ace low."""
    ranked = rank_three(parse_cards(cards.split()))
    assert (ranked.category, " ".join(card.text for card in ranked.best)) == (category, best)


def test_a_straight_ranks_above_a_flush() -> None:
    """N.J.A.C. 13:69F-20.3(b): unlike five cards."""
    assert rank_three(parse_cards(["3c", "2d", "Ah"])).order > rank_three(parse_cards(["Ac", "Kc", "Jc"])).order


@pytest.mark.parametrize(
    ("cards", "code", "names"),
    [
        ("As Kd As", "duplicate-card", ("'As'", "cards[2]", "cards[0]")),
        ("As Kd", "card-count", ("2 (As Kd)",)),
        ("", "card-count", ("none",)),
        ("As Kd Qc Jh", "card-count", ("4",)),
    ],
)
def test_wrong_hands_are_refused(cards: str, code: str, names: tuple[str, ...]) -> None:
    """N.J.A.C. 13:69F-20.3: three different cards; a refusal names the card and its place."""
    with pytest.raises(InputError) as refusal:
        rank_three(parse_cards(cards.split()))
    assert refusal.value.code == code
    for name in names:
        assert name in refusal.value.text
