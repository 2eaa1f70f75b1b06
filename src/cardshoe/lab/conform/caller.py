"""A host with no opinion: opens a session, asks for the status, gives a command, and bears what a wrong device does.

Owns the few exchanges by which a device is brought to where a dialogue begins. It is patient (a late reply is a reply)
and judges nothing; judging is for the dialogues. Shares nothing with the drivers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cardshoe.lab.conform import makers
from cardshoe.lab.conform.watching import Watched, glance

OPEN_S: Final = 10.0
HELLO_S: Final = 0.25
ANSWER_S: Final = 1.2
TRIES: Final = 4
LEASE_MS: Final = 2000
BEAT_S: Final = 0.25
BUSY: Final = 4


class NotReady(Exception):
    """The device does not come to where a dialogue begins; the text says what it lacks."""


@dataclass(slots=True)
class Came:
    """A message of the device: its name, sequence and fields."""

    name: str
    sequence: int
    fields: Mapping[str, Any]


class Caller:
    """One host on a line."""

    def __init__(self, kind: str, line: Watched, nonce: Callable[[], bytes]) -> None:
        self._kind, self._line, self._nonce = kind, line, nonce
        self._piece = bytearray()
        self._session = self._sequence = self._beat = 0

    def hello(self, **changes: int | str) -> Mapping[str, Any] | None:
        """Ask who is there until something answers, whatever it answers; None when nothing does."""
        message = makers.messages(self._kind)["HELLO"]
        fields = {"host_nonce": self._nonce().hex(), "spec_hash": makers.spec_hash(self._kind)}
        payload = makers.pack(message, fields | changes)
        end = self._line.now() + OPEN_S
        while self._line.now() < end:
            self._line.write(b"\0" + makers.wire_of(0, message.type, 1, payload))
            came = self._wait(HELLO_S, lambda one: one.name == "HELLO_REPLY")
            if came is not None and came.fields["result"] != BUSY:
                if came.fields["result"] == 0:
                    self._session, self._sequence = int(came.fields["session"]), 0
                return came.fields
            if came is not None:
                self._wait(HELLO_S, lambda one: False)
        return None

    def open(self) -> Mapping[str, Any]:
        """Open a session and consume what was held. Raises NotReady."""
        reply = self.hello()
        if reply is None:
            raise NotReady("it does not answer HELLO")
        if reply["result"] != 0:
            raise NotReady(f"it refuses a session (result {reply['result']})")
        self.consume(reply["last_event"])
        return reply

    def consume(self, event_id: int) -> None:
        """Say that every event up to `event_id` is consumed."""
        self._send("EVENT_ACK", 0, consumed_event=event_id)

    def silence(self) -> None:
        """Consume everything, and see by a STATUS behind it that the device holds nothing that it would send again."""
        end = self._line.now() + ANSWER_S
        while (status := self.status())["held_events"] and self._line.now() < end:
            self.consume(status["last_event"])

    def status(self) -> Mapping[str, Any]:
        """Send a heartbeat and return what STATUS says. Raises NotReady."""
        for _ in range(TRIES):
            self._beat = (self._beat + 1) % 256
            self._send("HEARTBEAT", self._beat, lease_ms=LEASE_MS)
            came = self._wait(ANSWER_S, lambda one: one.name == "STATUS" and one.sequence == self._beat)
            if came is not None:
                return came.fields
        raise NotReady("it does not answer HEARTBEAT")

    def command(self, name: str, **fields: int) -> Mapping[str, Any]:
        """Give a command, again with the same sequence until it is answered. Raises NotReady."""
        sequence = (self._sequence + 1) % 256
        for _ in range(TRIES):
            self._send(name, sequence, **fields)
            came = self._wait(ANSWER_S, lambda one: one.name == f"{name}_REPLY" and one.sequence == sequence)
            if came is not None:
                self._sequence = sequence
                return came.fields
        raise NotReady(f"it does not answer {name}")

    def rejected(self, name: str, **fields: int | str) -> int | None:
        """Give a command; return the reason of its REJECT, None where it is answered. Raises NotReady."""
        sequence = (self._sequence + 1) % 256
        for _ in range(TRIES):
            self._send(name, sequence, **fields)
            came = self._wait(
                ANSWER_S, lambda one: one.name in (f"{name}_REPLY", "REJECT") and one.sequence == sequence
            )
            if came is not None:
                self._sequence = self._sequence if came.name == "REJECT" else sequence
                return int(came.fields["reason"]) if came.name == "REJECT" else None
        raise NotReady(f"it does not answer {name}")

    def until(self, right: Callable[[Mapping[str, Any]], bool], within_s: float) -> Mapping[str, Any]:
        """Keep heartbeats up until the status is right or the time is over; return the last status."""
        end = self._line.now() + within_s
        while not right(status := self.status()) and self._line.now() < end:
            self._wait(BEAT_S, lambda one: False)
        return status

    def pause(self, seconds: float) -> None:
        """Let time pass and forget what comes."""
        self._wait(seconds, lambda one: False)

    def _send(self, name: str, sequence: int, **fields: int | str) -> None:
        message = makers.messages(self._kind)[name]
        self._line.write(makers.wire_of(self._session, message.type, sequence, makers.pack(message, fields)))

    def _wait(self, seconds: float, wanted: Callable[[Came], bool]) -> Came | None:
        end = self._line.now() + seconds
        while self._line.now() < end:
            for came in self._read(end):
                if wanted(came):
                    return came
        return None

    def _read(self, until: float) -> list[Came]:
        found = []
        for byte in self._line.read(until):
            if byte:
                self._piece.append(byte)
                continue
            frame = glance(bytes(self._piece)) if self._piece else ""
            self._piece.clear()
            message = None if isinstance(frame, str) else makers.by_type(self._kind).get(frame.type)
            if isinstance(frame, str) or message is None:
                continue
            fields = makers.unpack(message, frame.payload)
            if fields is not None:
                found.append(Came(message.name, frame.sequence, fields))
        return found
