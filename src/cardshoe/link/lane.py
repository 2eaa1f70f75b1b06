"""Commands in order, one in flight: stop and wait.

Owns the command sequence, the one command on the line, its repeats and its deadline, and the few that wait behind it.
Must not know sessions, bytes or what a command means. Implements LINK-4.1, LINK-4.4 (a rejected command does not
advance the sequence), LINK-4.5, LINK-4.6 and LINK-8.1 for commands.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import Final

from cardshoe.link.events import CommandNotSent, CommandRejected, CommandUnknown, LostReason, NotSentReason
from cardshoe.link.messages import Reject, RejectReason
from cardshoe.wire.codec import Message

WAITING_MAX: Final = 16
FIRST_SEQUENCE: Final = 1

# After these the exchange itself is sound: the command was not carried out and the next may follow.
_PLAIN: Final = (
    RejectReason.UNKNOWN_TYPE,
    RejectReason.WRONG_LENGTH,
    RejectReason.NOT_ALLOWED_IN_PURPOSE,
    RejectReason.BAD_VALUE,
)


@dataclass(frozen=True, slots=True)
class Order:
    """A command as its caller gave it: `type` and `payload` for the frame, `deadline` in absolute seconds."""

    command: Message
    type: int
    payload: bytes
    deadline: float


class Rejection(Enum):
    """A REJECT from which the command's fate cannot be told."""

    AMBIGUOUS = "it may answer an earlier frame, or shows that the two sides count differently"


class CommandLane:
    """The command exchange of one session after another."""

    __slots__ = ("_last_rejected", "_order", "_repeat_at", "_repeat_s", "_sequence", "_waiting")

    def __init__(self, repeat_s: float) -> None:
        self._repeat_s = repeat_s
        self._order: Order | None = None
        self._repeat_at = 0.0
        self._waiting: deque[Order] = deque()
        self._sequence = FIRST_SEQUENCE
        self._last_rejected: tuple[int, int] | None = None

    def begin_session(self) -> None:
        """Count from the first sequence again; call it with nothing in flight or waiting."""
        self._sequence = FIRST_SEQUENCE
        self._last_rejected = None

    def submit(self, order: Order, *, urgent: bool) -> bool:
        """Let `order` wait for its turn, an urgent one before the others; False when too many wait already."""
        if len(self._waiting) >= WAITING_MAX:
            return False
        if urgent:
            self._waiting.appendleft(order)
        else:
            self._waiting.append(order)
        return True

    def expired(self, now: float) -> bool:
        """Tell whether the command in flight has passed its deadline."""
        return self._order is not None and now >= self._order.deadline

    def drop_late(self, now: float) -> list[CommandNotSent]:
        """Forget the waiting commands whose deadline has passed: they were never sent."""
        if not self._waiting:
            return []
        late = [
            CommandNotSent(order.command, NotSentReason.DEADLINE) for order in self._waiting if now >= order.deadline
        ]
        if late:
            self._waiting = deque(order for order in self._waiting if now < order.deadline)
        return late

    def due(self, now: float) -> tuple[Order, int] | None:
        """Return what to send now with its sequence: the next command, or the one in flight once more."""
        if self._order is None:
            if not self._waiting:
                return None
            self._order = self._waiting.popleft()
        elif now < self._repeat_at:
            return None
        self._repeat_at = now + self._repeat_s
        return self._order, self._sequence

    def answered(self, type_number: int, sequence: int, reply_bit: int) -> Message | None:
        """Return the command that a reply of this type and sequence answers, or None (LINK-4.6)."""
        order = self._order
        if order is None or sequence != self._sequence or type_number != order.type | reply_bit:
            return None
        self._order = None
        self._sequence = (self._sequence + 1) % 256
        return order.command

    def rejected(self, reject: Reject, sequence: int) -> CommandRejected | Rejection | None:
        """Take a REJECT; None when it concerns another frame. A rejected command leaves the lane.

        The sequence stays (LINK-4.4) and REJECT repeats nothing but type and sequence: after one rejection a second
        of the same pair may be the late answer to a repeat of the first frame. Then, and where the reason itself
        says that the two sides are out of step, nothing can be told from it.
        """
        order, pair = self._order, (reject.rejected_type, sequence)
        if order is None or pair != (order.type, self._sequence):
            return None
        if reject.reason not in _PLAIN or self._last_rejected == pair:
            return Rejection.AMBIGUOUS
        self._last_rejected = pair
        self._order = None
        return CommandRejected(order.command, RejectReason(reject.reason))

    def abandon(self, reason: LostReason) -> list[CommandUnknown | CommandNotSent]:
        """Give up everything: what was on the line is unknown, what waited was never sent."""
        told: list[CommandUnknown | CommandNotSent] = []
        if self._order is not None:
            told.append(CommandUnknown(self._order.command, reason))
        told += [CommandNotSent(order.command, NotSentReason.NO_SESSION) for order in self._waiting]
        self._order = None
        self._waiting.clear()
        return told

    def next_deadline(self) -> float:
        """Return when the lane next wants to be looked at, in absolute seconds; infinity for an empty lane."""
        times = [order.deadline for order in self._waiting]
        if self._order is not None:
            times += [self._repeat_at, self._order.deadline]
        return min(times, default=inf)
