"""The steps of a round before a card is dealt, taken from the machine that will deal it.

Owns the public form of a plan (`interfaces.md`). The plan assumes that nobody folds. Must not know how it is printed.
NY-5324.35(d)–(e), NY-5324.36(d)–(e), NJ-69F-20.12A(b).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cardshoe.games.house import House
from cardshoe.games.script import (
    DEALER,
    Ask,
    Choice,
    ChoiceKind,
    DealStacks,
    Game,
    Method,
    Placed,
    SettleHands,
)
from cardshoe.round.events import (
    BoardDealt,
    BoardTurned,
    CardBurned,
    CardDealt,
    DealerRevealed,
    DecisionMade,
    Event,
    NoMoreBetsCalled,
    StackDelivered,
    StackRequested,
    StubRemoved,
    WagerPlaced,
)
from cardshoe.round.machine import apply, new_round
from cardshoe.round.next_step import (
    AskDecision,
    BurnCards,
    DealCard,
    DealCommunity,
    NextStep,
    RemoveStub,
    RequestStack,
    TakeWagers,
    TurnCommunity,
    TurnDealer,
    next_step,
)
from cardshoe.round.progress import asked
from cardshoe.round.settlement import settling_order
from cardshoe.round.state import State

_ANTE_CENTS = 1000

Line = dict[str, object]


def planned_steps(game: Game, house: House, method: Method, positions: Sequence[str]) -> list[Line]:
    """Return the steps of a round with the required wagers at `positions`, each with its clause."""
    free = replace(house, minimum_cents={}, maximum_cents={}, round_up=True)
    seats = {position: f"player {position}" for position in positions}
    state = new_round(game, free, method, 0, seats, live=False)
    for position in positions:
        state, _ = apply(state, WagerPlaced(position, seats[position], _required_wagers(game)))
    lines: list[Line] = []
    while not state.over:
        script_step = state.script[state.step]
        due = next_step(state)
        if isinstance(script_step, SettleHands):
            order = [hand.position for hand in settling_order(state)]
            lines.append({"step": "settle", "positions": order, "cites": script_step.cites})
            break
        if isinstance(script_step, Ask) and isinstance(due, AskDecision):
            state = _asked_all(state, script_step, lines)
            continue
        said, events = _said(state, due)
        lines.extend(said)
        for event in events:
            state, _ = apply(state, event)
    return lines


def _required_wagers(game: Game) -> dict[str, int]:
    wagers = {spot.name: _ANTE_CENTS for spot in game.spots if spot.placed is Placed.REQUIRED}
    return wagers or {game.at_least_one_of[0]: _ANTE_CENTS}


def _asked_all(state: State, step: Ask, lines: list[Line]) -> State:
    waiting = [hand.position for hand in asked(state, step)]
    labels = [choice.label for choice in step.choices]
    lines.append({"step": "decide", "positions": waiting, "choices": labels, "cites": step.cites})
    stays = next(choice for choice in step.choices if choice.kind is not ChoiceKind.FOLD)
    for position in waiting:
        state, _ = apply(state, DecisionMade(position, _spelt(state, stays)))
    return state


def _spelt(state: State, choice: Choice) -> str:
    if choice.spells != "amount":
        return choice.label
    antes = state.house.multiples.get(choice.multiple_option) or 1
    return f"{choice.label} {antes * _ANTE_CENTS}"


def _said(state: State, due: NextStep) -> tuple[list[Line], list[Event]]:
    match due:
        case TakeWagers():
            return [{"step": "no_more_bets", "cites": due.cites}], [NoMoreBetsCalled()]
        case RequestStack():
            return _stack(state, due)
        case DealCard():
            covered = due.under_cover_card
            line: Line = {"step": "card", "to": due.to, "under_cover_card": covered, "cites": due.cites}
            return [line], [CardDealt(due.to)]
        case RemoveStub():
            return [{"step": "remove_stub", "cites": due.cites}], [StubRemoved()]
        case BurnCards():
            return [{"step": "burn", "cards": due.cards, "cites": due.cites}], [CardBurned(due.cards)]
        case DealCommunity():
            return [{"step": "board", "cards": due.cards, "cites": due.cites}], [BoardDealt(due.cards)]
        case TurnCommunity():
            return [{"step": "turn_board", "cards": due.cards, "cites": due.cites}], [BoardTurned(due.cards)]
        case TurnDealer():
            return [{"step": "reveal_dealer", "cites": due.cites}], [DealerRevealed()]
        case _:
            raise TypeError(f"{type(due).__name__} is no step of a plan")


def _stack(state: State, due: RequestStack) -> tuple[list[Line], list[Event]]:
    lines: list[Line] = []
    step = state.script[state.step]
    if due.to == DEALER and isinstance(step, DealStacks):
        lines.append({"step": "cover_card_allowed", "cites": step.cover_card_cites})
    lines.append({"step": "stack", "to": due.to, "cards": due.cards, "cites": due.cites})
    command_id = len(state.used_commands) + 1
    return lines, [StackRequested(command_id, due.to, due.cards), StackDelivered(command_id, due.to, due.cards)]
