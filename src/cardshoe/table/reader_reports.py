"""What each report of the table reader means for the round.

Owns the translation of faces that lie up into the round's events. The reader sees what the dealer's hands did, so a
card that it reads also tells that the board was dealt or the dealer's hand turned, if that is what is due; anything
else that it sees is for the round machine to hold. A reader that restarts tells again what lies there: the same faces
at the same place tell nothing new. Implements conditions E03, E05, E06 and E08 as far as they show on the table.
"""

from __future__ import annotations

from typing import assert_never

from cardshoe.cards import Card
from cardshoe.devices import reader_events as reader
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
from cardshoe.devices.reader_terms import NoCard, Place
from cardshoe.games.script import DEALER
from cardshoe.round.events import READ, BoardDealt, BoardTurned, CardTurned, DealerRevealed, ForeignCardSeen
from cardshoe.round.faces import BOARD
from cardshoe.round.next_step import DealCommunity, TurnCommunity, TurnDealer, next_step
from cardshoe.round.state import State
from cardshoe.table.connections import events_lost, identified, lost, refused, tampered
from cardshoe.table.desk import Desk
from cardshoe.table.orders import Acknowledge
from cardshoe.table.reported import plain
from cardshoe.table.service import advise, advise_fault
from cardshoe.table.state import TableState


def reader_told(desk: Desk, event: reader.ReaderEvent) -> None:
    """Take one report of the reader."""
    event_id, before = getattr(event, "event_id", None), desk.state
    if event_id is not None:
        known = desk.state.devices.get("reader")
        if known is not None and event_id <= known.consumed_event:
            desk.order(Acknowledge("reader", event_id))
            return
        desk.write("reader_reported", plain(event))
    _meaning(desk, event, before)
    if event_id is not None:
        desk.order(Acknowledge("reader", event_id))


def _meaning(desk: Desk, event: reader.ReaderEvent, before: TableState) -> None:
    match event:
        case reader.CardRead():
            _read(desk, event, before)
        case DeviceIdentified() | DeviceRefused() | DeviceLost():
            _connection(desk, event)
        case EventsLost():
            events_lost(desk, "reader", event)
        case LinkTampered():
            tampered(desk, "reader", event)
        case EventNotUnderstood() | StatusNotUnderstood():
            desk.alarm("report-not-understood", f"The card reader reports something unknown: {event.text}.")
        case FaultRaised():
            if event.fault.severity in ("note", "advise"):
                advise_fault(desk, event)
            else:
                desk.alarm("reader-fault", f"{event.fault.dealer} ({event.fault.name})")
        case (
            reader.PlaceCleared()
            | reader.ReaderBooted()
            | reader.ReaderStatusSeen()
            | reader.PlaceScanned()
            | reader.ReaderCountersRead()
            | FaultCleared()
            | RequestFailed()
            | SealedCountSeen()
            | AttestationJudged()
            | Unpaired()
        ):
            return  # what they tell stands in the journal, or was for the admission
        case _:
            assert_never(event)


def _connection(desk: Desk, event: DeviceIdentified | DeviceRefused | DeviceLost) -> None:
    desk.live.reader_up = isinstance(event, DeviceIdentified)
    match event:
        case DeviceIdentified():
            identified(desk, "reader", event)
            desk.live.reader_capabilities = event.identity.capabilities
        case DeviceRefused():
            refused(desk, "reader", event)
        case DeviceLost():
            lost(desk, "reader", event)
        case _:
            assert_never(event)


def _read(desk: Desk, event: reader.CardRead, before: TableState) -> None:
    place = _name(event.place)
    advise(desk)
    round_ = desk.open_round
    if round_ is None or round_.over:
        return
    match event.face:
        case Card():
            key, text = event.place.name.lower(), event.face.text
            told_again = text in before.reader_rechecks.get(key, ())
            # A face that lies there and that the reader had not told before was entered by the dealer: both agree.
            entered = event.face in _faces(round_, place) and text not in before.reader_faces.get(key, ())
            if told_again or entered:
                return
            _tell_what_it_shows(desk, round_, place)
            desk.happened(CardTurned(text, place, READ))
        case NoCard.FOREIGN:
            desk.happened(ForeignCardSeen(place, "the reader does not know its design"))
        case NoCard.UNREADABLE | NoCard.NONE:
            return  # the dealer enters the card, or the reader reads it later under the same index
        case _:
            assert_never(event.face)


def _faces(round_: State, place: str) -> tuple[Card, ...]:
    if place == BOARD:
        return round_.board_faces
    return round_.dealer_faces if place == DEALER else round_.hand(place).faces


def _tell_what_it_shows(desk: Desk, round_: State, place: str) -> None:
    step = next_step(round_)
    if place == BOARD and isinstance(step, DealCommunity) and step.face_up:
        desk.happened(BoardDealt(step.cards))
    elif place == BOARD and isinstance(step, TurnCommunity):
        desk.happened(BoardTurned(step.cards))
    elif place == DEALER and isinstance(step, TurnDealer):
        desk.happened(DealerRevealed())


def _name(place: Place) -> str:
    if place is Place.BOARD:
        return BOARD
    return DEALER if place is Place.DEALER else str(int(place))
