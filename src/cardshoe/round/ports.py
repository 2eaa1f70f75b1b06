"""What a round needs of a table, as structural protocols.

Owns nothing but these shapes: `table` joins them with devices and the journal, so that the round never imports either.
"""

from __future__ import annotations

from typing import Protocol

from cardshoe.round.events import Event
from cardshoe.round.next_step import RequestStack


class EventSink(Protocol):
    """Where events go before anything moves or is told (promise P2)."""

    def persist(self, round_id: int, event: Event) -> None:
        """Return once `event` of round `round_id` is on disk; raises `JournalError` when it cannot be."""


class StackSource(Protocol):
    """Something that dispenses stacks, once for each command id (promise P1)."""

    def dispense(self, command_id: int, request: RequestStack) -> None:
        """Send the command; its outcome comes back as an event, whatever happens."""


class FaceSource(Protocol):
    """Something that reads cards which lie face up."""

    def read_up(self, place: str, cards: int) -> None:
        """Ask for `cards` faces at `place`; each comes back as `CardTurned`."""


class Announcer(Protocol):
    """What the dealer is told, after it is on disk."""

    def tell(self, text: str) -> None:
        """Show `text` at the table."""
