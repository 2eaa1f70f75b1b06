"""From the reader's messages to what they mean.

Owns the one translation of each message of reader-v1. Must not know sessions or time, and never raises: a value that
the protocol does not know becomes an event that holds the round, or a request that failed. A face is never guessed.
Implements READER-1 to READER-4 for a host, value by value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from cardshoe.devices import reader_events as happened
from cardshoe.devices import reader_wire as wire
from cardshoe.devices.events import EventNotUnderstood, FaultCleared, FaultRaised, RequestFailed, StatusNotUnderstood
from cardshoe.devices.reader_events import Face, ReaderAnswer, ReaderEvent, ReaderRingEvent
from cardshoe.devices.reader_terms import NoCard, Place, ReaderFlag, ReaderState, ScanResult
from cardshoe.devices.shoe_terms import BootCause
from cardshoe.devices.values import bits, card_of, fault_of, fault_or_none
from cardshoe.link.events import LostReason, NotSentReason
from cardshoe.link.messages import RejectReason
from cardshoe.wire.codec import Message

M = TypeVar("M")
R = TypeVar("R")
Reader = Callable[[Any], R]

_NO_CARDS: Final = {face.value: face for face in NoCard}


def _on(cls: type[M], read: Callable[[M], R]) -> tuple[type[M], Callable[[M], R]]:
    return cls, read


def _face(value: int) -> Face:
    """Return the face that lies there; raises `ValueError` for none and for a number that is no face."""
    face = _NO_CARDS.get(value)
    if face is NoCard.NONE:
        raise ValueError("a card lies there and has the face of no card")
    return card_of(value) if face is None else face


def _scanned(reply: wire.ScanReply) -> happened.PlaceScanned:
    place, result = Place(reply.place), ScanResult(reply.result)
    lying, rest = reply.faces.rstrip(bytes([NoCard.NONE.value])), ScanResult.OK
    if bool(lying) != (result is rest):
        raise ValueError(f"result {result.name} with {len(lying)} faces")
    return happened.PlaceScanned(place, result, tuple(_face(value) for value in lying))


RING_EVENTS: Final[Mapping[type[Message], Reader[ReaderRingEvent | FaultRaised | FaultCleared]]] = dict(
    (
        _on(wire.Booted, lambda m: happened.ReaderBooted(m.event_id, BootCause(m.cause))),
        _on(wire.CardRead, lambda m: happened.CardRead(m.event_id, Place(m.place), m.index, _face(m.face))),
        _on(wire.PlaceCleared, lambda m: happened.PlaceCleared(m.event_id, Place(m.place))),
        _on(wire.FaultRaised, lambda m: FaultRaised(m.event_id, fault_of(m.fault), m.detail)),
        _on(wire.FaultCleared, lambda m: FaultCleared(m.event_id, fault_of(m.fault))),
    )
)

ANSWERS: Final[Mapping[type[Message], Reader[ReaderAnswer]]] = dict(
    (
        _on(wire.ScanReply, _scanned),
        _on(wire.ReadCountersReply, lambda m: happened.ReaderCountersRead(*m)),
    )
)


def ring_event(event_id: int, message: Message) -> ReaderEvent:
    """Return what an event of the ring means."""
    try:
        return RING_EVENTS[type(message)](message)
    except ValueError as error:
        return EventNotUnderstood(event_id, f"{type(message).__name__}: {error}")


def answer(command: Message, reply: Message) -> ReaderEvent:
    """Return what the reply to `command` means; another place or an unknown value is a failed request."""
    if isinstance(command, wire.Scan) and isinstance(reply, wire.ScanReply) and command.place != reply.place:
        return request_failed(command, LostReason.OUT_OF_STEP)
    try:
        return ANSWERS[type(reply)](reply)
    except ValueError:
        return request_failed(command, LostReason.OUT_OF_STEP)


def request_failed(command: Message, reason: LostReason | NotSentReason | RejectReason) -> RequestFailed:
    """Return what it means that a request has no usable answer; nothing a reader is asked moves anything."""
    return RequestFailed(wire.READER_CODEC.spec_of(command).name, None, reason)


def status(message: Message, round_trip_s: float) -> ReaderEvent:
    """Return the reader's state as it says itself."""
    if not isinstance(message, wire.Status):
        return StatusNotUnderstood(f"{type(message).__name__} is not a reader's status")
    try:
        return happened.ReaderStatusSeen(_status(message), round_trip_s * 1000)
    except ValueError as error:
        return StatusNotUnderstood(str(error))


def _status(m: wire.Status) -> happened.ReaderStatus:
    return happened.ReaderStatus(
        boot_counter=m.boot_counter,
        uptime_ms=m.uptime_ms,
        last_event=m.last_event,
        held_events=m.held_events,
        lease_left_ms=m.lease_left_ms,
        state=ReaderState(m.state),
        flags=bits(ReaderFlag, m.flags),
        places_occupied=_places(m.places_occupied),
        faces_seen=m.faces_seen,
        fault=fault_or_none(m.fault),
        cards_read_total=m.cards_read_total,
        rereads_total=m.rereads_total,
        unreadable_total=m.unreadable_total,
    )


def _places(value: int) -> frozenset[Place]:
    if value >> len(Place):
        raise ValueError(f"places {value:04X} name one that a table does not have")
    return frozenset(place for place in Place if value >> place & 1)
