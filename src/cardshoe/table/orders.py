"""What the table's controller wants done, once what it wrote is on disk.

Owns the closed set of orders, and how each is said to the shoe's driver. The shell (`app`) carries them out and
decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from cardshoe.cards import Card
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
class BeginRound:
    """Have the shoe commit to the cards that it deals from now on (SHOE-9.1)."""

    round_id: int
    deck_id: int


@dataclass(frozen=True, slots=True)
class CloseDeal:
    """Tell the shoe that no more cards leave it in this round (SHOE-9.6)."""

    round_id: int


@dataclass(frozen=True, slots=True)
class EndRound:
    """Have the shoe seal the envelope of its round (SHOE-9.9)."""

    round_id: int


@dataclass(frozen=True, slots=True)
class MatchCard:
    """Hold a face that lies up against the stack of a command (SHOE-9.4). It spends a try."""

    round_id: int
    command_id: int
    card: Card


@dataclass(frozen=True, slots=True)
class RevealStack:
    """Ask for the faces of a stack that the rules turn up and that nothing else reads (SHOE-9.7)."""

    round_id: int
    command_id: int


@dataclass(frozen=True, slots=True)
class ReadAsked:
    """Read the newest entry of the shoe's log of tries (SHOE-9.8)."""


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


RoundOrder = BeginRound | CloseDeal | EndRound | MatchCard | RevealStack | ReadAsked
ShoeOrder = Dispense | PrepareDeck | QueryCommand | SetInhibit | ClearFault | RoundOrder
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
            return _of_a_round(driver, order, now=now, deadline=deadline)


def _of_a_round(driver: ShoeDriver, order: RoundOrder, *, now: float, deadline: float) -> Output[ShoeEvent]:
    match order:
        case BeginRound(round_id, deck_id):
            return driver.begin_round(round_id=round_id, deck_id=deck_id, now=now, deadline=deadline)
        case CloseDeal(round_id):
            return driver.close_deal(round_id=round_id, now=now, deadline=deadline)
        case EndRound(round_id):
            return driver.end_round(round_id=round_id, now=now, deadline=deadline)
        case MatchCard(round_id, command_id, card):
            return driver.match_card(round_id=round_id, command_id=command_id, card=card, now=now, deadline=deadline)
        case RevealStack(round_id, command_id):
            return driver.reveal_stack(round_id=round_id, command_id=command_id, now=now, deadline=deadline)
        case ReadAsked():
            return driver.read_asked(back=0, now=now, deadline=deadline)
        case _:
            assert_never(order)
