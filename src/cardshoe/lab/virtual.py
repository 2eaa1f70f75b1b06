"""A whole table under one virtual clock, with no port and no thread.

Owns the order of things in virtual time between a controller with its drivers and a simulated world. The journal is a
list; what is written counts as durable at once. Everything else is the real thing: codec, link machines, drivers,
controller and round machine here, the simulator's firmware and mechanism on the other side.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from cardshoe.devices.events import Output
from cardshoe.devices.reader import ReaderDriver
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.journal import Entry
from cardshoe.round.machine import find_game
from cardshoe.sim.world import World
from cardshoe.table import orders
from cardshoe.table.acts import Act
from cardshoe.table.config import TableConfig
from cardshoe.table.controller import Controller
from cardshoe.table.state import TableState, absorb
from cardshoe.table.supervisor import OPENING_S
from cardshoe.table.view import TableView, view

RETRY_S = 0.25


class _Line:
    """One device: its driver, and when to open it again."""

    def __init__(self, port: str, driver: ShoeDriver | ReaderDriver) -> None:
        self.port = port
        self.driver = driver
        self.open_at: float | None = 0.0


class VirtualTable:
    """One table and one world. `config` says what is played; `world` is made by the caller, at virtual time 0."""

    def __init__(
        self, config: TableConfig, world: World, *, seed: int = 0, entries: list[Entry] | None = None, now: float = 0.0
    ) -> None:
        self.config = config
        self.world = world
        self.now = now
        self.entries: list[Entry] = [] if entries is None else entries
        state = TableState()
        for entry in self.entries:
            state = absorb(state, entry.kind, entry.body)
        self.controller = Controller(config, state)
        self._random = random.Random(seed)
        self._inputs: list[Callable[[], orders.Step]] = []
        self._lines: dict[str, _Line] = {}
        for port, part in (("shoe", config.devices.shoe), ("reader", config.devices.reader)):
            if part is not None:
                self._lines[port] = _Line(port, self._driver(port, part.url))
                self._lines[port].open_at = now

    @property
    def shown(self) -> TableView:
        """What the table would show."""
        table, desk = self.config.table, self.controller.desk
        return view(table.name, find_game(table.game).title, table.method, desk.state, desk.live)

    def act(self, act: Act) -> None:
        """Do what a person asks. Raises what the controller raises."""
        self._carry_out(self.controller.act(act, self.now))
        self._settle()

    def hands(self, do: str, **request: object) -> Mapping[str, Any]:
        """Have the world's hands do something; returns its answer."""
        answer = self.world.control({"do": do, **request}, self.now)
        self._settle()
        return answer

    def run_until(self, done: Callable[[], bool], *, within_s: float) -> bool:
        """Let time pass until `done`, at most `within_s`; tell whether it came to that."""
        end = self.now + within_s
        self._settle()
        while not done():
            due = self.next_deadline()
            if due is None or due > end:
                self.now = end
                self._tick()
                return done()
            self.now = max(self.now, due)
            self._tick()
        return True

    def next_deadline(self) -> float | None:
        """Return the first time at which anything is due."""
        due = [self.world.next_deadline(), self.controller.next_deadline()]
        for line in self._lines.values():
            due += [line.open_at, line.driver.next_deadline()]
        known = [time for time in due if time is not None]
        return min(known) if known else None

    def _driver(self, port: str, url: str) -> ShoeDriver | ReaderDriver:
        known = self.controller.state.devices.get(port)
        consumed = known.consumed_event if known is not None else None
        make = ShoeDriver if port == "shoe" else ReaderDriver
        return make(expected=Expected(where=url), nonce=lambda: self._random.randbytes(16), consumed_event=consumed)

    def _tick(self) -> None:
        self.world.advance(self.now)
        for line in self._lines.values():
            if line.open_at is not None and self.now >= line.open_at:
                line.open_at = None
                self.world.line_opened(line.port, self.now)
                self._take(line, line.driver.open(self.now, deadline=self.now + OPENING_S))
            self._take(line, line.driver.advance(self.now))
        due = self.controller.next_deadline()
        if due is not None and self.now >= due:
            self._inputs.append(lambda: self.controller.advance(self.now))
        self._settle()

    def _settle(self) -> None:
        """Pass bytes and inputs on until nothing more happens at this moment."""
        moving = True
        while moving:
            moving = False
            for line in self._lines.values():
                data = self.world.take_output(line.port)
                if data:
                    moving = True
                    self._take(line, line.driver.receive(data, self.now))
            if self._inputs:
                moving = True
                self._carry_out(self._inputs.pop(0)())

    def _take(self, line: _Line, output: Output[Any]) -> None:
        if output.data:
            self.world.receive(line.port, output.data, self.now)
        for event in output.happened:
            if type(event).__name__ in ("DeviceRefused", "DeviceLost"):
                line.open_at = self.now + RETRY_S
            self._inputs.append(self._input(line.port, event))

    def _input(self, port: str, event: Any) -> Callable[[], orders.Step]:
        if port == "shoe":
            return lambda: self.controller.shoe(event, self.now)
        return lambda: self.controller.reader(event, self.now)

    def _carry_out(self, step: orders.Step) -> None:
        self.entries.extend(step.entries)
        for order in step.orders:
            self._perform(order)

    def _perform(self, order: orders.Order) -> None:
        if isinstance(order, orders.SignHead):
            return
        port = order.device if isinstance(order, orders.Acknowledge) else "shoe"
        line = self._lines.get(port)
        if line is None:
            return
        if isinstance(order, orders.Acknowledge):
            self._take(line, line.driver.acknowledge(order.event_id, self.now))
        elif isinstance(line.driver, ShoeDriver):
            deadline = self.now + self.config.timing.reply_ms / 1000
            self._take(line, orders.give(line.driver, order, now=self.now, deadline=deadline))
