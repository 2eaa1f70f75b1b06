"""What a round needs of the table that carries it, as a structural protocol.

Owns nothing but this shape. The round never imports the table, devices or the journal: whoever keeps to this shape may
carry a round, and `table.desk` is the one that does. The order of things is the promise: an event is on its way to the
disk before anything moves or is told because of it (P2), and an alarm holds the round before all else (P5).
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from cardshoe.round.events import Event
from cardshoe.round.state import State


@runtime_checkable
class RoundKeeper(Protocol):
    """Keeps the open round and the record of it."""

    @property
    def open_round(self) -> State | None:
        """The round that is not complete yet, or None."""

    def happened(self, event: Event) -> None:
        """Record `event` and apply it. Raises what `machine.apply` raises; then nothing was recorded."""

    def alarm(self, code: str, text: str) -> None:
        """Hold the open round, or the table between rounds, with the question of error code `code`."""
