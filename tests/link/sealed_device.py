"""A device of sealed sessions for the tests, after the prose, over the vectors' own ciphers.

It shares no code with the product but the typed messages: keys, proofs, tags and COBS come from `sealed_wire` and
`vector_wire` beside the protocol. Behind it stands the clear scripted device. Not a device of the product.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import sealed_wire as sealed
from rfc_ciphers import ed25519_public, ed25519_sign, sha256, x25519_public
from scripted_device import SPEC, TYPE, Rig, ScriptedDevice, frame_of, hello_reply_fields, make_host
from vector_wire import read_collection

from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.link.events import LinkEvent, SealedCountRose
from cardshoe.link.machine import HostLink
from cardshoe.link.messages import Role
from cardshoe.link.opening import Sealing
from cardshoe.link.seal_exchange import PairKey
from cardshoe.wire.framing import Frame

PAIR_KEY = bytes(range(7, 39))
KEY_ID = sealed.key_id_of(PAIR_KEY)
IDENTITY = bytes(range(90, 122))
IDENTITY_PUBLIC = ed25519_public(IDENTITY)
MEASUREMENT = sha256(b"the firmware of the tests")
CAPABILITIES = 255


def payload_of(name: str, fields: dict[str, Any]) -> bytes:
    """The payload of a message."""
    return SHOE_CODEC.payload(SHOE_CODEC.build(name, fields))


@dataclass
class SealedDevice(ScriptedDevice):
    """The device's side of LINK-9. What survives a restart, besides: `keys` (pair key and role by id), `count`."""

    keys: dict[bytes, tuple[bytes, int]] = field(default_factory=lambda: {KEY_ID: (PAIR_KEY, 0)})
    count: int = 0
    random: Random = field(default_factory=lambda: Random("device"))
    wrong_tags: int = 0
    replays: int = 0
    clear_dropped: int = 0
    attests: bool = True
    change_reply: Callable[[dict[str, Any]], dict[str, Any]] = lambda fields: (
        fields
    )  # a device that lies in HELLO_REPLY

    def _forget(self) -> None:
        super()._forget()
        self._pending: tuple[bytes, bytes, int] | None = None  # HELLO, HELLO_REPLY, session
        self._session_keys: sealed.Keys | None = None
        self._transcript = b""
        self._sent = self._taken = 0
        self._collected = b""
        self._clear_out = b""
        self._sealed_reply: tuple[bytes, bytes] | None = None  # SEAL and its reply
        self._key_id = b""

    def receive(self, data: bytes, now: float) -> bytes:
        """Bytes in, bytes out."""
        *parts, self._collected = (self._collected + data).split(b"\0")
        for part in filter(None, parts):
            self._collection(part)
        return self.advance(now)

    def advance(self, now: float) -> bytes:
        """Everything that the scripted device says goes out sealed; the two halves of the opening do not."""
        out = super().advance(now)
        clear, self._clear_out = self._clear_out, b""
        if self._session_keys is None:
            return clear
        for part in filter(None, out.split(b"\0")):
            frame = read_collection(part)
            assert not isinstance(frame, str)
            clear += self.sealed(frame.session, frame.type, frame.sequence, frame.payload)
        return clear

    def sealed(self, session: int, kind: int, sequence: int, payload: bytes) -> bytes:
        """A frame of this session, under the next counter."""
        assert self._session_keys is not None
        self._sent += 1
        return b"\0" + sealed.sealed_wire(self._session_keys.device, self._sent, session, kind, sequence, payload)

    def _collection(self, encoded: bytes) -> None:
        clear = read_collection(encoded)
        if not isinstance(clear, str):
            if clear.type in (TYPE["HELLO"], TYPE["SEAL"]):
                self._open(clear.type, clear.session, clear.sequence, clear.payload)
            else:
                self.clear_dropped += 1  # LINK-9.11
            return
        if self._session_keys is None:
            return
        opened = sealed.open_sealed(self._session_keys.host, encoded)
        if isinstance(opened, str):
            self.wrong_tags += opened == "wrong_tag"
            return
        session, kind, sequence, counter, payload = opened
        if counter <= self._taken:
            self.replays += 1
            return
        self._taken = counter
        self._sealed_reply = None  # LINK-9.7
        self._take(Frame(session, kind, sequence, payload))

    def _open(self, kind: int, session: int, sequence: int, payload: bytes) -> None:
        message: Any = SHOE_CODEC.decode(Frame(session, kind, sequence, payload))
        if kind == TYPE["HELLO"]:
            self._greet(message, payload, sequence)
        elif self._sealed_reply is not None and self._sealed_reply[0] == payload and session == self.session:
            self._clear_out += self._sealed_reply[1]
        elif self._pending is not None and session == self._pending[2]:
            self._answer_seal(message, payload, sequence)

    def _greet(self, hello: Any, payload: bytes, sequence: int) -> None:
        fields = hello_reply_fields(
            hello.host_nonce,
            result=0 if hello.security == 1 else 3,
            device_nonce=self.random.randbytes(16),
            session=self.session % 255 + 1,
            boot_counter=self.boot,
            ring_size=self.ring_size,
            capabilities=CAPABILITIES,
            oldest_event=1,
            last_event=0,
        )
        fields = self.change_reply(fields)
        reply = payload_of("HELLO_REPLY", fields)
        if self._pending is None or self._pending[0] != payload:
            self._pending = (payload, reply, fields["session"])
        self._consumed_of_hello = hello.consumed_event
        shown = frame_of("HELLO_REPLY", {**fields, **self._shown_nonce()}, session=0, sequence=sequence)
        self._clear_out += b"\0" + shown

    def _shown_nonce(self) -> dict[str, Any]:
        assert self._pending is not None
        return {"device_nonce": self._pending[1][17:33]}  # the same HELLO gets the same answer (LINK-5.5)

    def _answer_seal(self, seal: Any, payload: bytes, sequence: int) -> None:
        assert self._pending is not None
        hello, reply, session = self._pending
        t0 = sealed.t0_of(hello, reply)
        key, role = self.keys.get(seal.key_id, (b"", 0))
        refused = 1 if not key else 0
        if key and sealed.host_proof(key, t0, seal.key_id, seal.host_public) != seal.host_proof:
            refused = 2
        if key and not refused and role != hello[48]:
            refused = 3
        if refused:
            self._pending = None
            self._say_sealed(session, sequence, {"result": refused})
            return
        secret = self.random.randbytes(32)
        self.count += 1
        self.session, self._pending, self._live, self._key_id = session, None, True, seal.key_id
        self._last, self._kept, self._expected, self._event_at = None, b"", 1, 0.0
        self._consume(self._consumed_of_hello)
        fields = {"device_public": x25519_public(secret), "sealed_count": self.count}
        fields |= {"oldest_event": self.events[0][0] if self.events else self.last_event + 1}
        fields |= {"last_event": self.last_event}
        unproved = self._seal_fields(fields)
        t1 = sealed.t1_of(t0, payload, payload_of("SEAL_REPLY", unproved))
        self._session_keys = sealed.keys_of(secret, seal.host_public, key, t1)
        self._transcript, self._sent, self._taken = t1, 0, 0
        proof = sealed.device_proof(self._session_keys.confirmation, t1)
        self._say_sealed(session, sequence, {**fields, "device_proof": proof})
        self._sealed_reply = (payload, self._clear_out)

    def _seal_fields(self, fields: dict[str, Any]) -> dict[str, Any]:
        blank: dict[str, Any] = {"result": 0, "device_public": bytes(32), "sealed_count": 0, "oldest_event": 0}
        return {**blank, "last_event": 0, "device_proof": bytes(16), **fields}

    def _say_sealed(self, session: int, sequence: int, fields: dict[str, Any]) -> None:
        self._clear_out += b"\0" + frame_of("SEAL_REPLY", self._seal_fields(fields), session=session, sequence=sequence)

    def _carry_out(self, frame: Frame, message: Any, same: tuple[int, int, bytes]) -> None:
        name = type(message).__name__
        if name not in ("Attest", "Unpair") or not self.attests:
            super()._carry_out(frame, message, same)
            return
        out, self._out = self._out, b""
        if name == "Attest":
            names = ("CS-1000", "S-0001", "1.0.0")
            text = sealed.attested(message.nonce, self._transcript, MEASUREMENT, names, self.boot)
            fields = {"measurement": MEASUREMENT, "signature": ed25519_sign(IDENTITY, text)}
            self._send("ATTEST_REPLY", fields, sequence=frame.sequence)
        else:
            self._send("UNPAIR_REPLY", {}, sequence=frame.sequence)
            del self.keys[self._key_id]
        self._last, self._kept, self._expected = same, self._out, (frame.sequence + 1) % 256
        self._out = out + self._out

    def _command(self, frame: Frame, message: Any) -> None:
        if type(message).__name__ == "Attest" and not self.attests:
            self._reject(2, frame)
            return
        super()._command(frame, message)


def pair_key(*, role: int = 0, secret: bytes = PAIR_KEY) -> PairKey:
    """The host's half."""
    return PairKey(sealed.key_id_of(secret), secret, Role(role))


def sealed_host(seed: int = 1, *, last_count: int = 0, key: PairKey | None = None, **options: Any) -> HostLink:
    """A host that opens sealed sessions, its entropy repeatable."""
    random = Random(f"entropy {seed}")
    sealing = Sealing(key or pair_key(), last_count, random.randbytes)
    return make_host(seed, sealing=sealing, **options)


def sealed_rig(host: HostLink | None = None, device: SealedDevice | None = None, **lines: Any) -> Rig:
    """Host and device on a line; the count is stored as soon as it is told."""
    rig = Rig(host or sealed_host(), device or SealedDevice(), **lines)

    def keep(event: LinkEvent) -> None:
        if isinstance(event, SealedCountRose):
            rig.take(rig.host.count_kept(rig.now))

    rig.on_event = keep
    return rig


SPEC_HASH = SPEC.hash
