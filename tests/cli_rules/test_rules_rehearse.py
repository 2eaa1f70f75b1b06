"""`cardshoe rehearse`: each operation at each point, allowed or refused, with the clause that refuses it."""

from __future__ import annotations

from typing import Any

import pytest

from cardshoe.cli.rehearse import rehearsed
from cardshoe.errors import CardshoeError
from cardshoe.round.machine import MOST_LATER

UTH, THB, TCP = "ultimate-texas-holdem", "texas-holdem-bonus", "three-card-poker"
SHOE = "automated-shoe"

Op = dict[str, Any]


def seat(position: Any, player: Any = None) -> Op:
    """A player sits down."""
    return {"op": "seat", "position": position, "player": f"P{position}" if player is None else player}


def wager(position: Any, player: Any = None, **wagers: Any) -> Op:
    """A player wagers."""
    who = f"P{position}" if player is None else player
    return {"op": "wager", "position": position, "player": who, "wagers": wagers}


def withdraw(position: str, *spots: Any) -> Op:
    """A player takes wagers back."""
    return {"op": "withdraw", "position": position, "player": f"P{position}", "wagers": list(spots)}


def leave(player: Any) -> Op:
    """A player leaves."""
    return {"op": "leave", "player": player}


def stack(to: Any, cards: Any = 2) -> Op:
    """A stack is dispensed."""
    return {"op": "stack", "to": to, "cards": cards}


def card(to: Any, **covered: Any) -> Op:
    """A single card is dealt."""
    return {"op": "card", "to": to, **covered}


def decide(position: Any, action: Any) -> Op:
    """A position answers."""
    return {"op": "decide", "position": position, "action": action}


def burn(cards: Any = 1) -> Op:
    """Cards are burned."""
    return {"op": "burn", "cards": cards}


def board(cards: Any) -> Op:
    """Community cards are dealt."""
    return {"op": "board", "cards": cards}


def settle(position: Any) -> Op:
    """A hand is settled."""
    return {"op": "settle", "position": position}


def collect(position: Any) -> Op:
    """A hand is collected."""
    return {"op": "collect", "position": position}


def correct(of: Any, **fields: Any) -> Op:
    """An entry is corrected."""
    return {"op": "correct", "of": of, **fields}


def irregular(kind: str, **fields: Any) -> Op:
    """Something irregular is found."""
    return {"op": "irregularity", "kind": kind, **fields}


NMB: Op = {"op": "no_more_bets"}
COVER: Op = {"op": "cover_card"}
STUB: Op = {"op": "remove_stub"}
REVEAL: Op = {"op": "reveal_dealer"}


def run(game: str, *operations: Op, method: str = SHOE, **house: object) -> tuple[str, dict[int, tuple[str, Any]]]:
    """("y" or "n" for each operation, {index: (code, clause)} of the refused ones)."""
    answer: Any = rehearsed({"id": "r", "game": game, "method": method, "house": house, "operations": list(operations)})
    assert set(answer) == {"accepted", "refusals"}
    for each in answer["refusals"]:
        assert set(each) == {"index", "code", "text", "cites"}
        assert 10 < len(each["text"]) < 400
    accepted = "".join("y" if ok else "n" for ok in answer["accepted"])
    refusals = {each["index"]: (each["code"], each["cites"]) for each in answer["refusals"]}
    assert sorted(refusals) == [at for at, ok in enumerate(accepted) if ok == "n"]
    return accepted, refusals


def uth(*positions: str, trips: str = "") -> list[Op]:
    """Seats and wagers of Ultimate, closed."""
    ops: list[Op] = []
    for position in positions:
        side = {"trips": 500} if position in trips else {}
        ops += [seat(position), wager(position, ante=1000, blind=1000, **side)]
    return [*ops, NMB]


def thb(*positions: str, bonus: str = "") -> list[Op]:
    """Seats and wagers of the bonus game, closed."""
    ops: list[Op] = []
    for position in positions:
        side = {"bonus": 500} if position in bonus else {}
        ops += [seat(position), wager(position, ante=1000, **side)]
    return [*ops, NMB]


def dealt(*positions: str) -> list[Op]:
    """Every stack."""
    return [*(stack(position) for position in positions), stack("dealer")]


def tail(result: tuple[str, dict[int, tuple[str, Any]]], before: list[Op]) -> str:
    """What became of the operations after `before`, all of which must have been accepted."""
    accepted, refusals = result
    assert set(accepted[: len(before)]) <= {"y"}, refusals
    return accepted[len(before) :]


# --- the example of the page -----------------------------------------------------------------------------------------


def test_the_example_of_the_interface_page() -> None:
    """`interfaces.md`: withdrawing the blind alone and leaving with cards are refused."""
    accepted, refusals = run(
        UTH,
        seat("1"),
        wager("1", ante=1000, blind=1000),
        withdraw("1", "blind"),
        NMB,
        stack("1"),
        COVER,
        stack("dealer"),
        STUB,
        decide("1", "check"),
        burn(),
        board(3),
        leave("P1"),
        REVEAL,
        settle("1"),
        collect("1"),
    )
    assert accepted == "yynyyyyyyyynnnn"
    assert refusals[2] == ("wager-required", "NY-5324.36(c)(3)")
    assert refusals[11] == ("stay-seated", "NY-5324.36(c)(5)")
    assert refusals[12][1] == "NY-5324.36(e)(6)"


# --- seats and wagers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [UTH, THB])
def test_seats(game: str) -> None:
    """NY-5324.35(a)(1), NY-5324.36(a)(1): six positions; NY-5324.35(c)(5), NY-5324.36(c)(5): only seated players wager;
    NY-5324.35(g), NY-5324.36(g): one position a player."""
    text = "NY-5324.36" if game == UTH else "NY-5324.35"
    stake = {"ante": 1000, "blind": 1000} if game == UTH else {"ante": 1000}
    accepted, refusals = run(
        game,
        *(seat(str(position)) for position in range(1, 7)),
        seat("7"),
        seat("0"),
        seat(1),
        seat("01"),
        seat("1", "P9"),
        seat("1", "P1"),
        leave("P6"),
        seat("6", "P1"),
        wager("6", "P1", **stake),
        wager("6", "P6", **stake),
        wager("2", "P1", **stake),
        wager("1", "P1", **stake),
        leave("P6"),
        seat("6", ""),
        seat("6", 5),
        seat("6", "x" * 65),
        {"op": "seat", "position": "6", "player": None},
    )
    assert accepted == "yyyyyy" + "nnnnnn" + "y" + "nnnn" + "y" + "nnnnn"
    assert refusals[13] == ("one-position", f"{text}(g)")
    assert refusals[14] == ("one-position", f"{text}(g)")
    assert refusals[15] == ("not-seated", f"{text}(c)(5)")
    assert refusals[16] == ("one-position", f"{text}(g)")
    assert refusals[18] == ("not-seated", f"{text}(c)(5)")


def test_a_player_who_was_refused_a_seat_may_take_another_after_leaving() -> None:
    """Leaving before cards gives the wagers back, and the seat."""
    assert (
        run(
            UTH,
            seat("1", "A"),
            wager("1", "A", ante=5, blind=5),
            leave("A"),
            seat("1", "B"),
            seat("2", "A"),
            wager("2", "A", ante=5, blind=5),
            NMB,
            stack("1"),
            stack("2"),
        )[0]
        == "yyyyyyyny"
    )


@pytest.mark.parametrize(
    ("game", "first", "then", "expected"),
    [
        (UTH, {"ante": 1000, "blind": 1000}, {"trips": 100}, "y"),  # a wager may add a spot
        (UTH, {"ante": 1000, "blind": 1000}, {"ante": 2000, "blind": 2000}, "y"),  # or raise
        (UTH, {"ante": 1000, "blind": 1000}, {"ante": 1000, "blind": 1000}, "y"),  # totals
        (UTH, {"ante": 1000, "blind": 1000}, {"ante": 2000}, "n"),  # ante = blind
        (UTH, {"ante": 1000, "blind": 1000}, {"ante": 500, "blind": 500}, "n"),  # never lower
        (UTH, {"ante": 1000, "blind": 1000}, {"play": 1000}, "n"),
        (UTH, {"ante": 1000, "blind": 1000}, {}, "n"),
        (UTH, {"ante": 1000, "blind": 1000, "trips": 500}, {"trips": 499}, "n"),
        (THB, {"ante": 1000}, {"bonus": 100}, "y"),
        (THB, {"ante": 1000}, {"bonus": 99}, "n"),
        (THB, {"ante": 1000}, {"flop": 1000}, "n"),
        (THB, {"ante": 1000}, {"ante": 1000.0}, "n"),
        (THB, {"ante": 1000}, {"ante": True}, "n"),
        (THB, {"ante": 1000}, {"ante": -1}, "n"),
        (THB, {"ante": 1000}, {"ante": 10**13}, "n"),
        (THB, {"ante": 1000}, {"ante": "2000"}, "n"),
        (THB, {"ante": 1000}, {"ante": None}, "n"),
        (TCP, {"ante": 1000}, {"pair_plus": 100}, "y"),
        (TCP, {"pair_plus": 1000}, {"ante": 100}, "y"),
        (TCP, {"pair_plus": 1000}, {"six_card": 100}, "y"),
        (TCP, {"ante": 1000}, {"six_card": 100}, "n"),
        (TCP, {"ante": 1000}, {"six_card": 100, "pair_plus": 100}, "y"),
    ],
)
def test_a_second_wager(game: str, first: dict[str, Any], then: dict[str, Any], expected: str) -> None:
    """NY-5324.35(c)(1), NY-5324.35(c)(2), NY-5324.35(c)(3), NY-5324.35(c)(4), NY-5324.36(c)(1), NY-5324.36(c)(2),
    NY-5324.36(c)(3), NY-5324.36(c)(4), NJ-69F-20.12A(a)."""
    assert run(game, seat("3"), wager("3", **first), wager("3", **then))[0] == "yy" + expected


@pytest.mark.parametrize(
    ("game", "placed", "taken", "expected"),
    [
        (UTH, {"ante": 1000, "blind": 1000, "trips": 5}, ["trips"], "y"),
        (UTH, {"ante": 1000, "blind": 1000, "trips": 5}, ["ante", "blind", "trips"], "y"),
        (UTH, {"ante": 1000, "blind": 1000, "trips": 5}, ["ante", "blind"], "n"),
        (UTH, {"ante": 1000, "blind": 1000}, ["trips"], "n"),
        (UTH, {"ante": 1000, "blind": 1000}, ["blind"], "n"),
        (UTH, {"ante": 1000, "blind": 1000}, [], "n"),
        (UTH, {"ante": 1000, "blind": 1000}, ["ante", "ante"], "n"),
        (UTH, {"ante": 1000, "blind": 1000}, ["whatever"], "n"),
        (UTH, {"ante": 1000, "blind": 1000}, [5], "n"),
        (UTH, {"ante": 1000, "blind": 1000}, [["ante"]], "n"),
        (TCP, {"ante": 1000, "pair_plus": 5, "six_card": 5}, ["pair_plus"], "n"),
        (TCP, {"ante": 1000, "pair_plus": 5, "six_card": 5}, ["ante"], "y"),
    ],
)
def test_a_withdrawal(game: str, placed: dict[str, int], taken: list[Any], expected: str) -> None:
    """NY-5324.36(c)(2): before "no more bets"; what is left must be lawful."""
    assert run(game, seat("3"), wager("3", **placed), withdraw("3", *taken))[0] == "yy" + expected


@pytest.mark.parametrize("game", [UTH, THB])
def test_nothing_changes_after_no_more_bets(game: str) -> None:
    """NY-5324.35(c)(2), NY-5324.36(c)(2)."""
    text = "NY-5324.36" if game == UTH else "NY-5324.35"
    more = {"trips": 100} if game == UTH else {"bonus": 100}
    before = uth("3") if game == UTH else thb("3")
    accepted, refusals = run(
        game, *before, wager("3", **more), withdraw("3", *more), seat("4"), wager("4", ante=5), NMB
    )
    assert accepted == "yyynnynn"
    assert {refusals[at] for at in (3, 4, 6, 7)} == {("bets-closed", f"{text}(c)(2)")}


def test_no_more_bets_with_no_wager() -> None:
    """Accepted; the round is over, nobody gets a stack."""
    assert run(UTH, seat("1"), NMB, stack("1"), stack("dealer"), REVEAL, leave("P1"))[0] == "yynnny"


@pytest.mark.parametrize(
    ("house", "ante", "bonus", "expected"),
    [
        ({"minimum_wager": {"ante": 1000, "bonus": 500}}, 1000, 500, "y"),
        ({"minimum_wager": {"ante": 1000, "bonus": 500}}, 999, 500, "n"),
        ({"minimum_wager": {"ante": 1000, "bonus": 500}}, 1000, 499, "n"),
        ({"minimum_wager": 1000}, 1000, 999, "n"),
        ({"minimum_wager": {"bonus": 50}}, 5, 99, "n"),
        ({"minimum_wager": None}, 1, 100, "y"),
    ],
)
def test_minimum_wagers(house: dict[str, object], ante: int, bonus: int, expected: str) -> None:
    """The house's minimum, and NY-5324.35(c)(3): the bonus is at least $1 whatever the house says."""
    assert run(THB, seat("3"), wager("3", ante=ante, bonus=bonus), **house)[0] == "y" + expected


def test_the_minimum_of_a_later_wager() -> None:
    """A minimum for the flop spot is held when the flop wager is made."""
    before = [*thb("1"), *dealt("1")]
    result = run(THB, *before, decide("1", "flop 1999"), decide("1", "flop 2000"), minimum_wager={"flop": 2000})
    assert tail(result, before) == "ny"


def test_inexact_wagers_are_refused_where_the_house_says_so() -> None:
    """Ruling 10.11: a blind that a flush would pay with half a cent."""
    for cents, expected in ((1001, "n"), (1002, "y")):
        assert run(UTH, seat("1"), wager("1", ante=cents, blind=cents), rounding="refuse")[0] == "y" + expected


# --- dealing ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [UTH, THB, TCP])
def test_stacks_go_from_the_far_left_to_wagering_positions_the_dealer_last(game: str) -> None:
    """NY-5324.35(d)(2), NY-5324.36(d)(2); N.J. poker likewise."""
    size = 3 if game == TCP else 2
    before = uth("2", "5") if game == UTH else thb("2", "5")
    result = run(
        game,
        *before,
        stack("dealer", size),
        stack("5", size),
        stack("1", size),
        stack("2", size + 1),
        stack("2", size - 1),
        stack("2", True),
        stack("2", float(size)),
        stack("2", str(size)),
        stack("9", size),
        stack(2, size),
        stack("2", size),
        stack("2", size),
        stack("dealer", size),
        stack("5", size),
        stack("dealer", size),
        stack("dealer", size),
        card("2"),
    )
    assert tail(result, before) == "nnnnnnnnnn" + "ynnyy" + "nn"
    if game != TCP:
        text = "NY-5324.36" if game == UTH else "NY-5324.35"
        assert result[1][len(before)] == ("wrong-destination", f"{text}(d)(2)")
        assert result[1][len(before) + 3] == ("wrong-count", f"{text}(d)(2)")


@pytest.mark.parametrize("game", [UTH, THB, TCP])
@pytest.mark.parametrize("method", ["manual-shoe", "hand"])
def test_single_cards(game: str, method: str) -> None:
    """NY-5324.35(d)(1)(i), NY-5324.35(d)(1)(ii), NY-5324.35(d)(1)(iii), NY-5324.35(d)(1)(iv), NY-5324.36(d)(1)(i),
    NY-5324.36(d)(1)(ii), NY-5324.36(d)(1)(iii), NY-5324.36(d)(1)(iv): wagering positions in every mode (ruling 3)."""
    before = uth("2", "5") if game == UTH else thb("2", "5")
    turn = [card("5"), card("1"), card("2"), card("2"), card("dealer"), card("5"), card("5"), card("dealer")]
    turns = 3 if game == TCP else 2
    result = run(game, *before, *turn * turns, card("2"), stack("2"), STUB, COVER, method=method)
    assert tail(result, before) == "nnynnyny" * turns + "nnnn"


@pytest.mark.parametrize(
    ("game", "to", "covered", "expected"),
    [
        (UTH, "dealer", True, "y"),
        (UTH, "dealer", False, "n"),
        (UTH, "1", False, "y"),
        (UTH, "1", True, "n"),
        (THB, "dealer", True, "n"),
        (THB, "dealer", False, "y"),
        (TCP, "dealer", True, "n"),
        (TCP, "1", False, "y"),
    ],
)
def test_cover_cards_over_single_cards(game: str, to: str, covered: bool, expected: str) -> None:
    """NY-5324.36(d)(1)(ii), NY-5324.36(d)(1)(iv): the dealer's under a cover card; ruling 5: nowhere else."""
    before = uth("1") if game == UTH else thb("1")
    if to == "dealer":
        before = [*before, card("1")]
    assert tail(run(game, *before, card(to, under_cover_card=covered), method="hand"), before) == expected


@pytest.mark.parametrize("game", [UTH, THB])
def test_the_cover_card_goes_in_once_before_the_dealers_stack(game: str) -> None:
    """NY-5324.35(d)(2), NY-5324.36(d)(2); ruling 10.9: any time before, before the first stack too, and never twice."""
    bets = uth("1", "2") if game == UTH else thb("1", "2")
    deal = dealt("1", "2")
    whole = [*bets, *deal]
    last = len(whole) - 1
    for place in range(len(whole) + 1):
        ops = [*whole[:place], COVER, *whole[place:]]
        accepted, refusals = run(game, *ops)
        assert accepted[place] == ("y" if place <= last else "n")
        assert accepted[:place] + accepted[place + 1 :] == "y" * len(whole)
        if place > last:
            text = "NY-5324.36" if game == UTH else "NY-5324.35"
            assert refusals[place] == ("cover-card", f"{text}(d)(2)")
    assert tail(run(game, *bets, COVER, COVER), bets) == "yn"


def test_the_stub_of_ultimate() -> None:
    """NY-5324.36(d)(3); ruling 10.10: between the dealer's stack and the first burn; no burn, no board before it."""
    bets, deal = uth("1"), dealt("1")
    assert tail(run(UTH, *bets, STUB, stack("1"), STUB, stack("dealer"), STUB, STUB), bets) == "nynyyn"
    before = [*bets, *deal, decide("1", "play 4x")]
    result = run(UTH, *before, burn(), board(3), STUB, board(3), burn(), STUB, board(3), STUB, burn(), board(2))
    assert tail(result, before) == "nnynynynyy"
    assert result[1][len(before)] == ("stub-in-shoe", "NY-5324.36(d)(3)")
    assert result[1][len(before) + 1] == ("out-of-order", "NY-5324.36(d)(3)")


@pytest.mark.parametrize(("board_from", "expected"), [("hand", "nyyyn"), ("shoe", "ynnyn"), (None, "ynnyn")])
def test_the_stub_of_the_bonus_game(board_from: str | None, expected: str) -> None:
    """Ruling 4: `board_from` hand demands it, shoe forbids it, null leaves it open until the first burn."""
    before = [*thb("1"), *dealt("1"), decide("1", "flop 5")]
    assert tail(run(THB, *before, burn(), STUB, burn(), board(3), STUB, board_from=board_from), before) == expected
    if board_from is None:
        assert tail(run(THB, *before, STUB, burn(), board(3)), before) == "yyy"


@pytest.mark.parametrize("cards", [0, 2, True, 1.0, "1", None, -1])
def test_one_card_is_burned(cards: Any) -> None:
    """NY-5324.36(e)(2): burn one."""
    before = [*uth("1"), *dealt("1"), STUB, decide("1", "check")]
    assert tail(run(UTH, *before, burn(cards), burn(1)), before) == "ny"


def test_the_round_of_ultimate_step_by_step() -> None:
    """NY-5324.36(e)(1), NY-5324.36(e)(2), NY-5324.36(e)(3), NY-5324.36(e)(4), NY-5324.36(e)(5), NY-5324.36(e)(6),
    NY-5324.36(e)(8), NY-5324.36(e)(9): nothing before its time, nothing twice."""
    before = [*uth("1", "4"), *dealt("1", "4"), STUB]
    steps = [
        decide("1", "check"),
        decide("4", "check"),
        burn(),
        board(3),
        decide("1", "check"),
        decide("4", "check"),
        burn(),
        board(2),
        decide("1", "play 1x"),
        decide("4", "play 1x"),
        REVEAL,
        settle("4"),
        settle("1"),
        collect("4"),
        collect("1"),
    ]
    assert tail(run(UTH, *before, *steps), before) == "y" * len(steps)
    for at, due in enumerate(steps):
        others = [step for step in steps if step != due and step not in steps[at + 1 : at + 2]]
        tried = [other for other in others if other["op"] not in ("collect",)]
        result = run(UTH, *before, *steps[:at], *tried, due)
        lawful = {step["op"] for step in steps[at : at + 1]}
        for place, other in enumerate(tried):
            ok = result[0][len(before) + at + place] == "y"
            assert not ok or other["op"] in lawful, f"{other} was accepted before {due}"


def test_the_round_of_the_bonus_game_step_by_step() -> None:
    """NY-5324.35(e)(1), NY-5324.35(e)(2), NY-5324.35(e)(3), NY-5324.35(e)(4), NY-5324.35(e)(5), NY-5324.35(e)(6),
    NY-5324.35(e)(7), NY-5324.35(e)(8), NY-5324.35(e)(9)."""
    before = [*thb("1", "4"), *dealt("1", "4")]
    steps = [
        decide("4", "flop 5"),  # ruling 10.13: any order here
        decide("1", "flop 7"),
        burn(),
        board(3),
        decide("1", "check"),
        decide("4", "turn 9"),
        burn(),
        board(1),
        decide("1", "river 1"),
        decide("4", "check"),
        burn(),
        board(1),
        REVEAL,
        settle("4"),
        collect("4"),
        settle("1"),
        collect("1"),
        leave("P1"),
        leave("P4"),
    ]
    assert tail(run(THB, *before, *steps), before) == "y" * len(steps)
    for at in range(len(steps) - 3):
        skipped = [*steps[:at], *steps[at + 1 :]]
        assert "n" in tail(run(THB, *before, *skipped), before), f"{steps[at]} could be left out"


# --- decisions -------------------------------------------------------------------------------------------------------


def test_positions_are_asked_in_turn() -> None:
    """NY-5324.36(e)(1), NY-5324.36(e)(3), NY-5324.36(e)(5): from the far left; who has played is asked no more."""
    before = [*uth("1", "3", "6"), *dealt("1", "3", "6"), STUB]
    result = run(
        UTH,
        *before,
        decide("3", "check"),
        decide("2", "check"),
        decide("1", "check"),
        decide("1", "check"),
        decide("6", "check"),
        decide("3", "play 3x"),
        decide("6", "check"),
        burn(),
        board(3),
        decide("3", "check"),
        decide("6", "check"),
        decide("1", "check"),
        decide("6", "play 2x"),
        burn(),
        board(2),
        decide("6", "fold"),
        decide("1", "fold"),
        REVEAL,
    )
    assert tail(result, before) == "nnynnyy" + "yy" + "nnyy" + "yy" + "nyy"
    assert result[1][len(before)] == ("out-of-turn", "NY-5324.36(e)(1)")
    assert result[1][len(before) + 1] == ("not-asked", "NY-5324.36(e)(1)")


def test_turn_and_river_are_asked_in_turn_of_those_with_a_flop_wager() -> None:
    """NY-5324.35(e)(3), NY-5324.35(e)(5); NY-5324.35(e)(1)(ii): who folded is asked no more."""
    before = [
        *thb("1", "3", "6"),
        *dealt("1", "3", "6"),
        decide("3", "fold"),
        decide("6", "flop 5"),
        decide("1", "flop 5"),
    ]
    before = [*before, burn(), board(3)]
    result = run(
        THB,
        *before,
        decide("6", "check"),
        decide("3", "check"),
        decide("1", "turn 5"),
        decide("6", "fold"),
        decide("6", "check"),
    )
    assert tail(result, before) == "nnyny"


@pytest.mark.parametrize("action", ["fold", "play 2x", "play", "", 5, None, ["check"], "check ", {"check": 1}])
def test_a_wrong_answer_changes_nothing(action: Any) -> None:
    """NY-5324.36(e)(1): the position is asked again."""
    before = [*uth("1"), *dealt("1"), STUB]
    assert tail(run(UTH, *before, decide("1", action), burn(), decide("1", "check"), burn()), before) == "nnyy"


def test_a_position_that_is_none() -> None:
    """A bad position refuses the operation, not the line."""
    before = [*uth("1"), *dealt("1"), STUB]
    result = run(
        UTH, *before, *(decide(position, "check") for position in ("7", 1, None, ["1"], "dealer")), decide("1", "check")
    )
    assert tail(result, before) == "nnnnny"
    wrong = [settle(9), collect("x"), seat([1]), wager(None, "P", ante=1), leave(["P1"]), stack(None)]
    assert run(UTH, *wrong)[0] == "n" * len(wrong)


def test_three_card_poker_decisions() -> None:
    """Fold or play, in turn, of those with an ante only."""
    bets = [seat("1"), wager("1", ante=5), seat("2"), wager("2", pair_plus=5), seat("3"), wager("3", ante=5), NMB]
    before = [*bets, *(stack(each, 3) for each in ("1", "2", "3", "dealer"))]
    result = run(
        TCP,
        *before,
        decide("2", "play"),
        decide("3", "play"),
        decide("1", "play 1x"),
        decide("1", "play"),
        REVEAL,
        decide("3", "fold"),
        REVEAL,
        settle("3"),
        settle("2"),
        settle("1"),
    )
    assert tail(result, before) == "nnnynyynyy"


# --- settlement, collection, leaving ---------------------------------------------------------------------------------


def folded_and_played() -> list[Op]:
    """Ultimate up to the dealer's hand: 1 folded with trips, 2 folded without, 3 and 6 played."""
    return [
        *uth("1", "2", "3", "6", trips="16"),
        *dealt("1", "2", "3", "6"),
        STUB,
        decide("1", "check"),
        decide("2", "check"),
        decide("3", "play 4x"),
        decide("6", "play 3x"),
        burn(),
        board(3),
        decide("1", "check"),
        decide("2", "check"),
        burn(),
        board(2),
        decide("1", "fold"),
        decide("2", "fold"),
    ]


def test_collecting_folded_hands() -> None:
    """NY-5324.36(e)(5)(ii)(a): a hand with trips waits; NY-5324.36(e)(5)(ii)(b): one without goes at once."""
    before = folded_and_played()
    result = run(UTH, *before, collect("1"), collect("2"), collect("2"), collect("3"), collect("5"))
    assert tail(result, before) == "nynnn"
    assert result[1][len(before)] == ("not-settled", "NY-5324.36(e)(5)(ii)(a)")


def test_settling_goes_from_the_far_right_and_waiting_hands_come_after() -> None:
    """NY-5324.36(e)(8), NY-5324.36(e)(8)(iv), NY-5324.36(e)(9); ruling 10.8."""
    before = [*folded_and_played(), REVEAL]
    result = run(
        UTH,
        *before,
        settle("1"),
        settle("2"),
        settle("3"),
        settle("6"),
        settle("6"),
        settle("1"),
        settle("3"),
        leave("P3"),
        collect("3"),
        settle("1"),
        collect("1"),
        leave("P1"),
        collect("6"),
        leave("P1"),
        leave("P6"),
        leave("P6"),
    )
    assert tail(result, before) == "nnnynnynyyynyyyn"
    assert result[1][len(before)] == ("settle-order", "NY-5324.36(e)(8)")


@pytest.mark.parametrize(("bonus", "expected"), [("", "ynyyy"), ("6", "yyyyy")])
def test_a_hand_is_racked_before_the_next_is_settled(bonus: str, expected: str) -> None:
    """NY-5324.35(e)(8): unless it waits for its bonus; NY-5324.35(e)(8)(iv)."""
    before = [
        *thb("2", "6", bonus=bonus),
        *dealt("2", "6"),
        decide("2", "flop 5"),
        decide("6", "flop 5"),
        burn(),
        board(3),
    ]
    before += [decide("2", "check"), decide("6", "check"), burn(), board(1), decide("2", "check"), decide("6", "check")]
    before += [burn(), board(1), REVEAL]
    steps = [settle("6"), settle("2"), collect("6"), settle("2"), collect("2")]
    if bonus:
        steps = [settle("6"), settle("2"), collect("6"), collect("2"), leave("P2")]
    result = run(THB, *before, *steps)
    assert tail(result, before) == expected
    if not bonus:
        assert result[1][len(before) + 1] == ("collect-first", "NY-5324.35(e)(8)")


def test_a_bonus_hand_on_the_table_does_not_hide_one_that_must_be_racked() -> None:
    """NY-5324.35(e)(8): position 4 may wait with its bonus, position 1 may not, and goes before 3 is settled."""
    *betting, no_more_bets = thb("1", "3", "4", bonus="3")
    before = [
        *betting,
        wager("4", bonus=500),
        no_more_bets,
        *dealt("1", "3", "4"),
        decide("1", "flop 5"),
        decide("4", "flop 5"),
        decide("3", "fold"),
    ]
    for cards in (3, 1, 1):
        before += [burn(), board(cards)]
        before += [decide("1", "check"), decide("4", "check")] if before.count(burn()) < 3 else [REVEAL]
    steps = [settle("4"), settle("1"), settle("3"), collect("4"), settle("3"), collect("1"), settle("3"), collect("3")]
    result = run(THB, *before, *steps)
    assert tail(result, before) == "yynynyyy"
    for refused in (2, 4):
        assert result[1][len(before) + refused] == ("collect-first", "NY-5324.35(e)(8)")


def test_a_folded_hand_with_a_bonus_waits_on_the_table() -> None:
    """NY-5324.35(e)(1)(ii), NY-5324.35(e)(1)(ii)(a), NY-5324.35(e)(1)(ii)(b): the round goes on for the bonus."""
    before = [*thb("2", "6", bonus="6"), *dealt("2", "6"), decide("6", "fold"), decide("2", "fold")]
    result = run(
        THB,
        *before,
        collect("6"),
        collect("2"),
        burn(),
        board(3),
        decide("2", "check"),
        burn(),
        board(1),
        burn(),
        board(1),
        settle("6"),
        REVEAL,
        settle("6"),
        leave("P6"),
        collect("6"),
        leave("P6"),
    )
    assert tail(result, before) == "ny" + "yy" + "n" + "yyyy" + "nyy" + "nyy"
    assert result[1][len(before)] == ("not-settled", "NY-5324.35(e)(1)(ii)(a)")


def test_a_round_without_anybody_left_ends() -> None:
    """Ruling 10.12: no further board card, no reveal."""
    before = [*thb("2", "6"), *dealt("2", "6"), decide("6", "fold"), decide("2", "fold")]
    assert (
        tail(run(THB, *before, burn(), REVEAL, settle("2"), collect("2"), leave("P2"), leave("P6")), before) == "nnnyyy"
    )


@pytest.mark.parametrize("game", [UTH, THB])
def test_who_has_cards_stays(game: str) -> None:
    """NY-5324.35(c)(5), NY-5324.36(c)(5): before cards the wagers go back, and no stack goes there."""
    before = uth("1", "2") if game == UTH else thb("1", "2")
    result = run(game, *before, stack("1"), leave("P1"), leave("P2"), leave("P2"), stack("2"), stack("dealer"))
    assert tail(result, before) == "ynynny"
    everyone = run(game, *before, leave("P1"), leave("P2"), stack("dealer"))
    assert tail(everyone, before) == "yyn"


# --- corrections -----------------------------------------------------------------------------------------------------


def test_correcting_a_decision() -> None:
    """The last decision, until the next step that cannot be undone."""
    before = [*uth("1", "2"), *dealt("1", "2"), STUB]
    first = len(before)
    result = run(
        UTH,
        *before,
        decide("1", "check"),
        correct(first, action="play 9x"),
        correct(first, action="play 4x"),
        correct(first + 2, action="play 3x"),
        decide("2", "check"),
        correct(first, action="check"),
        correct(first + 4, action="play 3x"),
        burn(),
        correct(first + 4, action="check"),
        board(3),
        decide("1", "check"),
    )
    assert tail(result, before) == "ynyy" + "yny" + "yn" + "yn"
    assert result[1][first + 5][0] == "nothing-to-correct"


def test_a_correction_does_not_reach_back_for_ever() -> None:
    """The last entry stays correctable over what can be undone, up to a number of acts that is done again at once."""
    moves = [seat("5"), leave("P5")] * (MOST_LATER // 2)
    before = [seat("2"), wager("2", ante=1000)]
    assert run(THB, *before, *moves, correct(1, wagers={"ante": 500}))[0][-1] == "y"
    accepted, refusals = run(THB, *before, *moves, seat("5"), correct(1, wagers={"ante": 500}))
    assert accepted[-1] == "n"
    assert refusals[len(accepted) - 1][0] == "nothing-to-correct"


def test_a_corrected_fold_is_undone() -> None:
    """A fold that was entered wrongly: the hand is live again, the round is not over."""
    before = [*thb("1"), *dealt("1"), decide("1", "fold")]
    last = len(before) - 1
    result = run(THB, *before, correct(last, action="flop 5"), burn(), board(3), decide("1", "turn 5"), leave("P1"))
    assert tail(result, before) == "yyyyn"


def test_correcting_a_wager() -> None:
    """The last wager, also downwards; "no more bets" cannot be undone (NY-5324.36(c)(2))."""
    result = run(
        UTH,
        seat("1"),
        wager("1", ante=1000, blind=1000, trips=5),
        correct(1, wagers={"ante": 500, "blind": 400}),
        correct(1, wagers={"ante": 500, "blind": 500}),
        seat("2"),
        correct(1, wagers={"ante": 600, "blind": 600}),
        withdraw("1", "trips"),
        wager("2", ante=5, blind=5),
        correct(1, wagers={"ante": 1000, "blind": 1000}),
        correct(7, position="1", player="P1"),
        correct(7, wagers={"ante": 6, "blind": 6}),
        NMB,
        correct(7, wagers={"ante": 7, "blind": 7}),
    )
    assert result[0] == "yynyyynynnyyn"


def test_a_wager_corrected_to_another_position() -> None:
    """What was entered for the wrong position is moved whole."""
    result = run(
        UTH,
        seat("1"),
        seat("2"),
        wager("1", ante=5, blind=5),
        correct(2, position="2", player="P2"),
        NMB,
        stack("1"),
        stack("2"),
    )
    assert result[0] == "yyyyyny"


@pytest.mark.parametrize("of", [-1, 0, 99, True, 1.0, "1", None])
def test_a_correction_of_nothing(of: Any) -> None:
    """Only the last entry, by its number."""
    assert run(UTH, seat("1"), wager("1", ante=5, blind=5), correct(of, wagers={"ante": 6, "blind": 6}))[0] == "yyn"


def test_a_refused_entry_cannot_be_corrected() -> None:
    """The operation that was refused is none."""
    assert run(UTH, seat("1"), wager("1", ante=5), correct(1, wagers={"ante": 6, "blind": 6}))[0] == "ynn"


# --- irregularities --------------------------------------------------------------------------------------------------


def test_an_exposed_dealer_card_ends_the_decisions() -> None:
    """NY-5324.36(h)(1), NY-5324.36(h)(2)(i): hands void, the board is dealt out, trips settled; the dealer's hand need
    not be turned, and may be."""
    before = [*uth("1", "2", trips="2"), *dealt("1", "2"), decide("1", "check")]
    exposed = irregular("dealer_card_exposed", before_decisions_done=True)
    for reveal in ([], [REVEAL]):
        steps = [exposed, decide("2", "check"), burn(), STUB, burn(), board(3), REVEAL, burn(), board(2)]
        steps += [*reveal, settle("1"), settle("2"), collect("1"), collect("2"), leave("P2")]
        expected = "ynnyyynyy" + "y" * len(reveal) + "nyyyy"
        assert tail(run(UTH, *before, *steps), before) == expected


def test_an_exposure_without_trips_ends_the_round() -> None:
    """NY-5324.36(h)(1); ruling 10.12."""
    before = [*uth("1", "2"), *dealt("1", "2"), STUB]
    exposed = irregular("dealer_card_exposed", before_decisions_done=True)
    assert tail(run(UTH, *before, exposed, burn(), REVEAL, collect("1"), leave("P1"), leave("P2")), before) == "ynnyyy"


def test_when_an_exposure_can_have_happened() -> None:
    """Ruling 17: from the dealer's first card to the last decision; ruling 10.4: a check is no decision."""
    early = irregular("dealer_card_exposed", before_decisions_done=True)
    late = irregular("dealer_card_exposed", before_decisions_done=False)
    before = uth("1")
    assert tail(run(UTH, *before, early, late, stack("1"), early), before) == "nnyn"
    decided = [*before, *dealt("1"), STUB]
    assert tail(run(UTH, *decided, late, decide("1", "check"), late, early), decided) == "nyny"
    played = [*decided, decide("1", "play 4x")]
    assert tail(run(UTH, *played, early, late, burn(), board(3)), played) == "nyyy"


def test_a_player_with_a_wrong_count() -> None:
    """NY-5324.36(h)(3): that hand is asked no more and not settled; the others play on."""
    wrong = irregular("wrong_card_count", who="1", cards=3, repairable_in_sequence=False)
    before = [*uth("1", "2", trips="1"), stack("1")]
    steps = [
        wrong,
        wrong,
        stack("2"),
        stack("dealer"),
        STUB,
        decide("1", "check"),
        decide("2", "play 4x"),
        burn(),
        board(3),
    ]
    steps += [burn(), board(2), REVEAL, settle("1"), settle("2"), collect("2"), leave("P2"), collect("1")]
    assert tail(run(UTH, *before, *steps), before) == "yyyyynyyyyyynyyyy"


@pytest.mark.parametrize(("repairable", "cards", "expected"), [(True, 1, "yy"), (False, 1, "yn"), (True, 3, "yn")])
def test_a_dealer_with_a_wrong_count(repairable: bool, cards: int, expected: str) -> None:
    """NY-5324.36(h)(3); ruling 10.6: too many cannot be repaired."""
    before = [*uth("1"), *dealt("1"), STUB]
    wrong = irregular("wrong_card_count", who="dealer", cards=cards, repairable_in_sequence=repairable)
    assert tail(run(UTH, *before, wrong, decide("1", "check")), before) == expected


def test_a_shortage_is_not_repaired_after_the_first_burn() -> None:
    """Ruling 19: only before any burn or flop; then all hands are void (NY-5324.36(h)(3))."""
    before = [*uth("1"), *dealt("1"), STUB, decide("1", "check"), burn()]
    wrong = irregular("wrong_card_count", who="dealer", cards=1, repairable_in_sequence=True)
    assert tail(run(UTH, *before, wrong, board(3)), before) == "yn"


def test_cards_found_face_up() -> None:
    """NY-5324.36(h)(2)(ii): after the initial deal; before it the floor rules."""
    after = irregular("card_found_face_up", after_initial_deal=True)
    during = irregular("card_found_face_up", after_initial_deal=False)
    before = [*uth("1", trips="1"), stack("1")]
    ruling = irregular("floor_ruling", who="all", outcome="stands")
    result = run(
        UTH, *before, after, during, stack("dealer"), ruling, stack("dealer"), during, after, decide("1", "check")
    )
    assert tail(result, before) == "nynyynyn"


@pytest.mark.parametrize("game", [THB, TCP])
def test_a_silent_text_holds_the_round_for_the_floor(game: str) -> None:
    """While the question is open nothing is dealt, asked or settled; the ruling decides."""
    tcp = game == TCP
    size = 3 if tcp else 2
    before = [*thb("1"), stack("1", size), stack("dealer", size)]
    found = irregular("dealer_card_exposed", before_decisions_done=True)
    answer = decide("1", "play" if tcp else "flop 5")
    stands = irregular("floor_ruling", who="all", outcome="stands")
    void = irregular("floor_ruling", who="all", outcome="void")
    assert tail(run(game, *before, found, answer, COVER, REVEAL, stands, answer), before) == "ynnnyy"
    assert tail(run(game, *before, found, void, answer, collect("1"), leave("P1")), before) == "yynyy"


def test_floor_rulings_of_their_own() -> None:
    """The floor may void a hand where the text is silent; not before cards, not a hand that is none."""
    before = [*uth("1", "2"), *dealt("1", "2"), STUB]
    one = irregular("floor_ruling", who="1", outcome="void")
    assert tail(run(UTH, *before, one, decide("1", "check"), decide("2", "check")), before) == "yny"
    assert run(UTH, seat("1"), wager("1", ante=5, blind=5), one, NMB, stack("1"))[0] == "yynyy"
    other = irregular("floor_ruling", who="5", outcome="void")
    assert tail(run(UTH, *before, other), before) == "n"


def test_a_device_fault() -> None:
    """One that affects the outcome voids everything, trips too; one that does not changes nothing."""
    before = [*uth("1", trips="1"), *dealt("1"), STUB]
    harmless = irregular("device_fault", affects_outcome=False)
    fault = irregular("device_fault", affects_outcome=True)
    assert tail(run(UTH, *before, harmless, decide("1", "check"), fault, burn(), collect("1")), before) == "yyyny"
    assert run(UTH, seat("1"), wager("1", ante=5, blind=5), fault, NMB, stack("1"), leave("P1"))[0] == "yyynny"


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "wrong_card_count", "who": "1", "cards": 2, "repairable_in_sequence": True},
        {"kind": "wrong_card_count", "who": "7", "cards": 1, "repairable_in_sequence": True},
        {"kind": "wrong_card_count", "who": "2", "cards": 1, "repairable_in_sequence": True},
        {"kind": "floor_ruling", "who": "x", "outcome": "void"},
    ],
)
def test_an_irregularity_that_cannot_be(fields: Op) -> None:
    """A bad position or number refuses the operation."""
    before = [*uth("1"), *dealt("1"), STUB]
    assert tail(run(UTH, *before, {"op": "irregularity", **fields}, decide("1", "check")), before) == "ny"


# --- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ({"op": "dance"}, "unknown-op"),
        ({"op": 5}, "unknown-op"),
        ({}, "missing-key"),
        ("seat", "field-type"),
        ({"op": "seat", "position": "1"}, "missing-key"),
        ({"op": "seat", "position": "1", "player": "P", "age": 3}, "unknown-key"),
        ({"op": "no_more_bets", "now": True}, "unknown-key"),
        ({"op": "wager", "position": "1", "player": "P", "wagers": {"colour": 1}}, "unknown-key"),
        ({"op": "wager", "position": "1", "player": "P", "wagers": []}, "field-type"),
        ({"op": "withdraw", "position": "1", "player": "P", "wagers": {}}, "field-type"),
        ({"op": "card", "to": "1", "under_cover_card": "yes"}, "field-type"),
        ({"op": "correct", "of": 1, "cards": 2}, "unknown-key"),
        ({"op": "correct"}, "missing-key"),
        ({"op": "irregularity", "kind": "storm"}, "irregularity-kind"),
        ({"op": "irregularity", "kind": "device_fault"}, "missing-key"),
    ],
)
def test_an_unknown_operation_or_key_refuses_the_line(operation: Any, code: str) -> None:
    """Named; nothing of the line is run."""
    with pytest.raises(CardshoeError) as caught:
        run(UTH, seat("1"), operation)
    assert caught.value.code == code
    assert "operations[1]" in caught.value.text


@pytest.mark.parametrize(
    "case",
    [
        {"game": UTH, "method": SHOE},
        {"game": UTH, "operations": []},
        {"game": UTH, "method": SHOE, "operations": {}},
        {"game": UTH, "method": SHOE, "operations": [], "positions": []},
        {"game": UTH, "method": "shoe", "operations": []},
    ],
)
def test_a_line_that_is_refused(case: dict[str, Any]) -> None:
    """Missing or unknown keys, methods that are none."""
    with pytest.raises(CardshoeError):
        rehearsed(case)


def test_no_operation_at_all() -> None:
    """An empty rehearsal is a rehearsal."""
    assert run(UTH) == ("", {})
