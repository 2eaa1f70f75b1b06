"""What the frames of a live session mean.

Owns the sorting of a session's frames to the exchanges that run beside each other: replies and REJECT to the lane,
STATUS to the pulse, events to the inbox. Must not know how frames are protected, how a session begins, or what a
device's messages mean. Implements LINK-2.8, LINK-4.6, LINK-5.6, LINK-5.7, LINK-5.10, LINK-6.6, LINK-7.5 and LINK-7.6
as far as they bind a host that listens.
"""

from __future__ import annotations

from typing import assert_never, cast

from cardshoe.link.events import (
    CommandRejected,
    CommandReplied,
    EventArrived,
    EventNotUnderstood,
    Identity,
    LostReason,
    StatusArrived,
)
from cardshoe.link.inbox import Arrival, EventInbox
from cardshoe.link.lane import CommandLane, Rejection
from cardshoe.link.messages import Reject, RejectReason, StatusHead
from cardshoe.link.outbox import Outbox
from cardshoe.link.pulse import Pulse
from cardshoe.wire.codec import Codec, Message
from cardshoe.wire.framing import Frame
from cardshoe.wire.spec import Kind, Sender


class Conversation:
    """The session with `identity`, heard through `pulse`. `ignored` counts frames that meant nothing here."""

    __slots__ = ("_again", "_boot_counter", "_codec", "_inbox", "_lane", "_out", "_pulse", "ignored", "session")

    def __init__(
        self, codec: Codec, identity: Identity, pulse: Pulse, *, lane: CommandLane, inbox: EventInbox, out: Outbox
    ) -> None:
        self._codec, self._lane, self._inbox, self._out, self._pulse = codec, lane, inbox, out, pulse
        self.session, self._boot_counter = identity.session, identity.boot_counter
        self.ignored = 0
        self._again = False

    def acknowledge_again(self) -> bool:
        """Tell, once, whether an event came that is safe already and wants its acknowledgement again."""
        again, self._again = self._again, False
        return again

    def take(self, frame: Frame, now: float) -> LostReason | None:
        """Take one frame; returns why the session is over, if it is."""
        message = self._codec.decode(frame)
        if frame.session != self.session:
            self.ignored += 1  # LINK-5.6
        elif frame.type in self._codec.spec.event_types:
            return self._event(frame, message, now)
        elif message is None or (spec := self._codec.spec_of(message)).sender is not Sender.DEVICE:
            self.ignored += 1  # LINK-2.8
        else:
            self._pulse.heard(now)
            return self._answer(message, spec.kind, frame, now)
        return None

    def _answer(self, message: Message, kind: Kind, frame: Frame, now: float) -> LostReason | None:
        if isinstance(message, Reject):
            return self._rejected(message, frame.sequence)
        if kind is Kind.HEARTBEAT:
            return self._status(message, frame.sequence, now)
        command = self._lane.answered(frame.type, frame.sequence, self._codec.spec.reply_bit)
        if command is not None:
            self._out.tell(CommandReplied(command, message))
        return None

    def _status(self, message: Message, sequence: int, now: float) -> LostReason | None:
        round_trip_s = self._pulse.answered(sequence, now)
        if round_trip_s is None:
            return None
        head = cast("StatusHead", message)
        if head.boot_counter != self._boot_counter:
            return LostReason.RESTARTED  # LINK-5.10
        oldest = max(1, head.last_event - head.held_events + 1)
        lost = self._inbox.observe(oldest=oldest, last=head.last_event)
        self._out.tell(*lost, StatusArrived(message, round_trip_s))
        return None

    def _event(self, frame: Frame, message: Message | None, now: float) -> LostReason | None:
        head = self._codec.event_head(frame)
        if head is None:
            self.ignored += 1  # LINK-2.8
            return None
        event_id, boot_counter = head
        self._pulse.heard(now)
        if boot_counter > self._boot_counter:  # LINK-5.10; one of an earlier start is one that the ring kept
            return LostReason.RESTARTED
        arrival = self._inbox.arrived(event_id)
        if arrival is Arrival.NEXT:
            unknown = EventNotUnderstood(event_id, frame.type, frame.payload)
            self._out.tell(unknown if message is None else EventArrived(event_id, message))
        self._again = self._again or arrival is Arrival.SAFE
        return None

    def _rejected(self, reject: Reject, sequence: int) -> LostReason | None:
        if reject.reason == RejectReason.NO_SESSION:
            return LostReason.NO_SESSION  # LINK-5.7
        match self._lane.rejected(reject, sequence):
            case None:
                return None
            case Rejection.AMBIGUOUS:
                return LostReason.OUT_OF_STEP
            case CommandRejected() as rejected:
                self._out.tell(rejected)
                return None
            case verdict:
                assert_never(verdict)
