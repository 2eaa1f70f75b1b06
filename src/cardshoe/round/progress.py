"""Where a round stands in its script.

Owns the reading of the script: whom the next card is for, who is asked next, when a step is done and when the round is
over. Must not change anything but the index of the due step. NY-5324.35(d)(2), NY-5324.36(d)(2): far left first,
clockwise, the dealer last. Ruling: with no live hand and no waiting wager the round ends there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

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
from cardshoe.round.effects import Effects, RoundEnded
from cardshoe.round.settlement import next_to_settle
from cardshoe.round.state import LIVE, VOID, Hand, State, changed


def due(state: State) -> Step | None:
    """Return the step that is due, or None when the round is over."""
    return None if state.over else state.script[state.step]


def cards_before(state: State, place: int) -> int:
    """Return how many cards each hand has before the dealing step at `place`: one for each turn of single cards."""
    return sum(1 for step in state.script[:place] if type(step) is DealSingles)


def next_destination(state: State, step: DealStacks | DealSingles, place: int | None = None) -> str | None:
    """Return where the next card or stack of `step`, due or at `place`, goes; None when it is dealt out."""
    before = 0
    if type(step) is DealSingles:
        before = cards_before(state, state.step if place is None else place)
    for hand in state.hands:
        # A void hand whose side wager is settled all the same needs its cards, too.
        if hand.dealt <= before and (hand.status is LIVE or hand.waits):
            return hand.position
    if step.to_dealer and state.dealer_dealt <= before:
        return DEALER
    return None


def asked(state: State, step: Ask) -> tuple[Hand, ...]:
    """Return the positions that still have to answer `step`, far left first."""
    stage = state.stage
    needs = step.of_those_with
    return tuple(
        [
            hand
            for hand in state.hands
            if hand.status is LIVE
            and not hand.done
            and len(hand.decided) == stage
            and (not needs or needs in hand.wagers)
        ]
    )


def first_asked(state: State, step: Ask, stage: int) -> Hand | None:
    """Return the first position that has still to answer `step`, before which `stage` questions were asked, or None."""
    needs = step.of_those_with
    for hand in state.hands:
        if hand.status is LIVE and not hand.done and len(hand.decided) == stage and (not needs or needs in hand.wagers):
            return hand
    return None


def to_collect(state: State) -> Hand | None:
    """Return the settled hand that goes to the rack first: in the order of settlement (…(e)(9))."""
    hands = state.hands
    for position in state.settled_in_order:
        hand = hands[ord(position) - 49]
        if not hand.collected:
            return hand
    if state.void_all:
        for hand in reversed(hands):
            if hand.status is VOID and hand.result is not None and hand.waits and not hand.collected:
                return hand
    return None


def stub_step(state: State) -> TakeStub | None:
    """Return the script's stub step, if this game and method have one."""
    for step in state.script:
        if type(step) is TakeStub:
            return step
    return None


def stub_demanded(state: State) -> bool:
    """Tell whether no burn and no board card may come before the stub is out (NY-5324.36(d)(3))."""
    if state.stub_removed:
        return False
    step = stub_step(state)
    if step is None:
        return False
    return step.when == "always" or (step.when == "house" and state.house.board_from == "hand")


def stub_planned(state: State) -> bool:
    """Tell whether the removal of the stub belongs to the plan: demanded, or left open by a silent text."""
    step = stub_step(state)
    if step is None or state.stub_removed:
        return False
    return step.when == "always" or (step.when == "house" and state.house.board_from != "shoe")


def dealing_done(state: State) -> bool:
    """Tell whether every hand and the dealer have their first cards."""
    return not state.betting and not any(type(step) in (DealStacks, DealSingles) for step in state.script[state.step :])


def next_cites(state: State, kind: type[Step]) -> Cite:
    """Return the clause of the next step of `kind` in the script, or of the last one."""
    found: Cite = None
    for place, step in enumerate(state.script):
        if type(step) is kind:
            found = step.cites
            if place >= state.step:
                break
    return found


def advanced(state: State, effects: Effects) -> tuple[State, Effects]:
    """Return `state` with the due step moved past everything that is done, and `effects` with the round's end."""
    if state.over or state.betting:
        return state, effects
    script = state.script
    for hand in state.hands:
        if hand.status is LIVE or hand.waits:
            break
    else:
        return changed(state, step=len(script), over=True), (*effects, RoundEnded())
    place = state.step
    stage = state.stage
    step = script[place]
    while _DONE[type(step)](state, place, stage):
        place += 1
        stage += type(step) is Ask
        if place == len(script):
            return changed(state, step=place, stage=stage, over=True), (*effects, RoundEnded())
        step = script[place]
    return (state if place == state.step else changed(state, step=place, stage=stage)), effects


def passed(state: State, /, **changes: Any) -> State:
    """Return `state` with the due step behind it, and with `changes`."""
    stage = state.stage + 1 if type(state.script[state.step]) is Ask else state.stage
    return changed(state, step=state.step + 1, stage=stage, **changes)


def _always(_state: State, _place: int, _stage: int) -> bool:
    return True


def _by_own_event(_state: State, _place: int, _stage: int) -> bool:
    return False


def _answered(state: State, place: int, stage: int) -> bool:
    step: Any = state.script[place]
    return first_asked(state, step, stage) is None


def _dealt_out(state: State, place: int, _stage: int) -> bool:
    step: Any = state.script[place]
    return state.pending is None and next_destination(state, step, place) is None


def _need_not_be_turned(state: State, _place: int, _stage: int) -> bool:
    return state.void_all  # such a dealer's hand decides nothing


def _all_settled(state: State, _place: int, _stage: int) -> bool:
    return next_to_settle(state) is None and to_collect(state) is None


_DONE: Final[Mapping[type[Step], Callable[[State, int, int], bool]]] = {
    CallNoMoreBets: _always,
    DealStacks: _dealt_out,
    DealSingles: _dealt_out,
    TakeStub: _always,
    Ask: _answered,
    Burn: _by_own_event,
    DealBoard: _by_own_event,
    TurnBoard: _by_own_event,
    RevealDealer: _need_not_be_turned,
    SettleHands: _all_settled,
}
"""Whether the step at a place of the script, after so many questions, has nothing left to be done."""
