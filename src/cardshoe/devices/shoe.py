"""The dealing shoe's driver: commands in the field's words, events in the field's words.

Owns the translation between shoe-v1's messages and their meaning. Must not know rounds, games or the journal, and
decides nothing: whether a command may be given again is for its caller to say, who asks by `query_command` first
(P1, SHOE-3.6). Implements SHOE-2 to SHOE-9 for a host.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from cardshoe.cards import Card
from cardshoe.devices import shoe_meaning as meaning
from cardshoe.devices import shoe_rounds_wire as rounds_wire
from cardshoe.devices import shoe_wire as wire
from cardshoe.devices.driver import DeviceDriver
from cardshoe.devices.events import Output
from cardshoe.devices.paired import Paired
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe_events import ShoeEvent
from cardshoe.link import events as link
from cardshoe.wire.spec import Fault


class ShoeDriver(DeviceDriver[ShoeEvent]):
    """One shoe behind a link.

    Of each `dispense` and `prepare_deck` exactly one of CommandAccepted, CommandRefused, CommandRejected,
    CommandNotSent and CommandOutcomeUnknown tells the end; what the shoe then does comes as events, which may come
    before it. Raises `ValueError` for a value that does not fit its field.
    """

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
            wire.SHOE_CODEC,
            expected=expected,
            nonce=nonce,
            consumed_event=consumed_event,
            lease_ms=lease_ms,
            paired=paired,
        )

    def dispense(
        self, *, command_id: int, deck_id: int, cards: int, destination: int, now: float, deadline: float
    ) -> Output[ShoeEvent]:
        """Feed `cards` to the gate for `destination` (0 dealer, 1 to 6) (SHOE-4.1)."""
        return self._send(wire.Dispense(command_id, deck_id, cards, destination), now=now, deadline=deadline)

    def prepare_deck(self, *, command_id: int, now: float, deadline: float) -> Output[ShoeEvent]:
        """Shuffle and verify what lies in the magazine (SHOE-6.2)."""
        return self._send(wire.PrepareDeck(command_id), now=now, deadline=deadline)

    def query_command(self, *, command_id: int, now: float, deadline: float) -> Output[ShoeEvent]:
        """Ask what became of a command (SHOE-3.6); answered by CommandOutcome or RequestFailed."""
        return self._send(wire.QueryCommand(command_id), now=now, deadline=deadline)

    def set_inhibit(self, *, inhibited: bool, now: float, deadline: float) -> Output[ShoeEvent]:
        """Stop motion and refuse more, or allow it again (SHOE-5.1); goes before everything that waits."""
        return self._send(wire.SetInhibit(int(inhibited)), now=now, deadline=deadline, urgent=True)

    def clear_fault(self, *, fault: Fault, now: float, deadline: float) -> Output[ShoeEvent]:
        """Clear a raised fault (SHOE-8.3); answered by ClearFaultAnswered or RequestFailed."""
        return self._send(wire.ClearFault(fault.code), now=now, deadline=deadline)

    def read_counters(self, *, now: float, deadline: float) -> Output[ShoeEvent]:
        """Ask for the lifetime counters (SHOE-8.7); answered by ShoeCountersRead or RequestFailed."""
        return self._send(wire.ReadCounters(), now=now, deadline=deadline)

    def begin_round(self, *, round_id: int, deck_id: int, now: float, deadline: float) -> Output[ShoeEvent]:
        """Open a round that commits to its cards (SHOE-9.1); answered by RoundBegun or RequestFailed."""
        return self._send(rounds_wire.BeginRound(round_id, deck_id), now=now, deadline=deadline)

    def close_deal(self, *, round_id: int, now: float, deadline: float) -> Output[ShoeEvent]:
        """Say that no more cards leave the shoe in this round (SHOE-9.6); answered by DealClosed or RequestFailed."""
        return self._send(rounds_wire.CloseDeal(round_id), now=now, deadline=deadline)

    def end_round(self, *, round_id: int, now: float, deadline: float) -> Output[ShoeEvent]:
        """End the round (SHOE-9.9); answered by RoundEnded or RequestFailed, RoundSealed comes from the ring."""
        return self._send(rounds_wire.EndRound(round_id), now=now, deadline=deadline)

    def match_card(
        self, *, round_id: int, command_id: int, card: Card, now: float, deadline: float
    ) -> Output[ShoeEvent]:
        """State that a card of the stack of `command_id` lies face up as `card` (SHOE-9.4).

        Answered by CardMatched, by TryOutcomeUnknown, or by RequestFailed where it was certainly not carried out.
        """
        return self._send(rounds_wire.MatchCard(round_id, command_id, card.index), now=now, deadline=deadline)

    def reveal_stack(self, *, round_id: int, command_id: int, now: float, deadline: float) -> Output[ShoeEvent]:
        """Ask for the faces of the stack of `command_id` (SHOE-9.7), once.

        Answered by StackRevealed, by TryOutcomeUnknown, or by RequestFailed where it was certainly not carried out.
        """
        return self._send(rounds_wire.RevealStack(round_id, command_id), now=now, deadline=deadline)

    def read_asked(self, *, back: int, now: float, deadline: float) -> Output[ShoeEvent]:
        """Ask for a try in the shoe's log, 0 the newest (SHOE-9.8); answered by AskedRead or RequestFailed."""
        return self._send(rounds_wire.ReadAsked(back), now=now, deadline=deadline)

    def _meaning(self, event: link.DeviceEvent) -> tuple[ShoeEvent, ...]:
        match event:
            case link.EventArrived(event_id, message):
                return (meaning.ring_event(event_id, message),)
            case link.StatusArrived(message, round_trip_s):
                return (meaning.status(message, round_trip_s),)
            case link.CommandReplied(command, reply):
                return (meaning.answer(command, reply),)
            case link.CommandUnknown(command, reason):
                return (meaning.unanswered(command, reason),)
            case link.CommandRejected() | link.CommandNotSent():
                return (meaning.not_carried_out(event),)
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
