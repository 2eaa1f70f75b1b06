"""The memory of a process, read through /proc, and what of a deck is looked for in it.

Owns the reading (heap, stack and every other private writable mapping) and the shapes in which an order or a hand could
lie there: as texts near each other, as codes one behind the other, as plain lists of numbers, and as whatever opens a
commitment. Must not know whose process it is.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_RANKS, _SUITS = "23456789TJQKA", "cdhs"
NEAR_BYTES = 48
WINDOW_BYTES = 16


def spelled(face: int) -> str:
    """Return a face as a person names it."""
    return _RANKS[face // 4] + _SUITS[face % 4]


def dump(pid: int) -> list[bytes]:
    """Return the contents of all private writable mappings. Raises OSError where the process may not be read."""
    found = []
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text("ascii").splitlines():
            where, rights, *_ = line.split()
            if not rights.startswith("rw") or line.endswith(("[vvar]", "[vsyscall]")):
                continue
            begin, end = (int(part, 16) for part in where.split("-"))
            memory.seek(begin)
            parts = []
            while begin < end and (part := memory.read(min(end - begin, 1 << 20))):
                parts.append(part)
                begin += len(part)
            found.append(b"".join(parts))
    return found


def sequences(faces: Sequence[int]) -> Iterator[tuple[str, bytes]]:
    """Give the forms in which these faces in this order could lie in memory: code bytes, numbers, texts."""
    for name, order in (("in order", list(faces)), ("in reverse", list(reversed(faces)))):
        yield f"codes {name}", bytes(order)
        yield f"words {name}", struct.pack(f"<{len(order)}H", *order)
        yield f"longs {name}", struct.pack(f"<{len(order)}I", *order)
        yield f"quads {name}", struct.pack(f"<{len(order)}Q", *order)
        for between in ("", " ", ",", ", ", '","', '", "', "', '"):
            yield f"texts {name} with {between!r}", between.join(map(spelled, order)).encode()


def found_sequences(memory: Iterable[bytes], faces: Sequence[int]) -> list[str]:
    """Return the forms of these faces that occur anywhere."""
    forms = list(sequences(faces))
    return sorted({name for part in memory for name, form in forms if form in part})


def found_near(memory: Iterable[bytes], faces: Sequence[int]) -> list[bytes]:
    """Return the places at which all these faces stand as texts within a few bytes of each other, in any order."""
    texts = [spelled(face).encode() for face in faces]
    first = re.compile(rb"(?<![0-9A-Za-z])" + texts[0] + rb"(?![0-9A-Za-z])")
    places = []
    for part in memory:
        for hit in first.finditer(part):
            around = part[max(hit.start() - NEAR_BYTES, 0) : hit.end() + NEAR_BYTES]
            if all(text in around for text in texts[1:]):
                places.append(around)
    return places


@dataclass(frozen=True, slots=True)
class Committed:
    """One commitment as everybody may see it, and what it is bound to (SHOE-9.3)."""

    commitment: bytes
    serial: str
    deck_id: int
    round_id: int
    slot: int

    def opened_by(self, salt: bytes) -> int | None:
        """Return the face that this salt opens it to, None when none of 52 does."""
        head = b"cardshoe card" + self.serial.encode().ljust(16, b"\0")
        faces: tuple[int, ...] = (*range(52), 0xFE)
        for face in faces:
            told = head + struct.pack("<IQBB", self.deck_id, self.round_id, self.slot, face)
            if hmac.new(salt, told, hashlib.sha256).digest() == self.commitment:
                return face
        return None


def windows_beside(memory: Iterable[bytes], marks: Iterable[bytes], *, reach: int) -> set[bytes]:
    """Return every window of 16 bytes within `reach` of any of these marks: where a salt would lie beside its card."""
    found: set[bytes] = set()
    for mark in marks:
        for part in memory:
            at = part.find(mark)
            while at >= 0:
                begin, end = max(at - reach, 0), min(at + len(mark) + reach, len(part))
                found.update(part[n : n + WINDOW_BYTES] for n in range(begin, end - WINDOW_BYTES + 1))
                at = part.find(mark, at + 1)
    return {window for window in found if len(set(window)) > 4}  # a salt has more than four different bytes
