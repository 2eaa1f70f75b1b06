"""A live round from the first wager to its end: what is due, what it pays, and that a replay gives the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from round_kit import STAKES, STUD, TCP, THB, UTH, Dealer

from cardshoe.cards import DECK
from cardshoe.cli.settle import settled
from cardshoe.errors import Refused
from cardshoe.games.house import parse_house
from cardshoe.round import events
from cardshoe.round.answers import answer
from cardshoe.round.effects import HandPaid, HandToRack, HandWaits, RoundEnded, WagersCollected
from cardshoe.round.events import CardTurned, DeclaredConfirmed, EntryCorrected, HandSettled, WagerPlaced
from cardshoe.round.machine import apply, find_game, find_method, new_round, open_round, replay, seats_of
from cardshoe.round.next_step import (
    AskDecision,
    AwaitStack,
    BurnCards,
    Closed,
    DealCommunity,
    ReadFaces,
    SettleHand,
    TurnDealer,
    next_step,
)
from cardshoe.round.payouts import payouts
from cardshoe.round.state import State


@pytest.mark.parametrize("game", [UTH, THB, TCP, STUD])
@pytest.mark.parametrize("method", ["automated-shoe", "manual-shoe", "hand"])
@pytest.mark.parametrize("positions", ["1", "36", "123456"])
def test_a_round_by_each_method(game: str, method: str, positions: str) -> None:
    """Doing what is due brings every round to its end, and a replay gives the same state."""
    house = {"board_from": "hand"} if game == THB else {}
    dealer = Dealer(game, dict.fromkeys(positions, STAKES[game]), method=method, house=house)
    state = dealer.whole()
    assert state.closed
    assert state.settled_in_order == tuple(reversed(positions))
    assert all(hand.collected for hand in state.hands if hand.wagers)
    assert [each.position for each in dealer.effects if isinstance(each, HandPaid)] == list(reversed(positions))
    assert sum(isinstance(each, RoundEnded) for each in dealer.effects) == 1
    assert replay(dealer.opened, dealer.events) == state
    assert payouts(replay(dealer.opened, dealer.events)) == payouts(state)
    assert isinstance(next_step(state), Closed)
    assert seats_of(state) == {position: f"player {position}" for position in positions}


@pytest.mark.parametrize(("board_from", "source"), [("hand", "hand"), ("shoe", "shoe"), (None, "hand")])
def test_where_the_board_comes_from(board_from: str | None, source: str) -> None:
    """Ruling 4: burns and board come from the hand once the stub is out, from the shoe where the house says so."""
    dealer = Dealer(THB, {"1": STAKES[THB]}, house={"board_from": board_from})
    assert dealer.until(BurnCards).source == source
    assert dealer.until(DealCommunity).source == source


def test_decisions_may_be_taken_while_the_stub_is_still_in() -> None:
    """NY-5324.36(d)(3); ruling 10.10: before the first burn is soon enough."""
    dealer = Dealer(UTH, {"1": STAKES[UTH]})
    dealer.until(AwaitStack)
    while dealer.state.stage == 0 and next_step(dealer.state).__class__.__name__ != "RemoveStub":
        for event in dealer.doing(next_step(dealer.state)):
            dealer.feed(event)
    dealer.feed(events.DecisionMade("1", "play 4x"))
    dealer.until(BurnCards)


def test_effects_of_a_fold() -> None:
    """NY-5324.36(e)(5)(ii)(a), NY-5324.36(e)(5)(ii)(b): ante and blind are collected; cards wait or go."""

    def fold_at_the_end(_state: State, asked: AskDecision, _position: str) -> str:
        return asked.choices[0]

    dealer = Dealer(UTH, {"1": STAKES[UTH], "2": {**STAKES[UTH], "trips": 500}}, answer=fold_at_the_end)
    dealer.until(TurnDealer)
    text = "NY-5324.36(e)(5)(ii)"
    assert [each for each in dealer.effects if not isinstance(each, RoundEnded)] == [
        WagersCollected("1", ("ante", "blind"), text),
        HandToRack("1", f"{text}(b)"),
        WagersCollected("2", ("ante", "blind"), text),
        HandWaits("2", ("trips",), f"{text}(a)"),
    ]
    assert [(hand.position, hand.waits) for hand in dealer.state.hands if hand.waits] == [("2", ("trips",))]


# --- faces -----------------------------------------------------------------------------------------------------------


def test_nothing_is_settled_while_a_face_is_unknown() -> None:
    """A card is read, declared or unknown; an unknown one never pays."""
    dealer = Dealer(UTH, {"1": STAKES[UTH], "2": STAKES[UTH]})
    due = dealer.until(TurnDealer)
    for event in dealer.doing(due):
        dealer.feed(event)
    with pytest.raises(Refused) as caught:
        dealer.feed(HandSettled("2"))
    assert caught.value.code == "faces-missing"
    assert next_step(dealer.state) == ReadFaces("dealer", 2)
    dealer.until(SettleHand)
    assert len(dealer.state.hand("2").faces) == 2


@pytest.mark.parametrize("source", ["guessed", "inferred", "", "Read"])
def test_only_read_and_declared_faces_exist(source: str) -> None:
    """An inferred card never pays: it has no name."""
    dealer = Dealer(UTH, {"1": STAKES[UTH]})
    dealer.until(ReadFaces)
    with pytest.raises(Refused) as caught:
        dealer.feed(CardTurned("As", "board", source))
    assert caught.value.code == "face-source"


def test_entered_cards_are_marked_corrected_and_confirmed() -> None:
    """The dealer enters a card that cannot be read: it is declared, can be corrected, and the floor confirms it."""
    dealer = Dealer(UTH, {"1": STAKES[UTH]})
    dealer.until(ReadFaces)
    dealer.feed(CardTurned("As", "board", "declared"))
    dealer.feed(EntryCorrected(CardTurned("Ah", "board", "declared")))
    dealer.feed(CardTurned("Kd", "board", "read"))
    dealer.feed(EntryCorrected(CardTurned("Ad", "board", "declared")))
    assert [card.text for card in dealer.state.board_faces] == ["Ad", "Kd"]
    assert dealer.state.declared == ("Ad",)
    with pytest.raises(Refused):
        dealer.feed(DeclaredConfirmed("dealer"))
    dealer.feed(DeclaredConfirmed("floor"))
    assert dealer.state.declared == ()
    with pytest.raises(Refused):
        dealer.feed(DeclaredConfirmed("floor"))
    with pytest.raises(Refused) as caught:
        dealer.feed(EntryCorrected(CardTurned("As", "board", "declared")))
    assert caught.value.code == "nothing-to-correct"


def test_a_corrected_card_that_was_seen_already_holds() -> None:
    """A correction is an entry like any other."""
    dealer = Dealer(UTH, {"1": STAKES[UTH]})
    dealer.until(ReadFaces)
    dealer.feed(CardTurned("As", "board", "read"))
    dealer.feed(CardTurned("Kd", "board", "declared"))
    dealer.feed(EntryCorrected(CardTurned("As", "board", "declared")))
    assert [hold.code for hold in dealer.state.holds] == ["card-seen-twice"]
    assert [card.text for card in dealer.state.board_faces] == ["As"]


# --- kinds of wagers, maximum, bad openings --------------------------------------------------------------------------


def test_the_kind_of_a_wager_is_recorded() -> None:
    """NY-5324.35(c)(1), NY-5324.36(c)(1): chips, plaques or coupons."""
    dealer = Dealer(UTH, {"1": STAKES[UTH]})
    dealer.feed(WagerPlaced("1", "player 1", {"trips": 500}, {"trips": "coupon"}))
    dealer.feed(WagerPlaced("1", "player 1", {"ante": 2000, "blind": 2000}, {"ante": "plaque"}))
    assert dealer.state.hand("1").kinds == {"trips": "coupon", "ante": "plaque"}
    for kinds in ({"ante": "button"}, {"play": "chips"}):
        with pytest.raises(Refused) as caught:
            dealer.feed(WagerPlaced("1", "player 1", {"ante": 3000, "blind": 3000}, kinds))
        assert (caught.value.code, caught.value.cites) == ("wager-kind", "NY-5324.36(c)(1)")


def test_the_maximum_of_a_table() -> None:
    """A table's own maximum for each spot."""
    opened = events.RoundOpened(1, THB, "hand", {}, {"1": "P"}, maximum_cents={"ante": 5000, "flop": 6000})
    state = open_round(opened)
    with pytest.raises(Refused) as caught:
        apply(state, WagerPlaced("1", "P", {"ante": 5001}))
    assert caught.value.code == "wager-maximum"
    for event in [WagerPlaced("1", "P", {"ante": 5000}), events.NoMoreBetsCalled()]:
        state, _ = apply(state, event)
    for to in ("1", "dealer", "1", "dealer"):
        state, _ = apply(state, events.CardDealt(to))
    with pytest.raises(Refused) as caught:
        apply(state, events.DecisionMade("1", "flop 6001"))
    assert caught.value.code == "wager-maximum"
    apply(state, events.DecisionMade("1", "flop 6000"))


# --- the live table and `settle` agree -------------------------------------------------------------------------------

CHOICES = st.integers(min_value=0, max_value=3)


@st.composite
def rounds(draw: st.DrawFn) -> tuple[str, dict[str, dict[str, int]], list[str], list[int]]:
    """A game, wagers, a shuffled deck and a stream of choices."""
    game = draw(st.sampled_from([UTH, THB, TCP, STUD]))
    positions = draw(st.lists(st.sampled_from("123456"), min_size=1, max_size=6, unique=True))
    wagers: dict[str, dict[str, int]] = {}
    for position in sorted(positions):
        ante = draw(st.integers(min_value=1, max_value=30_000))
        stake = dict.fromkeys(STAKES[game], ante)
        side = {UTH: "trips", THB: "bonus", TCP: "pair_plus", STUD: ""}[game]
        if side and draw(st.booleans()):
            stake[side] = draw(st.integers(min_value=100, max_value=200_000))
            if game == TCP and draw(st.booleans()):
                stake["six_card"] = draw(st.integers(min_value=1, max_value=200_000))
        wagers[position] = stake
    deck = draw(st.permutations([card.text for card in DECK]))
    return game, wagers, deck, draw(st.lists(CHOICES, min_size=24, max_size=24))


@settings(max_examples=150)
@given(rounds())
def test_the_live_table_and_settle_agree(case: tuple[str, dict[str, dict[str, int]], list[str], list[int]]) -> None:
    """NY-5324.35(e)(8), NY-5324.36(e)(8), NJ-69F-20.12A(c): a round played live pays what `settle` recomputes; money:
    no stake comes back twice, nothing is won beyond the limit."""
    game, wagers, deck, picks = case
    size = 3 if game == TCP else 2
    cards = {place: tuple(deck[at * size : at * size + size]) for at, place in enumerate([*wagers, "dealer"])}
    cards["board"] = tuple(deck[30:35])
    stream = iter(picks)

    def pick(state: State, asked: AskDecision, position: str) -> str:
        label = asked.choices[next(stream) % len(asked.choices)]
        if label in ("flop", "turn", "river"):
            return f"{label} {state.hand(position).wagers['ante'] * 2}"
        return label

    dealer = Dealer(game, wagers, house={"payout_limit": 5_000_000}, answer=pick, faces=cards)
    state = dealer.whole()
    record: dict[str, Any] = {
        "id": 1,
        "game": game,
        "house": {"payout_limit": 5_000_000},
        "positions": {
            at: {"wagers": stake, "cards": list(cards[at]), "actions": list(state.hand(at).decided)}
            for at, stake in wagers.items()
        },
        "board": list(cards["board"])[: find_game(game).board_cards],
    }
    if game != STUD:
        record["dealer"] = list(cards["dealer"])
    expected = settled(record)
    assert {"game": game, **answer(state)} == expected
    for hand in state.hands:
        if not hand.wagers or hand.result is None:
            continue
        assert {each.spot: each.staked_cents for each in hand.result.wagers if each.staked_cents} == hand.wagers
        assert hand.result.won_cents == sum(each.won_cents for each in hand.result.wagers) <= 5_000_000
        for each in hand.result.wagers:
            assert each.returned_cents in (0, each.staked_cents)
            assert each.won_cents >= 0
    assert replay(dealer.opened, dealer.events) == state


def test_bad_openings() -> None:
    """A game, a method or a house that is none is named."""
    for opened in (
        events.RoundOpened(1, "whist", "hand", {}),
        events.RoundOpened(1, UTH, "mouth", {}),
        events.RoundOpened(1, UTH, "hand", {"flop_multiple": 1}),
    ):
        with pytest.raises(Exception, match=r"whist|mouth|flop_multiple"):
            open_round(opened)
    game = find_game(UTH)
    state = new_round(game, parse_house(game, {}), find_method(game, "hand"), 1, {}, live=False)
    assert state.betting


def test_the_account_of_a_round_holds_every_wager() -> None:
    """Promise P6: what was lost by a fold or given back by a void stands in the account, each with its clause."""

    def fold_first(_state: State, asked: AskDecision, position: str) -> str:
        return asked.choices[0] if position == "1" else asked.choices[-1]

    dealer = Dealer(UTH, {"1": STAKES[UTH], "2": STAKES[UTH], "3": STAKES[UTH]}, answer=fold_first)
    command, due = dealer.request()
    dealer.feed(events.StackDelivered(command, due.to, 2))
    command, due = dealer.request()
    dealer.feed(events.StackDelivered(command, due.to, 3))
    dealer.feed(events.HoldCleared("stack-wrong-count", "by-rule", "floor", "three cards"))
    account: Any = payouts(dealer.whole())
    given_back = {
        each["spot"]: (each["outcome"], each["cites"]) for each in account["positions"]["2"]["result"]["wagers"]
    }
    lost = {each["spot"]: (each["outcome"], each["cites"]) for each in account["positions"]["1"]["result"]["wagers"]}
    assert given_back == dict.fromkeys(("ante", "blind"), ("void", "NY-5324.36(h)(3)"))
    assert lost == dict.fromkeys(("ante", "blind"), ("lose", "NY-5324.36(e)(5)(ii)"))
    for hand in account["positions"].values():
        assert sum(each["staked_cents"] for each in hand["result"]["wagers"]) == sum(hand["wagers"].values())
