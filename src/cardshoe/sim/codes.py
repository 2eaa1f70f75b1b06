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
