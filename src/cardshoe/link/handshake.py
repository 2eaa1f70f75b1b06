"""One attempt to begin a session.

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
    ) -> None:
        if len(nonce) != NONCE_BYTES:
            raise ValueError(f"a nonce has {NONCE_BYTES} bytes, not {len(nonce)}")
        self._spec = spec
        self._hello = Hello(nonce, spec.hash, Purpose.DEAL, security, consumed_event)
        self._repeat_s = intervals(spec.timing).hello_repeat_s
        self._hello_at = now
        self._deadline = deadline
        self._heard = self._busy = False

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

    def judge(self, reply: HelloReply, admit: Callable[[Identity], bool]) -> Identity | Refusal | None:
        """Return who answered when the session begins, why it does not, or None when the device is still starting."""
        if reply.result == HelloResult.BUSY:
            self._busy = True
            return None
        if reply.result != HelloResult.OK:
            return _REFUSALS.get(reply.result, Refusal.ABSURD)
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
