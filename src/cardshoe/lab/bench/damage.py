"""Damaged frames of each kind that a line makes, and how many of them pass as something that was not sent.

Owns the kinds of damage. The frames are short with many zeros, the weak kind: damage then often hits a code byte of
COBS and moves bytes. Seeded: the same seed gives the same frames. Measures LINK-2.3 and LINK-2.4.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from cardshoe.wire.framing import Deframer, encode_frame

SEED: Final = 5324

Damage = Callable[[bytearray, Random], None]


def _bit(line: bytearray, random: Random) -> None:
    line[random.randrange(len(line))] ^= 1 << random.randrange(8)


def _burst(line: bytearray, random: Random) -> None:
    at = random.randrange(len(line) - 1)
    line[at] ^= random.randrange(1, 256)
    line[at + 1] ^= random.randrange(1, 256)


def _lost(line: bytearray, random: Random) -> None:
    line.pop(random.randrange(len(line)))


def _doubled(line: bytearray, random: Random) -> None:
    at = random.randrange(len(line))
    line[at:at] = line[at : at + 1]


def _inserted(line: bytearray, random: Random) -> None:
    line.insert(random.randrange(len(line) + 1), random.randrange(256))


def _swapped(line: bytearray, random: Random) -> None:
    one, other = random.sample(range(len(line)), 2)
    line[one], line[other] = line[other], line[one]


def _lost_and_doubled(line: bytearray, random: Random) -> None:
    _lost(line, random)
    _doubled(line, random)


KINDS: Final[dict[str, Damage]] = {
    "bit": _bit,
    "burst": _burst,
    "lost": _lost,
    "doubled": _doubled,
    "inserted": _inserted,
    "swapped": _swapped,
    "lost_and_doubled": _lost_and_doubled,
}


def accepted_changed(kind: str, frames: int) -> int:
    """Damage `frames` frames and return how many passed as a frame that was not sent."""
    random, damage, passed = Random(f"{SEED} {kind}"), KINDS[kind], 0
    for _ in range(frames):
        header = {"session": random.randrange(256), "type": random.randrange(256), "sequence": random.randrange(256)}
        payload = bytes(random.choice((0, 0, 0, random.randrange(256))) for _ in range(13))
        line = bytearray(encode_frame(**header, payload=payload))
        line.pop()  # the 00 that ends the frame stands
        damage(line, random)
        for frame in Deframer().feed(bytes(line) + b"\x00"):
            sent = (header["session"], header["type"], header["sequence"], payload)
            passed += (frame.session, frame.type, frame.sequence, frame.payload) != sent
    return passed
