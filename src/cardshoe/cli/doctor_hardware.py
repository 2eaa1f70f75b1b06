"""What the doctor looks at between a port and its device: adapters, kernel drivers, sleep, latency, rights, udev rules.

Owns these checks; each one reads /sys only, opens nothing, and says what to do. Field reports FR-34, FR-36, FR-39,
FR-40 and FR-42. Must not know how a finding is shown.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from cardshoe.cli.doctor_checks import RULES_FOLDERS, Check, Computer
from cardshoe.transport.discovery import KNOWN_IDS, Candidate, serial_ports

INSTALL_RULES: Final = (
    "`cardshoe devices --udev-rules | sudo tee /etc/udev/rules.d/60-cardshoe.rules`, `sudo udevadm control --reload`, "
    "and plug the device in again."
)
LATENCY_MOST_MS: Final = 2
KEPT_BY_KERNEL: Final = frozenset({"", "usbfs"})


def hardware_checks(computer: Computer) -> list[Check]:
    """Make every check of adapters and USB devices, then of the rules."""
    devices = list(_usb_devices(computer))
    ports = serial_ports(computer.root)
    return [*adapters(computer, ports), *usb_devices(computer, devices), udev_rules(computer, anything=bool(devices))]


def adapters(computer: Computer, ports: list[Candidate]) -> Iterator[Check]:
    """Look at what is between each USB serial port and the table: chip, driver, latency timer, sleep (FR-39, FR-42)."""
    for port in ports:
        if port.ids is None:
            continue
        device = computer.root / "sys/class/tty" / os.path.basename(port.node) / "device"
        name = f"adapter {port.node}"
        found = f"{port.product or 'no name'} {port.ids[0]:04x}:{port.ids[1]:04x}, driver {port.driver or 'unknown'}"
        latency = _number(device / "latency_timer")
        asleep = _sleeps(_usb_of(device))
        if latency is not None and latency > LATENCY_MOST_MS:
            advice = (
                f"Set it to 1: `echo 1 | sudo tee {_shown(computer, device)}/latency_timer`; for good: {INSTALL_RULES}"
            )
            yield Check(name, False, f"{found}, holds answers back for {latency} ms", advice)
        elif asleep is not None:
            yield Check(name, False, f"{found}, may be put to sleep", _keep_awake(computer, asleep))
        else:
            yield Check(name, True, found)


def usb_devices(computer: Computer, devices: list[Path]) -> Iterator[Check]:
    """Look at each USB device of known ids: who may open it, whether another driver has it, whether it sleeps."""
    for device in devices:
        vendor, product, number = (_text(device / name) for name in ("idVendor", "idProduct", "serial"))
        name = f"usb device {vendor}:{product} {number or 'without serial number'}"
        node = (
            computer.root / f"dev/bus/usb/{_number(device / 'busnum') or 0:03d}/{_number(device / 'devnum') or 0:03d}"
        )
        drivers = {
            _driver(interface) for interface in device.parent.glob(f"{device.name}:*") if _vendor_class(interface)
        }
        strangers = sorted(drivers - KEPT_BY_KERNEL)
        asleep = _sleeps(device)
        if not number:
            text = "it has no serial number: two of them cannot be told apart"
            yield Check(
                name, False, text, "Ask its maker for firmware that has one, or use one only, by a serial port."
            )
        elif node.exists() and not os.access(node, os.R_OK | os.W_OK):
            yield Check(name, False, f"this user may not open {_shown(computer, node)}", INSTALL_RULES)
        elif asleep is not None:
            yield Check(name, False, "it may be put to sleep", _keep_awake(computer, asleep))
        elif strangers:
            text = f"kernel driver {', '.join(strangers)} has its interface"
            yield Check(name, True, text, "It is taken over while a table runs, and given back afterwards.")
        else:
            yield Check(name, True, f"{_text(device / 'product')}, at {_shown(computer, node)}")


def udev_rules(computer: Computer, *, anything: bool) -> Check:
    """Look whether the rules that come with the product are installed; a fault only where a device needs them."""
    for folder in RULES_FOLDERS:
        for path in sorted((computer.root / folder).glob("*cardshoe*.rules")):
            return Check("udev rules", True, f"{_shown(computer, path)} is there")
    return Check("udev rules", not anything, "no rules for shoes and readers are installed", INSTALL_RULES)


def _usb_devices(computer: Computer) -> Iterator[Path]:
    for path in sorted((computer.root / "sys/bus/usb/devices").glob("*")):
        try:
            ids = (int(_text(path / "idVendor"), 16), int(_text(path / "idProduct"), 16))
        except ValueError:  # an interface, or gone while we look
            continue
        if ids in KNOWN_IDS:
            yield path


def _usb_of(device: Path) -> Path | None:
    there = device.resolve()
    return next((one for one in (there, *there.parents[:3]) if (one / "idVendor").exists()), None)


def _sleeps(device: Path | None) -> Path | None:
    """Return the switch of a device that the kernel may put to sleep, None where it may not."""
    if device is None or _text(device / "power/control") != "auto":
        return None
    delay = _number(device / "power/autosuspend_delay_ms")
    return None if delay is not None and delay < 0 else device / "power/control"


def _keep_awake(computer: Computer, switch: Path) -> str:
    return f"Keep it awake: `echo on | sudo tee {_shown(computer, switch)}`; for good: {INSTALL_RULES}"


def _vendor_class(interface: Path) -> bool:
    return _text(interface / "bInterfaceClass").lower() == "ff"


def _driver(interface: Path) -> str:
    link = interface / "driver"
    return link.resolve().name if link.exists() else ""


def _shown(computer: Computer, path: Path) -> str:
    return f"/{path.relative_to(computer.root)}" if path.is_relative_to(computer.root) else str(path)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _text(path)
    return int(text) if text.lstrip("-").isdigit() else None
