"""Named cases of five-card ranking: which hand, which five cards, which order, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.cards import DECK, Card, parse_card, parse_cards
from cardshoe.errors import InputError
from cardshoe.games.hands import FIVE_CARD_CATEGORIES, rank_best_five


def ranked(text: str) -> tuple[str, str]:
    hand = rank_best_five(parse_cards(text.split()))
    return hand.category, " ".join(card.text for card in hand.best)


CASES = [
    # clause, cards, category, the five used
    ("NY-5324.35(b)(2)(i)", "Ts Js Qs Ks As", "royal flush", "As Ks Qs Js Ts"),
    ("NY-5324.36(b)(2)(i)", "9s Ts Js Qs Ks As Ad", "royal flush", "As Ks Qs Js Ts"),
    ("NY-5324.35(b)(2)(ii)", "9h Th Jh Qh Kh As Ad", "straight flush", "Kh Qh Jh Th 9h"),
    ("NY-5324.36(b)(2)(ii)", "Ah 2h 3h 4h 5h 6s 7d", "straight flush", "5h 4h 3h 2h Ah"),
    ("NY-5324.36(b)(2)(ii)", "Ah 2h 3h 4h 5h 6h 7d", "straight flush", "6h 5h 4h 3h 2h"),
    ("NY-5324.35(b)(2)(iii)", "9c 9d 9h 9s Kc Kd Ac", "four of a kind", "9s 9h 9d 9c Ac"),
    ("NY-5324.36(b)(2)(iii)", "9c 9d 9h 9s Kc Kd Kh", "four of a kind", "9s 9h 9d 9c Kh"),
    ("NY-5324.35(b)(2)(iv)", "2c 2d 2h Ac Ad 3s 9h", "full house", "2h 2d 2c Ad Ac"),
    ("NY-5324.36(b)(2)(iv)", "2c 2d 2h 3c 3d 3s 9h", "full house", "3s 3d 3c 2h 2d"),
    ("NY-5324.36(b)(2)(iv)", "2c 2d 2h 3c 3d 9s 9h", "full house", "2h 2d 2c 9s 9h"),
    ("NY-5324.35(b)(2)(v)", "2c 4c 6c 8c Tc Qc As", "flush", "Qc Tc 8c 6c 4c"),
    ("NY-5324.36(b)(2)(v)", "Ad Kc Qc Jc 9c 2c Td", "flush", "Kc Qc Jc 9c 2c"),  # a straight is there, too
    ("NY-5324.35(b)(2)(vi)", "Ac Kd Qh Js Tc 9d 8h", "straight", "Ac Kd Qh Js Tc"),
    ("NY-5324.36(b)(2)(vi)", "Ac 2d 3h 4s 5c Kd Kh", "straight", "5c 4s 3h 2d Ac"),
    ("NY-5324.36(b)(2)(vi)", "9c 9d 8s 7h 6c 5c 5s", "straight", "9d 8s 7h 6c 5s"),
    (
        "NY-5324.35(b)(2)(vi)",
        "9c 8c 7c 6c 5d 2h 3h",
        "straight",
        "9c 8c 7c 6c 5d",
    ),  # four of one suit: still a straight
    ("NY-5324.35(b)(2)(vii)", "7c 7d 7h Ac Kd 2s 3s", "three of a kind", "7h 7d 7c Ac Kd"),
    ("NY-5324.36(b)(2)(vii)", "7c 7d 7h 2c 3d", "three of a kind", "7h 7d 7c 3d 2c"),
    ("NY-5324.35(b)(2)(viii)", "Kc Kd Jc Jd 8s 8h As", "two pair", "Kd Kc Jd Jc As"),
    ("NY-5324.36(b)(2)(viii)", "Kc Kd Jc Jd 8s 8h 7s", "two pair", "Kd Kc Jd Jc 8s"),
    ("NY-5324.35(b)(2)(ix)", "2c 2d Ac Qd Ts 8h 6s", "pair", "2d 2c Ac Qd Ts"),
    ("NY-5324.36(b)(2)(ix)", "Qh Qd 2c 7d 9h Ts Jc", "pair", "Qh Qd Jc Ts 9h"),
    ("NY-5324.35(b)(3)", "Ac Qd Ts 8h 6s 4c 2c", "high card", "Ac Qd Ts 8h 6s"),
    ("NJ-69F-20.12A(a)7", "9h 9c 9d 5s 4h 2c", "three of a kind", "9h 9d 9c 5s 4h"),
    ("NJ-69F-20.12A(a)4", "9h 9c 9d 5s 5h 5c", "full house", "9h 9d 9c 5s 5h"),
    ("NJ-69F-20.12A(a)3", "9h 9c 9d 9s 5h 5c", "four of a kind", "9s 9h 9d 9c 5h"),
    ("NJ-69F-20.12A(c)", "9h 9c 8d 8s 5h 5c", "two pair", "9h 9c 8s 8d 5h"),
]


@pytest.mark.parametrize(("clause", "cards", "category", "best"), CASES, ids=[f"{c[0]}-{c[1]}" for c in CASES])
def test_category_and_the_five_cards(clause: str, cards: str, category: str, best: str) -> None:
    """Each hand of the clause, with the cards that make it up and their order."""
    assert clause
    assert ranked(cards) == (category, best)


ACES = [
    # FR-48: the ace is low in 5-4-3-2-A only
    ("Ac 2d 3h 4s 5c", "straight"),
    ("Kc Ad 2h 3s 4c", "high card"),
    ("Qc Kd Ah 2s 3c", "high card"),
    ("Jc Qd Kh As 2c", "high card"),
    ("Tc Jd Qh Ks Ac", "straight"),
    ("Qc Kd Ah 2s 3c 8d 9h", "high card"),
    ("Qc Kc Ac 2c 3c", "flush"),
    ("Qc Kc Ac 2c 3c 4d 5h", "straight-or-flush"),
]


@pytest.mark.parametrize(("cards", "category"), ACES)
def test_the_ace_is_low_in_the_wheel_only(cards: str, category: str) -> None:
    """NY-5324.35(b)(1), NY-5324.36(b)(1), FR-48."""
    expected = "flush" if category == "straight-or-flush" else category  # both are there: the flush is the better
    assert ranked(cards)[0] == expected


def test_the_wheel_is_the_lowest_straight_and_the_lowest_straight_flush() -> None:
    """NY-5324.35(b)(2)(ii) and (vi), NY-5324.36(b)(2)(ii) and (vi), FR-48."""

    def order(text: str) -> int:
        return rank_best_five(parse_cards(text.split())).order

    straights = ["Ac 2d 3h 4s 5c"] + [
        " ".join(f"{'23456789TJQKA'[low + step]}{'cdhsc'[step]}" for step in range(5)) for low in range(9)
    ]
    assert [order(text) for text in straights] == sorted({order(text) for text in straights})
    assert order("Ad 2d 3d 4d 5d") < order("2d 3d 4d 5d 6d")
    assert order("Ah Kd Kc Ks As") < order("Ad 2d 3d 4d 5d")


FR49 = [
    # board, one hand, the other: the board or the first five decide, so equal
    ("4c 5d 6h 7s 8c", "Ah Kd", "2h 2d"),  # a straight on the board: ace-king against deuces
    ("Kc Kd Jc Jd As", "Qh 3d", "8h 3c"),  # two pairs and the ace on the board
    ("2h 3h 4h 5h Ah", "Kh Qh", "Jh Th"),  # five hearts on the board form the wheel straight flush
    ("Kc Kd Ks Kh As", "Qc Qd", "2c 3c"),  # four kings with the ace
]


@pytest.mark.parametrize(("board", "one", "other"), FR49)
def test_a_sixth_or_seventh_card_never_breaks_a_tie(board: str, one: str, other: str) -> None:
    """NY-5324.35(b)(3), NY-5324.35(e)(8)(iii), NY-5324.36(b)(3), NY-5324.36(e)(8)(iii), FR-49."""
    first = rank_best_five(parse_cards(f"{one} {board}".split()))
    second = rank_best_five(parse_cards(f"{other} {board}".split()))
    assert first.order == second.order
    assert [card.rank for card in first.best] == [card.rank for card in second.best]


KICKERS = [
    # better, worse: category equal, told apart by groups, then kickers
    ("NY-5324.35(b)(3)", "As 8c Ac Kd 7h 5s 2d", "Ah 6c Ac Kd 7h 5s 2d"),
    ("NY-5324.36(b)(3)", "Ks Kc Jh Jd 9s", "Kd Kh Ts Tc As"),
    ("NY-5324.36(b)(3)", "3s 3c 3h 2d 2c", "2h 2s 2d Ac Ad"),
    ("NY-5324.35(b)(3)", "As Ks Qs Js 9s", "Ah Kh Qh Jh 8h"),
    ("NY-5324.35(b)(3)", "9s 9h 9d 9c 3d", "9s 9h 9d 9c 2d"),
    ("NY-5324.36(b)(3)", "4s 4d Ac 6d 3h", "4h 4c Ad 6s 2h"),
]


@pytest.mark.parametrize(("clause", "better", "worse"), KICKERS)
def test_groups_then_kickers(clause: str, better: str, worse: str) -> None:
    """Ruling 23 of the handbook: category, then rank groups, then kickers."""
    one, other = (rank_best_five(parse_cards(text.split())) for text in (better, worse))
    assert clause
    assert one.category == other.category
    assert one.order > other.order


@pytest.mark.parametrize("text", ["10h", "Th ", " Th", "th", "1h", "T", "0h", "hT", "T♥", "TH", "1Oh", "", None, 10])
def test_a_ten_is_written_one_way(text: object) -> None:
    """FR-47: any other spelling is refused with the raw value, never scored as something else."""
    with pytest.raises(InputError, match="not a card") as refusal:
        parse_card(text, "cards[3]")
    assert refusal.value.code == "card-spelling"
    assert repr(text) in refusal.value.text
    assert "cards[3]" in refusal.value.text


def test_a_duplicate_is_refused_by_card_and_place() -> None:
    """NY-5324.35(b): one deck; the refusal names the card and both places."""
    with pytest.raises(InputError) as refusal:
        rank_best_five(parse_cards(["As", "Kd", "2c", "7d", "9h", "Kd", "3c"]))
    assert refusal.value.code == "duplicate-card"
    assert "cards[5]" in refusal.value.text
    assert "cards[1]" in refusal.value.text
    assert "'Kd'" in refusal.value.text


@pytest.mark.parametrize("count", [0, 1, 4, 8, 52])
def test_only_five_to_seven_cards_make_a_hand(count: int) -> None:
    """NY-5324.35(e)(7), NY-5324.36(e)(6), NJ-69F-20.12A(a): 5, 6 or 7 cards."""
    with pytest.raises(InputError) as refusal:
        rank_best_five(DECK[:count])
    assert refusal.value.code == "card-count"
    assert (str(count) if count else "none") in refusal.value.text


HANDS = st.integers(5, 7).flatmap(
    lambda size: st.lists(st.sampled_from(DECK), min_size=size, max_size=size, unique=True)
)


@given(hand=HANDS, data=st.data())
def test_the_order_in_which_cards_lie_does_not_matter(hand: list[Card], data: st.DataObject) -> None:
    """NY-5324.35(b), NY-5324.36(b): a hand is a set of cards; the five named are the same too."""
    assert rank_best_five(data.draw(st.permutations(hand))) == rank_best_five(hand)


@given(hand=HANDS, suits=st.permutations("cdhs"))
def test_suits_are_equal(hand: list[Card], suits: list[str]) -> None:
    """NY-5324.35(b)(1), NY-5324.36(b)(1): only ranks order the cards; renaming the suits changes no rank."""
    renamed = [Card(card.text[0] + suits["cdhs".index(card.suit)]) for card in hand]
    one, other = rank_best_five(hand), rank_best_five(renamed)
    assert (one.category, one.order) == (other.category, other.order)


@given(hand=st.lists(st.sampled_from(DECK), min_size=6, max_size=7, unique=True))
def test_one_more_card_never_lowers_a_hand(hand: list[Card]) -> None:
    """NJ-69F-20.12A(c): the highest hand that can be formed; more cards never make it lower."""
    whole = rank_best_five(hand)
    parts = [rank_best_five(hand[:place] + hand[place + 1 :]).order for place in range(len(hand))]
    assert whole.order == max(parts)


def test_categories_stand_best_first() -> None:
    """NY-5324.35(b)(2), NY-5324.36(b)(2): the order of the ten kinds of hand, from one hand of each."""
    hands = ["As Ks Qs Js Ts", "9h 8h 7h 6h 5h", "2c 2d 2h 2s 3c", "2c 2d 2h 3s 3c", "2c 3c 4c 5c 7c", "2c 3d 4h 5s 6c"]
    hands += ["2c 2d 2h 3s 4c", "3c 3d 2h 2s 4c", "2c 2d 3h 4s 5c", "2c 3d 4h 5s 7c"]
    ranks = [rank_best_five(parse_cards(text.split())) for text in hands]
    assert tuple(hand.category for hand in ranks) == FIVE_CARD_CATEGORIES
    assert [hand.order for hand in ranks] == sorted((hand.order for hand in ranks), reverse=True)
