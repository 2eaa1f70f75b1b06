"""What a shoe tells of a round that commits, in the field's words.

Owns the closed set of the events and answers of shoe-v1's chapter on hidden cards, each frozen and in the past tense.
No face stands in it but sealed, or as the caller stated it himself. Those with an `event_id` come from the shoe's ring.
Implements SHOE-9 for the reader of the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cardshoe.cards import Card
from cardshoe.devices.commitments import RevealedCard
from cardshoe.devices.shoe_terms import Asked, MatchResult, RevealResult, RoundResult
from cardshoe.link.events import LostReason
from cardshoe.sealed_card import SealedCard

# --- from the ring


@dataclass(frozen=True, slots=True)
class CardCommitted:
    """The shoe committed to the card of `slot`, which left it with the stack of `command_id` (SHOE-9.3).

    `commitment` has 32 bytes and tells nothing without its salt.
    """

    event_id: int
    round_id: int
    command_id: int
    slot: int
    commitment: bytes


@dataclass(frozen=True, slots=True)
class RoundSealed:
    """The round ended (SHOE-9.10). `cards` counts the committed ones; `first_slot` is where the envelope begins.

    `auditor` (8 bytes) names the key that opens `sealed` (100 bytes) with `ephemeral` (32 bytes); without a key of an
    auditor `auditor` is None and the two are zeros.
    """

    event_id: int
    round_id: int
    deck_id: int
    first_slot: int
    cards: int
    auditor: bytes | None
    ephemeral: bytes
    sealed: bytes


@dataclass(frozen=True, slots=True)
class CardFace:
    """A bench shoe told the face of a card that left it, face down or not (SHOE-9.14). `card` None: not read."""

    event_id: int
    command_id: int
    slot: int
    card: SealedCard | None


# --- answers


@dataclass(frozen=True, slots=True)
class RoundBegun:
    """The answer to `begin_round` (SHOE-9.1); the round is open where `result` is DONE."""

    round_id: int
    result: RoundResult


@dataclass(frozen=True, slots=True)
class DealClosed:
    """The answer to `close_deal` (SHOE-9.6); no more cards leave the shoe where `result` is DONE."""

    round_id: int
    result: RoundResult


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """The answer to `end_round` (SHOE-9.9); RoundSealed is in the ring where `result` is DONE."""

    round_id: int
    result: RoundResult


@dataclass(frozen=True, slots=True)
class CardMatched:
    """The answer to `match_card` (SHOE-9.4, SHOE-9.5); `card` is the face that was stated, which lies face up."""

    round_id: int
    command_id: int
    card: Card
    result: MatchResult


@dataclass(frozen=True, slots=True)
class StackRevealed:
    """The answer to `reveal_stack` (SHOE-9.7): `cards` in order of slots, none unless `result` is REVEALED."""

    round_id: int
    command_id: int
    result: RevealResult
    cards: tuple[RevealedCard, ...]


@dataclass(frozen=True, slots=True)
class TryOutcomeUnknown:
    """A match or reveal was on the line and its answer never came: the try may be spent (SHOE-9.8 tells).

    `asked` is MATCH or REVEAL. Never ask again unasked: a second try would be another one.
    """

    round_id: int
    command_id: int
    asked: Asked
    reason: LostReason


@dataclass(frozen=True, slots=True)
class AskedEntry:
    """One entry of the shoe's log of tries (SHOE-9.8). `result` is of the kind that `asked` has."""

    round_id: int
    command_id: int
    asked: Asked
    result: MatchResult | RevealResult
    boot_counter: int
    uptime_ms: int


@dataclass(frozen=True, slots=True)
class AskedRead:
    """The answer to `read_asked`: `total` tries since manufacture; `entry` None where there is no such entry."""

    total: int
    entry: AskedEntry | None


RoundRingEvent: TypeAlias = CardCommitted | RoundSealed | CardFace
RoundAnswer: TypeAlias = (
    RoundBegun | DealClosed | RoundEnded | CardMatched | StackRevealed | TryOutcomeUnknown | AskedRead
)
