"""Cards out of the shoe or the hand: stacks, single cards, cover card, stub, burns, board, the dealer's hand.

Owns the order of dealing (promise P3): NY-5324.35(d)(1)(i)–(iv), NY-5324.35(d)(2), NY-5324.35(e)(2), (4), (6), (7),
NY-5324.36(d)(1)(i)–(iv), NY-5324.36(d)(2)–(3), NY-5324.36(e)(2), (4), (6). Must not know faces. A report of a shoe that
does not fit is told to the machine as a `Misfit`; at a live table that becomes a hold, never an extra card.
"""

from __future__ import annotations

from typing import Any, NoReturn

from cardshoe.error_table import Clears
from cardshoe.errors import Refused
from cardshoe.games.quoting import quoted
from cardshoe.games.script import (
    DEALER,
    Burn,
    DealBoard,
    DealSingles,
    DealStacks,
    Method,
    RevealDealer,
    SettleHands,
    Step,
    TurnBoard,
)
from cardshoe.games.verdicts import Case, Cite
from cardshoe.round.effects import Effects
from cardshoe.round.events import (
    BoardDealt,
    BoardTurned,
    CardBurned,
    CardDealt,
    CoverCardInserted,
    DealerRevealed,
    StackDelivered,
    StackNotMoved,
    StackRequested,
    StackUnknown,
    StubRemoved,
)
from cardshoe.round.progress import (
    advanced,
    dealing_done,
    due,
    next_cites,
    next_destination,
    passed,
    stub_demanded,
    stub_step,
)
from cardshoe.round.state import Hold, Pending, State, changed, is_position, with_hand

_NONE: Effects = ()


class Misfit(Exception):
    """A report that does not fit: what to ask a person, and what to do with the state meanwhile."""

    def __init__(self, hold: Hold, state: State) -> None:
        super().__init__(hold.question)
        self.hold = hold
        self.state = state


def request_stack(state: State, event: StackRequested) -> tuple[State, Effects]:
    """The intent to dispense: only the stack that is due, under a command id that was never used."""
    step = due(state)
    if state.betting:
        _refuse("bets-open", '"no more bets" was not said; no stack before it', state.game.clauses.betting)
    if not isinstance(step, DealStacks):
        _refuse("out-of-order", f"no stack is due; {described(state)}", next_cites(state, DealStacks))
    if state.pending is not None:
        _refuse("stack-pending", f"the stack for {state.pending.to} is not accounted for yet; wait", step.cites)
    to = next_destination(state, step)
    if event.to != to:
        _refuse("wrong-destination", _not_there(state, event.to, to, "stack"), step.cites)
    if event.cards != step.cards or type(event.cards) is not int:
        _refuse("wrong-count", f"a stack has {step.cards} cards, not {quoted(event.cards)}", step.cites)
    if event.command_id in state.used_commands:
        _refuse("command-used", f"command id {event.command_id} was used before; a stack needs a new one", None)
    return (
        changed(
            state,
            pending=Pending(event.command_id, event.to, event.cards),
            used_commands=state.used_commands | {event.command_id},
            dealer_requested=state.dealer_requested or event.to == DEALER,
        ),
        _NONE,
    )


def deliver_stack(state: State, event: StackDelivered) -> tuple[State, Effects]:
    """A stack lies at its place; anything else than the one asked for is a misfit."""
    pending = state.pending
    if pending is None or pending.command_id != event.command_id:
        asked = "none is asked for" if pending is None else f"command {pending.command_id} is"
        raise Misfit(
            Hold(
                "stack-not-asked",
                f"A stack of {event.cards} (command {event.command_id}) went to {event.to}, but {asked}. "
                "Were its cards taken back unseen?",
                Clears.FLOOR,
                ("retrieved", "void-all"),
                who=event.to,
                cards=event.cards,
            ),
            state,
        )
    if event.to != pending.to:
        raise Misfit(
            Hold(
                "stack-wrong-place",
                f"The stack for {pending.to} was taken to {event.to}. Was it moved to {pending.to} unseen, "
                "with no card dealt since?",
                Clears.FLOOR,
                ("moved", "void-all"),
                cites=next_cites(state, DealStacks),
                who=pending.to,
                cards=event.cards,
            ),
            state,
        )
    if event.cards != pending.cards:
        case = Case.PLAYER_WRONG_COUNT
        if pending.to == DEALER:
            case = Case.DEALER_SHORT_REPAIRABLE if event.cards < pending.cards else Case.DEALER_WRONG_COUNT
        raise Misfit(
            Hold(
                "stack-wrong-count",
                f"The stack for {pending.to} has {event.cards} cards, not {pending.cards}.",
                Clears.FLOOR,
                (),
                who=pending.to,
                case=case,
                cards=event.cards,
            ),
            lay(state, pending.to, event.cards, pending=None),
        )
    return advanced(lay(state, pending.to, event.cards, pending=None), _NONE)


def not_moved(state: State, event: StackNotMoved) -> tuple[State, Effects]:
    """The shoe proved that nothing moved: the same stack is due again, the same command may be sent (promise P1)."""
    pending = state.pending
    if pending is None or pending.command_id != event.command_id:
        return state, _NONE  # an old answer says nothing new
    free = state.used_commands - {pending.command_id}
    return changed(withdrawn_request(state, pending), used_commands=free), _NONE


def withdrawn_request(state: State, pending: Pending) -> State:
    """Return `state` as before the request of `pending`; its command id stays used."""
    return changed(state, pending=None, dealer_requested=state.dealer_requested and pending.to != DEALER)


def unknown_stack(state: State, event: StackUnknown) -> tuple[State, Effects]:
    """Nobody can say whether cards moved: a person must look (promise P1)."""
    pending = state.pending
    to = pending.to if pending is not None else "an unknown place"
    raise Misfit(
        Hold(
            "stack-unknown",
            f"It is not known whether the stack for {to} (command {event.command_id}) was dispensed: {event.why}. "
            "Look at the table and the shoe.",
            Clears.FLOOR,
            ("delivered", "not-moved", "void-all") if pending is not None else ("continue", "void-all"),
            who=pending.to if pending is not None else "",
            cards=pending.cards if pending is not None else 0,
        ),
        state,
    )


def cover_card(state: State, _event: CoverCardInserted) -> tuple[State, Effects]:
    """NY-5324.35(d)(2), NY-5324.36(d)(2): once, any time before the dealer's stack is requested."""
    step = next((each for each in state.script if isinstance(each, DealStacks)), None)
    why = None
    if step is None:
        why = f"a cover card goes into an automated shoe only, not at {state.method.value}"
    elif state.cover_card_in:
        why = "a cover card is in the shoe already; one at most"
    elif state.dealer_requested or (not state.betting and dealing_done(state)):
        why = "the dealer's stack was requested; the cover card may only go in before that"
    if why is not None:
        cites = step.cover_card_cites if step is not None else None
        raise Misfit(Hold("cover-card", _capital(why), Clears.FLOOR, ("removed", "void-all"), cites=cites), state)
    return changed(state, cover_card_in=True), _NONE


def remove_stub(state: State, _event: StubRemoved) -> tuple[State, Effects]:
    """NY-5324.36(d)(3): after the last stack; ruling: any time until the first burn."""
    step = stub_step(state)
    why = None
    if step is None:
        why = f"no stub leaves a shoe at {state.method.value}"
    elif state.stub_removed:
        why = "the stub is out already"
    elif step.when == "house" and state.house.board_from == "shoe":
        why = "the house deals the community cards from the shoe; the stub stays in"
    elif not dealing_done(state):
        why = "the dealer's stack is not dealt; the stub leaves the shoe after the last stack"
    elif state.burned or state.board_dealt:
        why = "the first card was burned; the stub leaves the shoe before that"
    if why is not None:
        cites = step.cites if step is not None else None
        raise Misfit(Hold("stub", _capital(why), Clears.FLOOR, ("continue", "void-all"), cites=cites), state)
    return changed(state, stub_removed=True), _NONE


def deal_card(state: State, event: CardDealt) -> tuple[State, Effects]:
    """NY-5324.35(d)(1)(i)–(iv), NY-5324.36(d)(1)(i)–(iv): one card at a time, the dealer's as the text covers it."""
    step = due(state)
    if state.betting:
        _refuse("bets-open", '"no more bets" was not said; no card before it', state.game.clauses.betting)
    if state.method is Method.AUTOMATED_SHOE:
        _refuse("wrong-method", "an automated shoe deals stacks, not single cards", next_cites(state, DealStacks))
    if not isinstance(step, DealSingles):
        _refuse("out-of-order", f"no such card is due; {described(state)}", next_cites(state, DealSingles))
    to = next_destination(state, step)
    cites = step.dealer_cites if to == DEALER else step.cites
    if to is None or event.to != to:
        _refuse("wrong-destination", _not_there(state, event.to, to, "card"), cites)
    covered = to == DEALER and step.dealer_under_cover_card
    if event.under_cover_card is not None and event.under_cover_card is not covered:
        where = "goes under a cover card" if covered else "does not go under a cover card"
        _refuse("cover-card-rule", f"this card to {to} {where}", cites)
    return advanced(lay(state, to, 1), _NONE)


def burn(state: State, event: CardBurned) -> tuple[State, Effects]:
    """NY-5324.35(e)(2), (4), (6), NY-5324.36(e)(2), (4)."""
    step = due(state)
    if not isinstance(step, Burn):
        _refuse("out-of-order", f"no burn is due; {described(state)}", next_cites(state, Burn))
    _check_from_hand(state, step, event.cards, step.cards, "burn")
    return advanced(passed(state, burned=state.burned + step.cards), _NONE)


def deal_board(state: State, event: BoardDealt) -> tuple[State, Effects]:
    """NY-5324.35(e)(2), (4), (6), NY-5324.36(e)(2), (4); from the hand: NY-5324.36(d)(3)."""
    step = due(state)
    if not isinstance(step, DealBoard):
        cites = next_cites(state, DealBoard)
        if stub_demanded(state) and (stub := stub_step(state)) is not None:
            cites = stub.cites
        _refuse("out-of-order", f"no community card is due; {described(state)}", cites)
    _check_from_hand(state, step, event.cards, step.cards, "deal of community cards")
    up = state.board_up + (step.cards if step.face_up else 0)
    return advanced(passed(state, board_dealt=state.board_dealt + step.cards, board_up=up), _NONE)


def turn_board(state: State, event: BoardTurned) -> tuple[State, Effects]:
    """Turn up community cards that lie face down."""
    step = due(state)
    if not isinstance(step, TurnBoard):
        _refuse("out-of-order", f"no community card is to be turned; {described(state)}", next_cites(state, TurnBoard))
    if event.cards != step.cards or type(event.cards) is not int:
        _refuse("wrong-count", f"{step.cards} cards are to be turned, not {quoted(event.cards)}", step.cites)
    return advanced(passed(state, board_up=state.board_up + step.cards), _NONE)


def reveal_dealer(state: State, _event: DealerRevealed) -> tuple[State, Effects]:
    """NY-5324.35(e)(7), NY-5324.36(e)(6): after every decision and the whole board."""
    step = due(state)
    if state.void_all and isinstance(step, SettleHands) and not state.dealer_revealed:
        return changed(state, dealer_revealed=True), _NONE  # it decides nothing, and may be shown
    if not isinstance(step, RevealDealer):
        cites = next_cites(state, RevealDealer)
        _refuse("out-of-order", f"the dealer's cards stay face down; {described(state)}", cites)
    return advanced(passed(state, dealer_revealed=True), _NONE)


def lay(state: State, to: str, cards: int, /, **changes: Any) -> State:
    """Return `state` with `cards` more cards at `to`, and with `changes`."""
    if to == DEALER:
        return changed(state, dealer_dealt=state.dealer_dealt + cards, **changes)
    hand = state.hand(to)
    return with_hand(state, changed(hand, dealt=hand.dealt + cards), **changes)


def described(state: State) -> str:
    """Say in a few words what is due, for a refusal."""
    if state.betting:
        return 'wagers are still open; "no more bets" comes first'
    step = due(state)
    if step is None:
        return "the round is over"
    if isinstance(step, DealStacks | DealSingles):
        return f"cards are being dealt, next to {next_destination(state, step)}"
    if stub_demanded(state) and isinstance(step, Burn | DealBoard):
        return "the stub is still in the shoe; remove it first"
    return f"due is: {_NAMES.get(type(step), 'a decision')}"


_NAMES: dict[type[Step], str] = {
    Burn: "a burn",
    DealBoard: "community cards",
    TurnBoard: "a community card to be turned up",
    RevealDealer: "the dealer's hand",
    SettleHands: "settlement",
}


def _check_from_hand(state: State, step: Burn | DealBoard, given: object, wanted: int, what: str) -> None:
    if stub_demanded(state) and (stub := stub_step(state)) is not None:
        _refuse("stub-in-shoe", f"the stub is still in the shoe; remove it before the {what}", stub.cites)
    if given != wanted or type(given) is not int:
        _refuse("wrong-count", f"this {what} is of {wanted}, not {quoted(given)}", step.cites)


def _not_there(state: State, given: object, to: str | None, what: str) -> str:
    if given != DEALER and not is_position(given):
        return f"{quoted(given)} is no place for a {what}; the next goes to {to}"
    if given != DEALER and isinstance(given, str) and not state.hand(given).wagers:
        return f"position {given} has no wager; the next {what} goes to {to}"
    return f"no {what} to {given} now; the next goes to {to}"


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _refuse(code: str, text: str, cites: Cite) -> NoReturn:
    raise Refused(code, text, cites=cites)
