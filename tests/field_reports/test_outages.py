"""A man in the middle of the shoe's line, on real ptys: the port goes, under load, and comes back by another name."""

from __future__ import annotations

import asyncio
import os
import tty
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import pytest
from real_table import Devices, devices, due, kinds, table_at, until

from cardshoe.round.events import NoMoreBetsCalled, WagerPlaced
from cardshoe.table.acts import OpenRound
from cardshoe.table.app import Table

WAGERS = {"ante": 1000, "blind": 1000}


class Relay:
    """Carries bytes between the shoe's port and a pty of its own, to which `link` points while it is plugged in."""

    def __init__(self, port: Path, link: Path) -> None:
        self._link = link
        self._device = os.open(port, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        tty.setraw(self._device)
        self._master, self._slave = -1, -1
        self.name = ""

    def plug(self) -> None:
        """Be there, under a name of its own."""
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self.name = os.ttyname(self._slave)
        fresh = self._link.with_suffix(".new")
        fresh.symlink_to(self.name)
        fresh.replace(self._link)
        loop = asyncio.get_running_loop()
        loop.add_reader(self._master, self._carry, self._master, self._device)
        loop.add_reader(self._device, self._carry, self._device, self._master)

    def unplug(self) -> None:
        """Be gone, the link as well: another may soon have the name. What the shoe says meanwhile is lost."""
        self._link.unlink()
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._master)
        loop.remove_reader(self._device)
        os.close(self._master)
        os.close(self._slave)
        loop.add_reader(self._device, os.read, self._device, 4096)

    def close(self) -> None:
        """End it, plugged in or not."""
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._device)
        if loop.remove_reader(self._master):
            os.close(self._master)
            os.close(self._slave)
        os.close(self._device)

    @staticmethod
    def _carry(source: int, to: int) -> None:
        data = os.read(source, 4096)
        if data:
            os.write(to, data)


@asynccontextmanager
async def _relayed(world: Devices, directory: Path) -> AsyncIterator[tuple[Relay, Table]]:
    directory.mkdir(exist_ok=True)
    relay = Relay(world.directory / "shoe", directory / "shoe")
    (directory / "reader").symlink_to(os.path.realpath(world.directory / "reader"))
    relay.plug()
    try:
        async with table_at(directory) as table:
            yield relay, table
    finally:
        relay.close()


@contextmanager
def _other_names() -> Iterator[None]:
    """Take the next names of ptys, so that whatever comes now has another one."""
    taken = [os.openpty() for _ in range(3)]
    try:
        yield
    finally:
        for pair in taken:
            os.close(pair[0])
            os.close(pair[1])


async def _bet(table: Table, positions: str) -> None:
    await due(table, "OpenRoundDue")
    await table.act(OpenRound({position: f"P{position}" for position in positions}))
    for position in positions:
        await table.act(WagerPlaced(position, f"P{position}", WAGERS))
    await table.act(NoMoreBetsCalled())


async def _gone_and_back(relay: Relay, table: Table, meanwhile: Callable[[], Awaitable[object]] | None = None) -> None:
    before = relay.name
    relay.unplug()
    await until(lambda: not table.shown.shoe_up, "the loss")
    if meanwhile is not None:
        await meanwhile()
    with _other_names():
        relay.plug()
    assert relay.name != before
    await until(lambda: table.shown.shoe_up, "the shoe under its other name")


def _count(table: Table, kind: str) -> int:
    return len([each for each, _body in kinds(table) if each == kind])


@pytest.mark.parametrize("taken", ["afterwards", "meanwhile"])
def test_a_port_is_renamed_while_a_stack_lies_in_the_gate(tmp_path: Path, taken: str) -> None:
    """P1, E31, FR-06: the stack is known again, counted once, whether it is taken in the outage or after it."""

    async def played(world: Devices) -> None:
        async with _relayed(world, tmp_path / "table") as (relay, table):
            await _bet(table, "13")
            assert (await due(table, "TakeStack")).to == "1"
            take = partial(world.do, "take_stack", to="1")
            await _gone_and_back(relay, table, take if taken == "meanwhile" else None)
            if taken == "afterwards":
                assert (await due(table, "TakeStack")).to == "1"
                assert (await world.do("counters"))["stacks_dispensed"] == 1
                await take()
            await until(lambda: getattr(table.shown.due, "to", "") == "3", "the next stack")
            await due(table, "TakeStack")
            assert (await world.do("counters"))["stacks_dispensed"] == 2
            assert (_count(table, "stack-requested"), _count(table, "stack-delivered")) == (2, 1)
            assert _count(table, "alarm-raised") == 0

    with devices(tmp_path / "world") as world:
        asyncio.run(played(world))


def test_a_port_is_renamed_while_the_motor_runs(tmp_path: Path) -> None:
    """P1, E29, E31: what became of the stack is asked by its command id; nothing is dealt a second time unasked."""

    async def played(world: Devices) -> None:
        async with _relayed(world, tmp_path / "table") as (relay, table):
            await _bet(table, "13")
            await until(lambda: table.controller.state.command is not None, "the command")
            await _gone_and_back(relay, table)
            names = ("TakeStack", "Held")
            await until(lambda: type(table.shown.due).__name__ in names, f"an end at {table.shown.words}")
            counters = await world.do("counters")
            assert counters["stacks_dispensed"] + counters["partial_stacks"] <= 1
            assert counters["feeds_started"] <= _count(table, "stack-requested") <= 2

    with devices(tmp_path / "world", speed=2.0) as world:
        asyncio.run(played(world))


@pytest.mark.nightly
def test_how_soon_a_shoe_is_back_after_an_outage(tmp_path: Path) -> None:
    """E31: prints how long after its port appears the shoe is connected, and its stack known again."""

    async def played(world: Devices) -> None:
        async with _relayed(world, tmp_path / "table") as (relay, table):
            await _bet(table, "13")
            await due(table, "TakeStack")
            loop = asyncio.get_running_loop()
            for out_s in (0.1, 0.5, 1.0, 2.0, 5.0, 9.0, 12.0, 20.0):
                relay.unplug()
                await until(lambda: not table.shown.shoe_up, "the loss")
                await asyncio.sleep(out_s)
                relay.plug()
                plugged = loop.time()
                await until(lambda: table.shown.shoe_up, "the shoe")
                up_s = loop.time() - plugged
                await due(table, "TakeStack")
                print(f"out for {out_s:4.1f} s: connected {up_s:.2f} s, reconciled {loop.time() - plugged:.2f} s after")
            assert (await world.do("counters"))["stacks_dispensed"] == 1

    with devices(tmp_path / "world") as world:
        asyncio.run(played(world))
