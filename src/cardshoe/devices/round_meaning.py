"""From the shoe's messages of a committing round to what they mean.

Owns the one translation of each message of shoe-v1's chapter on hidden cards; faces are sealed here, before anything
else sees them. Must not know sessions or time. Raises `ValueError` for a value that the protocol does not know, and
its text never holds a face. Implements SHOE-9 for a host, value by value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from cardshoe.devices import round_events as happened
from cardshoe.devices import shoe_rounds_wire as wire
from cardshoe.devices.commitments import NO_CARD, SALT_BYTES, RevealedCard
from cardshoe.devices.shoe_terms import Asked, MatchResult, RevealResult, RoundResult
from cardshoe.devices.values import card_of
from cardshoe.link.events import LostReason
from cardshoe.sealed_card import SealedCard
from cardshoe.wire.codec import Message

Answer = Callable[[Any, Any], happened.RoundAnswer]

_CARDS_MAX: Final = 7
_NO_AUDITOR: Final = bytes(8)


def committed(m: wire.CardCommitted) -> happened.CardCommitted:
    """Return what CARD_COMMITTED means."""
    return happened.CardCommitted(m.event_id, m.round_id, m.command_id, m.slot, m.commitment)


def sealed(m: wire.RoundSealed) -> happened.RoundSealed:
    """Return what ROUND_SEALED means."""
    auditor = None if m.auditor == _NO_AUDITOR else m.auditor
    return happened.RoundSealed(
        m.event_id, m.round_id, m.deck_id, m.first_slot, m.cards, auditor, m.ephemeral, m.sealed
    )


def face_told(m: wire.CardFace) -> happened.CardFace:
    """Return what CARD_FACE means, its face sealed."""
    if m.face in NO_CARD:
        return happened.CardFace(m.event_id, m.command_id, m.slot, None)
    return happened.CardFace(m.event_id, m.command_id, m.slot, SealedCard(card_of(m.face)))


def strays(command: Message, reply: Message) -> bool:
    """Tell whether `reply` speaks of another round or stack than `command`, both of this chapter."""
    match command:
        case wire.BeginRound() | wire.CloseDeal() | wire.EndRound():
            return bool(command[0] != reply[0])
        case wire.MatchCard() | wire.RevealStack():
            return bool(command[:2] != reply[:2])
        case _:
            return False


def _matched(command: wire.MatchCard, reply: wire.MatchCardReply) -> happened.CardMatched:
    return happened.CardMatched(reply.round_id, reply.command_id, card_of(command.face), MatchResult(reply.result))


def _revealed(_command: wire.RevealStack, reply: wire.RevealStackReply) -> happened.StackRevealed:
    result = RevealResult(reply.result)
    if result is not RevealResult.REVEALED:
        return happened.StackRevealed(reply.round_id, reply.command_id, result, ())
    if not 1 <= reply.cards <= _CARDS_MAX:
        raise ValueError(f"a stack of {reply.cards} cards cannot be revealed")
    cards = tuple(
        RevealedCard(reply.faces[at], reply.salts[SALT_BYTES * at : SALT_BYTES * (at + 1)]) for at in range(reply.cards)
    )
    return happened.StackRevealed(reply.round_id, reply.command_id, result, cards)


def _asked(_command: wire.ReadAsked, reply: wire.ReadAskedReply) -> happened.AskedRead:
    asked = Asked(reply.asked)
    if asked is Asked.NOTHING:
        return happened.AskedRead(reply.total, None)
    result = MatchResult(reply.result) if asked is Asked.MATCH else RevealResult(reply.result)
    entry = happened.AskedEntry(reply.round_id, reply.command_id, asked, result, reply.boot_counter, reply.uptime_ms)
    return happened.AskedRead(reply.total, entry)


ROUND_ANSWERS: Final[Mapping[type[Message], Answer]] = {
    wire.BeginRoundReply: lambda _, m: happened.RoundBegun(m.round_id, RoundResult(m.result)),
    wire.CloseDealReply: lambda _, m: happened.DealClosed(m.round_id, RoundResult(m.result)),
    wire.EndRoundReply: lambda _, m: happened.RoundEnded(m.round_id, RoundResult(m.result)),
    wire.MatchCardReply: _matched,
    wire.RevealStackReply: _revealed,
    wire.ReadAskedReply: _asked,
}
"""What each reply means, given the command that it answers."""


def unanswered(command: Message, reason: LostReason) -> happened.TryOutcomeUnknown | None:
    """Return what it means that a try was on the line and has no usable answer; None where asking again is harmless."""
    match command:
        case wire.MatchCard():
            return happened.TryOutcomeUnknown(command.round_id, command.command_id, Asked.MATCH, reason)
        case wire.RevealStack():
            return happened.TryOutcomeUnknown(command.round_id, command.command_id, Asked.REVEAL, reason)
        case _:
            return None
