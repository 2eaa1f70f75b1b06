"""What may be shown of a table: one frozen value, made from what is on disk already.

Owns `TableView`, the one thing that is due, and its words for the dealer. No hidden face can be in it: the state that
it is made from holds none (promise P4). Must not know screens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from cardshoe.cards import Card
from cardshoe.devices.shoe_terms import DeckState
from cardshoe.games.script import Method
from cardshoe.round import next_step as step
from cardshoe.round.places import in_words
from cardshoe.round.state import Hand, Same
from cardshoe.table.commits import comparing
from cardshoe.table.desk import Live
from cardshoe.table.interlocks import ShoeView, fresh_deck
from cardshoe.table.outcomes import outcomes
from cardshoe.table.state import Command, TableAlarm, TableState, Tally, Work
from cardshoe.table.upkeep import Limits


@dataclass(frozen=True, slots=True)
class TakeStack:
    """The stack lies in the gate; take it to `to`."""

    to: str
    cards: int


@dataclass(frozen=True, slots=True)
class OpenRoundDue:
    """The next round may be opened."""


@dataclass(frozen=True, slots=True)
class LoadDeck:
    """Put the whole deck into the shoe: the one with this `back`, "" where any may go in."""

    back: str = ""


@dataclass(frozen=True, slots=True)
class ClearGate:
    """Cards that belong to nobody lie in the shoe's gate: take them out unseen, to the discard rack."""


@dataclass(frozen=True, slots=True)
class CountStub:
    """Spread and count what is left of the deck: the shoe does not count it."""


@dataclass(frozen=True, slots=True)
class AnswerAlarm:
    """An alarm between rounds waits for the one who may clear it."""

    alarm: TableAlarm


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing to do but wait; `text` says for what."""

    text: str


Due = step.NextStep | TakeStack | OpenRoundDue | LoadDeck | ClearGate | CountStub | AnswerAlarm | Wait


@dataclass(frozen=True, slots=True)
class WagerView:
    """What became of one wager: "win", "push", "lose" or "void"; the clause that decides it."""

    spot: str
    outcome: str
    won_cents: int
    returned_cents: int
    cites: str | None


@dataclass(frozen=True, slots=True)
class PositionView:
    """One position as everybody at the table sees it. Amounts are cents; `faces` lie face up; `results` and `category`
    are there once the hand is settled.
    """

    position: str
    player: str | None
    status: str
    wagers: Mapping[str, int]
    decided: tuple[str, ...]
    cards: int
    faces: tuple[str, ...]
    won_cents: int | None
    returned_cents: int | None
    results: tuple[WagerView, ...] = ()
    category: str | None = None


@dataclass(frozen=True, slots=True)
class TableView:
    """One table. `due` is the one next thing; `words` says it to the dealer. `cover_cards`: the slots of the deck
    before which cover cards lie in the shoe; `notices`: what service should know; `declared`: faces that were entered
    by hand and that the floor has not confirmed; `limits`: those that the floor has set; `training`: this is no play;
    `signed_off`: the cards were counted out, and the floor opens the table anew; `shoe_owes`: the shoe has not said
    what became of a stack; `outcomes`: what each answer to the open question would lead to.
    """

    name: str
    game: str
    method: str
    round_id: int
    due: Due
    words: str
    positions: tuple[PositionView, ...]
    dealer_cards: int
    dealer_faces: tuple[str, ...]
    board_cards: int
    board_faces: tuple[str, ...]
    burned: int
    cover_card_in: bool
    stub_removed: bool
    shoe_up: bool
    reader_up: bool
    deck: str
    tally: Tally
    cover_cards: tuple[int, ...] = ()
    notices: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    training: bool = False
    signed_off: bool = False
    round_open: bool = False
    shoe_owes: bool = False
    outcomes: Mapping[str, str] = field(default_factory=dict)


def view(name: str, game: str, method: str, state: TableState, live: Live) -> TableView:
    """Return what may be shown of `state`, which is on disk, and of what is known only now."""
    due = due_now(state, live, method)
    round_ = state.round
    return TableView(
        name=name,
        game=game,
        method=method,
        round_id=state.last_round_id,
        due=due,
        words=_unread(state, live, due) or words(due),
        positions=_positions(Same(round_.hands)) if round_ is not None else (),
        dealer_cards=round_.dealer_dealt if round_ is not None else 0,
        dealer_faces=_texts(round_.dealer_faces) if round_ is not None else (),
        board_cards=round_.board_dealt if round_ is not None else 0,
        board_faces=_texts(round_.board_faces) if round_ is not None else (),
        burned=round_.burned if round_ is not None else 0,
        cover_card_in=round_ is not None and round_.cover_card_in,
        stub_removed=round_ is not None and round_.stub_removed,
        shoe_up=live.shoe_up,
        reader_up=live.reader_up,
        deck=_deck(Same(live.shoe)),
        tally=state.tally,
        cover_cards=state.upkeep.cover_cards,
        notices=live.notices,
        declared=round_.declared if round_ is not None else (),
        limits=state.upkeep.limits,
        training=state.upkeep.training,
        signed_off=state.upkeep.signed_off,
        round_open=not state.round_closed,
        shoe_owes=state.command is not None and state.command.work is Work.DISPENSE,
        outcomes=outcomes(round_, due.hold) if round_ is not None and isinstance(due, step.Held) else {},
    )


def due_now(state: TableState, live: Live, method: str) -> Due:
    """Return the one next thing."""
    if state.alarms:
        return AnswerAlarm(state.alarms[0])
    if state.round is None or state.round_closed:
        return _between_rounds(state, live, method)
    due = step.next_step(state.round)
    match due:
        case step.AwaitStack():
            return _awaited(state, live, due)
        case step.RequestStack():
            return _before_a_stack(state, live, due)
        case step.CompleteRound() if state.command is not None and state.command.work is Work.DISPENSE:
            return _unaccounted(state.command, live)
        case step.CompleteRound() if live.stub_due:
            return CountStub()
        case step.SettleHand() | step.CompleteRound() if comparing(state):
            return Wait("The shoe compares the cards that lie up with those that it dealt.")
        case step.ReadFaces() if live.revealing:
            return Wait(f"The shoe is asked for the cards of {in_words(due.place)}.")
        case _:
            return due


def _between_rounds(state: TableState, live: Live, method: str) -> Due:
    if state.upkeep.signed_off:
        return Wait("The cards of this table were counted out. The floor opens the table anew.")
    if _past_untold(state, live):
        return Wait(_PAST_UNTOLD)
    if method != Method.AUTOMATED_SHOE.value:
        return OpenRoundDue()
    if state.command is not None and state.command.work is Work.DISPENSE:
        return _unaccounted(state.command, live)
    if not live.shoe_up or live.shoe is None:
        return Wait("The shoe is not connected. Look at its cable and power.")
    if live.shoe.gate_occupied:
        return ClearGate()
    used = (state.deck_id, state.spent_deck_id, state.upkeep.suspect_deck_id)
    if _deck_on_its_way(state, live) or fresh_deck(live.shoe, used):
        return OpenRoundDue()
    return LoadDeck(live.next_back)


_PAST_UNTOLD: Final = "The devices still tell what happened before they were connected."


def _past_untold(state: TableState, live: Live) -> bool:
    """Tell whether a device that is up has not told yet what happened before: no round begins on half of a past."""
    up = {"shoe": live.shoe_up, "reader": live.reader_up}
    return any(up[device] and live.past_untold(device, state.devices.get(device)) for device in up)


def _unaccounted(command: Command, live: Live) -> Wait:
    """No round ends or begins before the shoe has said what became of its last command."""
    stack = f"the stack for {in_words(command.to)}"
    if live.shoe_up:
        return Wait(f"Wait until the shoe has said what became of {stack}.")
    return Wait(f"The shoe has not said what became of {stack}. Look at its cable and power.")


def _deck_on_its_way(state: TableState, live: Live) -> bool:
    preparing = state.command is not None and state.command.work is Work.PREPARE
    return preparing or (live.shoe is not None and live.shoe.deck_state is DeckState.LOADED)


def _awaited(state: TableState, live: Live, due: step.AwaitStack) -> Due:
    if not live.shoe_up:
        return Wait("The shoe is not connected. Touch nothing; it is asked what it did as soon as it answers.")
    if state.command is not None and state.command.ready:
        return TakeStack(due.to, due.cards)
    if live.command_unknown:
        return Wait("The shoe is asked what became of the last stack. Touch nothing.")
    if live.command_due is None and live.shoe is not None and live.shoe.gate_occupied:
        return TakeStack(due.to, due.cards)  # the stack stopped on the way; what came of it goes where it belongs
    return Wait(f"The stack for {in_words(due.to)} is coming.")


def _before_a_stack(state: TableState, live: Live, due: step.RequestStack) -> Due:
    if not live.shoe_up or live.shoe is None:
        return Wait("The shoe is not connected. Look at its cable and power.")
    if live.past_untold("shoe", state.devices.get("shoe")):
        return Wait(_PAST_UNTOLD)
    if live.shoe.gate_occupied:
        return ClearGate()
    if state.deck_id is None and not _deck_on_its_way(state, live):
        if not fresh_deck(live.shoe, (state.spent_deck_id, state.upkeep.suspect_deck_id)):
            return LoadDeck(live.next_back)
    elif state.deck_id is None:
        return Wait("The deck is being shuffled and verified.")
    if live.obstacle is not None:
        return Wait(live.obstacle.text)
    return due


@lru_cache(maxsize=8)
def _positions(same: Same[tuple[Hand, ...]]) -> tuple[PositionView, ...]:
    return tuple([_position(Same(hand)) for hand in same.value])


@lru_cache(maxsize=32)
def _position(same: Same[Hand]) -> PositionView:
    """Of six hands one changes at a time, and a view is made at every change."""
    hand = same.value
    result = hand.result
    return PositionView(
        position=hand.position,
        player=hand.player,
        status=hand.status.value,
        wagers=hand.wagers,
        decided=hand.decided,
        cards=0 if hand.collected else hand.dealt,
        faces=tuple(card.text for card in hand.faces),
        won_cents=result.won_cents if result is not None else None,
        returned_cents=result.returned_cents if result is not None else None,
        results=tuple(
            WagerView(each.spot, each.outcome, each.won_cents, each.returned_cents, each.cites)
            for each in (result.wagers if result is not None else ())
        ),
        category=result.ranked.category if result is not None and result.ranked is not None else None,
    )


def _texts(cards: tuple[Card, ...]) -> tuple[str, ...]:
    return tuple([card.text for card in cards]) if cards else ()


@lru_cache(maxsize=4)
def _deck(told: Same[ShoeView | None]) -> str:
    shoe = told.value
    if shoe is None:
        return "unknown"
    left = "" if shoe.cards_left is None else f", {shoe.cards_left} cards"
    return f"{shoe.deck_state.name.lower()} (deck {shoe.deck_id}{left})"


def _unread(state: TableState, live: Live, due: Due) -> str:
    """Return what the dealer reads where a card could not be read, or was entered; "" else (condition E06)."""
    reads = isinstance(due, step.SettleHand) and live.reader_capabilities is not None
    if state.round is not None and state.round.declared and (reads or isinstance(due, step.CompleteRound)):
        return f"Call the floor to confirm what was entered: {', '.join(state.round.declared)}."
    if not isinstance(due, step.ReadFaces):
        return ""
    lying = state.reader_faces.get(f"position_{due.place}" if due.place.isdigit() else due.place, ())
    if "unreadable" not in lying:
        return ""
    return f"A card at {in_words(due.place)} cannot be read. Turn it again, or enter it; the floor confirms it."


def words(due: Due) -> str:
    """Return what the dealer reads."""
    match due:
        case TakeStack(to, cards):
            return f"Take {cards} cards to {in_words(to)}."
        case OpenRoundDue():
            return "Open the next round."
        case LoadDeck(back):
            return f"Put the whole {f'{back} ' if back else ''}deck into the shoe."
        case CountStub():
            return "Spread and count the stub, then enter its count."
        case ClearGate():
            return "Take the cards out of the shoe's gate, unseen, to the discard rack."
        case AnswerAlarm(alarm):
            return f"{alarm.text} ({alarm.clears.value})"
        case Wait(text):
            return text
        case step.Held(hold):
            return f"{hold.question} ({hold.clears.value}: {' / '.join(hold.choices)})"
        case _:
            return _step_words(due)


def _step_words(due: step.NextStep) -> str:
    match due:
        case step.TakeWagers():
            return 'Take wagers, then say "no more bets".'
        case step.RequestStack(to):
            return f"The stack for {in_words(to)} is next."
        case step.AskDecision(positions, choices):
            return f"Ask {' and '.join(in_words(each) for each in positions)}: {', '.join(choices)}."
        case step.DealCard(to, under):
            return f"Deal one card to {in_words(to)}{' under a cover card' if under else ''}."
        case step.RemoveStub():
            return "Take the rest of the deck out of the shoe."
        case step.BurnCards(cards, source):
            return f"Burn {cards} from the {source}."
        case step.DealCommunity(cards, source, face_up):
            return f"Deal {cards} to the board from the {source}, face {'up' if face_up else 'down'}."
        case _:
            return _end_words(due)


def _end_words(due: step.NextStep) -> str:
    match due:
        case step.TurnCommunity(cards):
            return f"Turn up {cards} of the board."
        case step.TurnDealer():
            return "Turn up the dealer's cards."
        case step.ReadFaces(at, cards):
            return f"Turn up the cards at {in_words(at)} ({cards} to be read or entered)."
        case step.SettleHand(position):
            return f"Settle {in_words(position)}."
        case step.CollectHand(position):
            return f"Put the cards of {in_words(position)} into the discard rack."
        case _:
            return "Collect everything and complete the round."
