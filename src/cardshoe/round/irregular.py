"""Irregularities and holds: what the text rules, what the floor rules, and how a held round goes on.

Owns the application of a game's verdicts (NY-5324.36(h)(1), NY-5324.36(h)(2)(i)–(ii), NY-5324.36(h)(3), and the silence
of the other texts), the questions that hold a round (promise P5) and who may answer them. Must not know devices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from cardshoe.error_table import ERROR_TABLE, Clears
from cardshoe.errors import Refused
from cardshoe.games.quoting import quoted
from cardshoe.games.script import DEALER, POSITIONS, Ask, Method
from cardshoe.games.verdicts import EQUIPMENT, Case, Outcome, Verdict
from cardshoe.round.dealing import deliver_stack, withdrawn_request
from cardshoe.round.effects import Effects, HandToRack, HandWaits, HoldClosed, HoldOpened, WagersReturned
from cardshoe.round.events import AlarmRaised, FloorRuled, HoldCleared, IrregularityFound, StackDelivered
from cardshoe.round.progress import advanced, dealing_done
from cardshoe.round.state import LIVE, VOID, Hand, Hold, State, Status, Void, changed, is_position, with_hand

_COUNTS: Final = (Case.PLAYER_WRONG_COUNT, Case.DEALER_WRONG_COUNT, Case.DEALER_SHORT_REPAIRABLE)
_COUNT_QUESTION: Final = "stack-wrong-count"
_FACES: Final = (Case.CARD_FACE_UP_AFTER_DEAL, Case.CARD_FACE_UP_DURING_DEAL)
_NONE: Effects = ()


def found(state: State, event: IrregularityFound) -> tuple[State, Effects]:
    """Rule an irregularity as the text does; where it is silent, hold the round for the floor."""
    why_not = _contradicts(state, event)
    if why_not is not None:
        raise Refused("irregularity", f"{why_not}; say what happened", cites=state.game.verdicts[event.case].cites)
    return ruled(state, event.case, event.who, event.cards)


def ruled(state: State, case: Case, who: str, cards: int) -> tuple[State, Effects]:
    """Apply the verdict of the text on `case`, whenever it happened."""
    if case is Case.DEALER_SHORT_REPAIRABLE and not _repairable(state, cards):
        case = Case.DEALER_WRONG_COUNT
    verdict = state.game.verdicts[case]
    match verdict.outcome:
        case Outcome.NOTHING:
            return state, _NONE
        case Outcome.REPAIR:
            return advanced(_right_count(state, who), _NONE)
        case Outcome.VOID_HAND:
            return voided(state, (who,), _void(verdict))
        case Outcome.VOID_ALL:
            return void_everything(state, _void(verdict))
        case Outcome.ASK_FLOOR:
            question = f"{case.value[0].upper()}{case.value[1:]}. The text of {state.game.name} is silent. What stands?"
            choices = ("void-hand", "void-all", "stands") if is_position(who) else ("void-all", "stands")
            return opened(state, Hold("floor-ruling", question, Clears.FLOOR, choices, None, who, case, cards))


def floor_ruled(state: State, event: FloorRuled) -> tuple[State, Effects]:
    """The floor's ruling where the text is silent; it never overrules a text."""
    if event.outcome not in ("void", "stands") or not (event.who == "all" or is_position(event.who)):
        raise Refused(
            "ruling", f"{quoted(event.outcome)} for {quoted(event.who)}: say void or stands, for all or 1 to 6"
        )
    hold = state.hold
    if hold is not None:
        if hold.code != "floor-ruling":
            raise Refused("ruling", f"the open question is another one: {hold.question}", cites=hold.cites)
        if is_position(hold.who) and event.who not in ("all", hold.who):
            raise Refused("ruling", f"the question is about position {hold.who}, not {event.who}")
    elif event.outcome == "void" and not _has_open_hand(state, event.who):
        raise Refused("ruling", f"there is no open hand of {event.who} to be void")
    state = _without(state, hold)
    closed: Effects = (HoldClosed(hold, event.outcome),) if hold is not None else ()
    if event.outcome == "stands":
        after, effects = advanced(_as_right(state, hold), _NONE)
    else:
        whom = POSITIONS if event.who == "all" else (event.who,)
        after, effects = voided_by_floor(state, whom)
    return after, (*closed, *effects)


def _has_open_hand(state: State, who: str) -> bool:
    if state.betting or state.over:
        return False
    return who == "all" or bool(state.hand(who).wagers)


def raise_alarm(state: State, event: AlarmRaised) -> tuple[State, Effects]:
    """An alarm holds the round (promise P5) until the one who may clears it."""
    meaning = ERROR_TABLE.get(event.code)
    clears = meaning.clears if meaning is not None else Clears.FLOOR
    if clears is Clears.NOBODY_NEEDED:
        return state, _NONE
    return opened(state, Hold(event.code, event.text, clears, ("continue", "void-all")))


def opened(state: State, hold: Hold) -> tuple[State, Effects]:
    """Return `state` held by `hold`; the same question is not asked twice."""
    if not hold.choices and hold.case is not None:
        hold = replace(hold, choices=_choices(state, hold.case, hold), cites=_verdict(state, hold.case).cites)
    if hold in state.holds:
        return state, _NONE
    return changed(state, holds=(*state.holds, hold)), (HoldOpened(hold),)


def cleared(state: State, event: HoldCleared) -> tuple[State, Effects]:
    """Answer an open question: by one who may, with one of its choices and a reason."""
    hold = next((each for each in state.holds if each.code == event.code), None)
    if hold is None and event.code in state.moot:
        at = state.moot.index(event.code)  # older records answer it all the same
        return changed(state, moot=(*state.moot[:at], *state.moot[at + 1 :])), _NONE
    if hold is None:
        raise Refused("no-hold", f"no question {quoted(event.code)} is open")
    if event.choice not in hold.choices:
        raise Refused(
            "hold-choice", f"{quoted(event.choice)} is no answer to {hold.code}; choose {' or '.join(hold.choices)}"
        )
    if not may_clear(hold.clears, event.role, event.second):
        raise Refused("role", f"{quoted(event.role)} may not clear {hold.code}; {hold.clears.value} may")
    if not event.reason.strip():
        raise Refused("reason", f"clearing {hold.code} needs a reason; say why")
    state = _without(state, hold)
    after, effects = _ANSWERS[event.choice](state, hold)
    return after, (HoldClosed(hold, event.choice), *effects)


def may_clear(clears: Clears, role: str, second: str) -> bool:
    """Tell whether `role`, with a second person in role `second` or "", may clear what `clears` demands."""
    match clears:
        case Clears.NOBODY_NEEDED:
            return True
        case Clears.DEALER:
            return role in ("dealer", "floor", "technician")
        case Clears.FLOOR:
            return role == "floor"
        case Clears.TWO_PEOPLE:
            return role == "floor" and second in ("dealer", "floor", "technician")
        case Clears.TECHNICIAN:
            return role == "technician"


def voided(state: State, positions: tuple[str, ...], void: Void) -> tuple[State, Effects]:
    """Make the hands at `positions` void: wagers go back, save those that `void` saves. Settled hands stay settled."""
    effects: Effects = ()
    for position in positions:
        hand = state.hand(position)
        if hand.status is Status.EMPTY or hand.result is not None:
            continue
        saves = void.saves
        cites = void.cites
        if hand.void is not None:
            saves = tuple([name for name in saves if name in hand.void.saves])
            cites = hand.void.cites if saves == hand.void.saves else void.cites
        waits = tuple([name for name in hand.wagers if name in saves])
        now_void = changed(hand, status=VOID, void=Void(cites, saves, void.saves_cites), waits=waits, done=True)
        effects = (*effects, *_gives_back(state, hand, now_void))
        state = with_hand(state, now_void)
    return advanced(state, effects)


def voided_by_floor(state: State, positions: tuple[str, ...]) -> tuple[State, Effects]:
    """Make the hands at `positions` void by a floor ruling; what a text has ruled already stays as the text has it."""
    left = tuple([position for position in positions if state.hand(position).status is not VOID])
    if all(hand.position in left or hand.status in (VOID, Status.EMPTY) for hand in state.hands):
        state = _all_void(state)
    return voided(state, left, Void(None))


def void_everything(state: State, void: Void) -> tuple[State, Effects]:
    """Make every hand void."""
    every = tuple([hand.position for hand in state.hands])
    return voided(changed(_all_void(state), betting=False, step=max(state.step, 1)), every, void)


def _all_void(state: State) -> State:
    """Return `state` with nothing awaited; how many cards a void hand has is no question any more."""
    moot = tuple([hold.code for hold in state.holds if hold.code == _COUNT_QUESTION])
    holds = tuple([hold for hold in state.holds if hold.code != _COUNT_QUESTION])
    return changed(state, void_all=True, pending=None, holds=holds, moot=(*state.moot, *moot))


def undecided(state: State) -> bool:
    """Tell whether a position has still to make a wager or to fold: a check is neither (NY-5324.36(h)(1); ruling)."""
    steps = [step for step in state.script[state.step :] if isinstance(step, Ask)]
    return any(
        hand.status is LIVE and not hand.done and (not step.of_those_with or step.of_those_with in hand.wagers)
        for step in steps
        for hand in state.hands
    )


def _contradicts(state: State, event: IrregularityFound) -> str | None:
    """Return why `event` cannot have happened now, or None."""
    if state.over:
        return "the round is over"
    case = event.case
    if case in (Case.DEVICE_FAULT, Case.DEVICE_FAULT_HARMLESS):
        return None
    if state.betting:
        return "no card is dealt yet"
    if case in _COUNTS:
        return _count_contradicts(state, event)
    if case in _FACES:
        done = dealing_done(state)
        if done is (case is Case.CARD_FACE_UP_AFTER_DEAL):
            return None
        return "the initial deal is complete" if done else "the initial deal is not complete"
    if state.dealer_dealt == 0:
        return "the dealer has no card yet"
    early = case is Case.DEALER_CARD_SEEN_EARLY
    if early is undecided(state):
        return None
    return "every position has acted" if early else "a position has still to act"


def _count_contradicts(state: State, event: IrregularityFound) -> str | None:
    right = state.game.cards_each
    if event.cards == right:
        return f"{event.cards} cards are the right number"
    if event.case is Case.PLAYER_WRONG_COUNT:
        if not is_position(event.who):
            return f"{quoted(event.who)} is no position"
        hand = state.hand(event.who)
        if hand.dealt == 0 or hand.result is not None:
            return f"position {event.who} has no open hand"
        return None
    return "the dealer has no card yet" if state.dealer_dealt == 0 else None


def _repairable(state: State, cards: int) -> bool:
    """Ruling: only a shortage, before a dealer's card is seen, and before any burn or flop."""
    short = cards < state.game.cards_each
    return short and not (state.dealer_revealed or state.dealer_faces or state.burned or state.board_dealt)


def _right_count(state: State, who: str) -> State:
    right = state.game.cards_each
    if who == DEALER or not is_position(who):
        return changed(state, dealer_dealt=right) if state.dealer_dealt else state
    return with_hand(state, changed(state.hand(who), dealt=right))


def _as_right(state: State, hold: Hold | None) -> State:
    """Return `state` with the count of the hand that `hold` was about taken for right."""
    if hold is None or hold.case not in _COUNTS:
        return state
    if state.method is not Method.AUTOMATED_SHOE and not dealing_done(state):
        return state  # the rest of the hand is still to come, card by card
    return _right_count(state, hold.who)


def _gives_back(state: State, before: Hand, after: Hand) -> Effects:
    already = before.void is not None
    spots = tuple(
        [name for name in after.wagers if name not in after.waits and not (already and name not in before.waits)]
    )
    effects: Effects = ()
    cites = after.void.cites if after.void is not None else None
    if spots:
        effects = (WagersReturned(after.position, spots, sum(after.wagers[name] for name in spots), cites),)
    if after.dealt == 0:
        return effects
    if after.waits:
        return (*effects, HandWaits(after.position, after.waits, cites))
    return (*effects, HandToRack(after.position, state.game.clauses.collect))


def _void(verdict: Verdict) -> Void:
    return Void(verdict.cites, verdict.saves, verdict.saves_cites)


def _verdict(state: State, case: Case) -> Verdict:
    return state.game.verdicts[case]


def _choices(state: State, case: Case, hold: Hold) -> tuple[str, ...]:
    match _verdict(state, case).outcome:
        case Outcome.ASK_FLOOR:
            return ("void-hand", "void-all", "stands") if is_position(hold.who) else ("void-all", "stands")
        case Outcome.REPAIR:
            return ("repaired", "by-rule", "misread")
        case Outcome.VOID_HAND | Outcome.VOID_ALL:
            return ("by-rule", "misread")
        case Outcome.NOTHING:
            return ("continue",)


def _without(state: State, hold: Hold | None) -> State:
    return (
        changed(state, holds=tuple([each for each in state.holds if each is not hold])) if hold is not None else state
    )


# --- what each answer does -------------------------------------------------------------------------------------------


def _go_on(state: State, hold: Hold) -> tuple[State, Effects]:
    return advanced(_as_right(state, hold), _NONE)


def _by_rule(state: State, hold: Hold) -> tuple[State, Effects]:
    case = hold.case
    if case is None:
        return advanced(state, _NONE)
    if case is Case.DEALER_SHORT_REPAIRABLE:  # not repaired: the other half of NY-5324.36(h)(3)
        case = Case.DEALER_WRONG_COUNT
    return ruled(state, case, hold.who, hold.cards)


def _repaired(state: State, hold: Hold) -> tuple[State, Effects]:
    return advanced(_right_count(state, hold.who), _NONE)


def _void_hand(state: State, hold: Hold) -> tuple[State, Effects]:
    return voided_by_floor(state, (hold.who,))


def _void_all(state: State, _hold: Hold) -> tuple[State, Effects]:
    # A fault that disturbed the round: every wager goes back, side wagers too.
    return void_everything(state, _void(EQUIPMENT[Case.DEVICE_FAULT]))


def _delivered(state: State, _hold: Hold) -> tuple[State, Effects]:
    pending = state.pending
    if pending is None:
        return advanced(state, _NONE)
    return deliver_stack(state, StackDelivered(pending.command_id, pending.to, pending.cards))


def _moved(state: State, hold: Hold) -> tuple[State, Effects]:
    pending = state.pending
    if pending is None:
        return advanced(state, _NONE)
    return deliver_stack(state, StackDelivered(pending.command_id, pending.to, hold.cards))


def _not_moved(state: State, _hold: Hold) -> tuple[State, Effects]:
    # A person's word, not the device's: a new stack needs a new command id (promise P1).
    pending = state.pending
    return (withdrawn_request(state, pending), _NONE) if pending is not None else advanced(state, _NONE)


_ANSWERS: Final[dict[str, Callable[[State, Hold], tuple[State, Effects]]]] = {
    "continue": _go_on,
    "misread": _go_on,
    "stands": _go_on,
    "removed": _go_on,
    "retrieved": _go_on,
    "by-rule": _by_rule,
    "repaired": _repaired,
    "void-hand": _void_hand,
    "void-all": _void_all,
    "delivered": _delivered,
    "moved": _moved,
    "not-moved": _not_moved,
}
"""What each lawful answer does."""
