"""What the link tells its caller.

Owns the closed set of link events, each frozen and in the past tense. Must not know what a device's messages mean.
Implements the host's conclusions of LINK-4.5 (unknown), LINK-5.3, LINK-5.7, LINK-5.10, LINK-6.5, LINK-7.6, LINK-9.3,
LINK-9.6 and LINK-9.10.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from cardshoe.link.messages import RejectReason
from cardshoe.wire.codec import Message


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answered HELLO, as it says itself; in a clear session nothing of it is proved (LINK-5.9).

    In a sealed session it is what the holder of the key says of itself (LINK-9.2).
    """

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
    SECURITY_UNAVAILABLE = "the device refuses a session of this security"
    NOT_PAIRING = "the device has no pairing window open"
    UNKNOWN_KEY = "the device does not hold our key"
    WRONG_PROOF = "the device did not accept our proof"
    WRONG_ROLE = "our key's role does not allow the purpose"
    NOT_PROVED = "what answered could not prove that it holds the key"
    SEAL_UNANSWERED = "the device did not answer the second half of the opening"
    COPIED = "the count of sealed sessions is not above the last one seen"
    CANNOT_PAIR = "the device knows no pairing"
    WRONG_LABEL = "the device did not accept the label secret"
    NO_ROOM = "the device has no room for another key"
    PAIRING_REFUSED = "the device refused the values of the pairing"
    COUNT_NOT_KEPT = "the count of sealed sessions was not stored in time"
    ABSURD = "the answer contradicts the protocol"
    NOT_ADMITTED = "the device is not the expected one"


class LostReason(Enum):
    """Why a session ended."""

    SILENCE = "no valid frame came for the time that the protocol allows"
    NO_SESSION = "the device no longer knows the session"
    RESTARTED = "the device restarted"
    UNANSWERED = "a command had no answer before its deadline"
    OUT_OF_STEP = "the device's answer does not fit the exchange"
    COUNTER = "the session has used up its counters"
    PORT = "the port was lost"
    CLOSED = "the host closed it"


class NotSentReason(Enum):
    """Why a command never reached the line: it was certainly not carried out."""

    NO_SESSION = "there is no session"
    QUEUE_FULL = "too many commands wait already"
    DEADLINE = "its deadline passed before its turn came"


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """The session is live. `transcript` is T1 of a sealed session (LINK-9.5), None of a clear one."""

    identity: Identity
    transcript: bytes | None = None


@dataclass(frozen=True, slots=True)
class SealedCountRose:
    """The device has proved itself and told its count (LINK-9.6): store it, then say so by `count_kept`.

    Nothing is sent before.
    """

    key_id: bytes
    sealed_count: int


@dataclass(frozen=True, slots=True)
class TamperingSuspected:
    """A sealed session dropped what noise does not make: `replays`, or `wrong_tags` above noise, since it began."""

    replays: int
    wrong_tags: int


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


DeviceEvent: TypeAlias = (
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
"""What has a meaning for a device."""

LinkEvent: TypeAlias = DeviceEvent | SealedCountRose | TamperingSuspected


@dataclass(frozen=True, slots=True)
class LinkOutput:
    """What one call gave: bytes to write now, in order, and what happened."""

    data: bytes
    events: tuple[LinkEvent, ...]
