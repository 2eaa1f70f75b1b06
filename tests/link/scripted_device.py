"""A device for the tests of the host's link, and a line between them that loses, repeats, delays, splits and flips.

The device keeps the device's side of link-v1 as far as the host can tell, and a small shoe behind it: commands are
carried out (or refused) once for each id, events come from a ring that survives restarts. It is written for these
tests and is no device of the product; it has knobs where a test wants a bad one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.link.events import LinkEvent, LinkOutput
from cardshoe.link.machine import HostLink
from cardshoe.wire.framing import Deframer, Frame, encode_frame

SPEC = SHOE_CODEC.spec
TYPE = {name: message.type for name, message in SPEC.messages.items()}
EVENT_REPEAT_S = 0.2


def frame_of(name: str, fields: dict[str, Any], *, session: int, sequence: int) -> bytes:
    """A frame on the line."""
    payload = SHOE_CODEC.payload(SHOE_CODEC.build(name, fields))
    return encode_frame(session=session, type=TYPE[name], sequence=sequence, payload=payload)


def status_fields(**changes: int) -> dict[str, int]:
    """A quiet shoe's STATUS."""
    fields = {field.name: 0 for field in SPEC.messages["STATUS"].fields}
    return {**fields, "boot_counter": 1, "state": 1, "deck_state": 2, "deck_id": 1, "cards_left": 52, **changes}


def hello_reply_fields(host_nonce: bytes, **changes: Any) -> dict[str, Any]:
    """A good shoe's HELLO_REPLY."""
    fields = {
        "result": 0,
        "host_nonce": host_nonce,
        "device_nonce": bytes(range(16)),
        "spec_hash": SPEC.hash,
        "session": 1,
        "device_kind": 1,
        "model": "CS-1000",
        "serial": "S-0001",
        "firmware": "1.0.0",
        "boot_counter": 1,
        "ring_size": 16,
        "capabilities": 31,
        "oldest_event": 1,
        "last_event": 0,
    }
    return {**fields, **changes}


@dataclass
class ScriptedDevice:
    """The device's side. What survives a restart: `boot`, `session`, `done`, `events`, `consumed`."""

    ring_size: int = 16
    busy_hellos: int = 0  # answers `busy` so many times first
    boot: int = 1
    session: int = 0
    done: list[int] = field(default_factory=list)  # command ids carried out, in order
    refuse: Callable[[int], int] = lambda _command_id: 0  # DISPENSE_REPLY result by id
    events: list[tuple[int, int, str, dict[str, Any]]] = field(default_factory=list)  # (id, boot, name, fields)
    consumed: int = 0
    log: list[str] = field(default_factory=list)  # each command frame carried out, by name and sequence

    def __post_init__(self) -> None:
        self.all_events: list[tuple[int, str]] = []
        self.last_event = 0
        self._forget()

    def _forget(self) -> None:
        self._deframer = Deframer()
        self._live = False
        self._nonce = b""
        self._last: tuple[int, int, bytes] | None = None
        self._kept = b""
        self._expected = 1
        self._event_at = 0.0
        self._out = b""

    def restart(self) -> None:
        """Lose everything that a power cut takes."""
        self._forget()
        self.boot += 1

    def happen(self, name: str, **fields: Any) -> None:
        """Put an event into the ring, over the oldest when it is full (LINK-7.7), and send it at once (LINK-7.3)."""
        self.last_event += 1
        event = (self.last_event, self.boot, name, fields)
        self.all_events.append((self.last_event, name))
        self.events = [*self.events, event][-self.ring_size :]
        if self._live:
            self._send_event(event)

    def receive(self, data: bytes, now: float) -> bytes:
        """Bytes in, bytes out."""
        for frame in self._deframer.feed(data):
            self._take(frame)
        return self.advance(now)

    def advance(self, now: float) -> bytes:
        """Send held events again when their time has come."""
        if self._live and now >= self._event_at:
            self._event_at = now + EVENT_REPEAT_S
            for event in self.events[:8]:
                self._send_event(event)
        out, self._out = self._out, b""
        return out

    def _send_event(self, event: tuple[int, int, str, dict[str, Any]]) -> None:
        event_id, boot, name, fields = event
        head = {"event_id": event_id, "boot_counter": boot, "uptime_ms": 0}
        self._send(name, {**head, **fields}, sequence=event_id % 256)

    def _send(self, name: str, fields: dict[str, Any], *, sequence: int, session: int | None = None) -> None:
        self._out += frame_of(name, fields, session=self.session if session is None else session, sequence=sequence)

    def _reject(self, reason: int, frame: Frame) -> None:
        fields = {"reason": reason, "rejected_type": frame.type}
        self._send("REJECT", fields, sequence=frame.sequence, session=frame.session)

    def _take(self, frame: Frame) -> None:
        message: Any = SHOE_CODEC.decode(frame)
        if frame.type == TYPE["HELLO"]:
            self._hello(frame, message)
        elif not self._live or frame.session != self.session:
            if frame.type != TYPE["EVENT_ACK"]:
                self._reject(1, frame)
        elif frame.type == TYPE["EVENT_ACK"]:
            self._consume(message.consumed_event)
        elif frame.type == TYPE["HEARTBEAT"]:
            fields = status_fields(boot_counter=self.boot, last_event=self.last_event, held_events=len(self.events))
            self._send("STATUS", fields, sequence=frame.sequence)
        else:
            self._command(frame, message)

    def _hello(self, frame: Frame, hello: Any) -> None:
        if hello.host_nonce != self._nonce and not self.busy_hellos:
            self._live = True
            self._nonce = hello.host_nonce
            self.session = self.session % 255 + 1
            self._last, self._kept, self._expected, self._event_at = None, b"", 1, 0.0
            self._consume(hello.consumed_event)
        fields = hello_reply_fields(
            hello.host_nonce,
            result=4 if self.busy_hellos else 0,
            session=0 if self.busy_hellos else self.session,
            boot_counter=self.boot,
            ring_size=self.ring_size,
            oldest_event=self.events[0][0] if self.events else self.last_event + 1,
            last_event=self.last_event,
        )
        self.busy_hellos = max(0, self.busy_hellos - 1)
        self._send("HELLO_REPLY", fields, sequence=frame.sequence, session=0)

    def _consume(self, up_to: int) -> None:
        if up_to <= self.last_event:
            self.consumed = max(self.consumed, up_to)
            self.events = [event for event in self.events if event[0] > up_to]

    def _command(self, frame: Frame, message: Any) -> None:
        same = (frame.sequence, frame.type, frame.payload)
        if self._last is not None and frame.sequence == self._last[0]:
            self._out += self._kept if same == self._last else b""
            if same != self._last:
                self._reject(4, frame)
            return
        if frame.sequence != self._expected:
            self._reject(4, frame)
            return
        if message is None:
            self._reject(3, frame)
            return
        if isinstance(message, SET_INHIBIT) and message.inhibited > 1:
            self._reject(6, frame)
            return
        self._carry_out(frame, message, same)

    def _carry_out(self, frame: Frame, message: Any, same: tuple[int, int, bytes]) -> None:
        self.log.append(f"{type(message).__name__} {frame.sequence}")
        out, self._out = self._out, b""
        if isinstance(message, DISPENSE):
            self._dispense(frame, message)
        elif isinstance(message, QUERY):
            outcome = 2 if message.command_id in self.done else 0 if message.command_id > self._highest else 3
            reply = {"cards_seen": 2, "taken": 0, "first_slot": 0, "fault": 0}
            fields = {"command_id": message.command_id, "outcome": outcome, **reply}
            self._send("QUERY_COMMAND_REPLY", fields, sequence=frame.sequence)
        elif isinstance(message, SET_INHIBIT):
            self._send("SET_INHIBIT_REPLY", {"inhibited": message.inhibited}, sequence=frame.sequence)
        else:
            counters = {field.name: 0 for field in SPEC.messages["READ_COUNTERS_REPLY"].fields}
            self._send("READ_COUNTERS_REPLY", counters, sequence=frame.sequence)
        self._last, self._kept, self._expected = same, self._out, (frame.sequence + 1) % 256
        self._out = out + self._out

    @property
    def _highest(self) -> int:
        return max(self.done, default=0)

    def _dispense(self, frame: Frame, message: Any) -> None:
        result = self.refuse(message.command_id)
        if message.command_id <= self._highest:
            result = 10
        if len(self.events) >= self.ring_size:
            result = result or 12
        self._send("DISPENSE_REPLY", {"command_id": message.command_id, "result": result}, sequence=frame.sequence)
        if result == 0:
            self.done.append(message.command_id)
            ready = {"command_id": message.command_id, "deck_id": 1, "cards": message.cards, "first_slot": 0}
            kept, self._out = self._out, b""
            self.happen("STACK_READY", **ready)
            self._out = kept  # the event goes out with the next repeat, so that the kept reply is the reply alone
            self._event_at = 0.0


DISPENSE = type(SHOE_CODEC.build("DISPENSE", dict.fromkeys(("command_id", "deck_id", "cards", "destination"), 0)))
QUERY = type(SHOE_CODEC.build("QUERY_COMMAND", {"command_id": 0}))
SET_INHIBIT = type(SHOE_CODEC.build("SET_INHIBIT", {"inhibited": 0}))


@dataclass
class Line:
    """One direction of a hostile line. Every probability is per piece; `random` makes it the same each time."""

    random: Random
    lose: float = 0.0
    repeat: float = 0.0
    delay: float = 0.0
    split: float = 0.0
    flip: float = 0.0
    transit_s: float = 0.001

    def __post_init__(self) -> None:
        self.under_way: list[tuple[float, int, bytes]] = []
        self._count = 0
        self._free_at = 0.0

    def send(self, data: bytes, now: float) -> None:
        """Put bytes on the line."""
        for piece in self._pieces(data):
            self._piece(piece, now)

    def _pieces(self, data: bytes) -> Iterable[bytes]:
        if len(data) > 1 and self.random.random() < self.split:
            at = self.random.randrange(1, len(data))
            return (data[:at], data[at:])
        return (data,) if data else ()

    def _piece(self, piece: bytes, now: float) -> None:
        if self.random.random() < self.lose:
            return
        if self.random.random() < self.flip:
            at = self.random.randrange(len(piece))
            piece = piece[:at] + bytes([piece[at] ^ 1 << self.random.randrange(8)]) + piece[at + 1 :]
        late = self.random.uniform(0, 0.4) if self.random.random() < self.delay else 0.0
        self._free_at = max(self._free_at, now + self.transit_s + late)
        self._put(piece, self._free_at)
        if self.random.random() < self.repeat:
            self._put(piece, self._free_at + self.random.uniform(0, 0.6))  # overtaken by what is sent meanwhile

    def _put(self, piece: bytes, at: float) -> None:
        self._count += 1
        self.under_way.append((at, self._count, piece))

    def due(self, now: float) -> bytes:
        """Take what has arrived by `now`."""
        arrived = sorted(item for item in self.under_way if item[0] <= now)
        self.under_way = [item for item in self.under_way if item[0] > now]
        return b"".join(piece for _at, _number, piece in arrived)

    def next_at(self) -> float | None:
        """When the next piece arrives."""
        return min((at for at, _number, _piece in self.under_way), default=None)


class Rig:
    """Host, device and the two directions of a line under one virtual clock."""

    def __init__(
        self, host: HostLink, device: ScriptedDevice, *, down: Line | None = None, up: Line | None = None
    ) -> None:
        self.host, self.device = host, device
        self.down = down or Line(Random(0))
        self.up = up or Line(Random(0))
        self.now = 0.0
        self.events: list[LinkEvent] = []
        self.on_event: Callable[[LinkEvent], None] = lambda _event: None
        self.device_mute = False

    def take(self, output: LinkOutput) -> None:
        """Put the host's bytes on the line and hear its events."""
        self.down.send(output.data, self.now)
        self.events += output.events
        for event in output.events:
            self.on_event(event)

    def run(self, seconds: float) -> None:
        """Let `seconds` of virtual time pass."""
        until = self.now + seconds
        while True:
            times = [self.host.next_deadline(), self.down.next_at(), self.up.next_at(), self.now + 0.05]
            self.now = min(until, *(max(self.now, at) for at in times if at is not None))
            self._step()
            if self.now >= until:
                return
            self.now += 1e-6

    def _step(self) -> None:
        if data := self.down.due(self.now):
            self._up(self.device.receive(data, self.now))
        self._up(self.device.advance(self.now))
        if data := self.up.due(self.now):
            self.take(self.host.receive(data, self.now))
        self.take(self.host.advance(self.now))

    def _up(self, data: bytes) -> None:
        if not self.device_mute:
            self.up.send(data, self.now)

    def told(self, *kinds: type[LinkEvent]) -> list[LinkEvent]:
        """The events of these kinds so far."""
        return [event for event in self.events if isinstance(event, kinds)]


def make_host(seed: int = 1, **options: Any) -> HostLink:
    """A host's link with repeatable nonces."""
    random = Random(f"nonce {seed}")
    return HostLink(SHOE_CODEC, nonce=lambda: random.randbytes(16), **options)


def dispense(command_id: int, cards: int = 2) -> Any:
    """A command."""
    return SHOE_CODEC.build("DISPENSE", {"command_id": command_id, "deck_id": 1, "cards": cards, "destination": 1})
