"""Which libusb is used, and a context of its own for each opening.

Owns the choice (the libusb that comes with the product; the computer's own where CARDSHOE_LIBUSB=system) and the making
of contexts. Must not know devices.

A context keeps a list of the devices that it knows and learns of others from the kernel's messages only. Where those do
not arrive (a container, a service without AF_NETLINK) a device plugged in again would never be found by a process that
keeps its context; a new context looks for itself (FR-35). pyusb keeps one library for the life of a process.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

import libusb_package
import usb.backend.libusb1

from cardshoe.errors import ConfigError, DeviceError

VARIABLE: Final = "CARDSHOE_LIBUSB"
BUNDLED, SYSTEM = "bundled", "system"


def wanted_library(environment: Mapping[str, str] = os.environ) -> str:
    """Return `bundled` or `system`. Raises ConfigError `usb-library` for another value of CARDSHOE_LIBUSB."""
    wanted = environment.get(VARIABLE) or BUNDLED
    if wanted not in {BUNDLED, SYSTEM}:
        raise ConfigError(
            "usb-library",
            f"{VARIABLE} is {wanted!r}. Set it to {BUNDLED!r} (the libusb that comes with cardshoe) or {SYSTEM!r} (the "
            "one of this computer), or leave it out.",
        )
    return wanted


def loaded_backend() -> Any:
    """Return libusb as this process has loaded it. Raises DeviceError `usb-no-backend`, ConfigError `usb-library`."""
    if wanted_library() == SYSTEM:
        found, what = usb.backend.libusb1.get_backend(), "Install it (`sudo apt install libusb-1.0-0`)"
    else:
        found, what = libusb_package.get_libusb1_backend(), "Install the package libusb-package anew"
    if found is None:
        raise DeviceError(
            "usb-no-backend",
            f"the USB library libusb cannot be loaded or started on this computer. {what}; `cardshoe doctor` shows "
            "what is found.",
        )
    return found


def fresh_backend() -> Any:
    """Return a pyusb backend that has just looked which devices are there.

    It ends with the last device object that was made from it. Raises as `loaded_backend` does, and USBError where
    libusb cannot be started.
    """
    first = loaded_backend()
    base: Any = type(first)

    def enumerate_devices(context: Any) -> Iterator[Any]:
        for device in base.enumerate_devices(context):
            device.context = context  # libusb must not end a context before its devices, and pyusb does
            yield device

    return type("Context", (base,), {"enumerate_devices": enumerate_devices})(first.lib)
