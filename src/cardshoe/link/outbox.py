"""What one call gives out: bytes for the line and events for the caller, in order.

Owns the frames' way out and the delimiter after an idle line. Must not decide what is sent. Implements LINK-3.4.
"""

from __future__ import annotations

from cardshoe.link.events import LinkEvent, LinkOutput
from cardshoe.link.lane import Order
from cardshoe.link.seal import Check
from cardshoe.wire.codec import Codec, Message
from cardshoe.wire.framing import DELIMITER


class Outbox:
    """Collects the output of one call of the machine."""

    __slots__ = ("_codec", "_data", "_events", "_idle_s", "_written_at")

    def __init__(self, codec: Codec, idle_s: float) -> None:
        self._codec = codec
        self._idle_s = idle_s
        self._written_at: float | None = None
        self._data = bytearray()
        self._events: list[LinkEvent] = []

    def forget_line(self) -> None:
        """What the line carried before is not known: a delimiter goes before the next frame (LINK-5.12)."""
        self._written_at = None

    def tell(self, *events: LinkEvent) -> None:
        """Add events for the caller."""
        self._events += events

    def send(self, check: Check, message: Message, *, session: int, sequence: int, now: float) -> None:
        """Add the frame of `message`."""
        type_number, payload = self._codec.spec_of(message).type, self._codec.payload(message)
        self._frame(check.encode(session=session, type=type_number, sequence=sequence, payload=payload), now)

    def send_order(self, check: Check, order: Order, sequence: int, *, session: int, now: float) -> None:
        """Add the frame of a command, whose payload is packed already: a repeat is the same to the byte."""
        self._frame(check.encode(session=session, type=order.type, sequence=sequence, payload=order.payload), now)

    def _frame(self, frame: bytes, now: float) -> None:
        if self._written_at is None or now - self._written_at > self._idle_s:
            self._data += DELIMITER
        self._written_at = now
        self._data += frame

    def take(self) -> LinkOutput:
        """Return what was collected, and begin anew."""
        output = LinkOutput(bytes(self._data), tuple(self._events))
        self._data.clear()
        self._events.clear()
        return output
