"""The host's side of a link: bytes and time in, bytes and events out.

Owns the session (HELLO, heartbeat, silence, restart) and joins the command lane and the event inbox to it. Must not
know what a device's messages mean, and does no I/O. Never raises on received bytes and keeps a bounded amount of them.

The rules, in one place:

1. Nothing is sent before `open` and nothing after the session is lost, until `open` is called again: who opens again,
   and how soon, is the caller's business (back-off needs a view that one session does not have).
2. What time has made void is void before new bytes are looked at: a reply that comes with or after its deadline, and
   bytes that were waiting behind a silence longer than the limit, do not count.
3. A command that was on the line and has no answer is *unknown*, never failed. The sequence cannot be trusted after
   it, so the session ends too; the next one tells by query what became of the command.
4. The link repeats frames, never orders.

Implements LINK-2.2, LINK-2.8, LINK-3.4, LINK-4.1 to LINK-4.6, LINK-4.9, LINK-5, LINK-6, LINK-7.4 to LINK-7.8, LINK-8.1
as far as they bind a host.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import assert_never, cast

from cardshoe.link.events import (
    CommandNotSent,
    CommandRejected,
    CommandReplied,
    EventArrived,
    EventNotUnderstood,
    Identity,
    LinkLost,
    LinkOutput,
    LostReason,
    NotSentReason,
    Refusal,
    SessionOpened,
    SessionRefused,
    StatusArrived,
)
from cardshoe.link.handshake import Handshake, identity_of
from cardshoe.link.inbox import Arrival, EventInbox
from cardshoe.link.lane import CommandLane, Order, Rejection
from cardshoe.link.messages import EventAck, Heartbeat, HelloReply, Reject, RejectReason, StatusHead
from cardshoe.link.outbox import Outbox
from cardshoe.link.pulse import Pulse
from cardshoe.link.seal import ClearCheck, NewCheck
from cardshoe.link.timing import intervals, lease_ms
from cardshoe.wire.codec import Codec, Message
from cardshoe.wire.framing import Frame
from cardshoe.wire.spec import Kind, Sender


class Phase(Enum):
    """Where the session stands."""

    CLOSED = "closed"
    OPENING = "opening"
    OPEN = "open"


def anyone(_identity: Identity) -> bool:
    """Admit whoever answers with the right protocol."""
    return True


class HostLink:
    """One link to one device. `now` and deadlines are absolute monotonic seconds and never go back.

    `nonce` gives 16 fresh random bytes for each session. `consumed_event` is the last event that the caller has safe
    from this device (None: it has never met it). `lease` is in milliseconds (None: the protocol's own). `admit` looks
    at who answered before the first heartbeat grants it a lease. `new_check` gives the protection of the frames.
    """

    def __init__(
        self,
        codec: Codec,
        *,
        nonce: Callable[[], bytes],
        consumed_event: int | None = None,
        lease: int | None = None,
        admit: Callable[[Identity], bool] = anyone,
        new_check: NewCheck = ClearCheck,
    ) -> None:
        self._codec = codec
        self._nonce = nonce
        self._admit = admit
        self._new_check = new_check
        self._intervals = intervals(codec.spec.timing)
        self._heartbeat = Heartbeat(lease_ms(codec.spec.timing, lease))
        self._check = new_check()
        self._phase, self._ignored = Phase.CLOSED, 0
        self._handshake: Handshake | None = None
        self._session = self._boot_counter = 0
        self._pulse = Pulse(self._intervals, 0.0)
        self._lane = CommandLane(self._intervals.command_repeat_s)
        self._inbox = EventInbox(consumed_event)
        self._out = Outbox(codec, self._intervals.idle_delimiter_s)

    @property
    def phase(self) -> Phase:
        """Where the session stands."""
        return self._phase

    @property
    def dropped(self) -> int:
        """How many received pieces and frames were dropped since `open`."""
        return self._check.dropped + self._ignored

    def open(self, now: float, *, deadline: float) -> LinkOutput:
        """Begin a session: HELLO at once and again until an answer or `deadline` (LINK-5.12).

        A session that is still open ends first, as by `close`. Raises `ValueError` for a nonce of another length.
        """
        self._end(LostReason.CLOSED)
        self._check, self._ignored = self._new_check(), 0
        spec, security, safe = self._codec.spec, self._check.security, self._inbox.safe
        self._handshake = Handshake(spec, self._nonce(), security, safe, now=now, deadline=deadline)
        self._phase = Phase.OPENING
        self._out.forget_line()
        self._run(now)
        return self._out.take()

    def receive(self, data: bytes, now: float) -> LinkOutput:
        """Take bytes of the line; any bytes. Returns what they mean and what to answer."""
        self._expire(now)
        if self._phase is not Phase.CLOSED:
            if self._handshake is not None:
                self._handshake.heard(data)
            again = [self._take(frame, now) for frame in self._check.feed(data)]
            if any(again):
                self._write_acknowledgement(now)
            self._send_due(now)
        return self._out.take()

    def advance(self, now: float) -> LinkOutput:
        """Let time pass: heartbeats, repeats, deadlines."""
        self._run(now)
        return self._out.take()

    def next_deadline(self) -> float | None:
        """Return when `advance` must be called at the latest, in absolute seconds, or None when nothing is due."""
        if self._handshake is not None:
            return self._handshake.next_deadline()
        if self._phase is Phase.CLOSED:
            return None
        return min(self._lane.next_deadline(), self._pulse.next_deadline())

    def send_command(self, command: Message, *, now: float, deadline: float, urgent: bool = False) -> LinkOutput:
        """Send `command` when its turn comes; exactly one of Replied, Rejected, Unknown and NotSent will tell its end.

        An urgent one goes before those that wait, never before the one in flight. Raises `ValueError` for a field
        whose value does not fit it.
        """
        order = Order(command, self._codec.spec_of(command).type, self._codec.payload(command), deadline)
        self._expire(now)
        if self._phase is not Phase.OPEN:
            self._out.tell(CommandNotSent(command, NotSentReason.NO_SESSION))
        elif not self._lane.submit(order, urgent=urgent):
            self._out.tell(CommandNotSent(command, NotSentReason.QUEUE_FULL))
        self._run(now)
        return self._out.take()

    def acknowledge(self, event_id: int, now: float) -> LinkOutput:
        """Tell the device that every event up to `event_id` is safe (LINK-7.4); without a session HELLO will tell."""
        self._run(now)
        self._inbox.acknowledge(event_id)
        self._write_acknowledgement(now)
        return self._out.take()

    def close(self, reason: LostReason = LostReason.CLOSED) -> LinkOutput:
        """End the session on the host's side, PORT when its port is gone; the lease then runs out by itself."""
        self._end(reason)
        return self._out.take()

    # --- time

    def _expire(self, now: float) -> None:
        """Give up what time has made void, and send nothing."""
        if self._phase is Phase.OPEN:
            if self._pulse.silent(now):
                self._end(LostReason.SILENCE)
            elif self._lane.expired(now):
                self._end(LostReason.UNANSWERED)
        elif self._handshake is not None and (refusal := self._handshake.failed(now)) is not None:
            self._refuse(refusal, None)
        if late := self._lane.drop_late(now):
            self._out.tell(*late)

    def _run(self, now: float) -> None:
        self._expire(now)
        self._send_due(now)

    def _send_due(self, now: float) -> None:
        if self._phase is Phase.OPEN:
            if (sequence := self._pulse.due(now)) is not None:
                self._inbox.asked()
                self._send(self._heartbeat, sequence, now)
            if (due := self._lane.due(now)) is not None:
                self._out.send_order(self._check, *due, session=self._session, now=now)
        elif self._handshake is not None and (hello := self._handshake.due(now)) is not None:
            self._out.send(self._check, hello, session=0, sequence=0, now=now)

    # --- a session begins and ends

    def _greeted(self, handshake: Handshake, reply: Message | None, now: float) -> None:
        if not isinstance(reply, HelloReply) or not handshake.concerns(reply):
            self._ignored += 1  # everything before the answer to this HELLO (LINK-5.12)
            return
        match handshake.judge(reply, self._admit):
            case Identity() as identity:
                self._begin(identity, now)
            case Refusal() as refusal:
                self._refuse(refusal, identity_of(reply))
            case None:
                pass
            case verdict:
                assert_never(verdict)

    def _begin(self, identity: Identity, now: float) -> None:
        self._phase, self._handshake = Phase.OPEN, None
        self._session, self._boot_counter = identity.session, identity.boot_counter
        self._lane.begin_session()
        self._pulse = Pulse(self._intervals, now)
        self._out.tell(SessionOpened(identity))
        oldest, last, ring_size = identity.oldest_event, identity.last_event, identity.ring_size
        self._out.tell(*self._inbox.begin_session(oldest=oldest, last=last, ring_size=ring_size))

    def _refuse(self, refusal: Refusal, identity: Identity | None) -> None:
        self._phase, self._handshake = Phase.CLOSED, None
        self._out.tell(SessionRefused(refusal, identity, self.dropped))

    def _end(self, reason: LostReason) -> None:
        if self._phase is Phase.CLOSED:
            return
        self._out.tell(*self._lane.abandon(reason), LinkLost(reason))
        self._phase, self._handshake = Phase.CLOSED, None

    # --- a frame comes

    def _take(self, frame: Frame, now: float) -> bool:
        """Take one frame; True when an event came that is safe already and wants its acknowledgement again."""
        message = self._codec.decode(frame)
        if self._handshake is not None:
            self._greeted(self._handshake, message, now)
        elif self._phase is Phase.CLOSED or frame.session != self._session:
            self._ignored += 1  # LINK-5.6
        elif frame.type in self._codec.spec.event_types:
            return self._event(frame, message, now)
        elif message is None or (spec := self._codec.spec_of(message)).sender is not Sender.DEVICE:
            self._ignored += 1  # LINK-2.8
        else:
            self._pulse.heard(now)
            self._answer(message, spec.kind, frame, now)
        return False

    def _answer(self, message: Message, kind: Kind, frame: Frame, now: float) -> None:
        if isinstance(message, Reject):
            self._rejected(message, frame.sequence)
        elif kind is Kind.HEARTBEAT:
            self._status(message, frame.sequence, now)
        else:
            command = self._lane.answered(frame.type, frame.sequence, self._codec.spec.reply_bit)
            if command is not None:
                self._out.tell(CommandReplied(command, message))

    def _status(self, message: Message, sequence: int, now: float) -> None:
        round_trip_s = self._pulse.answered(sequence, now)
        if round_trip_s is None:
            return
        head = cast("StatusHead", message)
        if head.boot_counter != self._boot_counter:
            self._end(LostReason.RESTARTED)  # LINK-5.10
            return
        oldest = max(1, head.last_event - head.held_events + 1)
        lost = self._inbox.observe(oldest=oldest, last=head.last_event)
        self._out.tell(*lost, StatusArrived(message, round_trip_s))

    def _event(self, frame: Frame, message: Message | None, now: float) -> bool:
        head = self._codec.event_head(frame)
        if head is None:
            self._ignored += 1  # LINK-2.8
            return False
        event_id, boot_counter = head
        self._pulse.heard(now)
        if boot_counter > self._boot_counter:  # LINK-5.10; one of an earlier start is one that the ring kept
            self._end(LostReason.RESTARTED)
            return False
        arrival = self._inbox.arrived(event_id)
        if arrival is Arrival.NEXT:
            unknown = EventNotUnderstood(event_id, frame.type, frame.payload)
            self._out.tell(unknown if message is None else EventArrived(event_id, message))
        return arrival is Arrival.SAFE

    def _rejected(self, reject: Reject, sequence: int) -> None:
        if reject.reason == RejectReason.NO_SESSION:
            self._end(LostReason.NO_SESSION)  # LINK-5.7
            return
        match self._lane.rejected(reject, sequence):
            case None:
                pass
            case Rejection.AMBIGUOUS:
                self._end(LostReason.OUT_OF_STEP)
            case CommandRejected() as rejected:
                self._out.tell(rejected)
            case verdict:
                assert_never(verdict)

    # --- what goes out

    def _write_acknowledgement(self, now: float) -> None:
        if self._phase is Phase.OPEN:
            self._send(EventAck(self._inbox.safe), 0, now)

    def _send(self, message: Message, sequence: int, now: float) -> None:
        self._out.send(self._check, message, session=self._session, sequence=sequence, now=now)
