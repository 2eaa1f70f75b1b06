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

Implements LINK-2.2, LINK-3.4, LINK-4.1 to LINK-4.5, LINK-4.9, LINK-5, LINK-6, LINK-7.4, LINK-7.8, LINK-8.1, LINK-9.1,
LINK-9.6, LINK-9.9 and LINK-9.11 as far as they bind a host; what frames of the session mean stands in `conversation`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import assert_never

from cardshoe.link.conversation import Conversation
from cardshoe.link.events import (
    CommandNotSent,
    Identity,
    LinkLost,
    LinkOutput,
    LostReason,
    NotSentReason,
    SealedCountRose,
    SessionOpened,
    SessionRefused,
    TamperingSuspected,
)
from cardshoe.link.inbox import EventInbox
from cardshoe.link.lane import CommandLane, Order
from cardshoe.link.messages import EventAck, Heartbeat
from cardshoe.link.opening import Begun, Counted, Ignored, Opening, Sealing, TurnedAway
from cardshoe.link.outbox import Outbox
from cardshoe.link.pulse import Pulse
from cardshoe.link.seal import Check, ClearCheck, SealedCheck
from cardshoe.link.timing import intervals, lease_ms
from cardshoe.wire.codec import Codec, Message
from cardshoe.wire.framing import Frame


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
    at who answered before the first heartbeat grants it a lease. `sealing` has sessions sealed (None: in clear): then
    each opening tells SealedCountRose and goes on by `count_kept`.
    """

    def __init__(
        self,
        codec: Codec,
        *,
        nonce: Callable[[], bytes],
        consumed_event: int | None = None,
        lease: int | None = None,
        admit: Callable[[Identity], bool] = anyone,
        sealing: Sealing | None = None,
    ) -> None:
        self._codec = codec
        self._nonce = nonce
        self._admit = admit
        self._sealing = sealing
        self._last_count = 0 if sealing is None else sealing.last_count
        self._intervals = intervals(codec.spec.timing)
        self._heartbeat = Heartbeat(lease_ms(codec.spec.timing, lease))
        self._check: Check = ClearCheck()
        self._phase, self._ignored = Phase.CLOSED, 0
        self._opening: Opening | None = None
        self._live: Conversation | None = None
        self._session = 0
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
        return self._check.dropped + self._ignored + (0 if self._live is None else self._live.ignored)

    def open(self, now: float, *, deadline: float) -> LinkOutput:
        """Begin a session: HELLO at once and again until an answer or `deadline` (LINK-5.12).

        A session that is still open ends first, as by `close`. Raises `ValueError` for a nonce of another length.
        """
        self._end(LostReason.CLOSED)
        self._opening = Opening(
            self._codec,
            self._nonce(),
            consumed_event=self._inbox.safe,
            admit=self._admit,
            sealing=self._sealing,
            last_count=self._last_count,
            now=now,
            deadline=deadline,
        )
        self._check, self._ignored, self._live = self._opening.check, 0, None
        self._phase = Phase.OPENING
        self._out.forget_line()
        self._run(now)
        return self._out.take()

    def count_kept(self, now: float) -> LinkOutput:
        """Take the caller's word that the count of SealedCountRose is stored: the session begins (LINK-9.6)."""
        self._expire(now)
        begun = None if self._opening is None else self._opening.count_kept()
        if begun is not None:
            self._begin(begun, now)
        self._run(now)
        return self._out.take()

    def receive(self, data: bytes, now: float) -> LinkOutput:
        """Take bytes of the line; any bytes. Returns what they mean and what to answer."""
        self._expire(now)
        if self._phase is not Phase.CLOSED:
            if self._opening is not None:
                self._opening.heard(data)
            for frame in self._check.feed(data):
                self._take(frame, now)
            if (suspicion := self._check.suspected()) is not None:
                self._out.tell(TamperingSuspected(suspicion.replays, suspicion.wrong_tags))
            if self._live is not None and self._live.acknowledge_again():
                self._write_acknowledgement(now)
            self._send_due(now)
        return self._out.take()

    def advance(self, now: float) -> LinkOutput:
        """Let time pass: heartbeats, repeats, deadlines."""
        self._run(now)
        return self._out.take()

    def next_deadline(self) -> float | None:
        """Return when `advance` must be called at the latest, in absolute seconds, or None when nothing is due."""
        if self._opening is not None:
            return self._opening.next_deadline()
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
            elif self._check.spent:
                self._end(LostReason.COUNTER)  # LINK-9.9
        elif self._opening is not None and (failure := self._opening.failed(now)) is not None:
            self._refuse(failure)
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
        elif self._opening is not None and (first := self._opening.due(now)) is not None:
            message, session, sequence = first
            self._out.send(self._check, message, session=session, sequence=sequence, now=now)

    # --- a session begins and ends

    def _take(self, frame: Frame, now: float) -> None:
        if self._opening is not None:
            self._open_further(self._opening, frame, now)
        elif self._live is None or self._phase is Phase.CLOSED:
            self._ignored += 1
        elif (over := self._live.take(frame, now)) is not None:
            self._end(over)

    def _open_further(self, opening: Opening, frame: Frame, now: float) -> None:
        match opening.take(frame, self._codec.decode(frame), now):
            case Begun() as begun:
                self._begin(begun, now)
            case Counted(sealed_count) if self._sealing is not None:
                self._last_count = sealed_count
                self._out.tell(SealedCountRose(self._sealing.key.key_id, sealed_count))
            case TurnedAway() as turned_away:
                self._refuse(turned_away)
            case Ignored():
                self._ignored += 1
            case Counted() | None:
                pass
            case step:
                assert_never(step)

    def _begin(self, begun: Begun, now: float) -> None:
        identity, sealed = begun.identity, begun.sealed
        if sealed is not None and self._opening is not None:
            self._check = SealedCheck(sealed.keys, after=self._opening.check.deframer)
        self._phase, self._opening = Phase.OPEN, None
        self._session = identity.session
        self._lane.begin_session()
        self._pulse = Pulse(self._intervals, now)
        self._live = Conversation(self._codec, identity, self._pulse, lane=self._lane, inbox=self._inbox, out=self._out)
        self._out.tell(SessionOpened(identity, None if sealed is None else sealed.transcript))
        oldest, last, ring_size = identity.oldest_event, identity.last_event, identity.ring_size
        self._out.tell(*self._inbox.begin_session(oldest=oldest, last=last, ring_size=ring_size))

    def _refuse(self, turned_away: TurnedAway) -> None:
        self._phase, self._opening = Phase.CLOSED, None
        self._out.tell(SessionRefused(turned_away.refusal, turned_away.identity, self.dropped))

    def _end(self, reason: LostReason) -> None:
        if self._phase is Phase.CLOSED:
            return
        self._out.tell(*self._lane.abandon(reason), LinkLost(reason))
        self._phase, self._opening = Phase.CLOSED, None

    # --- what goes out

    def _write_acknowledgement(self, now: float) -> None:
        if self._phase is Phase.OPEN:
            self._send(EventAck(self._inbox.safe), 0, now)

    def _send(self, message: Message, sequence: int, now: float) -> None:
        self._out.send(self._check, message, session=self._session, sequence=sequence, now=now)
