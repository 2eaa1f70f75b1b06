"""Laws of the machine under any sequence of events: promise P3 in a model of its own; only refusals are raised."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from round_kit import STAKES, STUD, TCP, THB, UTH

from cardshoe.cards import DECK
from cardshoe.errors import InputError, Refused
from cardshoe.games.verdicts import Case
from cardshoe.round import events
from cardshoe.round.events import REPORTS, Event, RoundOpened
from cardshoe.round.machine import apply, open_round
from cardshoe.round.next_step import (
    AskDecision,
    AwaitStack,
    BurnCards,
    CollectHand,
    DealCommunity,
    Held,
    ReadFaces,
    RemoveStub,
    RequestStack,
    SettleHand,
    TakeWagers,
    TurnCommunity,
    TurnDealer,
    next_step,
)
from cardshoe.round.records import from_record, to_record
from cardshoe.round.state import State, Status

PLACES = st.sampled_from(["1", "2", "3", "dealer", "board", "6", "7"])
FACES = st.sampled_from([card.text for card in DECK[::3]])
ACTIONS = st.sampled_from(
    ["check", "play 4x", "play 2x", "play 1x", "fold", "flop 2000", "turn 5", "river 5", "play", "bet 1x"]
)
COUNTS = st.sampled_from([1, 2, 3])

ANY_EVENT: st.SearchStrategy[Event] = st.one_of(
    st.builds(events.PlayerSeated, PLACES, st.sampled_from(["A", "B"])),
    st.builds(events.PlayerLeft, st.sampled_from(["A", "B", "player 1"])),
    st.builds(events.WagerPlaced, PLACES, st.sampled_from(["player 1", "player 2", "A"]), st.just({"ante": 2000})),
    st.builds(events.WagerWithdrawn, PLACES, st.just("player 1"), st.just(("ante",))),
    st.just(events.NoMoreBetsCalled()),
    st.builds(events.StackRequested, st.integers(1, 9), PLACES, COUNTS),
    st.builds(events.StackDelivered, st.integers(1, 9), PLACES, COUNTS),
    st.builds(events.StackNotMoved, st.integers(1, 9), st.just("?")),
    st.builds(events.StackUnknown, st.integers(1, 9), st.just("?")),
    st.just(events.CoverCardInserted()),
    st.just(events.StubRemoved()),
    st.builds(events.CardDealt, PLACES),
    st.builds(events.CardBurned, COUNTS),
    st.builds(events.BoardDealt, COUNTS),
    st.builds(events.BoardTurned, COUNTS),
    st.builds(events.DecisionMade, PLACES, ACTIONS),
    st.just(events.DealerRevealed()),
    st.builds(
        events.CardTurned, FACES, PLACES.filter(lambda place: place != "7"), st.sampled_from(["read", "declared"])
    ),
    st.builds(events.ForeignCardSeen, PLACES, st.just("?")),
    st.builds(events.HandSettled, PLACES),
    st.builds(events.HandCollected, PLACES),
    st.just(events.RoundCompleted()),
    st.builds(events.IrregularityFound, st.sampled_from(Case), PLACES, COUNTS),
    st.builds(events.FloorRuled, st.sampled_from(["all", "1", "2", "9"]), st.sampled_from(["void", "stands", "?"])),
    st.builds(events.AlarmRaised, st.sampled_from(["stub", "foreign-card", "action"]), st.just("?")),
    st.builds(
        events.HoldCleared,
        st.sampled_from(["stub", "stack-wrong-count", "floor-ruling", "card-seen-twice"]),
        st.sampled_from(["continue", "void-all", "stands", "by-rule", "misread"]),
        st.just("floor"),
        st.just("why"),
        st.just("dealer"),
    ),
    st.builds(events.EntryCorrected, st.builds(events.DecisionMade, PLACES, ACTIONS)),
)
DUE = st.just("due")


def _due(state: State, number: int, face: str) -> Event | None:
    """What a dealer would do now, or the floor."""
    step = next_step(state)
    table: dict[type, Event | None] = {}
    match step:
        case Held():
            choice = step.hold.choices[number % len(step.hold.choices)]
            second = "dealer"
            return events.HoldCleared(step.hold.code, choice, "floor", "looked", second)
        case TakeWagers():
            return events.NoMoreBetsCalled()
        case RequestStack():
            return events.StackRequested(number, step.to, step.cards)
        case AwaitStack():
            return events.StackDelivered(step.command_id, step.to, step.cards)
        case RemoveStub():
            return events.StubRemoved()
        case AskDecision():
            label = step.choices[number % len(step.choices)]
            amount = f"{label} 5" if label in ("flop", "turn", "river") else label
            return events.DecisionMade(step.positions[0], amount)
        case BurnCards():
            return events.CardBurned(step.cards)
        case DealCommunity():
            return events.BoardDealt(step.cards)
        case TurnCommunity():
            return events.BoardTurned(step.cards)
        case TurnDealer():
            return events.DealerRevealed()
        case ReadFaces():
            return events.CardTurned(face, step.place, "read")
        case SettleHand():
            return events.HandSettled(step.position)
        case CollectHand():
            return events.HandCollected(step.position)
        case _:
            return table.get(type(step))


class Model:
    """Promise P3 by itself: who wagered, who has cards, what was asked for; knows nothing of scripts."""

    def __init__(self) -> None:
        self.commands: set[int] = set()
        self.burned = self.board = 0
        self.dealer_asked = False

    def check(self, before: State, event: Event, after: State) -> None:
        """What must hold after an accepted event."""
        if isinstance(event, events.StackRequested):
            assert not before.betting, "a stack before no more bets"
            assert not before.holds, "a stack while held"
            assert event.command_id not in self.commands, "a command twice"
            if event.to == "dealer":
                waiting = [hand for hand in before.hands if hand.status is Status.LIVE and hand.dealt == 0]
                assert waiting == [], "the dealer before a player"
            else:
                hand = before.hand(event.to)
                assert hand.wagers, "a stack without a wager"
                assert hand.dealt == 0, "two stacks for one hand"
            self.commands.add(event.command_id)
        if isinstance(event, events.StackNotMoved):
            self.commands.discard(event.command_id)
        if isinstance(event, events.CoverCardInserted) and after.cover_card_in and not before.cover_card_in:
            assert not before.dealer_requested, "a cover card after the dealer's request"
        if isinstance(event, events.BoardDealt | events.CardBurned):
            assert not before.holds
            assert before.pending is None
        if isinstance(event, events.DealerRevealed):
            undecided = [hand for hand in before.hands if hand.status is Status.LIVE and not hand.dealt]
            assert undecided == []
        self.always(after)

    def always(self, state: State) -> None:
        """What holds in every state."""
        laid = sum(hand.dealt for hand in state.hands) + state.dealer_dealt
        assert laid + state.burned + state.board_dealt <= 52
        faces = [*state.board_faces, *state.dealer_faces, *(card for hand in state.hands for card in hand.faces)]
        assert len(faces) == len(set(faces)), "a card twice"
        assert set(faces) <= state.seen
        assert len(state.board_faces) <= state.board_up <= state.board_dealt
        assert not state.dealer_faces or state.dealer_revealed
        for hand in state.hands:
            assert bool(hand.wagers) is (hand.status is not Status.EMPTY)
            assert (hand.void is None) is (hand.status is not Status.VOID)


CASES = (
    st.sampled_from([UTH, THB, TCP, STUD]),
    st.sampled_from(["automated-shoe", "automated-shoe", "hand"]),
    st.lists(st.one_of(DUE, DUE, DUE, DUE, DUE, ANY_EVENT), max_size=90),
    st.permutations([card.text for card in DECK]),
)


@settings(max_examples=250)
@given(*CASES)
def test_any_sequence_of_events(game: str, method: str, plan: list[Event | str], deck: list[str]) -> None:
    """NY-5324.35(d)(2), NY-5324.36(d)(2): promise P3 under any events."""
    run_any(game, method, plan, deck)


@pytest.mark.nightly
@settings(max_examples=10_000)
@given(*CASES)
def test_any_sequence_of_events_at_length(game: str, method: str, plan: list[Event | str], deck: list[str]) -> None:
    """The same, forty times as long."""
    run_any(game, method, plan, deck)


def run_any(game: str, method: str, plan: list[Event | str], deck: list[str]) -> None:
    """Whatever comes, nothing but a refusal is raised, reports never are refused at a live table, promise P3 holds, and
    the accepted events replay to the same state."""
    opened = RoundOpened(1, game, method, {}, {"1": "player 1", "2": "player 2"})
    state = open_round(opened)
    kept: list[Event] = []
    model = Model()
    script = [events.WagerPlaced(at, f"player {at}", STAKES[game]) for at in "12"]
    for number, given_ in enumerate([*script, *plan], start=10):
        event = _due(state, number, deck[number % 52]) if isinstance(given_, str) else given_
        if event is None:
            continue
        try:
            after, _ = apply(state, event)
        except (Refused, InputError):
            if type(event) in REPORTS:
                raise
            continue
        model.check(state, event, after)
        kept.append(event)
        state = after
    again = open_round(opened)
    for event in kept:
        again, _ = apply(again, from_record(json.loads(json.dumps(to_record(event)))))
    assert again == state
