"""Five-card ranking against two outside oracles: phevaluator and pokerkit.

Proves NY-5324.35(b)(1), NY-5324.35(b)(2)(i) to (ix), NY-5324.35(b)(3), NY-5324.36(b)(1), NY-5324.36(b)(2)(i) to (ix),
NY-5324.36(b)(3) and, for six cards, NJ-69F-20.12A(a)1 to 7 and NJ-69F-20.12A(c). Two rankings agree when their orders
are the same up to renaming: one order of ours belongs to one of theirs, and the sequence of both is the same.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations, combinations_with_replacement, pairwise

import pytest
from phevaluator import evaluate_cards
from pokerkit import Card as PokerkitCard
from pokerkit import StandardHighHand, StandardLookup

from cardshoe.cards import DECK, Card
from cardshoe.games.hands import FIVE_CARD_CATEGORIES, Ranked, rank_best_five

FIVE_CARD_COUNTS = {  # regulations handbook 8.1
    "royal flush": 4,
    "straight flush": 36,
    "four of a kind": 624,
    "full house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three of a kind": 54_912,
    "two pair": 123_552,
    "pair": 1_098_240,
    "high card": 1_302_540,
}
SIX_CARD_COUNTS = {  # regulations handbook 8.4; "none" there is the last three together
    "royal flush": 188,
    "straight flush": 1_656,
    "four of a kind": 14_664,
    "full house": 165_984,
    "flush": 205_792,
    "straight": 361_620,
    "three of a kind": 732_160,
}
SIX_CARD_NONE = 18_876_456
PHE_RANK = {card: card.index for card in DECK}  # phevaluator numbers the cards as we do: rank first, suits c d h s
KIT_CARD = {card: next(PokerkitCard.parse(card.text)) for card in DECK}
KIT = StandardLookup()


class SameOrder:
    """Collects (ours, theirs) and proves that the two orders are the same up to renaming."""

    def __init__(self) -> None:
        self.theirs_of: dict[int, int] = {}

    def add(self, ours: int, theirs: int) -> None:
        assert self.theirs_of.setdefault(ours, theirs) == theirs, f"order {ours} stands for two different ranks"

    def prove(self) -> int:
        """Check the sequence and return how many distinct ranks were met."""
        theirs = [self.theirs_of[ours] for ours in sorted(self.theirs_of)]
        for lower, higher in pairwise(theirs):
            assert lower < higher
        return len(theirs)


def phevaluator_strength(cards: Iterable[Card]) -> int:
    return -int(evaluate_cards(*[PHE_RANK[card] for card in cards]))


def pokerkit_strength(cards: Iterable[Card]) -> int:
    return int(KIT.get_entry([KIT_CARD[card] for card in cards]).index)


def check_best(cards: Iterable[Card], ranked: Ranked) -> None:
    """The named five are five of the cards, rank the same by themselves, and lie in the promised order."""
    best = ranked.best
    assert len(set(best)) == 5
    assert set(best) <= set(cards)
    alone = rank_best_five(best)
    assert (alone.order, alone.category, alone.best) == (ranked.order, ranked.category, best)
    sizes = Counter(card.rank for card in best)
    if ranked.category in ("straight", "straight flush", "royal flush"):
        ranks = [card.rank for card in best]
        assert ranks in ([5, 4, 3, 2, 14], list(range(ranks[0], ranks[0] - 5, -1)))
    else:
        keys = [(sizes[card.rank], card.rank, "cdhs".index(card.suit)) for card in best]
        assert keys == sorted(keys, reverse=True)


def classes_of_five() -> Iterable[tuple[tuple[Card, ...], int]]:
    """One hand for each of the 7,462 classes of ranks and suitedness, with the number of hands in its class."""
    by_rank = [DECK[rank * 4 : rank * 4 + 4] for rank in range(13)]
    for ranks in combinations_with_replacement(range(13), 5):
        sizes = Counter(ranks)
        if max(sizes.values()) > 4:
            continue
        used: Counter[int] = Counter()
        mixed = []
        for place, rank in enumerate(ranks):
            suit = (used[rank] + (place if len(sizes) == 5 else 0)) % 4
            mixed.append(by_rank[rank][suit])
            used[rank] += 1
        ways = 1
        for size in sizes.values():
            ways *= (0, 4, 6, 4, 1)[size]
        if len(sizes) == 5:
            yield tuple(by_rank[rank][1] for rank in ranks), 4
            ways -= 4
        yield tuple(mixed), ways


def test_every_class_of_five_cards_has_the_rank_of_both_oracles() -> None:
    """NY-5324.35(b)(2), NY-5324.35(b)(3), NY-5324.36(b)(2), NY-5324.36(b)(3): 7,462 ranks, in one order."""
    against_phevaluator, against_pokerkit = SameOrder(), SameOrder()
    counts: Counter[str] = Counter()
    for hand, ways in classes_of_five():
        ranked = rank_best_five(hand)
        counts[ranked.category] += ways
        against_phevaluator.add(ranked.order, phevaluator_strength(hand))
        against_pokerkit.add(ranked.order, pokerkit_strength(hand))
        check_best(hand, ranked)
    assert against_phevaluator.prove() == 7_462
    assert against_pokerkit.prove() == 7_462
    assert counts == FIVE_CARD_COUNTS
    assert sum(counts.values()) == 2_598_960


def test_random_five_card_hands_have_the_rank_of_both_oracles() -> None:
    """NY-5324.35(b), NY-5324.36(b): 200,000 random hands."""
    draw = random.Random(5324)
    against_phevaluator, against_pokerkit = SameOrder(), SameOrder()
    for _ in range(200_000):
        hand = draw.sample(DECK, 5)
        order = rank_best_five(hand).order
        against_phevaluator.add(order, phevaluator_strength(hand))
        against_pokerkit.add(order, pokerkit_strength(hand))
    against_phevaluator.prove()
    against_pokerkit.prove()


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_all_2598960_five_card_hands() -> None:
    """NY-5324.35(b), NY-5324.36(b), FR-48: every hand, the counts of the handbook, the order of both oracles."""
    against_phevaluator, against_pokerkit = SameOrder(), SameOrder()
    counts: Counter[str] = Counter()
    for hand in combinations(DECK, 5):
        ranked = rank_best_five(hand)
        counts[ranked.category] += 1
        against_phevaluator.add(ranked.order, phevaluator_strength(hand))
        against_pokerkit.add(ranked.order, pokerkit_strength(hand))
    assert against_phevaluator.prove() == 7_462
    assert against_pokerkit.prove() == 7_462
    assert counts == FIVE_CARD_COUNTS


def compare_seven(rounds: int, seed: int, pokerkit_every: int) -> None:
    draw = random.Random(seed)
    against_phevaluator, against_pokerkit = SameOrder(), SameOrder()
    for number in range(rounds):
        hand = draw.sample(DECK, draw.choice((6, 7, 7, 7)))
        ranked = rank_best_five(hand)
        against_phevaluator.add(ranked.order, phevaluator_strength(hand))
        if number % pokerkit_every == 0:
            best = StandardHighHand.from_game(hand[0].text + hand[1].text, "".join(card.text for card in hand[2:]))
            against_pokerkit.add(ranked.order, int(best.entry.index))
            check_best(hand, ranked)
    against_phevaluator.prove()
    against_pokerkit.prove()


def test_random_six_and_seven_card_hands_agree() -> None:
    """NY-5324.35(e)(7), NY-5324.36(e)(6), NJ-69F-20.12A(c): the best five of six or seven; 20,000 random hands."""
    compare_seven(20_000, seed=20, pokerkit_every=20)


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_a_million_random_six_and_seven_card_hands_agree() -> None:
    """NY-5324.35(e)(7), NY-5324.36(e)(6), NJ-69F-20.12A(c)."""
    compare_seven(1_000_000, seed=7, pokerkit_every=50)


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_all_20358520_six_card_sets() -> None:
    """NJ-69F-20.12A(a)1 to 7, NJ-69F-20.12A(c): the counts of the handbook, by every rank pattern and suit pattern.

    Suits are interchangeable, so each set is ranked once for each way of its suits up to renaming them.
    """
    counts: Counter[str] = Counter()
    for hand, ways in classes_up_to_suits(6):
        counts[rank_best_five(hand).category] += ways
    assert sum(counts.values()) == 20_358_520
    assert {name: counts[name] for name in SIX_CARD_COUNTS} == SIX_CARD_COUNTS
    assert counts["two pair"] + counts["pair"] + counts["high card"] == SIX_CARD_NONE
    assert set(counts) == set(FIVE_CARD_CATEGORIES)


def classes_up_to_suits(size: int) -> Iterable[tuple[tuple[Card, ...], int]]:
    """One set of `size` cards for each way of its suits up to renaming them, with the number of sets it stands for."""
    for columns in falling_columns(size, 4, (13, ())):
        ways = 24
        for same in Counter(columns).values():
            ways //= (1, 1, 2, 6, 24)[same]
        yield tuple(DECK[rank * 4 + suit] for suit, column in enumerate(columns) for rank in column), ways


def falling_columns(left: int, suits: int, limit: tuple[int, tuple[int, ...]]) -> Iterable[tuple[tuple[int, ...], ...]]:
    """Every way to spread `left` cards over `suits` columns of ranks, each column not above the one before it."""
    if not suits:
        if not left:
            yield ()
        return
    for length in range(min(left, limit[0]), -1, -1):
        for column in combinations(range(13), length):
            if (length, column) <= limit:
                for rest in falling_columns(left - length, suits - 1, (length, column)):
                    yield (column, *rest)
