"""A whole table under one virtual clock, with no port and no thread.

Owns the order of things in virtual time between a controller with its drivers and a simulated world, the same order as
a running table's: an input is decided, what it wrote becomes durable, then its orders are carried out, then it is
shown, then comes the next input (promise P2). The disk is a list that takes `disk_s()` seconds for each commit.
Everything else is the real thing: codec, link machines, drivers, controller and round machine here, the simulator's
firmware and mechanism on the other side. Must not decide anything.
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cardshoe.devices.events import DeviceLost, DeviceRefused, Output
from cardshoe.devices.reader import ReaderDriver
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.journal import Entry
from cardshoe.round.machine import find_game
from cardshoe.sim.line import Line
from cardshoe.sim.world import World
from cardshoe.table import orders
from cardshoe.table.acts import Act
from cardshoe.table.config import TableConfig
from cardshoe.table.controller import Controller
from cardshoe.table.state import TableState, absorb
from cardshoe.table.supervisor import OPENING_S
from cardshoe.table.view import TableView, view

RETRY_S = 0.25
_ENDS = (DeviceRefused, DeviceLost)


class _Line:
    """One device: its driver, the world's end of its line, when to open it again (None: it is open), and when the
    driver is due."""

    def __init__(self, port: str, driver: ShoeDriver | ReaderDriver, wire: Line, open_at: float) -> None:
        self.port = port
        self.wire = wire
        self.driver = driver
        self.open_at: float | None = open_at
        self.due: float | None = None


class VirtualTable:
    """One table and one world. `config` says what is played; `world` is made by the caller, at virtual time 0.

    `disk_s` returns how many seconds the next commit takes.
    """

    def __init__(
        self,
        config: TableConfig,
        world: World,
        *,
        seed: int = 0,
        entries: list[Entry] | None = None,
        now: float = 0.0,
        disk_s: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.config = config
        self.world = world
        self.now = now
        self.entries: list[Entry] = [] if entries is None else entries
        self._disk_s = disk_s
        self._random = random.Random(seed)
        self._title = find_game(config.table.game).title
        state = TableState()
        for entry in self.entries:
            state = absorb(state, entry.kind, entry.body)
        self._start(state)

    def _start(self, state: TableState) -> None:
        """Begin with what is durable, all lines to be opened."""
        self.controller = Controller(self.config, state)
        self._inputs: deque[Callable[[], orders.Step]] = deque()
        self._writing: tuple[float, orders.Step] | None = None
        self._lines: dict[str, _Line] = {}
        devices = self.config.devices
        for port, part in (("shoe", devices.shoe), ("reader", devices.reader)):
            if part is not None:
                self._lines[port] = _Line(port, self._driver(port, part.url), self.world.line(port), self.now)
        self._state_shown: TableState | None = None
        self._seen_by_view: object = None
        self._shown = self._look()

    @property
    def shown(self) -> TableView:
        """What the table shows: everything in it is durable. The same object as long as nothing in it changes."""
        return self._shown

    def act(self, act: Act) -> None:
        """Do what a person asks, after what came before it; returns once it is durable.

        Raises what the controller raises.
        """
        while self._busy():
            self._pass_time()
        self._begin(self.controller.act(act, self.now))
        while self._busy():
            self._pass_time()
        self._settle()

    def _busy(self) -> bool:
        """Tell whether something is being written or waits for its turn."""
        return self._writing is not None or bool(self._inputs)

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
            due = self._next_moment(end)
            if due is None or due > end:
                self.now = end
                self._tick()
                return done()
            self.now = max(self.now, due)
            self._tick()
        return True

    def next_deadline(self) -> float | None:
        """Return the first time at which anything is due."""
        world, others = self.world.next_deadline(), self._others_due()
        first = others if world is None else min(world, others)
        return None if first == math.inf else first

    def _others_due(self) -> float:
        """Return when anything but the world is due, infinity where nothing is."""
        due = self._writing[0] if self._writing is not None else self.controller.next_deadline()
        first = math.inf if due is None else due
        for line in self._lines.values():
            if line.open_at is not None and line.open_at < first:
                first = line.open_at
            if line.due is not None and line.due < first:
                first = line.due
        return first

    def _driver(self, port: str, url: str) -> ShoeDriver | ReaderDriver:
        known = self.controller.state.devices.get(port)
        consumed = known.consumed_event if known is not None else None
        make = ShoeDriver if port == "shoe" else ReaderDriver
        return make(expected=Expected(where=url), nonce=lambda: self._random.randbytes(16), consumed_event=consumed)

    def _next_moment(self, _end: float) -> float | None:
        """Return when anything of account to the table is due next, None where nothing ever is.

        What is of no account may be passed over, until `_end` at most; every moment is of account to this table.
        """
        return self.next_deadline()

    def _pass_time(self) -> None:
        due = self._next_moment(math.inf)
        if due is not None:
            self.now = max(self.now, due)
        self._tick()

    def _tick(self) -> None:
        self.world.advance(self.now)
        for line in self._lines.values():
            if line.open_at is not None and self.now >= line.open_at:
                self._open(line)
            if line.due is not None and self.now >= line.due:
                self._take(line, line.driver.advance(self.now))
        if self._writing is None and not self._inputs:
            due = self.controller.next_deadline()
            if due is not None and self.now >= due:
                self._inputs.append(lambda: self.controller.advance(self.now))
        self._settle()

    def _open(self, line: _Line) -> None:
        line.open_at = None
        self.world.line_opened(line.port, self.now)
        self._take(line, line.driver.open(self.now, deadline=self.now + OPENING_S))

    def _settle(self) -> None:
        """Pass bytes and inputs on until nothing more happens at this moment."""
        moving = True
        lines = self._lines.values()
        while moving:
            moving = False
            for line in lines:
                data = line.wire.take()
                if data:
                    moving = True
                    self._hear(line, data)
            if self._writing is not None:
                if self.now >= self._writing[0]:
                    moving = True
                    step, self._writing = self._writing[1], None
                    self._finish(step)
            elif self._inputs:
                moving = True
                self._begin(self._inputs.popleft()())

    def _hear(self, line: _Line, data: bytes) -> None:
        self._take(line, line.driver.receive(data, self.now))

    def _say(self, line: _Line, data: bytes) -> None:
        self.world.receive(line.port, data, self.now)

    def _take(self, line: _Line, output: Output[Any]) -> None:
        line.due = line.driver.next_deadline()
        if output.data:
            self._say(line, output.data)
        for event in output.happened:
            if isinstance(event, _ENDS):
                line.open_at = self.now + RETRY_S
            self._inputs.append(self._input(line.port, event))

    def _input(self, port: str, event: Any) -> Callable[[], orders.Step]:
        if port == "shoe":
            return lambda: self.controller.shoe(event, self.now)
        return lambda: self.controller.reader(event, self.now)

    def _begin(self, step: orders.Step) -> None:
        """Have what a step wrote put on the disk; its orders come after that."""
        wait_s = self._disk_s() if step.entries else 0.0
        if wait_s > 0:
            self._writing = (self.now + wait_s, step)
        else:
            self._finish(step)

    def _finish(self, step: orders.Step) -> None:
        self._carry_out(step)
        self._show()

    def _carry_out(self, step: orders.Step) -> None:
        self._keep(step.entries)
        for order in step.orders:
            self._perform(order)

    def _keep(self, entries: Sequence[Entry]) -> None:
        self.entries.extend(entries)

    def _show(self) -> None:
        """Look anew where anything that is shown may have changed; a look is dear, and most reports change nothing."""
        desk = self.controller.desk
        live = desk.live
        seen = (live.shoe_up, live.shoe, live.reader_up, live.command_unknown, live.obstacle)
        if desk.state is not self._state_shown or seen != self._seen_by_view:
            self._state_shown, self._seen_by_view = desk.state, seen
            shown = self._look()
            if shown != self._shown:
                self._shown = shown

    def _look(self) -> TableView:
        table, desk = self.config.table, self.controller.desk
        return view(table.name, self._title, table.method, desk.state, desk.live)

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
