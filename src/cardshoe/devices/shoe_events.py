"""What a shoe tells, in the field's words.

Owns the closed set of a shoe's events and answers, each frozen and in the past tense. Must not know bytes. An unknown
number is None here, never 255. Those with an `event_id` come from the shoe's ring and are acknowledged by it.
Those of rounds that commit are declared in `round_events`. Implements SHOE-2 to SHOE-8 for the reader of the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cardshoe.cards import Card
from cardshoe.devices.events import GeneralEvent
from cardshoe.devices.round_events import RoundAnswer, RoundRingEvent
from cardshoe.devices.shoe_terms import (
    BootCause,
    CardsAt,
    ClearResult,
    DeckState,
    DispenseResult,
    InterruptCause,
    Mode,
    Named,
    Outcome,
    RoundState,
    ShoeFlag,
    ShoeState,
)
from cardshoe.link.events import LostReason, NotSentReason
from cardshoe.link.messages import RejectReason
from cardshoe.wire.spec import Fault

# --- from the ring


@dataclass(frozen=True, slots=True)
class ShoeBooted:
    """The shoe started; `cards_at` says where cards lie (SHOE-8.5)."""

    event_id: int
    cause: BootCause
    cards_at: CardsAt


@dataclass(frozen=True, slots=True)
class StackReady:
    """The stack lies in the gate; `cards` as counted, slots from `first_slot` on (SHOE-4.4)."""

    event_id: int
    command_id: int
    deck_id: int
    cards: int
    first_slot: int | None


@dataclass(frozen=True, slots=True)
class StackTaken:
    """The gate became empty (SHOE-4.8)."""

    event_id: int
    command_id: int
    cards: int | None


@dataclass(frozen=True, slots=True)
class DispenseFailed:
    """A fault stopped the command (SHOE-4.5)."""

    event_id: int
    command_id: int
    fault: Fault
    cards_seen: int | None


@dataclass(frozen=True, slots=True)
class DispenseInterrupted:
    """The command was stopped without a fault and is never resumed (SHOE-4.6)."""

    event_id: int
    command_id: int
    cause: InterruptCause
    cards_seen: int | None


@dataclass(frozen=True, slots=True)
class CoverCardInserted:
    """A cover card went into the slot, ahead of the card of slot `before_slot` (SHOE-7.3)."""

    event_id: int
    before_slot: int


@dataclass(frozen=True, slots=True)
class CoverCardSeen:
    """The cover card came out with the stack of `command_id`, ahead of its first card (SHOE-7.4)."""

    event_id: int
    command_id: int
    before_slot: int


@dataclass(frozen=True, slots=True)
class DoorOpened:
    """The door was opened (SHOE-7.1)."""

    event_id: int
    cards_left: int | None


@dataclass(frozen=True, slots=True)
class DoorClosed:
    """The door was closed (SHOE-7.1)."""

    event_id: int
    cards_present: bool


@dataclass(frozen=True, slots=True)
class StubRemoved:
    """All cards were taken out through the open door (SHOE-7.2)."""

    event_id: int
    cards: int | None


@dataclass(frozen=True, slots=True)
class DeckLoaded:
    """A deck was put into the magazine; nothing is known of it (SHOE-6.1)."""

    event_id: int


@dataclass(frozen=True, slots=True)
class DeckVerified:
    """The deck is right and has a new id (SHOE-6.3)."""

    event_id: int
    command_id: int
    deck_id: int
    cards: int


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One card of a rejected deck: what is wrong, and its face where it has one. Never a place."""

    what: Named
    card: Card | None


@dataclass(frozen=True, slots=True)
class DeckRejected:
    """The deck is not right (SHOE-6.4); `named` holds up to eight discrepancies."""

    event_id: int
    command_id: int
    cards: int
    missing: int
    duplicate: int
    foreign: int
    unreadable: int
    face_up: int
    jokers: int
    named: tuple[Discrepancy, ...]


@dataclass(frozen=True, slots=True)
class LeaseLost:
    """The lease ran out while the command ran (SHOE-5.2)."""

    event_id: int
    running_command: int


@dataclass(frozen=True, slots=True)
class ModeChanged:
    """The mode switch was turned (SHOE-8.6)."""

    event_id: int
    mode: Mode


@dataclass(frozen=True, slots=True)
class CardUnexpected:
    """A card appeared in the gate when no command ran (SHOE-4.10)."""

    event_id: int
    cards: int


# --- answers


@dataclass(frozen=True, slots=True)
class CommandAccepted:
    """The command is written down in the shoe and will be carried out: accepted is not done."""

    command_id: int


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """The shoe refused and nothing moves (SHOE-4.2). `refusal` is never ACCEPTED."""

    command_id: int
    refusal: DispenseResult


@dataclass(frozen=True, slots=True)
class CommandRejected:
    """The link of the shoe did not take the frame for a command, and nothing moves (LINK-4.4)."""

    command_id: int
    reason: RejectReason


@dataclass(frozen=True, slots=True)
class CommandNotSent:
    """The command was never on the line: nothing moves, and its id was never seen."""

    command_id: int
    reason: NotSentReason


@dataclass(frozen=True, slots=True)
class CommandOutcomeUnknown:
    """The command was on the line and its answer never came: ask by `query_command`, never send it anew unasked."""

    command_id: int
    reason: LostReason


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """What the shoe says became of a command (SHOE-3.6)."""

    command_id: int
    outcome: Outcome
    cards_seen: int | None
    taken: bool
    first_slot: int | None
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class InhibitAnswered:
    """Whether the shoe now refuses motion (SHOE-5.1)."""

    inhibited: bool


@dataclass(frozen=True, slots=True)
class ClearFaultAnswered:
    """Whether the fault is gone (SHOE-8.3)."""

    fault: Fault
    result: ClearResult


@dataclass(frozen=True, slots=True)
class ShoeCountersRead:
    """The lifetime counters (SHOE-8.7)."""

    stacks_total: int
    cards_total: int
    misfeeds_total: int
    rereads_total: int
    faults_total: int
    shuffles_total: int


# --- status


@dataclass(frozen=True, slots=True)
class ShoeStatus:
    """The shoe's full state (SHOE-2). `running_command` None: none runs; `fault` None: none is raised."""

    boot_counter: int
    uptime_ms: int
    last_event: int
    held_events: int
    lease_left_ms: int
    mode: Mode
    state: ShoeState
    flags: ShoeFlag
    deck_state: DeckState
    deck_id: int
    cards_left: int | None
    gate_cards: int | None
    running_command: int | None
    last_command: int
    fault: Fault | None
    stacks_total: int
    cards_total: int
    round_id: int
    round_state: RoundState


@dataclass(frozen=True, slots=True)
class ShoeStatusSeen:
    """The shoe answered a heartbeat, after `round_trip_ms`."""

    status: ShoeStatus
    round_trip_ms: float


ShoeRingEvent: TypeAlias = (
    ShoeBooted
    | StackReady
    | StackTaken
    | DispenseFailed
    | DispenseInterrupted
    | CoverCardInserted
    | CoverCardSeen
    | DoorOpened
    | DoorClosed
    | StubRemoved
    | DeckLoaded
    | DeckVerified
    | DeckRejected
    | LeaseLost
    | ModeChanged
    | CardUnexpected
    | RoundRingEvent
)
ShoeAnswer: TypeAlias = (
    CommandAccepted
    | CommandRefused
    | CommandRejected
    | CommandNotSent
    | CommandOutcomeUnknown
    | CommandOutcome
    | InhibitAnswered
    | ClearFaultAnswered
    | ShoeCountersRead
    | RoundAnswer
)
ShoeEvent: TypeAlias = GeneralEvent | ShoeRingEvent | ShoeAnswer | ShoeStatusSeen
