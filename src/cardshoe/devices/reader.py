"""The card reader's driver: requests and events in the field's words.

Owns the translation between reader-v1's messages and their meaning. Must not know rounds, games or the journal, and
decides nothing: an unreadable card is told as one, and whether to scan anew or to ask the dealer is for its caller.
Implements READER-1 to READER-4 for a host.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from cardshoe.devices import reader_meaning as meaning
from cardshoe.devices import reader_wire as wire
from cardshoe.devices.driver import DeviceDriver
from cardshoe.devices.events import Output
from cardshoe.devices.paired import Paired
from cardshoe.devices.reader_events import ReaderEvent
from cardshoe.devices.reader_terms import Place
from cardshoe.devices.session import Expected
from cardshoe.link import events as link


class ReaderDriver(DeviceDriver[ReaderEvent]):
    """One reader behind a link. Every request is answered by its event or by RequestFailed."""

    def __init__(
        self,
        *,
        expected: Expected,
        nonce: Callable[[], bytes],
        consumed_event: int | None = None,
        lease_ms: int | None = None,
        paired: Paired | None = None,
    ) -> None:
        super().__init__(
            wire.READER_CODEC,
            expected=expected,
            nonce=nonce,
            consumed_event=consumed_event,
            lease_ms=lease_ms,
            paired=paired,
        )

    def scan(self, *, place: Place, now: float, deadline: float) -> Output[ReaderEvent]:
        """Read a place anew (READER-3.1); answered by PlaceScanned or RequestFailed."""
        return self._send(wire.Scan(place), now=now, deadline=deadline)

    def read_counters(self, *, now: float, deadline: float) -> Output[ReaderEvent]:
        """Ask for the lifetime counters (READER-4.4); answered by ReaderCountersRead or RequestFailed."""
        return self._send(wire.ReadCounters(), now=now, deadline=deadline)

    def _meaning(self, event: link.DeviceEvent) -> tuple[ReaderEvent, ...]:
        match event:
            case link.EventArrived(event_id, message):
                return (meaning.ring_event(event_id, message),)
            case link.StatusArrived(message, round_trip_s):
                return (meaning.status(message, round_trip_s),)
            case link.CommandReplied(command, reply):
                return (meaning.answer(command, reply),)
            case link.CommandUnknown() | link.CommandRejected() | link.CommandNotSent():
                return (meaning.request_failed(event.command, event.reason),)
            case (
                link.SessionOpened()
                | link.SessionRefused()
                | link.LinkLost()
                | link.EventsLost()
                | link.EventNotUnderstood()
            ):
                return (self._general(event),)
            case _:
                assert_never(event)
