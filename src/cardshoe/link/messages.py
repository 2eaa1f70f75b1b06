"""The link's own messages, one class for each `[[message]]` of link-v1.toml except STATUS.

Owns nothing but their fields, which a codec compares with the file when it is built. STATUS and the events carry
fields of the device too and are declared with the device. Implements LINK-5, LINK-6 and LINK-7 as far as fields go.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, Protocol


class Hello(NamedTuple):
    """Begins a session (LINK-5.1)."""

    host_nonce: bytes
    spec_hash: bytes
    purpose: int
    security: int
    consumed_event: int


class HelloReply(NamedTuple):
    """The device's answer to HELLO: who it is, and the session's number (LINK-5.3)."""

    result: int
    host_nonce: bytes
    device_nonce: bytes
    spec_hash: bytes
    session: int
    device_kind: int
    model: str
    serial: str
    firmware: str
    boot_counter: int
    ring_size: int
    capabilities: int
    oldest_event: int
    last_event: int


class Heartbeat(NamedTuple):
    """Renews the motion lease, in milliseconds (LINK-6.3)."""

    lease_ms: int


class EventAck(NamedTuple):
    """Consumed up to this event (LINK-7.4)."""

    consumed_event: int


class Reject(NamedTuple):
    """A frame that the device did not carry out, and why (LINK-4.4, LINK-4.8)."""

    reason: int
    rejected_type: int


class Seal(NamedTuple):
    """Begins to seal a session (LINK-9.3)."""

    key_id: bytes
    host_public: bytes
    host_proof: bytes


class SealReply(NamedTuple):
    """The device's half of the keys, and its proof (LINK-9.4)."""

    result: int
    device_public: bytes
    sealed_count: int
    oldest_event: int
    last_event: int
    device_proof: bytes


class Pair(NamedTuple):
    """Asks a device in its pairing window for a key (LINK-11.4)."""

    role: int
    host_name: str
    host_public: bytes
    auditor_public: bytes
    proof: bytes


class PairReply(NamedTuple):
    """The device's half of the new key, its identity and its proof (LINK-11.5)."""

    result: int
    device_public: bytes
    identity_public: bytes
    proof: bytes


class Attest(NamedTuple):
    """Asks for a proof of the firmware (LINK-12.1)."""

    nonce: bytes


class AttestReply(NamedTuple):
    """The firmware's measurement, signed for this session (LINK-12.1)."""

    measurement: bytes
    signature: bytes


class Unpair(NamedTuple):
    """Gives up the session's key (LINK-11.7)."""


class UnpairReply(NamedTuple):
    """The key is gone (LINK-11.7)."""


LINK_MESSAGES = (
    Hello,
    HelloReply,
    Heartbeat,
    EventAck,
    Reject,
    Seal,
    SealReply,
    Pair,
    PairReply,
    Attest,
    AttestReply,
    Unpair,
    UnpairReply,
)


class StatusHead(Protocol):
    """The fields with which every device's STATUS begins (LINK-6.2)."""

    @property
    def boot_counter(self) -> int: ...
    @property
    def uptime_ms(self) -> int: ...
    @property
    def last_event(self) -> int: ...
    @property
    def held_events(self) -> int: ...
    @property
    def lease_left_ms(self) -> int: ...


class Purpose(IntEnum):
    """What a session is for (LINK-5.8)."""

    DEAL = 0
    SERVICE = 1


class Security(IntEnum):
    """How a session's frames are protected (LINK-5.9)."""

    CLEAR = 0
    SEALED = 1
    PAIRING = 2


class HelloResult(IntEnum):
    """The device's answer to HELLO (LINK-5.3, LINK-5.8, LINK-5.9)."""

    OK = 0
    WRONG_SPEC_HASH = 1
    PURPOSE_UNAVAILABLE = 2
    SECURITY_UNAVAILABLE = 3
    BUSY = 4
    NOT_IN_PAIRING_MODE = 5


class DeviceKind(IntEnum):
    """What a device is (SHOE-1.1, READER-1.1)."""

    SHOE = 1
    READER = 2


class RejectReason(IntEnum):
    """Why a frame was rejected (LINK-4.3, LINK-4.4, LINK-4.8, LINK-5.6)."""

    NO_SESSION = 1
    UNKNOWN_TYPE = 2
    WRONG_LENGTH = 3
    WRONG_SEQUENCE = 4
    NOT_ALLOWED_IN_PURPOSE = 5
    BAD_VALUE = 6
    SEALED_ONLY = 7


class SealResult(IntEnum):
    """The device's answer to SEAL (LINK-9.3, LINK-9.4)."""

    OK = 0
    UNKNOWN_KEY = 1
    WRONG_PROOF = 2
    WRONG_ROLE = 3


class PairResult(IntEnum):
    """The device's answer to PAIR (LINK-11.5)."""

    PAIRED = 0
    WRONG_PROOF = 1
    NO_ROOM = 2
    BAD_VALUE = 3


class Role(IntEnum):
    """What a key may open (LINK-9.3, LINK-11.4)."""

    DEAL = 0
    SERVICE = 1
