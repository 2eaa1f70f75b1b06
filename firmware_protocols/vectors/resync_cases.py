"""Cases of resync.jsonl: what a receiver makes of a stream in pieces, with garbage, halves and floods in it.

Every stream ends in 00, so that it is plain what has been dropped by then: each collection that is not empty and is no
good frame counts as one, a flood too.
"""

# ruff: noqa: E501 (a case is a row: cut into lines it can no longer be read beside its neighbours)
from __future__ import annotations

import random
from typing import Any

from vector_wire import wire_of

Vector = dict[str, Any]
Sent = tuple[int, int, int, bytes]

SHORT: Sent = (1, 0x15, 1, b"")
ORDER: Sent = (1, 0x11, 2, bytes.fromhex("8877665544332211040302010204"))
ZEROS: Sent = (0, 0x10, 0, bytes(8))
LONGEST: Sent = (1, 0x7F, 255, bytes(range(232)))
FULL: Sent = (1, 0x7F, 3, 232 * b"\xff")


def _wire(frame: Sent) -> bytes:
    return wire_of(*frame)


def _vector(id_: str, clauses: list[str], note: str, chunks: list[bytes], frames: list[Sent], dropped: int) -> Vector:
    told = [{"version": 1, "session": s, "type": t, "sequence": q, "payload": p.hex()} for s, t, q, p in frames]
    return {"id": f"resync/{id_}", "clauses": clauses, "note": note, "chunks": [c.hex() for c in chunks], "frames": told,
            "dropped": dropped}  # fmt: skip


def _noise(seed: int, size: int) -> bytes:
    """Bytes 01 to FF, the same at every run."""
    return bytes(random.Random(seed).choices(range(1, 256), k=size))  # noqa: S311 (noise, not a secret)


def _singles(data: bytes) -> list[bytes]:
    return [data[i : i + 1] for i in range(len(data))]


def splits() -> list[Vector]:
    """The same bytes in other pieces."""
    found = []
    for name, frame in [("short", SHORT), ("order", ORDER), ("zeros", ZEROS), ("longest", LONGEST)]:
        data = _wire(frame)
        clauses = ["LINK-1.2", "LINK-3.5"]
        found.append(_vector(f"bytes-{name}", clauses, "byte by byte", _singles(data), [frame], 0))
        halves = [part for cut in range(1, len(data)) for part in (data[:cut], data[cut:])]
        note = "the frame again and again, cut in two at every byte"
        found.append(_vector(f"halves-{name}", clauses, note, halves, (len(data) - 1) * [frame], 0))
    three = _wire(SHORT) + _wire(ORDER) + _wire(ZEROS)
    frames = [SHORT, ORDER, ZEROS]
    found.append(_vector("three-in-one", ["LINK-1.2"], "three frames in one piece", [three], frames, 0))
    for size in (3, 7, 16, 64):
        pieces = [three[i : i + size] for i in range(0, len(three), size)]
        found.append(
            _vector(f"pieces-{size}", ["LINK-1.2", "LINK-3.5"], f"three frames in pieces of {size}", pieces, frames, 0)
        )
    data = _wire(LONGEST) + _wire(FULL)
    pieces = [data[i : i + 64] for i in range(0, len(data), 64)]
    found.append(
        _vector("packets-64", ["LINK-1.2"], "the longest frames in USB packets of 64", pieces, [LONGEST, FULL], 0)
    )
    found.append(
        _vector("empty-reads", ["LINK-3.5"], "pieces without a byte", [b"", _wire(ORDER), b"", b""], [ORDER], 0)
    )
    return found


def delimiters() -> list[Vector]:
    """00 before, between and after frames."""
    order, short = _wire(ORDER), _wire(SHORT)
    rows = [
        ("zero-before", "a 00 before the frame, as after a pause", [b"\0" + order], [ORDER]),
        ("zeros-between", "five 00 between two frames", [order + 5 * b"\0" + short], [ORDER, SHORT]),
        ("zeros-thousand", "a thousand 00, then a frame", [1000 * b"\0", order], [ORDER]),
        ("zeros-only", "nothing but 00", [1000 * b"\0"], []),
        ("zero-alone", "each 00 in its own piece", [order[:-1], b"\0", b"\0", short[:-1], b"\0"], [ORDER, SHORT]),
    ]
    return [_vector(name, ["LINK-3.1"], note, chunks, frames, 0) for name, note, chunks, frames in rows]


def garbage() -> list[Vector]:
    """Garbage costs at most the frame that it hits."""
    order, short, zeros = _wire(ORDER), _wire(SHORT), _wire(ZEROS)
    two = ["LINK-3.2"]
    rows: list[tuple[str, list[str], str, list[bytes], list[Sent], int]] = [
        ("noise-before", two, "noise and 00, then a frame", [_noise(1, 20) + b"\0", order], [ORDER], 1),
        ("noise-joined", two, "noise without 00 costs the frame behind it only", [_noise(2, 20), order, short], [SHORT], 1),
        ("noise-00-rescues", ["LINK-3.4"], "the 00 before a frame saves it from the noise of the pause", [_noise(3, 9), b"\0" + order], [ORDER], 1),
        ("noise-after", two, "a frame, noise, 00", [order, _noise(4, 33) + b"\0"], [ORDER], 1),
        ("noise-one-byte", two, "one stray byte before a frame", [b"\x55" + order, short], [SHORT], 1),
        ("noise-each-gap", two, "noise in each gap", [_noise(5, 4) + b"\0" + order + _noise(6, 7) + b"\0" + short], [ORDER, SHORT], 2),
        ("text", two, "a boot loader's text", [b"U-Boot 2024.01\r\n" + b"\0", order], [ORDER], 1),
        ("half-front", two, "the first half of a frame, then a whole one", [order[:9] + b"\0", order], [ORDER], 1),
        ("half-back", two, "the second half of a frame, then a whole one", [order[9:], order], [ORDER], 1),
        ("half-joined", two, "half a frame runs into the next, the one behind is understood", [order[:9], short, zeros], [ZEROS], 1),
        ("zero-inside", two, "a 00 in the middle of a frame: both parts go", [order[:9] + b"\0" + order[9:], short], [SHORT], 2),
        ("end-lost", two, "the 00 of the first frame is lost: both frames go, the third stays", [order[:-1] + short, zeros], [ZEROS], 1),
        ("bad-check-between", two, "a frame with a wrong check between two good ones",
         [short, order[:5] + bytes([order[5] ^ 2]) + order[6:], zeros], [SHORT, ZEROS], 1),
        ("bad-version-between", ["LINK-2.2", "LINK-3.2"], "a frame of version 02 between two good ones",
         [short + wire_of(1, 0x11, 2, b"", version=2) + zeros], [SHORT, ZEROS], 1),
        ("sealed-between", ["LINK-9.1", "LINK-3.2"], "a frame of version 81 between two good ones",
         [short + wire_of(1, 0x11, 2, b"", version=0x81) + zeros], [SHORT, ZEROS], 1),
        ("twice", ["LINK-3.2"], "the same frame twice is two frames: the exchange above tells repeats", [order, order], [ORDER, ORDER], 0),
        ("every-bad-kind", two, "bad COBS, wrong length, wrong check, short, then a good frame",
         [b"\x09\x01\0", wire_of(1, 0x7F, 1, 240 * b"\x01"), order[:5] + bytes([order[5] ^ 1]) + order[6:], b"\x03\x01\x01\0", order], [ORDER], 4),
    ]  # fmt: skip
    return [_vector(*row) for row in rows]


def floods() -> list[Vector]:
    """More than 254 bytes without a 00."""
    order = _wire(ORDER)
    cites = ["LINK-3.3"]
    rows: list[tuple[str, str, list[bytes], list[Sent], int]] = [
        ("flood-255", "255 bytes without 00, then a frame", [255 * b"\x01" + b"\0", order], [ORDER], 1),
        ("flood-254", "254 bytes without 00: not too long, but no frame", [254 * b"\x01" + b"\0", order], [ORDER], 1),
        ("flood-10000", "10,000 bytes of noise, 00, a frame", [_noise(7, 10_000), b"\0", order], [ORDER], 1),
        ("flood-10000-ff", "10,000 bytes FF in pieces of 100", [*([100 * b"\xff"] * 100), b"\0" + order], [ORDER], 1),
        ("flood-eats-one", "the flood runs into a frame: that one goes, the next stays",
         [_noise(8, 10_000), order, order], [ORDER], 1),
        ("flood-hides-frame", "a good frame without its own 00 before it, behind 300 bytes", [_noise(9, 300) + order], [], 1),
        ("flood-twice", "two floods with a frame between them",
         [_noise(10, 400) + b"\0" + order + _noise(11, 400) + b"\0" + order], [ORDER, ORDER], 2),
        ("flood-exact-end", "the longest frame directly behind a flood", [_noise(12, 2_000) + b"\0" + _wire(FULL)], [FULL], 1),
    ]  # fmt: skip
    return [_vector(name, cites, note, chunks, frames, dropped) for name, note, chunks, frames, dropped in rows]


def vectors() -> list[Vector]:
    """All lines of resync.jsonl."""
    return splits() + delimiters() + garbage() + floods()
