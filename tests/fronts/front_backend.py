"""A pyusb backend on the device model: libusb's part played in Python, for any system.

Owns the translation of pyusb's calls into transfers. It does not show libusb's own threads and time-outs, permissions
or hot-plug events. The worker runs in the same process.
"""

from __future__ import annotations

import errno
import struct
import time
from array import array
from types import SimpleNamespace
from typing import Any

import usb.backend
import usb.core
from front_usb import UsbFront
from usb_model import Transfer, descriptors_of

LIBUSB = {
    errno.EIO: -1, errno.EACCES: -3, errno.ENODEV: -4, errno.EBUSY: -6, errno.ETIMEDOUT: -7, errno.EOVERFLOW: -8,
    errno.EPIPE: -9,
}  # fmt: skip
DEVICE_KEYS = (
    *("bLength", "bDescriptorType", "bcdUSB", "bDeviceClass", "bDeviceSubClass", "bDeviceProtocol", "bMaxPacketSize0"),
    *("idVendor", "idProduct", "bcdDevice", "iManufacturer", "iProduct", "iSerialNumber", "bNumConfigurations"),
)


def usb_error(number: int) -> usb.core.USBError:
    """The error as pyusb raises it."""
    kind = usb.core.USBTimeoutError if number == errno.ETIMEDOUT else usb.core.USBError
    return kind(f"errno {number}", LIBUSB.get(number, -99), number)


class ModelBackend(usb.backend.IBackend):
    """pyusb's view of what is plugged into a `UsbFront`."""

    def __init__(self, front: UsbFront) -> None:
        self._front = front

    def enumerate_devices(self) -> Any:
        with self._front.lock:
            return list(self._front.plugged.values())

    def get_parent(self, dev: Any) -> None:
        return None

    def get_device_descriptor(self, dev: Any) -> Any:
        values = struct.unpack("<BBHBBBBHHHBBBB", dev.model.device_descriptor)
        place = {"bus": 1, "address": dev.number, "port_number": 1, "port_numbers": (1,), "speed": dev.model.speed}
        return SimpleNamespace(**dict(zip(DEVICE_KEYS, values, strict=True)), **place)

    def get_configuration_descriptor(self, dev: Any, config: int) -> Any:
        if config:
            raise IndexError(config)
        d = dev.model.config_descriptor
        return SimpleNamespace(
            bLength=9, bDescriptorType=2, wTotalLength=len(d), bNumInterfaces=d[4], bConfigurationValue=d[5],
            iConfiguration=0, bmAttributes=d[7], bMaxPower=d[8], extra_descriptors=[],
        )  # fmt: skip

    def get_interface_descriptor(self, dev: Any, intf: int, alt: int, config: int) -> Any:
        found = [one for one in descriptors_of(dev.model.config_descriptor) if one[1] == 4]
        if intf >= len(found) or alt:
            raise IndexError(intf)
        d = found[intf]
        return SimpleNamespace(
            bLength=9, bDescriptorType=4, bInterfaceNumber=d[2], bAlternateSetting=d[3], bNumEndpoints=d[4],
            bInterfaceClass=d[5], bInterfaceSubClass=d[6], bInterfaceProtocol=d[7], iInterface=0, extra_descriptors=[],
        )  # fmt: skip

    def get_endpoint_descriptor(self, dev: Any, ep: int, intf: int, alt: int, config: int) -> Any:
        found = [one for one in descriptors_of(dev.model.config_descriptor) if one[1] == 5]
        if intf != 1 or ep >= len(found):
            raise IndexError(ep)
        d = found[ep]
        return SimpleNamespace(
            bLength=7, bDescriptorType=5, bEndpointAddress=d[2], bmAttributes=d[3], wMaxPacketSize=512, bInterval=0,
            bRefresh=0, bSynchAddress=0, extra_descriptors=[],
        )  # fmt: skip

    def open_device(self, dev: Any) -> Any:
        with self._front.lock:
            if self._front.denied:
                raise usb_error(errno.EACCES)
            self._alive(dev)
            return SimpleNamespace(plugged=dev, claims=set())

    def close_device(self, dev_handle: Any) -> None:
        with self._front.lock:
            for interface in list(dev_handle.claims):
                self.release_interface(dev_handle, interface)

    def _alive(self, plugged: Any) -> None:
        if plugged.schedule.gone:
            raise usb_error(errno.ENODEV)

    def get_configuration(self, dev_handle: Any) -> int:
        self._alive(dev_handle.plugged)
        return 1

    def set_configuration(self, dev_handle: Any, config_value: int) -> None:
        self._alive(dev_handle.plugged)

    def claim_interface(self, dev_handle: Any, intf: int) -> None:
        with self._front.lock:
            self._alive(dev_handle.plugged)
            if intf in dev_handle.plugged.claims or intf in dev_handle.plugged.drivers:
                raise usb_error(errno.EBUSY)
            dev_handle.plugged.claims[intf] = dev_handle
            dev_handle.claims.add(intf)

    def release_interface(self, dev_handle: Any, intf: int) -> None:
        with self._front.lock:
            dev_handle.claims.discard(intf)
            dev_handle.plugged.claims.pop(intf, None)
            self._alive(dev_handle.plugged)

    def is_kernel_driver_active(self, dev_handle: Any, intf: int) -> bool:
        self._alive(dev_handle.plugged)
        return intf in dev_handle.plugged.drivers

    def detach_kernel_driver(self, dev_handle: Any, intf: int) -> None:
        with self._front.lock:
            dev_handle.plugged.detached[intf] = dev_handle.plugged.drivers.pop(intf)

    def attach_kernel_driver(self, dev_handle: Any, intf: int) -> None:
        with self._front.lock:
            self._alive(dev_handle.plugged)
            dev_handle.plugged.drivers[intf] = dev_handle.plugged.detached.pop(intf)

    def clear_halt(self, dev_handle: Any, ep: int) -> None:
        with self._front.lock:
            self._alive(dev_handle.plugged)
            dev_handle.plugged.model.clear_halt(ep)

    def reset_device(self, dev_handle: Any) -> None:
        raise AssertionError("a reset makes every handle stale")

    def ctrl_transfer(
        self, dev_handle: Any, bmRequestType: int, bRequest: int, wValue: int, wIndex: int, data: Any, timeout: int
    ) -> int:
        setup = struct.pack("<BBHHH", bmRequestType, bRequest, wValue, wIndex, len(data))
        transfer = Transfer(0, len(data), b"" if bmRequestType & 0x80 else bytes(data), setup)
        return self._carry(dev_handle, transfer, data, timeout)

    def bulk_read(self, dev_handle: Any, ep: int, intf: int, buff: Any, timeout: int) -> int:
        return self._carry(dev_handle, Transfer(ep, len(buff)), buff, timeout)

    def bulk_write(self, dev_handle: Any, ep: int, intf: int, data: Any, timeout: int) -> int:
        return self._carry(dev_handle, Transfer(ep, len(data), bytes(data)), data, timeout)

    def _carry(self, handle: Any, transfer: Transfer, buffer: Any, timeout: int) -> int:
        plugged, deadline = handle.plugged, time.monotonic() + timeout / 1000
        with self._front.changed:
            self._alive(plugged)
            plugged.schedule.waiting.append(transfer)
            self._front.advance(plugged)
            while transfer in plugged.schedule.waiting:
                left = deadline - time.monotonic()
                if left <= 0:
                    plugged.schedule.cancel(lambda one: one is transfer, -errno.ETIMEDOUT)
                    break
                self._front.changed.wait(left)
        if transfer.status == -errno.ESHUTDOWN:
            raise usb_error(errno.ENODEV)
        if transfer.status and not (transfer.status == -errno.ETIMEDOUT and transfer.actual):
            raise usb_error(-transfer.status)
        if transfer.to_host:
            buffer[: transfer.actual] = array("B", transfer.data[: transfer.actual])
        return transfer.actual


class BackendFront(UsbFront):
    """The front end whose system is `ModelBackend`."""

    features = UsbFront.features | {"access", "kernel driver", "busy", "claims", "quick", "partial"}

    def finish(self, plugged: Any, transfers: list[Transfer]) -> None:
        """Whoever waits looks again."""
        self.changed.notify_all()
