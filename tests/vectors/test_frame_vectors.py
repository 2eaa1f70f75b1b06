"""frames.jsonl and resync.jsonl through the product's codec and through the simulator's: both must agree with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from vector_files import id_of, lines

from cardshoe.devices.reader_wire import READER_CODEC
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.sim import messages as sim_messages
from cardshoe.sim import wire as sim_wire
from cardshoe.wire import framing

Vector = dict[str, Any]
Told = dict[str, Any]
CODECS = {"shoe": SHOE_CODEC, "reader": READER_CODEC}
FRAMES, RESYNC = lines("frames"), lines("resync")
TYPED = [vector for vector in FRAMES if vector.get("fields") is not None]
MISLAID = [vector for vector in FRAMES if vector.get("message") and vector["fields"] is None]


@dataclass(frozen=True, slots=True)
class Side:
    """One implementation of the wire: chunks to (frames, dropped), and a header with a payload to bytes."""

    name: str
    receive: Callable[[list[bytes]], tuple[list[Told], int]]
    encode: Callable[[Vector], bytes]


def _told(session: int, kind: int, sequence: int, payload: bytes) -> Told:
    return {"version": 1, "session": session, "type": kind, "sequence": sequence, "payload": payload.hex()}


def _product_receive(chunks: list[bytes]) -> tuple[list[Told], int]:
    deframer = framing.Deframer()
    found = [frame for chunk in chunks for frame in deframer.feed(chunk)]
    return [_told(frame.session, frame.type, frame.sequence, frame.payload) for frame in found], deframer.dropped


def _product_encode(vector: Vector) -> bytes:
    payload = bytes.fromhex(vector["payload"])
    return framing.encode_frame(
        session=vector["session"], type=vector["type"], sequence=vector["sequence"], payload=payload
    )


def _sim_receive(chunks: list[bytes]) -> tuple[list[Told], int]:
    deframer = sim_wire.Deframer()
    found = [frame for chunk in chunks for frame in deframer.feed(chunk)]
    return [_told(frame.session, frame.type, frame.sequence, frame.payload) for frame in found], deframer.dropped


def _sim_encode(vector: Vector) -> bytes:
    head = (vector["version"], vector["session"], vector["type"], vector["sequence"])
    return sim_wire.encode(sim_wire.Frame(*head, bytes.fromhex(vector["payload"])))


SIDES = [Side("product", _product_receive, _product_encode), Side("simulator", _sim_receive, _sim_encode)]
each_side = pytest.mark.parametrize("side", SIDES, ids=lambda side: side.name)


@each_side
@pytest.mark.parametrize("vector", FRAMES, ids=id_of)
def test_a_frame_is_taken_or_dropped(vector: Vector, side: Side) -> None:
    """LINK-2, LINK-3.2: each vector names its clauses itself. The next frame is understood whatever came before."""
    good = next(v for v in FRAMES if v["accept"])
    frames, dropped = side.receive([bytes.fromhex(vector["wire"]), bytes.fromhex(good["wire"])])
    expected = [vector, good] if vector["accept"] else [good]
    assert frames == [{key: v[key] for key in ("version", "session", "type", "sequence", "payload")} for v in expected]
    assert dropped == (0 if vector["accept"] else 1)


@each_side
@pytest.mark.parametrize("vector", [v for v in FRAMES if v["accept"]], ids=id_of)
def test_a_frame_is_sent_byte_for_byte(vector: Vector, side: Side) -> None:
    """LINK-2.1 to LINK-2.6: there is one encoding."""
    assert side.encode(vector).hex() == vector["wire"]


@each_side
@pytest.mark.parametrize("vector", RESYNC, ids=id_of)
def test_a_stream_gives_its_frames(vector: Vector, side: Side) -> None:
    """LINK-3.1 to LINK-3.5: each vector names its clauses itself."""
    frames, dropped = side.receive([bytes.fromhex(chunk) for chunk in vector["chunks"]])
    assert frames == vector["frames"]
    assert dropped == vector["dropped"]


def _plain(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in fields.items()}


def _rich(vector: Vector, kinds: dict[str, str]) -> dict[str, Any]:
    return {
        name: bytes.fromhex(value) if kinds[name].startswith("bytes") else value
        for name, value in vector["fields"].items()
    }


def _kinds(vector: Vector) -> dict[str, str]:
    return dict(sim_messages.MESSAGES[vector["device"]][vector["message"]].fields)


@pytest.mark.parametrize("vector", TYPED, ids=id_of)
def test_the_product_packs_and_unpacks_the_message(vector: Vector) -> None:
    """LINK-2.7, LINK-2.8."""
    codec = CODECS[vector["device"]]
    payload = bytes.fromhex(vector["payload"])
    message = codec.build(vector["message"], _rich(vector, _kinds(vector)))
    assert codec.payload(message) == payload
    read = codec.decode(framing.Frame(vector["session"], vector["type"], vector["sequence"], payload))
    assert read == message
    assert codec.spec_of(message).sender.value == vector["from"]


@pytest.mark.parametrize("vector", TYPED, ids=id_of)
def test_the_simulator_packs_and_unpacks_the_message(vector: Vector) -> None:
    """LINK-2.7, LINK-2.8."""
    device, name, payload = vector["device"], vector["message"], bytes.fromhex(vector["payload"])
    assert sim_messages.pack(device, name, _rich(vector, _kinds(vector))) == payload
    assert _plain(sim_messages.unpack(device, name, payload)) == vector["fields"]
    assert sim_messages.MESSAGES[device][name].type == vector["type"]


@pytest.mark.parametrize("vector", MISLAID, ids=id_of)
def test_a_payload_of_another_length_is_no_message(vector: Vector) -> None:
    """LINK-2.8, the host's side; the devices' side is in the dialogues."""
    frame = framing.Frame(vector["session"], vector["type"], vector["sequence"], bytes.fromhex(vector["payload"]))
    assert CODECS[vector["device"]].decode(frame) is None


@pytest.mark.parametrize("device", ["shoe", "reader"])
def test_every_message_has_a_vector(device: str) -> None:
    """LINK-2.8: no message of a protocol file is without its frame."""
    covered = {v["message"] for v in TYPED if v["device"] == device}
    link = {v["message"] for v in TYPED}
    missing = {name for name in sim_messages.MESSAGES[device] if name not in covered}
    assert missing <= {"EVENT_ACK", "REJECT"} & link
