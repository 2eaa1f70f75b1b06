"""A host that pairs, seals and checks, written from link-v1 sections 9, 11, 12 and shoe-v1 section 9, for these tests.

Shares nothing with the simulator's own: keys, proofs, frames, commitments and envelopes are computed here again.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import random
import struct
from dataclasses import dataclass, field
from typing import Any

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from sim_host import Bench, Seen, cobs, spec_hash, uncobs, wire_frame

from cardshoe.sim.world import World

SEALED, PAIRING = 1, 2


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def hmac16(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()[:16]


def hkdf(material: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """RFC 5869, by its two steps."""
    extracted = hmac.new(salt, material, hashlib.sha256).digest()
    out, block = b"", b""
    for number in range(1, length // 32 + 2):
        block = hmac.new(extracted, block + info + bytes((number,)), hashlib.sha256).digest()
        out += block
    return out[:length]


def label_bytes(printed: str) -> bytes:
    text = printed.replace("-", "")
    assert len(text) == 26
    return base64.b32decode(text + "=" * 6)


@dataclass
class Key:
    """What a host keeps of a pairing."""

    pair_key: bytes
    key_id: bytes
    identity: bytes
    role: int
    sealed_count: int = 0


@dataclass
class SealedBench(Bench):
    """A bench that can pair and seal. `key` is the pairing in use; all randomness comes from `rng`."""

    rng: random.Random = field(default_factory=lambda: random.Random(99))
    key: Key | None = None
    auditor: bytes = bytes(32)
    sending: bytes = b""
    receiving: bytes = b""
    sent: int = 0
    taken: int = 0
    t1: bytes = b""
    hello_frame: bytes = b""
    seal_payload: bytes = b""
    refused_frames: int = 0
    ear_log: list[Seen] = field(default_factory=list)

    # --- frames

    def seal(self, kind: int, sequence: int, payload: bytes, *, counter: int | None = None) -> bytes:
        if counter is None:
            self.sent += 1
            counter = self.sent
        bound = bytes((0x81, self.session, kind, sequence, len(payload))) + struct.pack("<I", counter)
        box = ChaCha20Poly1305(self.sending).encrypt(bytes(4) + struct.pack("<Q", counter), payload, bound)
        return cobs(bound + box) + b"\x00"

    def frame(self, name: str, sequence: int, session: int | None = None, **fields: Any) -> bytes:
        if not self.sending or session is not None:
            return super().frame(name, sequence, session, **fields)
        return self.seal(self.protocol.by_name[name][0], sequence, self.protocol.pack(name, fields))

    def look(self) -> list[Seen]:
        if not self.sending:
            return super().look()
        raw = self.world.take_output(self.port)
        fresh = [one for one in map(self.unseal, filter(None, raw.split(b"\x00"))) if one is not None]
        self.seen += fresh
        for one in fresh:
            if one.name in self.protocol.events:
                self._event(one)
        return fresh

    def unseal(self, encoded: bytes) -> Seen | None:
        content = uncobs(encoded)
        if content[0] != 0x81:
            self.refused_frames += 1
            return None
        assert len(content) == 5 + 4 + content[4] + 16
        bound, box = content[:9], content[9:]
        counter = struct.unpack("<I", bound[5:])[0]
        plain = ChaCha20Poly1305(self.receiving).decrypt(bytes(4) + struct.pack("<Q", counter), box, bound)
        assert counter > self.taken, "a counter is never used twice (LINK-9.9)"
        self.taken = counter
        name = self.protocol.by_type[bound[2]]
        return Seen(name, bound[1], bound[3], self.protocol.unpack(name, plain), self.now)

    # --- openings

    def clear(self, data: bytes) -> list[Seen]:
        """Send something clear and return the clear answers; sealed frames among them are left alone."""
        self.world.receive(self.port, data, self.now)
        found = []
        for encoded in filter(None, self.world.take_output(self.port).split(b"\x00")):
            if uncobs(encoded)[0] == 1:
                found += list(self.ear.hear(encoded + b"\x00", self.now))
        self.ear_log += found
        return found

    def opening(self, security: int, *, purpose: int = 0) -> tuple[Seen, bytes]:
        """HELLO; return the reply and the hash of both payloads' beginning, T0 or P0."""
        fields = {
            "host_nonce": self.rng.randbytes(16), "spec_hash": spec_hash(self.port), "purpose": purpose,
            "security": security, "consumed_event": self.consumed,
        }  # fmt: skip
        self.hello_frame = wire_frame(0, 1, 9, self.protocol.pack("HELLO", fields))
        reply = self.clear(b"\x00" + self.hello_frame)[0]
        padded = {
            key: value.encode().ljust(12 if key == "firmware" else 16, b"\0") if isinstance(value, str) else value
            for key, value in reply.fields.items()
        }
        word = b"cardshoe link-v1 pair" if security == PAIRING else b"cardshoe link-v1 seal"
        both = self.protocol.pack("HELLO", fields) + self.protocol.pack("HELLO_REPLY", padded)[:-16]
        return reply, sha(word + both)

    def pair(
        self, *, press: bool = True, label: bytes | None = None, role: int = 0, host: str = "table 7"
    ) -> int | str:
        """Pair; return the result of HELLO_REPLY as a text when it refuses, else that of PAIR_REPLY (-1: none)."""
        if press:
            self.do("pairing", device=self.port)
        secret = label or label_bytes(self.do("label", device=self.port)["label"])
        reply, p0 = self.opening(PAIRING)
        if reply.result:
            return f"hello {reply.result}"
        own = X25519PrivateKey.from_private_bytes(self.rng.randbytes(32))
        half = bytes((role,)) + host.encode().ljust(16, b"\0") + own.public_key().public_bytes_raw() + self.auditor
        payload = half + hmac16(secret, b"pair host" + p0 + half)
        return self.paired(own, secret, p0, payload, reply.fields["session"], role)

    def paired(self, own: X25519PrivateKey, secret: bytes, p0: bytes, payload: bytes, session: int, role: int) -> int:
        answers = self.clear(wire_frame(session, 5, 3, payload))
        if not answers:
            return -1
        answer = answers[0]
        assert (answer.name, answer.session_byte, answer.sequence) == ("PAIR_REPLY", session, 3)
        if answer.result:
            assert not any(answer.device_public + answer.identity_public + answer.proof)
            return int(answer.result)
        shared = own.exchange(X25519PublicKey.from_public_bytes(answer.device_public))
        half = bytes(1) + answer.device_public + answer.identity_public
        salt = sha(b"cardshoe link-v1 paired" + p0 + payload + half)
        pair_key = hkdf(shared + secret, salt, b"cardshoe link-v1 pair key", 32)
        assert answer.proof == hmac16(pair_key, b"pair device")
        self.key = Key(pair_key, sha(b"cardshoe link-v1 key id" + pair_key)[:8], answer.identity_public, role)
        assert self.clear(wire_frame(session, 5, 3, payload))[0] == answer, "the same PAIR gets the same reply"
        return 0

    def sealed(self, *, proof: bytes | None = None, purpose: int = 0, check_count: bool = True) -> int:
        """Open a sealed session; return the result of SEAL_REPLY."""
        reply, t0 = self.opening(SEALED, purpose=purpose)
        assert reply.result == 0
        key = self.key
        assert key is not None
        own = X25519PrivateKey.from_private_bytes(self.rng.randbytes(32))
        half = key.key_id + own.public_key().public_bytes_raw()
        payload = half + (proof or hmac16(key.pair_key, b"host" + t0 + half))
        answer = self.clear(wire_frame(reply.fields["session"], 4, 5, payload))[0]
        assert (answer.session_byte, answer.sequence) == (reply.fields["session"], 5)
        if answer.name == "REJECT":
            return 100 + int(answer.reason)
        if answer.result:
            assert not any(answer.device_public)
            assert answer.sealed_count == 0
            return int(answer.result)
        said = self.protocol.pack("SEAL_REPLY", answer.fields)
        self.t1 = sha(b"cardshoe link-v1 keys" + t0 + payload + said[:-16])
        shared = own.exchange(X25519PublicKey.from_public_bytes(answer.device_public))
        keys = hkdf(shared + key.pair_key, self.t1, b"cardshoe link-v1 session", 96)
        assert answer.device_proof == hmac16(keys[64:], b"device" + self.t1)
        if check_count:
            assert answer.sealed_count > key.sealed_count, "LINK-9.6"
        key.sealed_count = answer.sealed_count
        again = self.clear(wire_frame(reply.fields["session"], 4, 5, payload))[0]
        assert again == answer, "the same SEAL gets the same reply (LINK-9.7)"
        self.session, self.sequence = reply.fields["session"], 1
        self.sending, self.receiving, self.sent, self.taken = keys[:32], keys[32:64], 0, 0
        self._beat_at = self.now
        self.seal_payload = payload
        return 0

    # --- attestation

    def attest(self, nonce: bytes) -> bool:
        """Tell whether the signature over this nonce, this session and this device is right."""
        reply = self.command("ATTEST", nonce=nonce)
        told = self.do("identity", device=self.port)
        who = b"".join(told[name].encode().ljust(width, b"\0") for name, width in
                       (("model", 16), ("serial", 16), ("firmware", 12)))  # fmt: skip
        boots = struct.pack("<I", self.beat().boot_counter)
        signed = b"cardshoe link-v1 attest" + nonce + self.t1 + reply.measurement + who + boots
        key = Ed25519PublicKey.from_public_bytes(self.key.identity if self.key else bytes(32))
        try:
            key.verify(reply.signature, signed)
        except InvalidSignature:
            return False
        return True


def paired(seed: int = 1, *, port: str = "shoe", auditor: bytes = bytes(32), **keys: Any) -> SealedBench:
    """A fresh world, paired, in a sealed session with a valid lease."""
    bench = SealedBench(World(seed=seed, **keys), port, auditor=auditor)
    assert bench.pair() == 0
    assert bench.sealed() == 0
    bench.beat()
    return bench


# --- hidden cards


def salt_of(seed: bytes, slot: int) -> bytes:
    return hmac16(seed, b"cardshoe salt" + bytes((slot,)))


def commitment_of(salt: bytes, serial: str, deck_id: int, round_id: int, slot: int, face: int) -> bytes:
    told = b"cardshoe card" + serial.encode().ljust(16, b"\0") + struct.pack("<IQBB", deck_id, round_id, slot, face)
    return hmac.new(salt, told, hashlib.sha256).digest()


def opened(event: Seen, serial: str, secret: X25519PrivateKey) -> tuple[bytes, bytes] | None:
    """Open an envelope with the auditor's secret key; return seed and faces, None when it is not for this key."""
    auditor = secret.public_key().public_bytes_raw()
    shared = secret.exchange(X25519PublicKey.from_public_bytes(event.ephemeral))
    key = hkdf(shared, event.ephemeral + auditor, b"cardshoe shoe-v1 envelope", 32)
    bound = serial.encode().ljust(16, b"\0") + struct.pack(
        "<QIBB", event.round_id, event.deck_id, event.first_slot, event.cards
    )
    try:
        plain = ChaCha20Poly1305(key).decrypt(bytes(12), event.sealed, bound)
    except InvalidTag:
        return None
    return plain[:32], plain[32:]
