"""What holds a live round, who may answer, what each answer does; and that nothing is dealt meanwhile (promise P5)."""

from __future__ import annotations

from typing import Any

import pytest
from round_kit import STAKES, TCP, THB, UTH, Dealer

from cardshoe.cards import DECK
from cardshoe.error_table import ERROR_TABLE, Clears
from cardshoe.errors import Refused
from cardshoe.games.verdicts import Case
from cardshoe.round import events
from cardshoe.round.effects import HoldClosed, HoldOpened, WagersReturned
from cardshoe.round.events import (
    AlarmRaised,
    CardTurned,
    CoverCardInserted,
    Event,
    FloorRuled,
    ForeignCardSeen,
    HoldCleared,
    IrregularityFound,
    StackDelivered,
    StackNotMoved,
    StackRequested,
    StackUnknown,
    StubRemoved,
)
from cardshoe.round.irregular import may_clear
from cardshoe.round.machine import apply
from cardshoe.round.next_step import (
    AskDecision,
    AwaitStack,
    BurnCards,
    Held,
    ReadFaces,
    RequestStack,
    SettleHand,
    next_step,
)
from cardshoe.round.state import Status


def clear(dealer: Dealer, code: str, choice: str, role: str = "floor", second: str = "") -> None:
    """Answer a question."""
    dealer.feed(HoldCleared(code, choice, role, "looked at it", second))


def codes(dealer: Dealer) -> list[str]:
    """The open questions."""
    return [hold.code for hold in dealer.state.holds]


def nothing_moves(dealer: Dealer) -> None:
    """While a question is open no act is taken, whatever it is."""
    state = dealer.state
    assert isinstance(next_step(state), Held)
    acts: list[Event] = [
        StackRequested(99, "1", 2),
        events.CardDealt("1"),
        events.CardBurned(1),
        events.BoardDealt(3),
        events.DealerRevealed(),
        events.DecisionMade("1", "check"),
        events.HandSettled("1"),
        events.HandCollected("1"),
        events.RoundCompleted(),
        events.PlayerLeft("player 1"),
        events.EntryCorrected(events.DecisionMade("1", "check")),
    ]
    for act in acts:
        with pytest.raises(Refused) as caught:
            apply(state, act)
        assert caught.value.code == "held"


def void_and_returned(dealer: Dealer, cents: int) -> None:
    """All hands are void and `cents` went back in all."""
    assert {hand.status for hand in dealer.state.hands} <= {Status.VOID, Status.EMPTY}
    assert sum(each.total_cents for each in dealer.effects if isinstance(each, WagersReturned)) == cents


def two(game: str = UTH) -> Dealer:
    """A round of two positions, no card dealt."""
    return Dealer(game, {"1": STAKES[game], "2": STAKES[game]})


# --- stacks ----------------------------------------------------------------------------------------------------------


def test_a_command_is_used_once() -> None:
    """Promise P1: never two under one id; after "nothing moved" the same id may be sent again."""
    dealer = two()
    command, due = dealer.request()
    with pytest.raises(Refused) as caught:
        dealer.feed(StackRequested(command + 1, due.to, 2))
    assert caught.value.code == "stack-pending"
    dealer.feed(StackDelivered(command, due.to, 2))
    with pytest.raises(Refused) as caught:
        dealer.feed(StackRequested(command, "2", 2))
    assert caught.value.code == "command-used"
    second, _ = dealer.request()
    dealer.feed(StackNotMoved(second, "never seen"))
    assert isinstance(next_step(dealer.state), RequestStack)
    dealer.feed(StackRequested(second, "2", 2))
    dealer.feed(StackNotMoved(77, "an old answer"))
    assert isinstance(next_step(dealer.state), AwaitStack)


def test_the_dealers_request_can_be_taken_back_when_nothing_moved() -> None:
    """NY-5324.36(d)(2): the cover card may go in again while the dealer's stack is not on its way."""
    dealer = Dealer(UTH, {"1": STAKES[UTH]})
    dealer.request()
    dealer.until(RequestStack)
    command, _ = dealer.request()
    dealer.feed(StackNotMoved(command, "refused"))
    dealer.feed(CoverCardInserted())
    assert dealer.state.cover_card_in
    assert codes(dealer) == []


@pytest.mark.parametrize(("choice", "after"), [("retrieved", AwaitStack), ("void-all", None)])
def test_a_stack_that_nobody_asked_for(choice: str, after: type[Any] | None) -> None:
    """Unknown command: held; its cards are taken back unseen, or the round is void."""
    dealer = two()
    dealer.request()
    dealer.feed(StackDelivered(500, "2", 2))
    assert codes(dealer) == ["stack-not-asked"]
    assert dealer.state.hand("2").dealt == 0
    nothing_moves(dealer)
    clear(dealer, "stack-not-asked", choice)
    if after is None:
        void_and_returned(dealer, 4000)
    else:
        assert isinstance(next_step(dealer.state), after)


def test_a_stack_when_none_is_asked_for() -> None:
    """Before "no more bets" too: never an exception, never a card."""
    dealer = two()
    dealer.feed(StackDelivered(1, "1", 2))
    assert codes(dealer) == ["stack-not-asked"]
    assert dealer.state.betting
    clear(dealer, "stack-not-asked", "retrieved")
    dealer.whole()


@pytest.mark.parametrize("choice", ["moved", "void-all"])
def test_a_stack_taken_at_the_wrong_place(choice: str) -> None:
    """The floor rules: moved unseen with no card dealt since, or void."""
    dealer = two()
    command, due = dealer.request()
    dealer.feed(StackDelivered(command, "2", 2))
    assert codes(dealer) == ["stack-wrong-place"]
    assert dealer.state.hold is not None
    assert dealer.state.hold.who == due.to == "1"
    nothing_moves(dealer)
    clear(dealer, "stack-wrong-place", choice)
    if choice == "moved":
        assert dealer.state.hand("1").dealt == 2
        assert dealer.state.hand("2").dealt == 0
        dealer.whole()
    else:
        void_and_returned(dealer, 4000)


def test_a_stack_of_wrong_size_at_the_wrong_place_asks_twice() -> None:
    """First where it is, then how many it has."""
    dealer = two()
    command, _ = dealer.request()
    dealer.feed(StackDelivered(command, "2", 3))
    clear(dealer, "stack-wrong-place", "moved")
    assert codes(dealer) == ["stack-wrong-count"]


@pytest.mark.parametrize("cards", [0, 1, 3])
@pytest.mark.parametrize("choice", ["by-rule", "misread"])
def test_a_players_stack_of_wrong_size(cards: int, choice: str) -> None:
    """NY-5324.36(h)(3): that hand is void, the others play on; or the sensor was wrong."""
    dealer = two()
    command, _ = dealer.request()
    dealer.feed(StackDelivered(command, "1", cards))
    assert codes(dealer) == ["stack-wrong-count"]
    assert dealer.state.hold is not None
    assert dealer.state.hold.choices == ("by-rule", "misread")
    assert dealer.state.hold.cites == "NY-5324.36(h)(3)"
    nothing_moves(dealer)
    clear(dealer, "stack-wrong-count", choice)
    dealer.whole()
    status = Status.VOID if choice == "by-rule" else Status.LIVE
    assert dealer.state.hand("1").status is status
    assert dealer.state.hand("2").result is not None


@pytest.mark.parametrize(
    ("cards", "choice", "void"),
    [
        (1, "repaired", False),
        (1, "by-rule", True),
        (1, "misread", False),
        (3, "by-rule", True),
        (3, "misread", False),
    ],
)
def test_the_dealers_stack_of_wrong_size(cards: int, choice: str, void: bool) -> None:
    """NY-5324.36(h)(3): a shortage can be repaired in sequence, too many cannot (ruling 10.6)."""
    dealer = Dealer(UTH, {"1": STAKES[UTH]})
    command, _ = dealer.request()
    dealer.feed(StackDelivered(command, "1", 2))
    command, _ = dealer.request()
    dealer.feed(StackDelivered(command, "dealer", cards))
    hold = dealer.state.hold
    assert hold is not None
    assert ("repaired" in hold.choices) is (cards == 1)
    clear(dealer, "stack-wrong-count", choice)
    if void:
        void_and_returned(dealer, 2000)
    else:
        assert dealer.state.dealer_dealt == 2
        dealer.whole()


@pytest.mark.parametrize("game", [THB, TCP])
@pytest.mark.parametrize("choice", ["void-hand", "void-all", "stands"])
def test_a_stack_of_wrong_size_where_the_text_is_silent(game: str, choice: str) -> None:
    """The floor rules: this hand, all hands, or it stands (and is made right)."""
    dealer = two(game)
    command, due = dealer.request()
    dealer.feed(StackDelivered(command, "1", due.cards - 1))
    hold = dealer.state.hold
    assert hold is not None
    assert hold.choices == ("void-hand", "void-all", "stands")
    clear(dealer, "stack-wrong-count", choice)
    if choice == "void-all":
        void_and_returned(dealer, 2000)
        return
    dealer.whole()
    assert dealer.state.hand("1").status is (Status.LIVE if choice == "stands" else Status.VOID)


@pytest.mark.parametrize("choice", ["delivered", "not-moved", "void-all"])
def test_a_stack_whose_outcome_nobody_knows(choice: str) -> None:
    """Promise P1: a power cut in mid-feed is held for a person, who looks."""
    dealer = two()
    command, _ = dealer.request()
    dealer.feed(StackUnknown(command, "power cut in mid-feed"))
    assert codes(dealer) == ["stack-unknown"]
    nothing_moves(dealer)
    clear(dealer, "stack-unknown", choice)
    if choice == "delivered":
        assert dealer.state.hand("1").dealt == 2
        dealer.whole()
    elif choice == "not-moved":
        with pytest.raises(Refused) as caught:
            dealer.feed(StackRequested(command, "1", 2))
        assert caught.value.code == "command-used"
        dealer.whole()
    else:
        void_and_returned(dealer, 4000)


def test_an_unknown_outcome_of_nothing_pending() -> None:
    """A late word about a command that is settled already."""
    dealer = two()
    command, _ = dealer.request()
    dealer.feed(StackDelivered(command, "1", 2))
    dealer.feed(StackUnknown(command, "restart"))
    hold = dealer.state.hold
    assert hold is not None
    assert hold.choices == ("continue", "void-all")
    clear(dealer, "stack-unknown", "continue")
    dealer.whole()


def test_a_late_delivery_while_held_is_still_counted() -> None:
    """Reports are taken while a question is open: the stack that was on its way arrives."""
    dealer = two()
    command, _ = dealer.request()
    dealer.feed(AlarmRaised("stub", "the door was opened"))
    dealer.feed(StackDelivered(command, "1", 2))
    assert dealer.state.hand("1").dealt == 2
    assert codes(dealer) == ["stub"]
    clear(dealer, "stub", "continue")
    dealer.whole()


# --- cover card, stub ------------------------------------------------------------------------------------------------


def test_a_cover_card_after_the_dealers_request() -> None:
    """NY-5324.36(d)(2): held; taken out again, the round goes on."""
    dealer = Dealer(UTH, {"1": STAKES[UTH]})
    command, _ = dealer.request()
    dealer.feed(StackDelivered(command, "1", 2))
    dealer.request()
    dealer.feed(CoverCardInserted())
    assert codes(dealer) == ["cover-card"]
    assert dealer.state.hold is not None
    assert dealer.state.hold.cites == "NY-5324.36(d)(2)"
    assert not dealer.state.cover_card_in
    clear(dealer, "cover-card", "removed")
    dealer.whole()


def test_a_second_cover_card() -> None:
    """Ruling 10.9: one at most."""
    dealer = two()
    dealer.feed(CoverCardInserted())
    dealer.feed(CoverCardInserted())
    assert codes(dealer) == ["cover-card"]


def test_the_stub_leaves_too_early() -> None:
    """NY-5324.36(d)(3): before the dealer's stack; held."""
    dealer = two()
    dealer.request()
    dealer.feed(StubRemoved())
    assert codes(dealer) == ["stub"]
    nothing_moves(dealer)
    clear(dealer, "stub", "void-all")
    void_and_returned(dealer, 4000)


# --- faces -----------------------------------------------------------------------------------------------------------


def test_a_card_seen_twice() -> None:
    """A card that was seen before holds the round; two people clear it: a misreading, or void."""
    dealer = two()
    dealer.until(ReadFaces)
    dealer.feed(CardTurned("As", "board", "read"))
    dealer.feed(CardTurned("As", "board", "read"))
    assert codes(dealer) == ["card-seen-twice"]
    assert len(dealer.state.board_faces) == 1
    for role, second in (("floor", ""), ("dealer", "floor"), ("technician", "floor"), ("floor", "guest")):
        with pytest.raises(Refused) as caught:
            clear(dealer, "card-seen-twice", "misread", role, second)
        assert caught.value.code == "role"
    clear(dealer, "card-seen-twice", "misread", "floor", "dealer")
    assert next_step(dealer.state) == ReadFaces("board", 2)


def test_the_same_question_is_asked_once() -> None:
    """A reader that repeats itself does not pile up questions."""
    dealer = two()
    dealer.until(ReadFaces)
    for _ in range(3):
        dealer.feed(CardTurned("As", "board", "read"))
    assert codes(dealer) == ["card-seen-twice"]
    assert sum(isinstance(each, HoldOpened) for each in dealer.effects) == 1


def test_a_foreign_card() -> None:
    """A card that is not of this deck: two people; void returns everything."""
    dealer = Dealer(UTH, {"1": {**STAKES[UTH], "trips": 500}})
    dealer.until(ReadFaces)
    dealer.feed(ForeignCardSeen("board", "the shoe answers mismatch"))
    assert codes(dealer) == ["foreign-card"]
    clear(dealer, "foreign-card", "void-all", "floor", "floor")
    void_and_returned(dealer, 2500)


def test_a_dealers_card_seen_before_the_decisions() -> None:
    """NY-5324.36(h)(1), NY-5324.36(h)(2)(i): a table reader sees it; the text rules, trips is settled."""
    dealer = Dealer(UTH, {"1": {**STAKES[UTH], "trips": 500}, "2": STAKES[UTH]})
    dealer.until(AskDecision)
    dealer.feed(CardTurned("As", "dealer", "read"))
    hold = dealer.state.hold
    assert hold is not None
    assert (hold.code, hold.choices, hold.cites) == ("dealer-card-seen", ("by-rule", "misread"), "NY-5324.36(h)(1)")
    assert dealer.state.dealer_faces == ()
    nothing_moves(dealer)
    clear(dealer, "dealer-card-seen", "by-rule")
    dealer.until(SettleHand)
    assert dealer.state.board_dealt == 5
    dealer.whole()
    result = dealer.state.hand("1").result
    assert result is not None
    assert [each.outcome for each in result.wagers] == ["void", "void", result.wagers[2].outcome]
    assert result.wagers[2].spot == "trips"
    assert result.wagers[2].cites == "NY-5324.36(h)(2)(i)"
    assert dealer.state.settled_in_order == ()


def test_a_false_sight_of_a_dealers_card() -> None:
    """The floor sees that the reader erred: the round goes on."""
    dealer = two()
    dealer.until(AskDecision)
    dealer.feed(CardTurned("As", "dealer", "read"))
    clear(dealer, "dealer-card-seen", "misread")
    dealer.whole()


def test_void_cards_may_be_seen() -> None:
    """After NY-5324.36(h)(1) the dealer's cards and a void hand are no secret; a card of theirs that turns up again on
    the board still holds the round."""
    dealer = Dealer(UTH, {"1": {**STAKES[UTH], "trips": 500}, "2": STAKES[UTH]})
    dealer.until(AskDecision)
    dealer.feed(IrregularityFound(Case.DEALER_CARD_SEEN_EARLY, "dealer"))
    dealer.feed(CardTurned("As", "dealer", "read"))
    dealer.feed(CardTurned("Ks", "2", "read"))
    assert codes(dealer) == []
    assert dealer.state.dealer_faces == ()
    assert dealer.state.hand("2").faces == ()
    dealer.until(ReadFaces)
    dealer.feed(CardTurned("Ks", "board", "read"))
    assert codes(dealer) == ["card-seen-twice"]


@pytest.mark.parametrize("place", ["1", "2", "board", "5"])
def test_a_face_where_none_is_due(place: str) -> None:
    """Promise P4: before its time a face is no face; the floor looks."""
    dealer = two()
    dealer.until(AskDecision)
    dealer.feed(CardTurned("As", place, "read"))
    assert codes(dealer) == ["card-unexpected"]
    assert dealer.state.seen == frozenset()
    clear(dealer, "card-unexpected", "continue")
    dealer.whole()


# --- alarms, roles, reasons ------------------------------------------------------------------------------------------


def test_an_alarm_blocks_until_the_one_who_may_clears_it() -> None:
    """Promise P5; the error table says who."""
    by_role = {meaning.clears: code for code, meaning in ERROR_TABLE.items()}
    for clears, code in by_role.items():
        dealer = two()
        dealer.feed(AlarmRaised(code, "something is wrong"))
        if clears is Clears.NOBODY_NEEDED:
            assert codes(dealer) == []
            continue
        assert codes(dealer) == [code]
        nothing_moves(dealer)
        with pytest.raises(Refused) as caught:
            dealer.feed(HoldCleared(code, "continue", "guest", "because"))
        assert caught.value.code == "role"
        role = "technician" if clears is Clears.TECHNICIAN else "floor"
        for reason in ("", "   "):
            with pytest.raises(Refused) as caught:
                dealer.feed(HoldCleared(code, "continue", role, reason, "floor"))
            assert caught.value.code == "reason"
        dealer.feed(HoldCleared(code, "continue", role, "cleared the jam", "floor"))
        assert any(isinstance(each, HoldClosed) and each.choice == "continue" for each in dealer.effects)
        dealer.whole()


def test_an_alarm_of_an_unknown_code_is_for_the_floor() -> None:
    """A report is never refused."""
    dealer = two()
    dealer.feed(AlarmRaised("no-such-code", "what is this"))
    assert dealer.state.hold is not None
    assert dealer.state.hold.clears is Clears.FLOOR


def test_questions_are_answered_by_their_code_and_their_choices() -> None:
    """Two open questions: each by its own code; the round goes on after the last."""
    dealer = two()
    dealer.feed(AlarmRaised("stub", "first"))
    dealer.feed(AlarmRaised("foreign-card", "second"))
    assert codes(dealer) == ["stub", "foreign-card"]
    for code, choice, expected in (
        ("cover-card", "removed", "no-hold"),
        ("stub", "delivered", "hold-choice"),
        ("stub", "", "hold-choice"),
    ):
        with pytest.raises(Refused) as caught:
            clear(dealer, code, choice)
        assert caught.value.code == expected
    clear(dealer, "foreign-card", "continue", "floor", "dealer")
    nothing_moves(dealer)
    clear(dealer, "stub", "continue")
    dealer.whole()


@pytest.mark.parametrize("clears", list(Clears))
def test_who_may_clear_what(clears: Clears) -> None:
    """A dealer never clears what is the floor's; two people are two."""
    allowed = {
        (role, second)
        for role in ("dealer", "floor", "technician", "guest")
        for second in ("", "dealer", "floor", "guest")
        if may_clear(clears, role, second)
    }
    assert (("guest", "floor") in allowed) is (clears is Clears.NOBODY_NEEDED)
    assert (("dealer", "") in allowed) is (clears in (Clears.NOBODY_NEEDED, Clears.DEALER))
    assert (("floor", "") in allowed) is (clears in (Clears.NOBODY_NEEDED, Clears.DEALER, Clears.FLOOR))
    assert (("floor", "dealer") in allowed) is (clears is not Clears.TECHNICIAN)


# --- rulings ---------------------------------------------------------------------------------------------------------


def test_a_ruling_fits_the_question() -> None:
    """A floor ruling answers the silent case it is about, not another question."""
    dealer = two(THB)
    dealer.until(AskDecision)
    dealer.feed(IrregularityFound(Case.PLAYER_WRONG_COUNT, "1", 3))
    assert codes(dealer) == ["floor-ruling"]
    with pytest.raises(Refused):
        dealer.feed(FloorRuled("2", "void"))
    with pytest.raises(Refused):
        dealer.feed(FloorRuled("1", "maybe"))
    dealer.feed(FloorRuled("1", "void", "three cards"))
    assert dealer.state.hand("1").status is Status.VOID
    dealer.feed(AlarmRaised("stub", "door"))
    with pytest.raises(Refused):
        dealer.feed(FloorRuled("2", "void"))
    clear(dealer, "stub", "continue")
    dealer.whole()
    assert dealer.state.hand("2").result is not None


def test_a_round_that_is_void_goes_to_its_end() -> None:
    """After a void everything is collected; the next round opens."""
    dealer = two()
    dealer.until(BurnCards)
    dealer.feed(IrregularityFound(Case.DEVICE_FAULT))
    void_and_returned(dealer, 4000)
    dealer.whole()
    assert dealer.state.closed


def test_a_late_report_to_a_closed_round_changes_nothing() -> None:
    """Between rounds a report is the table's business; an act is refused."""
    dealer = two()
    state = dealer.whole()
    late: list[Event] = [
        StackDelivered(1, "1", 2),
        StackUnknown(1, "?"),
        CoverCardInserted(),
        StubRemoved(),
        AlarmRaised("stub", "door"),
        CardTurned(DECK[0].text, "board", "read"),
    ]
    for event in late:
        assert apply(state, event) == (state, ())
    with pytest.raises(Refused) as caught:
        dealer.feed(events.NoMoreBetsCalled())
    assert caught.value.code == "round-closed"
