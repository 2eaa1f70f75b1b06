"""`cardshoe settle`: every rule and ruling on what a wager wins, case by case, each with its clause."""

from __future__ import annotations

from typing import Any

import pytest

from cardshoe.cli.settle import settled
from cardshoe.errors import CardshoeError

UTH, THB, TCP = "ultimate-texas-holdem", "texas-holdem-bonus", "three-card-poker"
DRY = ["2c", "7d", "9h", "Js", "Kd"]
"""A board without a pair, a flush or a straight."""


def at(wagers: dict[str, int], cards: str, *actions: str) -> dict[str, object]:
    """One position."""
    return {"wagers": wagers, "cards": cards.split(), "actions": list(actions)}


def settle(
    game: str,
    positions: dict[str, dict[str, object]],
    dealer: str,
    board: list[str] | None = None,
    *irregularities: dict[str, object],
    **house: object,
) -> dict[str, Any]:
    """The answer to one line."""
    return settled(
        {
            "id": "t",
            "game": game,
            "house": house,
            "positions": positions,
            "dealer": dealer.split(),
            "board": DRY if board is None else board,
            "irregularities": list(irregularities),
        }
    )


def refused(*args: Any, **house: object) -> CardshoeError:
    """The error with which a line is refused."""
    with pytest.raises(CardshoeError) as caught:
        settle(*args, **house)
    return caught.value


def outcomes(answer: dict[str, Any], position: str) -> dict[str, tuple[str, int, int, str | None]]:
    """(outcome, won, returned, clause) of each wager of `position`."""
    wagers = answer["positions"][position]["wagers"]
    return {name: (each["outcome"], each["won"], each["returned"], each["cites"]) for name, each in wagers.items()}


STAKES = {"ante": 1000, "blind": 1000, "trips": 500}


# --- Ultimate Texas hold 'em -----------------------------------------------------------------------------------------


def test_the_answer_of_the_interface_page() -> None:
    """The example of `interfaces.md`, to the letter: NY-5324.36(e)(8)(i), NY-5324.36(f)(3)."""
    answer = settle(
        UTH,
        {"2": at(STAKES, "As Kd", "check", "check", "play 1x")},
        "Qh Qd",
        ["2c", "7d", "9h", "Ts", "Jc"],
        blind_table="A",
        trips_table="C",
    )
    lost = {"outcome": "lose", "won": 0, "returned": 0}
    assert answer == {
        "game": UTH,
        "dealer": {"category": "pair", "best": ["Qh", "Qd", "Jc", "Ts", "9h"], "qualifies": True},
        "positions": {
            "2": {
                "category": "high card",
                "best": ["As", "Kd", "Jc", "Ts", "9h"],
                "state": "played",
                "wagers": {
                    "ante": {"staked": 1000, **lost, "cites": "NY-5324.36(e)(8)(i)"},
                    "blind": {"staked": 1000, **lost, "cites": "NY-5324.36(e)(8)(i)"},
                    "play": {"staked": 1000, **lost, "cites": "NY-5324.36(e)(8)(i)"},
                    "trips": {"staked": 500, **lost, "cites": "NY-5324.36(f)(3)"},
                },
                "won": 0,
                "returned": 0,
                "limited": False,
            }
        },
        "settled_in_order": ["2"],
        "voided": False,
    }


HIGHER, LOWER, EQUAL = "NY-5324.36(e)(8)(ii)", "NY-5324.36(e)(8)(i)", "NY-5324.36(e)(8)(iii)"


@pytest.mark.parametrize(
    ("cards", "dealer", "ante", "blind", "play"),
    [
        # dealer with a pair or better: NY-5324.36(e)(8)
        ("Ks 3h", "2s 4c", ("win", 1000, 1000, HIGHER), ("push", 0, 1000, HIGHER), ("win", 4000, 4000, HIGHER)),
        ("Ks 3h", "Kc Kh", ("lose", 0, 0, LOWER), ("lose", 0, 0, LOWER), ("lose", 0, 0, LOWER)),
        ("Ks 3h", "Kc 3d", ("push", 0, 1000, EQUAL), ("push", 0, 1000, EQUAL), ("push", 0, 4000, EQUAL)),
        # dealer below a pair: NY-5324.36(e)(7), also for one who loses
        (
            "As 3h",
            "Qs 4c",
            ("push", 0, 1000, "NY-5324.36(e)(7)"),
            ("push", 0, 1000, HIGHER),
            ("win", 4000, 4000, HIGHER),
        ),
        ("Qs 3h", "As 4c", ("push", 0, 1000, "NY-5324.36(e)(7)"), ("lose", 0, 0, LOWER), ("lose", 0, 0, LOWER)),
        (
            "As 4h",
            "Ac 3d",
            ("push", 0, 1000, "NY-5324.36(e)(7)"),
            ("push", 0, 1000, EQUAL),
            ("push", 0, 4000, EQUAL),
        ),
    ],
)
def test_ante_blind_and_play(cards: str, dealer: str, ante: object, blind: object, play: object) -> None:
    """NY-5324.36(e)(7), NY-5324.36(e)(8), NY-5324.36(e)(8)(i), NY-5324.36(e)(8)(ii), NY-5324.36(e)(8)(iii),
    NY-5324.36(f)(1): ante and play pay 1:1, NY-5324.36(b)(3): only the best five count."""
    answer = settle(UTH, {"3": at({"ante": 1000, "blind": 1000}, cards, "play 4x")}, dealer)
    assert outcomes(answer, "3") == {"ante": ante, "blind": blind, "play": play}


BOARDS = {
    "three of a kind": ("9s 9d", DRY, "2s 4c"),
    "straight": ("Td 8s", DRY, "2s 4c"),
    "flush": ("Ah 3h", ["2h", "7h", "9h", "Ts", "Kd"], "2s 4c"),
    "full house": ("9d Kh", ["2h", "7h", "9h", "9s", "Kd"], "2s 4c"),
    "four of a kind": ("9d 9c", ["2h", "7h", "9h", "9s", "Kd"], "2s 4c"),
    "straight flush": ("8h Jh", ["2c", "7h", "9h", "Th", "Kd"], "2s 4c"),
    "royal flush": ("Ah Kh", ["2h", "Jh", "Qh", "Th", "Kd"], "2s 4c"),
    "pair": ("Ks 3h", DRY, "2s 4c"),
}


@pytest.mark.parametrize(
    ("category", "odds"),
    [
        ("pair", {"A": None, "B": None}),
        ("three of a kind", {"A": None, "B": None}),
        ("straight", {"A": 1000, "B": None}),
        ("flush", {"A": 1500, "B": 1500}),
        ("full house", {"A": 3000, "B": 3000}),
        ("four of a kind", {"A": 10_000, "B": 10_000}),
        ("straight flush", {"A": 50_000, "B": 50_000}),
        ("royal flush", {"A": 500_000, "B": 500_000}),
    ],
)
@pytest.mark.parametrize("table", ["A", "B"])
def test_blind(category: str, odds: dict[str, int | None], table: str) -> None:
    """NY-5324.36(f)(2): by its table, not paid below a straight; NY-5324.36(b)(2)(i), NY-5324.36(b)(2)(ii),
    NY-5324.36(b)(2)(iii), NY-5324.36(b)(2)(iv), NY-5324.36(b)(2)(v), NY-5324.36(b)(2)(vi), NY-5324.36(b)(2)(vii),
    NY-5324.36(b)(2)(ix)."""
    cards, board, dealer = BOARDS[category]
    answer = settle(UTH, {"1": at({"ante": 1000, "blind": 1000}, cards, "play 4x")}, dealer, board, blind_table=table)
    assert answer["positions"]["1"]["category"] == category
    won = odds[table]
    blind = outcomes(answer, "1")["blind"]
    assert blind[:3] == (("push", 0, 1000) if won is None else ("win", won, 1000))


def test_a_blind_is_not_paid_on_a_hand_that_does_not_outrank_the_dealer() -> None:
    """NY-5324.36(a)(2)(v)(b), NY-5324.36(e)(8)(i): a flush that is beaten loses the blind."""
    answer = settle(
        UTH,
        {"1": at({"ante": 1000, "blind": 1000}, "3h 4h", "play 4x")},
        "Ah 5c",
        ["2h", "7h", "9h", "Th", "Kd"],
    )
    assert answer["positions"]["1"]["category"] == "flush"
    assert outcomes(answer, "1")["blind"][:3] == ("lose", 0, 0)


@pytest.mark.parametrize(
    ("category", "odds"),
    [
        ("pair", (0, 0, 0, 0)),
        ("three of a kind", (3, 3, 3, 3)),
        ("straight", (4, 5, 4, 5)),
        ("flush", (7, 6, 7, 6)),
        ("full house", (9, 8, 8, 7)),
        ("four of a kind", (30, 30, 30, 20)),
        ("straight flush", (40, 40, 40, 40)),
        ("royal flush", (50, 50, 50, 50)),
    ],
)
@pytest.mark.parametrize("folds", [True, False])
def test_trips(category: str, odds: tuple[int, ...], folds: bool) -> None:
    """NY-5324.36(f)(3), NY-5324.36(e)(8)(iv), NY-5324.36(c)(3): on the player's best five, whatever else happened;
    NY-5324.36(e)(5)(ii), NY-5324.36(e)(5)(ii)(a): after a fold too."""
    cards, board, dealer = BOARDS[category]
    actions = ["check", "check", "fold"] if folds else ["check", "play 2x"]
    for table, to_one in zip("ABCD", odds, strict=True):
        answer = settle(UTH, {"6": at(STAKES, cards, *actions)}, dealer, board, trips_table=table)
        expected = ("win", 500 * to_one, 500) if to_one else ("lose", 0, 0)
        assert outcomes(answer, "6")["trips"] == (*expected, "NY-5324.36(f)(3)")
        position = answer["positions"]["6"]
        assert (position["state"], position["category"]) == ("folded" if folds else "played", category)
        if folds:
            assert outcomes(answer, "6")["ante"] == ("lose", 0, 0, "NY-5324.36(e)(5)(ii)")
            assert outcomes(answer, "6")["blind"] == ("lose", 0, 0, "NY-5324.36(e)(5)(ii)")


@pytest.mark.parametrize(
    ("dealer", "board", "qualifies", "category"),
    [
        ("As 4c", DRY, False, "high card"),
        ("2s 4c", DRY, True, "pair"),
        ("9c Ts", ["5c", "6c", "7c", "2c", "Kd"], True, "flush"),
        ("8s Tc", DRY, True, "straight"),
    ],
)
def test_the_dealer_qualifies_with_a_pair_or_better(
    dealer: str, board: list[str], qualifies: bool, category: str
) -> None:
    """NY-5324.36(a)(2)(iv), NY-5324.36(e)(7); ruling 10.1: a straight or a flush without a pair qualifies."""
    answer = settle(UTH, {"1": at({"ante": 1000, "blind": 1000}, "3h 3d", "play 4x")}, dealer, board)
    assert (answer["dealer"]["qualifies"], answer["dealer"]["category"]) == (qualifies, category)


def test_a_folded_ante_is_lost_under_a_dealer_below_a_pair() -> None:
    """Ruling 10.1, NY-5324.36(e)(5)(ii): the ante that comes back by NY-5324.36(e)(7) is that of players still in."""
    answer = settle(
        UTH,
        {
            "1": at({"ante": 1000, "blind": 1000}, "Qs 3h", "check", "check", "fold"),
            "2": at({"ante": 1000, "blind": 1000}, "Qc 3d", "check", "check", "play 1x"),
        },
        "As 4c",
    )
    assert outcomes(answer, "1")["ante"][0] == "lose"
    assert outcomes(answer, "2")["ante"][0] == "push"


@pytest.mark.parametrize(
    ("blind", "won"), [(1, 2), (3, 5), (999, 1499), (1000, 1500), (1001, 1502), (10**12, 15 * 10**11)]
)
def test_half_a_cent_is_paid_as_a_whole_one(blind: int, won: int) -> None:
    """NY-5324.36(f)(2) at 3:2; ruling 10.11: no less than the odds."""
    cards, board, dealer = BOARDS["flush"]
    answer = settle(
        UTH, {"1": at({"ante": blind, "blind": blind}, cards, "play 3x")}, dealer, board, payout_limit=10**12
    )
    assert outcomes(answer, "1")["blind"][1] == min(won, 10**12 - blind)


def test_a_house_may_refuse_what_cannot_be_paid_exactly() -> None:
    """`rounding` "refuse": the wager is refused, whatever it would have won (ruling 10.11)."""
    error = refused(UTH, {"1": at({"ante": 1001, "blind": 1001}, "Ks 3h", "play 4x")}, "2s 4c", rounding="refuse")
    assert error.code == "wager-inexact"
    assert "1001" in error.text
    settle(UTH, {"1": at({"ante": 1002, "blind": 1002}, "Ks 3h", "play 4x")}, "2s 4c", rounding="refuse")


@pytest.mark.parametrize(
    "actions",
    [
        ["play 3x"],
        ["play 4x"],
        ["play 3000"],
        ["play 4000"],
        ["check", "play 2x"],
        ["check", "play 2000"],
        ["check", "check", "play 1x"],
        ["check", "check", "play 1000"],
        ["check", "check", "fold"],
    ],
)
def test_lawful_answers(actions: list[str]) -> None:
    """NY-5324.36(e)(1), NY-5324.36(e)(1)(i), NY-5324.36(e)(1)(ii), NY-5324.36(e)(3), NY-5324.36(e)(3)(i),
    NY-5324.36(e)(3)(ii), NY-5324.36(e)(5), NY-5324.36(e)(5)(i), NY-5324.36(a)(2)(v)(c): each at its own point."""
    answer = settle(UTH, {"4": at({"ante": 1000, "blind": 1000}, "Ks 3h", *actions)}, "2s 4c")
    last = actions[-1]
    if last == "fold":
        assert "play" not in answer["positions"]["4"]["wagers"]
    else:
        amount = last.split()[1]
        staked = 1000 * int(amount[0]) if amount.endswith("x") else int(amount)
        assert answer["positions"]["4"]["wagers"]["play"]["staked"] == staked


@pytest.mark.parametrize(
    "actions",
    [
        [],
        ["check"],
        ["check", "check"],
        ["fold"],
        ["check", "fold"],
        ["play 1x"],
        ["play 2x"],
        ["play 5x"],
        ["play 2999"],
        ["play 03000"],
        ["play +3000"],
        ["play 3000.0"],
        ["play 3e3"],
        ["play ３x"],
        ["play -3x"],
        ["play  3x"],
        ["play 3x "],
        [" play 3x"],
        ["Play 3x"],
        ["play 3X"],
        ["play"],
        ["play " + "9" * 5000],
        ["bet 3x"],
        [""],
        ["check", "play 3x"],
        ["check", "play 1x"],
        ["check", "check", "check"],
        ["check", "check", "play 2x"],
        ["check", "check", "play 1x", "check"],
        ["check", "check", "fold", "play 1x"],
        ["play 4x", "check"],
        ["play 4x", "play 2x"],
        ["check", "play 2x", "play 1x"],
        ["check", "play 2x", "fold"],
        [["play 3x"]],
        [3000],
        [None],
    ],
)
def test_answers_that_are_not_allowed(actions: list[Any]) -> None:
    """NY-5324.36(e)(1), NY-5324.36(e)(3), NY-5324.36(e)(5), NY-5324.36(c)(4); ruling 10.2: no fold before the river."""
    error = refused(UTH, {"4": at({"ante": 1000, "blind": 1000}, "Ks 3h", *actions)}, "2s 4c")
    assert error.code in ("action", "action-missing")
    assert "4" in error.text
    assert len(error.text) < 400


@pytest.mark.parametrize(
    ("wagers", "cites"),
    [
        ({"ante": 1000}, "NY-5324.36(c)(3)"),
        ({"blind": 1000}, "NY-5324.36(c)(3)"),
        ({"trips": 1000}, "NY-5324.36(c)(3)"),
        ({"ante": 1000, "trips": 500}, "NY-5324.36(c)(3)"),
        ({"blind": 1000, "trips": 500}, "NY-5324.36(c)(3)"),
        ({"ante": 1000, "blind": 2000}, "NY-5324.36(a)(2)(i)"),
        ({"ante": 1000, "blind": 1000, "play": 1000}, "NY-5324.36(c)(4)"),
        ({"ante": 0, "blind": 0}, "NY-5324.36(c)(1)"),
        ({"ante": -1000, "blind": -1000}, "NY-5324.36(c)(1)"),
        ({"ante": 10.5, "blind": 10.5}, "NY-5324.36(c)(1)"),
        ({"ante": 1000.0, "blind": 1000.0}, "NY-5324.36(c)(1)"),
        ({"ante": True, "blind": True}, "NY-5324.36(c)(1)"),
        ({"ante": "1000", "blind": "1000"}, "NY-5324.36(c)(1)"),
        ({"ante": None, "blind": None}, "NY-5324.36(c)(1)"),
        ({"ante": [1000], "blind": [1000]}, "NY-5324.36(c)(1)"),
        ({"ante": 10**12 + 1, "blind": 10**12 + 1}, "NY-5324.36(c)(1)"),
        ({"ante": 10**4000, "blind": 10**4000}, "NY-5324.36(c)(1)"),
        ({"ante": 1000, "blind": 1000, "bonus": 100}, None),
        ({}, None),
    ],
)
def test_wagers_that_are_not_allowed(wagers: dict[str, Any], cites: str | None) -> None:
    """NY-5324.36(c)(1), NY-5324.36(c)(3), NY-5324.36(c)(4), NY-5324.36(a)(2)(i)."""
    error = refused(UTH, {"4": at(wagers, "Ks 3h", "play 4x")}, "2s 4c")
    assert error.cites == cites
    assert len(error.text) < 400


@pytest.mark.parametrize("card", ["10h", "as", "1s", "A♠", "As ", " As", "AS", "", "A", "sA", 5, None, ["As"], "0s"])
@pytest.mark.parametrize("place", ["positions['4'].cards[1]", "dealer[0]", "board[4]"])
def test_a_wrong_card_is_quoted_with_its_place(card: object, place: str) -> None:
    """Cards are two characters; any other spelling is refused with the value quoted."""
    hand = at({"ante": 1000, "blind": 1000}, "Ks 3h", "play 4x")
    dealer, board = ["2s", "4c"], list(DRY)
    cards: Any = {"p": hand["cards"], "d": dealer, "b": board}[place[0]]
    cards[int(place[-2])] = card
    with pytest.raises(CardshoeError) as caught:
        settled({"game": UTH, "positions": {"4": hand}, "dealer": dealer, "board": board})
    assert caught.value.code == "card-spelling"
    assert place in caught.value.text
    if isinstance(card, str):
        assert repr(card) in caught.value.text


@pytest.mark.parametrize(
    ("cards", "dealer", "board"),
    [
        ("Ks Ks", "2s 4c", DRY),
        ("2s 3h", "2s 4c", DRY),
        ("Kd 3h", "2s 4c", DRY),
        ("Ks 3h", "2c 4c", DRY),
        ("Ks 3h", "4c 4c", DRY),
        ("Ks 3h", "2s 4c", ["2c", "7d", "9h", "Js", "2c"]),
    ],
)
def test_a_card_seen_twice_is_refused(cards: str, dealer: str, board: list[str]) -> None:
    """A card is in one place only; the refusal names it and both places."""
    error = refused(UTH, {"4": at({"ante": 1000, "blind": 1000}, cards, "play 4x")}, dealer, board)
    assert error.code == "duplicate-card"


@pytest.mark.parametrize(
    ("cards", "dealer", "board"),
    [
        ("Ks", "2s 4c", DRY),
        ("Ks 3h 5h", "2s 4c", DRY),
        ("", "2s 4c", DRY),
        ("Ks 3h", "2s", DRY),
        ("Ks 3h", "2s 4c 6c", DRY),
        ("Ks 3h", "2s 4c", DRY[:4]),
        ("Ks 3h", "2s 4c", []),
        ("Ks 3h", "2s 4c", [*DRY, "5c"]),
    ],
)
def test_a_wrong_number_of_cards_is_refused(cards: str, dealer: str, board: list[str]) -> None:
    """Two cards a hand and the dealer, five on the board."""
    error = refused(UTH, {"4": at({"ante": 1000, "blind": 1000}, cards, "play 4x")}, dealer, board)
    assert error.code == "card-count"


def test_the_order_of_settlement() -> None:
    """NY-5324.36(e)(7), NY-5324.36(e)(8): from the far right; ruling 10.8: folded hands that wait come after."""
    fold = ("check", "check", "fold")
    answer = settle(
        UTH,
        {
            "5": at(STAKES, "Td Qc", *fold),
            "1": at(STAKES, "Ks 3h", "play 4x"),
            "3": at({"ante": 1000, "blind": 1000}, "5h 6h", *fold),
            "2": at(STAKES, "5s 6s", *fold),
            "6": at(STAKES, "8s 8d", "check", "play 2x"),
        },
        "2s 4c",
    )
    assert answer["settled_in_order"] == ["6", "1", "5", "2"]
    assert list(answer["positions"]) == ["1", "2", "3", "5", "6"]
    assert answer["positions"]["3"] == {
        **answer["positions"]["3"],
        "state": "folded",
        "category": None,
        "best": None,
        "won": 0,
    }


def test_a_round_that_ends_with_nobody_left_ranks_no_hand() -> None:
    """Ruling 10.12: with no live hand and no waiting wager the round ends there."""
    wagers = {"ante": 1000, "blind": 1000}
    answer = settle(UTH, {"3": at(wagers, "5h 6h", "check", "check", "fold")}, "2s 4c")
    assert answer["dealer"] is None
    assert answer["settled_in_order"] == []
    assert answer["voided"] is False
    thb = settle(THB, {"3": at({"ante": 1000}, "5h 6h", "fold")}, "2s 4c", [])
    assert outcomes(thb, "3") == {"ante": ("lose", 0, 0, "NY-5324.35(e)(1)(ii)")}


# --- Ultimate: irregularities ----------------------------------------------------------------------------------------

EXPOSED = {"kind": "dealer_card_exposed", "before_decisions_done": True}
FACE_UP = {"kind": "card_found_face_up", "after_initial_deal": True}
FAULT = {"kind": "device_fault", "affects_outcome": True}


def count(who: str, cards: int, *, repairable: bool) -> dict[str, object]:
    """A wrong number of cards."""
    return {"kind": "wrong_card_count", "who": who, "cards": cards, "repairable_in_sequence": repairable}


def ruling(who: str, outcome: str) -> dict[str, object]:
    """A floor ruling."""
    return {"kind": "floor_ruling", "who": who, "outcome": outcome}


@pytest.mark.parametrize(
    ("irregularity", "void_cites", "trips_cites"),
    [
        (EXPOSED, "NY-5324.36(h)(1)", "NY-5324.36(h)(2)(i)"),
        (FACE_UP, "NY-5324.36(h)(2)(ii)", "NY-5324.36(h)(2)(ii)"),
    ],
)
def test_hands_void_but_trips_settled(irregularity: dict[str, object], void_cites: str, trips_cites: str) -> None:
    """NY-5324.36(h)(1), NY-5324.36(h)(2)(i), NY-5324.36(h)(2)(ii); rulings 10.4, 10.5: wagers of one who folded come
    back too, a losing trips loses, void hands are not listed, the dealer is not ranked."""
    answer = settle(
        UTH,
        {
            "1": at(STAKES, "9s 9d", "play 4x"),
            "2": at(STAKES, "Ks 3h", "check", "check", "fold"),
            "3": at({"ante": 1000, "blind": 1000}, "5h 6h"),
        },
        "",
        DRY,
        irregularity,
    )
    void = ("void", 0, 1000, void_cites)
    assert outcomes(answer, "1") == {
        "ante": void,
        "blind": void,
        "play": ("void", 0, 4000, void_cites),
        "trips": ("win", 1500, 500, trips_cites),
    }
    assert outcomes(answer, "2") == {"ante": void, "blind": void, "trips": ("lose", 0, 0, trips_cites)}
    assert outcomes(answer, "3") == {"ante": void, "blind": void}
    assert [answer["positions"][at_]["state"] for at_ in "123"] == ["void"] * 3
    assert answer["positions"]["1"]["category"] == "three of a kind"
    assert answer["positions"]["3"]["category"] is None
    assert answer["dealer"] is None
    assert answer["settled_in_order"] == []
    assert answer["voided"] is True


def test_a_short_board_is_enough_where_nothing_is_settled_on_it() -> None:
    """`board` may be short where everything is void and no trips is settled; with trips it may not."""
    plain = {"3": at({"ante": 1000, "blind": 1000}, "5h 6h")}
    for length in range(6):
        answer = settle(UTH, plain, "", DRY[:length], EXPOSED)
        assert answer["voided"] is True
    assert refused(UTH, {"3": at(STAKES, "5h 6h")}, "", DRY[:4], EXPOSED).code == "card-count"


def test_an_exposure_after_the_last_decision_changes_nothing() -> None:
    """Ruling 10.4: when every position has acted, an exposed dealer card changes nothing (NY-5324.36(h)(1))."""
    late = {**EXPOSED, "before_decisions_done": False}
    positions = {"1": at(STAKES, "9s 9d", "play 4x")}
    assert settle(UTH, positions, "2s 4c", DRY, late) == settle(UTH, positions, "2s 4c")
    assert refused(UTH, {"1": at(STAKES, "9s 9d", "check")}, "2s 4c", DRY, late).code == "action-missing"


@pytest.mark.parametrize("cards", [0, 1, 3, 4])
def test_a_player_with_a_wrong_number_of_cards(cards: int) -> None:
    """NY-5324.36(h)(3): that hand is void, its trips with it (ruling 10.6); the others play on."""
    listed = " ".join(["5h", "6h", "7h", "8h"][:cards])
    answer = settle(
        UTH,
        {"1": at(STAKES, "9s 9d", "play 4x"), "2": at(STAKES, listed)},
        "2s 4c",
        DRY,
        count("2", cards, repairable=True),
    )
    void = "NY-5324.36(h)(3)"
    assert outcomes(answer, "2") == {
        "ante": ("void", 0, 1000, void),
        "blind": ("void", 0, 1000, void),
        "trips": ("void", 0, 500, void),
    }
    assert outcomes(answer, "1")["play"][0] == "win"
    assert answer["settled_in_order"] == ["1"]
    assert answer["voided"] is False
    alone = settle(UTH, {"2": at(STAKES, listed)}, "", [], count("2", cards, repairable=False))
    assert alone["voided"] is True


@pytest.mark.parametrize(
    ("cards", "repairable", "stands"), [(1, True, True), (1, False, False), (3, True, False), (3, False, False)]
)
def test_a_dealer_with_a_wrong_number_of_cards(cards: int, repairable: bool, stands: bool) -> None:
    """NY-5324.36(h)(3): all void unless the right cards can be dealt in sequence; too many never can (ruling 10.6)."""
    answer = settle(
        UTH,
        {"1": at(STAKES, "9s 9d", "play 4x")},
        "2s 4c",
        DRY,
        count("dealer", cards, repairable=repairable),
    )
    if stands:
        assert answer == settle(UTH, {"1": at(STAKES, "9s 9d", "play 4x")}, "2s 4c")
        return
    assert answer["voided"] is True
    assert outcomes(answer, "1") == {
        "ante": ("void", 0, 1000, "NY-5324.36(h)(3)"),
        "blind": ("void", 0, 1000, "NY-5324.36(h)(3)"),
        "play": ("void", 0, 4000, "NY-5324.36(h)(3)"),
        "trips": ("void", 0, 500, "NY-5324.36(h)(3)"),
    }


@pytest.mark.parametrize("first", [True, False])
def test_one_void_on_another(first: bool) -> None:
    """NY-5324.36(h)(1) saves trips, NY-5324.36(h)(3) does not: the hand with the wrong count loses its saving."""
    two = [EXPOSED, count("2", 1, repairable=False)]
    answer = settle(
        UTH,
        {"1": at(STAKES, "9s 9d"), "2": at(STAKES, "5h")},
        "",
        DRY,
        *(two if first else reversed(two)),
    )
    assert outcomes(answer, "1")["trips"] == ("win", 1500, 500, "NY-5324.36(h)(2)(i)")
    assert outcomes(answer, "2")["trips"][:3] == ("void", 0, 500)


def test_a_device_fault_that_affects_the_outcome() -> None:
    """Every wager is void and returned, trips too, in every game; one that does not changes nothing."""
    positions = {"1": at(STAKES, "9s 9d", "play 4x"), "2": at(STAKES, "Ks 3h", "check")}
    answer = settle(UTH, positions, "", [], FAULT)
    assert answer["voided"] is True
    assert {each for position in "12" for each in outcomes(answer, position).values()} == {
        ("void", 0, 1000, None),
        ("void", 0, 4000, None),
        ("void", 0, 500, None),
    }
    harmless = {**FAULT, "affects_outcome": False}
    whole = {"1": positions["1"]}
    assert settle(UTH, whole, "2s 4c", DRY, harmless) == settle(UTH, whole, "2s 4c")
    assert settle(UTH, positions, "", [], FAULT, EXPOSED)["positions"]["1"]["wagers"]["trips"]["outcome"] == "void"


def test_the_floor_rules_where_the_text_is_silent_and_never_against_it() -> None:
    """`floor_ruling` beside NY-5324.36(h)(1): void stays void, trips stays saved; "stands" is refused."""
    positions = {"1": at(STAKES, "9s 9d", "play 4x"), "2": at(STAKES, "Ks 3h", "play 4x")}
    one = settle(UTH, positions, "2s 4c", DRY, ruling("2", "void"))
    assert [one["positions"][each]["state"] for each in "12"] == ["played", "void"]
    assert outcomes(one, "2")["trips"] == ("void", 0, 500, None)
    assert settle(UTH, positions, "2s 4c", DRY, ruling("all", "stands")) == settle(UTH, positions, "2s 4c")
    every = settle(UTH, positions, "", [], ruling("all", "void"))
    assert every["voided"] is True
    both = settle(UTH, positions, "", DRY, EXPOSED, ruling("all", "void"))
    assert outcomes(both, "1")["trips"] == ("win", 1500, 500, "NY-5324.36(h)(2)(i)")
    error = refused(UTH, positions, "2s 4c", DRY, EXPOSED, ruling("all", "stands"))
    assert (error.code, error.cites) == ("ruling", "NY-5324.36(h)(1)")
    exception = settle(UTH, positions, "2s 4c", DRY, ruling("all", "void"), ruling("2", "stands"))
    assert [exception["positions"][each]["state"] for each in "12"] == ["void", "played"]
    assert refused(UTH, positions, "2s 4c", DRY, ruling("2", "void"), ruling("2", "stands")).code == "ruling"


def test_a_card_found_face_up_before_the_deal_is_complete_is_for_the_floor() -> None:
    """NY-5324.36(h)(2)(ii) speaks of cards found after the initial deal; before it the text is silent."""
    positions = {"1": at(STAKES, "9s 9d", "play 4x")}
    early = {**FACE_UP, "after_initial_deal": False}
    assert refused(UTH, positions, "2s 4c", DRY, early).code == "ruling-missing"
    assert settle(UTH, positions, "2s 4c", DRY, early, ruling("all", "stands"))["voided"] is False
    assert settle(UTH, positions, "2s 4c", DRY, early, ruling("all", "void"))["voided"] is True


@pytest.mark.parametrize("game", [THB, TCP])
@pytest.mark.parametrize(
    "irregularity", [EXPOSED, {**EXPOSED, "before_decisions_done": False}, FACE_UP, "count", "dealer"]
)
def test_silent_texts_need_a_ruling(game: str, irregularity: Any) -> None:
    """The bonus game and three-card poker have no irregularities: a floor ruling beside, else the line is refused."""
    tcp = game == TCP
    hand = at({"ante": 1000}, "Ks 3h 5c" if tcp else "Ks 3h", *(["play"] if tcp else ["flop 100", "check", "check"]))
    dealer, board = ("Qs 4c 6d", []) if tcp else ("2s 4c", DRY)
    if isinstance(irregularity, str):
        irregularity = count("1" if irregularity == "count" else "dealer", 1, repairable=True)
    assert refused(game, {"1": hand}, dealer, board, irregularity).code == "ruling-missing"
    stands = settle(game, {"1": hand}, dealer, board, irregularity, ruling("all", "stands"))
    assert stands == settle(game, {"1": hand}, dealer, board)
    void = settle(game, {"1": hand}, "", [], irregularity, ruling("all", "void"))
    assert {each[0] for each in outcomes(void, "1").values()} == {"void"}
    assert {each[3] for each in outcomes(void, "1").values()} == {None}
    faulty = settle(game, {"1": hand}, "", [], irregularity, ruling("all", "stands"), FAULT)
    assert faulty["voided"] is True


def test_a_ruling_on_another_hand_is_no_ruling() -> None:
    """A wrong count at position 1 is ruled by a ruling on 1 or on all."""
    hands = {each: at({"ante": 1000}, cards, "fold") for each, cards in (("1", "Ks 3h"), ("2", "5s 6s"))}
    bad = count("1", 1, repairable=False)
    assert refused(THB, hands, "2s 4c", [], bad, ruling("2", "void")).code == "ruling-missing"
    assert settle(THB, hands, "2s 4c", [], bad, ruling("1", "void"))["positions"]["1"]["state"] == "void"


@pytest.mark.parametrize(
    "irregularity",
    [
        {},
        {"kind": "earthquake"},
        {"kind": "dealer_card_exposed"},
        {"kind": "dealer_card_exposed", "before_decisions_done": 1},
        {"kind": "card_found_face_up", "after_initial_deal": "yes"},
        {"kind": "wrong_card_count", "who": "dealer", "cards": 1},
        {"kind": "wrong_card_count", "who": "1", "cards": 2, "repairable_in_sequence": False},
        {"kind": "wrong_card_count", "who": "1", "cards": True, "repairable_in_sequence": False},
        {"kind": "wrong_card_count", "who": "1", "cards": 53, "repairable_in_sequence": False},
        {"kind": "wrong_card_count", "who": "7", "cards": 1, "repairable_in_sequence": False},
        {"kind": "wrong_card_count", "who": "2", "cards": 1, "repairable_in_sequence": False},
        {"kind": "floor_ruling", "who": "dealer", "outcome": "void"},
        {"kind": "floor_ruling", "who": "all", "outcome": "maybe"},
        {"kind": "device_fault", "affects_outcome": None},
        "device_fault",
    ],
)
def test_irregularities_that_cannot_be_read(irregularity: Any) -> None:
    """Refused by value and place."""
    with pytest.raises(CardshoeError) as caught:
        settle(UTH, {"1": at(STAKES, "9s 9d", "play 4x")}, "2s 4c", DRY, irregularity)
    assert "irregularities[0]" in caught.value.text


# --- the aggregate limit ---------------------------------------------------------------------------------------------


def test_the_limit_cuts_the_last_settled_wagers() -> None:
    """NY-5324.36(f)(4): winnings of a hand together; the stakes come back outside it (ruling 10.7)."""
    cards, board, dealer = BOARDS["royal flush"]
    stakes = {"ante": 10_000, "blind": 10_000, "trips": 10_000}
    answer = settle(UTH, {"1": at(stakes, cards, "play 4x")}, dealer, board)
    position = answer["positions"]["1"]
    assert (position["won"], position["limited"], position["returned"]) == (5_000_000, True, 70_000)
    won = {name: each["won"] for name, each in position["wagers"].items()}
    assert won == {"ante": 10_000, "blind": 4_990_000, "play": 0, "trips": 0}
    assert {each["outcome"] for each in position["wagers"].values()} == {"win"}


@pytest.mark.parametrize(
    ("minimum", "limit"),
    [
        (None, 5_000_000),
        (10_000, 10_000 * 555),
        ({"ante": 10_000, "blind": 10_000, "trips": 500}, 10_000 * 505 + 500 * 50),
        ({"ante": 10_000, "blind": 10_000}, 10_000 * 505),
        ({"ante": 10_000}, 10_000 * 505),
        ({"blind": 10_000}, 10_000 * 505),
        ({"trips": 200_000}, 200_000 * 50),
        ({"ante": 100}, 5_000_000),
        (0, 5_000_000),
    ],
)
def test_the_limit_of_ultimate(minimum: object, limit: int) -> None:
    """NY-5324.36(f)(4), ruling 10.7: ante + 500 × blind + 4 × ante + 50 × trips, each at its own minimum."""
    cards, board, dealer = BOARDS["royal flush"]
    stakes = {"ante": 1_000_000, "blind": 1_000_000}
    answer = settle(UTH, {"1": at(stakes, cards, "play 4x")}, dealer, board, minimum_wager=minimum)
    assert answer["positions"]["1"]["won"] == limit


@pytest.mark.parametrize(
    ("house", "limit"),
    [
        ({}, 5_000_000),
        ({"minimum_wager": {"ante": 1000, "bonus": 10_000}}, 5 * 1000 + 1000 * 10_000),
        ({"minimum_wager": {"ante": 1000, "bonus": 10_000}, "bonus_pays_both_aces": False}, 5_000_000),
        ({"minimum_wager": {"ante": 1000, "bonus": 200_000}, "bonus_pays_both_aces": False}, 5000 + 30 * 200_000),
        ({"minimum_wager": 10_000}, 5 * 10_000 + 1000 * 10_000),
        ({"payout_limit": 6_000_000}, 6_000_000),
    ],
)
def test_the_limit_of_the_bonus_game(house: dict[str, object], limit: int) -> None:
    """NY-5324.35(f)(3), ruling 10.7: 5 × ante + 1,000 × bonus, or 30 × without the optional row."""
    hand = at({"ante": 2_000_000, "bonus": 1_000_000}, "As Ad", "flop 4000000", "turn 2000000", "river 2000000")
    answer = settle(THB, {"1": hand}, "Ac Ah", ["3s", "4s", "8s", "8h", "Ks"], **house)
    assert answer["positions"]["1"]["won"] == limit
    assert answer["positions"]["1"]["limited"] is True


def test_a_limit_below_the_regulation_is_refused() -> None:
    """NY-5324.36(f)(4): `payout_limit` may be higher, never lower, also where the minimum stakes raise it."""
    hand = {"1": at(STAKES, "9s 9d", "play 4x")}
    error = refused(UTH, hand, "2s 4c", payout_limit=4_999_999)
    assert (error.code, error.cites) == ("house-limit", "NY-5324.36(f)(4)")
    settle(UTH, hand, "2s 4c", payout_limit=5_000_000)
    assert refused(UTH, hand, "2s 4c", payout_limit=5_000_000, minimum_wager=10_000).code == "house-limit"
    assert refused(UTH, hand, "2s 4c", payout_limit="5000000").code == "amount"
    tcp = {"1": at({"ante": 1000}, "Ks 3h 5c", "play")}
    assert settle(TCP, tcp, "2s 4c 6d", [], payout_limit=500)["positions"]["1"] == {
        **settle(TCP, tcp, "2s 4c 6d", [])["positions"]["1"],
        "won": 500,
        "limited": True,
        "wagers": {
            "ante": {"staked": 1000, "outcome": "win", "won": 500, "returned": 1000, "cites": None},
            "play": {"staked": 1000, "outcome": "push", "won": 0, "returned": 1000, "cites": None},
        },
    }
    assert (
        settle(TCP, {"1": at({"ante": 10**9}, "As Ks Qs", "play")}, "2s 4c 6d", [])["positions"]["1"]["limited"]
        is False
    )


def test_settle_takes_wagers_below_the_minimum_of_the_house() -> None:
    """`minimum_wager` serves `settle` for the limit only; the $1 of the bonus always holds (NY-5324.35(c)(3))."""
    settle(UTH, {"1": at(STAKES, "9s 9d", "play 4x")}, "2s 4c", minimum_wager=100_000)
    error = refused(THB, {"1": at({"ante": 1000, "bonus": 99}, "9s 9d", "fold")}, "2s 4c")
    assert (error.code, error.cites) == ("wager-minimum", "NY-5324.35(c)(3)")
    settle(THB, {"1": at({"ante": 1, "bonus": 100}, "9s 9d", "fold")}, "2s 4c")


# --- Texas hold 'em bonus --------------------------------------------------------------------------------------------

T_HIGHER, T_LOWER, T_EQUAL = "NY-5324.35(e)(8)(ii)", "NY-5324.35(e)(8)(i)", "NY-5324.35(e)(8)(iii)"


@pytest.mark.parametrize(
    ("category", "pays"),
    [
        ("pair", {"straight": False, "flush": False}),
        ("three of a kind", {"straight": False, "flush": False}),
        ("straight", {"straight": True, "flush": False}),
        ("flush", {"straight": True, "flush": True}),
        ("full house", {"straight": True, "flush": True}),
        ("four of a kind", {"straight": True, "flush": True}),
        ("straight flush", {"straight": True, "flush": True}),
        ("royal flush", {"straight": True, "flush": True}),
    ],
)
@pytest.mark.parametrize("qualifier", ["straight", "flush"])
def test_the_ante_is_paid_on_the_inscribed_rank_only(category: str, pays: dict[str, bool], qualifier: str) -> None:
    """NY-5324.35(a)(2)(vi), NY-5324.35(e)(8)(ii), NY-5324.35(f)(1); ruling 10.3: a winning ante below it comes back."""
    cards, board, dealer = BOARDS[category]
    hand = at({"ante": 1000}, cards, "flop 2000", "turn 300", "river 1")
    answer = settle(THB, {"1": hand}, dealer, board, ante_qualifier=qualifier)
    assert outcomes(answer, "1") == {
        "ante": ("win" if pays[qualifier] else "push", 1000 if pays[qualifier] else 0, 1000, T_HIGHER),
        "flop": ("win", 2000, 2000, T_HIGHER),
        "turn": ("win", 300, 300, T_HIGHER),
        "river": ("win", 1, 1, T_HIGHER),
    }
    assert answer["dealer"]["qualifies"] is None


@pytest.mark.parametrize(("dealer", "outcome", "cites"), [("Kc Kh", "lose", T_LOWER), ("Kc 3d", "push", T_EQUAL)])
def test_lower_and_equal_in_the_bonus_game(dealer: str, outcome: str, cites: str) -> None:
    """NY-5324.35(e)(8)(i): all lose; NY-5324.35(e)(8)(iii): all push; NY-5324.35(b)(3)."""
    hand = at({"ante": 1000}, "Ks 3h", "flop 2000", "check", "river 1000")
    answer = settle(THB, {"1": hand}, dealer)
    assert {(each[0], each[3]) for each in outcomes(answer, "1").values()} == {(outcome, cites)}
    assert set(outcomes(answer, "1")) == {"ante", "flop", "river"}


BONUS = [
    ("2s 2d", 3),
    ("Ts Td", 3),
    ("As Qd", 5),
    ("Jd As", 5),
    ("Js Jd", 10),
    ("Qs Qd", 10),
    ("Ks Kc", 10),
    ("Kc As", 15),
    ("As Qs", 20),
    ("Js As", 20),
    ("As Ks", 25),
    ("Ks 2s", 0),
    ("Ks Qs", 0),
    ("As Ts", 0),
    ("As 2d", 0),
    ("Js Ts", 0),
]


@pytest.mark.parametrize(("cards", "to_one"), BONUS)
@pytest.mark.parametrize("folds", [True, False])
def test_bonus(cards: str, to_one: int, folds: bool) -> None:
    """NY-5324.35(f)(2), NY-5324.35(e)(8)(iv), NY-5324.35(c)(3): on the two cards, whatever else happened;
    NY-5324.35(e)(1)(ii)(a): after a fold too. Ruling 1: 25:1 is ace-king suited, no other suited king."""
    actions = ["fold"] if folds else ["flop 100", "check", "check"]
    answer = settle(
        THB, {"5": at({"ante": 1000, "bonus": 300}, cards, *actions)}, "6c 7h", ["3c", "4c", "8h", "8c", "5h"]
    )
    expected = ("win", 300 * to_one, 300) if to_one else ("lose", 0, 0)
    assert outcomes(answer, "5")["bonus"] == (*expected, "NY-5324.35(f)(2)")  # the table decides, as it does for trips
    assert answer["settled_in_order"] == ["5"]


@pytest.mark.parametrize(
    ("dealer", "offered", "to_one"),
    [("Ac Ah", True, 1000), ("Ac Ah", False, 30), ("Ac Kh", True, 30), ("Kc Kh", True, 30)],
)
def test_both_aces(dealer: str, offered: bool, to_one: int) -> None:
    """NY-5324.35(f)(2): player and dealer ace-ace 1,000:1 where the house offers it, else 30:1."""
    hand = at({"ante": 1000, "bonus": 100}, "As Ad", "fold")
    answer = settle(THB, {"5": hand}, dealer, ["3c", "4c", "8h", "8c", "5h"], bonus_pays_both_aces=offered)
    assert outcomes(answer, "5")["bonus"] == ("win", 100 * to_one, 100, "NY-5324.35(f)(2)")


@pytest.mark.parametrize(
    "actions",
    [
        [],
        ["check"],
        ["flop"],
        ["flop 0"],
        ["flop -5"],
        ["flop 2000.5"],
        ["flop 2x"],
        ["turn 100"],
        ["flop 100"],
        ["flop 100", "fold"],
        ["flop 100", "river 100", "check"],
        ["flop 100", "check", "turn 100"],
        ["flop 100", "check"],
        ["flop 100", "check", "check", "check"],
        ["flop 100", "check", "fold"],
        ["fold", "check"],
        ["flop 100", "flop 100", "check"],
        ["flop 1000000000001", "check", "check"],
    ],
)
def test_answers_that_the_bonus_game_does_not_allow(actions: list[str]) -> None:
    """NY-5324.35(e)(1), NY-5324.35(e)(3), NY-5324.35(e)(5), NY-5324.35(c)(4); ruling 10.2."""
    error = refused(THB, {"2": at({"ante": 1000}, "Ks 3h", *actions)}, "2s 4c")
    assert error.code in ("action", "action-missing")


def test_the_multiples_of_the_house() -> None:
    """Ruling 6: any amount, unless the house sets a multiple of the ante (NY-5324.35(e)(1)(i))."""
    house = {"flop_multiple": 2, "turn_multiple": None, "river_multiple": 1}
    hand = at({"ante": 1000}, "Ks 3h", "flop 2000", "turn 7", "river 1000")
    settle(THB, {"2": hand}, "2s 4c", **house)
    for actions in (["flop 1999", "check", "check"], ["flop 2000", "check", "river 999"]):
        assert refused(THB, {"2": at({"ante": 1000}, "Ks 3h", *actions)}, "2s 4c", **house).code == "action"


# --- three-card poker ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "dealer", "ante", "play", "bonus"),
    [
        ("Ks 3h 5c", "Qs 4c 6d", ("win", 1000, 1000), ("win", 1000, 1000), 0),
        ("Js 3h 5c", "Qs 4c 6d", ("lose", 0, 0), ("lose", 0, 0), 0),
        ("Qh 4h 6c", "Qs 4c 6d", ("push", 0, 1000), ("push", 0, 1000), 0),
        # dealer below queen high: the ante wins, the play wager comes back, also against a lower hand
        ("Ks 3h 5c", "Js 4c 6d", ("win", 1000, 1000), ("push", 0, 1000), 0),
        ("2s 3h 5c", "Js 4c 6d", ("win", 1000, 1000), ("push", 0, 1000), 0),
        # the ante bonus, an entry of its own, whatever the dealer holds
        ("4s 5h 6c", "Qs 4c 6d", ("win", 1000, 1000), ("win", 1000, 1000), 1000),
        ("4s 5h 6s", "7d 8c 9h", ("lose", 0, 0), ("lose", 0, 0), 1000),
        ("7s 8h 9s", "7d 8c 9h", ("push", 0, 1000), ("push", 0, 1000), 1000),
        ("7s 7h 7c", "Js 4c 6d", ("win", 1000, 1000), ("push", 0, 1000), 4000),
        ("7s 8s 9s", "Qs 4c 6d", ("win", 1000, 1000), ("win", 1000, 1000), 5000),
        ("As 2h 3c", "Qs 4c 6d", ("win", 1000, 1000), ("win", 1000, 1000), 1000),
        ("As 2s 9s", "Qs 4c 6d", ("win", 1000, 1000), ("win", 1000, 1000), 0),
    ],
)
def test_three_card_poker_main_game(cards: str, dealer: str, ante: object, play: object, bonus: int) -> None:
    """N.J.A.C. 13:69F-20.3 and the operators' base game: no clause is cited."""
    answer = settle(TCP, {"1": at({"ante": 1000}, cards, "play")}, dealer, [])
    position = answer["positions"]["1"]
    given = outcomes(answer, "1")
    assert (given["ante"][:3], given["play"][:3]) == (ante, play)
    assert {each[3] for each in given.values()} == {None}
    if bonus:
        assert position["wagers"]["ante_bonus"] == {
            "staked": 0,
            "outcome": "win",
            "won": bonus,
            "returned": 0,
            "cites": None,
        }
    else:
        assert "ante_bonus" not in given
    assert position["won"] == sum(each[1] for each in given.values())
    assert position["returned"] == sum(each[2] for each in given.values())


def test_a_folded_or_void_hand_earns_no_ante_bonus() -> None:
    """The ante bonus is earned by an ante that was played."""
    fold = settle(TCP, {"1": at({"ante": 1000}, "4s 5h 6c", "fold")}, "Qs 4c 6d", [])
    assert set(outcomes(fold, "1")) == {"ante"}
    void = settle(TCP, {"1": at({"ante": 1000}, "4s 5h 6c", "play")}, "", [], FAULT)
    assert set(outcomes(void, "1")) == {"ante", "play"}


@pytest.mark.parametrize(
    ("dealer", "qualifies"), [("Qs 2c 3d", True), ("Js Tc 8d", False), ("2s 2c 3d", True), ("2s 3s 5s", True)]
)
def test_the_dealer_of_three_card_poker_qualifies_with_queen_high(dealer: str, qualifies: bool) -> None:
    """Queen high or better (handbook section 3)."""
    answer = settle(TCP, {"1": at({"ante": 1000}, "Ks 7h 5c", "play")}, dealer, [])
    assert answer["dealer"]["qualifies"] is qualifies


@pytest.mark.parametrize(
    ("cards", "odds"),
    [
        ("7s 8s 9s", {"40-30-6-4-1": 40, "35-25-5-3-1": 35}),
        ("7s 7h 7c", {"40-30-6-4-1": 30, "40-25-6-4-1": 25}),
        ("4s 5h 6c", {"40-30-6-4-1": 6, "40-30-5-4-1": 5}),
        ("As 2s 9s", {"40-30-6-4-1": 4, "35-25-5-3-1": 3}),
        ("As Ad 9s", {"40-30-6-4-1": 1}),
        ("As Kd 9s", {"40-30-6-4-1": 0}),
    ],
)
def test_pair_plus(cards: str, odds: dict[str, int]) -> None:
    """Pair plus on the player's own three cards, with and without an ante."""
    for table, to_one in odds.items():
        for wagers, actions in (({"pair_plus": 500}, []), ({"ante": 1000, "pair_plus": 500}, ["play"])):
            answer = settle(TCP, {"1": at(wagers, cards, *actions)}, "Qh 4c 6d", [], pair_plus_table=table)
            expected = ("win", 500 * to_one, 500) if to_one else ("lose", 0, 0)
            assert outcomes(answer, "1")["pair_plus"][:3] == expected
            assert answer["positions"]["1"]["state"] == "played"
            assert answer["settled_in_order"] == ["1"]


@pytest.mark.parametrize(("option", "outcome"), [("forfeit", "lose"), ("settle", "win")])
def test_pair_plus_after_a_fold(option: str, outcome: str) -> None:
    """`pair_plus_on_fold`; NJ-69F-20.12A(d): the six-card bonus lives either way."""
    hand = at({"ante": 1000, "pair_plus": 500, "six_card": 100}, "9h 9c 4d", "fold")
    answer = settle(TCP, {"1": hand}, "9s 5h 2c", [], pair_plus_on_fold=option)
    assert outcomes(answer, "1")["ante"][:3] == ("lose", 0, 0)
    assert outcomes(answer, "1")["pair_plus"][0] == outcome
    assert outcomes(answer, "1")["six_card"] == ("win", 500, 100, "NJ-69F-20.12A(c)")
    assert answer["positions"]["1"]["state"] == "folded"
    assert answer["positions"]["1"]["six_card_category"] == "three of a kind"


@pytest.mark.parametrize(
    ("cards", "dealer", "category", "to_one"),
    [
        ("Ah Kh Qh", "Jh Th 2c", "royal flush", 1000),  # NJ-69F-20.12A(a)1
        ("5h 6h 7h", "8h 9h 2c", "straight flush", 200),  # NJ-69F-20.12A(a)2
        ("Ah 2h 3h", "4h 5h Kc", "straight flush", 200),
        ("9h 9c 4d", "9s 9d 2c", "four of a kind", 50),  # NJ-69F-20.12A(a)3
        ("9h 9c 9d", "5s 5h 2c", "full house", 25),  # NJ-69F-20.12A(a)4
        ("9h 9c 9d", "5s 5h 5c", "full house", 25),
        ("Ah 9h 7h", "5h 2h Kc", "flush", 20),  # NJ-69F-20.12A(a)5
        ("2s 7h 6c", "5h 9h 8h", "straight", 10),  # NJ-69F-20.12A(a)6
        ("Ah 2c 3d", "4s 5h Kc", "straight", 10),
        ("9h 9c 4d", "9s 5h 2c", "three of a kind", 5),  # NJ-69F-20.12A(a)7
        ("9h 9c 4d", "4s 2h 2c", "two pair", 0),
        ("Qs Kc Jd", "3h Ac 2d", "high card", 0),
    ],
)
def test_six_card_bonus(cards: str, dealer: str, category: str, to_one: int) -> None:
    """NJ-69F-20.12A(a): best five of the player's and the dealer's three; NJ-69F-20.12A(c): the highest hand only;
    ruling 10.14: A-2-3-4-5 is a straight, three pairs win nothing, two sets are a full house."""
    answer = settle(TCP, {"1": at({"pair_plus": 500, "six_card": 100}, cards)}, dealer, [])
    position = answer["positions"]["1"]
    assert position["six_card_category"] == category
    expected = ("win", 100 * to_one, 100, "NJ-69F-20.12A(c)") if to_one else ("lose", 0, 0, "NJ-69F-20.12A(a)")
    assert outcomes(answer, "1")["six_card"] == expected


@pytest.mark.parametrize(
    ("wagers", "requires", "fine"),
    [
        ({"ante": 1000, "six_card": 100}, "pair_plus", False),
        ({"ante": 1000, "six_card": 100}, "ante", True),
        ({"pair_plus": 1000, "six_card": 100}, "pair_plus", True),
        ({"pair_plus": 1000, "six_card": 100}, "ante", False),
        ({"six_card": 100}, "pair_plus", False),
        ({"six_card": 100}, "ante", False),
    ],
)
def test_what_the_six_card_bonus_needs(wagers: dict[str, int], requires: str, fine: bool) -> None:
    """NJ-69F-20.12A(a): a pair plus wager; a house elsewhere may ask for the ante (ruling 24)."""
    hand = at(wagers, "9h 9c 4d", *(["play"] if "ante" in wagers else []))
    if fine:
        settle(TCP, {"1": hand}, "9s 5h 2c", [], six_card_requires=requires)
    else:
        error = refused(TCP, {"1": hand}, "9s 5h 2c", [], six_card_requires=requires)
        assert (error.code, error.cites) == ("wager-alone", "NJ-69F-20.12A(a)")


def test_without_an_ante_there_is_no_decision() -> None:
    """`actions` is empty; an answer is one too many."""
    hand = at({"pair_plus": 500}, "9h 9c 4d", "play")
    assert refused(TCP, {"1": hand}, "9s 5h 2c", []).code == "action"
    for actions in ([], ["check"], ["play 1x"], ["play 1000"], ["fold", "fold"]):
        assert refused(TCP, {"1": at({"ante": 500}, "9h 9c 4d", *actions)}, "9s 5h 2c", []).code in (
            "action",
            "action-missing",
        )


def test_three_card_poker_has_no_board() -> None:
    """`board`: none; the key may be left out."""
    hand = at({"ante": 500}, "9h 9c 4d", "play")
    settled({"id": 1, "game": TCP, "positions": {"1": hand}, "dealer": ["9s", "5h", "2c"]})
    assert refused(TCP, {"1": hand}, "9s 5h 2c", ["2d"]).code == "card-count"


@pytest.mark.parametrize(
    ("house", "code"),
    [
        ({"six_card_table": {"royal flush": 1000}}, "house-table"),
        ({"six_card_table": {}}, "house-value"),
        ({"six_card_table": {"two pair": 1}}, "house-value"),
        ({"six_card_table": "9-9-9"}, "house-value"),
        ({"pair_plus_table": {"pair": 0}}, "house-value"),
        ({"pair_plus_table": {"pair": 1.5}}, "house-value"),
        ({"pair_plus_table": {"pair": True}}, "house-value"),
        ({"ante_bonus_table": None}, "house-value"),
        ({"trips_table": "A"}, "house-key"),
        ({"board_from": "shoe"}, "house-value"),
        ({"rounding": "down"}, "house-value"),
        ({"minimum_wager": {"trips": 100}}, "house-value"),
        ({"minimum_wager": -1}, "amount"),
        ({"minimum_wager": True}, "amount"),
        ({"minimum_wager": 10**20}, "amount"),
    ],
)
def test_a_house_that_is_refused(house: dict[str, object], code: str) -> None:
    """By name of the key or the row; NJ-69F-20.12A(a): every listed hand wins something."""
    assert refused(TCP, {"1": at({"ante": 500}, "9h 9c 4d", "play")}, "9s 5h 2c", [], **house).code == code


def test_own_odds() -> None:
    """Tables may be given as the odds to one themselves."""
    own = {"pair_plus_table": {"pair": 7}, "ante_bonus_table": {"pair": 2}}
    hand = at({"ante": 500, "pair_plus": 100}, "9h 9c 4d", "play")
    answer = settle(TCP, {"1": hand}, "Qs 5h 2c", [], **own)
    assert outcomes(answer, "1")["pair_plus"][1] == 700
    assert outcomes(answer, "1")["ante"][1] == 500
    assert outcomes(answer, "1")["ante_bonus"][1] == 1000


def test_a_round_that_ended_early_has_a_short_board() -> None:
    """Ruling 10.12: one has folded, the other is void, nothing waits: no card is needed that was never dealt."""
    hands = {"1": at({"ante": 1000}, "Td Qc", "fold"), "5": at({"ante": 1000}, "Jd Qs 2h")}
    found = count("5", 3, repairable=True)
    for board in ([], DRY[:3], DRY):
        answer = settle(THB, hands, "", board, found, ruling("5", "void"))
        assert [answer["positions"][each]["state"] for each in "15"] == ["folded", "void"]
        assert (answer["dealer"], answer["voided"]) == (None, False)
    waiting = {**hands, "1": at({"ante": 1000, "bonus": 100}, "Td Qc", "fold")}
    assert refused(THB, waiting, "Qh 6s", DRY[:3], found, ruling("5", "void")).code == "card-count"
    assert refused(THB, waiting, "", DRY, found, ruling("5", "void")).code == "card-count"
