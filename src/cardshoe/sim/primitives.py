"""The cryptography that link-v1 and shoe-v1 name: HMAC and HKDF with SHA-256, X25519, Ed25519, ChaCha20-Poly1305.

Owns how the RFCs' algorithms are called. Must not know what is joined, signed or sealed, nor where randomness is from.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES: Final = 32
PROOF_BYTES: Final = 16
TAG_BYTES: Final = 16


def sha256(*parts: bytes) -> bytes:
    """Return the SHA-256 of the parts joined."""
    return hashlib.sha256(b"".join(parts)).digest()


def mac(key: bytes, *parts: bytes) -> bytes:
    """Return the HMAC-SHA-256 of the parts joined, 32 bytes."""
    return hmac.digest(key, b"".join(parts), "sha256")


def proof(key: bytes, *parts: bytes) -> bytes:
    """Return the HMAC cut to its first 16 bytes (link-v1 section 9)."""
    return mac(key, *parts)[:PROOF_BYTES]


def same(one: bytes, other: bytes) -> bool:
    """Compare secrets without telling by time where they differ."""
    return hmac.compare_digest(one, other)


def derived(secret: bytes, *, salt: bytes, info: bytes, length: int) -> bytes:
    """Return `length` bytes of HKDF with SHA-256 (RFC 5869)."""
    return HKDF(algorithm=SHA256(), length=length, salt=salt, info=info).derive(secret)


def public_of(secret: bytes) -> bytes:
    """Return the X25519 public key of a secret of 32 bytes."""
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def agreed(secret: bytes, other: bytes) -> bytes | None:
    """Return what X25519 gives, None when it is all 00 (a public key that fixes the result)."""
    try:
        return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(other))
    except ValueError:
        return None


def identity_of(secret: bytes) -> bytes:
    """Return the Ed25519 public key of a secret of 32 bytes."""
    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def signed(secret: bytes, *parts: bytes) -> bytes:
    """Return the Ed25519 signature over the parts joined."""
    return Ed25519PrivateKey.from_private_bytes(secret).sign(b"".join(parts))


def encrypted(key: bytes, nonce: bytes, plain: bytes, bound: bytes) -> bytes:
    """Return cipher text and tag of ChaCha20-Poly1305; `bound` is authenticated and stays readable."""
    return ChaCha20Poly1305(key).encrypt(nonce, plain, bound)


def decrypted_unchecked(key: bytes, nonce: bytes, sealed: bytes) -> bytes:
    """Return the plain text without looking at the tag: for a device that breaks LINK-9.8 on purpose."""
    cipher = Cipher(algorithms.ChaCha20(key, (1).to_bytes(4, "little") + nonce), mode=None)
    return cipher.decryptor().update(sealed[:-TAG_BYTES])
