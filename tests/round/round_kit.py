"""What the tests of the round drive it with: a dealer who does what is due, and shorthands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from cardshoe.cards import DECK, Card
from cardshoe.round.effects import Effect
from cardshoe.round.events import (
    BoardDealt,
    BoardTurned,
    CardBurned,
    CardDealt,
    CardTurned,
    DealerRevealed,
    DecisionMade,
    Event,
    HandCollected,
    HandSettled,
    NoMoreBetsCalled,
    RoundCompleted,
    RoundOpened,
    StackDelivered,
    StackRequested,
    StubRemoved,
    WagerPlaced,
)
from cardshoe.round.machine import apply, open_round
from cardshoe.round.next_step import (
    AskDecision,
    AwaitStack,
    BurnCards,
    Closed,
    CollectHand,
    CompleteRound,
    DealCard,
    DealCommunity,
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
from cardshoe.round.state import State

UTH, THB, TCP, STUD = "ultimate-texas-holdem", "texas-holdem-bonus", "three-card-poker", "mississippi-stud"
STAKES: dict[str, dict[str, int]] = {
    UTH: {"ante": 1000, "blind": 1000},
    THB: {"ante": 1000},
    TCP: {"ante": 1000},
    STUD: {"ante": 1000},
}
Answer = Callable[[State, AskDecision, str], str]


def stay(state: State, asked: AskDecision, position: str) -> str:
    """The first answer that is no fold, spelt out."""
    choice = next(each for each in asked.choices if each != "fold")
    if choice in ("flop", "turn", "river"):
        antes = state.house.multiples[f"{choice}_multiple"] or 1
        return f"{choice} {antes * state.hand(position).wagers['ante']}"
    return choice


class Dealer:
    """A live round, and a dealer who does what is due; every event goes through its record, as in a journal."""

    def __init__(
        self,
        game: str,
        wagers: Mapping[str, Mapping[str, int]],
        *,
        method: str = "automated-shoe",
        house: Mapping[str, object] | None = None,
        answer: Answer = stay,
        faces: Mapping[str, tuple[str, ...]] | None = None,
        live: bool = True,
    ) -> None:
        seats = {position: f"player {position}" for position in wagers}
        self.opened = RoundOpened(1, game, method, house or {}, seats, live)
        self.state = open_round(self.opened)
        self.events: list[Event] = []
        self.effects: list[Effect] = []
        self.answer = answer
        self.commands = 0
        known = {text for texts in (faces or {}).values() for text in texts}
        self.deck: Iterator[Card] = iter([card for card in DECK if card.text not in known])
        self.faces = {place: iter(texts) for place, texts in (faces or {}).items()}
        for position, amounts in wagers.items():
            self.feed(WagerPlaced(position, seats[position], amounts))

    def feed(self, event: Event) -> None:
        """Apply one event, as a journal would give it back."""
        back = from_record(json.loads(json.dumps(to_record(event))))
        assert back == event
        self.state, effects = apply(self.state, back)
        self.events.append(event)
        self.effects += effects

    def until(self, *kinds: type[Any]) -> Any:
        """Do what is due until one of `kinds` is due; return it."""
        for _ in range(400):
            due = next_step(self.state)
            if isinstance(due, kinds):
                return due
            for event in self.doing(due):
                self.feed(event)
        raise AssertionError(f"never came to {kinds}, stands at {next_step(self.state)}")

    def whole(self) -> State:
        """The rest of the round."""
        self.until(Closed)
        return self.state

    def request(self) -> tuple[int, RequestStack]:
        """Go on until a stack is due, and request it; return its command id and what was due."""
        due: RequestStack = self.until(RequestStack)
        self.commands += 1
        self.feed(StackRequested(self.commands, due.to, due.cards))
        return self.commands, due

    def doing(self, due: object) -> list[Event]:
        """The event that tells that what is due was done."""
        match due:
            case TakeWagers():
                return [NoMoreBetsCalled()]
            case RequestStack():
                self.commands += 1
                return [StackRequested(self.commands, due.to, due.cards)]
            case AwaitStack():
                return [StackDelivered(due.command_id, due.to, due.cards)]
            case DealCard():
                return [CardDealt(due.to, due.under_cover_card)]
            case AskDecision():
                position = due.positions[0]
                return [DecisionMade(position, self.answer(self.state, due, position))]
            case _:
                return self._handling(due)

    def _handling(self, due: object) -> list[Event]:
        match due:
            case RemoveStub():
                return [StubRemoved()]
            case BurnCards():
                return [CardBurned(due.cards)]
            case DealCommunity():
                return [BoardDealt(due.cards)]
            case TurnCommunity():
                return [BoardTurned(due.cards)]
            case TurnDealer():
                return [DealerRevealed()]
            case ReadFaces():
                return [CardTurned(self.face(due.place), due.place, "read")]
            case SettleHand():
                return [HandSettled(due.position)]
            case CollectHand():
                return [HandCollected(due.position)]
            case CompleteRound():
                return [RoundCompleted()]
            case _:
                raise AssertionError(f"a dealer cannot do {due}")

    def face(self, place: str) -> str:
        """The next face at `place`: the one asked for, or the next of the deck."""
        if place in self.faces:
            return next(self.faces[place])
        return next(self.deck).text
