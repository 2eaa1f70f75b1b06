"""The product's shoe driver over the product's transport, on an asyncio loop, as a table uses them.

Owns the joining of the two and the waiting for events. Must not know what carries the bytes.
"""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable
from typing import Any

from cardshoe.devices.events import DeviceIdentified, DeviceLost, DeviceRefused
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_events import CommandOutcome, DeckVerified, ShoeStatusSeen, StackReady, StackTaken
from cardshoe.errors import DeviceError
from cardshoe.link.events import Identity
from cardshoe.transport import Transport

PATIENCE_S = float(os.environ.get("FRONT_PATIENCE_S", "30"))  # only ends a body that would hang
SLOWER = float(os.environ.get("FRONT_SLOWER", "1"))
"""The driver's second is so many real ones. An emulated processor gets what this machine has left over: when that is
nothing for a second, the device was not silent (LINK-6.5), it was not there. The limits themselves are held in virtual
time by the link's own tests. At 3 a heartbeat comes every 750 ms, well within the lease of 2 s."""


class ShoeTable:
    """One shoe with a session, until `close`."""

    def __init__(self, transport: Transport, *, consumed_event: int | None = None, last_command: int = 0) -> None:
        """Start the transport. `consumed_event` and `last_command` are what a former session came to."""
        self.transport = transport
        self.driver = ShoeDriver(
            expected=Expected(where=transport.url),
            nonce=lambda: secrets.token_bytes(16),
            consumed_event=consumed_event,
            lease_ms=2000,
        )
        self.happened: list[Any] = []
        self.losses: list[DeviceError] = []
        self.lost_at = 0.0
        self.consumed = consumed_event
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._command = last_command
        transport.start(self._loop, self._bytes, self._lost)

    def _bytes(self, data: bytes) -> None:
        self.take(self.driver.receive(data, self._now()))

    def _lost(self, error: DeviceError) -> None:
        self.lost_at = self._loop.time()
        self.losses.append(error)
        self.take(self.driver.port_lost())

    def _now(self) -> float:
        """Seconds of the driver's clock."""
        return self._loop.time() / SLOWER

    def _tick(self) -> None:
        self.take(self.driver.advance(self._now()))

    def take(self, output: Any) -> None:
        """Write what the driver wants, keep what it tells, acknowledge each event."""
        if output.data:
            self.transport.write(output.data)
        for event in output.happened:
            self.happened.append(event)
            event_id = getattr(event, "event_id", None)
            if event_id is not None and self.driver.live:
                self.consumed = event_id
                self.take(self.driver.acknowledge(event_id, self._now()))
        if self._timer is not None:
            self._timer.cancel()
        due = self.driver.next_deadline()
        self._timer = None if due is None else self._loop.call_at(due * SLOWER, self._tick)
        self._changed.set()

    async def wait_for(self, kind: type, right: Callable[[Any], bool] = lambda _: True) -> Any:
        """The first event of this kind that is right; what came before it is done with."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                while self.happened:
                    event = self.happened.pop(0)
                    assert not isinstance(event, DeviceRefused | DeviceLost), event.error.text
                    if isinstance(event, kind) and right(event):
                        return event
                assert not self.losses or kind is DeviceError, self.losses[0].text
                self._changed.clear()
                await self._changed.wait()

    async def loss(self) -> DeviceError:
        """The loss of the port."""
        async with asyncio.timeout(PATIENCE_S):
            while not self.losses:
                self._changed.clear()
                await self._changed.wait()
        return self.losses[0]

    async def identify(self) -> Identity:
        """Open the session; who answered."""
        now = self._now()
        self.take(self.driver.open(now, deadline=now + PATIENCE_S))
        found = await self.wait_for(DeviceIdentified)
        await self.wait_for(ShoeStatusSeen)  # the first heartbeat was answered: there is a lease
        return found.identity  # type: ignore[no-any-return]

    async def prepare(self) -> int:
        """A verified deck; its number."""
        self._command += 1
        now = self._now()
        self.take(self.driver.prepare_deck(command_id=self._command, now=now, deadline=now + PATIENCE_S))
        verified = await self.wait_for(DeckVerified, lambda e: e.command_id == self._command)
        return int(verified.deck_id)

    def dispense(self, deck_id: int, cards: int, to: int) -> int:
        """Order one stack; the command's id."""
        self._command += 1
        now = self._now()
        order = {"command_id": self._command, "deck_id": deck_id, "cards": cards, "destination": to}
        self.take(self.driver.dispense(**order, now=now, deadline=now + PATIENCE_S))
        return self._command

    async def deal(self, desk: Any, deck_id: int, cards: int, to: int, *, device: str = "shoe") -> None:
        """One stack, ready, taken by a hand, counted."""
        command = self.dispense(deck_id, cards, to)
        ready = await self.wait_for(StackReady, lambda e: e.command_id == command)
        assert ready.cards == cards
        desk.ask(do="take_stack", to=str(to), device=device)
        taken = await self.wait_for(StackTaken, lambda e: e.command_id == command)
        assert taken.cards == cards

    async def ask(self, command_id: int) -> CommandOutcome:
        """What became of a command."""
        now = self._now()
        self.take(self.driver.query_command(command_id=command_id, now=now, deadline=now + PATIENCE_S))
        return await self.wait_for(CommandOutcome, lambda e: e.command_id == command_id)  # type: ignore[no-any-return]

    def close(self) -> None:
        """Give the port back."""
        if self._timer is not None:
            self._timer.cancel()
        self.transport.close()
