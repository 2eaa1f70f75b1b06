"""Sessions of a device: how one begins, clear, sealed or for pairing, which one is the present one, how it ends.

Owns LINK-5, LINK-9.1, LINK-9.7, LINK-9.11 and LINK-11.3 as far as they bind a device. Must not know commands or events
beyond forgetting and sending them: that is the link's, told through `Follow`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from cardshoe.sim import wire
from cardshoe.sim.events import EventRing
from cardshoe.sim.keys import DEAL, SERVICE, KeyMemory, Pairing
from cardshoe.sim.messages import MESSAGES, SPEC_HASHES, Value
from cardshoe.sim.nvram import RING_SIZE, LinkMemory, Store
from cardshoe.sim.outlet import Outlet
from cardshoe.sim.pairing import PairingDesk
from cardshoe.sim.primitives import sha256
from cardshoe.sim.sealing import Sealer, SealResult

OK, WRONG_SPEC_HASH, PURPOSE_UNAVAILABLE, SECURITY_UNAVAILABLE, BUSY, NOT_IN_PAIRING_MODE = range(6)
PURPOSE_DEAL, PURPOSE_SERVICE = range(2)
CLEAR, SEALED, PAIRING = range(3)
KINDS: Final = ("clear", "sealed", "pairing")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the device is, as HELLO_REPLY tells it (LINK-5.3). `device` is "shoe" or "reader"."""

    device: str
    kind: int
    model: str
    serial: str
    firmware: str
    capabilities: int


@dataclass(slots=True)
class Session:
    """One session, also while it is pending. `transcript` is T0 while it is pending, T1 of a sealed one."""

    number: int
    security: int
    service: bool
    host_nonce: bytes
    device_nonce: bytes
    consumed: int
    hello: bytes
    transcript: bytes = b""
    pairing: Pairing | None = None
    seal: bytes = b""
    seal_reply: bytes = b""


class Follow(Protocol):
    """Who must know that the present session is another one, or none."""

    def session_began(self) -> None:
        """The present session is new: nothing of the one before counts."""

    @property
    def starting(self) -> bool:
        """Tell whether the device is still starting."""

    def holds_live_deck(self) -> bool:
        """Tell whether a service session must be refused (LINK-5.8)."""


class Sessions:
    """The sessions of one start of a device."""

    def __init__(
        self,
        *,
        identity: Identity,
        memory: LinkMemory,
        keys: KeyMemory,
        nonce: Callable[[], bytes],
        outlet: Outlet,
        events: EventRing,
        sealer: Sealer,
        desk: PairingDesk,
        store: Store,
        mutations: frozenset[str],
        follow: Follow,
    ) -> None:
        self._identity = identity
        self._memory = memory
        self._keys = keys
        self._nonce = nonce
        self._outlet = outlet
        self._events = events
        self._sealer = sealer
        self.desk = desk
        self._store = store
        self._mutations = mutations
        self._follow = follow
        self.present: Session | None = None
        self._pending: Session | None = None
        self._for_pairing: Session | None = None

    @property
    def number(self) -> int:
        """The number of the present session, 0 for none."""
        return 0 if self.present is None else self.present.number

    @property
    def sealed(self) -> bool:
        """Tell whether the present session is a sealed one."""
        return self._outlet.channel is not None

    @property
    def auditor(self) -> bytes:
        """The auditor's key of this session's pairing, else of the last pairing; 00 for none (SHOE-9.10)."""
        pairing = None if self.present is None else self.present.pairing
        return self._keys.auditor if pairing is None else pairing.auditor

    # --- HELLO

    def hello(self, frame: wire.Frame, values: Mapping[str, Value]) -> None:
        """Answer HELLO, and begin what it asks for."""
        nonce = _raw(values["host_nonce"])
        known = self._known(frame.payload, nonce)
        result = self._judge(values, known)
        session = None
        if result == OK:
            session = (
                known if known is not None and not self._broken("LINK-5.5") else self._drawn(values, frame.payload)
            )
        if session is not None and session.security == CLEAR:
            self._begin_clear(session, values)
        reply = self._reply(result, nonce, session)
        self._outlet.send(self._outlet.frame("HELLO_REPLY", frame.sequence, reply, session=0, clear=True))
        if session is not None:
            self._answered(session, frame.payload, reply)

    def _known(self, payload: bytes, nonce: bytes) -> Session | None:
        """Return the session that this HELLO has begun already (LINK-5.5)."""
        for session in (self._pending, self._for_pairing, self.present):
            if session is None or session.host_nonce != nonce:
                continue
            if session.security == CLEAR or session.hello == payload:
                return session
        return None

    def _judge(self, values: Mapping[str, Value], known: Session | None) -> int:
        if self._follow.starting:
            return BUSY
        if values["spec_hash"] != SPEC_HASHES[self._identity.device] and not self._broken("LINK-5.3"):
            return WRONG_SPEC_HASH
        if known is not None:
            return OK  # the same answer, whatever has changed since (LINK-5.5)
        purpose, security = values["purpose"], values["security"]
        if purpose not in {PURPOSE_DEAL, PURPOSE_SERVICE}:
            return PURPOSE_UNAVAILABLE
        if purpose == PURPOSE_SERVICE and self._follow.holds_live_deck():
            return PURPOSE_UNAVAILABLE
        return self._judge_security(security)

    def _judge_security(self, security: Value) -> int:
        paired = bool(self._keys.pairings)
        if security == PAIRING:
            return OK if self.desk.window_open else NOT_IN_PAIRING_MODE
        if security == SEALED:
            return OK if paired else SECURITY_UNAVAILABLE
        if security == CLEAR and (not paired or self._broken("LINK-5.9")):
            return OK
        return SECURITY_UNAVAILABLE

    def _drawn(self, values: Mapping[str, Value], payload: bytes) -> Session:
        return Session(
            number=self._next_number(),
            security=_number(values["security"]),
            service=values["purpose"] == PURPOSE_SERVICE,
            host_nonce=_raw(values["host_nonce"]),
            device_nonce=self._nonce(),
            consumed=_number(values["consumed_event"]),
            hello=payload,
        )

    def _next_number(self) -> int:
        memory = self._memory
        taken = {one.number for one in (self.present, self._for_pairing) if one is not None}
        if memory.session_number == 0 or not self._broken("LINK-5.4"):
            memory.session_number = memory.session_number % 255 + 1
            while memory.session_number in taken:  # after 254 that were never sealed
                memory.session_number = memory.session_number % 255 + 1
        self._store.touch()
        return memory.session_number

    def _begin_clear(self, session: Session, values: Mapping[str, Value]) -> None:
        if session is not self.present:
            self._pending = None
            self._begin(session)
        if not self._broken("LINK-5.11"):
            self._events.forget(_number(values["consumed_event"]))

    def _answered(self, session: Session, hello: bytes, reply: Mapping[str, Value]) -> None:
        """HELLO_REPLY is on the line: what it said binds the session (LINK-9.2, LINK-11.4)."""
        said = MESSAGES[self._identity.device]["HELLO_REPLY"].pack(reply)
        if session.security == CLEAR:
            self._events.send_held(after_hello=True)
        elif session is self.present or session is self._pending or session is self._for_pairing:
            return
        elif session.security == SEALED:
            session.transcript = hashed_opening(hello, said)
            self._pending = session
        else:
            self._for_pairing = session
            self.desk.begin(hello, said)

    def _reply(self, result: int, nonce: bytes, session: Session | None) -> dict[str, Value]:
        identity = self._identity
        return {
            "result": result,
            "host_nonce": nonce,
            "device_nonce": self._nonce() if session is None else session.device_nonce,
            "spec_hash": SPEC_HASHES[identity.device],
            "session": 0 if session is None else session.number,
            "device_kind": identity.kind,
            "model": identity.model,
            "serial": identity.serial,
            "firmware": identity.firmware,
            "boot_counter": self._memory.boot_counter,
            "ring_size": RING_SIZE,
            "capabilities": identity.capabilities,
            "oldest_event": self._events.oldest,
            "last_event": self._memory.last_event,
        }

    # --- SEAL

    def awaits_seal(self, number: int) -> bool:
        """Tell whether a SEAL with this session number belongs to a session that is, or was just, opened."""
        pending = self._pending is not None and self._pending.number == number
        return pending or (self.sealed and self.number == number)

    def on_seal(self, frame: wire.Frame) -> None:
        """Answer a SEAL of the right length whose session `awaits_seal`."""
        pending = self._pending
        if pending is None or pending.number != frame.session:
            self._repeat_seal(frame)
            return
        role = SERVICE if pending.service else DEAL
        result, pairing = self._sealer.judge(frame.payload, transcript=pending.transcript, role=role)
        self._pending = None
        if result is not SealResult.OK or pairing is None:
            self._seal_reply(frame, self._sealer.refusal(result))
            return
        if not self._broken("LINK-5.11"):
            self._events.forget(pending.consumed)
        opening = self._sealer.open(
            frame.payload,
            pairing,
            transcript=pending.transcript,
            oldest=self._events.oldest,
            last=self._memory.last_event,
        )
        pending.pairing, pending.transcript = pairing, opening.transcript
        pending.seal, pending.seal_reply = frame.payload, opening.reply
        self._begin(pending)
        self._outlet.channel = opening.channel
        self._seal_reply(frame, opening.reply)
        self._events.send_held(after_hello=True)

    def _repeat_seal(self, frame: wire.Frame) -> None:
        """The same SEAL again gets the same reply until a sealed frame has come (LINK-9.7)."""
        present, channel = self.present, self._outlet.channel
        if present is not None and channel is not None and channel.taken == 0 and present.seal == frame.payload:
            self._seal_reply(frame, present.seal_reply)

    def _seal_reply(self, frame: wire.Frame, payload: bytes) -> None:
        kind = MESSAGES[self._identity.device]["SEAL_REPLY"].type
        self._outlet.send(wire.Frame(wire.VERSION_CLEAR, frame.session, kind, frame.sequence, payload))

    # --- PAIR

    def awaits_pair(self, number: int) -> bool:
        """Tell whether this is the number of a pairing session."""
        return self._for_pairing is not None and self._for_pairing.number == number

    def on_pair(self, frame: wire.Frame) -> None:
        """Answer a PAIR of the right length in the pairing session; a new key ends the present session (LINK-11.3)."""
        answer = self.desk.pair(frame.payload)
        if answer is None:
            return
        if answer.paired:
            self.end()
        kind = MESSAGES[self._identity.device]["PAIR_REPLY"].type
        self._outlet.send(wire.Frame(wire.VERSION_CLEAR, frame.session, kind, frame.sequence, answer.payload))

    # --- begin and end

    def _begin(self, session: Session) -> None:
        self._outlet.channel = None
        self.present = session
        self._events.begin_session(session.number)
        self._follow.session_began()

    def end(self) -> None:
        """The present session is over, and so is a pending one; nothing is sent until another begins."""
        self._pending = None
        self.present = None
        self._outlet.channel = None
        self._events.begin_session(0)
        self._follow.session_began()

    def unpair(self) -> None:
        """Forget the key of the present session, and end it (LINK-11.7)."""
        if self.present is not None and self.present.pairing is not None and not self._broken("LINK-11.7"):
            self._keys.remove(self.present.pairing)
            self._store.touch()
        self.end()

    def _broken(self, clause: str) -> bool:
        return clause in self._mutations


def hashed_opening(hello: bytes, reply: bytes) -> bytes:
    """Return T0 of the payloads of HELLO and HELLO_REPLY (LINK-9.2)."""
    return sha256(b"cardshoe link-v1 seal", hello, reply[:-16])


def _raw(value: Value) -> bytes:
    return value if isinstance(value, bytes) else b""


def _number(value: Value) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no number")
    return value
