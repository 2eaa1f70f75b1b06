"""The dialogues of role "host" are able to fail: each wrong host here is caught by at least one that cites the clause.

A wrong host is the right link between two liars: what it hears, what it says and when it gives up are changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import vector_wire as wire
from host_runner import HostRunner
from patterns import VectorFailed
from test_host_dialogues import fresh_nonces
from vector_files import dialogues

from cardshoe.link import events as told
from cardshoe.link.machine import HostLink

SPEC = bytes.fromhex(wire.spec_hash("shoe"))
HELLO_REPLY, STATUS, REJECT = 0x81, 0x82, 0xFF
HELLO, HEARTBEAT, EVENT_ACK = 0x01, 0x02, 0x03


class WrongHost:
    """Stands between the runner and the link; subclasses change one thing."""

    def __init__(self, link: HostLink) -> None:
        self.link = link
        self.in_flight: wire.Frame | None = None
        self.session = 0

    def hears(self, frame: wire.Frame) -> wire.Frame:
        """What the link hears instead of `frame`."""
        return frame

    def says(self, frame: wire.Frame) -> bytes | None:
        """What goes on the line instead of `frame`; None: nothing."""
        return wire.wire_of(frame.session, frame.type, frame.sequence, frame.payload)

    def tells(self, output: told.LinkOutput) -> told.LinkOutput:
        """What the application is told instead."""
        return output

    def patience(self, deadline: float, now: float) -> float:
        """The deadline that the link is given instead."""
        return deadline

    # --- the link's own words

    def _out(self, output: told.LinkOutput) -> told.LinkOutput:
        output = self.tells(output)
        said = bytearray()
        for piece in output.data.split(b"\0")[:-1]:
            frame = wire.read_collection(piece) if piece else None
            if not isinstance(frame, wire.Frame):
                said += b"\0"
                continue
            if 0x10 <= frame.type <= 0x3F:
                self.in_flight = frame
            said += self.says(frame) or b""
        return replace(output, data=bytes(said))

    def receive(self, data: bytes, now: float) -> told.LinkOutput:
        """As the link's; frames that come whole in one call are changed."""
        frame = wire.read_collection(data[:-1]) if data.endswith(b"\0") and len(data) > 1 else "in pieces"
        if isinstance(frame, wire.Frame):
            if frame.type == HELLO_REPLY and frame.payload[0] == 0:
                self.session = frame.payload[65]
            frame = self.hears(frame)
            data = wire.wire_of(frame.session, frame.type, frame.sequence, frame.payload)
        return self._out(self.link.receive(data, now))

    def advance(self, now: float) -> told.LinkOutput:
        """As the link's."""
        return self._out(self.link.advance(now))

    def next_deadline(self) -> float | None:
        """As the link's."""
        return self.link.next_deadline()

    def open(self, now: float, *, deadline: float) -> told.LinkOutput:
        """As the link's."""
        return self._out(self.link.open(now, deadline=self.patience(deadline, now)))

    def send_command(self, message: Any, *, now: float, deadline: float) -> told.LinkOutput:
        """As the link's."""
        return self._out(self.link.send_command(message, now=now, deadline=self.patience(deadline, now)))

    def acknowledge(self, event_id: int, now: float) -> told.LinkOutput:
        """As the link's."""
        return self._out(self.link.acknowledge(event_id, now))


class Patient(WrongHost):
    """LINK-8.1: the deadline is moved."""

    def patience(self, deadline: float, now: float) -> float:
        return deadline + 10


class TakesAnySequence(WrongHost):
    """LINK-4.6: the reply of any sequence is the reply."""

    def hears(self, frame: wire.Frame) -> wire.Frame:
        mine = self.in_flight
        return replace(frame, sequence=mine.sequence) if mine and frame.type == mine.type + 0x80 else frame


class TakesAnyRejected(WrongHost):
    """LINK-4.4: a REJECT of any sequence is that of the command in flight."""

    def hears(self, frame: wire.Frame) -> wire.Frame:
        mine = self.in_flight
        return replace(frame, sequence=mine.sequence) if mine and frame.type == REJECT else frame


class TakesAnySession(WrongHost):
    """LINK-5.6: frames of any session count."""

    def hears(self, frame: wire.Frame) -> wire.Frame:
        return replace(frame, session=self.session) if frame.type != HELLO_REPLY else frame


class TrustsTheHash(WrongHost):
    """LINK-5.2: the device's spec hash is not compared."""

    def hears(self, frame: wire.Frame) -> wire.Frame:
        payload = frame.payload[:33] + SPEC + frame.payload[65:]
        return replace(frame, payload=payload) if frame.type == HELLO_REPLY and frame.payload[0] == 0 else frame


class TakesAnyNonce(WrongHost):
    """LINK-5.12: the nonce of HELLO_REPLY is not compared."""

    asked = b""

    def says(self, frame: wire.Frame) -> bytes | None:
        self.asked = frame.payload[:16] if frame.type == HELLO else self.asked
        return super().says(frame)

    def hears(self, frame: wire.Frame) -> wire.Frame:
        payload = frame.payload[:1] + self.asked + frame.payload[17:]
        return replace(frame, payload=payload) if frame.type == HELLO_REPLY else frame


class BlindToRestarts(WrongHost):
    """LINK-5.10: the boot counter of STATUS and events is not compared."""

    def hears(self, frame: wire.Frame) -> wire.Frame:
        at = {STATUS: 0}.get(frame.type, 8 if 0x60 <= frame.type <= 0x7F else None)
        if at is None:
            return frame
        return replace(frame, payload=frame.payload[:at] + (3).to_bytes(4, "little") + frame.payload[at + 4 :])


class NoDelimiter(WrongHost):
    """LINK-3.4: no 00 before a frame."""

    def _out(self, output: told.LinkOutput) -> told.LinkOutput:
        said = super()._out(output)
        return replace(said, data=b"".join(piece + b"\0" for piece in said.data.split(b"\0") if piece))


class Heartless(WrongHost):
    """LINK-6.1: no heartbeat."""

    def says(self, frame: wire.Frame) -> bytes | None:
        return None if frame.type == HEARTBEAT else super().says(frame)


class NeverRepeats(WrongHost):
    """LINK-4.5: a command is sent once."""

    sent: set[tuple[int, int]] = frozenset()  # type: ignore[assignment]

    def says(self, frame: wire.Frame) -> bytes | None:
        key = (frame.type, frame.sequence)
        if 0x10 <= frame.type <= 0x3F and key in self.sent:
            return None
        self.sent = self.sent | {key}
        return super().says(frame)


class RepeatsAsNew(WrongHost):
    """LINK-4.5: the repeat goes out under a new sequence."""

    count = 0

    def says(self, frame: wire.Frame) -> bytes | None:
        if 0x10 <= frame.type <= 0x3F:
            self.count += 1
            return wire.wire_of(frame.session, frame.type, self.count % 256, frame.payload)
        return super().says(frame)


class StartsAtZero(WrongHost):
    """LINK-4.1: the first command has sequence 0."""

    def says(self, frame: wire.Frame) -> bytes | None:
        shift = -1 if 0x10 <= frame.type <= 0x3F else 0
        return wire.wire_of(frame.session, frame.type, (frame.sequence + shift) % 256, frame.payload)


class AcknowledgesUnasked(WrongHost):
    """LINK-7.4: an event is acknowledged before it is safe."""

    def tells(self, output: told.LinkOutput) -> told.LinkOutput:
        ids = [event.event_id for event in output.events if isinstance(event, told.EventArrived)]
        acks = [wire.wire_of(self.session, EVENT_ACK, 0, id_.to_bytes(8, "little")) for id_ in ids]
        return replace(output, data=output.data + b"".join(acks))


class ForgetsToAcknowledgeAgain(WrongHost):
    """LINK-7.5: an event that is consumed already is not acknowledged again."""

    last = b""

    def says(self, frame: wire.Frame) -> bytes | None:
        if frame.type == EVENT_ACK:
            before, self.last = self.last, frame.payload
            return None if before == frame.payload else super().says(frame)
        return super().says(frame)


class TellsEventsTwice(WrongHost):
    """LINK-7.5: a repeated event is told again."""

    def tells(self, output: told.LinkOutput) -> told.LinkOutput:
        doubled = [e for event in output.events for e in ([event] * (1 + isinstance(event, told.EventArrived)))]
        return replace(output, events=tuple(doubled))


class InfersLostEvents(WrongHost):
    """LINK-7.6: a gap in the ring is not told."""

    def tells(self, output: told.LinkOutput) -> told.LinkOutput:
        return replace(output, events=tuple(e for e in output.events if not isinstance(e, told.EventsLost)))


class ForgetsTheUnknown(WrongHost):
    """LINK-4.5: the outcome of a command without a reply is not told."""

    def tells(self, output: told.LinkOutput) -> told.LinkOutput:
        return replace(output, events=tuple(e for e in output.events if not isinstance(e, told.CommandUnknown)))


class DeafToNoSession(WrongHost):
    """LINK-5.7: REJECT no_session is not heard."""

    def hears(self, frame: wire.Frame) -> wire.Frame:
        return replace(frame, session=(self.session + 9) % 255) if frame.type == REJECT else frame


WRONG: list[type[WrongHost]] = [
    Patient, TakesAnySequence, TakesAnyRejected, TakesAnySession, TrustsTheHash, TakesAnyNonce, BlindToRestarts,
    NoDelimiter, Heartless, NeverRepeats, RepeatsAsNew, StartsAtZero, AcknowledgesUnasked, ForgetsToAcknowledgeAgain,
    TellsEventsTwice, InfersLostEvents, ForgetsTheUnknown, DeafToNoSession,
]  # fmt: skip


def fails(vector: dict[str, Any], wrong: Callable[[HostLink], Any] | None) -> str | None:
    """Return how a dialogue fails with this host, or None when it passes."""
    try:
        HostRunner(vector["device"], fresh_nonces(vector["id"]), between=wrong).run(vector["steps"])
    except VectorFailed as failed:
        return str(failed)
    return None


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_a_wrong_host_is_caught(wrong: type[WrongHost]) -> None:
    """The clause stands in the docstring of the wrong host."""
    clause = (wrong.__doc__ or "").partition(":")[0]
    citing = [vector for vector in dialogues("host") if clause in vector["clauses"]]
    assert [vector["id"] for vector in citing if fails(vector, wrong)] != []


def test_the_go_between_itself_changes_nothing() -> None:
    """LINK-4 to LINK-7: with no lie in it every dialogue passes, so the failures above are the lies' own."""
    assert {v["id"]: text for v in dialogues("host") if (text := fails(v, WrongHost))} == {}
