"""One attempt to begin a session, clear or sealed.

Owns the order of its steps: HELLO, its answer, and in a sealed session SEAL, its answer, and the pause until the new
count of sealed sessions is stored. Nothing that HELLO_REPLY says counts in a sealed session before SEAL_REPLY has
proved it. Must not know what follows. Implements LINK-5.12, LINK-9.1, LINK-9.2, LINK-9.6, LINK-9.7 for the host.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from cardshoe.link.events import Identity, Refusal
from cardshoe.link.handshake import Handshake, identity_of
from cardshoe.link.messages import HelloReply, Purpose, SealReply, Security
from cardshoe.link.seal import ClearCheck
from cardshoe.link.seal_exchange import SEAL_SEQUENCE, PairKey, Sealed, SealExchange
from cardshoe.link.timing import intervals
from cardshoe.wire.codec import Codec, Message
from cardshoe.wire.framing import Frame


@dataclass(frozen=True, slots=True)
class Sealing:
    """What a host needs to open sealed sessions with one device.

    `entropy` gives so many fresh random bytes. `last_count` is the last count of sealed sessions that was stored for
    this key, 0 for none.
    """

    key: PairKey
    last_count: int
    entropy: Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class Begun:
    """The session begins with this identity; `sealed` None: in clear."""

    identity: Identity
    sealed: Sealed | None


@dataclass(frozen=True, slots=True)
class Counted:
    """The session may begin once this count is stored."""

    sealed_count: int


@dataclass(frozen=True, slots=True)
class TurnedAway:
    """No session begins; `identity` is who answered, if anyone."""

    refusal: Refusal
    identity: Identity | None


class Ignored:
    """The frame is none that this attempt waits for."""


Step: TypeAlias = Begun | Counted | TurnedAway | Ignored | None


class Opening:
    """An attempt that began at `now` and ends with an answer or at `deadline` (absolute seconds)."""

    __slots__ = (
        "_admit",
        "_begun",
        "_codec",
        "_exchange",
        "_handshake",
        "_last_count",
        "_not_proved",
        "_sealing",
        "check",
    )

    def __init__(
        self,
        codec: Codec,
        nonce: bytes,
        *,
        consumed_event: int,
        admit: Callable[[Identity], bool],
        sealing: Sealing | None,
        last_count: int,
        now: float,
        deadline: float,
    ) -> None:
        security = Security.CLEAR if sealing is None else Security.SEALED
        purpose = Purpose.DEAL if sealing is None else Purpose(int(sealing.key.role))
        self._handshake = Handshake(
            codec.spec, nonce, security, consumed_event, now=now, deadline=deadline, purpose=purpose
        )
        self._codec, self._admit, self._sealing, self._last_count = codec, admit, sealing, last_count
        self._exchange: SealExchange | None = None
        self._begun: Begun | None = None
        self._not_proved = False
        self.check = ClearCheck()

    def heard(self, data: bytes) -> None:
        """Note that bytes came, so that noise and silence are told apart."""
        self._handshake.heard(data)

    def due(self, now: float) -> tuple[Message, int, int] | None:
        """Return the message to send now with its session and sequence, or None."""
        if self._begun is not None:
            return None  # nothing is sent before the count is stored (LINK-9.6)
        if self._exchange is None:
            hello = self._handshake.due(now)
            return None if hello is None else (hello, 0, 0)
        seal = self._exchange.due(now)
        return None if seal is None else (seal, self._exchange.session, SEAL_SEQUENCE)

    def failed(self, now: float) -> TurnedAway | None:
        """Return why the attempt failed when its deadline has passed, else None."""
        refusal = self._handshake.failed(now)
        if refusal is None:
            return None
        if self._exchange is None:
            return TurnedAway(refusal, None)
        late = Refusal.NOT_PROVED if self._not_proved else Refusal.SEAL_UNANSWERED
        return TurnedAway(Refusal.COUNT_NOT_KEPT if self._begun is not None else late, self._who())

    def next_deadline(self) -> float:
        """Return when the attempt next wants to be looked at, in absolute seconds."""
        if self._exchange is None:
            return self._handshake.next_deadline()
        repeat = inf if self._begun is not None else self._exchange.next_deadline()
        return min(repeat, self._handshake.deadline)

    def take(self, frame: Frame, message: Message | None, now: float) -> Step:
        """Take a clear frame."""
        if self._begun is not None:
            return Ignored()
        if self._exchange is None:
            if isinstance(message, HelloReply) and self._handshake.concerns(message):
                return self._greeted(message, frame.payload, now)
        elif isinstance(message, SealReply) and (frame.session, frame.sequence) == (
            self._exchange.session,
            SEAL_SEQUENCE,
        ):
            return self._sealed(self._exchange, message, frame.payload)
        return Ignored()  # everything before the answer to this HELLO (LINK-5.12)

    def count_kept(self) -> Begun | None:
        """Take the word that the count is stored; None where nothing waited for it."""
        return self._begun

    def _greeted(self, reply: HelloReply, payload: bytes, now: float) -> Step:
        answered = self._handshake.answered(reply)
        if isinstance(answered, Refusal):
            return TurnedAway(answered, identity_of(reply))
        if not answered:
            return None
        if self._sealing is None:
            return self._judged(reply, None)
        spec = self._codec.spec
        self._exchange = SealExchange(
            self._sealing.key,
            reply,
            hello=self._codec.payload(self._handshake.hello),
            reply=payload,
            secret=self._sealing.entropy(32),
            last_count=self._last_count,
            repeat_s=intervals(spec.timing).seal_repeat_s,
            now=now,
        )
        return None

    def _sealed(self, exchange: SealExchange, reply: SealReply, payload: bytes) -> Step:
        verdict = exchange.judge(reply, seal=self._codec.payload(exchange.seal), payload=payload)
        if verdict is Refusal.NOT_PROVED:
            self._not_proved = True  # whoever that was: the device may answer yet (LINK-9.6)
            return Ignored()
        if isinstance(verdict, Refusal):
            return TurnedAway(verdict, self._who())
        judged = self._judged(verdict.greeting, verdict)
        if isinstance(judged, TurnedAway):
            return judged
        self._begun = judged
        return Counted(verdict.sealed_count)

    def _judged(self, reply: HelloReply, sealed: Sealed | None) -> Begun | TurnedAway:
        verdict = self._handshake.judge(reply, self._admit)
        return TurnedAway(verdict, identity_of(reply)) if isinstance(verdict, Refusal) else Begun(verdict, sealed)

    def _who(self) -> Identity | None:
        return None if self._exchange is None else identity_of(self._exchange.greeting)
