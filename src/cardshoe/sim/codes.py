"""Numbers that shoe-v1 gives to outcomes, results, states and causes. Owns nothing else."""

from __future__ import annotations

from enum import IntEnum


class Outcome(IntEnum):
    """What became of a command (SHOE-3.6)."""

    NEVER_SEEN = 0
    RUNNING = 1
    DONE = 2
    FAILED = 3
    INTERRUPTED = 4
    FORGOTTEN = 5


class Result(IntEnum):
    """The answer to DISPENSE and PREPARE_DECK (SHOE-4.2)."""

    ACCEPTED = 0
    INHIBITED = 1
    NO_LEASE = 2
    DOOR_OPEN = 3
    GATE_OCCUPIED = 4
    DECK_NOT_VERIFIED = 5
    WRONG_DECK = 6
    NOT_ENOUGH_CARDS = 7
    FAULTED = 8
    BUSY = 9
    STALE_COMMAND = 10
    WRONG_MODE = 11
    RING_FULL = 12
    BAD_VALUE = 13
    DEAL_CLOSED = 14


class RoundResult(IntEnum):
    """The answer to BEGIN_ROUND, CLOSE_DEAL and END_ROUND (SHOE-9.1, SHOE-9.6, SHOE-9.9)."""

    DONE = 0
    BAD_VALUE = 1
    STALE_ROUND = 2
    BUSY = 3
    STACK_AT_GATE = 4
    WRONG_DECK = 5
    NOT_OPEN = 6


class MatchResult(IntEnum):
    """The answer to MATCH_CARD (SHOE-9.4, SHOE-9.5)."""

    MATCH = 0
    MISMATCH = 1
    UNREAD = 2
    NO_TRY_LEFT = 3
    NOT_OPEN = 4
    UNKNOWN_STACK = 5
    BAD_VALUE = 6


class RevealResult(IntEnum):
    """The answer to REVEAL_STACK (SHOE-9.7)."""

    REVEALED = 0
    NOT_OPEN = 1
    NOT_YET = 2
    UNKNOWN_STACK = 3
    SPENT = 4


class RoundState(IntEnum):
    """Where the round in the shoe stands (SHOE-2.6)."""

    NONE = 0
    DEALING = 1
    CLOSED = 2


class AskedKind(IntEnum):
    """What was asked, in the log of tries (SHOE-9.8)."""

    NOTHING = 0
    MATCH = 1
    REVEAL = 2


class Capability(IntEnum):
    """What a shoe can do (SHOE-1.1), beyond what every simulated one can."""

    COMMITS = 32
    REVEALS = 64
    ENVELOPES = 128
    TELLS_FACES = 256


class ClearResult(IntEnum):
    """The answer to CLEAR_FAULT (SHOE-8.3)."""

    CLEARED = 0
    STILL_PRESENT = 1
    NOT_RAISED = 2
    NEEDS_SERVICE = 3


class Cause(IntEnum):
    """Why a command was interrupted (SHOE-4.6)."""

    LEASE = 1
    POWER = 2
    INHIBIT = 3
    DOOR = 4
    RESET = 5


class State(IntEnum):
    """What the shoe is doing (SHOE-2.1)."""

    STARTING = 0
    IDLE = 1
    FEEDING = 2
    STACK_AT_GATE = 3
    PREPARING = 4
    FAULTED = 5


class DeckState(IntEnum):
    """What the shoe knows of its deck (SHOE-2.3)."""

    NONE = 0
    LOADED = 1
    VERIFIED = 2
    REJECTED = 3
    VOID = 4


class Flag(IntEnum):
    """Bits of STATUS (SHOE-2.2)."""

    DOOR_OPEN = 1
    GATE_OCCUPIED = 2
    INHIBITED = 4
    DECK_PRESENT = 8
    COVER_CARD_INSIDE = 16
    LEASE_VALID = 32
    RING_FULL = 64


MODES = {"deal": 0, "sort": 1, "test": 2}
