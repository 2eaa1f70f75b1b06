"""A pyusb backend with one device in it, for tests: descriptors, bulk queues, and errors on demand.

Written from the handbook (test bench 2.1). It raises libusb's pairs of numbers. It does not show libusb's own threads,
claim conflicts between processes, packet boundaries or hotplug.
"""

from __future__ import annotations

import errno
import threading
import time
from array import array
from collections import Counter, deque
from types import SimpleNamespace
from typing import Any

import usb.backend
import usb.core

VENDOR, PRODUCT = 0x1209, 0x0001
IN, OUT = 0x81, 0x01

LIBUSB = {
    errno.EIO: -1,
    errno.EACCES: -3,
    errno.ENODEV: -4,
    errno.EBUSY: -6,
    errno.ETIMEDOUT: -7,
    errno.EOVERFLOW: -8,
    errno.EPIPE: -9,
}


def usb_error(number: int) -> usb.core.USBError:
    kind = usb.core.USBTimeoutError if number == errno.ETIMEDOUT else usb.core.USBError
    return kind(f"errno {number}", LIBUSB.get(number, -99), number)


class FakeDevice:
    """What is plugged in. `to_host` holds chunks for the IN endpoint, `from_host` what was written."""

    def __init__(self, serial_number: str = "SHOE0001", address: int = 5) -> None:
        self.serial_number = serial_number
        self.address = address
        self.interface_class = 0xFF
        self.bulk = True
        self.configured = True
        self.kernel_driver = False
        self.reads_nothing = False
        self.most_taken = 1 << 20
        self.to_host: deque[bytes] = deque()
        self.from_host = bytearray()
        self.gone = False
        self.stalled_until_cleared: set[int] = set()
        self.errors: dict[str, deque[int]] = {}
        self.calls: Counter[str] = Counter()
        self.order: list[str] = []
        self.changed = threading.Condition()

    def send(self, data: bytes) -> None:
        with self.changed:
            self.to_host.append(data)
            self.changed.notify_all()

    def unplug(self) -> None:
        with self.changed:
            self.gone = True
            self.changed.notify_all()

    def deafen(self) -> None:
        self.reads_nothing = True

    def fail(self, call: str, *numbers: int) -> None:
        """Raise these errors at the next calls, one each."""
        with self.changed:
            self.errors.setdefault(call, deque()).extend(numbers)
            self.changed.notify_all()

    def note(self, call: str) -> None:
        """Count a call; raise what it was told to raise."""
        self.calls[call] += 1
        self.order.append(call)
        if self.gone:
            raise usb_error(errno.ENODEV)
        if self.errors.get(call):
            raise usb_error(self.errors[call].popleft())


class FakeBackend(usb.backend.IBackend):
    """pyusb's view of a list of devices."""

    def __init__(self, *devices: FakeDevice) -> None:
        self.devices = list(devices)

    def enumerate_devices(self) -> Any:
        return [device for device in self.devices if not device.gone]

    def get_parent(self, dev: FakeDevice) -> None:
        return None

    def get_device_descriptor(self, dev: FakeDevice) -> Any:
        return SimpleNamespace(
            bLength=18, bDescriptorType=1, bcdUSB=0x200, bDeviceClass=0xFF, bDeviceSubClass=0, bDeviceProtocol=0,
            bMaxPacketSize0=64, idVendor=VENDOR, idProduct=PRODUCT, bcdDevice=0x100, iManufacturer=1, iProduct=2,
            iSerialNumber=3, bNumConfigurations=1, bus=1, address=dev.address, port_number=1, port_numbers=(1,),
            speed=3, )  # fmt: skip

    def get_configuration_descriptor(self, dev: FakeDevice, config: int) -> Any:
        if config:
            raise IndexError(config)
        return SimpleNamespace(
            bLength=9, bDescriptorType=2, wTotalLength=32, bNumInterfaces=2, bConfigurationValue=1, iConfiguration=0,
            bmAttributes=0x80, bMaxPower=50, extra_descriptors=[],
        )  # fmt: skip

    def get_interface_descriptor(self, dev: FakeDevice, intf: int, alt: int, config: int) -> Any:
        if intf > 1 or alt:
            raise IndexError(intf)
        return SimpleNamespace(
            bLength=9, bDescriptorType=4, bInterfaceNumber=intf, bAlternateSetting=0, bNumEndpoints=2 if intf else 0,
            bInterfaceClass=dev.interface_class if intf else 0x03, bInterfaceSubClass=1, bInterfaceProtocol=1,
            iInterface=0, extra_descriptors=[],
        )  # fmt: skip

    def get_endpoint_descriptor(self, dev: FakeDevice, ep: int, intf: int, alt: int, config: int) -> Any:
        if intf != 1 or ep > 1:
            raise IndexError(ep)
        return SimpleNamespace(
            bLength=7, bDescriptorType=5, bEndpointAddress=(OUT, IN)[ep], bmAttributes=2 if dev.bulk else 3,
            wMaxPacketSize=512, bInterval=0, bRefresh=0, bSynchAddress=0, extra_descriptors=[],
        )  # fmt: skip

    def open_device(self, dev: FakeDevice) -> FakeDevice:
        dev.note("open")
        dev.calls["opened"] += 1
        return dev

    def close_device(self, dev_handle: FakeDevice) -> None:
        dev_handle.calls["close"] += 1

    def set_configuration(self, dev_handle: FakeDevice, config_value: int) -> None:
        dev_handle.note("set_configuration")
        dev_handle.configured = True

    def get_configuration(self, dev_handle: FakeDevice) -> int:
        dev_handle.note("get_configuration")
        return 1 if dev_handle.configured else 0

    def claim_interface(self, dev_handle: FakeDevice, intf: int) -> None:
        dev_handle.note("claim")
        assert intf == 1, "only our own interface"
        dev_handle.calls["claimed"] += 1

    def release_interface(self, dev_handle: FakeDevice, intf: int) -> None:
        dev_handle.note("release")

    def is_kernel_driver_active(self, dev_handle: FakeDevice, intf: int) -> bool:
        dev_handle.note("is_kernel_driver_active")
        return dev_handle.kernel_driver and intf == 1

    def detach_kernel_driver(self, dev_handle: FakeDevice, intf: int) -> None:
        dev_handle.note("detach")
        assert intf == 1, "only our own interface"
        dev_handle.kernel_driver = False

    def attach_kernel_driver(self, dev_handle: FakeDevice, intf: int) -> None:
        dev_handle.note("attach")
        dev_handle.kernel_driver = True

    def clear_halt(self, dev_handle: FakeDevice, ep: int) -> None:
        dev_handle.note("clear_halt")
        dev_handle.stalled_until_cleared.discard(ep)

    def reset_device(self, dev_handle: FakeDevice) -> None:
        raise AssertionError("a reset makes every handle stale")

    def ctrl_transfer(
        self,
        dev_handle: FakeDevice,
        bmRequestType: int,
        bRequest: int,
        wValue: int,
        wIndex: int,
        data: Any,
        timeout: int,
    ) -> int:
        dev_handle.note("control")
        texts = {1: "cardshoe", 2: "fake shoe", 3: dev_handle.serial_number}
        index = wValue & 0xFF
        body = b"\x09\x04" if index == 0 else texts[index].encode("utf-16-le")
        return _fill(data, bytes([2 + len(body), 3]) + body)

    def bulk_read(self, dev_handle: FakeDevice, ep: int, intf: int, buff: Any, timeout: int) -> int:
        assert ep == IN
        device, deadline = dev_handle, time.monotonic() + timeout / 1000
        with device.changed:
            device.note("read")
            while True:
                if device.gone:
                    raise usb_error(errno.ENODEV)
                if device.errors.get("waiting read"):
                    raise usb_error(device.errors["waiting read"].popleft())
                if ep in device.stalled_until_cleared:
                    raise usb_error(errno.EPIPE)
                if device.to_host:
                    return _fill(buff, device.to_host.popleft())
                left = deadline - time.monotonic()
                if left <= 0:
                    raise usb_error(errno.ETIMEDOUT)
                device.changed.wait(left)

    def bulk_write(self, dev_handle: FakeDevice, ep: int, intf: int, data: Any, timeout: int) -> int:
        assert ep == OUT
        device = dev_handle
        with device.changed:
            device.note("write")
            if ep in device.stalled_until_cleared:
                raise usb_error(errno.EPIPE)
            if device.reads_nothing:
                device.changed.wait(timeout / 1000)
                raise usb_error(errno.ENODEV if device.gone else errno.ETIMEDOUT)
            taken = bytes(data)[: device.most_taken]
            device.from_host += taken
            device.changed.notify_all()
            return len(taken)


def _fill(buffer: Any, data: bytes) -> int:
    length = min(len(buffer), len(data))
    buffer[:length] = array("B", data[:length])
    return length
