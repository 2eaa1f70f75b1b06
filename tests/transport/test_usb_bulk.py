"""USB bulk on a fake backend: the open sequence, every error number in idle and in use, and the release on every exit.

The fake shows pyusb's part only; what it leaves out is named in its docstring. Field reports FR-34 to FR-38.
"""

from __future__ import annotations

import asyncio
import errno
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import usb.core
from fake_usb_backend import IN, OUT, PRODUCT, VENDOR, FakeBackend, FakeDevice, usb_error
from transport_owner import Owner, settle, until

from cardshoe.errors import DeviceError
from cardshoe.transport import UsbUrl, usb_bulk, usb_session
from cardshoe.transport.usb_bulk import UsbBulkTransport, open_usb
from cardshoe.transport.usb_session import explain, open_session

URL = UsbUrl(VENDOR, PRODUCT, "SHOE0001")


def run(device: FakeDevice, body: Callable[[Owner], Coroutine[Any, Any, None]]) -> None:
    async def main() -> None:
        owner = Owner(await open_usb(URL, backend=FakeBackend(device)))
        try:
            await body(owner)
        finally:
            owner.transport.close()

    asyncio.run(main())


def refusal(*devices: FakeDevice, url: UsbUrl = URL) -> DeviceError:
    with pytest.raises(DeviceError) as refused:
        open_session(url, FakeBackend(*devices))
    assert str(url) in refused.value.text
    assert refused.value.exit_status == 3
    for device in devices:
        assert device.calls["opened"] == device.calls["close"]
        assert device.calls["claimed"] == device.calls["release"]
    return refused.value


# The open sequence


def test_it_opens_in_the_documented_order_and_gives_back_in_reverse() -> None:
    """FR-34, FR-37: detach only our interface, claim, drain; no reset, no needless configuration."""
    device = FakeDevice()
    device.kernel_driver = True
    session = open_session(URL, FakeBackend(device))
    order = [call for call in device.order if call not in {"control", "get_configuration"}]
    assert order == ["open", "is_kernel_driver_active", "detach", "claim", "read"]
    session.release()
    session.release()
    assert device.order[-2:] == ["release", "attach"]
    assert device.kernel_driver
    assert device.calls["close"] == device.calls["open"] == 1


def test_only_a_device_without_configuration_is_configured() -> None:
    device = FakeDevice()
    device.configured = False
    open_session(URL, FakeBackend(device)).release()
    assert device.calls["set_configuration"] == 1


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


def test_a_device_that_never_stops_sending_does_not_hold_the_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usb_session, "DRAIN_S", 0.02)
    device = FakeDevice()
    device.to_host.extend([b"flood"] * 1_000_000)
    open_session(URL, FakeBackend(device)).release()
    assert device.to_host


def test_a_halt_left_by_a_former_run_is_cleared_once() -> None:
    """FR-38."""
    device = FakeDevice()
    device.stalled_until_cleared.add(IN)
    open_session(URL, FakeBackend(device)).release()
    assert device.calls["clear_halt"] == 1
    twice = FakeDevice()
    twice.fail("read", errno.EPIPE, errno.EPIPE)
    assert refusal(twice).code == "usb-stalled"
    assert twice.calls["clear_halt"] == 1


def test_a_system_without_kernel_drivers_opens_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object) -> bool:
        raise NotImplementedError

    monkeypatch.setattr(FakeBackend, "is_kernel_driver_active", unknown)
    device = FakeDevice()
    open_session(URL, FakeBackend(device)).release()
    assert device.calls["detach"] == device.calls["attach"] == 0


# Which device


def test_the_serial_number_chooses_among_devices_of_a_kind() -> None:
    devices = [FakeDevice(f"SHOE000{n}", address=n) for n in (1, 2, 3)]
    session = open_session(UsbUrl(VENDOR, PRODUCT, "SHOE0002"), FakeBackend(*devices))
    session.release()
    assert [device.calls["claim"] for device in devices] == [0, 1, 0]
    assert all(device.calls["open"] == device.calls["close"] for device in devices)


def test_a_missing_device_is_told_with_what_is_there_instead() -> None:
    assert refusal().code == "usb-missing"
    error = refusal(FakeDevice("SHOE0009"))
    assert error.code == "usb-missing"
    assert "SHOE0009" in error.text


def test_two_devices_with_one_serial_number_are_refused() -> None:
    assert refusal(FakeDevice(address=1), FakeDevice(address=2)).code == "usb-ambiguous"


def test_a_device_without_our_interface_is_refused() -> None:
    other, interrupt = FakeDevice(), FakeDevice()
    other.interface_class = 0x02
    interrupt.bulk = False
    assert refusal(other).code == "usb-no-bulk-interface"
    assert refusal(interrupt).code == "usb-no-bulk-interface"


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


# Error numbers while opening


@pytest.mark.parametrize(
    ("call", "number", "code"),
    [
        ("open", errno.EACCES, "usb-denied"),
        ("open", errno.ENODEV, "usb-missing"),
        ("control", errno.EIO, "usb-bus-fault"),
        ("get_configuration", errno.EIO, "usb-bus-fault"),
        ("detach", errno.EACCES, "usb-denied"),
        ("claim", errno.EBUSY, "usb-busy"),
        ("claim", errno.ENODEV, "usb-missing"),
        ("claim", errno.EIO, "usb-bus-fault"),
        ("read", errno.EOVERFLOW, "usb-overflow"),
        ("read", errno.EPROTO, "usb-bus-fault"),
        ("read", errno.EINVAL, "usb-failed"),
    ],
)
def test_each_error_of_opening_has_its_meaning_and_gives_everything_back(call: str, number: int, code: str) -> None:
    """FR-34, FR-36."""
    device = FakeDevice()
    device.kernel_driver = True
    device.fail(call, number)
    with pytest.raises(DeviceError) as refused:
        open_session(URL, FakeBackend(device))
    assert refused.value.code == code
    assert device.kernel_driver, "the kernel's driver is back, or was never taken"
    assert device.calls["release"] == device.calls["claimed"] == (1 if call == "read" else 0)
    assert device.calls["close"] == device.calls["opened"] == (0 if call == "open" else 1)


def test_a_busy_interface_frees_up_by_itself_at_the_next_try() -> None:
    """FR-34: nothing of the refused tries is left over."""
    device = FakeDevice()
    device.fail("claim", *[errno.EBUSY] * 3)
    for _ in range(3):
        assert refusal(device).code == "usb-busy"
    open_session(URL, FakeBackend(device)).release()
    assert device.calls["open"] == device.calls["close"] == 4
    assert device.calls["release"] == 1


def test_a_thousand_openings_pair_every_claim_with_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """FR-34."""
    monkeypatch.setattr(usb_session, "DRAIN_READ_MS", 0)
    device = FakeDevice()
    backend = FakeBackend(device)
    for _ in range(1_000):
        open_session(URL, backend).release()
    assert device.calls["claim"] == device.calls["release"] == device.calls["close"] == 1_000


def test_opening_is_given_up_at_the_deadline_and_what_comes_late_is_given_back() -> None:
    device = FakeDevice()
    go_on = threading.Event()
    backend = FakeBackend(device)
    real_claim = backend.claim_interface

    def slow(handle: FakeDevice, interface: int) -> None:
        go_on.wait()
        real_claim(handle, interface)

    backend.claim_interface = slow  # type: ignore[method-assign]

    async def main(*, cancel: bool) -> None:
        opening = asyncio.ensure_future(open_usb(URL, backend=backend, within_s=100 if cancel else 0.05))
        await asyncio.sleep(0.1)
        if cancel:
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
        else:
            with pytest.raises(DeviceError) as refused:
                await opening
            assert refused.value.code == "usb-stuck"
        go_on.set()

    for cancel in (False, True):
        go_on.clear()
        asyncio.run(main(cancel=cancel))  # the executor's thread is waited for here
    assert device.calls["claim"] == device.calls["release"] == device.calls["close"] == 2


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


def test_explain_keeps_the_states_apart() -> None:
    """FR-36: 110, 19, 32, 75, 5 and 71 are five states; 16 and 13 two more."""
    numbers = {110: "usb-stuck", 19: "usb-lost", 32: "usb-stalled", 75: "usb-overflow", 5: "usb-bus-fault"}
    numbers |= {71: "usb-bus-fault", 16: "usb-busy", 13: "usb-denied"}
    assert {number: explain(URL, usb_error(number)).code for number in numbers} == numbers
    assert explain(URL, usb.core.USBError("no number")).code == "usb-failed"
    assert "/dev/bus/usb/001/005" in explain(URL, usb_error(errno.EACCES), node="/dev/bus/usb/001/005").text


def test_without_the_library_the_refusal_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("libusb_package.get_libusb1_backend", lambda: None)
    with pytest.raises(DeviceError) as refused:
        open_session(URL)
    assert refused.value.code == "usb-no-backend"
