"""A host written from the prose of link-v1, for the simulator's tests: its own COBS, CRC and message layouts.

Knows neither the drivers nor the simulator's wire; field layouts come from the protocol's TOML files.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import struct
import tomllib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cardshoe.sim.world import World

PROTOCOLS = Path(__file__).parents[2] / "firmware_protocols"
_SIZES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}


def load(name: str) -> dict[str, Any]:
    return tomllib.loads((PROTOCOLS / f"{name}.toml").read_text(encoding="utf-8"))


def cobs(content: bytes) -> bytes:
    """COBS for content below 254 bytes, by walking backwards: each 00 becomes the distance to the next one."""
    work = bytearray(b"\x00" + content)
    distance = 1
    for place in range(len(work) - 1, -1, -1):
        if work[place] == 0:
            work[place] = distance
            distance = 0
        distance += 1
    return bytes(work)


def uncobs(encoded: bytes) -> bytes:
    work = bytearray(encoded)
    place = 0
    while place < len(work):
        step, work[place] = work[place], 0
        assert step > 0, encoded.hex()
        place += step
    assert place == len(work), encoded.hex()
    return bytes(work[1:])


def wire_frame(session: int, kind: int, sequence: int, payload: bytes) -> bytes:
    content = bytes((1, session, kind, sequence, len(payload))) + payload
    return cobs(content + struct.pack("<I", zlib.crc32(content))) + b"\x00"


@dataclass(frozen=True)
class Seen:
    """One message that the device sent."""

    name: str
    session_byte: int
    sequence: int
    fields: dict[str, Any]
    at: float = 0.0

    def __getattr__(self, name: str) -> Any:
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(name) from None


class Protocol:
    """The messages of one device, from the TOML files."""

    def __init__(self, device: str) -> None:
        link, own = load("link-v1"), load(f"{device}-v1")
        self.device = device
        self.enums: dict[str, dict[str, int]] = {**link["enum"], **own["enum"]}
        self.by_name: dict[str, tuple[int, list[tuple[str, str]]]] = {}
        self.events: set[str] = set()
        for message in link["message"] + own["message"]:
            fields = list(message["fields"])
            if message["kind"] == "event":
                fields = link["event"]["fields"] + fields
                self.events.add(message["name"])
            if message["name"] == "STATUS":
                fields += own["status"]["fields"]
            self.by_name[message["name"]] = (message["type"], [tuple(one.split(":")) for one in fields])
        self.by_type = {kind: name for name, (kind, _) in self.by_name.items()}

    def pack(self, name: str, fields: dict[str, Any]) -> bytes:
        out = b""
        for field_name, kind in self.by_name[name][1]:
            value = fields[field_name]
            out += struct.pack("<" + _SIZES[kind], value) if kind in _SIZES else value
        return out

    def unpack(self, name: str, payload: bytes) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        for field_name, kind in self.by_name[name][1]:
            width = int(kind.lstrip("abcdefghijklmnopqrstuvwxyz"))
            width = width // 8 if kind in _SIZES else width
            piece, payload = payload[:width], payload[width:]
            assert len(piece) == width, name
            if kind in _SIZES:
                fields[field_name] = int.from_bytes(piece, "little")
            else:
                fields[field_name] = piece.rstrip(b"\x00").decode() if kind.startswith("text") else piece
        assert payload == b"", name
        return fields


class Ear:
    """Decodes what a device sends; anything malformed fails the test, unless `tolerant`."""

    def __init__(self, protocol: Protocol, *, tolerant: bool = False) -> None:
        self.protocol = protocol
        self.tolerant = tolerant
        self.spoilt = 0
        self._buffer = b""

    def hear(self, data: bytes, at: float = 0.0) -> Iterator[Seen]:
        *whole, self._buffer = (self._buffer + data).split(b"\x00")
        for encoded in filter(None, whole):
            try:
                yield self._decode(encoded, at)
            except (AssertionError, KeyError, IndexError):
                if not self.tolerant:
                    raise
                self.spoilt += 1

    def _decode(self, encoded: bytes, at: float) -> Seen:
        content = uncobs(encoded)
        assert len(encoded) <= 254
        assert len(content) >= 9
        assert content[0] == 1
        assert len(content) == 5 + content[4] + 4
        assert zlib.crc32(content[:-4]) == struct.unpack("<I", content[-4:])[0]
        name = self.protocol.by_type[content[2]]
        return Seen(name, content[1], content[3], self.protocol.unpack(name, content[5:-4]), at)


def spec_hash(device: str) -> bytes:
    both = {"device": load(f"{device}-v1"), "link": load("link-v1")}
    return hashlib.sha256(json.dumps(both, sort_keys=True, separators=(",", ":")).encode()).digest()


@dataclass
class Bench:
    """A host on a world in virtual time: heartbeats every 250 ms, events acknowledged as they come."""

    world: World
    port: str = "shoe"
    now: float = 0.0
    heartbeat: bool = True
    acknowledge: bool = True
    lease_ms: int = 1000
    tolerant: bool = False
    session: int = 0
    sequence: int = 1
    seen: list[Seen] = field(default_factory=list)
    events: list[Seen] = field(default_factory=list)
    consumed: int = 0
    _nonces: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _beat: int = 0
    _beat_at: float = 0.0

    def __post_init__(self) -> None:
        self.protocol = Protocol(self.port)
        self.ear = Ear(self.protocol, tolerant=self.tolerant)

    # --- sending

    def frame(self, name: str, sequence: int, session: int | None = None, **fields: Any) -> bytes:
        kind = self.protocol.by_name[name][0]
        used = self.session if session is None else session
        return wire_frame(used, kind, sequence, self.protocol.pack(name, fields))

    def put(self, data: bytes) -> list[Seen]:
        """Send bytes and return what the device sent since the last look."""
        self.world.receive(self.port, data, self.now)
        return self.look()

    def look(self) -> list[Seen]:
        fresh = list(self.ear.hear(self.world.take_output(self.port), self.now))
        self.seen += fresh
        for one in fresh:
            if one.name in self.protocol.events and one.session_byte == self.session:
                self._event(one)
        return fresh

    def _event(self, event: Seen) -> None:
        if event.event_id == self.consumed + 1:
            self.events.append(event)
            self.consumed = event.event_id
        if self.acknowledge:
            self.put(self.frame("EVENT_ACK", 0, consumed_event=self.consumed))

    def hello(
        self, *, nonce: bytes | None = None, purpose: int = 0, security: int = 0, hash_: bytes | None = None
    ) -> Seen:
        nonce = nonce or next(self._nonces).to_bytes(16, "big")
        data = self.frame(
            "HELLO", 9, 0, host_nonce=nonce, spec_hash=hash_ or spec_hash(self.port), purpose=purpose,
            security=security, consumed_event=self.consumed,
        )  # fmt: skip
        self.world.receive(self.port, b"\x00" + data, self.now)
        fresh = list(self.ear.hear(self.world.take_output(self.port), self.now))
        reply = fresh[0]
        assert reply.name == "HELLO_REPLY"
        assert (reply.session_byte, reply.sequence) == (0, 9)
        self.seen += fresh
        if reply.result == 0 and reply.fields["session"] != self.session:
            self.session, self.sequence = reply.fields["session"], 1
            self._beat_at = self.now
        for one in fresh[1:]:
            if one.name in self.protocol.events:
                self._event(one)
        return reply

    def beat(self) -> Seen:
        """Send one heartbeat and return its STATUS."""
        return next(one for one in self._send_beat() if one.name == "STATUS")

    def _send_beat(self) -> list[Seen]:
        self._beat = (self._beat + 1) % 256
        self._beat_at = self.now + 0.25
        return self.put(self.frame("HEARTBEAT", self._beat, lease_ms=self.lease_ms))

    def command(self, name: str, **fields: Any) -> Seen:
        """Send a command and return its reply or REJECT."""
        fresh = self.put(self.frame(name, self.sequence, **fields))
        reply = next(one for one in fresh if one.name in {f"{name}_REPLY", "REJECT"})
        assert reply.sequence == self.sequence
        if reply.name != "REJECT":
            self.sequence = (self.sequence + 1) % 256
        return reply

    def dispense(self, command_id: int, cards: int = 2, deck_id: int | None = None, destination: int = 1) -> int:
        deck = self.deck_id if deck_id is None else deck_id
        return self.command(
            "DISPENSE", command_id=command_id, deck_id=deck, cards=cards, destination=destination
        ).result

    @property
    def deck_id(self) -> int:
        return self.beat().deck_id

    # --- time

    def run(self, seconds: float) -> list[Seen]:
        """Let time pass, heartbeats kept up; return the events that came."""
        before = len(self.events)
        end = self.now + seconds
        while self.now < end:
            due = self.world.next_deadline()
            self.now = min(
                end, self._beat_at if self.heartbeat and self.session else end, due if due is not None else end
            )
            self.world.advance(self.now)
            self.look()
            if self.heartbeat and self.session and self.now >= self._beat_at:
                self._send_beat()
        return self.events[before:]

    def until(self, name: str, limit: float = 100.0) -> Seen:
        """Let time pass until an event comes that was not there before."""
        known = len(self.events)
        end = self.now + limit
        while self.now < end:
            for event in self.events[known:]:
                if event.name == name:
                    return event
            known = len(self.events)
            self.run(0.01)
        raise AssertionError(f"no {name} within {limit} s; events: {[event.name for event in self.events]}")

    def do(self, do: str, **keys: Any) -> dict[str, Any]:
        """A control request that must succeed."""
        answer = self.world.control({"do": do, **keys}, self.now)
        assert answer["ok"], answer
        self.look()
        return answer

    def refused(self, do: str, **keys: Any) -> str:
        """A control request that must be refused; returns the text."""
        answer = self.world.control({"do": do, **keys}, self.now)
        assert answer["ok"] is False, answer
        return str(answer["text"])

    @property
    def names(self) -> list[str]:
        return [event.name for event in self.events]


def fresh(seed: int = 1, **keys: Any) -> Bench:
    """A fresh world with a host whose session has begun and whose lease is valid."""
    bench = Bench(World(seed=seed, **keys))
    bench.hello()
    bench.beat()
    return bench


def all_cards(world: World) -> list[str]:
    """All cards of a world, by truth, sorted."""
    return sorted(card for cards in world.every_card().values() for card in cards)


def count_at(world: World, *places: str) -> int:
    """How many cards lie at these places, by truth."""
    cards = world.every_card()
    return sum(len(cards[place]) for place in places)


RANKS = "23456789TJQKA"
FULL_DECK = sorted([rank + suit for rank in RANKS for suit in "cdhs"] + ["cover", "cover"])


def face_number(card: str) -> int:
    """A face as reader-v1 numbers it (READER-1.3)."""
    return RANKS.index(card[0]) * 4 + "cdhs".index(card[1])
