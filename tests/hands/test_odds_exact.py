"""The exact odds against the handbook's section 8 and against counting done another way."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest

from cardshoe.cards import DECK, Card, parse_cards
from cardshoe.errors import InputError
from cardshoe.games.hands import Ranked, rank_three
from cardshoe.games.odds import best_five_counts, play_or_fold, table_return, three_card_counts, two_card_counts
from cardshoe.games.paytables import (
    ANTE_BONUS,
    BLIND,
    BONUS_BOTH_ACES,
    BONUS_PLAIN,
    BOTH_ACES,
    PAIR_PLUS,
    SIX_CARD,
    TRIPS,
    PayTable,
)
from cardshoe.games.script import OnCards
from cardshoe.games.texas_holdem_bonus import GAME as BONUS_GAME
from cardshoe.money import Odds

WITHOUT_PAIR_OF_THREE = ("two pair", "pair", "high card")


def test_seven_card_counts() -> None:
    """NY-5324.36(f)(3), NY-5324.36(e)(8)(iv): the standard counts of the best five of seven (handbook 8.1)."""
    counts = dict(best_five_counts(7))
    lower = sum(counts.pop(hand) for hand in WITHOUT_PAIR_OF_THREE)
    assert counts == {
        "royal flush": 4_324,
        "straight flush": 37_260,
        "four of a kind": 224_848,
        "full house": 3_473_184,
        "flush": 4_047_644,
        "straight": 6_180_020,
        "three of a kind": 6_461_620,
    }
    assert lower == 113_355_660


def test_six_card_counts() -> None:
    """NJ-69F-20.12A(a)1 to 7, NJ-69F-20.12A(c): handbook 8.4, hit rate 0.072798."""
    counts = dict(best_five_counts(6))
    assert sum(counts[hand] for hand in WITHOUT_PAIR_OF_THREE) == 18_876_456
    table = table_return(SIX_CARD["1000-200-50-25-20-10-5"], best_five_counts(6))
    assert [row.deals for row in table.rows[:7]] == [188, 1_656, 14_664, 165_984, 205_792, 361_620, 732_160]
    assert table.deals == 20_358_520
    assert round(float(table.hit_rate), 6) == 0.072798


@pytest.mark.parametrize(("name", "percent"), [("A", "0.90"), ("B", "1.90"), ("C", "3.50"), ("D", "6.18")])
def test_trips_tables(name: str, percent: str) -> None:
    """NY-5324.36(f)(3): what trips returns on seven cards, tables A to D (handbook 8.3)."""
    assert f"{float(table_return(TRIPS[name], best_five_counts(7)).house_edge) * 100:.2f}" == percent


@pytest.mark.parametrize(
    ("name", "percent"),
    [("1000-200-50-25-20-10-5", "10.22"), ("1000-200-100-20-15-10-7", "8.56"), ("1000-200-50-25-15-10-5", "15.28")],
)
def test_six_card_tables(name: str, percent: str) -> None:
    """NJ-69F-20.12A(a): the operators' tables T1 to T3 (handbook 8.4)."""
    assert f"{float(table_return(SIX_CARD[name], best_five_counts(6)).house_edge) * 100:.2f}" == percent


@pytest.mark.parametrize(
    ("name", "edge"),
    [  # the sums by hand: 48, 52, 720, 1,096, 3,744 and 16,440 of 22,100 (handbook 8.1)
        ("40-30-6-4-1", Fraction(16_440 - 48 * 40 - 52 * 30 - 720 * 6 - 1_096 * 4 - 3_744, 22_100)),
        ("40-30-5-4-1", Fraction(16_440 - 48 * 40 - 52 * 30 - 720 * 5 - 1_096 * 4 - 3_744, 22_100)),
        ("40-25-6-4-1", Fraction(16_440 - 48 * 40 - 52 * 25 - 720 * 6 - 1_096 * 4 - 3_744, 22_100)),
        ("35-25-5-3-1", Fraction(16_440 - 48 * 35 - 52 * 25 - 720 * 5 - 1_096 * 3 - 3_744, 22_100)),
    ],
)
def test_pair_plus_tables(name: str, edge: Fraction) -> None:
    """N.J.A.C. 13:69F-20.3(b), handbook section 3: the four pair plus tables, to the last digit."""
    assert table_return(PAIR_PLUS[name], three_card_counts()).house_edge == edge


def bonus_counts() -> dict[str, int]:
    spot = BONUS_GAME.spot("bonus")
    assert spot is not None
    assert isinstance(spot.settles, OnCards)
    return dict(two_card_counts(spot.settles.rank))


def test_two_card_bonus_counts() -> None:
    """NY-5324.35(f)(2): 1,326 hands by row, and aces against aces one time in 1,225 (handbook 8.2)."""
    counts = bonus_counts()
    both = counts.pop(BOTH_ACES)
    assert sum(counts.values()) + both == 1_326 * 1_225
    assert both == 6  # six ways to hold two aces, one way to hold the other two
    counts["ace-ace"] += both
    nothing = [hand for hand in counts if hand not in BONUS_PLAIN.rows]
    assert sum(counts.pop(hand) for hand in nothing) == 1_200 * 1_225
    assert {hand: ways // 1_225 for hand, ways in counts.items()} == {
        "ten-ten to two-two": 54,
        "ace-queen or ace-jack offsuit": 24,
        "king-king, queen-queen or jack-jack": 18,
        "ace-king offsuit": 12,
        "ace-queen or ace-jack suited": 8,
        "ace-king suited": 4,
        "ace-ace": 6,
    }


@pytest.mark.parametrize(("table", "edge"), [(BONUS_PLAIN, "0.088989"), (BONUS_BOTH_ACES, "0.085406")])
def test_two_card_bonus_tables(table: PayTable, edge: str) -> None:
    """NY-5324.35(f)(2): return −0.088989 without and −0.085406 with the 1,000:1 row (handbook 8.2)."""
    assert f"{float(table_return(table, bonus_counts()).house_edge):.6f}" == edge


def test_the_row_of_the_king_is_ace_king_suited() -> None:
    """NY-5324.35(f)(2), ruling 1: any suited king would return +77 %, leaving ace-king suited out −16.7 %."""
    counts = bonus_counts()
    rows = {hand: odds for hand, odds in BONUS_PLAIN.rows.items() if hand != "ace-king suited"}
    left_out = table_return(PayTable("left out", rows, "", None), counts).house_edge
    assert f"{float(left_out):.3f}" == "0.167"
    # 48 more suited kings (king with a deuce to a queen is 44) take the 25:1 from nothing
    any_king = -table_return(BONUS_PLAIN, counts).house_edge + Fraction(44 * 26, 1_326)
    assert f"{float(any_king):.2f}" == "0.77"


def test_blind_pushes_are_counted_as_neither() -> None:
    """NY-5324.36(f)(2): below a straight the blind pushes; table B pushes on a straight too."""
    a, b = (table_return(BLIND[name], best_five_counts(7)) for name in "AB")
    assert {row.hand for row in a.rows if row.pushes and row.odds is None} == {
        "three of a kind",
        *WITHOUT_PAIR_OF_THREE,
    }
    assert a.won - b.won == Fraction(6_180_020, 133_784_560)
    assert a.house_edge == -a.won


def naive_main(bonus: PayTable, own: tuple[Card, ...]) -> Fraction:
    """What playing `own` is worth, by going through every dealer's hand."""
    queen = rank_three(parse_cards(["Qs", "3d", "2c"])).order
    mine, total, deals = rank_three(own), 0, 0
    for dealer in combinations([card for card in DECK if card not in own], 3):
        theirs = rank_three(dealer).order
        deals += 1
        total += 1 if theirs < queen else 2 * ((mine.order > theirs) - (mine.order < theirs))
    odds = bonus.rows.get(mine.category)
    return Fraction(total, deals) + (Fraction(odds.numerator, odds.denominator) if odds else 0)


def queen_or_better(dealer: Ranked) -> bool:
    return dealer.order >= rank_three(parse_cards(["Qs", "3d", "2c"])).order


def test_three_card_ante_and_play() -> None:
    """N.J.A.C. 13:69F-20.3: ante and play with every decision the better one; queen-six-four is the last that plays."""
    best = play_or_fold(queen_or_better, ANTE_BONUS["5-4-1"])
    assert best.worst_played.best == parse_cards(["Qd", "6c", "4c"])
    assert [card.rank for card in best.worst_played.best] == [12, 6, 4]
    worth = naive_main(ANTE_BONUS["5-4-1"], parse_cards(["Qs", "6h", "4d"]))
    assert worth > -1
    assert naive_main(ANTE_BONUS["5-4-1"], parse_cards(["Qs", "6h", "3d"])) < -1
    lower_bonus = play_or_fold(queen_or_better, ANTE_BONUS["4-3-1"])
    # the smaller ante bonus costs one unit in each of the 48 + 52 hands that it pays less for
    assert lower_bonus.house_edge - best.house_edge == Fraction(48 + 52, 22_100)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_three_card_ante_and_play_by_going_through_every_deal() -> None:
    """N.J.A.C. 13:69F-20.3: the sum over all 22,100 hands, by their classes of suits, against every dealer's hand."""
    bonus = ANTE_BONUS["5-4-1"]
    classes: Counter[tuple[Card, ...]] = Counter()
    for hand in combinations(DECK, 3):
        renamed: dict[str, str] = {}
        for card in sorted(hand, key=lambda card: card.rank):
            renamed.setdefault(card.suit, "cdhs"[len(renamed)])
        classes[tuple(sorted(Card(card.text[0] + renamed[card.suit]) for card in hand))] += 1
    assert sum(classes.values()) == 22_100
    total = sum(
        (ways * max(naive_main(bonus, hand), Fraction(-1)) for hand, ways in classes.items()), start=Fraction(0)
    )
    assert -total / 22_100 == play_or_fold(queen_or_better, bonus).house_edge


def test_a_row_that_cannot_be_dealt_is_refused() -> None:
    """NY-5324.36(f)(3): a table row that no deal can make is named."""
    wrong = PayTable("own", {"straight flash": Odds(40)}, "", None)
    with pytest.raises(InputError, match="straight flash") as refusal:
        table_return(wrong, best_five_counts(7))
    assert refusal.value.code == "pay-table-row"
