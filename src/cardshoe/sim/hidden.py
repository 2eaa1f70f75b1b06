"""Hidden cards: what the shoe computes of a round's seed. Pure.

Owns SHOE-9.2 and SHOE-9.10: salts, commitments, the envelope. Must not know commands, nor when a card may be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cardshoe.sim.nvram import CommittedCard
from cardshoe.sim.primitives import KEY_BYTES, agreed, derived, encrypted, mac, public_of, sha256

SERIAL_BYTES: Final = 16
SALT_BYTES: Final = 16
ENVELOPE_FACES: Final = 52
SEALED_BYTES: Final = 100
NO_FACE: Final = 0xFF


@dataclass(frozen=True, slots=True)
class Place:
    """What a commitment is bound to beside its slot."""

    serial: str
    deck_id: int
    round_id: int

    @property
    def serial_field(self) -> bytes:
        """The serial as HELLO_REPLY has it, with its padding."""
        return self.serial.encode("ascii").ljust(SERIAL_BYTES, b"\x00")


@dataclass(frozen=True, slots=True)
class Envelope:
    """What ROUND_SEALED carries."""

    first_slot: int
    cards: int
    auditor: bytes = bytes(8)
    ephemeral: bytes = bytes(32)
    sealed: bytes = bytes(SEALED_BYTES)


def salt_of(seed: bytes, slot: int) -> bytes:
    """Return the salt of a slot."""
    return mac(seed, b"cardshoe salt", bytes((slot,)))[:SALT_BYTES]


def commitment_of(salt: bytes, place: Place, slot: int, face: int) -> bytes:
    """Return the commitment of a slot to a face, 32 bytes."""
    return mac(
        salt,
        b"cardshoe card",
        place.serial_field,
        place.deck_id.to_bytes(4, "little"),
        place.round_id.to_bytes(8, "little"),
        bytes((slot, face)),
    )


def envelope_of(
    seed: bytes, place: Place, cards: Sequence[CommittedCard], *, auditor: bytes | None, secret: bytes
) -> Envelope:
    """Return the envelope of a round for `auditor` (None: there is no such key); `secret` is a fresh X25519 secret."""
    first = min((card.slot for card in cards), default=NO_FACE)
    faces = bytearray([NO_FACE] * ENVELOPE_FACES)
    for card in cards:
        if card.slot - first < ENVELOPE_FACES:
            faces[card.slot - first] = card.face
    shared = None if auditor is None else agreed(secret, auditor)
    if auditor is None or shared is None:
        return Envelope(first, len(cards))
    ephemeral = public_of(secret)
    key = derived(shared, salt=ephemeral + auditor, info=b"cardshoe shoe-v1 envelope", length=KEY_BYTES)
    bound = (
        place.serial_field
        + place.round_id.to_bytes(8, "little")
        + place.deck_id.to_bytes(4, "little")
        + bytes((first, len(cards)))
    )
    sealed = encrypted(key, bytes(12), seed + bytes(faces), bound)
    return Envelope(first, len(cards), sha256(auditor)[:8], ephemeral, sealed)
