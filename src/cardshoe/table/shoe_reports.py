"""What each report of the shoe means for the table.

Owns the translation of a shoe's events and answers into the round's events, alarms and the shoe's view. A report that
fits nothing that was asked becomes an alarm, never a card. Implements conditions E07, E10 to E12, E14, E16, E18 and
E24 as far as the shoe tells of them.
"""

from __future__ import annotations

from typing import assert_never

from cardshoe.devices import shoe_events as shoe
from cardshoe.devices.events import (
    AttestationJudged,
    DeviceIdentified,
    DeviceLost,
    DeviceRefused,
    EventNotUnderstood,
    EventsLost,
    FaultCleared,
    FaultRaised,
    LinkTampered,
    RequestFailed,
    SealedCountSeen,
    StatusNotUnderstood,
    Unpaired,
)
from cardshoe.devices.round_events import RoundAnswer, RoundRingEvent
from cardshoe.devices.shoe_terms import CardsAt, ClearResult
from cardshoe.error_table import Severity
from cardshoe.games.verdicts import Case
from cardshoe.round.events import CoverCardInserted, IrregularityFound, StubRemoved
from cardshoe.round.progress import dealing_done, stub_planned
from cardshoe.table import commit_reports
from cardshoe.table.commands import FACE_UP, answered, ended, must_be_asked, outcome_told
from cardshoe.table.connections import events_lost, identified, lost, refused, tampered
from cardshoe.table.decks import counted, fault_disturbs, in_deal, suspect
from cardshoe.table.desk import Desk
from cardshoe.table.interlocks import seen, told
from cardshoe.table.orders import Acknowledge
from cardshoe.table.reported import plain
from cardshoe.table.service import advise, advise_fault
from cardshoe.table.state import Work

_ANSWERS = (
    shoe.CommandAccepted | shoe.CommandRefused | shoe.CommandRejected | shoe.CommandNotSent | shoe.CommandOutcomeUnknown
)
_ENDS = shoe.StackReady | shoe.StackTaken | shoe.DispenseFailed | shoe.DispenseInterrupted


def shoe_told(desk: Desk, event: shoe.ShoeEvent, now: float) -> None:
    """Take one report of the shoe."""
    event_id = getattr(event, "event_id", None)
    if event_id is not None:
        known = desk.state.devices.get("shoe")
        if known is not None and event_id <= known.consumed_event:
            desk.order(Acknowledge("shoe", event_id))
            return
        desk.write("shoe_reported", plain(event))
        if desk.live.shoe is not None:
            desk.live.shoe = told(desk.live.shoe, event)
    _meaning(desk, event, now)
    if event_id is not None:
        desk.order(Acknowledge("shoe", event_id))


def _meaning(desk: Desk, event: shoe.ShoeEvent, now: float) -> None:
    match event:
        case shoe.ShoeStatusSeen():
            _status(desk, event.status)
        case (
            shoe.CommandAccepted()
            | shoe.CommandRefused()
            | shoe.CommandRejected()
            | shoe.CommandNotSent()
            | shoe.CommandOutcomeUnknown()
        ):
            answered(desk, event, now)
        case shoe.CommandOutcome():
            outcome_told(desk, event, now)
        case (
            shoe.StackReady()
            | shoe.StackTaken()
            | shoe.DispenseFailed()
            | shoe.DispenseInterrupted()
            | shoe.DeckVerified()
            | shoe.DeckRejected()
        ):
            if isinstance(event, shoe.StackReady):
                commit_reports.ready(desk, event)
            ended(desk, event)
        case (
            shoe.CoverCardInserted()
            | shoe.CoverCardSeen()
            | shoe.DoorOpened()
            | shoe.StubRemoved()
            | shoe.ShoeBooted()
            | shoe.ModeChanged()
            | shoe.CardUnexpected()
        ):
            _at_the_machine(desk, event)
        case DeviceIdentified() | DeviceRefused() | DeviceLost():
            _connection(desk, event, now)
        case LinkTampered():
            tampered(desk, "shoe", event)
        case SealedCountSeen() | AttestationJudged() | Unpaired():
            return  # of the admission, and of the service
        case _:
            _other(desk, event, now)


def _other(
    desk: Desk,
    event: EventsLost
    | EventNotUnderstood
    | StatusNotUnderstood
    | FaultRaised
    | FaultCleared
    | RequestFailed
    | shoe.DoorClosed
    | shoe.DeckLoaded
    | shoe.LeaseLost
    | shoe.InhibitAnswered
    | shoe.ClearFaultAnswered
    | shoe.ShoeCountersRead
    | RoundRingEvent
    | RoundAnswer,
    now: float,
) -> None:
    match event:
        case EventsLost():
            events_lost(desk, "shoe", event)
        case EventNotUnderstood() | StatusNotUnderstood():
            desk.alarm("report-not-understood", f"The shoe reports something unknown: {event.text}.")
        case FaultRaised():
            _fault(desk, event)
        case shoe.InhibitAnswered():
            desk.live.inhibit_asked = False
            desk.live.answered()
            if desk.live.shoe is not None:
                desk.live.shoe = desk.live.shoe.with_inhibit(inhibited=event.inhibited)
        case shoe.ClearFaultAnswered():
            desk.live.fault_asked = False
            desk.live.answered()
            _fault_answer(desk, event)
        case RequestFailed():
            _asked_in_vain(desk)
            commit_reports.failed(desk, event)
        case FaultCleared() | shoe.DoorClosed() | shoe.DeckLoaded() | shoe.LeaseLost() | shoe.ShoeCountersRead():
            return  # what they tell stands in the view and in the journal
        case _:
            commit_reports.of_a_round(desk, event, now)


def _status(desk: Desk, status: shoe.ShoeStatus) -> None:
    desk.live.shoe = seen(desk.live.shoe, status)
    if status.last_command > desk.state.last_command_id:
        # Another journal has used this shoe: ids must stay above all that it has accepted (SHOE-3.1).
        desk.write("command_ids_raised", {"last_command": status.last_command})
    counted(desk, status)


def _asked_in_vain(desk: Desk) -> None:
    live = desk.live
    live.asked = live.inhibit_asked = live.fault_asked = False


def _connection(desk: Desk, event: DeviceIdentified | DeviceRefused | DeviceLost, now: float) -> None:
    live = desk.live
    live.shoe_up, live.shoe = isinstance(event, DeviceIdentified), None
    live.lost(now)
    match event:
        case DeviceIdentified():
            identified(desk, "shoe", event)
            live.shoe_capabilities = event.identity.capabilities
            live.command_unknown = must_be_asked(desk)
        case DeviceRefused():
            refused(desk, "shoe", event)
        case DeviceLost():
            lost(desk, "shoe", event)
            advise(desk)
        case _:
            assert_never(event)


def _at_the_machine(
    desk: Desk,
    event: shoe.CoverCardInserted
    | shoe.CoverCardSeen
    | shoe.DoorOpened
    | shoe.StubRemoved
    | shoe.ShoeBooted
    | shoe.ModeChanged
    | shoe.CardUnexpected,
) -> None:
    match event:
        case shoe.CoverCardInserted() | shoe.CoverCardSeen():
            _cover_card(desk, event)
        case shoe.StubRemoved():
            # What leaves the shoe before the round's first stack is a deck, not the stub.
            if desk.open_round is not None and desk.state.deck_id is not None and stub_planned(desk.open_round):
                desk.happened(StubRemoved())
        case shoe.CardUnexpected():
            if not in_deal(desk):
                suspect(desk, "a card came out that nobody asked for")
            desk.alarm("card-unexpected", "A card came into the gate that nobody asked for. Leave it. Call the floor.")
        case shoe.DoorOpened() | shoe.ShoeBooted() | shoe.ModeChanged():
            _touched(desk, event)
        case _:
            assert_never(event)


def _cover_card(desk: Desk, event: shoe.CoverCardInserted | shoe.CoverCardSeen) -> None:
    round_ = desk.open_round
    if isinstance(event, shoe.CoverCardSeen):
        if round_ is None or not round_.cover_card_in:
            desk.alarm("cover-card-unexpected", "A cover card came out that was never put in. Count the deck.")
    elif round_ is not None:
        desk.happened(CoverCardInserted())


def _touched(desk: Desk, event: shoe.DoorOpened | shoe.ShoeBooted | shoe.ModeChanged) -> None:
    """Somebody, or something, was at the machine: what lies in it may have changed."""
    code, text = _disturbed(event)
    suspect(desk, text)
    if in_deal(desk):
        desk.alarm(code, text)
    elif isinstance(event, shoe.ShoeBooted) and event.cards_at & (CardsAt.GATE | CardsAt.FEED_PATH):
        where = "gate" if event.cards_at & CardsAt.GATE else "feed path"
        desk.alarm("cards-inside", f"The shoe started with cards in its {where}. Take them out and count the deck.")


def _disturbed(event: shoe.DoorOpened | shoe.ShoeBooted | shoe.ModeChanged) -> tuple[str, str]:
    match event:
        case shoe.DoorOpened():
            return "shoe-door-opened", "The shoe's door was opened in mid-deal. The undealt deck is void."
        case shoe.ShoeBooted():
            return (
                "shoe-restarted",
                "The shoe restarted in mid-deal. Compare the cards on the table with the drawing of it.",
            )
        case shoe.ModeChanged():
            return "shoe-mode", f"The shoe was switched to {event.mode.name.lower()} mode in mid-deal."
        case _:
            assert_never(event)


_OF_THE_DECK = frozenset({"deck_count_wrong", "deck_identity_wrong"})
_ALARM_CODES = {
    "dealer": "shoe-fault-dealer",
    "floor": "shoe-fault-floor",
    "two_people": "shoe-fault-two-people",
    "technician": "shoe-fault-technician",
}


def _fault(desk: Desk, event: FaultRaised) -> None:
    """A fault that only advises is told to service; any other holds (promise P5)."""
    fault = event.fault
    if fault_disturbs(fault):
        suspect(desk, f"the shoe reported {fault.name.replace('_', ' ')}")
    if fault.severity in (Severity.NOTE.value, Severity.ADVISE.value):
        advise_fault(desk, event)
        return
    if fault.name == FACE_UP and _ruled_by_text(desk):
        return
    command = desk.state.command
    if fault.name in _OF_THE_DECK and command is not None and command.work is Work.PREPARE:
        return  # the rejection that it belongs to asks the question, with what is wrong
    desk.alarm(_ALARM_CODES.get(fault.clears, "shoe-fault-floor"), f"{fault.dealer} ({fault.name})")


def _ruled_by_text(desk: Desk) -> bool:
    """Have the game's text rule a card that lies face up in the shoe; False where no hand is in play."""
    round_ = desk.open_round
    if round_ is None or round_.betting or round_.over:
        return False
    done = dealing_done(round_)
    case = Case.CARD_FACE_UP_AFTER_DEAL if done else Case.CARD_FACE_UP_DURING_DEAL
    to = round_.pending.to if round_.pending is not None else ""
    desk.happened(IrregularityFound(case, to))
    return True


def _fault_answer(desk: Desk, event: shoe.ClearFaultAnswered) -> None:
    fault = event.fault
    match event.result:
        case ClearResult.CLEARED | ClearResult.NOT_RAISED:
            if desk.live.shoe is not None:
                desk.live.shoe = desk.live.shoe.without_fault(fault)
        case ClearResult.STILL_PRESENT:
            code = _ALARM_CODES.get(fault.clears, "shoe-fault-floor")
            desk.alarm(code, f"The cause is still there. {fault.dealer} ({fault.name})")
        case ClearResult.NEEDS_SERVICE:
            desk.alarm("shoe-fault-technician", f"Only at the machine itself: {fault.dealer} ({fault.name})")
        case _:
            assert_never(event.result)
