"""Controller, drivers, disk and world in virtual time: killed, restarted, stalled, unplugged as the troubles say.

Owns the carrying out of troubles, the disk (every entry passes through the journal's canonical text and back, and what
was not durable is lost with the process), and the moments at which the watcher is told what happened. Must not judge
anything. Implements the ground on which promises P1, P2 and P9 are tried.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol

from cardshoe.errors import CardshoeError, Refused
from cardshoe.journal import Entry
from cardshoe.journal.canonical import canonical_json
from cardshoe.lab.simulation.troubles import Part, Planned, Trouble
from cardshoe.lab.simulation.watched import WatchedWorld
from cardshoe.lab.virtual import RETRY_S, VirtualTable
from cardshoe.table import orders
from cardshoe.table.acts import Act
from cardshoe.table.config import TableConfig
from cardshoe.table.state import NOTED, TableState, absorb
from cardshoe.table.view import TableView
from cardshoe.table.wall_clock import ClockStepped, Look, stepped

COMMIT_S: Final = (0.0002, 0.004)
"""A healthy disk: how long a commit takes, in seconds."""
BAD_LINE_S: Final = 4.0
"""A line that damages frames by chance does so for so long."""
_read: Final = json.JSONDecoder().raw_decode
_OPENED: Final = datetime(2026, 11, 30, 20, tzinfo=UTC)
MOST_AT_ONE_MOMENT: Final = 5_000
"""So many turns without any time passing, and the table is taken to run in a circle."""


def _clock_set(now: float, by_s: float) -> ClockStepped | None:
    """Return what a running table finds when it looks at both clocks before and after the wall clock was set."""
    was, is_now = [(_OPENED + timedelta(seconds=at_s)).isoformat() for at_s in (now, now + by_s)]
    return stepped(Look(now, was), Look(now, is_now))


class Killed(Exception):
    """The controller's process is dead. Passes from the middle of a step to where the next one would begin."""


class RunsInACircle(Exception):
    """Time stands still though something is always due (promise P9)."""


class Watcher(Protocol):
    """Who is told what happens, in the order in which it does."""

    def durable(self, entry: Entry, text: str) -> None:
        """An entry is on disk; `text` is its canonical body."""

    def sent(self, port: str, data: bytes) -> None:
        """The table put bytes on a device's line."""

    def heard(self, port: str, data: bytes) -> None:
        """Bytes of a device reached the table."""

    def shown(self, view: TableView) -> None:
        """The table shows another view than before."""

    def refused(self, act: Act, *, changed: bool) -> None:
        """An act was refused; `changed`: something is different all the same."""

    def stood(self, live: TableState, rebuilt: TableState) -> None:
        """The state that stands, and the one that what is durable leads to."""

    def struck(self, trouble: Trouble, answer: Mapping[str, object]) -> None:
        """A trouble was carried out, or could not be."""

    def restarted(self) -> None:
        """The controller runs again, with what is durable."""


class SimulatedTable(VirtualTable):
    """See the module. `troubles` are of one run; `dice` decides what the seed leaves open in the computer itself."""

    world: WatchedWorld

    def __init__(
        self, config: TableConfig, world: WatchedWorld, *, watcher: Watcher, troubles: Sequence[Trouble], seed: int
    ) -> None:
        self._watcher = watcher
        self._dice = random.Random(f"{seed}/computer")
        self._planned = Planned(troubles)
        self.wrong_acts: list[Trouble] = []
        self.rounds_opened = 0
        self.kills = 0
        self._absent_until = 0.0
        self._dead = False
        self._slow_until, self._slow_s = 0.0, 0.0
        self._kill_at: tuple[str, float] | None = None
        self._plugged = {"shoe": True, "reader": True}
        self._digest = hashlib.sha256()
        self._turns, self._turns_at = 0, 0.0
        super().__init__(config, world, seed=seed, disk_s=self._commit_s)

    @property
    def digest(self) -> str:
        """SHA-256 over all durable entries and all bytes on both lines, in their order."""
        return self._digest.hexdigest()

    # --- what people do

    def act(self, act: Act) -> None:
        """Do what a person asks. Raises `Refused` also when the table was restarted before it was durable."""
        self._await(lambda: not self._away)
        kills = self.kills
        while self._busy():
            self._pass_time()
        before = self.controller.state
        try:
            step = self.controller.act(act, self.now)
        except CardshoeError:
            self._watcher.refused(act, changed=self.controller.state is not before)
            raise
        try:
            self._begin(step)
        except Killed:
            self._die()
        while self._busy():
            self._pass_time()
        self._settle()
        if self.kills != kills:
            raise Refused("table-restarted", "The table was restarted; look at what it shows and go on from there.")

    def _await(self, done: Callable[[], bool]) -> None:
        while not done():
            self._pass_time()

    # --- time

    @property
    def _away(self) -> bool:
        """The controller's computer does nothing: it is stalled, or its process is dead."""
        return self._dead or self.now < self._absent_until

    def next_deadline(self) -> float | None:
        """Return the first time at which anything is due."""
        if not self._away:
            first = super().next_deadline()
        else:
            world = self.world.next_deadline()
            first = self._absent_until if world is None else min(self._absent_until, world)
        first = self._planned.next_at if first is None else min(first, self._planned.next_at)
        return None if first == math.inf else first

    def _next_moment(self, end: float) -> float | None:
        """Pass over the moments at which only the world does something, and nobody outside it can notice."""
        others = min(self._absent_until if self._away else self._others_due(), self._planned.next_at)
        done_at, noticed = self.world.go_on_alone(min(end, others))
        if done_at > self.now:
            self.now = done_at
        if noticed:
            self._tick()
            return self.next_deadline()
        first = self.world.next_deadline()
        first = others if first is None or others < first else first
        return None if first == math.inf else first

    def _tick(self) -> None:
        self._count_turn()
        for trouble in self._planned.take(self.now):
            self._strike(trouble)
        if self.now < self._absent_until:
            self.world.advance(self.now)
            return
        if self._dead:
            self._come_back()
        self._look_at_plugs()
        super()._tick()

    def _count_turn(self) -> None:
        if self.now > self._turns_at:
            self._turns, self._turns_at = 0, self.now
        self._turns += 1
        if self._turns > MOST_AT_ONE_MOMENT:
            raise RunsInACircle

    def _settle(self) -> None:
        if self._away:
            return
        try:
            super()._settle()
        except Killed:
            self._die()

    # --- lines

    def _say(self, line: Any, data: bytes) -> None:
        self._digest.update(b">" + line.port.encode() + data)
        self._watcher.sent(line.port, data)
        super()._say(line, data)

    def _hear(self, line: Any, data: bytes) -> None:
        self._digest.update(b"<" + line.port.encode() + data)
        self._count_turn()  # question and answer may go to and fro without any time passing
        self._watcher.heard(line.port, data)
        super()._hear(line, data)

    def _open(self, line: Any) -> None:
        if self.world.plugged(line.port):
            super()._open(line)
        else:
            line.open_at = self.now + RETRY_S

    def _look_at_plugs(self) -> None:
        """The operating system tells at once that a port is gone."""
        for line in self._lines.values():
            plugged = line.wire.plugged
            if plugged != self._plugged[line.port]:
                self._plugged[line.port] = plugged
                if not plugged and line.open_at is None:
                    self._take(line, line.driver.port_lost())
                    line.open_at = self.now + RETRY_S

    # --- disk

    def _commit_s(self) -> float:
        return self._slow_s if self.now < self._slow_until else self._dice.uniform(*COMMIT_S)

    def _keep(self, entries: Sequence[Entry]) -> None:
        noted_at = -1
        for entry in entries:
            text = canonical_json(dict(entry.body), where=entry.kind)
            self._digest.update(f"{entry.kind} {entry.round} {text}\n".encode())
            kept = Entry(entry.kind, _read(text)[0], entry.round)
            self.entries.append(kept)
            self._watcher.durable(kept, text)
            if kept.kind == "round-opened":
                self._plan_round()
            if kept.kind == NOTED:
                noted_at = len(self.entries) - 1
        if noted_at >= 0:
            # A note sums up what came before: the way through all entries is compared with it once.
            self._watcher.stood(self.controller.state, self._rebuilt())
            del self.entries[:noted_at]

    def _rebuilt(self) -> TableState:
        state = TableState()
        for entry in self.entries:
            state = absorb(state, entry.kind, entry.body)
        return state

    def _carry_out(self, step: orders.Step) -> None:
        kill_at = self._kill_at[0] if self._kill_at is not None else ""
        if not kill_at or not step.orders or not step.entries:
            super()._carry_out(step)
            return
        self._keep(step.entries)
        for order in step.orders[: self._dice.randrange(len(step.orders)) if kill_at == "half ordered" else 0]:
            self._perform(order)
        raise Killed

    def _show(self) -> None:
        before = self._shown
        super()._show()
        if self._shown is not before:
            self._watcher.shown(self._shown)

    # --- troubles

    def _plan_round(self) -> None:
        self.rounds_opened += 1
        self._planned.begin_round(self.rounds_opened, self.now)

    def _strike(self, trouble: Trouble) -> None:
        answer: Mapping[str, object] = {"ok": True}
        match trouble.part:
            case Part.WORLD:
                answer = self.world.control(dict(trouble.values), self.now)
                if "chance" in trouble.values:
                    self._plan_clearing(trouble)
            case Part.DEALER:
                self.wrong_acts.append(trouble)
            case Part.HOST:
                self._befall(trouble)
        self._watcher.struck(trouble, answer)

    def _plan_clearing(self, trouble: Trouble) -> None:
        """No line is bad for ever."""
        clear: dict[str, object] = {"do": "line", "port": trouble.values["port"], "kind": "clear"}
        key = f"{trouble.key} ends"
        self._planned.add(
            self.now + BAD_LINE_S, Trouble(key, trouble.round, trouble.after_s, Part.WORLD, "clear", clear)
        )

    def _befall(self, trouble: Trouble) -> None:
        values: dict[str, Any] = trouble.values
        match trouble.kind:
            case "stall":
                self._absent_until = max(self._absent_until, self.now + values["for_s"])
            case "clock set":
                found = _clock_set(self.now, values["by_s"])
                if found is not None and not self._away:
                    self._inputs.append(lambda: self.controller.clock_stepped(found, self.now))
            case "slow disk":
                self._slow_until, self._slow_s = self.now + values["for_s"], values["commit_s"]
            case _:
                self._kill_at = (values["at"], values["down_s"])
                if values["at"] == "now":
                    self._die()

    def _die(self) -> None:
        """The process is gone; what it was writing is on disk or is not."""
        if self._dead or self._kill_at is None:
            return
        down_s, self._kill_at = self._kill_at[1], None
        if self._writing is not None and self._dice.random() < 0.5:
            self._keep(self._writing[1].entries)
        self._writing = None
        self._inputs.clear()
        self.kills += 1
        self._dead, self._absent_until = True, self.now + down_s

    def _come_back(self) -> None:
        for port in self._lines:
            self.world.take_output(port)  # nobody had the port open
        self._dead = False
        self._start(self._rebuilt())
        self._watcher.restarted()
        self._watcher.shown(self._shown)
