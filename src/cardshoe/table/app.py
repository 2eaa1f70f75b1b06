"""The running table: one asyncio loop, the journal, the ports, the controller.

Owns the order of things in time: an input is decided, what it wrote goes to disk, then its orders are carried out,
then it is shown (promise P2); only then comes the next input. Decides nothing itself. When the journal can take no
more the table stops: the shoe is inhibited as far as it can be reached, and its lease runs out.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, TypeVar

from cardshoe.clock import Clock, SystemClock
from cardshoe.devices.events import Output
from cardshoe.devices.reader_events import ReaderEvent
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_events import ShoeEvent
from cardshoe.errors import CardshoeError, ConfigError, JournalError
from cardshoe.journal import Journal
from cardshoe.journal.space import free_space
from cardshoe.round.machine import find_game
from cardshoe.table import orders
from cardshoe.table.acts import Act, ClearAlarm, OpenRound
from cardshoe.table.alarm_clock import AlarmClock
from cardshoe.table.attendance import Attendance
from cardshoe.table.config import NO_PEOPLE, TableConfig
from cardshoe.table.confirmations import Confirmations
from cardshoe.table.controller import Controller
from cardshoe.table.device_ports import PortMaker
from cardshoe.table.header import opened
from cardshoe.table.journal_watch import DISK_SPACE, RESERVE_BYTES, require_room
from cardshoe.table.memory import recalled
from cardshoe.table.past_check import check_past
from cardshoe.table.people_file import PeopleFile
from cardshoe.table.sealed_devices import SealedDevices
from cardshoe.table.state import NOTED, TableState
from cardshoe.table.supervisor import DevicePort, Health, Opener
from cardshoe.table.view import TableView, view
from cardshoe.table.wall_clock import LOOK_S, Look, stepped
from cardshoe.transport import open_transport

_log = logging.getLogger(__name__)

E = TypeVar("E")
Work = Callable[[float], orders.Step]


STOPPING_S: Final = 0.5
"""How long the end waits for the shoe to say that it has stopped."""

FLUSH_S: Final = 1.0
"""How long the end waits for the last records to be on disk."""


class Table:
    """A table that runs. Made by `open_table`; every method is called on its loop."""

    def __init__(
        self,
        config: TableConfig,
        journal: Journal,
        *,
        clock: Clock,
        opener: Opener,
        people: PeopleFile | None,
        sealing: SealedDevices,
    ) -> None:
        self.config = config
        self._sealing = sealing
        self.journal = journal
        self.controller = Controller(config, recalled(journal))
        self.people = Attendance(people, self.controller, clock, self._decide) if people is not None else None
        self.shoe: DevicePort[ShoeEvent] | None = None
        self.reader: DevicePort[ReaderEvent] | None = None
        self.failure: CardshoeError | None = None
        self._clock = clock
        self._opener = opener
        self._inputs: deque[tuple[Work, asyncio.Future[None] | None]] = deque()
        self._idle: asyncio.Future[None] | None = None
        self._shown = self._look()
        self._change = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self._timer = AlarmClock(clock, lambda: self._enqueue(self.controller.advance))
        self._confirmations: Confirmations | None = None
        self._clock_timer: asyncio.TimerHandle | None = None
        self._clock_seen = Look(clock.now(), clock.wall())

    # --- for people and screens

    @property
    def shown(self) -> TableView:
        """What may be shown now: everything in it is on disk."""
        return self._shown

    async def changed(self, seen: TableView) -> TableView:
        """Wait until there is another view than `seen`. Raises the failure when the table has stopped."""
        async with self._change:
            await self._change.wait_for(lambda: self._shown is not seen or self.failure is not None)
        if self.failure is not None:
            raise self.failure
        return self._shown

    async def act(self, act: Act, *, token: bytes | None = None) -> None:
        """Do what a person asks, whoever holds `token` where people sign in; returns once it is on disk.

        Raises `Refused`, `InputError`, `JournalError`.
        """
        if self.people is not None:
            await self.people.look()
        if isinstance(act, OpenRound | ClearAlarm):
            space = free_space(self.journal.path.parent)
            if isinstance(act, ClearAlarm) and act.code == DISK_SPACE:
                require_room(self.config, space)
            elif isinstance(act, OpenRound):
                self._enqueue(lambda now: self.controller.room_looked_at(space, now))
        await self._decide(lambda now: self.controller.act(act, now, token))

    async def _decide(self, work: Work) -> None:
        """Have `work` decided in its turn; returns once it is on disk. Raises what it raises."""
        if self.failure is not None:
            raise self.failure
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._enqueue(work, done)
        await done

    async def turn(self) -> None:
        """Wait until everything that is queued now, and one look at the time, was decided and is on disk.

        Raises the failure of a table that has stopped.
        """
        await self._decide(self.controller.advance)

    # --- life

    async def start(self) -> None:
        """Open the devices. Raises `DeviceError` when one cannot be had at the first attempt, unless it is waited for
        (`[service] wait_for_devices`).
        """
        self._confirmations = Confirmations(self.journal, asyncio.get_running_loop())
        self.controller.desk.write("table_opened", opened(self.controller.desk))
        if self.journal.opening.anchor_missing:
            self.controller.desk.alarm(
                "journal-anchor-missing",
                f"The file with the journal's signed head is gone ({self.journal.path}.anchor): records at its end may"
                " have been taken away. Compare with the copy of the head that the floor keeps.",
            )
        await self._carry_out(self.controller.advance(self._clock.now()))
        self._look_at_clocks()
        self._task = asyncio.get_running_loop().create_task(self._serve(), name="table")
        if self.people is not None:
            await self.people.open()
        self.controller.desk.live.auditor = self._sealing.auditor("shoe")
        ports = PortMaker(self.config, self.controller, self._sealing, self._clock, self._opener)
        self.shoe, self.reader = ports.shoe(self._shoe_happened), ports.reader(self._reader_happened)
        for port in (self.shoe, self.reader):
            if port is not None:
                port.start()
        for port in (self.shoe, self.reader):
            if port is not None:
                await port.first_attempt(waits=self.config.service.wait_for_devices)
        check_past(self.journal, lambda found: self._enqueue(lambda now: self.controller.past_checked(found, now)))

    async def close(self) -> None:
        """End: motion stopped, then ports, then what is queued, then the journal; bounded in time."""
        await self.stop_motion()
        if self._clock_timer is not None:
            self._clock_timer.cancel()
        for port in (self.shoe, self.reader):
            if port is not None:
                await port.close()
        await self._flush()
        self._timer.stop()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        try:
            await asyncio.get_running_loop().run_in_executor(None, self.journal.close)
        finally:
            if self._confirmations is not None:
                self._confirmations.close()

    async def stop_motion(self) -> None:
        """Have a shoe that moves stop now, for good; its lease would run out anyway, but later. Waits at most
        `STOPPING_S`.
        """
        live, command = self.controller.desk.live, self.controller.state.command
        live.closing = True
        if command is None or command.ready or self.failure is not None:
            return
        self._enqueue(self.controller.advance)
        until = self._clock.now() + STOPPING_S
        while self._clock.now() < until and live.shoe_up and live.shoe is not None and not live.shoe.inhibited:
            await asyncio.sleep(0.01)

    async def _flush(self) -> None:
        """Have what happened up to now written, as far as the disk answers within `FLUSH_S`."""
        if self._task is None or self.failure is not None:
            return
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._enqueue(self.controller.advance, done)
        await asyncio.wait({done}, timeout=FLUSH_S)
        if done.done() and done.exception() is not None:
            _log.warning("the last records could not be written: %s", done.exception())

    # --- the way of an input

    async def _serve(self) -> None:
        while True:
            while not self._inputs:
                self._idle = asyncio.get_running_loop().create_future()
                await self._idle
            work, done = self._inputs.popleft()
            try:
                await self._carry_out(work(self._clock.now()))
            except JournalError as error:
                await self._stop(error)
                _fail(done, error)
            except CardshoeError as error:
                _fail(done, error)  # an act was refused; reports are never refused, they hold
            except Exception as error:  # noqa: BLE001  # the task boundary: a fault of ours must not deal on
                _log.exception("the table stopped")
                broken = CardshoeError("table-failed", f"The table stopped by a fault of its own: {error!r}.")
                await self._stop(broken)
                _fail(done, broken)
            else:
                if done is not None and not done.done():
                    done.set_result(None)

    async def _carry_out(self, step: orders.Step) -> None:
        if self.failure is not None:
            raise self.failure
        if step.entries and self._confirmations is not None:
            await self._confirmations.append(step.entries)
        self._perform(step.orders)
        self._timer.set(self.controller.next_deadline())
        for order in step.orders:
            if isinstance(order, orders.SignHead):
                await asyncio.wrap_future(self.journal.sign_head(order.reason, round_number=order.round_id))
        await self._show()

    def _perform(self, wanted: Sequence[orders.Order]) -> None:
        """Carry out what goes to devices; the shoe is told everything in one write."""
        told: list[Output[ShoeEvent]] = []
        now = self._clock.now()
        for order in wanted:
            match order:
                case orders.SignHead():
                    pass
                case orders.Acknowledge("reader", event_id):
                    if self.reader is not None:
                        self.reader.perform(self.reader.driver.acknowledge(event_id, now))
                case orders.Acknowledge():
                    if self.shoe is not None:
                        told.append(self.shoe.driver.acknowledge(order.event_id, now))
                case _:
                    if self.shoe is not None and isinstance(self.shoe.driver, ShoeDriver):
                        deadline = now + self.config.timing.reply_ms / 1000
                        told.append(orders.give(self.shoe.driver, order, now=now, deadline=deadline))
        if self.shoe is not None and told:
            self.shoe.perform(*told)

    def _look_at_clocks(self) -> None:
        """Compare the wall clock with the monotonic one, every second; a step is written down (condition E36)."""
        look = Look(self._clock.now(), self._clock.wall())
        step = stepped(self._clock_seen, look)
        self._clock_seen = look
        if step is not None:
            self._enqueue(lambda now: self.controller.clock_stepped(step, now))
        self._clock_timer = asyncio.get_running_loop().call_later(LOOK_S, self._look_at_clocks)

    def _look(self) -> TableView:
        table = self.config.table
        desk = self.controller.desk
        return view(table.name, find_game(table.game).title, table.method, desk.state, desk.live)

    async def _show(self) -> None:
        shown = self._look()
        if shown != self._shown:
            async with self._change:
                self._shown = shown
                self._change.notify_all()

    async def _stop(self, error: CardshoeError) -> None:
        """Nothing can be written or decided, so nothing may move: inhibit the shoe, tell everybody."""
        self.failure = error
        if self.shoe is not None and self.shoe.health is Health.UP:
            self._perform([orders.SetInhibit(inhibited=True)])
        async with self._change:
            self._change.notify_all()

    # --- devices

    def _enqueue(self, work: Work, done: asyncio.Future[None] | None = None) -> None:
        self._inputs.append((work, done))
        if self._idle is not None and not self._idle.done():
            self._idle.set_result(None)

    def _shoe_happened(self, event: ShoeEvent) -> None:
        self._enqueue(lambda now: self.controller.shoe(event, now))

    def _reader_happened(self, event: ReaderEvent) -> None:
        self._enqueue(lambda now: self.controller.reader(event, now))


def _same_game(config: TableConfig, state: TableState, journal_path: Path) -> None:
    """An open round is finished with its own game and method before another is played."""
    round_ = None if state.round_closed else state.round
    if round_ is None:
        return
    was, wanted = (round_.game.name, round_.method.value), (config.table.game, config.table.method)
    if was != wanted:
        raise ConfigError(
            "config-other-game",
            f"{journal_path}: round {state.last_round_id} of {was[0]} by {was[1]} is open, and {wanted[0]} by"
            f" {wanted[1]} is configured. Finish that round with game {was[0]!r} and method {was[1]!r} first."
            " Nothing was started.",
        )


def _fail(done: asyncio.Future[None] | None, error: CardshoeError) -> None:
    if done is not None and not done.done():
        done.set_exception(error)


@asynccontextmanager
async def open_table(
    config: TableConfig,
    journal_path: Path,
    *,
    clock: Clock | None = None,
    opener: Opener = open_transport,
    people: PeopleFile | None = None,
    sealing: SealedDevices | None = None,
) -> AsyncIterator[Table]:
    """Open journal and devices and run the table until the block ends. `people`: the file that the configuration names.

    `sealing`: the keys and manifest that it names (None: its paths count from the journal's directory).
    Raises `JournalError` (the journal cannot be trusted or written), `ConfigError`, `DeviceError` (a device could not
    be had at the first attempt); nothing is dealt then and what was open is closed.
    """
    if (people is None) is not (config.table.people == NO_PEOPLE):
        raise ConfigError(
            "config-people", f"table.people is {config.table.people!r}; open that file of people with it."
        )
    sealing = sealing if sealing is not None else SealedDevices(config, journal_path.absolute().parent)
    clock = clock if clock is not None else SystemClock()
    journal = Journal.open(journal_path, clock=clock, restart_kind=NOTED, reserve_bytes=RESERVE_BYTES)
    try:
        table = Table(config, journal, clock=clock, opener=opener, people=people, sealing=sealing)
        _same_game(config, table.controller.state, journal_path)
    except CardshoeError:
        journal.close()
        raise
    try:
        await table.start()
        yield table
    finally:
        await table.close()
