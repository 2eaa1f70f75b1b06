"""What every driver tells its caller, whatever the device.

Owns the events that shoe and reader share, and the output of a driver. Must not know either device. Implements the
driver's side of LINK-4.5, LINK-5.3, LINK-6.5, LINK-7.6, LINK-9.6, LINK-9.10, LINK-11.7, LINK-12.4 and SHOE-8.1,
READER-4.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from cardshoe.devices.attest import Attestation
from cardshoe.errors import DeviceError
from cardshoe.link.events import Identity, LostReason, NotSentReason
from cardshoe.link.messages import RejectReason
from cardshoe.wire.spec import Fault

E_co = TypeVar("E_co", covariant=True)


@dataclass(frozen=True, slots=True)
class DeviceIdentified:
    """A session with the expected device began.

    In a clear session nothing of `identity` is proved (LINK-5.9); in a `sealed` one the holder of the key says it.
    `attestation` is filled in by whoever asks for it before the device is handed on (None: not asked).
    """

    identity: Identity
    sealed: bool = False
    attestation: Attestation | None = None


@dataclass(frozen=True, slots=True)
class SealedCountSeen:
    """The device proved itself and told how many sealed sessions it has begun with this key (LINK-9.6).

    Store the count for `key_id`, then call `count_kept`: the session begins with it, and nothing is sent before.
    """

    key_id: bytes
    sealed_count: int


@dataclass(frozen=True, slots=True)
class LinkTampered:
    """Somebody is at the line: `replays` of right frames, `wrong_tags` above noise, since the session began."""

    replays: int
    wrong_tags: int


@dataclass(frozen=True, slots=True)
class AttestationJudged:
    """The answer to `attest`: how the device stands (LINK-12.4)."""

    attestation: Attestation


@dataclass(frozen=True, slots=True)
class Unpaired:
    """The device has removed the key of this session, which ends (LINK-11.7)."""


@dataclass(frozen=True, slots=True)
class DeviceRefused:
    """No session began; `error` says why and what to do. `identity` is who answered, if anyone."""

    error: DeviceError
    identity: Identity | None


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """The session ended; nothing is sent until `open` is called again."""

    reason: LostReason
    error: DeviceError


@dataclass(frozen=True, slots=True)
class EventsLost:
    """Events between `received` and `oldest` are gone, or the device's count fell back: hold the round, never infer."""

    received: int
    oldest: int
    last: int


@dataclass(frozen=True, slots=True)
class EventNotUnderstood:
    """An event with a value that the protocol does not know: hold the round. It is acknowledged like any other."""

    event_id: int
    text: str


@dataclass(frozen=True, slots=True)
class StatusNotUnderstood:
    """A status with a value that the protocol does not know."""

    text: str


@dataclass(frozen=True, slots=True)
class FaultRaised:
    """A fault appeared; `detail` is 0 unless the fault says otherwise."""

    event_id: int
    fault: Fault
    detail: int


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """A fault is gone."""

    event_id: int
    fault: Fault


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """A request that moves nothing (`request` is its name, such as `QUERY_COMMAND`) had no usable answer.

    `command_id` is the one that was asked about, if any. Asking again is harmless.
    """

    request: str
    command_id: int | None
    reason: LostReason | NotSentReason | RejectReason


GeneralEvent: TypeAlias = (
    DeviceIdentified
    | SealedCountSeen
    | LinkTampered
    | AttestationJudged
    | Unpaired
    | DeviceRefused
    | DeviceLost
    | EventsLost
    | EventNotUnderstood
    | StatusNotUnderstood
    | FaultRaised
    | FaultCleared
    | RequestFailed
)


@dataclass(frozen=True, slots=True)
class Output(Generic[E_co]):
    """What one call of a driver gave: bytes to write now, in order, and what happened, in order."""

    data: bytes
    happened: tuple[E_co, ...]
