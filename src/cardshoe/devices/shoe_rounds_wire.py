"""The shoe's messages for rounds that commit, match, reveal and seal, one class for each `[[message]]`.

Owns nothing but their fields, which the codec compares with the file when it is built. Must not know what they mean.
Implements SHOE-9 as far as fields go.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class BeginRound(NamedTuple):
    """Opens a round that commits to its cards (SHOE-9.1)."""

    round_id: int
    deck_id: int


class BeginRoundReply(NamedTuple):
    """Whether the round is open (SHOE-9.1)."""

    round_id: int
    result: int


class CloseDeal(NamedTuple):
    """No more cards leave the shoe in this round (SHOE-9.6)."""

    round_id: int


class CloseDealReply(NamedTuple):
    """Whether the deal is closed (SHOE-9.6)."""

    round_id: int
    result: int


class EndRound(NamedTuple):
    """Ends the round (SHOE-9.9)."""

    round_id: int


class EndRoundReply(NamedTuple):
    """Whether the round has ended (SHOE-9.9)."""

    round_id: int
    result: int


class MatchCard(NamedTuple):
    """States a face that lies up (SHOE-9.4)."""

    round_id: int
    command_id: int
    face: int


class MatchCardReply(NamedTuple):
    """Whether the stack has that card (SHOE-9.4, SHOE-9.5)."""

    round_id: int
    command_id: int
    result: int


class RevealStack(NamedTuple):
    """Asks for the faces of a stack (SHOE-9.7)."""

    round_id: int
    command_id: int


class RevealStackReply(NamedTuple):
    """Faces and salts of a stack (SHOE-9.7)."""

    round_id: int
    command_id: int
    result: int
    cards: int
    faces: bytes
    salts: bytes

    def __repr__(self) -> str:
        return "RevealStackReply(**)"  # promise P4: whatever prints it prints no face


class ReadAsked(NamedTuple):
    """Asks for an entry of the log of tries (SHOE-9.8)."""

    back: int


class ReadAskedReply(NamedTuple):
    """An entry of the log of tries (SHOE-9.8)."""

    total: int
    round_id: int
    command_id: int
    asked: int
    result: int
    boot_counter: int
    uptime_ms: int


class CardCommitted(NamedTuple):
    """The shoe committed to a card that left it (SHOE-9.3)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    round_id: int
    command_id: int
    slot: int
    commitment: bytes


class RoundSealed(NamedTuple):
    """The round ended; its envelope (SHOE-9.10)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    round_id: int
    deck_id: int
    first_slot: int
    cards: int
    auditor: bytes
    ephemeral: bytes
    sealed: bytes


class CardFace(NamedTuple):
    """The face of a card that left a bench shoe (SHOE-9.14)."""

    event_id: int
    boot_counter: int
    uptime_ms: int
    command_id: int
    slot: int
    face: int

    def __repr__(self) -> str:
        return "CardFace(**)"  # promise P4: whatever prints it prints no face


ROUND_MESSAGES: Final = (
    BeginRound,
    BeginRoundReply,
    CloseDeal,
    CloseDealReply,
    EndRound,
    EndRoundReply,
    MatchCard,
    MatchCardReply,
    RevealStack,
    RevealStackReply,
    ReadAsked,
    ReadAskedReply,
    CardCommitted,
    RoundSealed,
    CardFace,
)
