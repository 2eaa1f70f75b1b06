"""What the link tells its caller.

Owns the closed set of link events, each frozen and in the past tense. Must not know what a device's messages mean.
Implements the host's conclusions of LINK-4.5 (unknown), LINK-5.3, LINK-5.7, LINK-5.10, LINK-6.5 and LINK-7.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from cardshoe.link.messages import RejectReason
from cardshoe.wire.codec import Message


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answered HELLO, as it says itself; in a clear session nothing of it is proved (LINK-5.9)."""

    device_kind: int
    model: str
    serial: str
    firmware: str
    spec_hash: bytes
    boot_counter: int
    ring_size: int
    capabilities: int
    session: int
    oldest_event: int
    last_event: int


class Refusal(Enum):
    """Why no session began."""

    SILENT = "nothing answered"
    NOISE = "bytes came, but no answer among them"
    BUSY = "the device is still starting"
    WRONG_SPEC_HASH = "the device speaks another version of the protocol"
    PURPOSE_UNAVAILABLE = "the device refuses a session for this purpose"
    SECURITY_UNAVAILABLE = "the device refuses a clear session"
    ABSURD = "the answer contradicts the protocol"
    NOT_ADMITTED = "the device is not the expected one"


class LostReason(Enum):
    """Why a session ended."""

    SILENCE = "no valid frame came for the time that the protocol allows"
    NO_SESSION = "the device no longer knows the session"
    RESTARTED = "the device restarted"
    UNANSWERED = "a command had no answer before its deadline"
    OUT_OF_STEP = "the device's answer does not fit the exchange"
    PORT = "the port was lost"
    CLOSED = "the host closed it"


class NotSentReason(Enum):
    """Why a command never reached the line: it was certainly not carried out."""

    NO_SESSION = "there is no session"
    QUEUE_FULL = "too many commands wait already"
    DEADLINE = "its deadline passed before its turn came"


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """HELLO was answered and the session is live."""

    identity: Identity


@dataclass(frozen=True, slots=True)
class SessionRefused:
    """No session began; `identity` is who answered, if anyone; `dropped` counts what could not be read meanwhile."""

    refusal: Refusal
    identity: Identity | None
    dropped: int


@dataclass(frozen=True, slots=True)
class LinkLost:
    """The session is over; nothing more is sent until `open` is called again."""

    reason: LostReason


@dataclass(frozen=True, slots=True)
class CommandReplied:
    """The device answered the command."""

    command: Message
    reply: Message


@dataclass(frozen=True, slots=True)
class CommandRejected:
    """The device did not carry the command out (LINK-4.4)."""

    command: Message
    reason: RejectReason


@dataclass(frozen=True, slots=True)
class CommandUnknown:
    """The command was on the line, and whether it was carried out is not known (LINK-4.5)."""

    command: Message
    reason: LostReason


@dataclass(frozen=True, slots=True)
class CommandNotSent:
    """The command was never on the line."""

    command: Message
    reason: NotSentReason


@dataclass(frozen=True, slots=True)
class EventArrived:
    """The next event in order (LINK-7.5). It counts as consumed when the caller acknowledges it, not before."""

    event_id: int
    message: Message


@dataclass(frozen=True, slots=True)
class EventNotUnderstood:
    """The next event in order is none that the protocol knows; it is never passed over in silence."""

    event_id: int
    type: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class EventsLost:
    """Events after `received` and before `oldest` are gone, or the device's count fell back (LINK-7.6)."""

    received: int
    oldest: int
    last: int


@dataclass(frozen=True, slots=True)
class StatusArrived:
    """The device's full state, and the seconds from heartbeat to answer."""

    message: Message
    round_trip_s: float


LinkEvent: TypeAlias = (
    SessionOpened
    | SessionRefused
    | LinkLost
    | CommandReplied
    | CommandRejected
    | CommandUnknown
    | CommandNotSent
    | EventArrived
    | EventNotUnderstood
    | EventsLost
    | StatusArrived
)


@dataclass(frozen=True, slots=True)
class LinkOutput:
    """What one call gave: bytes to write now, in order, and what happened."""

    data: bytes
    events: tuple[LinkEvent, ...]
