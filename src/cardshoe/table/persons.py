"""People as a table knows them: name, role, and what proves that somebody is who he says.

Owns names, PINs and their rules, the hash of a PIN (scrypt, a salt for each person), and the signature of a challenge
by a key file (Ed25519). A PIN is text only until `Pin` holds it: it is not printed, compared, pickled or hashed from
there. A name that nobody has costs the same work as one with a wrong PIN. Must not know files, time or the table. Pure.
Implements threat T13 and certification line E4.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import re
import unicodedata
from dataclasses import dataclass, replace
from typing import Final, NoReturn, final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from cardshoe.errors import InputError
from cardshoe.games.quoting import quoted
from cardshoe.table.roles import Role

SCRYPT_N: Final = 2**15
SCRYPT_R: Final = 8
SCRYPT_P: Final = 1
SALT_BYTES: Final = 16
HASH_BYTES: Final = 32
CHALLENGE_BYTES: Final = 32
SHORTEST_PIN: Final = 6
LONGEST_PIN: Final = 16
_ROOM: Final = 64 * 1024 * 1024
_SIGNING: Final = b"cardshoe: sign in\0"
_NAME: Final = re.compile(r"[^\W_](?:[^\W_]|[ .'’-](?=[^\W_])|\.$){0,39}")
_PAD_LINES: Final = ("147", "258", "369", "741", "852", "963", "159", "951", "357", "753")
"""Three keys in a line of the pad; a PIN made of them only is drawn, not chosen."""


@final
class Pin:
    """A PIN as it was typed; nothing shows its digits. Raises `InputError` (`pin`) for what cannot be one."""

    __slots__ = ("_digits",)

    def __init__(self, typed: str) -> None:
        if not (SHORTEST_PIN <= len(typed) <= LONGEST_PIN and typed.isascii() and typed.isdigit()):
            raise InputError("pin", f"A PIN has {SHORTEST_PIN} to {LONGEST_PIN} digits, nothing else; type it again.")
        self._digits = typed

    def __repr__(self) -> str:
        return "Pin(hidden)"

    __hash__ = None  # type: ignore[assignment]  # a set or a dictionary would compare it

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("a PIN is compared by its hash only")

    def __reduce__(self) -> NoReturn:
        raise TypeError("a PIN is never written anywhere")

    def stretched(self, salt: bytes) -> bytes:
        """Return the scrypt hash under `salt`."""
        return hashlib.scrypt(
            self._digits.encode(), salt=salt, n=SCRYPT_N, r=SCRYPT_R, p=SCRYPT_P, maxmem=_ROOM, dklen=HASH_BYTES
        )

    def require_good(self) -> None:
        """Raise `InputError` (`pin-trivial`) for a PIN that others try first."""
        digits = [int(digit) for digit in self._digits]
        steps = {(after - before) % 10 for before, after in itertools.pairwise(digits)}
        size = len(digits)
        repeated = any(digits[:part] * (size // part) == digits for part in range(1, size // 2 + 1) if not size % part)
        lines = {self._digits[start : start + 3] for start in range(0, size, 3)} <= set(_PAD_LINES)
        if len(set(digits)) < 4 or len(steps) == 1 or repeated or lines:
            raise InputError(
                "pin-trivial",
                "That PIN is one of the first that others try (a row, a repetition, few digits, a line of the pad);"
                " choose another.",
            )


@dataclass(frozen=True, slots=True, repr=False)
class PinHash:
    """A salt and the scrypt hash of a PIN under it."""

    salt: bytes
    digest: bytes


@dataclass(frozen=True, slots=True)
class KeyProof:
    """`signature` of `challenge` by the key file of the one who signs in."""

    challenge: bytes
    signature: bytes


Proof = Pin | KeyProof


@dataclass(frozen=True, slots=True)
class Person:
    """One person. `secret` is the hash of a PIN or the 32 bytes of an Ed25519 public key; `enrolled_by` names who
    enrolled the person, `enrolled_second` the second person, "" where none was needed; `enrolled_at` is wall time.
    """

    name: str
    role: Role
    secret: PinHash | bytes
    enrolled_by: str
    enrolled_second: str
    enrolled_at: str

    def with_secret(self, secret: PinHash | bytes) -> Person:
        """Return the person with another PIN or key."""
        return replace(self, secret=secret)


NOBODY: Final = PinHash(bytes(SALT_BYTES), bytes(HASH_BYTES))
"""What the PIN of a name that nobody has is held against: no PIN has this hash."""


def checked_name(name: str) -> str:
    """Return `name` in its one form. Raises `InputError` (`person-name`) for what cannot be a name."""
    plain = unicodedata.normalize("NFC", name)
    if not _NAME.fullmatch(plain):
        raise InputError(
            "person-name",
            f"{quoted(name)} cannot be a name: 1 to 40 letters and digits, with single spaces, points, dashes or"
            " apostrophes between them.",
        )
    if plain.isdigit():
        raise InputError("person-name", "A name of digits only looks like a PIN; write a name.")
    return plain


def key_of(name: str) -> str:
    """Return that by which names are the same: `Ada` and `ADA` are one person."""
    return unicodedata.normalize("NFC", name).casefold()


def hashed(pin: Pin, salt: bytes) -> PinHash:
    """Return what is kept of a PIN; `salt` is fresh and random."""
    return PinHash(salt, pin.stretched(salt))


def signing_text(name: str, challenge: bytes) -> bytes:
    """Return the bytes that a key file signs."""
    return _SIGNING + challenge + key_of(name).encode()


def signed(key: Ed25519PrivateKey, name: str, challenge: bytes) -> KeyProof:
    """Return the answer of the owner of `key` to `challenge`."""
    return KeyProof(challenge, key.sign(signing_text(name, challenge)))


def proves(proof: Proof, name: str, person: Person | None) -> bool:
    """Tell whether `proof` is that of `person`; the work is the same where nobody has the name, or has another proof.

    Whether a challenge is fresh is for the one who gave it to know.
    """
    secret = person.secret if person is not None else NOBODY
    if isinstance(proof, Pin):
        known = secret if isinstance(secret, PinHash) else NOBODY
        same = hmac.compare_digest(proof.stretched(known.salt), known.digest)
        return same and known is not NOBODY
    key = secret if isinstance(secret, bytes) else _NOBODYS_KEY
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(proof.signature, signing_text(name, proof.challenge))
    except InvalidSignature:
        return False
    return key is not _NOBODYS_KEY


def public_key(hex_digits: str) -> bytes:
    """Return the public key of a key file. Raises `InputError` (`person-key`)."""
    try:
        raw = bytes.fromhex(hex_digits)
        Ed25519PublicKey.from_public_bytes(raw)
    except ValueError:
        raise InputError("person-key", f"{quoted(hex_digits)} is no public key; give its 64 hex digits.") from None
    return raw


_NOBODYS_KEY: Final = Ed25519PrivateKey.from_private_bytes(bytes(32)).public_key().public_bytes_raw()
"""A key that the signature of a name that nobody has is held against, at the same cost; it lets nobody in."""
