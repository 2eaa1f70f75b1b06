"""What becomes of a command given to the shoe: from the answer, through the outcome, to the stack's delivery.

Owns the resolution of the open command. A lost command is not a failed one: until the shoe, asked by command id, has
said otherwise its outcome is unknown. Nothing is ever sent a second time: what the shoe has never seen, or stopped
before a card came out, is requested anew with a new intent and a new id, past every interlock; after any other answer
nothing is (promise P1). Where the shoe cannot say, a person looks.
"""

from __future__ import annotations

from typing import Final, assert_never

from cardshoe.devices import shoe_events as shoe
from cardshoe.devices.shoe_terms import DispenseResult, Outcome
from cardshoe.errors import Refused
from cardshoe.games.verdicts import Case
from cardshoe.round.events import StackDelivered, StackNotMoved, StackUnknown
from cardshoe.round.places import in_words
from cardshoe.table.decks import rejected, suspect
from cardshoe.table.desk import Desk
from cardshoe.table.state import Command, Work

REFUSAL_PAUSE_S: Final = 0.3
"""After a refusal the next try waits for a status newer than it."""
REPORT_S: Final = 2.0
"""So long after "done" the report of a stack may still be on its way."""
FACE_UP: Final = "card_face_up"
"""The fault of a card that lies face up; the game's own text rules it."""

_PASSING = frozenset(
    {
        DispenseResult.INHIBITED,
        DispenseResult.NO_LEASE,
        DispenseResult.DOOR_OPEN,
        DispenseResult.GATE_OCCUPIED,
        DispenseResult.BUSY,
        DispenseResult.STALE_COMMAND,
        DispenseResult.FAULTED,
        DispenseResult.RING_FULL,
    }
)
"""Refusals that pass by themselves or that another report explains; the rest contradict what we know and hold."""

Answer = (
    shoe.CommandAccepted | shoe.CommandRefused | shoe.CommandRejected | shoe.CommandNotSent | shoe.CommandOutcomeUnknown
)
End = (
    shoe.StackReady
    | shoe.StackTaken
    | shoe.DispenseFailed
    | shoe.DispenseInterrupted
    | shoe.DeckVerified
    | shoe.DeckRejected
)


def answered(desk: Desk, event: Answer, now: float) -> None:
    """Take the shoe's answer to the order itself. Accepted is not done."""
    command = desk.state.command
    if command is None or command.command_id != event.command_id:
        return
    match event:
        case shoe.CommandAccepted():
            return
        case shoe.CommandRefused():
            _refused(desk, command, event.refusal, now)
        case shoe.CommandRejected():
            _not_moved(desk, command, f"the shoe did not take the command ({event.reason.name.lower()})", now)
        case shoe.CommandNotSent():
            _not_moved(desk, command, f"the command never left ({event.reason.value})", now)
        case shoe.CommandOutcomeUnknown():
            desk.live.command_unknown = True
        case _:
            assert_never(event)


def outcome_told(desk: Desk, event: shoe.CommandOutcome, now: float) -> None:
    """Take the shoe's word on a command that was asked about."""
    desk.live.asked = False
    desk.live.answered()
    command = desk.state.command
    if command is None or command.command_id != event.command_id:
        return
    desk.write(
        "command_answered",
        {"command_id": event.command_id, "outcome": event.outcome.name.lower(), "cards_seen": event.cards_seen},
    )
    overdue = desk.live.command_unknown and desk.live.command_due is None
    desk.live.command_unknown = False
    if desk.state.command is None or _floor_looks(desk):
        return  # nobody awaits it any more, or people decide by what they see, whoever answers
    if command.work is Work.PREPARE:
        _preparation_outcome(desk, command, event.outcome, now, overdue=overdue)
    else:
        _dispense_outcome(desk, command, event, now, overdue=overdue)


def _dispense_outcome(desk: Desk, command: Command, event: shoe.CommandOutcome, now: float, *, overdue: bool) -> None:
    match event.outcome:
        case Outcome.NEVER_SEEN:
            # What is still due is requested anew, with a new intent, past every interlock: nothing is sent blindly.
            _not_moved(desk, command, "the shoe never saw the command", now)
        case Outcome.RUNNING:
            desk.live.command_due = now + desk.config.timing.dispense_s(command.cards)
            if overdue and desk.live.was_overdue:
                desk.alarm("stack-overdue", f"The stack for {command.to} does not come. Look at the shoe.")
            desk.live.was_overdue = overdue
        case Outcome.DONE:
            _done(desk, command, event, now)
        case Outcome.FAILED | Outcome.INTERRUPTED:
            _partly(desk, command, event.cards_seen, taken=event.taken, why=event.outcome.name.lower())
        case Outcome.FORGOTTEN:
            _nobody_knows(desk, command, "the shoe has forgotten the command")
        case _:
            assert_never(event.outcome)


def ended(desk: Desk, event: End) -> None:
    """Take an event that ends a command or a stack's stay in the gate."""
    command = desk.state.command
    if event.command_id > desk.state.last_command_id:
        desk.alarm("stack-not-asked", f"The shoe carried out command {event.command_id}, which nobody gave.")
        return
    if command is None or command.command_id != event.command_id:
        if event.command_id in desk.state.not_moved and _moved_cards(event):
            _contradicted(desk, event.command_id)
        return  # else told already, by query or by an earlier report
    match event:
        case shoe.StackReady():
            _ready(desk, command, event)
        case shoe.StackTaken():
            _taken(desk, command, event.cards)
        case shoe.DispenseFailed() | shoe.DispenseInterrupted():
            _stopped(desk, command, event)
        case shoe.DeckVerified():
            _end_preparation(desk, command)
        case shoe.DeckRejected():
            _end_preparation(desk, command)
            rejected(desk, event)
        case _:
            assert_never(event)


def require_none_open(desk: Desk) -> None:
    """Refuse what ends or begins a round while a dispense is open, on whatever road it came so far (P1, P3).

    Raises `Refused` (`command-open`). Where no shoe is left that could answer, the floor is asked instead.
    """
    command = desk.state.command
    if command is None or command.work is not Work.DISPENSE:
        return
    what = f"the stack for {command.to} (command {command.command_id})"
    if desk.config.devices.shoe is None:
        _nobody_knows(desk, command, "this table has no shoe any more that could say")
        raise Refused("command-open", f"nobody can say what became of {what}; the floor looks first")
    if command.ready:
        raise Refused("command-open", f"{what} lies in the shoe's gate; take it out first")
    raise Refused("command-open", f"the shoe has not said yet what became of {what}; wait for its answer")


def must_be_asked(desk: Desk) -> bool:
    """Tell whether a shoe that has just answered is asked what became of the open command.

    Where the floor looks already, no device is asked: it may be another one, and people decide by what they see.
    """
    command = desk.state.command
    return command is not None and not command.ready and not _floor_looks(desk)


def _floor_looks(desk: Desk) -> bool:
    """Tell whether the floor is asked where the stack of the open command is."""
    round_ = desk.open_round
    return round_ is not None and any(hold.code == "stack-unknown" for hold in round_.holds)


def another_shoe(desk: Desk, serial: str) -> None:
    """Another shoe stands in the place of the one that was commanded: its word on the command is worth nothing (P1)."""
    command = desk.state.command
    if command is None:
        return
    why = f"shoe {serial} stands in the place of the one that was asked"
    if command.work is Work.PREPARE:
        desk.write("command_ended", {"command_id": command.command_id, "why": why})
    elif not command.ready:
        _nobody_knows(desk, command, why)


def give_up_shoe(desk: Desk, role: str, reason: str) -> None:
    """The floor gives up a shoe that is gone: nobody waits for its word any more, and people look instead (P1).

    Raises `Refused` (`shoe-answers`: it is connected; `shoe-owes-nothing`).
    """
    command = desk.state.command
    if desk.live.shoe_up:
        raise Refused("shoe-answers", "the shoe is connected and says itself what it did; pull its cable first")
    if command is None:
        raise Refused("shoe-owes-nothing", "the shoe owes no answer; void the round, or go on with another shoe")
    desk.write("shoe_given_up", {"command_id": command.command_id, "role": role, "reason": reason})
    if command.work is Work.PREPARE:
        _end_preparation(desk, command)
    elif not _floor_looks(desk):
        _nobody_knows(desk, command, f"the shoe was given up ({reason})")


def without_memory(desk: Desk) -> None:
    """The shoe has lost its memory: that it never saw a command is no answer, and it may have carried it out (P1)."""
    command = desk.state.command
    if command is not None and command.work is Work.DISPENSE and not command.ready and not _floor_looks(desk):
        _nobody_knows(desk, command, "the shoe has lost its memory")


def _moved_cards(event: End) -> bool:
    match event:
        case shoe.StackReady():
            return True
        case shoe.DispenseFailed() | shoe.DispenseInterrupted():
            return event.cards_seen != 0
        case _:
            return False


def _contradicted(desk: Desk, command_id: int) -> None:
    """An answer said "nothing moved", a report says that it did: one of them is not the shoe's (promise P1)."""
    suspect(desk, f"the shoe first denied command {command_id} and then carried it out")
    desk.alarm(
        "stack-not-asked",
        f"The shoe said that command {command_id} moved nothing, and now reports cards of it. Leave them in the gate.",
    )


def _stopped(desk: Desk, command: Command, event: shoe.DispenseFailed | shoe.DispenseInterrupted) -> None:
    if command.work is Work.PREPARE:
        _end_preparation(desk, command)  # a fault holds by itself; without one the deck is prepared anew
    elif isinstance(event, shoe.DispenseFailed):
        _partly(desk, command, event.cards_seen, taken=False, why=event.fault.name)
    else:
        _partly(desk, command, event.cards_seen, taken=False, why=f"stopped by {event.cause.name.lower()}")


def _refused(desk: Desk, command: Command, refusal: DispenseResult, now: float) -> None:
    # A fault that no report explains (another one came first, or the table was restarted) would be refused for ever.
    known = desk.live.shoe is not None and desk.live.shoe.stopping_fault is not None
    unexplained = refusal is DispenseResult.FAULTED and not known
    if refusal not in _PASSING or unexplained:
        why = refusal.name.lower().replace("_", " ")
        desk.alarm("stack-refused", f"The shoe refuses the {_what(command)}: {why}.")
    _not_moved(desk, command, f"the shoe refused ({refusal.name.lower()})", now)


def _not_moved(desk: Desk, command: Command, why: str, now: float) -> None:
    """Nothing moved, for certain: what is still due is ordered anew, after a newer status."""
    desk.live.command_due = None
    desk.live.quiet_until = now + REFUSAL_PAUSE_S
    if command.work is Work.PREPARE:
        desk.write("command_ended", {"command_id": command.command_id, "why": why})
        return
    desk.write("command_withdrawn", {"command_id": command.command_id, "why": why})
    if desk.state.round is None:
        desk.write("command_ended", {"command_id": command.command_id, "why": why})
    else:
        desk.happened(StackNotMoved(command.command_id, why))


def _ready(desk: Desk, command: Command, event: shoe.StackReady) -> None:
    desk.live.command_due = None
    desk.live.command_unknown = False
    deck_id, first = desk.state.deck_id, event.first_slot
    # The state has absorbed the report already, so the next free slot is behind this stack if the slots are right.
    if event.deck_id != deck_id:
        desk.alarm("deck-changed", f"The stack for {command.to} came from deck {event.deck_id}, not {deck_id}.")
    elif first is None or first + event.cards != desk.state.next_slot or first < desk.state.slot_before:
        desk.alarm("slot-used-twice", f"The shoe says that cards of the stack for {command.to} were dealt before.")
    elif event.cards != command.cards:
        desk.alarm(
            "stack-wrong-count",
            f"The stack for {command.to} has {event.cards} cards, not {command.cards}. Leave it in the gate.",
        )


def _taken(desk: Desk, command: Command, cards: int | None) -> None:
    if cards is None:
        _nobody_knows(desk, command, "cards were taken, and the shoe does not know how many")
    else:
        desk.live.command_due = None
        desk.happened(StackDelivered(command.command_id, command.to, cards))


def _done(desk: Desk, command: Command, event: shoe.CommandOutcome, now: float) -> None:
    """The stack reached the gate; its reports are in the ring and say the same, or are lost."""
    if event.taken:
        _taken(desk, command, event.cards_seen)
    elif not command.ready and desk.live.done_unreported:
        _nobody_knows(desk, command, "the shoe says that it is done, and its report does not come")
    elif not command.ready:
        desk.live.done_unreported, desk.live.command_due = True, now + REPORT_S


def _partly(desk: Desk, command: Command, cards_seen: int | None, *, taken: bool, why: str) -> None:
    """Stopped on the way: no card, some, or nobody knows."""
    desk.live.command_due = None
    desk.live.command_unknown = False
    if cards_seen is None:
        _nobody_knows(desk, command, f"the shoe was {why} and does not know how many cards came out")
    elif cards_seen == 0:
        desk.happened(StackNotMoved(command.command_id, why))
    elif taken:
        _taken(desk, command, cards_seen)
    elif not _asked(desk, "stack-incomplete") and (why != FACE_UP or not _face_up_held(desk)):
        desk.alarm(
            "stack-incomplete",
            f"{cards_seen} of {command.cards} cards for {in_words(command.to)} came out ({why}). The floor has them"
            " taken there unseen and answers then.",
        )


def _asked(desk: Desk, code: str) -> bool:
    """Tell whether this question is open: a report and the answer to a query say the same in other words."""
    round_ = desk.open_round
    return round_ is not None and any(hold.code == code for hold in round_.holds)


def _face_up_held(desk: Desk) -> bool:
    """Tell whether the floor is asked about a card face up; its ruling covers the stack that it stopped."""
    round_ = desk.open_round
    faces = (Case.CARD_FACE_UP_DURING_DEAL, Case.CARD_FACE_UP_AFTER_DEAL)
    return round_ is not None and any(hold.case in faces for hold in round_.holds)


def _nobody_knows(desk: Desk, command: Command, why: str) -> None:
    desk.live.command_due = None
    desk.live.command_unknown = False
    if desk.open_round is None:
        desk.write("command_ended", {"command_id": command.command_id, "why": why})
        desk.alarm("stack-unknown", f"It is not known what became of the stack for {command.to}: {why}.")
    else:
        desk.happened(StackUnknown(command.command_id, why))


def _preparation_outcome(desk: Desk, command: Command, outcome: Outcome, now: float, *, overdue: bool) -> None:
    match outcome:
        case Outcome.RUNNING:
            desk.live.command_due = now + desk.config.timing.prepare_ms / 1000
            if overdue and desk.live.was_overdue:
                desk.alarm("deck-overdue", "The deck is not ready in time. Look at the shoe. Call the floor.")
            desk.live.was_overdue = overdue
        case Outcome.NEVER_SEEN | Outcome.DONE | Outcome.INTERRUPTED | Outcome.FORGOTTEN:
            _end_preparation(desk, command)
        case Outcome.FAILED:
            _end_preparation(desk, command)
            desk.alarm("deck-rejected", "The shoe could not verify the deck. Take it out. Call the floor.")
        case _:
            assert_never(outcome)


def _end_preparation(desk: Desk, command: Command) -> None:
    desk.live.command_due = None
    desk.live.command_unknown = False
    desk.write("command_ended", {"command_id": command.command_id, "why": "told by the shoe"})


def _what(command: Command) -> str:
    return "deck" if command.work is Work.PREPARE else f"stack for {command.to}"
