"""The reader's closed sets: states, places and results.

Owns their names and numbers, which a test compares with reader-v1.toml. Implements READER-1.1, READER-1.2, READER-3.1
and READER-4.1 as far as numbers go.
"""

from __future__ import annotations

from enum import Enum, IntEnum, IntFlag


class ReaderState(IntEnum):
    """What the reader is doing (READER-4.1)."""

    STARTING = 0
    READY = 1
    FAULTED = 2


class Place(IntEnum):
    """Where cards lie face up (READER-1.2); position 1 is the one farthest to the dealer's left."""

    DEALER = 0
    POSITION_1 = 1
    POSITION_2 = 2
    POSITION_3 = 3
    POSITION_4 = 4
    POSITION_5 = 5
    POSITION_6 = 6
    BOARD = 7


class ScanResult(IntEnum):
    """Whether a place could be read (READER-3.1)."""

    OK = 0
    PLACE_EMPTY = 1
    UNSTEADY = 2
    BAD_VALUE = 3


class ReaderCapability(IntFlag):
    """What a reader can see (READER-1.1)."""

    READS_BOARD = 1
    READS_DEALER = 2
    READS_POSITIONS = 4


class ReaderFlag(IntFlag):
    """The flags of the reader's status (READER-4.1)."""

    LENS_DIRTY = 1
    GLARE = 2


class NoCard(Enum):
    """A face that is no card: three things kept apart, and never guessed (READER-1.3)."""

    UNREADABLE = 0xFE
    FOREIGN = 0xFD
    NONE = 0xFF
