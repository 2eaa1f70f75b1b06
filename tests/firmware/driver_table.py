"""The product's shoe driver on a port, as a table uses it: it opens, prepares a deck, deals, acknowledges.

Owns the loop that moves bytes and time between port and driver; knows of the firmware only that it speaks shoe-v1.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any

from firmware_kit import Port

from cardshoe.devices.events import DeviceIdentified, DeviceLost, DeviceRefused, EventsLost
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_events import (
    CommandRefused,
    DeckVerified,
    ShoeStatusSeen,
    StackReady,
    StackTaken,
)

PATIENCE_S = 60.0


class DriverTable:
    """A driver, a port and what has happened."""

    def __init__(self, port: Port) -> None:
        self.port = port
        self.driver = ShoeDriver(
            expected=Expected(where="the reference firmware"), nonce=lambda: secrets.token_bytes(16), lease_ms=2000
        )
        self.happened: list[Any] = []
        self.command = 0

    def take(self, output: Any) -> None:
        """Write what the driver wants, keep what it tells, acknowledge each event."""
        self.port.write(output.data)
        for event in output.happened:
            assert not isinstance(event, DeviceLost | DeviceRefused | EventsLost | CommandRefused), event
            self.happened.append(event)
            event_id = getattr(event, "event_id", None)
            if event_id is not None:
                self.take(self.driver.acknowledge(event_id, time.monotonic()))

    def wait_for(self, kind: type, right: Callable[[Any], bool] = lambda _: True) -> Any:
        """The first event of this kind that is right; those before it are done with."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            while self.happened:
                event = self.happened.pop(0)
                if isinstance(event, kind) and right(event):
                    return event
            due = self.driver.next_deadline()
            data = self.port.read(0.1 if due is None else min(0.1, due - time.monotonic()))
            now = time.monotonic()
            self.take(self.driver.receive(data, now) if data else self.driver.advance(now))
        raise AssertionError(f"no {kind.__name__} came")

    def prepare(self) -> DeckVerified:
        """A verified deck."""
        self.command += 1
        now = time.monotonic()
        self.take(self.driver.prepare_deck(command_id=self.command, now=now, deadline=now + PATIENCE_S))
        verified: DeckVerified = self.wait_for(DeckVerified, lambda e: e.command_id == self.command)
        return verified

    def deal(self, deck_id: int, cards: int) -> int:
        """One stack, ready and taken; the cards that the shoe counted."""
        self.command += 1
        now = time.monotonic()
        order = {"command_id": self.command, "deck_id": deck_id, "cards": cards, "destination": self.command % 7}
        self.take(self.driver.dispense(**order, now=now, deadline=now + PATIENCE_S))
        ready = self.wait_for(StackReady, lambda e: e.command_id == self.command)
        taken = self.wait_for(StackTaken, lambda e: e.command_id == self.command)
        assert ready.cards == taken.cards == cards
        return cards


def deal_stacks(name: str, stacks: int) -> int:
    """Open, prepare, deal at most 18 stacks of one deck; returns the cards dealt, which STATUS confirms."""
    port = Port(name)
    table = DriverTable(port)
    try:
        now = time.monotonic()
        table.take(table.driver.open(now, deadline=now + PATIENCE_S))
        identified = table.wait_for(DeviceIdentified)
        assert identified.identity.model == "REF-BENCH"
        table.wait_for(ShoeStatusSeen)  # the first heartbeat was answered: there is a lease
        deck, dealt = table.prepare().deck_id, 0
        for number in range(stacks):
            dealt += table.deal(deck, 2 + number % 2)
        status = table.wait_for(ShoeStatusSeen, lambda seen: seen.status.cards_total == dealt)
        assert status.status.cards_left == 52 - dealt
        assert status.status.stacks_total == stacks
        return dealt
    finally:
        port.close()
