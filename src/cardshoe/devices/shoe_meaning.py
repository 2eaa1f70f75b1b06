"""From the shoe's messages to what they mean.

Owns the one translation of each message of shoe-v1. Must not know sessions or time, and never raises: a value that the
protocol does not know becomes an event that holds the round, or an answer that leaves the outcome unknown (P5).
Rounds that commit have their own translation in `round_meaning`. Implements SHOE-2 to SHOE-8 for a host, by value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from cardshoe.devices import round_meaning
from cardshoe.devices import shoe_events as happened
from cardshoe.devices import shoe_rounds_wire as rounds_wire
from cardshoe.devices import shoe_wire as wire
from cardshoe.devices.events import EventNotUnderstood, FaultCleared, FaultRaised, RequestFailed, StatusNotUnderstood
from cardshoe.devices.shoe_events import Discrepancy, ShoeAnswer, ShoeEvent, ShoeRingEvent
from cardshoe.devices.shoe_terms import (
    BootCause,
    CardsAt,
    ClearResult,
    DeckState,
    DispenseResult,
    InterruptCause,
    Mode,
    Named,
    Outcome,
    RoundState,
    ShoeFlag,
    ShoeState,
)
from cardshoe.devices.values import bits, card_of, fault_of, fault_or_none, known, truth
from cardshoe.link import events as link
from cardshoe.link.events import LostReason
from cardshoe.link.messages import RejectReason
from cardshoe.wire.codec import Message

M = TypeVar("M")
R = TypeVar("R")
Reader = Callable[[Any], R]

_NO_FACE: Final = 0xFF


def _request_failed(command: Message, reason: LostReason | link.NotSentReason | RejectReason) -> RequestFailed:
    about_a_command = wire.QueryCommand | rounds_wire.MatchCard | rounds_wire.RevealStack
    asked = command.command_id if isinstance(command, about_a_command) else None
    return RequestFailed(wire.SHOE_CODEC.spec_of(command).name, asked, reason)


def _on(cls: type[M], read: Callable[[M], R]) -> tuple[type[M], Callable[[M], R]]:
    return cls, read


def _named(raw: bytes) -> tuple[Discrepancy, ...]:
    pairs = [(what, face) for what, face in zip(raw[::2], raw[1::2], strict=True) if what]
    return tuple(Discrepancy(Named(what), None if face == _NO_FACE else card_of(face)) for what, face in pairs)


def _rejected(m: wire.DeckRejected) -> happened.DeckRejected:
    counts = (m.cards, m.missing, m.duplicate, m.foreign, m.unreadable, m.face_up, m.jokers)
    return happened.DeckRejected(m.event_id, m.command_id, *counts, _named(m.named))


RING_EVENTS: Final[Mapping[type[Message], Reader[ShoeRingEvent | FaultRaised | FaultCleared]]] = dict(
    (
        _on(wire.Booted, lambda m: happened.ShoeBooted(m.event_id, BootCause(m.cause), bits(CardsAt, m.cards_at))),
        _on(
            wire.StackReady,
            lambda m: happened.StackReady(m.event_id, m.command_id, m.deck_id, m.cards, known(m.first_slot)),
        ),
        _on(wire.StackTaken, lambda m: happened.StackTaken(m.event_id, m.command_id, known(m.cards))),
        _on(
            wire.DispenseFailed,
            lambda m: happened.DispenseFailed(m.event_id, m.command_id, fault_of(m.fault), known(m.cards_seen)),
        ),
        _on(
            wire.DispenseInterrupted,
            lambda m: happened.DispenseInterrupted(
                m.event_id, m.command_id, InterruptCause(m.cause), known(m.cards_seen)
            ),
        ),
        _on(wire.CoverCardInserted, lambda m: happened.CoverCardInserted(m.event_id, m.before_slot)),
        _on(wire.CoverCardSeen, lambda m: happened.CoverCardSeen(m.event_id, m.command_id, m.before_slot)),
        _on(wire.DoorOpened, lambda m: happened.DoorOpened(m.event_id, known(m.cards_left))),
        _on(wire.DoorClosed, lambda m: happened.DoorClosed(m.event_id, truth(m.cards_present))),
        _on(wire.StubRemoved, lambda m: happened.StubRemoved(m.event_id, known(m.cards))),
        _on(wire.DeckLoaded, lambda m: happened.DeckLoaded(m.event_id)),
        _on(wire.DeckVerified, lambda m: happened.DeckVerified(m.event_id, m.command_id, m.deck_id, m.cards)),
        _on(wire.DeckRejected, _rejected),
        _on(wire.FaultRaised, lambda m: FaultRaised(m.event_id, fault_of(m.fault), m.detail)),
        _on(wire.FaultCleared, lambda m: FaultCleared(m.event_id, fault_of(m.fault))),
        _on(wire.LeaseLost, lambda m: happened.LeaseLost(m.event_id, m.running_command)),
        _on(wire.ModeChanged, lambda m: happened.ModeChanged(m.event_id, Mode(m.mode))),
        _on(wire.CardUnexpected, lambda m: happened.CardUnexpected(m.event_id, m.cards)),
        _on(rounds_wire.CardCommitted, round_meaning.committed),
        _on(rounds_wire.RoundSealed, round_meaning.sealed),
        _on(rounds_wire.CardFace, round_meaning.face_told),
    )
)


def _command_answer(reply: wire.DispenseReply | wire.PrepareDeckReply) -> ShoeAnswer:
    result = DispenseResult(reply.result)
    if result is DispenseResult.ACCEPTED:
        return happened.CommandAccepted(reply.command_id)
    return happened.CommandRefused(reply.command_id, result)


def _outcome(reply: wire.QueryCommandReply) -> ShoeAnswer:
    return happened.CommandOutcome(
        command_id=reply.command_id,
        outcome=Outcome(reply.outcome),
        cards_seen=known(reply.cards_seen),
        taken=truth(reply.taken),
        first_slot=known(reply.first_slot),
        fault=fault_or_none(reply.fault),
    )


ANSWERS: Final[Mapping[type[Message], Reader[ShoeAnswer]]] = dict(
    (
        _on(wire.QueryCommandReply, _outcome),
        _on(wire.DispenseReply, _command_answer),
        _on(wire.PrepareDeckReply, _command_answer),
        _on(wire.SetInhibitReply, lambda m: happened.InhibitAnswered(truth(m.inhibited))),
        _on(wire.ClearFaultReply, lambda m: happened.ClearFaultAnswered(fault_of(m.fault), ClearResult(m.result))),
        _on(wire.ReadCountersReply, lambda m: happened.ShoeCountersRead(*m)),
    )
)


def ring_event(event_id: int, message: Message) -> ShoeEvent:
    """Return what an event of the ring means."""
    try:
        return RING_EVENTS[type(message)](message)
    except ValueError as error:
        return EventNotUnderstood(event_id, f"{type(message).__name__}: {error}")


def answer(command: Message, reply: Message) -> ShoeEvent:
    """Return what the reply to `command` means; a reply about another command or with an unknown value ends it unknown.

    An answer that cannot be right ends the wait (it will not be given again better), and claims nothing.
    """
    match command, reply:
        case ((wire.Dispense() | wire.PrepareDeck() | wire.QueryCommand()), _) if command.command_id != reply[0]:
            return unanswered(command, LostReason.OUT_OF_STEP)
        case wire.SetInhibit(), wire.SetInhibitReply() if command.inhibited != reply.inhibited:
            return unanswered(command, LostReason.OUT_OF_STEP)
        case wire.ClearFault(), wire.ClearFaultReply() if command.fault != reply.fault:
            return unanswered(command, LostReason.OUT_OF_STEP)
    if round_meaning.strays(command, reply):
        return unanswered(command, LostReason.OUT_OF_STEP)
    try:
        if (of_a_round := round_meaning.ROUND_ANSWERS.get(type(reply))) is not None:
            return of_a_round(command, reply)
        return ANSWERS[type(reply)](reply)
    except ValueError:
        return unanswered(command, LostReason.OUT_OF_STEP)


def unanswered(command: Message, reason: LostReason) -> ShoeEvent:
    """Return what it means that `command` was on the line and has no usable answer."""
    match command:
        case wire.Dispense() | wire.PrepareDeck():
            return happened.CommandOutcomeUnknown(command.command_id, reason)
        case _:
            lost_try = round_meaning.unanswered(command, reason)
            return _request_failed(command, reason) if lost_try is None else lost_try


def not_carried_out(event: link.CommandRejected | link.CommandNotSent) -> ShoeEvent:
    """Return what it means that a command was certainly not carried out."""
    match event.command, event:
        case (wire.Dispense() | wire.PrepareDeck()) as command, link.CommandRejected(_, reason):
            return happened.CommandRejected(command.command_id, reason)
        case (wire.Dispense() | wire.PrepareDeck()) as command, link.CommandNotSent(_, why):
            return happened.CommandNotSent(command.command_id, why)
        case command, _:
            return _request_failed(command, event.reason)


def status(message: Message, round_trip_s: float) -> ShoeEvent:
    """Return the shoe's state as it says itself."""
    if not isinstance(message, wire.Status):
        return StatusNotUnderstood(f"{type(message).__name__} is not a shoe's status")
    try:
        return happened.ShoeStatusSeen(_status(message), round_trip_s * 1000)
    except ValueError as error:
        return StatusNotUnderstood(str(error))


def _status(m: wire.Status) -> happened.ShoeStatus:
    return happened.ShoeStatus(
        boot_counter=m.boot_counter,
        uptime_ms=m.uptime_ms,
        last_event=m.last_event,
        held_events=m.held_events,
        lease_left_ms=m.lease_left_ms,
        mode=Mode(m.mode),
        state=ShoeState(m.state),
        flags=bits(ShoeFlag, m.flags),
        deck_state=DeckState(m.deck_state),
        deck_id=m.deck_id,
        cards_left=known(m.cards_left),
        gate_cards=known(m.gate_cards),
        running_command=m.running_command or None,
        last_command=m.last_command,
        fault=fault_or_none(m.fault),
        stacks_total=m.stacks_total,
        cards_total=m.cards_total,
        round_id=m.round_id,
        round_state=RoundState(m.round_state),
    )
