"""Sealed sessions, pairing, attestation and commitments after the prose: a third implementation, which arbitrates.

Owns the formulas of LINK-9, LINK-11, LINK-12 and SHOE-9 over `rfc_ciphers` and `vector_wire`. It shares no code with
the drivers or the simulator and must not know them.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from rfc_ciphers import ed25519_sign, hkdf, hmac256, seal, sha256, unseal, x25519
from vector_wire import cobs_decode, cobs_encode

SEALED = 0x81
Transcript = bytes


@dataclass(frozen=True, slots=True)
class Keys:
    """The 96 bytes of LINK-9.5 in their three parts."""

    host: bytes
    device: bytes
    confirmation: bytes


def t0_of(hello: bytes, hello_reply: bytes) -> Transcript:
    """LINK-9.2."""
    return sha256(b"cardshoe link-v1 seal", hello, hello_reply[:-16])


def host_proof(pair_key: bytes, t0: bytes, key_id: bytes, host_public: bytes) -> bytes:
    """LINK-9.3."""
    return hmac256(pair_key, b"host", t0, key_id, host_public)[:16]


def t1_of(t0: bytes, seal_payload: bytes, seal_reply: bytes) -> Transcript:
    """LINK-9.5; `seal_reply` is the payload with or without its proof's value."""
    return sha256(b"cardshoe link-v1 keys", t0, seal_payload, seal_reply[:-16])


def keys_of(secret: bytes, public: bytes, pair_key: bytes, t1: bytes) -> Keys:
    """LINK-9.5."""
    made = hkdf(x25519(secret, public) + pair_key, t1, b"cardshoe link-v1 session", 96)
    return Keys(made[:32], made[32:64], made[64:])


def device_proof(confirmation: bytes, t1: bytes) -> bytes:
    """LINK-9.5."""
    return hmac256(confirmation, b"device", t1)[:16]


def nonce_of(counter: int) -> bytes:
    """LINK-9.8: four 00, then the counter as u64."""
    return bytes(4) + counter.to_bytes(8, "little")


def sealed_content(
    key: bytes, counter: int, session: int, kind: int, sequence: int, payload: bytes, *, version: int = SEALED
) -> bytes:
    """LINK-9.8, before COBS."""
    head = bytes([version, session, kind, sequence, len(payload) & 0xFF]) + counter.to_bytes(4, "little")
    return head + seal(key, nonce_of(counter), payload, head)


def sealed_wire(key: bytes, counter: int, session: int, kind: int, sequence: int, payload: bytes) -> bytes:
    """A sealed frame on the line, 00 at its end."""
    return cobs_encode(sealed_content(key, counter, session, kind, sequence, payload)) + b"\0"


def open_sealed(key: bytes, encoded: bytes) -> tuple[int, int, int, int, bytes] | str:
    """Return session, type, sequence, counter and payload of what lay between two 00, or why it is dropped."""
    content = cobs_decode(encoded)
    if content is None:
        return "bad_cobs"
    if content[:1] != bytes([SEALED]):
        return "wrong_version"
    if len(content) < 25 or content[4] > 228 or len(content) != 25 + content[4]:
        return "wrong_length"
    counter = int.from_bytes(content[5:9], "little")
    payload = unseal(key, nonce_of(counter), content[9:], content[:9])
    return "wrong_tag" if payload is None else (content[1], content[2], content[3], counter, payload)


# --- pairing and attestation


def label_text(secret: bytes) -> str:
    """LINK-11.1: 26 letters of base32 in groups of four."""
    letters = base64.b32encode(secret).decode().rstrip("=")
    return "-".join(letters[at : at + 4] for at in range(0, 26, 4))


def p0_of(hello: bytes, hello_reply: bytes) -> Transcript:
    """LINK-11.4."""
    return sha256(b"cardshoe link-v1 pair", hello, hello_reply[:-16])


def pair_proof(label: bytes, p0: bytes, pair: bytes) -> bytes:
    """LINK-11.4; `pair` is the payload with or without its proof's value."""
    return hmac256(label, b"pair host", p0, pair[:-16])[:16]


def pair_key_of(secret: bytes, public: bytes, label: bytes, p0: bytes, pair: bytes, pair_reply: bytes) -> bytes:
    """LINK-11.6; `pair` with its proof, `pair_reply` with or without its proof's value."""
    salt = sha256(b"cardshoe link-v1 paired", p0, pair, pair_reply[:-16])
    return hkdf(x25519(secret, public) + label, salt, b"cardshoe link-v1 pair key", 32)


def key_id_of(pair_key: bytes) -> bytes:
    """LINK-11.6."""
    return sha256(b"cardshoe link-v1 key id", pair_key)[:8]


def pair_reply_proof(pair_key: bytes) -> bytes:
    """LINK-11.6."""
    return hmac256(pair_key, b"pair device")[:16]


def attested(nonce: bytes, t1: bytes, measurement: bytes, names: tuple[str, str, str], boot_counter: int) -> bytes:
    """What a device signs (LINK-12.1); `names` are model, serial and firmware."""
    padded = b"".join(name.encode().ljust(size, b"\0") for name, size in zip(names, (16, 16, 12), strict=True))
    return b"cardshoe link-v1 attest" + nonce + t1 + measurement + padded + boot_counter.to_bytes(4, "little")


def signed_manifest(rest: dict[str, Any], secret: bytes) -> dict[str, Any]:
    """The manifest with its signature (LINK-12.3)."""
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
    return rest | {"signature": ed25519_sign(secret, b"cardshoe manifest" + canonical).hex()}


# --- commitments and the envelope


def salt_of(seed: bytes, slot: int) -> bytes:
    """SHOE-9.2."""
    return hmac256(seed, b"cardshoe salt", bytes([slot]))[:16]


def commitment_of(salt: bytes, serial: str, deck_id: int, round_id: int, slot: int, face: int) -> bytes:
    """SHOE-9.2."""
    numbers = deck_id.to_bytes(4, "little") + round_id.to_bytes(8, "little") + bytes([slot, face])
    return hmac256(salt, b"cardshoe card", serial.encode().ljust(16, b"\0"), numbers)


def envelope_of(
    secret: bytes, ephemeral: bytes, auditor: bytes, plain: bytes, about: tuple[str, int, int, int, int]
) -> bytes:
    """Cipher text and tag (SHOE-9.10); `about` is serial, round_id, deck_id, first_slot, cards."""
    serial, round_id, deck_id, first_slot, cards = about
    key = hkdf(x25519(secret, auditor), ephemeral + auditor, b"cardshoe shoe-v1 envelope", 32)
    associated = serial.encode().ljust(16, b"\0") + round_id.to_bytes(8, "little") + deck_id.to_bytes(4, "little")
    return seal(key, bytes(12), plain, associated + bytes([first_slot, cards]))
