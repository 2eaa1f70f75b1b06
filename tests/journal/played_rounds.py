"""Whole rounds as a table would write them: a seeded dealer and players who do what the machine says is due.

Owns the choice of wagers, decisions and cards; what is due, and what is allowed, is the round machine's own business.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import assert_never

from cardshoe.cards import RANKS, SUITS
from cardshoe.journal import Entry
from cardshoe.round import events, next_step
from cardshoe.round.machine import apply, open_round
from cardshoe.round.payouts import payouts
from cardshoe.round.records import kind_of, to_record
from cardshoe.round.state import State

WAGERS = {
    "texas-holdem-bonus": {"ante": 1000, "bonus": 500},
    "ultimate-texas-holdem": {"ante": 1000, "blind": 1000, "trips": 500},
    "three-card-poker": {"ante": 1000, "pair_plus": 500, "six_card": 500},
}
GAMES = tuple(sorted(WAGERS))


def play(number: int, game: str, seed: int) -> Iterator[Entry]:
    """Yield the records of one live round of `game`, its account at the end."""
    chance = random.Random(seed)
    deck = [rank + suit for rank in RANKS for suit in SUITS]
    chance.shuffle(deck)
    house = {"board_from": "hand"} if game == "texas-holdem-bonus" else {}
    opened = events.RoundOpened(number, game, "automated-shoe", house)
    state = open_round(opened)
    yield entry(number, opened)
    seats = sorted(chance.sample("123456", chance.randint(1, 6)))
    for place in seats:
        for event in (
            events.PlayerSeated(place, f"P{place}"),
            events.WagerPlaced(place, f"P{place}", WAGERS[game]),
        ):
            state, _ = apply(state, event)
            yield entry(number, event)
    while not isinstance(due := next_step.next_step(state), next_step.Closed):
        event = _answer(state, due, deck, chance)
        state, _ = apply(state, event)
        yield entry(number, event)
    yield Entry("settled", payouts(state), number)


def entry(number: int, event: events.Event) -> Entry:
    """The record of one event."""
    return Entry(kind_of(event), to_record(event), number)


def _answer(state: State, due: next_step.NextStep, deck: list[str], chance: random.Random) -> events.Event:
    """What the table reports once it has done what is due."""
    match due:
        case next_step.TakeWagers():
            return events.NoMoreBetsCalled()
        case next_step.RequestStack():
            return events.StackRequested(len(state.used_commands) + 1, due.to, due.cards)
        case next_step.AwaitStack():
            return events.StackDelivered(due.command_id, due.to, due.cards)
        case next_step.RemoveStub():
            return events.StubRemoved()
        case next_step.AskDecision():
            choice = chance.choice(due.choices)
            amount = " 2000" if choice in ("flop",) else " 1000" if choice in ("turn", "river") else ""
            return events.DecisionMade(chance.choice(due.positions), choice + amount)
        case next_step.BurnCards():
            return events.CardBurned(due.cards)
        case next_step.DealCommunity():
            return events.BoardDealt(due.cards)
        case next_step.TurnCommunity():
            return events.BoardTurned(due.cards)
        case next_step.TurnDealer():
            return events.DealerRevealed()
        case next_step.ReadFaces():
            return events.CardTurned(deck.pop(), due.place, events.READ)
        case next_step.SettleHand():
            return events.HandSettled(due.position)
        case next_step.CollectHand():
            return events.HandCollected(due.position)
        case next_step.CompleteRound():
            return events.RoundCompleted()
        case next_step.Held() | next_step.DealCard() | next_step.Closed():
            raise AssertionError(f"a clean round of an automated shoe does not come here: {due}")
        case _:
            assert_never(due)
