"""The same game of N deals, line noise included, against any build of the firmware: what it did, as one digest.

Owns a small host that speaks link-v1 by the vectors' wire and knows what it damaged, so that nothing hangs on a time:
noise is keyed to the number of the frame, and a damaged copy goes before the good one. What differs between machines by
nature (uptime, the session's nonces) is not in the log.
"""

from __future__ import annotations

import hashlib
import random
import time
from dataclasses import dataclass, field
from typing import Any

from firmware_kit import Port
from vector_wire import Frame, load, pack, read_collection, spec_hash, unpack, wire_of

MESSAGES = load("shoe")
BY_TYPE = {message.type: message for message in MESSAGES.values()}
# What the benches of all builds are told: quick cards, a quick hand, a seeded double feed now and then.
CARD_MS, COUNT_MS, HAND_MS, DOUBLES, SEED = 10, 2, 20, 8, 77
FLAGS = [f"-DBENCH_CARD_MS={CARD_MS}", f"-DBENCH_COUNT_MS={COUNT_MS}", f"-DBENCH_HAND_MS={HAND_MS}"]
FLAGS += [f"-DBENCH_DOUBLES={DOUBLES}", f"-DBENCH_SEED={SEED}"]
OPTIONS = ["--card-ms", str(CARD_MS), "--count-ms", str(COUNT_MS), "--hand-ms", str(HAND_MS)]
OPTIONS += ["--doubles", str(DOUBLES), "--seed", str(SEED)]
DECK, LOW = 52, 7  # bench.h: with fewer than LOW cards the hand puts a new deck in
DOUBLE_FEED = 0x0102
PATIENCE_S = 20.0  # a build that does not answer is broken; no result hangs on it


def damage(wire: bytes, chance: random.Random) -> bytes:
    """The frame as a bad line delivers it; the 00 at its end comes through, so that the next frame is understood."""
    bad, at = bytearray(wire[:-1]), chance.randrange(len(wire) - 1)
    match chance.choice(["flip", "lose", "double", "insert", "burst"]):
        case "flip":
            bad[at] ^= 1 << chance.randrange(8)
        case "lose":
            del bad[at]
        case "double" if bad[at] != 0:
            bad.insert(at, bad[at])
        case "insert":
            bad.insert(at, chance.randrange(1, 256))
        case _:
            bad[at:] = bytes(chance.randrange(256) for _ in range(len(bad) - at))
    return bytes(bad) + b"\0"


def line_of(name: str, fields: dict[str, Any]) -> bytes:
    """A line of a log."""
    return f"{name} {sorted(fields.items())}\n".encode()


@dataclass
class Game:
    """A host at the table: it deals, consumes, clears and prepares.

    `log` is the event log, `replies` what was asked and answered: two, for an event may overtake a reply.
    """

    port: Port
    seed: int
    log: Any = field(default_factory=hashlib.sha256)
    replies: Any = field(default_factory=hashlib.sha256)
    events: int = 0
    damaged: int = 0
    repeated: int = 0
    calls: int = 0
    session: int = 0
    sequence: int = 0
    last_event: int = 0
    command: int = 0
    deck: int = 0
    open_bytes: bytearray = field(default_factory=bytearray)
    waiting: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    reply: dict[str, Any] | None = None
    asked: str = ""

    # --- sending

    def send(self, message: str, sequence: int, number: int, **fields: Any) -> None:
        """A frame with the noise that belongs to its number: its place among its kind, whatever was sent between."""
        wire = wire_of(0 if message == "HELLO" else self.session, MESSAGES[message].type, sequence,
                       pack(MESSAGES[message], fields))  # fmt: skip
        chance = random.Random(f"{self.seed} {message} {number}")
        noise = b""
        if chance.random() < 0.3:
            noise, self.damaged = damage(wire, chance), self.damaged + 1
            if chance.random() < 0.2:
                noise += damage(wire, chance)
        if chance.random() < 0.1 and message not in ("HELLO", "HEARTBEAT"):
            wire, self.repeated = wire * 2, self.repeated + 1  # the host lost the reply and sends the same again
        self.port.write(noise + wire)

    def call(self, message: str, **fields: Any) -> dict[str, Any]:
        """A command, the lease renewed just before it; its reply is noted."""
        self.sequence = (self.sequence + 1) % 256
        self.calls += 1
        self.send("HEARTBEAT", self.sequence, self.calls, lease_ms=2000)
        self.asked, self.reply = message + "_REPLY", None
        self.send(message, self.sequence, self.calls, **fields)
        self.until(lambda: self.reply is not None)
        assert self.reply is not None
        self.replies.update(line_of(message, {**fields, **self.reply}))
        return self.reply

    # --- receiving

    def until(self, done: Any) -> None:
        """Read until `done`."""
        end = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < end, f"nothing more came after event {self.last_event}, command {self.command}"
            self.read(1.0)

    def read(self, wait_s: float) -> None:
        """Take what comes within the time; every piece between two 00 must be a frame."""
        for byte in self.port.read(wait_s):
            if byte:
                self.open_bytes.append(byte)
            elif self.open_bytes:
                frame = read_collection(bytes(self.open_bytes))
                assert isinstance(frame, Frame), (frame, self.open_bytes.hex())
                self.open_bytes.clear()
                self.take(frame)

    def take(self, frame: Frame) -> None:
        """A frame of the device: a reply, an event, a STATUS; a REJECT means that a damaged frame was believed."""
        message = BY_TYPE[frame.type]
        fields = unpack(message, frame.payload)
        assert fields is not None, frame
        assert message.name != "REJECT", (fields, self.calls)
        if message.name == self.asked and (frame.sequence == self.sequence or message.name == "HELLO_REPLY"):
            assert self.reply is None or self.reply == fields or message.name == "HELLO_REPLY", "the kept reply changed"
            self.reply = fields
        elif message.kind == "event":
            self.take_event(message.name, fields)

    def take_event(self, name: str, fields: dict[str, Any]) -> None:
        """The next event is noted and consumed; one that was seen is consumed again (LINK-7.5)."""
        if fields["event_id"] == self.last_event + 1:
            self.last_event += 1
            self.events += 1
            told = {key: value for key, value in fields.items() if key != "uptime_ms"}
            self.log.update(line_of(name, told))
            self.waiting.append((name, told))
            self.send("EVENT_ACK", 0, self.last_event, consumed_event=self.last_event)
        else:
            self.port.write(
                wire_of(self.session, 0x03, 0, pack(MESSAGES["EVENT_ACK"], {"consumed_event": self.last_event}))
            )

    def event(self, *names: str) -> tuple[str, dict[str, Any]]:
        """Wait for the next event that has one of these names; those before it are in the log and of no other use."""
        while True:
            self.until(lambda: bool(self.waiting))
            name, fields = self.waiting.pop(0)
            if name in names:
                return name, fields

    # --- the game

    def open(self) -> None:
        """HELLO until it is answered."""
        nonce, self.asked, self.reply = bytes(range(16)).hex(), "HELLO_REPLY", None
        fields = {"host_nonce": nonce, "spec_hash": spec_hash("shoe"), "purpose": 0, "security": 0, "consumed_event": 0}
        end = time.monotonic() + PATIENCE_S
        while self.reply is None:
            assert time.monotonic() < end, "no HELLO_REPLY"
            self.port.write(b"\0" + wire_of(0, 0x01, 1, pack(MESSAGES["HELLO"], fields)))
            again = time.monotonic() + 3.0  # not sooner: a simulator may be slow to start, and would get a flood
            while self.reply is None and time.monotonic() < again:
                self.read(0.5)
        assert self.reply["result"] == 0
        self.session, self.sequence = self.reply["session"], 0

    def prepare(self) -> int:
        """A verified deck; returns how many cards it has."""
        self.command += 1
        assert self.call("PREPARE_DECK", command_id=self.command)["result"] == 0
        _, fields = self.event("DECK_VERIFIED")
        self.deck = fields["deck_id"]
        return int(fields["cards"])

    def deal(self, cards: int, place: int) -> int:
        """One stack, taken by the hand; returns how many cards left the magazine."""
        self.command += 1
        reply = self.call("DISPENSE", command_id=self.command, deck_id=self.deck, cards=cards, destination=place)
        assert reply["result"] == 0, (reply, self.command)
        name, fields = self.event("STACK_READY", "DISPENSE_FAILED")
        self.event("STACK_TAKEN")
        if name == "STACK_READY":
            return int(fields["cards"])
        assert fields["fault"] == DOUBLE_FEED
        self.call("CLEAR_FAULT", fault=DOUBLE_FEED)
        self.event("FAULT_CLEARED")
        return int(fields["cards_seen"])

    def play(self, deals: int) -> str:
        """The whole game; returns the digest of the event log and of the replies."""
        self.open()
        left = self.prepare()
        chance = random.Random(self.seed)
        for _ in range(deals):
            left -= self.deal(chance.choice([1, 2, 3]), chance.randrange(7))
            if left < LOW:
                self.event("DOOR_CLOSED")
                left = self.prepare()
        self.call("READ_COUNTERS")
        for id_ in range(self.command, max(0, self.command - 64), -1):
            self.call("QUERY_COMMAND", command_id=id_)
        return f"{self.log.hexdigest()} {self.replies.hexdigest()}"


def play(name: str, deals: int, seed: int = 1) -> tuple[str, Game]:
    """Play against the device on this port; the digest and the game."""
    port = Port(name)
    try:
        game = Game(port, seed)
        return game.play(deals), game
    finally:
        port.close()
