"""The second half of the opening of a sealed session: SEAL and its answer.

Owns the one SEAL of an attempt, its repeats, and the judgement of SEAL_REPLY: the device's result, its proof, its count
of sealed sessions. Draws nothing at random: the ephemeral secret is handed in and given up when the keys are made. Must
not know frames. Implements LINK-9.2 to LINK-9.7 for the host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cardshoe.link.events import Refusal
from cardshoe.link.messages import HelloReply, Role, Seal, SealReply, SealResult
from cardshoe.link.session_keys import (
    SessionKeys,
    device_proof,
    ephemeral,
    host_proof,
    key_transcript,
    same,
    seal_transcript,
    session_keys,
    shared_secret,
)

SEAL_SEQUENCE: Final = 1

_REFUSALS: Final[dict[int, Refusal]] = {
    SealResult.UNKNOWN_KEY: Refusal.UNKNOWN_KEY,
    SealResult.WRONG_PROOF: Refusal.WRONG_PROOF,
    SealResult.WRONG_ROLE: Refusal.WRONG_ROLE,
}


@dataclass(frozen=True, slots=True, repr=False)
class PairKey:
    """A key that this host shares with one device (LINK-11.6), and what it may open. Prints no secret."""

    key_id: bytes
    secret: bytes
    role: Role = Role.DEAL

    def __repr__(self) -> str:
        return f"PairKey({self.key_id.hex()})"


@dataclass(frozen=True, slots=True, repr=False)
class Sealed:
    """The device has proved that it holds the key: what the session goes on with. `transcript` is T1."""

    keys: SessionKeys
    transcript: bytes
    sealed_count: int
    greeting: HelloReply


class SealExchange:
    """SEAL and SEAL_REPLY after the HELLO and HELLO_REPLY whose payloads are given.

    `secret` is 32 fresh random bytes. `last_count` is the last count of sealed sessions that was seen for this key.
    """

    __slots__ = ("_greeting", "_key", "_last_count", "_private", "_repeat_s", "_seal_at", "_t0", "seal")

    def __init__(
        self,
        key: PairKey,
        greeting: HelloReply,
        *,
        hello: bytes,
        reply: bytes,
        secret: bytes,
        last_count: int,
        repeat_s: float,
        now: float,
    ) -> None:
        self._key, self._greeting, self._last_count = key, greeting, last_count
        self._t0 = seal_transcript(hello, reply)
        self._private, public = ephemeral(secret)
        self.seal = Seal(key.key_id, public, host_proof(key.secret, self._t0, key.key_id, public))
        self._repeat_s, self._seal_at = repeat_s, now

    @property
    def session(self) -> int:
        """The session number that SEAL carries (LINK-9.1)."""
        return self._greeting.session

    @property
    def greeting(self) -> HelloReply:
        """The HELLO_REPLY that is not proved yet."""
        return self._greeting

    def due(self, now: float) -> Seal | None:
        """Return the SEAL to send now: the same each time, or None."""
        if now < self._seal_at:
            return None
        self._seal_at = now + self._repeat_s
        return self.seal

    def next_deadline(self) -> float:
        """Return when SEAL is to be sent again, in absolute seconds."""
        return self._seal_at

    def judge(self, reply: SealReply, *, seal: bytes, payload: bytes) -> Sealed | Refusal:
        """Return the session, or why there is none; `seal` and `payload` are the payloads of SEAL and `reply`.

        NOT_PROVED is no end: somebody answered who does not hold the key, and the device may answer yet (LINK-9.6).
        """
        if reply.result != SealResult.OK:
            return _REFUSALS.get(reply.result, Refusal.ABSURD)
        shared = shared_secret(self._private, reply.device_public)
        if shared is None:
            return Refusal.NOT_PROVED
        t1 = key_transcript(self._t0, seal, payload)
        keys = session_keys(self._key.secret, shared, t1)
        if not same(reply.device_proof, device_proof(keys.confirmation, t1)):
            return Refusal.NOT_PROVED
        if reply.sealed_count <= self._last_count:
            return Refusal.COPIED
        proved = self._greeting._replace(oldest_event=reply.oldest_event, last_event=reply.last_event)
        return Sealed(keys, t1, reply.sealed_count, proved)
