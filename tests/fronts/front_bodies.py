"""The suite: one body for each thing that a host must be able to do, whatever the device hangs on.

Owns the bodies and what each needs of a front end. Must not know which front end it has (promise P10): it asks for a
feature, never for a name. Each body starts on new worlds with the shoe plugged in.
"""

from __future__ import annotations

import asyncio
import grp
import os
import subprocess
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from front_table import ShoeTable

from cardshoe.cli.devices import Watching, look
from cardshoe.devices.shoe_events import CommandAccepted, CommandOutcomeUnknown, ShoeStatusSeen, StackReady, StackTaken
from cardshoe.devices.shoe_terms import Outcome
from cardshoe.errors import DeviceError
from cardshoe.transport import Transport, UsbUrl, parse_device_url
from cardshoe.transport.discovery import find_candidates
from cardshoe.transport.usb_session import open_session

if TYPE_CHECKING:
    from front_worker import Desk

Act = Callable[["Desk"], Awaitable[None]]


@dataclass(frozen=True)
class Body:
    """A body: what it does, what the front end must have, how the worlds are set up."""

    act: Act
    needs: frozenset[str]
    setup: dict[str, Any] = field(default_factory=dict)


BODIES: dict[str, Body] = {}


def body(*needs: str, **setup: Any) -> Callable[[Act], Act]:
    """Put a body into the suite."""

    def keep(act: Act) -> Act:
        BODIES[act.__name__] = Body(act, frozenset(needs), setup)
        return act

    return keep


async def refused(desk: Desk, device: str = "shoe") -> DeviceError:
    """Why the device cannot be opened."""
    try:
        transport = await desk.open(device)
    except DeviceError as error:
        return error
    transport.close()
    raise AssertionError("it was opened")


async def live(table: ShoeTable) -> None:
    """Two more heartbeats are answered: the session goes on."""
    for _ in range(2):
        await table.wait_for(ShoeStatusSeen)


# --- for every front end


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


def moved(desk: Desk, device: str = "shoe") -> int | None:
    """How many stacks the machine really moved, None where nothing but the device itself can tell."""
    if "counters" not in desk.features:
        return None
    return int(desk.ask(do="counters", device=device)["stacks_dispensed"])


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


async def nothing_left(descriptors: int) -> None:
    """Wait until no descriptor more than before is open and the transports' threads have ended."""
    async with asyncio.timeout(10):
        while len(os.listdir("/proc/self/fd")) > descriptors or any("://" in one.name for one in threading.enumerate()):
            await asyncio.sleep(0.01)


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


# --- for USB


@body("usb", twins=True, same=True)
async def twins_with_one_number_are_refused(desk: Desk) -> None:
    """FR-06: nobody guesses which one is meant."""
    assert (await refused(desk)).code == "usb-ambiguous"
    desk.ask(front="unplug", device="twin")
    table = ShoeTable(await desk.open())
    await table.identify()
    table.close()


@body("packets", "quick")
async def packets_cut_anywhere(desk: Desk) -> None:
    """LINK-1.2: bytes in packets of one to 64, with empty packets between them."""
    table = ShoeTable(await desk.open())
    try:
        for cut in (1, 7, 64):
            desk.ask(front="trouble", cut=cut, empty_packets=cut == 7)
            await table.identify() if cut == 1 else await live(table)
        deck = await table.prepare()
        await table.deal(desk, deck, 3, 6)
    finally:
        table.close()


@body("packets", "partial")
async def a_full_packet_without_an_end(desk: Desk) -> None:
    """FR-36: a device that ends on a full packet leaves the transfer open; its bytes come with the time-out."""
    transport = await desk.open()
    received = bytearray()
    losses: list[DeviceError] = []
    transport.start(asyncio.get_running_loop(), received.extend, losses.append)
    try:
        desk.ask(front="trouble", no_zero_packet=True)
        sent = bytes(range(256)) * 4
        for _ in range(3):
            desk.ask(front="inject", hex=sent.hex())
            async with asyncio.timeout(10):
                while len(received) < len(sent):
                    await asyncio.sleep(0.005)
            assert bytes(received) == sent
            received.clear()
        assert not losses
    finally:
        transport.close()


@body("packets")
async def a_stall_is_cleared_once(desk: Desk) -> None:
    """FR-38: in both directions; the session goes on."""
    table = ShoeTable(await desk.open())
    try:
        await table.identify()
        for endpoint in (0x81, 0x01):
            desk.ask(front="trouble", halt=endpoint)
            await live(table)
    finally:
        table.close()


@body("packets")
async def a_stall_that_stays_is_a_fault(desk: Desk) -> None:
    """FR-38."""
    for endpoint in (0x81, 0x01):
        table = ShoeTable(await desk.open())
        await table.identify()
        desk.ask(front="trouble", broken=endpoint)
        assert (await table.loss()).code == "usb-stalled"
        table.close()
        if endpoint == 0x81:
            assert (await refused(desk)).code == "usb-stalled"  # also while it is drained
        desk.ask(front="trouble", mend=True)


@body("packets")
async def more_than_was_asked_for(desk: Desk) -> None:
    """FR-36: errno 75."""
    table = ShoeTable(await desk.open())
    await table.identify()
    desk.ask(front="trouble", babble=True)
    assert (await table.loss()).code == "usb-overflow"
    table.close()
    (await desk.open()).close()


@body("packets")
async def a_deaf_device_is_given_back(desk: Desk) -> None:
    """FR-16: closing does not wait for it."""
    table = ShoeTable(await desk.open())
    await table.identify()
    desk.ask(front="trouble", deaf=True)
    table.transport.write(b"x" * 600)
    await asyncio.sleep(0.1)
    table.close()
    await nothing_left(1 << 20)
    desk.ask(front="trouble", mend=True)
    (await desk.open()).close()


@body("packets")
async def what_a_former_run_left_is_drained(desk: Desk) -> None:
    """FR-37."""
    desk.ask(front="inject", hex=(b"stale" * 300).hex())
    table = ShoeTable(await desk.open())
    try:
        await table.identify()
    finally:
        table.close()


@body("access")
async def permission_denied_is_explained(desk: Desk) -> None:
    """FR-36: errno 13, with the node."""
    desk.ask(front="access", denied=True)
    error = await refused(desk)
    assert error.code == "usb-denied"
    assert "/dev/bus/usb/" in error.text
    assert "udev rule" in error.text
    desk.ask(front="access", denied=False)
    (await desk.open()).close()


@body("kernel driver")
async def the_kernels_driver_comes_back(desk: Desk) -> None:
    """FR-34: it is taken from our interface only, and given back on every way out."""
    desk.ask(front="driver", name="cardshoe_test")
    table = ShoeTable(await desk.open())
    await table.identify()
    assert desk.ask(front="drivers")["drivers"] == {"0": "usbhid"}
    table.close()
    await nothing_left(1 << 20)
    assert desk.ask(front="drivers")["drivers"] == {"0": "usbhid", "1": "cardshoe_test"}
    desk.ask(front="trouble", broken=0x81)
    await refused(desk)
    assert desk.ask(front="drivers")["drivers"] == {"0": "usbhid", "1": "cardshoe_test"}


# --- discovery


@body("system", twins=True)
async def devices_are_listed_with_who_they_are(desk: Desk) -> None:
    """LINK-5.3, FR-06: both by the names that stay; one in use is named as such and left alone."""
    table = ShoeTable(await desk.open("twin"))
    try:
        await table.identify()
        found = await look(find_candidates(), lambda one: one.ours and not one.trouble)
        by_url = {one.candidate.url: one for one in found}
        shoe, twin = (by_url[desk.where(name)] for name in ("shoe", "twin"))
        assert shoe.answer is not None
        assert shoe.answer.identity is not None
        assert shoe.answer.identity.serial == desk.ask(front="where", device="shoe")["serial"]
        assert shoe.ok, shoe.health
        assert "idle" in shoe.health
        assert twin.answer is None or twin.answer.error is not None
        await live(table)
    finally:
        table.close()


@body("system")
async def what_comes_and_goes_is_told(desk: Desk) -> None:
    """FR-35: a watcher sees the same device go and come, under another address."""
    watching = Watching(lambda one: one.ours and not one.trouble)
    url = desk.where()
    assert [(what, one.candidate.url) for what, one in await watching.turn(find_candidates())] == [("here", url)]
    assert await watching.turn(find_candidates()) == []
    desk.ask(front="unplug")
    async with asyncio.timeout(10):
        while not (changes := await watching.turn(find_candidates())):
            await asyncio.sleep(0.05)
    assert [(what, one.candidate.url) for what, one in changes] == [("gone", url)]
    desk.plug()
    again = await watching.turn(find_candidates())
    assert [(what, one.candidate.url, one.ok) for what, one in again] == [("here", url, True)]


@body("acm")
async def the_rules_give_names_and_rights(desk: Desk) -> None:
    """FR-06, FR-39, FR-40: the shipped udev rules, read by a real udev with a real kernel's device."""
    number = desk.ask(front="where")["serial"]
    async with asyncio.timeout(20):
        while not os.path.exists(f"/dev/cardshoe/{number}"):
            await asyncio.sleep(0.1)
    node = os.path.realpath(f"/dev/cardshoe/{number}")
    assert node == os.path.realpath(desk.where().removeprefix("serial://"))
    status = os.stat(node)
    assert (grp.getgrgid(status.st_gid).gr_name, status.st_mode & 0o777) == ("dialout", 0o660)
    told = subprocess.run(["udevadm", "info", "--query=property", node], capture_output=True, text=True).stdout
    assert "ID_MM_DEVICE_IGNORE=1" in told
    found = next(one for one in find_candidates() if one.serial_number == number)
    assert (found.driver, found.ids) == ("cdc_acm", (0x1209, 0x0002))
    power = f"/sys/class/tty/{os.path.basename(node)}/device/../power/control"
    with open(power, encoding="ascii") as file:
        assert file.read().strip() == "on"


# --- for serial ports


@body("line")
async def the_line_is_what_the_protocol_says(desk: Desk) -> None:
    """LINK-1.1, FR-03: 115200 8N1; DTR and RTS up while open, and not dropped by closing."""
    table = ShoeTable(await desk.open())
    await table.identify()
    seen = desk.ask(front="line")
    assert seen["format"] == "115200 8N1"
    assert (seen["dtr"], seen["rts"]) == (True, True)
    table.close()
    await asyncio.sleep(0.05)
    seen = desk.ask(front="line")
    assert seen["dtr"] is True
    assert ["dtr", False] not in [one[:2] for one in seen["log"]]


# --- figures, each beside its floor; none is judged by time here


@body("claims")
async def twenty_thousand_round_trips(desk: Desk) -> None:
    """FR-36: none is lost; the driver's way beside bare libusb through the same front end."""
    desk.ask(front="echo")
    floor = await asyncio.to_thread(bare_round_trips, desk, 2_000)
    transport = await desk.open()
    trip = RoundTrip(transport)
    try:
        ours = [await trip.once(b"0123456789abcdef", 16) for _ in range(20_000)]
    finally:
        transport.close()
    assert trip.wrong == 0
    desk.figures |= {
        "bare libusb, median us": middle(floor),
        "transport, median us": middle(ours),
        "ratio": round(middle(ours) / middle(floor), 2),
        "lost": 0,
    }


def bare_round_trips(desk: Desk, count: int) -> list[float]:
    """Seconds of each OUT and IN by pyusb alone."""
    url = parse_device_url(desk.where())
    assert isinstance(url, UsbUrl)
    session = open_session(url, desk.backend)
    times = []
    try:
        for _ in range(count):
            began = time.perf_counter()
            session.write(b"0123456789abcdef", 500)
            assert session.read(500) == b"fedcba9876543210"
            times.append(time.perf_counter() - began)
    finally:
        session.release()
    return times


@body("paced")
async def round_trips_at_the_speed_of_the_line(desk: Desk) -> None:
    """LINK-1.1: 16 bytes out and 8 back at 115200 baud, beside the line's own time and bare reads and writes."""
    desk.ask(front="echo")
    bare = await asyncio.to_thread(bare_line, desk, 500)
    transport = await desk.open()
    trip = RoundTrip(transport)
    try:
        ours = [await trip.once(b"0123456789abcdef", 8) for _ in range(500)]
    finally:
        transport.close()
    line = 24 * 10 / 115200 * 1e6
    desk.figures |= {
        "line, us": round(line, 1),
        "bare reads and writes, median us": middle(bare),
        "transport, median us": middle(ours),
        "over the line": round(middle(ours) / line, 3),
        "over bare": round(middle(ours) / middle(bare), 3),
    }


def bare_line(desk: Desk, count: int) -> list[float]:
    """Seconds of each question and answer by read(2) and write(2)."""
    port = os.open(desk.where().removeprefix("serial://"), os.O_RDWR | os.O_NOCTTY)
    times = []
    try:
        for _ in range(count):
            began = time.perf_counter()
            os.write(port, b"0123456789abcdef")
            got = 0
            while got < 8:
                got += len(os.read(port, 64))
            times.append(time.perf_counter() - began)
    finally:
        os.close(port)
    return times


class RoundTrip:
    """Writes, and waits for so many bytes back."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._loop = asyncio.get_running_loop()
        self._came = bytearray()
        self._wanted = 0
        self._done: asyncio.Future[None] = self._loop.create_future()
        self.wrong = 0
        transport.start(self._loop, self._bytes, self._done.set_exception)

    def _bytes(self, data: bytes) -> None:
        self._came += data
        if len(self._came) >= self._wanted and not self._done.done():
            self._done.set_result(None)

    async def once(self, data: bytes, answer: int) -> float:
        """Seconds from the write to the last byte."""
        self._came.clear()
        self._wanted = answer
        self._done = self._loop.create_future()
        began = time.perf_counter()
        self._transport.write(data)
        await asyncio.wait_for(self._done, 10)
        self.wrong += len(self._came) != answer
        return time.perf_counter() - began


def middle(times: list[float]) -> float:
    """Median in microseconds."""
    return round(sorted(times)[len(times) // 2] * 1e6, 1)
