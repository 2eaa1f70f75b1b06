"""What each report of the shoe means for the table.

Owns the translation of a shoe's events and answers into the round's events, alarms and the shoe's view. A report that
fits nothing that was asked becomes an alarm, never a card. Implements conditions E11, E14, E16, E18, E27, E28, E34 (a
device is named, not proved, in a clear session) and E35.
"""

from __future__ import annotations

from typing import assert_never

from cardshoe.devices import shoe_events as shoe
from cardshoe.devices.events import (
    DeviceIdentified,
    DeviceLost,
    DeviceRefused,
    EventNotUnderstood,
    EventsLost,
    FaultCleared,
    FaultRaised,
    RequestFailed,
    StatusNotUnderstood,
)
from cardshoe.devices.shoe_terms import ClearResult
from cardshoe.error_table import Severity
from cardshoe.round.events import CoverCardInserted, StubRemoved
from cardshoe.round.progress import dealing_done, stub_planned
from cardshoe.table.commands import answered, ended, outcome_told
from cardshoe.table.desk import Desk
from cardshoe.table.interlocks import seen, told
from cardshoe.table.orders import Acknowledge
from cardshoe.table.reported import plain

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
            _connection(desk, event)
        case _:
            _other(desk, event)


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
    | shoe.ShoeCountersRead,
) -> None:
    match event:
        case EventsLost():
            lost = f"Reports {event.received + 1} to {event.oldest - 1} of the shoe are lost."
            if event.last < event.received:
                lost = "The shoe has lost its memory of what it did."
            desk.alarm("events-lost", f"{lost} Count the cards.")
        case EventNotUnderstood() | StatusNotUnderstood():
            desk.alarm("report-not-understood", f"The shoe reports something unknown: {event.text}.")
        case FaultRaised():
            _fault(desk, event)
        case shoe.InhibitAnswered():
            desk.live.inhibit_asked = False
            if desk.live.shoe is not None:
                desk.live.shoe = desk.live.shoe.with_inhibit(inhibited=event.inhibited)
        case shoe.ClearFaultAnswered():
            desk.live.fault_asked = False
            _fault_answer(desk, event)
        case RequestFailed():
            _asked_in_vain(desk)
        case FaultCleared() | shoe.DoorClosed() | shoe.DeckLoaded() | shoe.LeaseLost() | shoe.ShoeCountersRead():
            return  # what they tell stands in the view and in the journal
        case _:
            assert_never(event)


def _status(desk: Desk, status: shoe.ShoeStatus) -> None:
    desk.live.shoe = seen(desk.live.shoe, status)
    if status.last_command > desk.state.last_command_id:
        # Another journal has used this shoe: ids must stay above all that it has accepted (SHOE-3.1).
        desk.write("command_ids_raised", {"last_command": status.last_command})


def _asked_in_vain(desk: Desk) -> None:
    live = desk.live
    live.asked = live.inhibit_asked = live.fault_asked = False


def _connection(desk: Desk, event: DeviceIdentified | DeviceRefused | DeviceLost) -> None:
    live = desk.live
    match event:
        case DeviceIdentified():
            identified(desk, "shoe", event)
            live.shoe_up, live.shoe = True, None
            live.command_unknown = desk.state.command is not None and not desk.state.command.ready
        case DeviceRefused():
            live.shoe_up, live.shoe = False, None
        case DeviceLost():
            live.shoe_up, live.shoe = False, None
            desk.write("device_lost", {"device": "shoe", "code": event.error.code, "text": event.error.text})
    _asked_in_vain(desk)


def identified(desk: Desk, device: str, event: DeviceIdentified) -> None:
    """Write who answered; another device in the place of the known one is an alarm (condition E35)."""
    identity = event.identity
    known = desk.state.devices.get(device)
    desk.write(
        "device_identified",
        {
            "device": device,
            "model": identity.model,
            "serial": identity.serial,
            "firmware": identity.firmware,
            "boot_counter": identity.boot_counter,
            "ring_size": identity.ring_size,
            "capabilities": identity.capabilities,
            "security": "clear",
            "consumed_event": identity.oldest_event - 1,
            "last_event": identity.last_event,
        },
    )
    if known is not None and known.serial != identity.serial and desk.open_round is not None:
        desk.alarm(
            "device-changed",
            f"The {device} is another one: {identity.serial} in place of {known.serial}, with a round open.",
        )


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
            desk.alarm("card-unexpected", "A card came into the gate that nobody asked for. Leave it. Call the floor.")
        case shoe.DoorOpened() | shoe.ShoeBooted() | shoe.ModeChanged():
            if _in_deal(desk):
                desk.alarm(*_disturbed(event))
        case _:
            assert_never(event)


def _in_deal(desk: Desk) -> bool:
    """Stacks of the open round are still to come out of the deck that is in the shoe."""
    round_ = desk.open_round
    return round_ is not None and desk.state.deck_id is not None and not dealing_done(round_) and not round_.over


def _cover_card(desk: Desk, event: shoe.CoverCardInserted | shoe.CoverCardSeen) -> None:
    round_ = desk.open_round
    if isinstance(event, shoe.CoverCardSeen):
        if round_ is None or not round_.cover_card_in:
            desk.alarm("cover-card-unexpected", "A cover card came out that was never put in. Count the deck.")
    elif round_ is not None:
        desk.happened(CoverCardInserted())


def _disturbed(event: shoe.DoorOpened | shoe.ShoeBooted | shoe.ModeChanged) -> tuple[str, str]:
    match event:
        case shoe.DoorOpened():
            return "shoe-door-opened", "The shoe's door was opened in mid-deal. The undealt deck is void."
        case shoe.ShoeBooted():
            return "shoe-restarted", "The shoe restarted in mid-deal. Compare the hands with the table."
        case shoe.ModeChanged():
            return "shoe-mode", f"The shoe was switched to {event.mode.name.lower()} mode in mid-deal."
        case _:
            assert_never(event)


_ALARM_CODES = {
    "dealer": "shoe-fault-dealer",
    "floor": "shoe-fault-floor",
    "two_people": "shoe-fault-two-people",
    "technician": "shoe-fault-technician",
}


def _fault(desk: Desk, event: FaultRaised) -> None:
    """A fault that only advises is on record; any other holds (promise P5)."""
    fault = event.fault
    if fault.severity in (Severity.NOTE.value, Severity.ADVISE.value):
        return
    desk.alarm(_ALARM_CODES.get(fault.clears, "shoe-fault-floor"), f"{fault.dealer} ({fault.name})")


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
