"""The auditor's opening of a round's envelope.

Owns the decryption of what ROUND_SEALED carries and the comparison of every face in it with its commitment. It is used
away from the table, by whoever holds the auditor's private key; the table computer has the public key only and can do
nothing with this. Reads no file. Implements SHOE-9.2 and SHOE-9.10 for an auditor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from cardshoe.cards import Card
from cardshoe.devices.commitments import (
    FOREIGN,
    NO_CARD,
    SEED_BYTES,
    UNREADABLE,
    Place,
    keeps,
    padded_serial,
    salt_of,
)
from cardshoe.devices.round_events import RoundSealed
from cardshoe.devices.values import card_of
from cardshoe.errors import InputError
from cardshoe.link.session_keys import derived

ENVELOPE_FACES: Final = 52
_NO_SLOT: Final = 0xFF
_INFO: Final = b"cardshoe shoe-v1 envelope"


class Kept(Enum):
    """Whether the card of an envelope is the one that the shoe had committed to."""

    KEPT = "kept"
    BROKEN = "broken"
    UNRECORDED = "no commitment is in the record"


@dataclass(frozen=True, slots=True)
class OpenedCard:
    """One card: `card` None where it was not read, `what` then says `unreadable` or `foreign`."""

    slot: int
    card: Card | None
    what: str
    kept: Kept


@dataclass(frozen=True, slots=True)
class OpenedRound:
    """What an envelope held. `missing` are slots that the record has a commitment for and the envelope no card."""

    round_id: int
    deck_id: int
    cards: tuple[OpenedCard, ...]
    missing: tuple[int, ...]

    @property
    def sound(self) -> bool:
        """Tell whether every commitment was kept, and nothing is left over on either side."""
        return not self.missing and all(each.kept is Kept.KEPT for each in self.cards)


def auditor_mark(public: bytes) -> bytes:
    """Return the 8 bytes by which an envelope names the auditor's key (SHOE-9.10)."""
    return sha256(public).digest()[:8]


def open_envelope(
    envelope: RoundSealed, serial: str, private: X25519PrivateKey, commitments: Mapping[int, bytes]
) -> OpenedRound:
    """Open `envelope` of the shoe `serial`, and hold each face against `commitments`, by slot.

    Raises `InputError`: `envelope-empty` (the shoe had no auditor's key), `envelope-other-key` (sealed to another
    auditor), `envelope-damaged` (changed since, or not of this shoe, round and deck).
    """
    plain = _opened(envelope, serial, private)
    seed, faces = plain[:SEED_BYTES], plain[SEED_BYTES:]
    cards: list[OpenedCard] = []
    for at, face in enumerate(faces):
        if face == _NO_SLOT:
            continue
        slot = envelope.first_slot + at
        place = Place(serial, envelope.deck_id, envelope.round_id, slot)
        cards.append(_card(face, place, salt_of(seed, slot), commitments.get(slot)))
    missing = tuple(sorted(set(commitments) - {each.slot for each in cards}))
    return OpenedRound(envelope.round_id, envelope.deck_id, tuple(cards), missing)


def _opened(envelope: RoundSealed, serial: str, private: X25519PrivateKey) -> bytes:
    where = f"round {envelope.round_id} of the shoe {serial}"
    if envelope.auditor is None:
        raise InputError(
            "envelope-empty",
            f"{where}: the shoe holds no auditor's key and sealed nothing; pair it with --auditor for later rounds",
        )
    public = private.public_key().public_bytes_raw()
    if auditor_mark(public) != envelope.auditor:
        raise InputError(
            "envelope-other-key",
            f"{where}: the envelope is sealed to the auditor's key {envelope.auditor.hex()}, and this is"
            f" {auditor_mark(public).hex()}; take the key of that time",
        )
    associated = (
        padded_serial(serial)
        + envelope.round_id.to_bytes(8, "little")
        + envelope.deck_id.to_bytes(4, "little")
        + bytes((envelope.first_slot, envelope.cards))
    )
    try:
        shared = private.exchange(X25519PublicKey.from_public_bytes(envelope.ephemeral))
        key = derived(shared, salt=envelope.ephemeral + public, info=_INFO)
        plain = ChaCha20Poly1305(key).decrypt(bytes(12), envelope.sealed, associated)
    except (InvalidTag, ValueError) as error:
        raise InputError(
            "envelope-damaged",
            f"{where}: the envelope does not open; it was changed, or it is not of this shoe, round and deck. Verify"
            " the journal, and keep both",
        ) from error
    if len(plain) != SEED_BYTES + ENVELOPE_FACES:
        raise InputError("envelope-damaged", f"{where}: the envelope holds {len(plain)} bytes; call the shoe's maker")
    return plain


def _card(face: int, place: Place, salt: bytes, commitment: bytes | None) -> OpenedCard:
    kept = Kept.UNRECORDED
    if commitment is not None:
        kept = Kept.KEPT if keeps(commitment, salt, place, face) else Kept.BROKEN
    if face in NO_CARD or face > 51:
        what = {UNREADABLE: "unreadable", FOREIGN: "foreign"}.get(face, f"face {face:02X}, which is none")
        return OpenedCard(place.slot, None, what, kept)
    return OpenedCard(place.slot, card_of(face), "card", kept)
