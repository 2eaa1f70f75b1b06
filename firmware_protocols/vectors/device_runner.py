"""Runs a dialogue of role "device" against a device: sends what the host would send and checks what comes back.

Owns the steps of README.md section 4. Reaches the device through a `Bench`, which brings bytes, time and the hands at
the device; so the same dialogue runs in virtual time against a simulated device and in real time against a real one.
Knows only the wire of `vector_wire`; neither drivers nor simulator.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from patterns import Names, VectorFailed, VectorWrong, matches, matches_all, value_of
from vector_wire import Frame, Message, load, pack, read_collection, spec_hash, unpack, wire_of

Step = dict[str, Any]
HEARTBEAT_S = 0.25  # LINK-6.1
HELLO_REPEAT_S = 0.25  # LINK-5.12
BUSY = 4


class Bench(Protocol):
    """The device's line, a clock and the hands at the device."""

    def now(self) -> float:
        """Seconds on a clock that only goes forward."""

    def write(self, data: bytes) -> None:
        """Put bytes on the line to the device."""

    def read(self, until: float) -> bytes:
        """Wait for bytes from the device; return them as they come, or b"" at `until`."""

    def control(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do something at the device by hand (take_stack, power, fault …); the answer has "ok"."""


@dataclass(slots=True)
class Received:
    """A frame of the device as the dialogue sees it; `fields` is None where the payload is no message of its type."""

    frame: Frame
    name: str
    fields: dict[str, Any] | None
    repeated: bool
    delimited: bool

    def text(self) -> str:
        """What a person reads in a failure."""
        told = {"message": self.name, "session": self.frame.session, "sequence": self.frame.sequence}
        return json.dumps(told | {"fields": self.fields})


class Line:
    """Bytes in, frames out, with the 00 before each frame remembered (LINK-3.4)."""

    def __init__(self) -> None:
        self._open = bytearray()
        self._zeros = 0

    def feed(self, data: bytes) -> list[tuple[Frame, bool]]:
        """Return the frames and whether a 00 stood before them; a device must not send anything else."""
        found = []
        for byte in data:
            if byte:
                self._open.append(byte)
            elif not self._open:
                self._zeros += 1
            else:
                frame = read_collection(bytes(self._open))
                if isinstance(frame, str):
                    raise VectorFailed(f"the device sent {self._open.hex()}, which is no frame ({frame})")
                found.append((frame, self._zeros > 0))
                self._open.clear()
                self._zeros = 0
        return found

    def reset(self) -> None:
        """Forget a frame that was cut off, as after a power cut."""
        self._open.clear()
        self._zeros = 0


class DeviceRunner:
    """One dialogue with one device. Raises VectorFailed where the device does not do what the vector says.

    `slack_ms` is added to each `within_ms`: what the line itself delays (LINK-8.3).
    """

    def __init__(self, device: str, bench: Bench, nonce: Callable[[], bytes], *, slack_ms: int = 0) -> None:
        self.slack_ms = slack_ms
        self.messages: dict[str, Message] = load(device)
        self.by_type = {message.type: message for message in self.messages.values()}
        self.bench, self.nonce = bench, nonce
        self.names: Names = {"spec_hash": spec_hash(device)}
        self.inbox: list[Received] = []
        self.line = Line()
        self.session = self.boot = self.last_event = 0
        self.seen: set[int] = set()
        self.status: dict[str, Any] | None = None
        self.lease_ms: int | None = None
        self.beat = 0
        self.beat_due = 0.0
        self.beats_open: set[int] = set()
        self.actions = {
            "send": self._send, "expect": self._expect, "expect_all": self._expect_all, "status": self._status,
            "expect_nothing_ms": self._nothing, "wait_ms": self._wait, "discard_ms": self._discard,
            "world": self._world, "heartbeat": self._heartbeat, "connect": self._connect, "let": self._let,
            "repeat": self._repeat,
        }  # fmt: skip

    def run(self, steps: list[Step]) -> None:
        """Do the steps in order."""
        for index, step in enumerate(steps):
            verbs = [key for key in step if key in self.actions]
            if len(verbs) != 1:
                raise VectorWrong(f"step {index}: {sorted(step)} names no step, or more than one")
            try:
                self.actions[verbs[0]](step)
            except VectorFailed as failed:
                raise VectorFailed(f"step {index} {json.dumps(step)[:200]}: {failed}") from None

    # --- receiving

    def _pump(self, until: float, done: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass to `until`, keeping heartbeats up; stop early when `done`."""
        while not done():
            now = self.bench.now()
            if self.lease_ms is not None and now >= self.beat_due:
                self._beat(now)
            if now >= until:
                return done()
            stop = until if self.lease_ms is None else min(until, self.beat_due)
            for frame, delimited in self.line.feed(self.bench.read(stop)):
                self._arrived(frame, delimited)
        return True

    def _beat(self, now: float) -> None:
        self.beat = (self.beat + 1) % 256
        self.beats_open.add(self.beat)
        self.beat_due = now + HEARTBEAT_S
        payload = pack(self.messages["HEARTBEAT"], {"lease_ms": self.lease_ms or 0})
        self.bench.write(wire_of(self.session, 0x02, self.beat, payload))

    def _arrived(self, frame: Frame, delimited: bool) -> None:
        message = self.by_type.get(frame.type)
        name = message.name if message else f"type {frame.type:02X}"
        fields = unpack(message, frame.payload) if message else None
        if message is None or fields is None or message.sender != "device":
            raise VectorFailed(
                f"the device sent {name} with payload {frame.payload.hex()}, which is no message of a device"
            )
        if name == "HELLO_REPLY":
            self._hello_replied(fields)
        elif name != "REJECT" and frame.session != self.session:
            raise VectorFailed(f"{name} came in session {frame.session}, the session is {self.session}")
        repeated = message.kind == "event" and self._repeated(name, fields)
        if name == "STATUS" and self._asked_by_a_beat(frame, fields):
            return
        self.inbox.append(Received(frame, name, fields, repeated, delimited))

    def _hello_replied(self, fields: dict[str, Any]) -> None:
        if fields["result"] == 0:
            self.session, self.boot = int(fields["session"]), int(fields["boot_counter"])
            self.last_event = int(fields["last_event"])

    def _repeated(self, name: str, fields: dict[str, Any]) -> bool:
        """Whether an event was seen before; each new one has the next id and the present start's number (LINK-7.1)."""
        id_, boot = int(fields["event_id"]), int(fields["boot_counter"])
        if id_ > self.last_event + 1 or boot > self.boot or (id_ > self.last_event and boot != self.boot):
            known = f"the last event is {self.last_event}, the start {self.boot}"
            raise VectorFailed(f"{name} came with event_id {id_}, boot_counter {boot}; {known}")
        self.last_event = max(self.last_event, id_)
        repeated = id_ in self.seen
        self.seen.add(id_)
        return repeated

    def _asked_by_a_beat(self, frame: Frame, fields: dict[str, Any]) -> bool:
        """Take a STATUS in; it must not contradict HELLO_REPLY and the events (LINK-5.10, LINK-6.2)."""
        if fields["boot_counter"] != self.boot or fields["last_event"] < self.last_event:
            raise VectorFailed(f"STATUS says {fields}; the last event is {self.last_event}, the start {self.boot}")
        self.status = fields
        asked = frame.sequence in self.beats_open
        self.beats_open.discard(frame.sequence)
        return asked

    def _next(self, within_ms: float, *, repeats: bool) -> Received | None:
        """Take the next frame off the inbox; events that were seen before count only where `repeats`."""

        def there() -> bool:
            while self.inbox and self.inbox[0].repeated and not repeats:
                del self.inbox[0]
            return bool(self.inbox)

        return self.inbox.pop(0) if self._pump(self.bench.now() + within_ms / 1000, there) else None

    def _end(self, step: Step) -> float:
        """When the step's time is over."""
        return float(self.bench.now() + (step["within_ms"] + self.slack_ms) / 1000)

    def _left(self, end: float) -> float:
        return max(0.0, (end - self.bench.now()) * 1000)

    def _fits(self, want: Step, got: Received, names: Names) -> bool:
        fixed = got.name == want["message"] and matches(
            want.get("session", self._own_session(got)), got.frame.session, names
        )
        fixed = fixed and matches(want.get("sequence", "any"), got.frame.sequence, names)
        return fixed and matches_all(want.get("fields", {}), got.fields or {}, names)

    def _own_session(self, got: Received) -> Any:
        return 0 if got.name == "HELLO_REPLY" else "any" if got.name == "REJECT" else self.session

    # --- steps

    def _frame(self, what: Step) -> bytes:
        if "raw" in what:
            return bytes.fromhex(what["raw"])
        sequence = value_of(what["sequence"], self.names)
        session = value_of(what.get("session", self.session), self.names)
        if "type" in what:
            return wire_of(session, what["type"], sequence, bytes.fromhex(what["payload"]))
        message = self.messages[what["message"]]
        for name, kind in message.fields:
            given = what["fields"][name]
            if kind == "bytes16" and isinstance(given, str) and given.startswith("$") and given[1:] not in self.names:
                self.names[given[1:]] = self.nonce().hex()
        payload = pack(message, value_of(what["fields"], self.names))
        return wire_of(session if message.name != "HELLO" else what.get("session", 0), message.type, sequence, payload)

    def _send(self, step: Step) -> None:
        data = self._frame(step["send"])
        size = step.get("pieces", len(data))
        for at in range(0, len(data), size):
            if at:
                self._pump(self.bench.now() + step["pause_ms"] / 1000)
            self.bench.write(data[at : at + size])

    def _expect(self, step: Step) -> None:
        end = self._end(step)
        got = self._next(self._left(end), repeats=step.get("again", False))
        while got is not None and got.name in step.get("skip", []):
            got = self._next(self._left(end), repeats=step.get("again", False))
        if got is None:
            raise VectorFailed("nothing came")
        if not self._fits(step["expect"], got, self.names):
            raise VectorFailed(f"came {got.text()}; bound: {self._bound(step)}")
        if step.get("delimiter") and not got.delimited:
            raise VectorFailed("no 00 came before the frame")

    def _bound(self, step: Step) -> str:
        text = json.dumps(step)
        return json.dumps({name: value for name, value in self.names.items() if f"${name}" in text})

    def _expect_all(self, step: Step) -> None:
        wanted, end = list(step["expect_all"]), self._end(step)
        while wanted:
            got = self._next(self._left(end), repeats=False)
            if got is None:
                raise VectorFailed(f"did not come: {json.dumps(wanted)}")
            fitting = [want for want in wanted if self._fits(want, got, self.names)]
            if not fitting:
                raise VectorFailed(f"came {got.text()}, which is none of {json.dumps(wanted)}")
            wanted.remove(fitting[0])

    def _status(self, step: Step) -> None:
        self.status = None
        end = self._end(step)

        def right() -> bool:
            return self.status is not None and matches_all(step["status"], self.status, self.names)

        if not self._pump(end, right):
            seen = {key: (self.status or {}).get(key) for key in step["status"]}
            raise VectorFailed(f"the last STATUS said {json.dumps(seen)}; bound: {self._bound(step)}")

    def _nothing(self, step: Step) -> None:
        got = self._next(step["expect_nothing_ms"], repeats=step.get("again", False))
        if got is not None:
            raise VectorFailed(f"came {got.text()}")

    def _wait(self, step: Step) -> None:
        self._pump(self.bench.now() + step["wait_ms"] / 1000)

    def _discard(self, step: Step) -> None:
        self._wait({"wait_ms": step["discard_ms"]})
        self.inbox.clear()

    def _world(self, step: Step) -> None:
        request = value_of(step["world"], self.names)
        answer = self.bench.control(request)
        if request.get("do") in ("power", "reset"):
            self.line.reset()
        if not matches({"ok": True} | step.get("answer", {}), answer, self.names):
            raise VectorFailed(f"answered {json.dumps(answer)[:300]}; bound: {self._bound(step)}")

    def _heartbeat(self, step: Step) -> None:
        self.beat_due = self.bench.now()
        self.lease_ms = step["heartbeat"]["lease_ms"] if step["heartbeat"] else None

    def _let(self, step: Step) -> None:
        self.names.update(value_of(step["let"], self.names))

    def _repeat(self, step: Step) -> None:
        for _ in range(step["repeat"]):
            self.run(step["steps"])

    def _connect(self, step: Step) -> None:
        """The host's opening (LINK-5.12): 00 and HELLO, again every 250 ms with the same nonce; busy is asked again."""
        nonce, end = self.nonce().hex(), self._end(step)
        fields = {"host_nonce": nonce, "spec_hash": "$spec_hash", "purpose": 0, "security": 0, "consumed_event": 0}
        hello = self._frame({"message": "HELLO", "sequence": 1, "fields": fields | step["connect"]})
        self.lease_ms = None
        self.beats_open.clear()
        while self.bench.now() < end:
            self.bench.write(b"\0" + hello)
            pause = min(end, self.bench.now() + HELLO_REPEAT_S)
            while (got := self._next(self._left(pause), repeats=True)) is not None:
                fields_got = got.fields or {}
                if got.name != "HELLO_REPLY" or fields_got["host_nonce"] != nonce or fields_got["result"] == BUSY:
                    continue
                if not self._fits({"message": "HELLO_REPLY", "sequence": 1, "fields": step["reply"]}, got, self.names):
                    raise VectorFailed(f"came {got.text()}; bound: {self._bound(step)}")
                return
        raise VectorFailed("no HELLO_REPLY came")
