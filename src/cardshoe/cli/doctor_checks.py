"""What the doctor looks at on this computer: ports, foreign daemons, limits, disk, clock, packages, USB.

Owns the checks; each one only reads, and says what was found and what to do. Must not know how the result is shown, and
opens no device: that is `cli.doctor`'s own step. Field reports FR-22, FR-40, FR-41, FR-44 and FR-45.

`Computer` says where to look, so that every finding can be shown on a computer made up for it.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import resource
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cardshoe.errors import ConfigError, DeviceError
from cardshoe.transport.holders import Holder, openers
from cardshoe.transport.usb_library import SYSTEM, loaded_backend, wanted_library

LEAST_STATE_BYTES: Final = 512 * 1024 * 1024
LEAST_TEMP_BYTES: Final = 64 * 1024 * 1024
LEAST_INODES: Final = 1_000
LEAST_OPEN_FILES: Final = 256
BUILT: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""No computer that runs this is older than this: an earlier clock was never set (FR-44)."""

PORT_PATTERNS: Final = ("dev/serial/by-id/*", "dev/ttyACM*", "dev/ttyUSB*")
RULES_FOLDERS: Final = ("etc/udev/rules.d", "run/udev/rules.d", "usr/lib/udev/rules.d", "lib/udev/rules.d")


@dataclass(frozen=True, slots=True)
class Check:
    """One finding; `advice` is empty where nothing is to be done, and may stand beside an `ok`, too."""

    name: str
    ok: bool
    found: str
    advice: str = ""


@dataclass(frozen=True, slots=True)
class Computer:
    """Where to look, and what time it is."""

    state: Path
    root: Path = Path("/")
    now: datetime = field(default_factory=lambda: datetime.now(UTC))


def all_checks(computer: Computer) -> list[Check]:
    """Make every check, ports first."""
    return [
        *ports(computer),
        modem_daemon(computer),
        braille_daemon(computer),
        open_files(),
        core_dumps(),
        folder("state folder", computer.state, LEAST_STATE_BYTES),
        folder("temporary folder", Path(tempfile.gettempdir()), LEAST_TEMP_BYTES),
        clock(computer),
        python(),
        packages(),
        usb(computer),
    ]


def ports(computer: Computer) -> Iterator[Check]:
    """Find serial ports: who may open them, and who has them open."""
    found = [path for pattern in PORT_PATTERNS for path in sorted(computer.root.glob(pattern))]
    if not found:
        yield Check(
            "ports",
            True,
            "no serial port under /dev/serial/by-id, /dev/ttyACM*, /dev/ttyUSB*",
            "Plug the device in and switch it on, if it is one with a serial port.",
        )
    for path in found:
        yield _port(path)


def _port(path: Path) -> Check:
    name = f"port {path}"
    try:
        status = path.stat()
    except OSError as error:
        return Check(name, False, f"cannot be looked at: {error.strerror}", "Plug the device in again.")
    target = f" → {path.resolve()}" if path.is_symlink() else ""
    group, mode = _group(path), stat.S_IMODE(status.st_mode)
    found = f"group {group}, mode {mode:04o}{target}"
    holders = openers(str(path))
    if holders:
        found += f", in use by {', '.join(map(str, holders[:3]))}"
    if not os.access(path, os.R_OK | os.W_OK):
        advice = f"This user may not open it: `sudo usermod -aG {group} $USER`, then log in again."
        return Check(name, False, found, advice)
    if holders:
        return Check(name, True, found, "Only one program can have it; stop that one before another table uses it.")
    return Check(name, True, found)


def _group(path: Path) -> str:
    try:
        return path.group()
    except KeyError:
        return str(path.stat().st_gid)


def modem_daemon(computer: Computer) -> Check:
    """Look for ModemManager, which sends AT commands to every new ttyACM (FR-40)."""
    running = _running(computer, "ModemManager")
    if not running:
        return Check("modem daemon", True, "ModemManager does not run")
    who = ", ".join(map(str, running))
    if _rule_for(computer, "ID_MM_DEVICE_IGNORE"):
        return Check("modem daemon", True, f"{who} runs; a rule of cardshoe keeps it from the devices")
    return Check(
        "modem daemon",
        False,
        f"{who} runs, and talks to every new serial port for some seconds",
        "Remove it (`sudo apt remove modemmanager`), or install the rules that keep it away: `cardshoe devices "
        "--udev-rules | sudo tee /etc/udev/rules.d/60-cardshoe.rules`.",
    )


def braille_daemon(computer: Computer) -> Check:
    """Look for brltty, which takes CH340 and CP210x adapters away (FR-41)."""
    running = _running(computer, "brltty")
    if not running:
        return Check("braille daemon", True, "brltty does not run")
    return Check(
        "braille daemon",
        False,
        f"{', '.join(map(str, running))} runs, and takes USB serial adapters away as they appear",
        "Remove it (`sudo apt remove brltty`), or mask it (`sudo systemctl mask brltty-udev`), and plug the device in "
        "again.",
    )


def _running(computer: Computer, name: str) -> list[Holder]:
    found: list[Holder] = []
    for path in sorted(computer.root.glob("proc/[0-9]*/comm")):
        try:
            text = path.read_text(encoding="utf-8", errors="replace").strip()
        except OSError:  # it ended while we looked
            continue
        if text == name:
            found.append(Holder(int(path.parent.name), text))
    return found


def _rule_for(computer: Computer, key: str) -> bool:
    for folder_name in RULES_FOLDERS:
        for path in sorted((computer.root / folder_name).glob("*cardshoe*.rules")):
            try:
                if key in path.read_text(encoding="utf-8", errors="replace"):
                    return True
            except OSError:
                continue
    return False


def open_files() -> Check:
    """Look at the limit of open files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    found = "no limit" if soft == resource.RLIM_INFINITY else f"{soft} may be open"
    if soft != resource.RLIM_INFINITY and soft < LEAST_OPEN_FILES:
        return Check("open files", False, found, f"Raise the limit to {LEAST_OPEN_FILES} or more (`ulimit -n`).")
    return Check("open files", True, found)


def core_dumps() -> Check:
    """Look whether a crash would write memory to disk: keys are in it."""
    soft, _ = resource.getrlimit(resource.RLIMIT_CORE)
    if soft == 0:
        return Check("core dumps", True, "off")
    return Check(
        "core dumps", True, "on", "On a live table set LimitCORE=0 in the service: a crash would write keys to disk."
    )


def folder(name: str, path: Path, least_bytes: int) -> Check:
    """Look whether a folder, or where it will be made, can be written and has space (FR-45)."""
    there = next((one for one in (path, *path.parents) if one.exists()), Path("/"))
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return Check(name, False, f"{there} cannot be written", "Give it to this user, or name another folder.")
    free, inodes = shutil.disk_usage(there).free, os.statvfs(there)
    found = f"{path}: {free // (1024 * 1024)} MiB free" + ("" if there == path else " (not there yet)")
    if free < least_bytes:
        wanted = least_bytes // (1024 * 1024)
        return Check(name, False, found, f"Make {wanted} MiB free there, or name another folder.")
    if inodes.f_files and inodes.f_favail < LEAST_INODES:
        few = f"{found}, room for {inodes.f_favail} files only"
        return Check(name, False, few, "Remove files there, or name another folder.")
    return Check(name, True, found)


def clock(computer: Computer) -> Check:
    """Look whether the wall clock was ever set; only records use it, never deadlines (P9, FR-44)."""
    found = computer.now.isoformat(timespec="seconds")
    if computer.now < BUILT:
        advice = "Set the time, or connect a time server: `timedatectl set-ntp true`. Records would carry wrong times."
        return Check("clock", False, f"{found}: it was never set", advice)
    if not (computer.root / "run/systemd/timesync/synchronized").exists():
        return Check("clock", True, found, "No sign of a time server; check that the time is right.")
    return Check("clock", True, f"{found}, kept by a time server")


def python() -> Check:
    """Look at the interpreter."""
    return Check("python", True, ".".join(map(str, sys.version_info[:3])))  # too old a one does not get here


def packages() -> Check:
    """Look at what the product needs, as its own metadata lists it."""
    needed = importlib.metadata.requires("cardshoe") or []
    names = [re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0] for line in needed if "extra ==" not in line]
    found: list[str] = []
    missing: list[str] = []
    for name in sorted(names):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        advice = f"Install them: `pip install {' '.join(missing)}`."
        return Check("packages", False, f"missing: {', '.join(missing)}", advice)
    return Check("packages", True, ", ".join(found))


def usb(computer: Computer) -> Check:
    """Look whether USB devices can be reached: the library, and the kernel's nodes."""
    try:
        backend = loaded_backend()
    except (DeviceError, ConfigError) as error:
        return Check("usb", False, "libusb cannot be used", error.text)
    whose = "of this computer" if wanted_library() == SYSTEM else "that comes with cardshoe"
    found = f"libusb {whose}, through {type(backend).__module__}"
    if not (computer.root / "dev/bus/usb").is_dir():
        return Check("usb", True, f"{found}; no /dev/bus/usb", "Without it no usb:// device can be used here.")
    return Check("usb", True, found)
