"""Front ends as tests use them: which there are, what each needs of the computer, one process for all bodies of each.

Owns starting, asking and ending of `front_host.py`. A missing package is a skip that the gate turns into a failure; a
missing feature of the kernel is a listed skip everywhere.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import cardshoe

HERE = Path(__file__).parent
SYSTEM_PYTHON = "/usr/bin/python3"
SOURCE = Path(cardshoe.__file__).parents[1]


def no_kernel_feature() -> str | None:
    """Why a FUSE front end cannot run here, or None: asked by trying, in a process of its own."""
    if not os.path.exists("/dev/fuse"):
        return "the kernel has no /dev/fuse here"
    tried = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, fuse_wire; os.close(os.open('/dev/fuse', os.O_RDWR)); fuse_wire.own_mounts()",
        ],
        cwd=HERE,
        capture_output=True,
        text=True,
    )
    return None if tried.returncode == 0 else f"mounts of one's own are not allowed here: {tried.stderr.strip()[-120:]}"


def lacking(kind: str) -> tuple[str | None, str | None]:
    """What stands against this front end: a package, a feature of the kernel."""
    if kind in {"usbfs", "tty"}:
        return None, no_kernel_feature()
    if kind == "umockdev":
        return no_umockdev(), None
    if kind.startswith("guest-"):
        return no_guest(), None
    if kind.startswith("firmware-"):
        return no_compiler(kind), None
    return None, None


def no_compiler(kind: str) -> str | None:
    """What building and running this firmware lacks, or None."""
    wanted = {
        "firmware-host": (["gcc"], "apt install gcc libc6-dev"),
        "firmware-avr": (
            ["gcc", "avr-gcc", "/usr/include/simavr/sim_avr.h"],
            "apt install gcc-avr avr-libc libsimavr-dev",
        ),
        "firmware-arm": (["arm-none-eabi-gcc", "qemu-system-arm"], "apt install gcc-arm-none-eabi qemu-system-arm"),
    }
    tools, install = wanted[kind]
    missing = [tool for tool in tools if shutil.which(tool) is None and not os.path.exists(tool)]
    return f"{install} ({', '.join(missing)} missing)" if missing else None


def firmware_command(kind: str, out: Path) -> list[str]:
    """Build the firmware; how it is run, in real time, with a hand of its own that takes the stacks."""
    sys.path.insert(0, str(HERE.parent / "firmware"))
    kit = importlib.import_module("firmware_kit")
    times = {"card_ms": 20, "count_ms": 5, "hand_ms": 40, "doubles": 0, "seed": 1}
    flags = [f"-DBENCH_{key.upper()}={value}" for key, value in times.items()]
    match kind:
        case "firmware-host":
            options = [word for key, value in times.items() for word in (f"--{key.replace('_', '-')}", str(value))]
            return [str(kit.build(out, "host")), *options]
        case "firmware-avr":
            runner = out / "avr_runner"
            source = str(kit.HERE / "avr_runner.c")
            kit.compile_or_fail(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(runner), source, "-lsimavr"])
            return [str(runner), str(kit.build(out, "avr", *flags)), "-r"]
        case _:
            qemu = [
                "qemu-system-arm",
                "-M",
                "lm3s6965evb",
                "-nographic",
                "-monitor",
                "none",
                "-serial",
                "pty",
                "-kernel",
            ]
            return [*qemu, str(kit.build(out, "arm", *flags))]


def no_guest() -> str | None:
    """What a guest lacks, or None: packages only, for emulation needs nothing of the kernel."""
    tools = {"qemu-system-x86_64": "qemu-system-x86", "busybox": "busybox-static", "cpio": "cpio", "depmod": "kmod"}
    missing = [package for tool, package in tools.items() if shutil.which(tool) is None]
    if not os.path.exists("/lib/systemd/systemd-udevd"):
        missing.append("udev")
    if missing:
        return f"apt install {' '.join(missing)}"
    if not os.path.isdir(os.environ.get("CARDSHOE_GUEST_KERNEL", "")):
        return (
            "CARDSHOE_GUEST_KERNEL names no unpacked kernel: apt-get download the package that "
            "`apt-cache depends linux-image-amd64` names, and dpkg-deb -x it there"
        )
    return None


def no_umockdev() -> str | None:
    """What of umockdev is not installed, or None."""
    wanted = "apt install umockdev gir1.2-umockdev-1.0 python3-gi libusb-1.0-0"
    if shutil.which("umockdev-wrapper") is None or not os.path.exists(SYSTEM_PYTHON):
        return wanted
    probe = "import gi; gi.require_version('UMockdev', '1.0'); from gi.repository import UMockdev"
    tried = subprocess.run([SYSTEM_PYTHON, "-c", probe], capture_output=True, text=True)
    return None if tried.returncode == 0 else f"{wanted}: {tried.stderr.strip()[-120:]}"


def judge(kind: str) -> None:
    """Skip, or fail, where this front end cannot run."""
    package, feature = lacking(kind)
    if feature is not None:
        pytest.skip(f"{kind}: {feature}")
    if package is not None:
        pytest.fail(package) if os.environ.get("CARDSHOE_REQUIRE") == "all" else pytest.skip(f"{kind}: {package}")


def command(kind: str) -> list[str]:
    """How a front end is started; umockdev's bindings belong to the distribution's Python."""
    worker = [sys.executable, str(HERE / "front_worker.py")]
    if kind == "umockdev":
        return ["umockdev-wrapper", SYSTEM_PYTHON, str(HERE / "front_umockdev.py"), *worker]
    if kind.startswith("firmware-"):
        return [sys.executable, str(HERE / "front_host.py"), "firmware"]
    if kind.startswith("guest-"):
        return [sys.executable, str(HERE / "front_guest.py"), kind.removeprefix("guest-")]
    return [sys.executable, str(HERE / "front_host.py"), kind]


class FrontProcess:
    """One front end with its worker, for many bodies."""

    def __init__(self, kind: str, out: Path) -> None:
        """`out` is for what must be built first."""
        self.kind = kind
        told = {"PYTHONPATH": str(SOURCE)}
        if kind.startswith("firmware-"):
            told["FRONT_FIRMWARE"] = json.dumps(firmware_command(kind, out))
        if kind == "firmware-arm":
            told["FRONT_SLOWER"] = "3"
        self._process = subprocess.Popen(
            command(kind),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | told,
        )
        self.said: list[str] = []

    def run(self, body: str) -> dict[str, Any]:
        """The verdict on one body. What else was said is kept for the failure's text."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"body": body}) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith('{"body"'):
                verdict: dict[str, Any] = json.loads(line)
                return verdict
            self.said.append(line)
        raise AssertionError(f"{self.kind} has ended: {''.join(self.said[-30:])}")

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
