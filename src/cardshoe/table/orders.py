"""What the table's controller wants done, once what it wrote is on disk.

Owns the closed set of orders. The shell (`app`) carries them out and decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from cardshoe.journal import Entry
from cardshoe.wire.spec import Fault


@dataclass(frozen=True, slots=True)
class Dispense:
    """Send one dispense; `destination` is 0 for the dealer, 1 to 6 for a position."""

    command_id: int
    deck_id: int
    cards: int
    destination: int


@dataclass(frozen=True, slots=True)
class PrepareDeck:
    """Have the shoe shuffle and verify what lies in it."""

    command_id: int


@dataclass(frozen=True, slots=True)
class QueryCommand:
    """Ask the shoe what became of a command."""

    command_id: int


@dataclass(frozen=True, slots=True)
class SetInhibit:
    """Stop the shoe's motion, or allow it again."""

    inhibited: bool


@dataclass(frozen=True, slots=True)
class ClearFault:
    """Have the shoe forget a fault whose question was answered."""

    fault: Fault


@dataclass(frozen=True, slots=True)
class Acknowledge:
    """Tell `device` ("shoe" or "reader") that its events up to `event_id` are safe."""

    device: str
    event_id: int


@dataclass(frozen=True, slots=True)
class SignHead:
    """Sign the journal's head: a round is over."""

    round_id: int


Order = Dispense | PrepareDeck | QueryCommand | SetInhibit | ClearFault | Acknowledge | SignHead


@dataclass(frozen=True, slots=True)
class Step:
    """What one input led to: `entries` go to disk first, in order; then `orders` are carried out, in order."""

    entries: tuple[Entry, ...] = ()
    orders: tuple[Order, ...] = ()
