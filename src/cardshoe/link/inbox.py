"""Events in order, once each, or a loss that is seen.

Owns the marks of the event exchange: up to where events were handed to the caller, and up to where the caller has them
safe. Must not know bytes, sessions or what an event means. Implements LINK-7.4 to LINK-7.6 for the host.
"""

from __future__ import annotations

from enum import Enum

from cardshoe.link.events import EventsLost


class Arrival(Enum):
    """What an event id means when it comes."""

    NEXT = "the one that is wanted"
    SAFE = "consumed already: acknowledge again"
    KNOWN = "handed to the caller already, not safe yet"
    AHEAD = "another one is missing before it"


class EventInbox:
    """The host's place in a device's events. `consumed` None: the host has no memory of this device."""

    __slots__ = ("_asked_at", "_received", "_ring_size", "_safe")

    def __init__(self, consumed: int | None) -> None:
        self._received = consumed
        self._safe = consumed or 0
        self._asked_at = 0
        self._ring_size = 0

    @property
    def received(self) -> int:
        """The last event handed to the caller, 0 for none."""
        return self._received or 0

    @property
    def safe(self) -> int:
        """The last event that the caller has acknowledged, 0 for none: what HELLO and EVENT_ACK say."""
        return self._safe

    def begin_session(self, *, oldest: int, last: int, ring_size: int) -> tuple[EventsLost, ...]:
        """Compare with what the device holds at HELLO_REPLY; gives the loss, if there is one (LINK-7.6)."""
        self._ring_size = ring_size
        if self._received is None:
            self._received = self._safe = oldest - 1
        self.asked()
        return self.observe(oldest=oldest, last=last)

    def asked(self) -> None:
        """Note that the device is being asked now: its count may not be below what has been received so far."""
        self._asked_at = self.received

    def observe(self, *, oldest: int, last: int) -> tuple[EventsLost, ...]:
        """Compare with what the device says it holds; after a loss the place is just before `oldest`."""
        if oldest <= self.received + 1 and last >= self._asked_at:
            return ()
        lost = EventsLost(self.received, oldest, last)
        self._received = self._safe = oldest - 1
        return (lost,)

    def arrived(self, event_id: int) -> Arrival:
        """Take an event's id; NEXT moves the place (LINK-7.5).

        Not more than a ring of events is ever handed over unacknowledged: a device cannot hold more.
        """
        if event_id <= self._safe:
            return Arrival.SAFE
        if event_id <= self.received:
            return Arrival.KNOWN
        if event_id > self.received + 1 or event_id > self._safe + self._ring_size:
            return Arrival.AHEAD
        self._received = event_id
        return Arrival.NEXT

    def acknowledge(self, event_id: int) -> None:
        """Take the caller's word that everything up to `event_id` is safe; an id not received is ignored."""
        if self._safe < event_id <= self.received:
            self._safe = event_id
