"""Frames: any content, any split, any neighbours; what is not a frame costs at most itself.

Proves LINK-2.1 to LINK-2.6 and LINK-3.1 to LINK-3.3, LINK-3.5 on the host's own framing.
"""

from __future__ import annotations

import tracemalloc
import zlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.wire.framing import PAYLOAD_MAX, WIRE_MAX, Deframer, Drop, Frame, encode_frame

byte = st.integers(0, 255)
payloads = st.one_of(
    st.binary(max_size=PAYLOAD_MAX),
    st.integers(0, PAYLOAD_MAX).map(bytes),
    st.integers(0, PAYLOAD_MAX).map(lambda size: b"\xff" * size),
)
frames = st.builds(Frame, byte, byte, byte, payloads)
# What may stand between frames: nothing that could be one (a frame cannot arise without its 32-bit check).
garbage = st.binary(max_size=400)


def wire(frame: Frame) -> bytes:
    """The frame as it goes out."""
    return encode_frame(session=frame.session, type=frame.type, sequence=frame.sequence, payload=frame.payload)


def cobs_by_hand(content: bytes) -> bytes:
    """COBS as its paper words it, for contents without a run of 254 bytes."""
    out = bytearray()
    for group in (content + b"\x00").split(b"\x00")[:-1]:
        assert len(group) < 254
        out += bytes([len(group) + 1]) + group
    return bytes(out)


def raw(content: bytes, check: bytes | None = None) -> bytes:
    """A frame whose content is as given, right check unless another is given; no other rule is kept."""
    return cobs_by_hand(content + (zlib.crc32(content).to_bytes(4, "little") if check is None else check)) + b"\x00"


@given(frames)
def test_a_frame_is_its_header_payload_and_check_in_cobs(frame: Frame) -> None:
    """LINK-2.1, LINK-2.2, LINK-2.3, LINK-2.4, LINK-2.5, LINK-2.6: the bytes are those of the prose, by hand."""
    content = bytes((0x01, frame.session, frame.type, frame.sequence, len(frame.payload))) + frame.payload
    line = wire(frame)
    assert line == raw(content)
    assert len(line) <= WIRE_MAX
    assert line.count(0) == 1


def test_the_check_is_the_one_of_the_prose() -> None:
    """LINK-2.4: "123456789" gives CBF43926, sent least significant byte first."""
    assert zlib.crc32(b"123456789") == 0xCBF43926
    line = encode_frame(session=0, type=0, sequence=0, payload=b"123456789")
    assert line[-5:-1] == zlib.crc32(b"\x01\x00\x00\x00\x09123456789").to_bytes(4, "little")


@given(st.lists(frames, max_size=6), st.data())
def test_any_split_gives_the_same_frames(sent: list[Frame], data: st.DataObject) -> None:
    """LINK-1.2, LINK-1.3, LINK-3.5, FR-02, FR-17: borders of reads mean nothing, and all byte values pass."""
    line = b"".join(map(wire, sent))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(line)), max_size=20)))
    deframer = Deframer()
    got = [
        frame
        for start, end in zip([0, *cuts], [*cuts, len(line)], strict=True)
        for frame in deframer.feed(line[start:end])
    ]
    assert got == sent
    assert deframer.dropped == 0


@given(st.lists(st.tuples(garbage, frames), max_size=5), garbage)
def test_garbage_costs_at_most_the_frame_it_hits(pieces: list[tuple[bytes, Frame]], tail: bytes) -> None:
    """LINK-3.1, LINK-3.2, LINK-3.3, S16, E32: after a 00 the next frame is understood; garbage is counted."""
    deframer = Deframer()
    got: list[Frame] = []
    for noise, frame in pieces:
        got += deframer.feed(noise + b"\x00" + wire(frame))
    got += deframer.feed(tail)
    assert got == [frame for _noise, frame in pieces]


@given(st.lists(st.tuples(st.binary(max_size=60).filter(lambda noise: 0 not in noise), frames), max_size=5))
def test_noise_without_a_delimiter_costs_the_frame_behind_it(pieces: list[tuple[bytes, Frame]]) -> None:
    """LINK-3.2: noise that touches a frame drops that one and no other."""
    deframer = Deframer()
    got = deframer.feed(b"".join(noise + wire(frame) + wire(frame) for noise, frame in pieces))
    expected = [frame for noise, frame in pieces for _ in range(1 if noise else 2)]
    assert got == expected
    assert deframer.dropped == sum(1 for noise, _frame in pieces if noise)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        pytest.param(raw(b"\x01\x01\x11\x01\x03ab"), Drop.LENGTH, id="LINK-2.3 says one more than there is"),
        pytest.param(raw(b"\x01\x01\x11\x01\x01ab"), Drop.LENGTH, id="LINK-2.3 says one less than there is"),
        pytest.param(raw(b"\x01\x01\x11\x01"), Drop.LENGTH, id="LINK-2.3 content too short for a header"),
        pytest.param(b"\x01\x00", Drop.LENGTH, id="LINK-2.3 content is nothing"),
        pytest.param(raw(b"\x01\x01\x11\x01\xe9" + bytes(233)), Drop.LENGTH, id="LINK-2.3 233 bytes of payload"),
        pytest.param(raw(b"\x02\x01\x11\x01\x02ab"), Drop.VERSION, id="LINK-2.2 version 02"),
        pytest.param(raw(b"\x81\x01\x11\x01\x02ab"), Drop.VERSION, id="LINK-2.2 LINK-9.1 sealed in a clear session"),
        pytest.param(
            raw(b"\x01\x01\x11\x01\x02ab", zlib.crc32(b"\x01\x01\x11\x01\x02ab").to_bytes(4, "big")),
            Drop.CHECK,
            id="LINK-2.4 check sent the wrong way round",
        ),
        pytest.param(raw(b"\x01\x01\x11\x01\x02ab", b"\x00\x00\x00\x00"), Drop.CHECK, id="LINK-2.4 check of zeros"),
        pytest.param(b"\x05abc\x00", Drop.COBS, id="LINK-3.2 code beyond the end"),
        pytest.param(b"\xff" + b"a" * 254 + b"\x00", Drop.OVERLONG, id="LINK-2.5 LINK-3.3 code FF"),
        pytest.param(b"a" * 255 + b"\x00", Drop.OVERLONG, id="LINK-3.3 255 bytes before the delimiter"),
    ],
)
def test_what_is_no_frame_is_dropped_and_counted(line: bytes, kind: Drop) -> None:
    """LINK-2.2, LINK-2.3, LINK-2.4, LINK-3.2, LINK-3.3: whole, in silence, by kind; the next one is understood."""
    deframer = Deframer()
    good = Frame(1, 0x82, 7, b"next")
    assert deframer.feed(line + wire(good)) == [good]
    assert {drop: count for drop, count in deframer.drops.items() if count} == {kind: 1}


def test_a_residue_is_not_relied_on() -> None:
    """LINK-2.4: a frame with zeros appended after its check, lengths made to fit, does not pass."""
    content = b"\x01\x01\x11\x01\x06abcd"  # the two zeros below would be the rest of a six-byte payload
    whole = content + zlib.crc32(content).to_bytes(4, "little") + b"\x00\x00"
    deframer = Deframer()
    assert deframer.feed(cobs_by_hand(whole) + b"\x00") == []
    assert deframer.drops[Drop.CHECK] == 1


@pytest.mark.parametrize("size", [1, 7, 255, 4096])
def test_a_flood_without_a_delimiter_is_one_drop(size: int) -> None:
    """LINK-3.3: 10,000 bytes without 00 are dropped up to the next 00, however they are cut."""
    deframer = Deframer()
    flood = b"U" * 10_000
    for at in range(0, len(flood), size):
        assert deframer.feed(flood[at : at + size]) == []
    good = Frame(3, 0x61, 9, bytes(20))
    assert deframer.feed(b"UU\x00" + wire(good)) == [good]
    assert deframer.dropped == 1


def test_254_bytes_are_the_most_that_one_frame_needs() -> None:
    """LINK-2.6, LINK-3.3: the longest frame passes byte by byte, and after it any number of delimiters."""
    longest = Frame(255, 255, 255, b"\xff" * PAYLOAD_MAX)
    deframer = Deframer()
    got = [frame for value in bytes(1000) + wire(longest) + bytes(1000) for frame in deframer.feed(bytes([value]))]
    assert got == [longest]
    assert deframer.dropped == 0


def test_a_payload_that_does_not_fit_is_refused() -> None:
    """LINK-2.3, LINK-2.6: no message is longer than one frame."""
    with pytest.raises(ValueError, match="233 bytes does not fit"):
        encode_frame(session=0, type=0, sequence=0, payload=bytes(PAYLOAD_MAX + 1))


def test_a_million_random_bytes_raise_nothing_and_are_not_kept() -> None:
    """LINK-3.2, LINK-3.3, P9: whatever comes, nothing raises and memory does not grow."""
    random = Random(5324)
    deframer = Deframer()
    chunk = random.randbytes(1000)
    deframer.feed(chunk)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    accepted = 0
    for _ in range(1000):
        accepted += len(deframer.feed(random.randbytes(1000)))
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert accepted == 0
    assert deframer.dropped > 1000
    assert grown < 16_384
