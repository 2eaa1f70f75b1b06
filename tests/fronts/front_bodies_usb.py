"""The suite, for USB: packets cut anywhere, stalls, overflow, deaf devices, rights, kernel drivers.

Owns these bodies; see `front_body` for what a body is.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from front_body import body, live, nothing_left, refused
from front_table import ShoeTable

from cardshoe.errors import DeviceError

if TYPE_CHECKING:
    from front_worker import Desk


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
