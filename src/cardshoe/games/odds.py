"""What pay tables really pay: exact returns by counting every deal once.

Owns the counting and the sums, in whole numbers and fractions. Must not know amounts or rounds: a pay table comes in
from `games.paytables`, whatever the house chose. What needs a strategy and seven cards on both sides is simulated
elsewhere; the ante and play of three-card poker are exact here, because one decision on three cards can be weighed.

Hands are counted by class: for each multiset of ranks the hand is ranked once, without a flush, and multiplied by the
number of its suit patterns; the patterns that hold a flush are counted apart. Nothing is estimated. Carries the check
values of the handbook's section 8 for NY-5324.35(f)(2), NY-5324.36(f)(2), NY-5324.36(f)(3), NJ-69F-20.12A(a) and
N.J.A.C. 13:69F-20.3.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from types import MappingProxyType
from typing import Final

from cardshoe.cards import DECK, Card
from cardshoe.errors import InputError
from cardshoe.games.hands import FIVE_CARD_CATEGORIES, THREE_CARD_CATEGORIES, Ranked, rank_best_five, rank_three
from cardshoe.games.paytables import PayTable
from cardshoe.games.ranking import best_five_with_board, six_with_dealer, three_own
from cardshoe.games.script import (
    Game,
    Ranking,
)
from cardshoe.money import Odds


@dataclass(frozen=True, slots=True)
class PaidRow:
    """One row: how many of all deals make `hand`, and what it wins (`odds`), else whether it pushes or loses."""

    hand: str
    deals: int
    odds: Odds | None
    pushes: bool

    @property
    def multiple(self) -> Fraction:
        """What one unit wins in this row: minus one where it is lost."""
        if self.odds is not None:
            return Fraction(self.odds.numerator, self.odds.denominator)
        return Fraction(0) if self.pushes else Fraction(-1)


@dataclass(frozen=True, slots=True)
class Return:
    """What one wager returns over every deal; `rows` in the order of the pay table, then what it does not name."""

    rows: tuple[PaidRow, ...]

    @property
    def deals(self) -> int:
        """Number of deals counted."""
        return sum(row.deals for row in self.rows)

    @property
    def hit_rate(self) -> Fraction:
        """Share of the deals that win."""
        return Fraction(sum(row.deals for row in self.rows if row.odds is not None), self.deals)

    @property
    def house_edge(self) -> Fraction:
        """Mean loss of one unit staked, pushes counted as nothing lost."""
        return -sum((row.deals * row.multiple for row in self.rows), start=Fraction(0)) / self.deals

    @property
    def won(self) -> Fraction:
        """Mean winnings of one unit, lost stakes left aside: the worth of what is paid on top of another wager."""
        paid = (row.deals * row.multiple for row in self.rows if row.odds is not None)
        return sum(paid, start=Fraction(0)) / self.deals


def table_return(table: PayTable, counts: Mapping[str, int]) -> Return:
    """Join the odds of a pay `table` with `counts` of deals by hand.

    Raises `InputError` (`pay-table-row`) for a row of the table that no deal can make.
    """
    unknown = [hand for hand in table.rows if hand not in counts]
    if unknown:
        raise InputError(
            "pay-table-row",
            f"pay table {table.name!r}: no deal makes {unknown[0]!r}; the hands here are {', '.join(counts)}",
        )
    paid = [PaidRow(hand, counts[hand], odds, pushes=odds is None) for hand, odds in table.rows.items()]
    others = [PaidRow(hand, counts[hand], None, table.others_push) for hand in counts if hand not in table.rows]
    return Return((*paid, *others))


def counts_by_ranking(rank: Ranking, game: Game) -> Mapping[str, int] | None:
    """How many deals of `game` make each hand of the function `rank`, or None where that is not counted here."""
    if rank is best_five_with_board:
        return best_five_counts(game.cards_each + game.board_cards)
    if rank is six_with_dealer:
        return best_five_counts(2 * game.cards_each)
    if rank is three_own:
        return three_card_counts()
    return two_card_counts(rank) if game.cards_each == 2 and game.has_dealer_hand else None


@cache
def best_five_counts(cards: int) -> Mapping[str, int]:
    """How many of all sets of 5, 6 or 7 `cards` make each five-card hand, best first.

    2,598,960, 20,358,520 (NJ-69F-20.12A(a)) or 133,784,560 (NY-5324.36(f)(3)) sets in all.
    """
    counts = _flush_counts(cards)
    for ranks in combinations_with_replacement(range(13), cards):
        sizes = Counter(ranks)
        if max(sizes.values()) > 4:
            continue
        # Walking round the suits never puts five of one suit into seven cards, nor two equal cards into one rank.
        mixed = [DECK[rank * 4 + place % 4] for place, rank in enumerate(ranks)]
        pattern = tuple(sorted(sizes.values()))
        counts[rank_best_five(mixed).category] += _patterns_without_flush(pattern)
    return MappingProxyType({name: counts[name] for name in FIVE_CARD_CATEGORIES})


def _flush_counts(cards: int) -> Counter[str]:
    """Sets with five or more of one suit: that suit's ranks, times the rest from the other three suits."""
    counts: Counter[str] = Counter()
    for suited in range(5, cards + 1):
        others = comb(39, cards - suited)
        for ranks in combinations(range(13), suited):
            counts[rank_best_five([DECK[rank * 4] for rank in ranks]).category] += 4 * others
    return counts


@cache
def _patterns_without_flush(sizes: tuple[int, ...]) -> int:
    """In how many ways ranks held `sizes` times take suits so that no suit comes five times.

    A rank held n times contains one given suit in C(3, n - 1) of its C(4, n) ways; at most one suit can reach five.
    """
    by_suited = [1]
    for size in sizes:
        without, with_suit = comb(3, size), comb(3, size - 1)
        longer = [ways * without for ways in by_suited] + [0]
        for suited, ways in enumerate(by_suited):
            longer[suited + 1] += ways * with_suit
        by_suited = longer
    return prod(comb(4, size) for size in sizes) - 4 * sum(by_suited[5:])


@cache
def three_card_counts() -> Mapping[str, int]:
    """How many of the 22,100 hands of three are of each kind, best first (N.J.A.C. 13:69F-20.3(b))."""
    counts = Counter(rank_three(hand).category for hand in combinations(DECK, 3))
    return MappingProxyType({name: counts[name] for name in THREE_CARD_CATEGORIES})


_CLASS_SIZES: Final = {"pair": 6, "suited": 4, "offsuit": 12}


@cache
def two_card_counts(rank: Ranking) -> Mapping[str, int]:
    """How many of the 1,326 x 1,225 deals of two cards to a player and two to the dealer `rank` puts in each category.

    Suits are interchangeable: each of the 169 classes of two cards is tried against every dealer's hand and weighted
    (NY-5324.35(f)(2)). The two cards alone decide: `rank` gets no board.
    """
    counts: Counter[str] = Counter()
    for own, hands in _two_card_classes():
        rest = [card for card in DECK if card not in own]
        for dealer in combinations(rest, 2):
            counts[rank(own, dealer, ()).category] += hands
    return MappingProxyType(dict(counts))


def _two_card_classes() -> Iterable[tuple[tuple[Card, Card], int]]:
    for low, high in combinations_with_replacement(range(13), 2):
        if low == high:
            yield (DECK[low * 4], DECK[low * 4 + 1]), _CLASS_SIZES["pair"]
        else:
            yield (DECK[high * 4], DECK[low * 4]), _CLASS_SIZES["suited"]
            yield (DECK[high * 4], DECK[low * 4 + 1]), _CLASS_SIZES["offsuit"]


@dataclass(frozen=True, slots=True)
class PlayOrFold:
    """The ante and play of three-card poker with every decision the better one.

    `house_edge`: mean loss for one unit of ante. `play_rate`: share of the hands that are played. `worst_played`: the
    lowest hand that is worth playing, a fold losing the ante.
    """

    house_edge: Fraction
    play_rate: Fraction
    worst_played: Ranked


def play_or_fold(qualifies: Callable[[Ranked], bool], bonus: PayTable) -> PlayOrFold:
    """Weigh play (equal to the ante) against fold for all 22,100 hands against every dealer's hand.

    The dealer who does not qualify pays the ante and returns the play wager; `bonus` pays on the ante whatever the
    dealer holds, of a hand that is played. Dealer's hands are counted by inclusion and exclusion of the player's cards.
    """
    ranked = [(hand, rank_three(hand)) for hand in combinations(DECK, 3)]
    lists: defaultdict[tuple[Card, ...], list[int]] = defaultdict(list)
    for hand, dealer in sorted(ranked, key=lambda pair: pair[1].order):
        for size in range(4):
            for held in combinations(hand, size):
                lists[held].append(dealer.order)
    threshold = min(dealer.order for _, dealer in ranked if qualifies(dealer))
    total = played = Fraction(0)
    worst: Ranked | None = None
    deals = comb(49, 3)
    for hand, mine in ranked:
        own = [(lists[held], (-1) ** size) for size in range(4) for held in combinations(hand, size)]
        odds = bonus.rows.get(mine.category)
        extra = Fraction(odds.numerator, odds.denominator) if odds else Fraction(0)
        value = Fraction(_units_won(own, mine.order, threshold, deals), deals) + extra
        if value > -1:
            played += 1
            worst = mine if worst is None or mine.order < worst.order else worst
        total += max(value, Fraction(-1))
    if worst is None:
        raise InputError("no-exact-odds", "no hand of three is worth playing at these odds; look at the ante bonus")
    return PlayOrFold(-total / len(ranked), played / len(ranked), worst)


def _units_won(own: Sequence[tuple[list[int], int]], mine: int, threshold: int, deals: int) -> int:
    """Units that ante and play win together against all `deals` dealer's hands apart from the own cards."""
    unqualified = sum(sign * bisect_left(orders, threshold) for orders, sign in own)
    if mine < threshold:
        return unqualified - 2 * (deals - unqualified)
    lower = sum(sign * bisect_left(orders, mine) for orders, sign in own)
    not_higher = sum(sign * bisect_right(orders, mine) for orders, sign in own)
    return unqualified + 2 * (lower - unqualified) - 2 * (deals - not_higher)
