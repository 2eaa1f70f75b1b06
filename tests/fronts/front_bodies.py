"""The suite, for every front end: who is there, a deal, plugs pulled at any time, garbage, twins, one owner.

Owns these bodies; see `front_body` for what a body is.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from front_body import body, live, moved, nothing_left, refused
from front_table import ShoeTable

from cardshoe.devices.shoe_events import CommandAccepted, CommandOutcomeUnknown, StackReady, StackTaken
from cardshoe.devices.shoe_terms import Outcome

if TYPE_CHECKING:
    from front_worker import Desk


@body()
async def identifies(desk: Desk) -> None:
    """LINK-5.3: HELLO says the number that the outside says."""
    table = ShoeTable(await desk.open())
    try:
        identity = await table.identify()
        assert identity.serial == desk.ask(front="where")["serial"]
        await live(table)
    finally:
        table.close()


@body()
async def deals(desk: Desk) -> None:
    """SHOE-4.1 to SHOE-4.8: three stacks; the machine moved what the driver heard."""
    table = ShoeTable(await desk.open())
    try:
        await table.identify()
        deck = await table.prepare()
        for to in (1, 4, 0):
            await table.deal(desk, deck, 2, to) if to else await _dealer(desk, table, deck)
        assert moved(desk) in {None, 3}
    finally:
        table.close()


async def _dealer(desk: Desk, table: ShoeTable, deck: int) -> None:
    command = table.dispense(deck, 2, 0)
    await table.wait_for(StackReady, lambda e: e.command_id == command)
    desk.ask(do="take_stack", to="dealer")
    await table.wait_for(StackTaken, lambda e: e.command_id == command)


@body()
async def unplugged_while_idle(desk: Desk) -> None:
    """FR-01, FR-24: the loss is signalled once; what is written afterwards goes nowhere."""
    table = ShoeTable(await desk.open())
    try:
        await table.identify()
        cut = desk.ask(front="unplug")["at"]
        loss = await table.loss()
        if "guest" not in desk.features:  # whose clock is another
            desk.figures["unplug_ms"] = round((table.lost_at - cut) * 1000, 2)
        assert loss.code in {"usb-lost", "port-lost", "port-vanished", "tcp-lost"}, loss
        table.transport.write(b"into the void")
        await asyncio.sleep(0.05)
        assert len(table.losses) == 1
    finally:
        table.close()
    assert (await refused(desk)).code in {"usb-missing", "port-missing"}


@body()
async def unplugged_with_the_order_on_its_way(desk: Desk) -> None:
    """P1, FR-35: never seen or done, the shoe says which after the replug, and cards moved at most once."""
    table = ShoeTable(await desk.open())
    await table.identify()
    deck = await table.prepare()
    command = table.dispense(deck, 2, 3)
    desk.ask(front="unplug")  # before the loop has run: the order is on its way, or not yet
    await table.loss()
    told = [one for one in table.happened if isinstance(one, CommandAccepted | CommandOutcomeUnknown)]
    assert [one.command_id for one in told] == [command], "one word on the command, and one only"
    table = await plugged_in_again(desk, table, command)
    try:
        outcome = await settled(table, command)
        assert outcome in {Outcome.DONE, Outcome.NEVER_SEEN}
        assert moved(desk) in {None, 1 if outcome is Outcome.DONE else 0}
        if outcome is Outcome.NEVER_SEEN:
            await table.deal(desk, deck, 2, 3)
    finally:
        table.close()


@body()
async def unplugged_while_cards_move(desk: Desk) -> None:
    """P1: the shoe goes on to its safe point; after the replug it says what it did, and did it once."""
    table = ShoeTable(await desk.open())
    await table.identify()
    deck = await table.prepare()
    command = table.dispense(deck, 2, 3)
    await table.wait_for(CommandAccepted)
    desk.ask(front="unplug")
    await table.loss()
    table = await plugged_in_again(desk, table, command)
    try:
        assert await settled(table, command) is Outcome.DONE
        assert moved(desk) in {None, 1}
    finally:
        table.close()


async def plugged_in_again(desk: Desk, table: ShoeTable, command: int) -> ShoeTable:
    """Plug in and open a session that knows what the former one came to."""
    table.close()
    desk.plug()
    again = ShoeTable(await desk.open(), consumed_event=table.consumed, last_command=command)
    await again.identify()
    return again


async def settled(table: ShoeTable, command: int) -> Outcome:
    """What became of a command, once it runs no more."""
    while (outcome := (await table.ask(command)).outcome) is Outcome.RUNNING:
        await asyncio.sleep(0.01)
    return outcome


@body()
async def plugged_in_again_ten_times(desk: Desk) -> None:
    """FR-35: another address, another name behind the link, the same process, nothing left of the former ones."""
    before = len(os.listdir("/proc/self/fd"))
    for turn in range(10):
        table = ShoeTable(await desk.open())
        await table.identify()
        desk.ask(front="unplug")
        await table.loss()
        table.close()
        desk.plug()
        if turn == 0:
            before = len(os.listdir("/proc/self/fd"))
    await nothing_left(before)


@body()
async def opened_and_closed_thirty_times(desk: Desk) -> None:
    """FR-34: no descriptor, claim or thread is left."""
    await open_and_close(desk, 30)


@body()
async def opened_and_closed_a_thousand_times(desk: Desk) -> None:
    """FR-34, in full."""
    await open_and_close(desk, 1000)


async def open_and_close(desk: Desk, times: int) -> None:
    (await desk.open()).close()  # what the library keeps for the life of the process is there after the first
    before = len(os.listdir("/proc/self/fd"))
    for turn in range(times):
        transport = await desk.open()
        if turn % 2:
            transport.start(asyncio.get_running_loop(), lambda _: None, lambda _: None)
        transport.close()
    await nothing_left(before)
    if "claims" in desk.features:
        assert desk.ask(front="claims")["claims"] == 0


@body()
async def survives_garbage(desk: Desk) -> None:
    """LINK-3.2, LINK-3.3: noise of every length costs at most the frame that it hits."""
    table = ShoeTable(await desk.open())
    try:
        await table.identify()
        for length in (1, 63, 64, 255, 511, 512, 1024, 3000):
            desk.ask(front="inject", hex=(bytes(range(1, 256)) * 12)[:length].hex())
        desk.ask(front="inject", hex="00")
        await live(table)
        deck = await table.prepare()
        await table.deal(desk, deck, 2, 5)
    finally:
        table.close()


@body("twins", twins=True)
async def twins_are_told_apart(desk: Desk) -> None:
    """FR-06: two of a kind; each answers as itself, and one goes without the other."""
    tables = {name: ShoeTable(await desk.open(name)) for name in ("shoe", "twin")}
    try:
        for name, table in tables.items():
            identity = await table.identify()
            assert identity.serial == desk.ask(front="where", device=name)["serial"]
        desk.ask(front="unplug", device="shoe")
        await tables["shoe"].loss()
        await live(tables["twin"])
        deck = await tables["twin"].prepare()
        await tables["twin"].deal(desk, deck, 3, 2, device="twin")
        desk.plug("shoe")
        again = ShoeTable(await desk.open("shoe"))
        assert (await again.identify()).serial == desk.ask(front="where", device="shoe")["serial"]
        again.close()
        assert moved(desk) in {None, 0}
    finally:
        for table in tables.values():
            table.close()


@body("busy")
async def one_owner_at_a_time(desk: Desk) -> None:
    """FR-12: a second program is told who has it, and the first goes on."""
    table = ShoeTable(await desk.open())
    try:
        await table.identify()
        assert (await refused(desk)).code in {"usb-busy", "port-busy"}
        await live(table)
    finally:
        table.close()
    (await desk.open()).close()
