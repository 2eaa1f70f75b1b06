"""What people do about decks, counts and machines, beside the rounds.

Owns the upkeep acts: who may do each, when, and what is written; shifts and training begin and end here. Pure.
Implements conditions E05, E13, E15, E23, E25 and E26. shoe-v1 has no message for a calibration, so its digests are
entered by the technician and not proved.
"""

from __future__ import annotations

import re
from typing import Final, assert_never

from cardshoe.errors import Refused
from cardshoe.games.quoting import quoted
from cardshoe.games.script import Method
from cardshoe.round.next_step import CompleteRound, next_step
from cardshoe.round.records import TRAINING
from cardshoe.round.state import State
from cardshoe.table.acts import (
    CalibrationChanged,
    DeckDoubted,
    DeckPlaced,
    DeckReplaced,
    HandShuffled,
    LimitsChanged,
    ShoeGivenUp,
    SignedOff,
    StopAsked,
    StubCounted,
    TableReopened,
    TrainingSet,
    UpkeepAct,
)
from cardshoe.table.commands import give_up_shoe
from cardshoe.table.decks import in_deal, suspect
from cardshoe.table.desk import Desk
from cardshoe.table.header import opened
from cardshoe.table.interlocks import FULL_DECK
from cardshoe.table.limits import change_limits
from cardshoe.table.orders import SignHead
from cardshoe.table.roles import UPKEEP, Role

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_DEVICES: Final = ("shoe", "reader")


def keep_house(desk: Desk, act: UpkeepAct) -> None:
    """Do an upkeep act. Raises `Refused`; then nothing is written."""
    if not isinstance(act, DeckPlaced | StubCounted):
        _require_right(act, act.role, act.reason)
    match act:
        case DeckPlaced(back):
            _placed(desk, back)
        case DeckReplaced(back, role, reason):
            _replaced(desk, back, role, reason)
        case DeckDoubted() | HandShuffled() | StopAsked():
            _seen(desk, act)
        case StubCounted(cards):
            _stub_counted(desk, cards)
        case CalibrationChanged():
            _calibrated(desk, act)
        case LimitsChanged():
            change_limits(desk, act)
        case ShoeGivenUp(role, reason):
            give_up_shoe(desk, role, reason)
        case SignedOff() | TrainingSet() | TableReopened():
            _shift(desk, act)
        case _:
            assert_never(act)


def _seen(desk: Desk, act: DeckDoubted | HandShuffled | StopAsked) -> None:
    """Take what somebody saw or did about deck or shoe."""
    match act:
        case DeckDoubted(role, reason):
            desk.write("deck_doubted", {"role": role, "reason": reason})
            suspect(desk, reason, count_known=False)
            desk.alarm("deck-doubted", f"The deck is in doubt: {reason}. Count it. Call the floor.")
        case HandShuffled(role, reason):
            if in_deal(desk):
                raise Refused("deck-in-play", "the deck is being dealt from; finish the deal before it is shuffled")
            desk.write("hand_shuffled", {"role": role, "reason": reason})
            suspect(desk, "shuffled by hand")
        case StopAsked(role, reason):
            desk.alarm("stop-asked", f"The {role} has stopped the shoe: {reason}. Call the floor.")
        case _:
            assert_never(act)


def _shift(desk: Desk, act: SignedOff | TrainingSet | TableReopened) -> None:
    """Take what begins or ends a part of the day: a shift, a training."""
    if desk.open_round is not None:
        raise Refused("round-open", f"round {desk.state.last_round_id} is not complete; finish it first")
    match act:
        case SignedOff(cards, role, reason):
            _signed_off(desk, cards, role, reason)
        case TrainingSet(on, role, reason):
            if on == desk.state.upkeep.training:
                raise Refused("training-already", f"this table is {'' if on else 'not '}in training already")
            desk.write("training_set", {TRAINING: True, "on": on, "role": role, "reason": reason})
        case TableReopened(role, reason):
            if not desk.state.upkeep.signed_off:
                raise Refused("table-open", "this table is open; it is opened anew after its cards were counted out")
            desk.write("table_opened", {**opened(desk), "role": role, "reason": reason})
        case _:
            assert_never(act)


def stub_count_due(desk: Desk) -> bool:
    """Tell whether the round may not be completed before its stub is counted (condition E26)."""
    every = desk.config.deck.stub_count_rounds
    state, round_ = desk.state, desk.open_round
    if state.upkeep.counts_deck or every is None or state.deck_id is None or round_ is None or round_.void_all:
        return False
    if state.upkeep.counted_round == state.last_round_id:
        return False
    # The open round is one more than those that are settled.
    return state.upkeep.uncounted_rounds + 1 >= every and isinstance(next_step(round_), CompleteRound)


def stub_expected(round_: State) -> int:
    """Return how many cards are left of the deck of `round_`, burns and board taken off."""
    dealt = sum(hand.dealt for hand in round_.hands) + round_.dealer_dealt
    return FULL_DECK - dealt - round_.burned - round_.board_dealt


def _placed(desk: Desk, back: str) -> None:
    backs, upkeep = desk.config.deck.backs, desk.state.upkeep
    if back not in backs:
        known = " or ".join(backs) if backs else "none: deck.backs is not configured"
        raise Refused("deck-back", f"{quoted(back)} is no back of this table's decks; known: {known}")
    if in_deal(desk):
        raise Refused("deck-in-play", "the deck is being dealt from; say it before the first stack")
    if len(backs) > 1 and back == upkeep.dealt_back:
        others = [each for each in backs if each != back and each not in upkeep.suspect_backs]
        if others:
            raise Refused(
                "deck-back", f"the {back} deck was dealt last; take it out and put the {others[0]} deck into the shoe"
            )
    desk.write("deck_placed", {"back": back})


def _replaced(desk: Desk, back: str, role: str, reason: str) -> None:
    backs = desk.config.deck.backs
    if back not in (backs or ("",)):
        raise Refused("deck-back", f"{quoted(back)} is no back of this table's decks; known: {' or '.join(backs)}")
    if in_deal(desk):
        raise Refused("deck-in-play", "the deck is being dealt from; finish the deal before one is replaced")
    desk.write("deck_replaced", {"back": back, "role": role, "reason": reason})


def _stub_counted(desk: Desk, cards: int) -> None:
    round_ = desk.open_round
    if round_ is None or desk.state.deck_id is None or not isinstance(next_step(round_), CompleteRound):
        raise Refused("stub-count-when", "the stub is counted when every hand is settled, before the round is complete")
    expected, upkeep = stub_expected(round_), desk.state.upkeep
    first = upkeep.first_uncounted or desk.state.last_round_id
    desk.write("stub_counted", {"cards": cards, "expected": expected, "first_round": first})
    if cards != expected:
        suspect(desk, f"the stub has {cards} cards, not {expected}")
        desk.alarm(
            "stub-count-wrong",
            f"The stub has {cards} cards, not {expected}. Rounds {first} to {desk.state.last_round_id} are in doubt."
            " Call the floor.",
        )


def _signed_off(desk: Desk, cards: int, role: str, reason: str) -> None:
    counted_in, view = desk.state.upkeep.counted_in, desk.live.shoe
    if view is not None and view.gate_occupied:
        raise Refused("sign-off-count", "cards lie in the shoe's gate; take them out and count again")
    if view is not None and view.cards_inside:
        raise Refused("sign-off-count", "cards lie in the shoe; take them out and count again")
    if cards != counted_in:
        raise Refused(
            "sign-off-count",
            f"{counted_in} cards were counted in and {quoted(cards)} counted out; look for {abs(counted_in - cards)} in"
            " the shoe, also one that was taken away, in the rack and under the table",
        )
    desk.write("signed_off", {"cards": cards, "role": role, "reason": reason})
    desk.order(SignHead(None, "shift-end"))


def _calibrated(desk: Desk, act: CalibrationChanged) -> None:
    if act.device not in _DEVICES:
        raise Refused("calibration", f"{quoted(act.device)} is no device of a table; write shoe or reader")
    for digest in (act.old, act.new):
        if not _DIGEST.fullmatch(digest):
            raise Refused("calibration", f"{quoted(digest)} is no SHA-256; write 64 hex digits in lower case")
    if desk.open_round is not None:
        raise Refused("round-open", f"round {desk.state.last_round_id} is not complete; finish it first")
    body = {"device": act.device, "old": act.old, "new": act.new, "role": act.role, "reason": act.reason}
    desk.write("calibration_changed", {**body, "proved": False})
    if act.device == "shoe":
        suspect(desk, "the shoe was calibrated")


def _require_right(act: UpkeepAct, role: str, reason: str) -> None:
    """Refuse one who may not do `act`, or does not say why."""
    allowed = [each.value for each in Role if each in UPKEEP[type(act)].first]
    if role not in allowed:
        raise Refused("role", f"{quoted(role)} may not do this; {' or '.join(allowed)} may")
    if not reason.strip():
        raise Refused("reason", "this needs a reason; say why")


def deals_from_shoe(desk: Desk) -> bool:
    """Tell whether this table's stacks come out of the automated shoe."""
    return desk.config.table.method == Method.AUTOMATED_SHOE.value
