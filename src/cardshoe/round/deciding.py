"""What a position may answer when it is asked, and what follows.

Owns the spelling of actions, whose turn it is and the amounts: NY-5324.35(e)(1), (3), (5), NY-5324.35(c)(4),
NY-5324.36(e)(1), (3), (5), NY-5324.36(c)(4), NY-5324.36(a)(2)(v)(c). Must not know cards.
"""

from __future__ import annotations

import re
from typing import Final

from cardshoe.errors import Refused
from cardshoe.games.house import House
from cardshoe.games.quoting import quoted
from cardshoe.games.script import Ask, Choice, ChoiceKind
from cardshoe.money import MAX_CENTS
from cardshoe.round.effects import Effects, HandToRack, HandWaits, WagersCollected
from cardshoe.round.events import DecisionMade
from cardshoe.round.progress import advanced, asked, due, first_asked, next_cites
from cardshoe.round.settlement import survives_fold
from cardshoe.round.state import FOLDED, Hand, State, Status, changed, is_position, with_hand

_CHECK: Final = ChoiceKind.CHECK
_WAGER: Final = ChoiceKind.WAGER
_AMOUNT: Final = re.compile(r"[1-9][0-9]{0,15}")


def decide(state: State, event: DecisionMade) -> tuple[State, Effects]:
    """Apply an answer: the position must be asked now, in turn where the game asks in turn, with a choice it has."""
    position = event.position
    if not is_position(position):
        raise Refused("position", f"{quoted(position)} is no position; positions are 1 to 6")
    step = due(state)
    if not isinstance(step, Ask):
        raise Refused(
            "not-asked", f"position {position} is not asked now; no decision is due", cites=next_cites(state, Ask)
        )
    hand = state.hand(position)
    if first_asked(state, step, state.stage) is not hand:
        _check_turn(hand, step, asked(state, step))
    state, effects = answered(state, hand, step, event.action)
    return advanced(state, effects)


def _check_turn(hand: Hand, step: Ask, waiting: tuple[Hand, ...]) -> None:
    if hand not in waiting:
        raise Refused("not-asked", f"position {hand.position} is not asked here; {_why_not(hand)}", cites=step.cites)
    if step.in_turn:
        raise Refused(
            "out-of-turn",
            f"position {hand.position} is not asked before position {waiting[0].position}; ask that first",
            cites=step.cites,
        )


def answered(state: State, hand: Hand, step: Ask, action: str) -> tuple[State, Effects]:
    """Return the state after `hand` answered `step` with `action`, out of turn or not. Raises `Refused` (`action`)."""
    choice, cents = read_action(state, hand, step, action)
    decided = (*hand.decided, action)
    if choice.kind is _CHECK:
        return with_hand(state, changed(hand, decided=decided, done=choice.ends)), ()
    if choice.kind is _WAGER:
        wagers = state.game.in_settling_order({**hand.wagers, choice.spot: cents})
        return with_hand(state, changed(hand, decided=decided, done=choice.ends, wagers=wagers)), ()
    return _folded(state, hand, choice, decided)


def read_action(state: State, hand: Hand, step: Ask, action: str) -> tuple[Choice, int]:
    """Return the choice that `action` spells, with the cents of its wager (0 where there is none)."""
    for choice in step.choices:
        if choice.spells != "amount" and choice.label == action:
            return choice, _multiple_cents(hand, choice)
    words = action.split(" ")
    if len(words) == 2 and _AMOUNT.fullmatch(words[1]):
        cents = int(words[1])
        for choice in step.choices:
            if choice.label.split(" ")[0] == words[0] and _takes(state.house, hand, choice, cents):
                _check_bounds(state, hand, choice, cents)
                return choice, cents
    raise Refused(
        "action",
        f"position {hand.position}: {quoted(action)} is not allowed here; choose {_offered(state.house, hand, step)}",
        cites=step.cites,
    )


def _takes(house: House, hand: Hand, choice: Choice, cents: int) -> bool:
    if choice.kind is not _WAGER or choice.spells == "bare":
        return False
    if choice.spells == "label":
        return cents == _multiple_cents(hand, choice)
    if cents > MAX_CENTS:
        return False
    antes = house.multiples.get(choice.multiple_option)
    return antes is None or cents == antes * hand.wagers["ante"]


def _check_bounds(state: State, hand: Hand, choice: Choice, cents: int) -> None:
    least = state.house.minimum_cents.get(choice.spot, 0)
    most = state.house.maximum_cents.get(choice.spot, MAX_CENTS)
    if not least <= cents <= most:
        raise Refused(
            "wager-minimum" if cents < least else "wager-maximum",
            f"position {hand.position}: {choice.spot} {cents} cents is not between {max(least, 1)} and {most}, "
            "the house's bounds",
        )


def _multiple_cents(hand: Hand, choice: Choice) -> int:
    return choice.multiple * hand.wagers["ante"] if choice.multiple is not None else 0


def _offered(house: House, hand: Hand, step: Ask) -> str:
    offered: list[str] = []
    for choice in step.choices:
        if choice.spells == "amount":
            antes = house.multiples.get(choice.multiple_option)
            amount = "AMOUNT in cents" if antes is None else str(antes * hand.wagers["ante"])
            offered.append(f"'{choice.label} {amount}'")
        else:
            offered.append(f"'{choice.label}'")
    return " or ".join(offered)


def _why_not(hand: Hand) -> str:
    match hand.status:
        case Status.EMPTY:
            return "it has no wager"
        case Status.FOLDED:
            return "it has folded"
        case Status.VOID:
            return "its hand is void"
        case Status.LIVE:
            return "it has answered already"


def _folded(state: State, hand: Hand, choice: Choice, decided: tuple[str, ...]) -> tuple[State, Effects]:
    """NY-5324.35(e)(1)(ii)(a)–(b), NY-5324.36(e)(5)(ii)(a)–(b): the cards wait under a side wager, or go at once."""
    clauses = state.game.clauses
    waits = tuple(
        [spot.name for spot in state.game.spots if spot.name in hand.wagers and survives_fold(spot, state.house)]
    )
    lost = tuple([name for name in hand.wagers if name not in waits])
    goes: HandWaits | HandToRack = (
        HandWaits(hand.position, waits, clauses.folded_waits)
        if waits
        else HandToRack(hand.position, clauses.folded_goes)
    )
    folded = changed(hand, decided=decided, done=True, status=FOLDED, waits=waits)
    return with_hand(state, folded), (WagersCollected(hand.position, lost, choice.cites), goes)
