"""The suite, for serial ports and for what the system shows: lines, counters, names, rights, discovery.

Owns these bodies; see `front_body` for what a body is.
"""

from __future__ import annotations

import asyncio
import fcntl
import grp
import os
import struct
import subprocess
from typing import TYPE_CHECKING

import serial
from front_body import body, live
from front_table import ShoeTable

from cardshoe.cli.devices import Watching, look
from cardshoe.transport.discovery import find_candidates

if TYPE_CHECKING:
    from front_worker import Desk


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


@body("modem")
async def a_uart_shows_what_a_pty_cannot(desk: Desk) -> None:
    """FR-03: speed, 7E1, modem lines, break and error counters through an unmodified pyserial."""
    with serial.Serial(desk.where().removeprefix("serial://"), 19200, bytesize=7, parity="E", timeout=2) as port:
        assert os.isatty(port.fd)
        assert desk.ask(front="line")["format"] == "19200 7E1"
        assert (port.cts, port.dsr, port.cd) == (True, True, True)
        port.dtr = False
        assert (port.dsr, port.cd, port.cts) == (False, False, True)
        port.dtr, port.rts = True, False
        assert (port.dsr, port.cts) == (True, False)
        port.send_break(0.01)
        for kind in ("parity", "frame", "frame", "overrun"):
            desk.ask(front="line error", kind=kind)
            assert port.read(1) == b"\0"
        assert counters(port) == {"frame": 2, "overrun": 1, "parity": 1}
        log = desk.ask(front="line")["log"]
        assert ["break", True] in log
        assert ["dtr", False, "rts", True] in log
        desk.ask(front="unplug")
        try:
            assert port.read(1) == b""
        except (serial.SerialException, OSError):
            return


def counters(port: serial.Serial) -> dict[str, int]:
    """The kernel's error counters of a port (TIOCGICOUNT)."""
    numbers = struct.unpack_from("<11i", fcntl.ioctl(port.fd, 0x545D, bytes(80)))
    return {"frame": numbers[6], "overrun": numbers[7], "parity": numbers[8]}


@body("acm")
async def the_kernels_port_follows_the_line(desk: Desk) -> None:
    """FR-03: cdc_acm brings line coding, DTR, RTS and break to the device, and errors and modem lines back."""
    with serial.Serial(desk.where().removeprefix("serial://"), 115200, timeout=2) as port:
        await asyncio.sleep(0.3)
        assert (port.dsr, port.cd) == (True, True)
        before = counters(port)
        desk.ask(front="line error")
        async with asyncio.timeout(10):
            while counters(port) == before:
                await asyncio.sleep(0.05)
        assert {key: value - before[key] for key, value in counters(port).items()} == {
            "frame": 1,
            "overrun": 1,
            "parity": 1,
        }
        port.dtr = False
        port.baudrate = 19200
        port.send_break(0.05)
    log = desk.ask(front="log")["log"]
    assert ["line", 115200, 0, 0, 8] in log
    assert ["line", 19200, 0, 0, 8] in log
    assert ["dtr", 0, "rts", 1] in log
    assert any(one[0] == "break" for one in log)
