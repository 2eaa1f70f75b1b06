"""What is due next, said to the table.

Owns the closed set of next steps and `next_step(state)`. Must not change anything: asking is free. The table does what
is due, and feeds back the event that tells that it was done.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import assert_never

from cardshoe.games.script import (
    DEALER,
    Ask,
    Burn,
    CallNoMoreBets,
    DealBoard,
    DealSingles,
    DealStacks,
    RevealDealer,
    SettleHands,
    Step,
    TakeStub,
    TurnBoard,
)
from cardshoe.games.verdicts import Cite
from cardshoe.round.faces import BOARD
from cardshoe.round.progress import (
    asked,
    due,
    next_destination,
    stub_demanded,
    stub_planned,
    stub_step,
    to_collect,
)
from cardshoe.round.settlement import settling_order
from cardshoe.round.state import Hand, Hold, Same, State, Status


@dataclass(frozen=True, slots=True)
class Held:
    """A person must answer `hold`; no motor moves, nothing is dealt."""

    hold: Hold


@dataclass(frozen=True, slots=True)
class TakeWagers:
    """Wagers are open; the dealer may say "no more bets"."""

    cites: Cite


@dataclass(frozen=True, slots=True)
class RequestStack:
    """Dispense `cards` for `to` (a position or "dealer"); until the dealer's request the cover card may go in."""

    to: str
    cards: int
    cover_card_allowed: bool
    cites: Cite


@dataclass(frozen=True, slots=True)
class AwaitStack:
    """The stack of `command_id` for `to` is on its way."""

    command_id: int
    to: str
    cards: int


@dataclass(frozen=True, slots=True)
class DealCard:
    """Lay one card at `to`."""

    to: str
    under_cover_card: bool
    cites: Cite


@dataclass(frozen=True, slots=True)
class RemoveStub:
    """Take the rest of the deck out of the shoe; decisions may be taken meanwhile, no burn before it if `demanded`."""

    demanded: bool
    cites: Cite


@dataclass(frozen=True, slots=True)
class AskDecision:
    """Ask one of `positions` (one alone where the game asks in turn) for one of `choices`."""

    positions: tuple[str, ...]
    choices: tuple[str, ...]
    cites: Cite


@dataclass(frozen=True, slots=True)
class BurnCards:
    """Burn `cards`; `source` is "hand" or "shoe"."""

    cards: int
    source: str
    cites: Cite


@dataclass(frozen=True, slots=True)
class DealCommunity:
    """Deal `cards` community cards from `source`, face up or down."""

    cards: int
    source: str
    face_up: bool
    cites: Cite


@dataclass(frozen=True, slots=True)
class TurnCommunity:
    """Turn up `cards` community cards."""

    cards: int
    cites: Cite


@dataclass(frozen=True, slots=True)
class TurnDealer:
    """Turn up the dealer's cards."""

    cites: Cite


@dataclass(frozen=True, slots=True)
class ReadFaces:
    """`cards` faces at `place` ("board", "dealer", a position) lie up, or are to be turned up, and are not known."""

    place: str
    cards: int


@dataclass(frozen=True, slots=True)
class SettleHand:
    """Settle the wagers of `position`."""

    position: str
    cites: Cite


@dataclass(frozen=True, slots=True)
class CollectHand:
    """Put the cards of `position` into the discard rack."""

    position: str
    cites: Cite


@dataclass(frozen=True, slots=True)
class CompleteRound:
    """Nothing is left to do: collect what lies on the table and complete the round."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The round is complete; open the next one."""


NextStep = (
    Held
    | TakeWagers
    | RequestStack
    | AwaitStack
    | DealCard
    | RemoveStub
    | AskDecision
    | BurnCards
    | DealCommunity
    | TurnCommunity
    | TurnDealer
    | ReadFaces
    | SettleHand
    | CollectHand
    | CompleteRound
    | Closed
)


def next_step(state: State) -> NextStep:
    """Return what is due."""
    return _next_step(Same(state))


@lru_cache(maxsize=4)
def _next_step(same: Same[State]) -> NextStep:
    state = same.value
    if state.holds:
        return Held(state.holds[0])
    if state.closed:
        return Closed()
    if state.pending is not None:
        return AwaitStack(state.pending.command_id, state.pending.to, state.pending.cards)
    step = due(state)
    if step is None:
        return CompleteRound()
    unknown = _unknown_face_up(state)
    if unknown is not None:
        return unknown
    stub = stub_step(state)
    if stub is not None and isinstance(step, Ask | Burn | DealBoard) and stub_planned(state) and not state.burned:
        return RemoveStub(stub_demanded(state), stub.cites if stub_demanded(state) else None)
    return _of_step(state, step)


def _of_step(state: State, step: Step) -> NextStep:
    match step:
        case CallNoMoreBets():
            return TakeWagers(step.cites)
        case DealStacks() | DealSingles():
            return _dealing(state, step)
        case TakeStub():
            return RemoveStub(stub_demanded(state), step.cites)
        case Ask():
            waiting = asked(state, step)
            first = waiting[:1] if step.in_turn else waiting
            labels = tuple([choice.label for choice in step.choices])
            return AskDecision(tuple([hand.position for hand in first]), labels, step.cites)
        case Burn():
            return BurnCards(step.cards, _source(state), step.cites)
        case DealBoard():
            return DealCommunity(step.cards, _source(state), step.face_up, step.cites)
        case TurnBoard():
            return TurnCommunity(step.cards, step.cites)
        case RevealDealer():
            return TurnDealer(step.cites)
        case SettleHands():
            return _settling(state, step)
        case _:
            assert_never(step)


def _dealing(state: State, step: DealStacks | DealSingles) -> NextStep:
    to = next_destination(state, step) or DEALER
    if isinstance(step, DealStacks):
        return RequestStack(to, step.cards, not state.dealer_requested and not state.cover_card_in, step.cites)
    if to == DEALER:
        return DealCard(to, step.dealer_under_cover_card, step.dealer_cites)
    return DealCard(to, under_cover_card=False, cites=step.cites)


def _source(state: State) -> str:
    return "shoe" if state.house.board_from == "shoe" and not state.stub_removed else "hand"


def _settling(state: State, step: SettleHands) -> NextStep:
    collect = to_collect(state)
    if collect is not None:
        return CollectHand(collect.position, state.game.clauses.collect)
    order = settling_order(state)
    if not order:
        return CompleteRound()
    hand = order[0]
    missing = _missing(state, hand)
    if state.live and missing:
        return ReadFaces(hand.position, missing)
    return SettleHand(hand.position, step.cites)


def _missing(state: State, hand: Hand) -> int:
    wanted = state.game.cards_each if hand.status is not Status.EMPTY else 0
    return wanted - len(hand.faces)


def _unknown_face_up(state: State) -> ReadFaces | None:
    """Return the board or the dealer's hand where faces lie up that are not known yet."""
    if not state.live:
        return None
    if state.board_up > len(state.board_faces):
        return ReadFaces(BOARD, state.board_up - len(state.board_faces))
    if state.dealer_revealed and len(state.dealer_faces) < state.game.cards_each:
        return ReadFaces(DEALER, state.game.cards_each - len(state.dealer_faces))
    return None
