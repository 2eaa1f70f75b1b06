"""The arithmetic of a sealed session: transcripts, proofs, keys.

Owns the formulas of LINK-9.2 to LINK-9.5, LINK-11.4 to LINK-11.6 over bytes. Must not know frames, exchanges or time,
and draws nothing at random: secrets are handed in. What it makes shows no key in its `repr`. Pure.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES: Final = 32
PROOF_BYTES: Final = 16
KEY_ID_BYTES: Final = 8
MOVING_TAIL: Final = 16
"""The last bytes of HELLO_REPLY, `oldest_event` and `last_event`, which no transcript holds (LINK-9.2)."""


@dataclass(frozen=True, slots=True, repr=False)
class SessionKeys:
    """The three keys of one session (LINK-9.5), 32 bytes each."""

    host_sending: bytes
    device_sending: bytes
    confirmation: bytes


def ephemeral(secret: bytes) -> tuple[X25519PrivateKey, bytes]:
    """Return the key pair of these 32 secret bytes: the private half, and the 32 public bytes."""
    private = X25519PrivateKey.from_private_bytes(secret)
    return private, private.public_key().public_bytes_raw()


def shared_secret(private: X25519PrivateKey, public: bytes) -> bytes | None:
    """Return what both sides share (RFC 7748), None where the result is all 00: then the other's key is refused."""
    try:
        return private.exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        return None


def derived(material: bytes, *, salt: bytes, info: bytes, length: int = KEY_BYTES) -> bytes:
    """Return `length` bytes of HKDF with SHA-256 (RFC 5869)."""
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(material)


def proof(key: bytes, *parts: bytes) -> bytes:
    """Return the 16-byte proof over `parts`: HMAC-SHA-256, cut (LINK-9)."""
    return hmac.digest(key, b"".join(parts), "sha256")[:PROOF_BYTES]


def same(one: bytes, other: bytes) -> bool:
    """Compare two proofs in a time that does not tell where they differ."""
    return hmac.compare_digest(one, other)


def seal_transcript(hello: bytes, reply: bytes) -> bytes:
    """Return T0 of the payloads of HELLO and HELLO_REPLY (LINK-9.2)."""
    return sha256(b"cardshoe link-v1 seal" + hello + reply[:-MOVING_TAIL]).digest()


def key_transcript(t0: bytes, seal: bytes, reply: bytes) -> bytes:
    """Return T1 of T0 and the payloads of SEAL and SEAL_REPLY (LINK-9.5)."""
    return sha256(b"cardshoe link-v1 keys" + t0 + seal + reply[:-PROOF_BYTES]).digest()


def session_keys(pair_key: bytes, shared: bytes, t1: bytes) -> SessionKeys:
    """Return the session's keys (LINK-9.5)."""
    made = derived(shared + pair_key, salt=t1, info=b"cardshoe link-v1 session", length=3 * KEY_BYTES)
    return SessionKeys(made[:KEY_BYTES], made[KEY_BYTES : 2 * KEY_BYTES], made[2 * KEY_BYTES :])


def host_proof(pair_key: bytes, t0: bytes, key_id: bytes, host_public: bytes) -> bytes:
    """Return what SEAL proves (LINK-9.3)."""
    return proof(pair_key, b"host", t0, key_id, host_public)


def device_proof(confirmation: bytes, t1: bytes) -> bytes:
    """Return what SEAL_REPLY proves (LINK-9.5)."""
    return proof(confirmation, b"device", t1)


def pair_transcript(hello: bytes, reply: bytes) -> bytes:
    """Return P0 of the payloads of HELLO and HELLO_REPLY (LINK-11.4)."""
    return sha256(b"cardshoe link-v1 pair" + hello + reply[:-MOVING_TAIL]).digest()


def pair_host_proof(label_secret: bytes, p0: bytes, pair: bytes) -> bytes:
    """Return what PAIR proves; `pair` is its payload without the proof (LINK-11.4)."""
    return proof(label_secret, b"pair host", p0, pair)


def pair_key(label_secret: bytes, shared: bytes, p0: bytes, pair: bytes, reply: bytes) -> bytes:
    """Return the key that both sides keep; `reply` is the payload of PAIR_REPLY without its proof (LINK-11.6)."""
    salt = sha256(b"cardshoe link-v1 paired" + p0 + pair + reply).digest()
    return derived(shared + label_secret, salt=salt, info=b"cardshoe link-v1 pair key")


def key_id(key: bytes) -> bytes:
    """Return the 8 bytes by which both sides name the key (LINK-11.6)."""
    return sha256(b"cardshoe link-v1 key id" + key).digest()[:KEY_ID_BYTES]


def pair_device_proof(key: bytes) -> bytes:
    """Return what PAIR_REPLY proves (LINK-11.6)."""
    return proof(key, b"pair device")
