"""USB bulk in use, on a fake backend: every error number, stalls, deaf devices, busy loops, unplugging.

The fake shows pyusb's part only; what it leaves out is named in its docstring. Field reports FR-34 to FR-38.
"""

from __future__ import annotations

import asyncio
import errno
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from fake_usb_backend import IN, OUT, PRODUCT, VENDOR, FakeBackend, FakeDevice
from transport_owner import Owner, settle, until

from cardshoe.transport import UsbUrl, usb_bulk
from cardshoe.transport.usb_bulk import UsbBulkTransport, open_usb

URL = UsbUrl(VENDOR, PRODUCT, "SHOE0001")


def run(device: FakeDevice, body: Callable[[Owner], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        owner = Owner(await open_usb(URL, backend=FakeBackend(device)))
        try:
            await body(owner)
        finally:
            owner.transport.close()

    asyncio.run(main())


def test_what_a_former_run_left_is_drained_before_anything_is_delivered() -> None:
    """FR-37."""
    device = FakeDevice()
    for _ in range(3):
        device.send(b"stale")

    async def body(owner: Owner) -> None:
        device.send(b"fresh")
        await until(lambda: owner.received, "the bytes")
        assert owner.received == b"fresh"

    run(device, body)


def test_a_device_plugged_in_again_is_found_afresh() -> None:
    """FR-35: another address, the same process."""
    first, second = FakeDevice(address=5), FakeDevice(address=6)
    backend = FakeBackend(first)

    async def main() -> None:
        owner = Owner(await open_usb(URL, backend=backend))
        first.unplug()
        await until(lambda: owner.losses, "the loss")
        backend.devices.append(second)
        again = Owner(await open_usb(URL, backend=backend))
        second.send(b"here")
        await until(lambda: again.received == b"here", "the new device")
        again.transport.close()
        owner.transport.close()

    asyncio.run(main())


# Error numbers in use


LOST = [
    (errno.ENODEV, "usb-lost"),
    (errno.EIO, "usb-bus-fault"),
    (errno.EPROTO, "usb-bus-fault"),
    (errno.EOVERFLOW, "usb-overflow"),
    (errno.EBUSY, "usb-busy"),
    (errno.EACCES, "usb-denied"),
    (errno.EINVAL, "usb-failed"),
]


@pytest.mark.parametrize(("number", "code"), LOST)
@pytest.mark.parametrize("call", ["waiting read", "write"])
def test_each_error_in_use_is_one_loss_with_its_own_code(call: str, number: int, code: str) -> None:
    """FR-36: five different states, in idle and while sending."""
    device = FakeDevice()

    async def body(owner: Owner) -> None:
        device.fail(call, number)
        if call == "write":
            owner.transport.write(b"query")
        await until(lambda: owner.losses, "the loss")
        await settle()
        assert owner.codes == [code]
        await until(lambda: device.calls["close"] == 1, "the release")
        assert device.calls["release"] == 1

    run(device, body)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_whatever_else_the_library_raises_is_a_loss_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """FR-23: the thread's own end is signalled; the exception itself stays visible."""
    device = FakeDevice()

    async def body(owner: Owner) -> None:
        def broken(*_: object) -> int:
            raise NotImplementedError

        monkeypatch.setattr(FakeBackend, "bulk_write", broken)
        owner.transport.write(b"query")
        await until(lambda: owner.losses, "the loss")
        assert owner.codes == ["usb-failed"]

    run(device, body)
    assert device.calls["close"] == 1


def test_a_time_out_of_reading_is_no_news(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb_bulk, "READ_MS", 1)
    device = FakeDevice()

    async def body(owner: Owner) -> None:
        await until(lambda: device.calls["read"] > 20, "twenty turns")
        assert owner.losses == []
        device.send(b"news")
        await until(lambda: owner.received == b"news", "the news")

    run(device, body)


@pytest.mark.parametrize("endpoint", [IN, OUT])
def test_a_stall_is_cleared_once_and_the_transfer_is_tried_again(endpoint: int) -> None:
    """FR-38."""
    device = FakeDevice()

    async def body(owner: Owner) -> None:
        with device.changed:
            device.stalled_until_cleared.add(endpoint)
            device.changed.notify_all()
        device.send(b"answer")
        owner.transport.write(b"query")
        await until(lambda: owner.received == b"answer" and bytes(device.from_host) == b"query", "both ways")
        assert device.calls["clear_halt"] == 1
        assert owner.losses == []

    run(device, body)


@pytest.mark.parametrize("call", ["waiting read", "write"])
def test_a_second_stall_in_a_row_is_a_fault(call: str) -> None:
    """FR-38."""
    device = FakeDevice()

    async def body(owner: Owner) -> None:
        device.fail(call, errno.EPIPE, errno.EPIPE)
        if call == "write":
            owner.transport.write(b"query")
        await until(lambda: owner.losses, "the loss")
        assert owner.codes == ["usb-stalled"]
        assert device.calls["clear_halt"] == 1

    run(device, body)


def test_a_stall_after_one_that_was_cured_is_cleared_again() -> None:
    device = FakeDevice()

    async def body(owner: Owner) -> None:
        for n in range(1, 4):
            device.fail("waiting read", errno.EPIPE)
            device.send(b"x")
            await until(lambda n=n: len(owner.received) == n, "the byte after the stall")
        assert device.calls["clear_halt"] == 3

    run(device, body)


def test_a_stall_after_a_quiet_turn_is_cleared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb_bulk, "READ_MS", 1)
    device = FakeDevice()

    async def body(owner: Owner) -> None:
        for n in range(1, 4):
            device.fail("waiting read", errno.EPIPE)
            await until(lambda n=n: device.calls["clear_halt"] == n, "the clearing")
            turns = device.calls["read"]
            await until(lambda turns=turns: device.calls["read"] > turns + 2, "a quiet turn")
        assert owner.losses == []

    run(device, body)


def test_a_transport_never_started_gives_the_device_back() -> None:
    device = FakeDevice()

    async def main() -> None:
        transport = await open_usb(URL, backend=FakeBackend(device))
        transport.close()
        transport.close()

    asyncio.run(main())
    assert device.calls["claimed"] == device.calls["release"] == device.calls["close"] == 1


def test_a_transfer_taken_in_part_goes_on_where_it_stopped() -> None:
    """FR-36: what a time-out took already is not sent again."""
    device = FakeDevice()
    device.most_taken = 7
    data = bytes(range(256)) * 4

    async def body(owner: Owner) -> None:
        owner.transport.write(data)
        await until(lambda: len(device.from_host) >= len(data), "all bytes")
        assert bytes(device.from_host) == data

    run(device, body)


def test_a_device_that_takes_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb_bulk, "WRITE_MS", 5)
    monkeypatch.setattr(usb_bulk, "STUCK_S", 0.05)
    device = FakeDevice()
    device.reads_nothing = True

    async def body(owner: Owner) -> None:
        await asyncio.sleep(0.1)  # idle for longer than that is not stuck
        assert owner.losses == []
        owner.transport.write(b"query")
        await until(lambda: owner.losses, "the loss")
        assert owner.codes == ["usb-stuck"]
        assert device.calls["write"] > 1

    run(device, body)


def test_closing_a_deaf_device_returns_and_gives_it_back() -> None:
    """FR-16."""
    device = FakeDevice()
    device.reads_nothing = True

    async def body(owner: Owner) -> None:
        owner.transport.write(b"x" * 100)
        await until(lambda: device.calls["write"], "the attempt")
        owner.transport.close()
        await until(lambda: device.calls["close"] == 1, "the release")
        assert owner.losses == []

    run(device, body)


def test_a_busy_loop_holds_the_reader_back_instead_of_filling_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    device = FakeDevice()
    most = usb_bulk.CHUNKS_WAITING
    sent = [bytes([n % 256]) for n in range(5 * most)]

    async def body(owner: Owner) -> None:
        for data in sent:
            device.send(data)
        while device.calls["read"] < most:  # the loop is kept busy here, on purpose
            time.sleep(0.001)
        time.sleep(0.02)
        taken = len(sent) - len(device.to_host)
        assert taken <= most + 1
        await until(lambda: len(owner.received) == len(sent), "all bytes")
        assert owner.received == b"".join(sent)

    run(device, body)


def test_a_loop_closed_under_it_ends_the_threads() -> None:
    device = FakeDevice()

    async def main() -> UsbBulkTransport:
        transport = await open_usb(URL, backend=FakeBackend(device))
        transport.start(asyncio.get_running_loop(), lambda _: None, lambda _: None)
        return transport

    transport = asyncio.run(main())
    device.send(b"nobody is there")
    for thread in transport._threads:
        thread.join(10)
    assert device.calls["close"] == 1
    transport.close()
