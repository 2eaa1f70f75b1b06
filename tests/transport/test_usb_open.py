"""Opening a USB device on a fake backend: the sequence, the choice, every error number, the release on every exit.

The fake shows pyusb's part only; what it leaves out is named in its docstring. Field reports FR-34 to FR-38.
"""

from __future__ import annotations

import asyncio
import errno
import threading

import pytest
import usb.core
from fake_usb_backend import IN, PRODUCT, VENDOR, FakeBackend, FakeDevice, usb_error

from cardshoe.errors import DeviceError
from cardshoe.transport import UsbUrl, usb_session
from cardshoe.transport.usb_bulk import open_usb
from cardshoe.transport.usb_session import explain, open_session

URL = UsbUrl(VENDOR, PRODUCT, "SHOE0001")


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
