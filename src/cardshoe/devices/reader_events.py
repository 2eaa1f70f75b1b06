"""What a reader tells, in the field's words.

Owns the closed set of a reader's events and answers, each frozen and in the past tense. Must not know bytes. Every
face here lies face up on the table (READER-1.2); an unreadable or foreign card is neither absent nor guessed.
Implements READER-1 to READER-4 for the reader of the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cardshoe.cards import Card
from cardshoe.devices.events import GeneralEvent
from cardshoe.devices.reader_terms import NoCard, Place, ReaderFlag, ReaderState, ScanResult
from cardshoe.devices.shoe_terms import BootCause
from cardshoe.wire.spec import Fault

Face: TypeAlias = Card | NoCard


@dataclass(frozen=True, slots=True)
class ReaderBooted:
    """The reader started (READER-4.3)."""

    event_id: int
    cause: BootCause


@dataclass(frozen=True, slots=True)
class CardRead:
    """A card lies face up and still (READER-2.1). `face` is a `Card`, `NoCard.UNREADABLE` or `NoCard.FOREIGN`.

    The same place and index again: a card that was unreadable has become readable (READER-2.2).
    """

    event_id: int
    place: Place
    index: int
    face: Face


@dataclass(frozen=True, slots=True)
class PlaceCleared:
    """No face-up card lies on the place any more (READER-2.3)."""

    event_id: int
    place: Place


@dataclass(frozen=True, slots=True)
class PlaceScanned:
    """The answer to a scan: `faces` in order of index, empty unless `result` is OK (READER-3.1)."""

    place: Place
    result: ScanResult
    faces: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class ReaderCountersRead:
    """The lifetime counters (READER-4.4)."""

    cards_read_total: int
    rereads_total: int
    unreadable_total: int
    faults_total: int


@dataclass(frozen=True, slots=True)
class ReaderStatus:
    """The reader's full state (READER-4.1)."""

    boot_counter: int
    uptime_ms: int
    last_event: int
    held_events: int
    lease_left_ms: int
    state: ReaderState
    flags: ReaderFlag
    places_occupied: frozenset[Place]
    faces_seen: int
    fault: Fault | None
    cards_read_total: int
    rereads_total: int
    unreadable_total: int


@dataclass(frozen=True, slots=True)
class ReaderStatusSeen:
    """The reader answered a heartbeat, after `round_trip_ms`."""

    status: ReaderStatus
    round_trip_ms: float


ReaderRingEvent: TypeAlias = ReaderBooted | CardRead | PlaceCleared
ReaderAnswer: TypeAlias = PlaceScanned | ReaderCountersRead
ReaderEvent: TypeAlias = GeneralEvent | ReaderRingEvent | ReaderAnswer | ReaderStatusSeen
