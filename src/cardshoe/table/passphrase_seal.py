"""What is sealed by a passphrase: keys that lie in a backup, and the seal over the backup as a whole.

Owns the derivation (scrypt, then HKDF for each purpose), ChaCha20-Poly1305 over each file, HMAC-SHA-256 over the list
of files, and how a wrong passphrase is told from a changed backup. Pure: the passphrase and the salt are handed in. No
`repr` holds a secret.
"""

from __future__ import annotations

import hmac
import unicodedata
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from cardshoe.errors import InputError

LOG2_N: Final = 17
"""scrypt with N = 2^17, r = 8, p = 1 takes 128 MiB and some tenths of a second on the computer of a table."""
LOG2_N_MOST: Final = 20
_R: Final = 8
_P: Final = 1
SALT_BYTES: Final = 16
NONCE_BYTES: Final = 12
SEAL_BYTES: Final = NONCE_BYTES + 16
LETTERS_LEAST: Final = 12
LETTERS_MOST: Final = 1000
_INFO: Final = b"cardshoe backup "


@dataclass(frozen=True, slots=True)
class Passphrase:
    """What somebody chose; raises `InputError` `passphrase` when it is too short or too long."""

    text: str = field(repr=False)

    def __post_init__(self) -> None:
        if not LETTERS_LEAST <= len(self.text) <= LETTERS_MOST:
            raise InputError(
                "passphrase",
                f"A passphrase has {LETTERS_LEAST} to {LETTERS_MOST} letters; some words with spaces make a good one.",
            )


@dataclass(frozen=True, slots=True)
class PassphraseSeal:
    """What follows from a passphrase and a salt. `check` (16 bytes) may be known to all: it tells the passphrase."""

    _files: bytes = field(repr=False)
    _whole: bytes = field(repr=False)
    check: bytes

    def sealed(self, plain: bytes, name: str, nonce: bytes) -> bytes:
        """Return `plain` sealed as the file `name`; `nonce` (12 bytes) is fresh for each file."""
        return nonce + ChaCha20Poly1305(self._files).encrypt(nonce, plain, name.encode())

    def opened(self, sealed: bytes, name: str) -> bytes | None:
        """Return what was sealed as the file `name`, None where it was changed or is another's."""
        try:
            return ChaCha20Poly1305(self._files).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], name.encode())
        except (InvalidTag, ValueError):
            return None

    def over(self, listing: bytes) -> bytes:
        """Return the 32 bytes that vouch for `listing`."""
        return hmac.digest(self._whole, listing, sha256)

    def vouches(self, listing: bytes, mac: bytes) -> bool:
        """Tell whether `mac` is what `over` gives."""
        return hmac.compare_digest(self.over(listing), mac)


def seal_of(passphrase: Passphrase, salt: bytes, log2_n: int) -> PassphraseSeal:
    """Return what follows from `passphrase`, however its letters were composed, and `salt`."""
    text = unicodedata.normalize("NFC", passphrase.text).encode("utf-8", "surrogatepass")
    master = Scrypt(salt=salt, length=32, n=1 << log2_n, r=_R, p=_P).derive(text)
    return PassphraseSeal(_for(master, b"files", 32), _for(master, b"whole", 32), _for(master, b"check", 16))


def _for(master: bytes, purpose: bytes, length: int) -> bytes:
    return HKDF(algorithm=SHA256(), length=length, salt=None, info=_INFO + purpose).derive(master)
