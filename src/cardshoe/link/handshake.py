"""The first half of an attempt to begin a session: HELLO and its answer.

Owns HELLO with its one nonce, its repeats, the deadline of the attempt, and the judgement of the answer. Must not know
frames or what follows. Implements LINK-5.1 to LINK-5.5, LINK-5.8, LINK-5.9, LINK-5.12 and LINK-7.2 (ring size).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cardshoe.link.events import Identity, Refusal
from cardshoe.link.messages import Hello, HelloReply, HelloResult, Purpose, Security
from cardshoe.link.timing import intervals
from cardshoe.wire.spec import DeviceSpec

NONCE_BYTES: Final = 16

_REFUSALS: Final[dict[int, Refusal]] = {
    HelloResult.WRONG_SPEC_HASH: Refusal.WRONG_SPEC_HASH,
    HelloResult.PURPOSE_UNAVAILABLE: Refusal.PURPOSE_UNAVAILABLE,
    HelloResult.SECURITY_UNAVAILABLE: Refusal.SECURITY_UNAVAILABLE,
    HelloResult.NOT_IN_PAIRING_MODE: Refusal.NOT_PAIRING,
}


class Handshake:
    """An attempt that began at `now` and ends with an answer or at `deadline` (absolute seconds)."""

    __slots__ = ("_busy", "_deadline", "_heard", "_hello", "_hello_at", "_repeat_s", "_spec")

    def __init__(
        self,
        spec: DeviceSpec,
        nonce: bytes,
        security: Security,
        consumed_event: int,
        *,
        now: float,
        deadline: float,
        purpose: Purpose = Purpose.DEAL,
    ) -> None:
        if len(nonce) != NONCE_BYTES:
            raise ValueError(f"a nonce has {NONCE_BYTES} bytes, not {len(nonce)}")
        self._spec = spec
        self._hello = Hello(nonce, spec.hash, purpose, security, consumed_event)
        self._repeat_s = intervals(spec.timing).hello_repeat_s
        self._hello_at = now
        self._deadline = deadline
        self._heard = self._busy = False

    @property
    def hello(self) -> Hello:
        """The HELLO of this attempt."""
        return self._hello

    @property
    def deadline(self) -> float:
        """When the attempt ends, in absolute seconds."""
        return self._deadline

    def heard(self, data: bytes) -> None:
        """Note that bytes came, so that noise and silence are told apart."""
        self._heard = self._heard or any(data)

    def due(self, now: float) -> Hello | None:
        """Return the HELLO to send now: the same each time, or None."""
        if now < self._hello_at:
            return None
        self._hello_at = now + self._repeat_s
        return self._hello

    def failed(self, now: float) -> Refusal | None:
        """Return why the attempt failed when its deadline has passed, else None."""
        if now < self._deadline:
            return None
        if self._busy:
            return Refusal.BUSY
        return Refusal.NOISE if self._heard else Refusal.SILENT

    def concerns(self, reply: HelloReply) -> bool:
        """Tell whether `reply` answers this attempt and not one before it (LINK-5.12)."""
        return reply.host_nonce == self._hello.host_nonce

    def answered(self, reply: HelloReply) -> Refusal | bool:
        """Return why the device begins no session, True when it does, False when it is still starting."""
        if reply.result == HelloResult.BUSY:
            self._busy = True
            return False
        if reply.result == HelloResult.NOT_IN_PAIRING_MODE and self._hello.security != Security.PAIRING:
            return Refusal.ABSURD
        return reply.result == HelloResult.OK or _REFUSALS.get(reply.result, Refusal.ABSURD)

    def judge(self, reply: HelloReply, admit: Callable[[Identity], bool]) -> Identity | Refusal:
        """Return who it is that begins the session, or why it may not."""
        if reply.spec_hash != self._spec.hash:
            return Refusal.WRONG_SPEC_HASH
        if not self._sound(reply):
            return Refusal.ABSURD
        identity = identity_of(reply)
        return identity if admit(identity) else Refusal.NOT_ADMITTED

    def next_deadline(self) -> float:
        """Return when the attempt next wants to be looked at, in absolute seconds."""
        return min(self._hello_at, self._deadline)

    def _sound(self, reply: HelloReply) -> bool:
        return (
            reply.session != 0
            and reply.device_kind == self._spec.device_kind
            and reply.ring_size >= self._spec.ring_min_bench
            and 1 <= reply.oldest_event <= reply.last_event + 1
        )


def identity_of(reply: HelloReply) -> Identity:
    """Return who answered, as it says itself."""
    return Identity(
        device_kind=reply.device_kind,
        model=reply.model,
        serial=reply.serial,
        firmware=reply.firmware,
        spec_hash=reply.spec_hash,
        boot_counter=reply.boot_counter,
        ring_size=reply.ring_size,
        capabilities=reply.capabilities,
        session=reply.session,
        oldest_event=reply.oldest_event,
        last_event=reply.last_event,
    )
