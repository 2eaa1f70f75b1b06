"""What both drivers do alike: sessions, time, and the translation of what the link says of itself.

Owns the joining of one link with one expectation. Must not know a device's messages: a driver gives their meaning.
Decides nothing and repeats nothing: no motion is ever ordered twice by it (P1). Implements the driver's side of
LINK-4.5 and LINK-7.4.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from cardshoe.devices.events import DeviceIdentified, DeviceLost, DeviceRefused, EventNotUnderstood, EventsLost, Output
from cardshoe.devices.session import Expected, lost_error, refused_error
from cardshoe.link import events as link
from cardshoe.link.machine import HostLink, Phase
from cardshoe.wire.codec import Codec, Message

E = TypeVar("E")


class DeviceDriver(ABC, Generic[E]):
    """A device behind a link. `now` and deadlines are absolute monotonic seconds and never go back.

    `nonce` gives 16 fresh random bytes. `consumed_event` is the last event of this device that is safe in the journal
    (None: never met). `lease_ms` is the motion lease that each heartbeat renews (None: the protocol's own).
    """

    def __init__(
        self,
        codec: Codec,
        *,
        expected: Expected,
        nonce: Callable[[], bytes],
        consumed_event: int | None,
        lease_ms: int | None,
    ) -> None:
        self._spec = codec.spec
        self._codec = codec
        self._expected = expected
        self._link = HostLink(codec, nonce=nonce, consumed_event=consumed_event, lease=lease_ms, admit=expected.admits)

    @property
    def live(self) -> bool:
        """Tell whether a session is open."""
        return self._link.phase is Phase.OPEN

    def open(self, now: float, *, deadline: float) -> Output[E]:
        """Ask who is there, again and again until an answer or `deadline`; ends in Identified or Refused."""
        return self._output(self._link.open(now, deadline=deadline))

    def receive(self, data: bytes, now: float) -> Output[E]:
        """Take bytes of the line; any bytes."""
        return self._output(self._link.receive(data, now))

    def advance(self, now: float) -> Output[E]:
        """Let time pass."""
        return self._output(self._link.advance(now))

    def next_deadline(self) -> float | None:
        """Return when `advance` must be called at the latest, or None when nothing is due."""
        return self._link.next_deadline()

    def acknowledge(self, event_id: int, now: float) -> Output[E]:
        """Tell the device that every event up to `event_id` is safe. Call it when the journal has them, not before."""
        return self._output(self._link.acknowledge(event_id, now))

    def close(self) -> Output[E]:
        """End the session on this side. A command in flight is then of unknown outcome."""
        return self._output(self._link.close())

    def port_lost(self) -> Output[E]:
        """Take the news that the port is gone. A command in flight is then of unknown outcome."""
        return self._output(self._link.close(link.LostReason.PORT))

    def _send(self, command: Message, *, now: float, deadline: float, urgent: bool = False) -> Output[E]:
        return self._output(self._link.send_command(command, now=now, deadline=deadline, urgent=urgent))

    def _output(self, output: link.LinkOutput) -> Output[E]:
        events = output.events
        if not events:
            return Output(output.data, ())
        if len(events) == 1:
            return Output(output.data, self._meaning(events[0]))
        return Output(output.data, tuple(happened for event in events for happened in self._meaning(event)))

    @abstractmethod
    def _meaning(self, event: link.LinkEvent) -> tuple[E, ...]:
        """Return what a link event means for this device."""

    def _general(
        self,
        event: link.SessionOpened | link.SessionRefused | link.LinkLost | link.EventsLost | link.EventNotUnderstood,
    ) -> DeviceIdentified | DeviceRefused | DeviceLost | EventsLost | EventNotUnderstood:
        """Return what a link event means for any device."""
        match event:
            case link.SessionOpened():
                return DeviceIdentified(event.identity)
            case link.SessionRefused(refusal, identity, dropped):
                error = refused_error(refusal, identity, self._expected, self._spec, dropped=dropped)
                return DeviceRefused(error, identity)
            case link.LinkLost(reason):
                return DeviceLost(reason, lost_error(reason, self._expected, self._spec))
            case link.EventsLost():
                return EventsLost(event.received, event.oldest, event.last)
            case link.EventNotUnderstood():
                text = f"event type {event.type:02X} is none of {self._spec.protocol}"
                return EventNotUnderstood(event.event_id, text)
