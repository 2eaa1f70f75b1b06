"""Runs a dialogue of role "host" against `cardshoe.link.HostLink` in virtual time.

Owns the steps of the vectors' README, section 5: it plays the device and the application, and looks at what the link
puts on the line and tells. Reads and writes frames by the vectors' own wire, never by the product's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from device_runner import Line
from patterns import Names, VectorFailed, VectorWrong, matches, matches_all, value_of
from vector_wire import Frame, load, pack, spec_hash, unpack, wire_of

from cardshoe.devices.reader_wire import READER_CODEC
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.link import events as told
from cardshoe.link.machine import HostLink

Step = dict[str, Any]
LATE_S = 0.0005  # rounding of seconds and milliseconds; no clause is that fine
CODECS = {"shoe": SHOE_CODEC, "reader": READER_CODEC}
STATUS = {
    "shoe": {"mode": 0, "state": 1, "flags": 40, "deck_state": 2, "deck_id": 3, "cards_left": 52, "gate_cards": 0,
             "running_command": 0, "last_command": 6, "fault": 0, "stacks_total": 0, "cards_total": 0,
             "round_id": 0, "round_state": 0},
}  # fmt: skip


@dataclass(slots=True)
class Sent:
    """A frame that the host put on the line."""

    frame: Frame
    name: str
    fields: dict[str, Any]
    delimited: bool
    wire: bytes


WORDS: dict[type, str] = {
    told.SessionOpened: "opened", told.SessionRefused: "refused", told.LinkLost: "lost", told.CommandReplied: "replied",
    told.CommandRejected: "rejected", told.CommandUnknown: "unknown", told.CommandNotSent: "not_sent",
    told.EventArrived: "event", told.EventsLost: "events_lost", told.StatusArrived: "status",
    told.EventNotUnderstood: "event_not_understood",
}  # fmt: skip


def conclusion(event: told.LinkEvent, spell: Callable[[Any], str]) -> dict[str, Any]:
    """Return what the link told, in the words of the vectors."""
    said: dict[str, Any] = {"is": WORDS[type(event)]}
    match event:
        case told.SessionOpened(identity):
            return said | {"session": identity.session, "boot_counter": identity.boot_counter}
        case told.CommandReplied(_, reply):
            return said | {"message": spell(reply), "fields": reply._asdict()}
        case told.CommandRejected(_, reason):
            return said | {"reason": reason.value}
        case told.EventArrived(event_id, message):
            return said | {"event_id": event_id, "message": spell(message), "fields": message._asdict()}
        case told.StatusArrived(message):
            return said | message._asdict()
        case _:
            return said


class HostRunner:
    """One dialogue with one host link. Raises VectorFailed where the link does not do what the vector says."""

    def __init__(
        self, device: str, nonce: Callable[[], bytes], *, between: Callable[[HostLink], Any] | None = None
    ) -> None:
        self.between = between or (lambda link: link)
        self.messages = load(device)
        self.by_type = {message.type: message for message in self.messages.values()}
        self.codec, self.device, self.nonce = CODECS[device], device, nonce
        self.link: Any = None  # a HostLink, or what `between` put before it
        self.names: Names = {"spec_hash": spec_hash(device)}
        self.now = 1000.0
        self.session, self.boot_counter, self.last_event = 0, 0, 0
        self.answering = False
        self.line = Line()
        self.sent: list[Sent] = []
        self.conclusions: list[dict[str, Any]] = []
        self.last: Sent | None = None
        self.actions = {
            "open": self._open, "expect": self._expect, "expect_nothing_ms": self._nothing, "send": self._send,
            "send_status": self._send_status, "command": self._command, "acknowledge": self._acknowledge,
            "conclude": self._conclude, "conclude_none": self._conclude_none, "conclude_nothing_ms": self._quiet,
            "wait_ms": self._wait, "answer_heartbeats": self._answer, "let": self._let, "repeat": self._repeat,
            "forget_status": self._forget_status,
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

    # --- bytes and time

    def _take(self, output: told.LinkOutput) -> None:
        self.conclusions += [conclusion(event, self._spell) for event in output.events]
        start = 0
        data = output.data
        for at, byte in enumerate(data):
            if byte == 0:
                for frame, delimited in self.line.feed(data[start : at + 1]):
                    self._arrived(frame, delimited, data[start : at + 1])
                start = at + 1
        self.line.feed(data[start:])

    def _arrived(self, frame: Frame, delimited: bool, wire: bytes) -> None:
        message = self.by_type.get(frame.type)
        values = unpack(message, frame.payload) if message else None
        if message is None or values is None or message.sender != "host":
            raise VectorFailed(f"the host sent type {frame.type:02X} with payload {frame.payload.hex()}")
        self.sent.append(Sent(frame, message.name, values, delimited, wire.lstrip(b"\0")))
        if message.name == "HEARTBEAT" and self.answering:
            self._feed(self._status_wire({}, frame.sequence))

    def _spell(self, message: Any) -> str:
        return self.codec.spec_of(message).name

    def _feed(self, data: bytes) -> None:
        if self.link is not None:
            self._take(self.link.receive(data, self.now))

    def _pump(self, until: float, done: Callable[[], bool] = lambda: False) -> bool:
        """Let virtual time pass to `until`; stop early when `done`."""
        while not done():
            due = self.link.next_deadline() if self.link is not None else None
            if due is None or due > until:
                self.now = max(self.now, until)
                if self.link is not None:
                    self._take(self.link.advance(self.now))
                return done()
            self.now = max(self.now, due)
            self._take(self.link.advance(self.now))
        return True

    def _after(self, ms: float) -> float:
        return self.now + ms / 1000 + LATE_S

    def _next(self, within_ms: float, *, heartbeats: bool) -> Sent | None:
        def there() -> bool:
            while self.sent and self.sent[0].name == "HEARTBEAT" and not heartbeats:
                del self.sent[0]
            return bool(self.sent)

        return self.sent.pop(0) if self._pump(self._after(within_ms), there) else None

    # --- steps

    def _open(self, step: Step) -> None:
        wish = step["open"]
        if self.link is None:
            link = HostLink(self.codec, nonce=self.nonce, consumed_event=wish["consumed_event"])
            self.link = self.between(link)
        self._take(self.link.open(self.now, deadline=self.now + wish["deadline_ms"] / 1000))

    def _expect(self, step: Step) -> None:
        want = step["expect"]
        got = self._next(step["within_ms"], heartbeats=want["message"] == "HEARTBEAT")
        if got is None:
            raise VectorFailed("nothing came")
        fits = got.name == want["message"] and matches(want.get("session", "any"), got.frame.session, self.names)
        fits = fits and matches(want.get("sequence", "any"), got.frame.sequence, self.names)
        if not fits or not matches_all(want.get("fields", {}), got.fields, self.names):
            raise VectorFailed(
                f"came {got.name} session {got.frame.session} sequence {got.frame.sequence} {got.fields}"
            )
        if step.get("same") and (self.last is None or got.wire != self.last.wire):
            raise VectorFailed(f"came {got.wire.hex()}, not the same frame again")
        if step.get("delimiter") and not got.delimited:
            raise VectorFailed("no 00 came before the frame")
        self.last = got

    def _nothing(self, step: Step) -> None:
        got = self._next(step["expect_nothing_ms"], heartbeats=False)
        if got is not None:
            raise VectorFailed(f"came {got.name} {got.fields}")

    def _send(self, step: Step) -> None:
        what = step["send"]
        data = bytes.fromhex(what["raw"]) if "raw" in what else self._frame(what)
        size = step.get("pieces", len(data))
        for at in range(0, len(data), size):
            if at:
                self._pump(self.now + step["pause_ms"] / 1000)
            self._feed(data[at : at + size])

    def _frame(self, what: Step) -> bytes:
        sequence = value_of(what["sequence"], self.names)
        session = value_of(what.get("session", self.session), self.names)
        if "type" in what:
            return wire_of(session, what["type"], sequence, bytes.fromhex(what["payload"]))
        values = value_of(what["fields"], self.names)
        if (
            what["message"] == "HELLO_REPLY"
            and values["result"] == 0
            and values["host_nonce"] == self.names.get("nonce")
        ):
            self.session, self.boot_counter = values["session"], values["boot_counter"]
            self.last_event = values["last_event"]
        message = self.messages[what["message"]]
        if message.kind == "event" and session == self.session:  # STATUS must not contradict the events
            self.last_event = max(self.last_event, values["event_id"])
        return wire_of(session, message.type, sequence, pack(message, values))

    def _status_wire(self, changes: Step, sequence: int) -> bytes:
        head = {"boot_counter": self.boot_counter, "uptime_ms": 5, "last_event": self.last_event, "held_events": 0}
        values = head | {"lease_left_ms": 1000} | STATUS[self.device] | changes
        message = self.messages["STATUS"]
        return wire_of(self.session, message.type, sequence, pack(message, values))

    def _send_status(self, step: Step) -> None:
        self._feed(self._status_wire(step["send_status"], value_of(step["sequence"], self.names)))

    def _command(self, step: Step) -> None:
        message = self.codec.build(step["command"], step["fields"])
        self._take(self.link.send_command(message, now=self.now, deadline=self.now + step["deadline_ms"] / 1000))

    def _acknowledge(self, step: Step) -> None:
        self._take(self.link.acknowledge(step["acknowledge"], self.now))

    def _fitting(self, pattern: Step) -> dict[str, Any] | None:
        return next((c for c in self.conclusions if matches_all(pattern, c, self.names)), None)

    def _conclude(self, step: Step) -> None:
        if not self._pump(self._after(step["within_ms"]), lambda: self._fitting(step["conclude"]) is not None):
            raise VectorFailed(f"the link told {[c for c in self.conclusions if c['is'] != 'status']}")
        self.conclusions.remove(self._fitting(step["conclude"]) or {})

    def _conclude_none(self, step: Step) -> None:
        self._pump(self.now + step["for_ms"] / 1000)
        if found := self._fitting(step["conclude_none"]):
            raise VectorFailed(f"the link told {found}")

    def _quiet(self, step: Step) -> None:
        self._pump(self.now + step["conclude_nothing_ms"] / 1000)
        if found := [c for c in self.conclusions if c["is"] != "status"]:
            raise VectorFailed(f"the link told {found}")

    def _forget_status(self, _step: Step) -> None:
        self.conclusions = [c for c in self.conclusions if c["is"] != "status"]

    def _wait(self, step: Step) -> None:
        self._pump(self.now + step["wait_ms"] / 1000)

    def _answer(self, step: Step) -> None:
        self.answering = step["answer_heartbeats"]

    def _let(self, step: Step) -> None:
        self.names.update(value_of(step["let"], self.names))

    def _repeat(self, step: Step) -> None:
        for _ in range(step["repeat"]):
            self.run(step["steps"])
