"""The reader's messages, one class for each `[[message]]` of reader-v1.toml, and STATUS.

Owns nothing but their fields, which the codec compares with the file when it is built. Must not know what they mean:
that is `reader_events`. Implements reader-v1 as far as fields go.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cardshoe.link.messages import LINK_MESSAGES
from cardshoe.wire.codec import Codec
from cardshoe.wire.spec import load_spec


class Status(NamedTuple):
    """The reader's full state, after the link's own fields (READER-4.1)."""

    boot_counter: int
    uptime_ms: int
    last_event: int
    held_events: int
    lease_left_ms: int
    state: int
    flags: int
    places_occupied: int
    faces_seen: int
    fault: int
    cards_read_total: int
    rereads_total: int
    unreadable_total: int


class Scan(NamedTuple):
    """Read a place anew (READER-3.1)."""

    place: int


class ScanReply(NamedTuple):
    """The faces that lie there (READER-3.1)."""

    place: int
    result: int
    faces: bytes


class ReadCounters(NamedTuple):
    """Asks for the lifetime counters (READER-4.4)."""


class ReadCountersReply(NamedTuple):
    """The lifetime counters (READER-4.4)."""

    cards_read_total: int
    rereads_total: int
    unreadable_total: int
    faults_total: int


class Booted(NamedTuple):
    """The reader started (READER-4.3)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    cause: int


class CardRead(NamedTuple):
    """A card lies face up and still (READER-2.1)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    place: int
    index: int  # type: ignore[assignment]  # the protocol's word; nothing asks a message for tuple.index
    face: int


class PlaceCleared(NamedTuple):
    """No face-up card lies on the place (READER-2.3)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    place: int


class FaultRaised(NamedTuple):
    """A fault appeared (READER-4.2)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    fault: int
    detail: int


class FaultCleared(NamedTuple):
    """A fault is gone (READER-4.2)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    fault: int


READER_MESSAGES: Final = (
    Status,
    Scan,
    ScanReply,
    ReadCounters,
    ReadCountersReply,
    Booted,
    CardRead,
    PlaceCleared,
    FaultRaised,
    FaultCleared,
)
READER_CODEC: Final = Codec(load_spec("reader-v1"), (*LINK_MESSAGES, *READER_MESSAGES))
