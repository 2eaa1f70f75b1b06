"""What the table's controller wants done, once what it wrote is on disk.

Owns the closed set of orders, and how each is said to the shoe's driver. The shell (`app`) carries them out and
decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from cardshoe.devices.events import Output
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_events import ShoeEvent
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
    """Sign the journal's head: a round is over, or (`round_id` None) a shift is."""

    round_id: int | None
    reason: str = "round-completed"


ShoeOrder = Dispense | PrepareDeck | QueryCommand | SetInhibit | ClearFault
Order = ShoeOrder | Acknowledge | SignHead


@dataclass(frozen=True, slots=True)
class Step:
    """What one input led to: `entries` go to disk first, in order; then `orders` are carried out, in order."""

    entries: tuple[Entry, ...] = ()
    orders: tuple[Order, ...] = ()


def give(driver: ShoeDriver, order: ShoeOrder, *, now: float, deadline: float) -> Output[ShoeEvent]:
    """Say `order` to the shoe's driver; the answer is due by `deadline`. Both are monotonic seconds."""
    match order:
        case Dispense(command_id, deck_id, cards, destination):
            return driver.dispense(
                command_id=command_id,
                deck_id=deck_id,
                cards=cards,
                destination=destination,
                now=now,
                deadline=deadline,
            )
        case PrepareDeck(command_id):
            return driver.prepare_deck(command_id=command_id, now=now, deadline=deadline)
        case QueryCommand(command_id):
            return driver.query_command(command_id=command_id, now=now, deadline=deadline)
        case SetInhibit(inhibited):
            return driver.set_inhibit(inhibited=inhibited, now=now, deadline=deadline)
        case ClearFault(fault):
            return driver.clear_fault(fault=fault, now=now, deadline=deadline)
        case _:
            assert_never(order)
