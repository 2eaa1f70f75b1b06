"""The shoe's messages, one class for each `[[message]]` of shoe-v1.toml, and STATUS.

Owns nothing but their fields, which the codec compares with the file when it is built. Must not know what they mean:
that is `shoe_events`. Implements shoe-v1 as far as fields go.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cardshoe.devices.shoe_rounds_wire import ROUND_MESSAGES
from cardshoe.link.messages import LINK_MESSAGES
from cardshoe.wire.codec import Codec
from cardshoe.wire.spec import load_spec


class Status(NamedTuple):
    """The shoe's full state, after the link's own fields (SHOE-2.1 to SHOE-2.6)."""

    boot_counter: int
    uptime_ms: int
    last_event: int
    held_events: int
    lease_left_ms: int
    mode: int
    state: int
    flags: int
    deck_state: int
    deck_id: int
    cards_left: int
    gate_cards: int
    running_command: int
    last_command: int
    fault: int
    stacks_total: int
    cards_total: int
    round_id: int
    round_state: int


class QueryCommand(NamedTuple):
    """Asks what became of a command (SHOE-3.6)."""

    command_id: int


class QueryCommandReply(NamedTuple):
    """The outcome of a command (SHOE-3.6)."""

    command_id: int
    outcome: int
    cards_seen: int
    taken: int
    first_slot: int
    fault: int


class Dispense(NamedTuple):
    """Feed cards to the gate (SHOE-4.1)."""

    command_id: int
    deck_id: int
    cards: int
    destination: int


class DispenseReply(NamedTuple):
    """Accepted, or the first reason why not (SHOE-4.2)."""

    command_id: int
    result: int


class SetInhibit(NamedTuple):
    """Stop motion and refuse more, or allow it again (SHOE-5.1)."""

    inhibited: int


class SetInhibitReply(NamedTuple):
    """What is in force now (SHOE-5.1)."""

    inhibited: int


class PrepareDeck(NamedTuple):
    """Shuffle and verify (SHOE-6.2)."""

    command_id: int


class PrepareDeckReply(NamedTuple):
    """Accepted, or the first reason why not (SHOE-6.2)."""

    command_id: int
    result: int


class ClearFault(NamedTuple):
    """Clear a raised fault (SHOE-8.3)."""

    fault: int


class ClearFaultReply(NamedTuple):
    """Whether the fault is gone (SHOE-8.3)."""

    result: int
    fault: int


class ReadCounters(NamedTuple):
    """Asks for the lifetime counters (SHOE-8.7)."""


class ReadCountersReply(NamedTuple):
    """The lifetime counters (SHOE-8.7)."""

    stacks_total: int
    cards_total: int
    misfeeds_total: int
    rereads_total: int
    faults_total: int
    shuffles_total: int


class Booted(NamedTuple):
    """The shoe started (SHOE-8.5)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    cause: int
    cards_at: int


class StackReady(NamedTuple):
    """The stack lies in the gate (SHOE-4.4)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    command_id: int
    deck_id: int
    cards: int
    first_slot: int


class StackTaken(NamedTuple):
    """The gate became empty (SHOE-4.8)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    command_id: int
    cards: int


class DispenseFailed(NamedTuple):
    """A fault stopped the command (SHOE-4.5)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    command_id: int
    fault: int
    cards_seen: int


class DispenseInterrupted(NamedTuple):
    """The command was stopped without a fault (SHOE-4.6)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    command_id: int
    cause: int
    cards_seen: int


class CoverCardInserted(NamedTuple):
    """A cover card went into the slot (SHOE-7.3)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    before_slot: int


class CoverCardSeen(NamedTuple):
    """The cover card came out with a stack (SHOE-7.4)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    command_id: int
    before_slot: int


class DoorOpened(NamedTuple):
    """The door was opened (SHOE-7.1)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    cards_left: int


class DoorClosed(NamedTuple):
    """The door was closed (SHOE-7.1)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    cards_present: int


class StubRemoved(NamedTuple):
    """All cards were taken out through the door (SHOE-7.2)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    cards: int


class DeckLoaded(NamedTuple):
    """A deck was put into the magazine (SHOE-6.1)."""

    event_id: int
    boot_counter: int
    uptime_ms: int


class DeckVerified(NamedTuple):
    """The deck is right (SHOE-6.3)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    command_id: int
    deck_id: int
    cards: int


class DeckRejected(NamedTuple):
    """The deck is not right (SHOE-6.4)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    command_id: int
    cards: int
    missing: int
    duplicate: int
    foreign: int
    unreadable: int
    face_up: int
    jokers: int
    named: bytes


class FaultRaised(NamedTuple):
    """A fault appeared (SHOE-8.1)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    fault: int
    detail: int


class FaultCleared(NamedTuple):
    """A fault is gone (SHOE-8.1)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    fault: int


class LeaseLost(NamedTuple):
    """The lease ran out while a command ran (SHOE-5.2)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    running_command: int


class ModeChanged(NamedTuple):
    """The mode switch was turned (SHOE-8.6)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    mode: int


class CardUnexpected(NamedTuple):
    """A card appeared in the gate unasked (SHOE-4.10)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    cards: int


SHOE_MESSAGES: Final = (
    Status,
    QueryCommand,
    QueryCommandReply,
    Dispense,
    DispenseReply,
    SetInhibit,
    SetInhibitReply,
    PrepareDeck,
    PrepareDeckReply,
    ClearFault,
    ClearFaultReply,
    ReadCounters,
    ReadCountersReply,
    Booted,
    StackReady,
    StackTaken,
    DispenseFailed,
    DispenseInterrupted,
    CoverCardInserted,
    CoverCardSeen,
    DoorOpened,
    DoorClosed,
    StubRemoved,
    DeckLoaded,
    DeckVerified,
    DeckRejected,
    FaultRaised,
    FaultCleared,
    LeaseLost,
    ModeChanged,
    CardUnexpected,
    *ROUND_MESSAGES,
)
SHOE_CODEC: Final = Codec(load_spec("shoe-v1"), (*LINK_MESSAGES, *SHOE_MESSAGES))
