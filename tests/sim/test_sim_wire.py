"""Frames of the simulator: laws, the protocol's files, and a second encoder (LINK-2, LINK-3)."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sim_host import Protocol, cobs, load, spec_hash, wire_frame

from cardshoe.sim import wire
from cardshoe.sim.messages import FAULT_CODES, GOES_ON, LOCKOUT, MESSAGES, SPEC_HASHES, VOID

BYTE = st.integers(0, 255)
PAYLOAD = st.one_of(
    st.binary(max_size=232), st.integers(0, 232).map(bytes), st.integers(0, 232).map(lambda n: b"\xff" * n)
)
FRAME = st.builds(wire.Frame, st.just(1), BYTE, BYTE, BYTE, PAYLOAD)
NOISE = st.binary(min_size=1, max_size=60)


def test_the_check_value_of_the_prose() -> None:
    """LINK-2.4: "123456789" gives CBF43926."""
    assert wire.crc32(b"123456789") == 0xCBF43926


@given(st.binary(max_size=300))
def test_crc_agrees_with_one_bit_at_a_time(data: bytes) -> None:
    """LINK-2.4: polynomial 04C11DB7 reflected, initial value and final exclusive-or FFFFFFFF, as the prose has it."""
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
    assert wire.crc32(data) == value ^ 0xFFFFFFFF


@given(st.binary(max_size=253))
def test_cobs_agrees_with_a_second_encoder(content: bytes) -> None:
    """LINK-2.5: no 00 inside, one encoding, and back again."""
    encoded = wire.cobs_encode(content)
    assert encoded == cobs(content)
    assert 0 not in encoded
    assert 0xFF not in encoded[:1]
    assert wire.cobs_decode(encoded) == content


@given(st.binary(max_size=1000))
def test_cobs_of_any_length(content: bytes) -> None:
    """The decoder is the encoder's inverse beyond the frame size as well."""
    assert wire.cobs_decode(wire.cobs_encode(content)) == content


@given(FRAME)
def test_a_frame_fits_the_line(frame: wire.Frame) -> None:
    """LINK-2.1, LINK-2.3, LINK-2.6."""
    raw = wire.encode(frame)
    assert raw == wire_frame(frame.session, frame.type, frame.sequence, frame.payload)
    assert len(raw) <= 255
    assert raw.index(0) == len(raw) - 1


@given(st.lists(FRAME, max_size=5), st.data())
def test_any_split_gives_the_same_frames(frames: list[wire.Frame], data: st.DataObject) -> None:
    """LINK-3.1, LINK-3.5: pieces mean nothing, and any number of 00 may stand between frames."""
    stream = b"".join(b"\x00" * data.draw(st.integers(0, 3)) + wire.encode(frame) for frame in frames)
    deframer = wire.Deframer()
    found: list[wire.Frame] = []
    while stream:
        size = data.draw(st.integers(1, len(stream)))
        found += deframer.feed(stream[:size])
        stream = stream[size:]
    assert found == frames
    assert deframer.dropped == 0


@given(FRAME, NOISE, FRAME)
def test_garbage_costs_at_most_the_frame_it_hits(first: wire.Frame, noise: bytes, second: wire.Frame) -> None:
    """LINK-3.2: after a 00 the next frame is understood, whatever came before."""
    deframer = wire.Deframer()
    found = deframer.feed(wire.encode(first) + noise + b"\x00" + wire.encode(second))
    assert found[0] == first
    assert found[-1] == second


@given(FRAME, st.integers(0, 2039))
def test_a_changed_bit_never_gives_another_frame(frame: wire.Frame, bit: int) -> None:
    """LINK-2.3, LINK-2.4, LINK-3.2."""
    raw = bytearray(wire.encode(frame))
    bit %= 8 * len(raw)
    raw[bit // 8] ^= 1 << bit % 8
    found = wire.Deframer().feed(bytes(raw) + b"\x00")
    assert all(one == frame for one in found)
    assert len(found) <= 1


@pytest.mark.parametrize(
    ("clause", "content"),
    [
        ("LINK-2.2 sealed", bytes((0x81, 1, 0x10, 1, 0))),
        ("LINK-2.2 unknown", bytes((2, 1, 0x10, 1, 0))),
        ("LINK-2.3 length above", bytes((1, 1, 0x10, 1, 1))),
        ("LINK-2.3 length below", bytes((1, 1, 0x10, 1, 0, 7))),
        ("LINK-2.3 payload of 233", bytes((1, 1, 0x10, 1, 233)) + bytes(233)),
        ("LINK-2.3 too short", b"\x01\x01"),
    ],
)
def test_frames_that_are_dropped(clause: str, content: bytes) -> None:
    """LINK-2.2, LINK-2.3: dropped whole, counted, and the next frame is understood."""
    raw = cobs(content + zlib.crc32(content).to_bytes(4, "little")) + b"\x00"
    good = wire.Frame(1, 3, 0x10, 9, b"abc")
    deframer = wire.Deframer()
    assert deframer.feed(raw + wire.encode(good)) == [good], clause
    assert deframer.dropped == 1


def test_a_flood_is_dropped_up_to_the_next_delimiter() -> None:
    """LINK-3.3: and nothing of it is kept."""
    deframer = wire.Deframer()
    good = wire.Frame(1, 3, 0x10, 9, bytes(232))
    for _ in range(100):
        assert deframer.feed(b"\x55" * 1000) == []
    assert deframer.feed(b"\x01\x00" + wire.encode(good)) == [good]
    assert deframer.dropped == 1


@given(st.binary(max_size=2000))
def test_noise_never_raises(noise: bytes) -> None:
    """LINK-3.2: in silence."""
    deframer = wire.Deframer()
    deframer.feed(noise)
    good = wire.Frame(1, 3, 0x10, 9, b"x")
    assert deframer.feed(b"\x00" + wire.encode(good))[-1] == good


# --- the hand-written layouts against the protocol's files


@pytest.mark.parametrize("device", ["shoe", "reader"])
def test_layouts_are_those_of_the_files(device: str) -> None:
    """LINK-2.8, and the spec hash of LINK-5.2."""
    protocol = Protocol(device)
    ours = {name: (layout.type, [tuple(one) for one in layout.fields]) for name, layout in MESSAGES[device].items()}
    assert ours == protocol.by_name
    assert SPEC_HASHES[device] == spec_hash(device)


def test_fault_codes_are_those_of_the_file() -> None:
    """SHOE-8.1, SHOE-8.2, SHOE-8.4."""
    faults = load("faults")["fault"]
    assert {fault["name"]: fault["code"] for fault in faults} == FAULT_CODES
    assert {fault["name"] for fault in faults if fault["severity"] == "lockout"} == LOCKOUT
    assert {fault["name"] for fault in faults if fault["severity"] == "void"} == VOID
    going_on = {fault["name"] for fault in faults if fault["motor"] == "goes on"}
    assert going_on | {"lens_dirty"} == GOES_ON


@pytest.mark.parametrize(("device", "name"), [(device, name) for device in MESSAGES for name in MESSAGES[device]])
def test_every_message_packs_and_unpacks(device: str, name: str) -> None:
    """LINK-2.7: little-endian numbers, padded text, by a second packer."""
    layout = MESSAGES[device][name]
    values: dict[str, int | bytes | str] = {}
    for place, (field, kind) in enumerate(layout.fields):
        width = int("".join(c for c in kind if c.isdigit()))
        if kind.startswith("u"):
            values[field] = (0x0102030405060708 + place) % (1 << width)
        else:
            values[field] = bytes(range(width)) if kind.startswith("bytes") else "CS-SIM"
    payload = layout.pack(values)
    assert len(payload) == layout.size
    assert layout.unpack(payload) == values
    second = {
        k: v.encode().ljust(16 if k != "firmware" else 12, b"\0") if isinstance(v, str) else v
        for k, v in values.items()
    }
    assert Protocol(device).pack(name, second) == payload


def test_values_that_do_not_fit_are_refused() -> None:
    """A device must not send what it cannot mean."""
    layout = MESSAGES["shoe"]["DISPENSE"]
    good = {"command_id": 1, "deck_id": 1, "cards": 2, "destination": 0}
    for wrong in ({**good, "cards": 256}, {**good, "cards": -1}, {"command_id": 1}, {**good, "cards": b"x"}):
        with pytest.raises(ValueError, match="DISPENSE"):
            layout.pack(wrong)
    with pytest.raises(ValueError, match="14 needed"):
        layout.unpack(b"x")
    with pytest.raises(ValueError, match="233"):
        wire.encode(wire.Frame(1, 1, 1, 1, bytes(233)))
