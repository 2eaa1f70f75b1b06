"""What the machines physically did, counted by the world itself: never by firmware, never reset by it.

Owns the counters of the control socket. Knows nothing of messages.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Truth:
    """`opens` and `boots` are the shoe's; `commands_seen` counts command frames that reached it unharmed."""

    stacks_dispensed: int = 0
    partial_stacks: int = 0
    feeds_started: int = 0
    cards_out: int = 0
    commands_seen: int = 0
    opens: int = 0
    boots: int = 0
    reader_opens: int = 0
    reader_boots: int = 0
    decks_loaded: int = 0
    shuffles: int = 0
