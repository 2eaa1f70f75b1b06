"""What a shoe promised of a card, and whether a face that it tells later keeps the promise.

Owns salts and commitments (SHOE-9.2) and the one value in which a revealed card and its salt travel: a salt beside a
commitment tells the face to whoever tries 53 of them, so it is kept as closely as the face (promise P4). Pure. Must
not know sessions or rounds. Implements SHOE-9.2 and SHOE-9.7 (the host checks each face) for a host.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from cardshoe.devices.values import card_of
from cardshoe.sealed_card import SealedCard, Unshown

SEED_BYTES: Final = 32
SALT_BYTES: Final = 16
COMMITMENT_BYTES: Final = 32
FOREIGN: Final = 0xFD
UNREADABLE: Final = 0xFE
NO_CARD: Final = (FOREIGN, UNREADABLE)
"""Faces of READER-1.3 that a card may have and that are no card of the deck."""
SERIAL_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Place:
    """Which card of which shoe: `serial` as HELLO_REPLY tells it, the deck, the round, and the slot in the deck."""

    serial: str
    deck_id: int
    round_id: int
    slot: int


def padded_serial(serial: str) -> bytes:
    """Return the 16 bytes of HELLO_REPLY for `serial`; raises `ValueError` for one that does not fit."""
    raw = serial.encode("ascii")
    if len(raw) > SERIAL_BYTES:
        raise ValueError(f"serial {serial!r} has more than {SERIAL_BYTES} letters")
    return raw.ljust(SERIAL_BYTES, b"\x00")


def salt_of(seed: bytes, slot: int) -> bytes:
    """Return the 16-byte salt of `slot` in the round whose seed of 32 bytes is `seed` (SHOE-9.2)."""
    return hmac.digest(seed, b"cardshoe salt" + bytes((slot,)), "sha256")[:SALT_BYTES]


def commitment_of(salt: bytes, place: Place, face: int) -> bytes:
    """Return the 32-byte commitment to `face` (0 to 51, FD, FE) at `place` (SHOE-9.2)."""
    told = (
        b"cardshoe card"
        + padded_serial(place.serial)
        + place.deck_id.to_bytes(4, "little")
        + place.round_id.to_bytes(8, "little")
        + bytes((place.slot, face))
    )
    return hmac.new(salt, told, sha256).digest()


def keeps(commitment: bytes, salt: bytes, place: Place, face: int) -> bool:
    """Tell whether `commitment` was one to `face` at `place`; takes the same time for every face."""
    return hmac.compare_digest(commitment, commitment_of(salt, place, face))


class RevealedCard(Unshown):
    """A card of a revealed stack: its face, sealed, and the salt that opens its commitment. Shows neither."""

    __slots__ = ("__face", "__salt")

    def __init__(self, face: int, salt: bytes) -> None:
        """Take a face of the wire, 0 to 51, FD or FE; raises `ValueError` for another, without naming it."""
        if face not in NO_CARD and face > 51:
            raise ValueError("a revealed face is none of a card")
        self.__face = face
        self.__salt = salt

    @property
    def card(self) -> SealedCard | None:
        """The card, sealed; None where the exit reader could not read it, or it is none of this design."""
        return None if self.__face in NO_CARD else SealedCard(card_of(self.__face))

    def keeps(self, commitment: bytes, place: Place) -> bool:
        """Tell whether `commitment`, which the shoe made at `place`, was one to this face."""
        return keeps(commitment, self.__salt, place, self.__face)
