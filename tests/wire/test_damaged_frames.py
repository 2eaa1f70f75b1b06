"""Damaged frames are never taken for changed ones.

Proves LINK-2.3 and LINK-2.4 together (an exact length and a 32-bit check over what COBS moved), LINK-3.2, FR-17, FR-33.
The frames are the weak kind: short, with many zeros, so that damage hits COBS code bytes often.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from cardshoe.wire.framing import Deframer, Frame, encode_frame

SEED = 20_240_551


def _bit(line: bytearray, random: Random) -> None:
    line[random.randrange(len(line))] ^= 1 << random.randrange(8)


def _burst(line: bytearray, random: Random) -> None:
    pattern = random.getrandbits(14) << 1 | 0x8001  # 16 bits, both ends hit
    at = random.randrange(len(line) * 8 - 15)
    value = int.from_bytes(line, "big") ^ (pattern << at)
    line[:] = value.to_bytes(len(line), "big")


def _dropped(line: bytearray, random: Random) -> None:
    del line[random.randrange(len(line))]


def _duplicated(line: bytearray, random: Random) -> None:
    at = random.randrange(len(line))
    line.insert(at, line[at])


def _inserted(line: bytearray, random: Random) -> None:
    line.insert(random.randrange(len(line) + 1), random.randrange(256))


def _swapped(line: bytearray, random: Random) -> None:
    a, b = random.sample(range(len(line)), 2)
    line[a], line[b] = line[b], line[a]


def _dropped_and_duplicated(line: bytearray, random: Random) -> None:
    _dropped(line, random)
    _duplicated(line, random)


KINDS: list[Callable[[bytearray, Random], None]] = [
    _bit,
    _burst,
    _dropped,
    _duplicated,
    _inserted,
    _swapped,
    _dropped_and_duplicated,
]


def _weak_frame(random: Random) -> Frame:
    payload = bytes(random.choice((0, 0, 0, random.randrange(256))) for _ in range(13))
    return Frame(random.randrange(256), random.randrange(256), random.randrange(256), payload)


def changed_frames(damage: Callable[[bytearray, Random], None], count: int) -> list[tuple[str, Frame]]:
    """Damage `count` frames and return those that were accepted as something that was not sent."""
    random = Random(f"{SEED} {damage.__name__}")
    found: list[tuple[str, Frame]] = []
    for _ in range(count):
        frame = _weak_frame(random)
        line = bytearray(
            encode_frame(session=frame.session, type=frame.type, sequence=frame.sequence, payload=frame.payload)
        )[:-1]
        damage(line, random)
        found += [(bytes(line).hex(), got) for got in Deframer().feed(bytes(line) + b"\x00") if got != frame]
    return found


@pytest.mark.parametrize("damage", KINDS, ids=lambda damage: damage.__name__.strip("_"))
def test_no_damaged_frame_passes_as_changed(damage: Callable[[bytearray, Random], None]) -> None:
    """LINK-2.3, LINK-2.4, LINK-3.2: of 20,000 damaged frames of each kind none is accepted as changed."""
    assert changed_frames(damage, 20_000) == []


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("damage", KINDS, ids=lambda damage: damage.__name__.strip("_"))
def test_no_damaged_frame_of_a_million_passes_as_changed(damage: Callable[[bytearray, Random], None]) -> None:
    """LINK-2.3, LINK-2.4, LINK-3.2: the same with a million of each kind."""
    assert changed_frames(damage, 1_000_000) == []


@pytest.mark.parametrize("damage", KINDS, ids=lambda damage: damage.__name__.strip("_"))
def test_the_damage_is_real(damage: Callable[[bytearray, Random], None]) -> None:
    """The kinds above do change the line, so that the tests above can fail."""
    random = Random(1)
    changed = 0
    for _ in range(200):
        before = encode_frame(session=1, type=0x61, sequence=2, payload=bytes(range(13)))[:-1]
        line = bytearray(before)
        damage(line, random)
        changed += bytes(line) != before
    assert changed > 190
