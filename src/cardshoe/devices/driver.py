"""What both drivers do alike: sessions, time, and the translation of what the link says of itself.

Owns the joining of one link with one expectation. Must not know a device's messages: a driver gives their meaning.
Decides nothing and repeats nothing: no motion is ever ordered twice by it (P1). Implements the driver's side of
LINK-4.5, LINK-7.4, LINK-9.6, LINK-11.7 and LINK-12.2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from cardshoe.devices.attest import NONCE_BYTES, Attestation, Standing, Why, judge
from cardshoe.devices.events import (
    AttestationJudged,
    DeviceIdentified,
    DeviceLost,
    DeviceRefused,
    EventNotUnderstood,
    EventsLost,
    GeneralEvent,
    LinkTampered,
    Output,
    RequestFailed,
    SealedCountSeen,
    Unpaired,
)
from cardshoe.devices.paired import Paired
from cardshoe.devices.session import Expected, lost_error, refused_error
from cardshoe.link import events as link
from cardshoe.link.machine import HostLink, Phase
from cardshoe.link.messages import Attest, AttestReply, RejectReason, Unpair
from cardshoe.wire.codec import Codec, Message

E = TypeVar("E")


class DeviceDriver(ABC, Generic[E]):
    """A device behind a link. `now` and deadlines are absolute monotonic seconds and never go back.

    `nonce` gives 16 fresh random bytes. `consumed_event` is the last event of this device that is safe in the journal
    (None: never met). `lease_ms` is the motion lease that each heartbeat renews (None: the protocol's own). `paired`
    has every session sealed (None: in clear): each `open` then tells SealedCountSeen and goes on by `count_kept`.
    """

    def __init__(
        self,
        codec: Codec,
        *,
        expected: Expected,
        nonce: Callable[[], bytes],
        consumed_event: int | None,
        lease_ms: int | None,
        paired: Paired | None = None,
    ) -> None:
        self._spec = codec.spec
        self._codec = codec
        self._expected = expected
        self._paired = paired
        self._opened: link.SessionOpened | None = None
        self._link = HostLink(
            codec,
            nonce=nonce,
            consumed_event=consumed_event,
            lease=lease_ms,
            admit=expected.admits,
            sealing=None if paired is None else paired.sealing(),
        )

    @property
    def live(self) -> bool:
        """Tell whether a session is open."""
        return self._link.phase is Phase.OPEN

    def open(self, now: float, *, deadline: float) -> Output[E]:
        """Ask who is there, again and again until an answer or `deadline`; ends in Identified or Refused."""
        return self._output(self._link.open(now, deadline=deadline))

    def count_kept(self, now: float) -> Output[E]:
        """Say that the count of SealedCountSeen is stored: the session begins (LINK-9.6)."""
        return self._output(self._link.count_kept(now))

    def attest(self, *, now: float, deadline: float) -> Output[E]:
        """Ask for a proof of the firmware, in a sealed session (LINK-12.2).

        Answered by AttestationJudged or RequestFailed; without a sealed session at once, by AttestationJudged.
        """
        if self._paired is None:
            unasked = AttestationJudged(Attestation(Standing.UNATTESTED, Why.NOT_ASKED))
            return Output(b"", self._ours(unasked))
        return self._send(Attest(self._paired.entropy(NONCE_BYTES)), now=now, deadline=deadline)

    def unpair(self, *, now: float, deadline: float) -> Output[E]:
        """Have the device remove the key of this sealed session (LINK-11.7); answered by Unpaired or RequestFailed."""
        return self._send(Unpair(), now=now, deadline=deadline)

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
            return Output(output.data, self._told(events[0]))
        return Output(output.data, tuple(happened for event in events for happened in self._told(event)))

    def _told(self, event: link.LinkEvent) -> tuple[E, ...]:
        match event:
            case link.SessionOpened():
                self._opened = event
                return self._meaning(event)
            case link.SealedCountRose(key_id, sealed_count):
                return self._ours(SealedCountSeen(key_id, sealed_count))
            case link.TamperingSuspected(replays, wrong_tags):
                return self._ours(LinkTampered(replays, wrong_tags))
            case link.CommandReplied() | link.CommandUnknown() | link.CommandRejected() | link.CommandNotSent() if (
                isinstance(event.command, Attest | Unpair)
            ):
                return self._ours(self._of_the_link(event.command, event))
            case _:
                return self._meaning(event)

    def _ours(self, event: GeneralEvent) -> tuple[E, ...]:
        return (cast("E", event),)  # every driver's closed set holds the general events

    def _of_the_link(
        self,
        command: Attest | Unpair,
        event: link.CommandReplied | link.CommandUnknown | link.CommandRejected | link.CommandNotSent,
    ) -> AttestationJudged | Unpaired | RequestFailed:
        match command, event:
            case Attest(nonce), link.CommandReplied(_, AttestReply() as reply):
                return AttestationJudged(self._judged(nonce, reply))
            case Attest(), link.CommandRejected(_, RejectReason.UNKNOWN_TYPE):
                return AttestationJudged(Attestation(Standing.UNATTESTED, Why.UNKNOWN_TO_DEVICE))
            case _, link.CommandReplied():
                return Unpaired()
            case _, _:
                return RequestFailed(self._codec.spec_of(command).name, None, event.reason)

    def _judged(self, nonce: bytes, reply: AttestReply) -> Attestation:
        if self._paired is None or self._opened is None or self._opened.transcript is None:
            return Attestation(Standing.UNATTESTED, Why.NOT_ASKED)
        return judge(
            reply,
            nonce=nonce,
            transcript=self._opened.transcript,
            identity=self._opened.identity,
            identity_public=self._paired.identity_public,
            manifest=self._paired.manifest,
        )

    @abstractmethod
    def _meaning(self, event: link.DeviceEvent) -> tuple[E, ...]:
        """Return what a link event means for this device."""

    def _general(
        self,
        event: link.SessionOpened | link.SessionRefused | link.LinkLost | link.EventsLost | link.EventNotUnderstood,
    ) -> DeviceIdentified | DeviceRefused | DeviceLost | EventsLost | EventNotUnderstood:
        """Return what a link event means for any device."""
        match event:
            case link.SessionOpened():
                return DeviceIdentified(event.identity, sealed=event.transcript is not None)
            case link.SessionRefused(refusal, identity, dropped):
                sealed = self._paired is not None
                error = refused_error(refusal, identity, self._expected, self._spec, dropped=dropped, sealed=sealed)
                return DeviceRefused(error, identity)
            case link.LinkLost(reason):
                return DeviceLost(reason, lost_error(reason, self._expected, self._spec))
            case link.EventsLost():
                return EventsLost(event.received, event.oldest, event.last)
            case link.EventNotUnderstood():
                text = f"event type {event.type:02X} is none of {self._spec.protocol}"
                return EventNotUnderstood(event.event_id, text)
