"""A whole table in this process whose line to the shoe is watched: when a report comes, when the next command goes.

Owns the line between the table's loop and a simulated world in real time, the two stamps, and a dealer who keeps the
stacks coming. Controller, journal, drivers and loop are the product's own; only the cable is not a port.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, NamedTuple

from cardshoe.devices.shoe_wire import SHOE_CODEC, Dispense, StackTaken
from cardshoe.errors import DeviceError, InputError
from cardshoe.games.script import POSITIONS
from cardshoe.link.messages import EventAck
from cardshoe.round import next_step as due
from cardshoe.round.events import (
    DecisionMade,
    HandCollected,
    HandSettled,
    NoMoreBetsCalled,
    RoundCompleted,
    WagerPlaced,
)
from cardshoe.sim.world import World
from cardshoe.table import view
from cardshoe.table.acts import OpenRound
from cardshoe.table.app import Table, open_table
from cardshoe.table.config import parse_config
from cardshoe.transport import OnBytes, OnLost, Transport
from cardshoe.wire.framing import Deframer

SPEED: Final = 2000.0
_URL: Final = "sim://shoe"
_CONFIG: Final = f"""
[table]
name = "bench"
mode = "bench"
game = "three-card-poker"
journal = "bench.sqlite"
[devices.shoe]
url = "{_URL}"
"""
_PERSON_S: Final = 0.3
"""A person's hands are slower than a status; only then is a deck put in."""
_PATIENCE_S: Final = 60.0


class Stamps(NamedTuple):
    """Seconds from the bytes of a StackTaken: to its acknowledgement on the line, and to the next Dispense."""

    to_acknowledged: list[float]
    to_next_command: list[float]


class WatchedLine:
    """The `Transport` to a world in this process, in real time, that stamps what passes."""

    def __init__(self, world: World) -> None:
        self.url = _URL
        self.world = world
        self.stamps = Stamps([], [])
        self._loop: asyncio.AbstractEventLoop | None = None
        self._on_bytes: OnBytes | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._heard, self._said = Deframer(), Deframer()
        self._newest = 0
        self._waits_for_ack = self._waits_for_command = False
        self._came = 0.0

    def start(self, loop: asyncio.AbstractEventLoop, on_bytes: OnBytes, on_lost: OnLost) -> None:
        """Begin to deliver; nothing is ever lost here."""
        del on_lost
        self._loop, self._on_bytes = loop, on_bytes
        self.world.line_opened("shoe", time.monotonic())
        self._pump()

    def write(self, data: bytes) -> None:
        """Carry bytes to the shoe."""
        now = time.perf_counter()
        for frame in self._said.feed(data):
            self._stamp(SHOE_CODEC.decode(frame), now)
        self.world.receive("shoe", data, time.monotonic())
        self._pump()

    def close(self) -> None:
        """End."""
        self._on_bytes = None
        if self._timer is not None:
            self._timer.cancel()

    def hands(self, do: str, **request: object) -> None:
        """Have the dealer's hands do something. Raises `InputError` `bench-table` when they cannot."""
        answer = self.world.control({"do": do, **request}, time.monotonic())
        if not answer["ok"]:
            raise InputError("bench-table", f"the hands cannot {do}: {answer.get('text')}")
        self._pump()

    def _stamp(self, message: object, now: float) -> None:
        match message:
            case EventAck(consumed_event) if self._waits_for_ack and consumed_event >= self._newest:
                self._waits_for_ack = False
                self.stamps.to_acknowledged.append(now - self._came)
            case Dispense() if self._waits_for_command:
                self._waits_for_command = False
                self.stamps.to_next_command.append(now - self._came)
            case _:
                pass

    def _pump(self) -> None:
        """Deliver what the shoe says after the present call, and set the alarm for its next movement."""
        if self._loop is None or self._on_bytes is None:
            return
        data = self.world.take_output("shoe")
        if data:
            self._loop.call_soon(self._deliver, data)
        if self._timer is not None:
            self._timer.cancel()
        at = self.world.next_deadline()
        self._timer = None if at is None else self._loop.call_at(at, self._moved)

    def _moved(self) -> None:
        self.world.advance(time.monotonic())
        self._pump()

    def _deliver(self, data: bytes) -> None:
        if self._on_bytes is None:
            return
        for frame in self._heard.feed(data):
            message = SHOE_CODEC.decode(frame)
            if isinstance(message, StackTaken) and message.event_id > self._newest:
                self._newest = message.event_id
                self._waits_for_ack = self._waits_for_command = True
                self._came = time.perf_counter()
        self._on_bytes(data)


class Dealer:
    """Deals rounds in which everybody folds, so that stacks follow each other."""

    def __init__(self, table: Table, line: WatchedLine) -> None:
        self._table = table
        self._line = line
        self._done: view.Due | None = None

    async def stacks(self, wanted: int) -> None:
        """Deal until `wanted` commands have followed a stack. Raises `InputError` `bench-table` at a halt."""
        async with asyncio.timeout(_PATIENCE_S + wanted):
            while len(self._line.stamps.to_next_command) < wanted:
                shown = self._table.shown
                # What the hands did is seen when the shoe reports it; meanwhile other things may change.
                if shown.due == self._done or not await self._did(shown.due):
                    self._done = shown.due
                    await self._table.changed(shown)
                else:
                    self._done = None

    async def _did(self, what: view.Due) -> bool:
        """Do what is due; False where there is nothing but to wait."""
        table, line = self._table, self._line
        match what:
            case view.OpenRoundDue():
                await table.act(OpenRound({at: f"P{at}" for at in POSITIONS}))
            case due.TakeWagers():
                for at in POSITIONS:
                    await table.act(WagerPlaced(at, f"P{at}", {"ante": 1000}))
                await table.act(NoMoreBetsCalled())
            case view.TakeStack(to, _):
                line.hands("take_stack", to=to)
                return False
            case due.AskDecision(positions, _):
                await table.act(DecisionMade(positions[0], "fold"))
            case view.LoadDeck():
                await asyncio.sleep(_PERSON_S)
                if table.shown.due == what:
                    line.hands("load_deck")
                    return False
            case _:
                return await self._ended(what)
        return True

    async def _ended(self, what: view.Due) -> bool:
        table, line = self._table, self._line
        match what:
            case due.SettleHand(position):
                await table.act(HandSettled(position))
            case due.CollectHand(position):
                line.hands("collect", what=position)
                await table.act(HandCollected(position))
            case due.CompleteRound():
                line.hands("collect")
                await table.act(RoundCompleted())
            case view.Wait() | due.RequestStack() | due.AwaitStack():
                return False
            case _:
                raise InputError("bench-table", f"the table halts: {table.shown.words}")
        return True


@asynccontextmanager
async def watched_table(folder: Path) -> AsyncIterator[tuple[Table, WatchedLine]]:
    """Open a table whose journal lies in `folder`. Raises what `open_table` raises."""
    line = WatchedLine(World(seed=1, speed=SPEED, now=time.monotonic()))

    async def opener(url: str) -> Transport:
        if url != line.url:
            raise DeviceError("bench-table", f"there is no {url} at this table")
        return line

    try:
        async with open_table(parse_config(_CONFIG, "bench"), folder / "bench.sqlite", opener=opener) as table:
            yield table, line
    finally:
        line.world.close()
