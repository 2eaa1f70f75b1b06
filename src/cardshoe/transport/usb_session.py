"""One USB device, opened and given back: the part of the USB transport that talks to pyusb.

Owns the open sequence, the meaning of every error number, and the release on every way out. Must not know threads,
loops or frames; its calls wait, at most as long as their time-outs say. Field reports FR-34 to FR-38.

The open sequence, in this order and without a reset (a reset enumerates the device anew and makes every handle stale):
 1. enumerate afresh, in a context of libusb of its own; never a device object from before (FR-35);
 2. choose by vendor, product and serial number; none or two of them is an error;
 3. configure only a device that has no configuration yet;
 4. find the vendor interface with a bulk IN and a bulk OUT endpoint;
 5. detach the kernel's driver from that interface only, and remember it for the release;
 6. claim that interface;
 7. drain the IN endpoint of what a former run left there; a stall is cleared once (FR-37, FR-38).
"""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable
from typing import Any, Final

import usb.core
import usb.util

from cardshoe.errors import DeviceError
from cardshoe.transport.holders import openers
from cardshoe.transport.ports import READ_CHUNK_BYTES
from cardshoe.transport.urls import UsbUrl
from cardshoe.transport.usb_library import fresh_backend

VENDOR_CLASS: Final = 0xFF
DRAIN_READ_MS: Final = 20
DRAIN_S: Final = 0.5
"""Draining ends here even when the device goes on sending: the link finds its frames by itself."""

_log = logging.getLogger(__name__)


class UsbSession:
    """A claimed interface with its two bulk endpoints. Reading and writing may come from two threads."""

    def __init__(self, url: UsbUrl, device: Any) -> None:
        """Claim the interface of an enumerated device; raises DeviceError and gives everything back when it cannot."""
        self.url = url
        self._device: Any = device
        self._interface: int | None = None
        self._claimed = False
        self._detached = False
        try:
            self._interface, self._in, self._out = _endpoints(url, device)
            self._claim(self._interface)
            self._drain()
        except OSError as error:
            described = explain(url, error, opening=True, node=_node(device))
            self.release()
            raise described from error
        except DeviceError:
            self.release()
            raise

    def read(self, timeout_ms: int) -> bytes:
        """Read one chunk. Raises USBTimeoutError for "no news" and USBError otherwise."""
        return bytes(self._device.read(self._in, READ_CHUNK_BYTES, timeout_ms))

    def write(self, data: bytes, timeout_ms: int) -> int:
        """Write; return how many bytes went, which may be fewer. Raises USBTimeoutError when none did, USBError."""
        return int(self._device.write(self._out, data, timeout_ms))

    def clear_in(self) -> None:
        """Clear the halt of the IN endpoint. Raises USBError."""
        self._device.clear_halt(self._in)

    def clear_out(self) -> None:
        """Clear the halt of the OUT endpoint. Raises USBError."""
        self._device.clear_halt(self._out)

    def release(self) -> None:
        """Give back the claim, the kernel's driver, the handle and the context, each whatever became of the others.

        Nothing else may be called afterwards but this.
        """
        if self._device is None:
            return
        if self._claimed:
            self._claimed = False
            self._try("release", lambda: usb.util.release_interface(self._device, self._interface))
        if self._detached:
            self._detached = False
            self._try("give back the driver", lambda: self._device.attach_kernel_driver(self._interface))
        self._try("close", lambda: usb.util.dispose_resources(self._device))
        self._device = None  # the last holder of the context: without this it stays until someone collects garbage

    def _claim(self, interface: int) -> None:
        try:
            held = self._device.is_kernel_driver_active(interface)
        except NotImplementedError:  # a system whose kernel drivers do not claim: nothing to detach
            held = False
        if held:
            self._device.detach_kernel_driver(interface)
            self._detached = True
        usb.util.claim_interface(self._device, interface)
        self._claimed = True

    def _drain(self) -> None:
        deadline, cleared = time.monotonic() + DRAIN_S, False
        while time.monotonic() < deadline:
            try:
                self.read(DRAIN_READ_MS)
            except usb.core.USBTimeoutError:
                return
            except usb.core.USBError as error:
                if error.errno != errno.EPIPE or cleared:
                    raise
                self.clear_in()
                cleared = True

    def _try(self, what: str, step: Callable[[], object]) -> None:
        try:
            step()
        except (OSError, NotImplementedError) as error:
            # A device that is gone cannot be given back; the later steps still count.
            _log.debug("%s: could not %s: %s", self.url, what, error)


def open_session(url: UsbUrl, backend: Any = None) -> UsbSession:
    """Open the device; waits up to about a second. `backend` is a pyusb backend, by default a new context of libusb.

    Raises DeviceError `usb-no-backend`, `usb-missing`, `usb-ambiguous`, `usb-no-bulk-interface`, or as `explain` says.
    """
    try:
        context = backend if backend is not None else fresh_backend()
    except OSError as error:
        raise explain(url, error, opening=True) from error
    return UsbSession(url, _choose(url, context))


def _choose(url: UsbUrl, backend: Any) -> Any:
    chosen: list[Any] = []
    others: list[str] = []
    unreadable: DeviceError | None = None
    try:
        # By hand, not by `find(serial_number=…)`: that takes a device it may not open for one of another number.
        found = list(usb.core.find(find_all=True, idVendor=url.vendor_id, idProduct=url.product_id, backend=backend))
    except OSError as error:
        raise explain(url, error, opening=True) from error
    for device in found:
        try:
            number = _serial_number(device)
        except OSError as error:
            unreadable = explain(url, error, opening=True, node=_node(device))
            usb.util.dispose_resources(device)
            continue
        if number == url.serial_number:
            chosen.append(device)
        else:
            others.append(number or "none")
            usb.util.dispose_resources(device)
    if len(chosen) == 1:
        return chosen[0]
    for device in chosen:
        usb.util.dispose_resources(device)
    raise _not_one(url, len(chosen), others, unreadable)


def _serial_number(device: Any) -> str | None:
    usb.util.get_langids(device)  # raises what the property hides: a device that may not be opened has no strings there
    try:
        return str(device.serial_number) if device.iSerialNumber else None
    except ValueError:  # strings, but none in any language
        return None


def _not_one(url: UsbUrl, count: int, others: list[str], unreadable: DeviceError | None) -> DeviceError:
    if count > 1:
        return DeviceError(
            "usb-ambiguous",
            f"{count} devices answer to {url}: their serial numbers are the same. Unplug all but one.",
        )
    if unreadable is not None:
        return unreadable
    if others:
        seen = f"devices of this kind are there with serial numbers {', '.join(others[:5])}"
    else:
        seen = "no device of this kind is there"
    return DeviceError(
        "usb-missing", f"{url} is not plugged in: {seen}. Plug it in and switch it on, or correct the device URL."
    )


def _endpoints(url: UsbUrl, device: Any) -> tuple[int, int, int]:
    for interface in _configuration(device):
        if interface.bInterfaceClass != VENDOR_CLASS or interface.bAlternateSetting != 0:
            continue
        bulk = [end.bEndpointAddress for end in interface if usb.util.endpoint_type(end.bmAttributes) == 2]
        ends_in = [address for address in bulk if address & 0x80]
        ends_out = [address for address in bulk if not address & 0x80]
        if ends_in and ends_out:
            return interface.bInterfaceNumber, ends_in[0], ends_out[0]
    raise DeviceError(
        "usb-no-bulk-interface",
        f"{url} has no vendor interface with bulk endpoints: it is no device of ours, or waits for its firmware. Check "
        "the device URL; a device that shows a serial port is opened by serial:///dev/….",
    )


def _configuration(device: Any) -> Any:
    try:
        return device.get_active_configuration()
    except usb.core.USBError as error:
        if error.errno is not None:  # pyusb's own "not configured" has no number
            raise
    device.set_configuration()
    return device.get_active_configuration()


def _node(device: Any) -> str | None:
    if device.bus is None or device.address is None:
        return None
    return f"/dev/bus/usb/{device.bus:03d}/{device.address:03d}"


_BUS_FAULT: Final = (
    "usb-bus-fault",
    "has a fault on the bus. Plug it in directly, without a hub, with another cable, away from the motor's leads.",
)
_MEANINGS: Final[dict[int | None, tuple[str, str]]] = {
    errno.ENODEV: (
        "usb-lost",
        "is gone: unplugged, reset or without power. Nothing more is sent to it. Check cable and power; it is "
        "connected again when it comes back.",
    ),
    errno.EPIPE: (
        "usb-stalled",
        "refuses transfers (stall), also after the stall was cleared. Switch it off and on, and connect again.",
    ),
    errno.EOVERFLOW: (
        "usb-overflow",
        "sent more than was asked for; what it sent is lost. Connect again; if it happens again the device or its "
        "firmware is at fault.",
    ),
    errno.EIO: _BUS_FAULT,
    errno.EPROTO: _BUS_FAULT,
    errno.EILSEQ: _BUS_FAULT,
    errno.ETIMEDOUT: (
        "usb-stuck",
        "takes or gives no bytes within the time allowed. Switch it off and on, and connect again.",
    ),
}


def explain(url: UsbUrl, error: OSError, *, opening: bool = False, node: str | None = None) -> DeviceError:
    """Name what an error number means for this device: each one is another state, with another way out (FR-36)."""
    match error.errno:
        case errno.ENODEV if opening:
            code, text = "usb-missing", "was unplugged while it was opened. Check its cable and plug it in again."
        case errno.EACCES | errno.EPERM:
            code, text = (
                "usb-denied",
                (
                    f"may not be opened by this user{f' ({node})' if node else ''}. Install the udev rule for it "
                    "(`cardshoe devices --udev-rules` prints it), plug the device in again and connect again."
                ),
            )
        case errno.EBUSY:
            code, text = "usb-busy", f"is in use by {_holders(node)}. Stop that program and connect again."
        case number if number in _MEANINGS:
            code, text = _MEANINGS[number]
        case _:
            code, text = (
                "usb-failed",
                (
                    f"failed ({error.strerror or error}). Plug it in again and connect again; if it happens again, run "
                    "`cardshoe doctor`."
                ),
            )
    return DeviceError(code, f"the device {url} {text}")


def _holders(node: str | None) -> str:
    found = openers(node) if node is not None else []
    return ", ".join(str(holder) for holder in found[:3]) or "another program (not visible from here)"
