"""A whole table on simulated devices, with a robot dealer, players and supervisor.

Owns the order of one demo: world, journal, table, robot, and taking all of it down again whatever happens; and the
figures of the run. Must not know terminals: it is handed what shows a view.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardshoe.clock import SystemClock
from cardshoe.errors import JournalError
from cardshoe.games.script import TakeStub
from cardshoe.journal import verify
from cardshoe.lab.before_opening import require_own, require_usable_urls
from cardshoe.lab.hands import open_hands
from cardshoe.lab.playing import Playing
from cardshoe.lab.world_process import World, WorldProcess
from cardshoe.round.machine import find_game, find_method
from cardshoe.table.app import Table, open_table
from cardshoe.table.config import TableConfig, parse_config
from cardshoe.table.state import Tally
from cardshoe.table.view import TableView

TABLE_NAME: Final = "Demo"
_LOOKS_AT_WORLD_S: Final = 0.5

Shower = Callable[[TableView], None]
Beside = Callable[[Table, Playing, World], AbstractAsyncContextManager[object]]
"""What runs beside the robot as long as it plays: a console."""


@dataclass(frozen=True, slots=True)
class DemoOrder:
    """What is to be played. `rounds` None: until interrupted; `speed` divides mechanism and people."""

    game: str
    method: str
    journal: Path
    seed: int
    speed: float
    rounds: int | None


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What came of it: `completed`, `voided`, `held` and `alarms` in this run, `stacks_*` over the whole journal."""

    rounds: int
    completed: int
    voided: int
    held: int
    stacks_requested: int
    stacks_dispensed: int
    alarms: int
    journal: str
    journal_head: str
    interrupted: bool


def demo_config(order: DemoOrder, world: World) -> TableConfig:
    """Return the configuration of the demo's table. Raises `ConfigError` as `parse_config` does."""
    lines = ["[table]", f"name = {json.dumps(TABLE_NAME)}", 'mode = "bench"']
    for key, value in (("game", order.game), ("method", order.method), ("journal", str(order.journal))):
        lines.append(f"{key} = {json.dumps(value)}")
    if _house_says_where_the_board_comes_from(order):
        lines += ["[house]", 'board_from = "hand"']
    for name, url in (("shoe", world.shoe_url), ("reader", world.reader_url)):
        if url is not None:
            lines += [f"[devices.{name}]", f"url = {json.dumps(url)}"]
    return parse_config("\n".join(lines), "cardshoe demo")


def _house_says_where_the_board_comes_from(order: DemoOrder) -> bool:
    game = find_game(order.game)
    script = game.scripts[find_method(game, order.method)]
    return any(isinstance(step, TakeStub) and step.when == "house" for step in script)


async def run_demo(
    order: DemoOrder, world: World, *, process: WorldProcess | None, show: Shower, beside: Beside | None = None
) -> DemoResult:
    """Play `order` in `world` (of `process`, None: it runs elsewhere), showing each view by `show`, with `beside`.

    Raises `ConfigError`, `DeviceError`, `JournalError`. An interrupt (SIGINT, SIGTERM) ends it in good order.
    """
    require_own(order.journal, TABLE_NAME)
    clock, config = SystemClock(), demo_config(order, world)
    require_usable_urls(config)
    hands = await open_hands(world.control)
    try:
        async with open_table(config, order.journal, clock=clock) as table:
            before = table.shown.tally
            playing = Playing(table, hands, clock=clock, seed=order.seed, speed=order.speed)
            running = beside(table, playing, world) if beside is not None else nullcontext()
            async with running, _shown_by(table, show):
                ended = await _until_stopped(playing.rounds(order.rounds), process)
            after = table.shown.tally
    finally:
        await hands.close()
    return _result(order, before, after, interrupted=not ended)


def _result(order: DemoOrder, before: Tally, after: Tally, *, interrupted: bool) -> DemoResult:
    verdict = verify(order.journal)
    if not verdict.ok or verdict.head is None:
        raise JournalError("journal-untrusted", f"The journal {order.journal} cannot be trusted: {verdict.why}")
    completed, voided = after.completed - before.completed, after.voided - before.voided
    return DemoResult(
        rounds=completed + voided,
        completed=completed,
        voided=voided,
        held=after.held - before.held,
        stacks_requested=after.stacks_requested,
        stacks_dispensed=after.stacks_dispensed,
        alarms=after.alarms - before.alarms,
        journal=str(order.journal),
        journal_head=verdict.head,
        interrupted=interrupted,
    )


# --- the run itself --------------------------------------------------------------------------------------------------


async def _until_stopped(playing: Awaitable[None], process: WorldProcess | None) -> bool:
    """Wait until the rounds are played; False when somebody interrupted. Raises what ends the game."""
    stopped = asyncio.Event()
    tasks = [asyncio.ensure_future(playing), asyncio.ensure_future(stopped.wait())]
    if process is not None:
        tasks.append(asyncio.ensure_future(_watch_world(process)))
    with _signals(stopped):
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
    return tasks[0] in done


@contextmanager
def _signals(stopped: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, stopped.set)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


async def _watch_world(process: WorldProcess) -> None:
    while process.failure is None:
        await asyncio.sleep(_LOOKS_AT_WORLD_S)
    raise process.failure


@asynccontextmanager
async def _shown_by(table: Table, show: Shower) -> AsyncIterator[None]:
    """Show the view now, and every further one while the block runs."""
    task = asyncio.ensure_future(_show_all(table, show))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        show(table.shown)


async def _show_all(table: Table, show: Shower) -> None:
    seen = table.shown
    while True:
        show(seen)
        seen = await table.changed(seen)
