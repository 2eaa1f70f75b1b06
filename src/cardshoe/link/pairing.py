"""The pairing of a host with a device: bytes and time in, bytes and a key out.

Owns the label secret's spelling, HELLO for pairing, the one PAIR of an attempt with its repeats, and the judgement of
the answer. Draws nothing at random and stores nothing: entropy is handed in, the key is handed out. Never raises on
received bytes. Implements LINK-11.1 and LINK-11.3 to LINK-11.6 for the host.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from cardshoe.errors import InputError
from cardshoe.link.events import Identity, Refusal
from cardshoe.link.handshake import Handshake, identity_of
from cardshoe.link.messages import HelloReply, Pair, PairReply, PairResult, Role, Security
from cardshoe.link.outbox import Outbox
from cardshoe.link.seal import ClearCheck
from cardshoe.link.seal_exchange import PairKey
from cardshoe.link.session_keys import (
    PROOF_BYTES,
    ephemeral,
    key_id,
    pair_device_proof,
    pair_host_proof,
    pair_key,
    pair_transcript,
    same,
    shared_secret,
)
from cardshoe.link.timing import intervals
from cardshoe.wire.codec import Codec
from cardshoe.wire.framing import Frame

LABEL_BYTES: Final = 16
LABEL_LETTERS: Final = 26
PAIR_SEQUENCE: Final = 1
NO_AUDITOR: Final = bytes(32)
HOST_NAME_MAX: Final = 16

_REFUSALS: Final[dict[int, Refusal]] = {
    PairResult.WRONG_PROOF: Refusal.WRONG_LABEL,
    PairResult.NO_ROOM: Refusal.NO_ROOM,
    PairResult.BAD_VALUE: Refusal.PAIRING_REFUSED,
}


def parse_label(text: str) -> bytes:
    """Return the 16 bytes of a label secret as it is printed (LINK-11.1): 26 letters, dashes and blanks left out.

    Raises `InputError` (`label-secret`), which never repeats what was typed.
    """
    letters = text.replace("-", "").replace(" ", "").strip().upper()
    try:
        secret = base64.b32decode(letters + "=" * (-len(letters) % 8))
    except (binascii.Error, ValueError):
        secret = b""
    if len(letters) != LABEL_LETTERS or len(secret) != LABEL_BYTES or print_label(secret).replace("-", "") != letters:
        raise InputError(
            "label-secret",
            f"that is not a label secret: it has {LABEL_LETTERS} letters A to Z and digits 2 to 7, in groups of four"
            " with dashes, printed inside the device's door; type it again",
        )
    return secret


def print_label(secret: bytes) -> str:
    """Return the label secret as it is printed: groups of four with dashes."""
    letters = base64.b32encode(secret).decode("ascii").rstrip("=")
    return "-".join(letters[at : at + 4] for at in range(0, len(letters), 4))


@dataclass(frozen=True, slots=True, repr=False)
class PairingWish:
    """What to ask of a device. `auditor` is the auditor's X25519 public key, 32 bytes of 00 for none."""

    label_secret: bytes
    role: Role
    host_name: str
    auditor: bytes = NO_AUDITOR


@dataclass(frozen=True, slots=True)
class PairingDone:
    """Both sides hold the key now: store it. `identity_public` is the device's Ed25519 key (LINK-12)."""

    identity: Identity
    key: PairKey
    identity_public: bytes


@dataclass(frozen=True, slots=True)
class PairingFailed:
    """There is no key; `identity` is who answered, if anyone; `dropped` counts what could not be read meanwhile."""

    refusal: Refusal
    identity: Identity | None
    dropped: int


PairingEnd: TypeAlias = PairingDone | PairingFailed


@dataclass(frozen=True, slots=True)
class PairingOutput:
    """What one call gave: bytes to write now, and the end, once."""

    data: bytes
    end: PairingEnd | None


@dataclass(frozen=True, slots=True, repr=False)
class _Asked:
    """A PAIR that waits for its answer."""

    greeting: HelloReply
    pair: Pair
    payload: bytes
    p0: bytes
    private: X25519PrivateKey


class Pairing:
    """One attempt to pair, which began at `now` and ends with an answer or at `deadline` (absolute seconds).

    `entropy` gives so many fresh random bytes.
    """

    def __init__(
        self, codec: Codec, wish: PairingWish, *, entropy: Callable[[int], bytes], now: float, deadline: float
    ) -> None:
        self._codec, self._wish, self._entropy = codec, wish, entropy
        self._handshake = Handshake(codec.spec, entropy(16), Security.PAIRING, 0, now=now, deadline=deadline)
        self._check = ClearCheck()
        self._out = Outbox(codec, intervals(codec.spec.timing).idle_delimiter_s)
        self._repeat_s = intervals(codec.spec.timing).seal_repeat_s
        self._asked: _Asked | None = None
        self._pair_at = now
        self._not_proved = False
        self._ended = False

    def receive(self, data: bytes, now: float) -> PairingOutput:
        """Take bytes of the line; any bytes."""
        self._handshake.heard(data)
        for frame in self._check.feed(data):
            if not self._ended and (end := self._take(frame, now)) is not None:
                return self._finish(end)
        return self.advance(now)

    def advance(self, now: float) -> PairingOutput:
        """Let time pass: repeats, the deadline."""
        if self._ended:
            return PairingOutput(b"", None)
        if (refusal := self._handshake.failed(now)) is not None:
            return self._finish(self._late(refusal))
        if self._asked is None:
            if (hello := self._handshake.due(now)) is not None:
                self._out.send(self._check, hello, session=0, sequence=0, now=now)
        elif now >= self._pair_at:
            self._pair_at = now + self._repeat_s
            session = self._asked.greeting.session
            self._out.send(self._check, self._asked.pair, session=session, sequence=PAIR_SEQUENCE, now=now)
        return PairingOutput(self._out.take().data, None)

    def next_deadline(self) -> float | None:
        """Return when `advance` must be called at the latest, in absolute seconds, or None when it has ended."""
        if self._ended:
            return None
        if self._asked is None:
            return self._handshake.next_deadline()
        return min(self._pair_at, self._handshake.deadline)

    def _take(self, frame: Frame, now: float) -> PairingEnd | None:
        message = self._codec.decode(frame)
        asked = self._asked
        if asked is None:
            if isinstance(message, HelloReply) and self._handshake.concerns(message):
                return self._greeted(message, frame.payload, now)
        elif isinstance(message, PairReply) and (frame.session, frame.sequence) == (
            asked.greeting.session,
            PAIR_SEQUENCE,
        ):
            return self._answered(asked, message, frame.payload)
        return None

    def _greeted(self, reply: HelloReply, payload: bytes, now: float) -> PairingEnd | None:
        answered = self._handshake.answered(reply)
        if answered is Refusal.SECURITY_UNAVAILABLE:
            return self._failed(Refusal.CANNOT_PAIR, reply)
        if isinstance(answered, Refusal):
            return self._failed(answered, reply)
        if not answered:
            return None
        judged = self._handshake.judge(reply, lambda _identity: True)
        if isinstance(judged, Refusal):
            return self._failed(judged, reply)
        p0 = pair_transcript(self._codec.payload(self._handshake.hello), payload)
        private, public = ephemeral(self._entropy(32))
        unproved = Pair(self._wish.role, self._wish.host_name, public, self._wish.auditor, bytes(PROOF_BYTES))
        body = self._codec.payload(unproved)[:-PROOF_BYTES]
        pair = unproved._replace(proof=pair_host_proof(self._wish.label_secret, p0, body))
        self._asked = _Asked(reply, pair, self._codec.payload(pair), p0, private)
        self._pair_at = now
        return None

    def _answered(self, asked: _Asked, reply: PairReply, payload: bytes) -> PairingEnd | None:
        if reply.result != PairResult.PAIRED:
            return self._failed(_REFUSALS.get(reply.result, Refusal.ABSURD), asked.greeting)
        shared = shared_secret(asked.private, reply.device_public)
        if shared is None:
            self._not_proved = True
            return None
        key = pair_key(self._wish.label_secret, shared, asked.p0, asked.payload, payload[:-PROOF_BYTES])
        if not same(reply.proof, pair_device_proof(key)):
            self._not_proved = True  # whoever that was: the device may answer yet
            return None
        pair = PairKey(key_id(key), key, self._wish.role)
        return PairingDone(identity_of(asked.greeting), pair, reply.identity_public)

    def _late(self, refusal: Refusal) -> PairingFailed:
        if self._asked is None:
            return PairingFailed(refusal, None, self._check.dropped)
        late = Refusal.NOT_PROVED if self._not_proved else Refusal.SEAL_UNANSWERED
        return self._failed(late, self._asked.greeting)

    def _failed(self, refusal: Refusal, reply: HelloReply) -> PairingFailed:
        return PairingFailed(refusal, identity_of(reply), self._check.dropped)

    def _finish(self, end: PairingEnd) -> PairingOutput:
        self._ended, self._asked = True, None
        return PairingOutput(self._out.take().data, end)
