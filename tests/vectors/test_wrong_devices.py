"""The dialogues of role "device" are able to fail: each wrong device here is caught by at least one of them.

A wrong device is the simulated one behind a liar on the line, who changes a field, leaves a message out or breaks a
habit of the link. Clauses that the simulator itself can break are in test_mutations.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import vector_wire as wire
from device_runner import DeviceRunner
from patterns import VectorFailed
from vector_files import dialogues
from world_bench import START_S, WorldBench, nonces

from cardshoe.sim.world import World

Lie = Callable[[wire.Frame], bytes]
BOOKS = {device: wire.load(device) for device in ("shoe", "reader")}
NOT_PINNED = {
    "uptime_ms": "for people only (LINK-8.2; test_device_laws.py)",
    "detail": "0 unless the fault says otherwise, and none does (SHOE-8.1)",
    "commitment": "keyed by a secret of the shoe; sealed.jsonl and the table open it",
    "device_nonce": "random", "model": "any text", "serial": "any text", "firmware": "any text",
    "misfeeds_total": "what counts as a misfeed is the maker's", "rereads_total": "what counts is the maker's",
    "faults_total": "what counts is the maker's", "unreadable_total": "what counts is the maker's",
    "ring_size": "any size from 16", "capabilities": "what the maker built",
}  # fmt: skip
ALWAYS = ("event_id", "boot_counter")  # the runner looks at these in every dialogue


def honest(frame: wire.Frame) -> bytes:
    """The frame as it is."""
    return wire.wire_of(frame.session, frame.type, frame.sequence, frame.payload)


class LyingBench(WorldBench):
    """The bench with a liar between the device and the line."""

    def __init__(self, world: World, port: str, lie: Lie, *, hears: Lie, bare: bool) -> None:
        super().__init__(world, port)
        self._lie, self._hears, self._bare = lie, hears, bare
        self._piece = bytearray()

    def write(self, data: bytes) -> None:
        """Bytes to the device; a frame is heard as `hears` says."""
        frame = wire.read_collection(data.strip(b"\0")) if data.strip(b"\0") else "empty"
        super().write(self._hears(frame) if isinstance(frame, wire.Frame) else data)

    def read(self, until: float) -> bytes:
        """What the device said, as the liar tells it."""
        self._piece += super().read(until)
        *pieces, rest = self._piece.split(b"\0")
        self._piece = bytearray(rest)
        out = bytearray()
        for piece in pieces:
            frame = wire.read_collection(bytes(piece)) if piece else None
            if isinstance(frame, wire.Frame):
                out += self._lie(frame)
            elif not self._bare:
                out += b"\0"
        return bytes(out)


def fails(vector: dict[str, Any], lie: Lie, *, hears: Lie = honest, bare: bool = False) -> bool:
    """Whether a dialogue fails with a fresh world behind the liar."""
    world = World(seed=1, now=START_S)
    bench = LyingBench(world, vector["device"], lie, hears=hears, bare=bare)
    try:
        DeviceRunner(vector["device"], bench, nonces(vector["id"])).run(vector["steps"])
    except VectorFailed:
        return True
    finally:
        world.close()
    return False


def on_field(device: str, name: str, field: str, *, mask: int = 1) -> Lie:
    """Change bits of the first byte of one field of one message, each time; payloads of another length stay."""
    message = BOOKS[device][name]
    at = 0
    for known, kind in message.fields:
        if known == field:
            break
        at += wire.size_of(kind)

    def lie(frame: wire.Frame) -> bytes:
        if frame.type != message.type or wire.unpack(message, frame.payload) is None:
            return honest(frame)
        payload = bytearray(frame.payload)
        payload[at] ^= mask
        return honest(replace(frame, payload=bytes(payload)))

    return lie


def waiting_for(device: str, message: str) -> list[dict[str, Any]]:
    """The dialogues in which this message of the device comes."""
    word = {"STATUS": '"status"'}.get(message, f'"{message}"')
    mine = [vector for vector in dialogues("device") if vector["device"] == device]
    named = [vector for vector in mine if word in json.dumps(vector["steps"])]
    others = [vector for vector in mine if vector not in named and "connect" in vector["steps"][0]]
    return named + others if message in ("HELLO", "HELLO_REPLY") else named


# Of sealed sessions and pairing no dialogue speaks: their bytes are pinned by sealed.jsonl, their behaviour by
# tests/link and tests/sealed; CARD_FACE comes from shoes of capability 256 only.
ELSEWHERE = {f"{name}{half}" for name in ("SEAL", "PAIR", "ATTEST", "UNPAIR") for half in ("", "_REPLY")} | {
    "CARD_FACE"
}


def _fields() -> list[Any]:
    return [
        pytest.param(device, message.name, field, id=f"{device}-{message.name}-{field}")
        for device, book in BOOKS.items()
        for message in book.values()
        if message.sender == "device" and message.name not in ELSEWHERE
        for field, _ in message.fields
        if field not in NOT_PINNED
    ]


@pytest.mark.parametrize(("device", "message", "field"), _fields())
def test_a_field_that_is_wrong_is_caught(device: str, message: str, field: str) -> None:
    """SHOE-2 to SHOE-8, READER-1 to READER-4, LINK-5 to LINK-7: each field of each message is pinned by a dialogue."""
    lie = on_field(device, message, field)
    texts = [(vector, json.dumps(vector["steps"])) for vector in waiting_for(device, message)]
    assert any(fails(vector, lie) for vector, text in texts if f'"{field}"' in text or field in ALWAYS)


def _asked() -> list[Any]:
    return [
        pytest.param(device, message.name, field, id=f"{device}-{message.name}-{field}")
        for device, book in BOOKS.items()
        for message in book.values()
        if message.sender == "host" and message.name not in ELSEWHERE
        for field, _ in message.fields
    ]


@pytest.mark.parametrize(("device", "message", "field"), _asked())
def test_a_field_that_is_heard_wrong_is_caught(device: str, message: str, field: str) -> None:
    """SHOE-3 to SHOE-8, READER-3.1, LINK-5 to LINK-7: no field of a host's message may be passed over."""
    hears = on_field(device, message, field, mask=0xFF)
    assert any(fails(vector, honest, hears=hears) for vector in waiting_for(device, message))


def _events() -> list[Any]:
    return [
        pytest.param(device, message.name, id=f"{device}-{message.name}")
        for device, book in BOOKS.items()
        for message in book.values()
        if message.sender == "device" and message.name not in ELSEWHERE
    ]


@pytest.mark.parametrize(("device", "message"), _events())
def test_a_message_that_is_never_sent_is_missed(device: str, message: str) -> None:
    """LINK-4 to LINK-7, SHOE-4 to SHOE-8, READER-2 to READER-4: a dialogue waits for each message of a device."""
    kind = BOOKS[device][message].type
    naming = waiting_for(device, message)
    assert any(fails(v, lambda frame: b"" if frame.type == kind else honest(frame)) for v in naming)


def _status_sequence(frame: wire.Frame) -> bytes:
    return honest(replace(frame, sequence=(frame.sequence + 1) % 256) if frame.type == 0x82 else frame)


def _reject_sequence(frame: wire.Frame) -> bytes:
    return honest(replace(frame, sequence=0) if frame.type == 0xFF else frame)


def _reject_session(frame: wire.Frame) -> bytes:
    return honest(replace(frame, session=1) if frame.type == 0xFF else frame)


def _hello_session(frame: wire.Frame) -> bytes:
    return honest(replace(frame, session=frame.payload[65]) if frame.type == 0x81 else frame)


def _mirror_nonce(frame: wire.Frame) -> bytes:
    payload = frame.payload[:17] + frame.payload[1:17] + frame.payload[33:]
    return honest(replace(frame, payload=payload) if frame.type == 0x81 else frame)


def _says_twice(frame: wire.Frame) -> bytes:
    return honest(frame) * (2 if 0x90 <= frame.type <= 0xBF else 1)


def _status_unasked(frame: wire.Frame) -> bytes:
    return honest(frame) * (2 if frame.type == 0x82 else 1)


def _old_session(frame: wire.Frame) -> bytes:
    return honest(replace(frame, session=frame.session - 1) if 0x60 <= frame.type <= 0x7F else frame)


HABITS: dict[str, Lie] = {
    "LINK-6.1": _status_sequence, "LINK-4.4": _reject_sequence, "LINK-5.1": _reject_session, "LINK-5.4": _hello_session,
    "LINK-5.3": _mirror_nonce, "LINK-4.1": _says_twice, "LINK-6.2": _status_unasked, "LINK-5.6": _old_session,
}  # fmt: skip


@pytest.mark.parametrize("clause", HABITS)
def test_a_wrong_habit_of_the_link_is_caught(clause: str) -> None:
    """The clause is the parameter."""
    citing = [vector for vector in dialogues("device") if clause in vector["clauses"]]
    assert any(fails(vector, HABITS[clause]) for vector in citing)


def test_a_missing_delimiter_is_caught() -> None:
    """LINK-3.4: no 00 after a silence."""
    citing = [vector for vector in dialogues("device") if "LINK-3.4" in vector["clauses"]]
    assert any(fails(vector, honest, bare=True) for vector in citing)


@pytest.mark.parametrize(
    ("clause", "kind"), [("LINK-7.4", 0x03), ("LINK-6.3", 0x02), ("LINK-5.3", 0x01), ("SHOE-5.1", 0x12)]
)
def test_a_deaf_device_is_caught(clause: str, kind: int) -> None:
    """EVENT_ACK, HEARTBEAT, HELLO, SET_INHIBIT: what does not arrive is missed."""
    citing = [vector for vector in dialogues("device") if clause in vector["clauses"]]

    def deaf(frame: wire.Frame) -> bytes:
        return b"" if frame.type == kind else honest(frame)

    assert any(fails(vector, honest, hears=deaf) for vector in citing)


def test_the_liar_itself_changes_nothing() -> None:
    """LINK-1.2: with no lie a dialogue passes, so the failures above are the lies' own; every fifth is tried."""
    assert [vector["id"] for vector in dialogues("device")[::5] if fails(vector, honest)] == []
