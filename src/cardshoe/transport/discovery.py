"""What could be a device: serial ports and vendor USB interfaces, with names that stay, without opening any.

Owns the looking at /dev and /sys and at libusb's list. Must not know frames, or which candidate is a device of ours:
that only its HELLO tells, and asking is the caller's decision, for opening has side effects (FR-03). `root` is where
/dev and /sys are, so that every finding can be shown on a computer made up for it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import usb.core
import usb.util

from cardshoe.errors import DeviceError
from cardshoe.transport.holders import openers
from cardshoe.transport.usb_library import fresh_backend
from cardshoe.transport.usb_session import VENDOR_CLASS

KNOWN_IDS: Final = frozenset({(0x1209, 0x0001), (0x1209, 0x0002)})
"""Vendor and product of devices that are ours beyond doubt."""

MAKER: Final = "cardshoe"
TTY_PATTERNS: Final = ("ttyACM*", "ttyUSB*", "ttyAMA*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A port or interface that could be a device. `node` is the kernel's name of now, `url` the one that stays if there
    is one; `driver` the kernel's; `trouble` says why it cannot be opened now, empty where nothing is known against it.
    """

    url: str
    node: str
    kind: str
    product: str = ""
    maker: str = ""
    serial_number: str = ""
    ids: tuple[int, int] | None = None
    driver: str = ""
    trouble: str = ""

    @property
    def ours(self) -> bool:
        """Tell whether it says of itself that it is a device of ours."""
        return self.ids in KNOWN_IDS or self.maker.lower() == MAKER


def find_candidates(root: Path = Path("/"), backend: Any = None) -> list[Candidate]:
    """Return serial ports, then USB interfaces; nothing is opened but, for its strings, a USB device of known ids.

    Where libusb cannot be used there are serial ports only.
    """
    return [*serial_ports(root), *usb_interfaces(backend)]


def serial_ports(root: Path = Path("/")) -> list[Candidate]:
    """Return the serial ports, each once: by its name under /dev/serial/by-id where it has one."""
    named = {path.resolve(): path for path in sorted((root / "dev/serial/by-id").glob("*"))}
    nodes = [path for pattern in TTY_PATTERNS for path in sorted((root / "dev").glob(pattern))]
    every = dict.fromkeys([*(path.resolve() for path in nodes), *named])
    return [_serial(root, node, named.get(node)) for node in every]


def _serial(root: Path, node: Path, named: Path | None) -> Candidate:
    device = root / "sys/class/tty" / node.name / "device"
    usb_device = _usb_above(device)
    vendor, product = (_text(usb_device / name) if usb_device else "" for name in ("idVendor", "idProduct"))
    return Candidate(
        url=f"serial://{_shown(root, named or node)}",
        node=_shown(root, node),
        kind="serial",
        product=_text(usb_device / "product") if usb_device else "",
        maker=_text(usb_device / "manufacturer") if usb_device else "",
        serial_number=_text(usb_device / "serial") if usb_device else "",
        ids=(int(vendor, 16), int(product, 16)) if vendor and product else None,
        driver=(device / "driver").resolve().name if (device / "driver").exists() else "",
        trouble=_trouble(node),
    )


def _shown(root: Path, path: Path) -> str:
    return str(path) if root == Path("/") else f"/{path.relative_to(root)}"


def _usb_above(device: Path) -> Path | None:
    """Return the USB device that a tty's device belongs to."""
    there = device.resolve()
    return next((one for one in (there, *there.parents[:3]) if (one / "idVendor").exists()), None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _trouble(node: Path) -> str:
    if not node.exists():
        return "it is gone"
    if not os.access(node, os.R_OK | os.W_OK):
        return "this user may not open it"
    holders = openers(str(node))
    return f"in use by {', '.join(map(str, holders[:3]))}" if holders else ""


def usb_interfaces(backend: Any = None) -> list[Candidate]:
    """Return the devices with a vendor interface that has bulk endpoints both ways; none where there is no libusb."""
    try:
        context = backend if backend is not None else fresh_backend()
        found = list(usb.core.find(find_all=True, backend=context))
    except (DeviceError, OSError):
        return []  # the doctor says what is wrong with libusb
    every: list[Candidate] = []
    for device in found:
        try:
            if _has_bulk(device):
                every.append(_interface(device))
        finally:
            usb.util.dispose_resources(device)
    return every


def _has_bulk(device: Any) -> bool:
    try:
        interfaces = [interface for configuration in device for interface in configuration]
    except OSError:
        return False  # it goes while we look
    for interface in interfaces:
        bulk = [end.bEndpointAddress for end in interface if usb.util.endpoint_type(end.bmAttributes) == 2]
        ways = {address & 0x80 for address in bulk}
        if interface.bInterfaceClass == VENDOR_CLASS and ways == {0, 0x80}:
            return True
    return False


def _interface(device: Any) -> Candidate:
    node = f"/dev/bus/usb/{device.bus or 0:03d}/{device.address or 0:03d}"
    ids = (device.idVendor, device.idProduct)
    number = product = maker = trouble = ""
    try:
        usb.util.get_langids(device)  # raises what the properties hide
        number, product, maker = (str(one or "") for one in (device.serial_number, device.product, device.manufacturer))
    except (OSError, ValueError) as error:
        trouble = (
            "this user may not open it" if getattr(error, "errno", None) in {1, 13} else "its strings cannot be read"
        )
    if not trouble and not number:
        trouble = "it has no serial number, by which it would be chosen"
    holders = openers(node)
    if not trouble and holders:
        trouble = f"in use by {', '.join(map(str, holders[:3]))}"
    url = f"usb://{ids[0]:04x}:{ids[1]:04x}/{number or '?'}"
    return Candidate(url, node, "usb", product, maker, number, ids, "", trouble)
