"""At every try, reveal and envelope: asked once, of a card that lies up, and what was sealed is what left the shoe.

Owns what promises P1, P2, P4 and P6 say of a shoe that commits. It opens each envelope itself, with the key of an
auditor of its own, and asks the world what physically left. Must not import what it judges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from cardshoe.lab.simulation.facts import FACE_NAMES, Facts
from cardshoe.lab.simulation.wire import Said
from cardshoe.sim import primitives

Body = Mapping[str, Any]

AUDITOR_SECRET: Final = bytes(range(1, 33))
"""The private key of the simulation's auditor; it opens nothing else."""
AUDITOR: Final = primitives.public_of(AUDITOR_SECRET)
_SEED_BYTES: Final = 32
_NO_SLOT: Final = 0xFF
_INFO: Final = b"cardshoe shoe-v1 envelope"


class Commitments:
    """Judges what is asked about the shoe's round. Keeps the present round of the shoe only."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._round = 0
        self._sealed = True
        self._slots: dict[int, int] = {}
        self._wanted: dict[tuple[int, str], str] = {}
        self._reveals: set[int] = set()
        self._tried: dict[int, dict[str, set[tuple[int, int]]]] = {}

    # --- what becomes durable

    def durable(self, kind: str, body: Body) -> None:
        """An entry is on disk."""
        match kind:
            case "shoe_round_requested":
                self._begins(body)
            case "shoe_round_given_up":
                self._sealed = True
            case "card_match_requested":
                self._wanted[int(body["command_id"]), str(body["card"])] = str(body["place"])
            case "stack_reveal_requested":
                self._reveals.add(int(body["command_id"]))
            case "shoe_reported":
                self._reported(body)
            case _:
                pass

    def _begins(self, body: Body) -> None:
        number = int(body["shoe_round"])
        if not self._sealed:
            raise self._facts.broken("P6", f"the shoe's round {number} is begun, and round {self._round} is not sealed")
        if number <= self._round:
            raise self._facts.broken("P6", f"the shoe's round {number} comes after round {self._round}")
        self._round, self._sealed = number, False
        self._slots, self._wanted, self._reveals, self._tried = {}, {}, set(), {}

    def _reported(self, body: Body) -> None:
        if body.get("round_id") != self._round:
            return
        if body["event"] == "CardCommitted":
            self._slots[int(body["slot"])] = int(body["command_id"])
        elif body["event"] == "RoundSealed":
            self._sealed = True
            self._opens(body)

    # --- what is asked

    def sent(self, said: Said) -> None:
        """A try or a reveal leaves: it is durable, the card lies up, and it was not tried before."""
        command_id, frame = said.number("command_id"), (said.session, said.sequence)
        if said.name == "REVEAL_STACK":
            if command_id not in self._reveals:
                raise self._facts.broken("P2", f"REVEAL_STACK {command_id} leaves before it is durable")
            if self._facts.has_reader:
                raise self._facts.broken("P4", f"the cards of {command_id} are asked for, and a reader sees them")
            return
        face = FACE_NAMES[said.number("face")]
        place = self._wanted.get((command_id, face))
        if place is None:
            raise self._facts.broken("P2", f"MATCH_CARD {command_id} with {face} leaves before it is durable")
        if (place, face) not in self._facts.up and (place, face) not in self._facts.read:
            raise self._facts.broken("P4", f"{face} at {place} is held against the shoe, and lies up for nobody")
        tried = self._tried.setdefault(command_id, {})
        frames = tried.setdefault(face, set())
        others = len(tried) - 1
        if frame not in frames and self._facts.world.tries_spent(command_id) > others:
            raise self._facts.broken("P1", f"{face} is held against stack {command_id} again, and its try is spent")
        frames.add(frame)

    # --- what was sealed

    def _opens(self, body: Body) -> None:
        """The envelope holds the faces that physically left, at the slots that were committed to."""
        faces = self._faces(body)
        if set(faces) != set(self._slots):
            raise self._facts.broken(
                "P6", f"the envelope of round {self._round} has other slots than were committed: {len(faces)}"
            )
        if self._facts.world.tampered:
            return  # the deck holds cards that are no others
        left: dict[int, Counter[str]] = {}
        for slot, face in faces.items():
            if face < len(FACE_NAMES):
                left.setdefault(self._slots[slot], Counter())[FACE_NAMES[face]] += 1
        self._facts.world.count()
        for command_id, sealed in left.items():
            feed = self._facts.fed.get(command_id)
            if feed is not None and sealed - Counter(feed.undealt[: feed.moved]):
                raise self._facts.broken("P6", f"the envelope holds other cards for command {command_id} than left")

    def _faces(self, body: Body) -> dict[int, int]:
        ephemeral, first, cards = bytes.fromhex(body["ephemeral"]), int(body["first_slot"]), int(body["cards"])
        shared = primitives.agreed(AUDITOR_SECRET, ephemeral)
        if body["auditor"] != primitives.sha256(AUDITOR)[:8].hex() or shared is None:
            raise self._facts.broken("P6", f"the envelope of round {self._round} is not for the auditor")
        key = primitives.derived(shared, salt=ephemeral + AUDITOR, info=_INFO, length=primitives.KEY_BYTES)
        bound = (
            self._facts.world.shoe_serial.encode("ascii").ljust(16, b"\x00")
            + int(body["round_id"]).to_bytes(8, "little")
            + int(body["deck_id"]).to_bytes(4, "little")
            + bytes((first, cards))
        )
        try:
            plain = ChaCha20Poly1305(key).decrypt(bytes(12), bytes.fromhex(body["sealed"]), bound)
        except InvalidTag:
            raise self._facts.broken("P6", f"the envelope of round {self._round} does not open") from None
        return {first + at: face for at, face in enumerate(plain[_SEED_BYTES:]) if face != _NO_SLOT}
