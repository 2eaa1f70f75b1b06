"""The reference firmware as tests use it: built once a run, as a library under a virtual clock or a process on a pty.

Owns compiling, starting and ending. Uses the conformance vectors' own runner; knows neither the drivers nor the
simulator.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import select
import shutil
import subprocess
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "firmware_protocols" / "reference"
VECTORS = ROOT / "firmware_protocols" / "vectors"
HERE = Path(__file__).parent
sys.path.insert(0, str(VECTORS))

WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wconversion", "-Wshadow"]
FIRMWARE = ["frame.c", "link.c", "record.c", "faults.c", "feed.c", "shoe.c", "bench.c", "hands.c", "hosted.c"]
CARD_MS, COUNT_MS = 500, 100  # what a person would find usual


def vectors(name: str) -> list[dict[str, Any]]:
    """The lines of a file of vectors."""
    return [json.loads(line) for line in (VECTORS / name).read_text(encoding="ascii").splitlines()]


def compile_or_fail(command: list[str]) -> None:
    """Run a compiler; its complaint is the failure's text."""
    done = subprocess.run(command, cwd=REFERENCE, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stderr}"


def build(out: Path, target: str, *flags: str) -> Path:
    """Build for host, avr or arm as build.sh does; return the program."""
    compile_or_fail(["./build.sh", str(out), target, *flags])
    return out / {"host": "shoe-host", "avr": "shoe-avr.elf", "arm": "shoe-arm.elf"}[target]


def build_library(out: Path) -> Path:
    """The host build as a library with the test's clock."""
    made = out / "lab.so"
    command = ["gcc", "-O2", "-shared", "-fPIC", *WARNINGS, "-DRING_SIZE=128u", "-DRING_KEPT=1", "-I.", "-o", str(made)]
    compile_or_fail([*command, *FIRMWARE, str(HERE / "lab.c")])
    return made


class Lab:
    """The firmware under a virtual clock: a `Bench` of the vectors' DeviceRunner."""

    def __init__(self, library: Path) -> None:
        self._lab = ctypes.CDLL(str(library))
        self._found = ctypes.create_string_buffer(16384)
        self._lab.lab_run.restype = ctypes.c_uint32
        for name in ("lab_read", "lab_frame", "lab_dropped", "lab_encode"):
            getattr(self._lab, name).restype = ctypes.c_uint16
        self._ms = 0

    def start(self, *, card_ms: int = CARD_MS, count_ms: int = COUNT_MS) -> None:
        """A new bench with blank memory, powered."""
        self._ms = 0
        self._lab.lab_start(card_ms, count_ms, 0, 0, 1)

    def now(self) -> float:
        """Seconds on the virtual clock."""
        return self._ms / 1000

    def write(self, data: bytes) -> None:
        """Bytes to the firmware."""
        self._lab.lab_write(data, ctypes.c_size_t(len(data)))

    def read(self, until: float) -> bytes:
        """What it sends, as it comes, or nothing at `until`."""
        target = max(self._ms, -int(-until * 1000 // 1))
        target += target / 1000 < until  # rounded down: without this, time would stand still
        self._ms = self._lab.lab_run(ctypes.c_uint32(target))
        size = self._lab.lab_read(self._found)
        return self._found.raw[:size]

    def control(self, request: dict[str, Any]) -> dict[str, Any]:
        """Hands at the bench."""
        self._lab.lab_run(ctypes.c_uint32(self._ms))  # what happened up to now has happened; nothing is taken away
        answer = ctypes.create_string_buffer(512)
        self._lab.hands_do(json.dumps(request).encode(), answer, ctypes.c_uint(512))
        told: dict[str, Any] = json.loads(answer.value)
        return told

    def frame(self, byte: int) -> bytes:
        """Session, type, sequence and payload of the frame that this byte ends, if it ends one."""
        size = self._lab.lab_frame(byte, self._found)
        return self._found.raw[:size]

    def dropped(self) -> int:
        """Collections that were no frame, since the library was loaded, modulo 65536."""
        return int(self._lab.lab_dropped())

    def encode(self, session: int, kind: int, sequence: int, payload: bytes) -> bytes:
        """The frame on the line."""
        size = self._lab.lab_encode(session, kind, sequence, payload, len(payload), self._found)
        return self._found.raw[:size]


@contextmanager
def running(command: list[str], **options: Any) -> Iterator[str]:
    """Start a program that prints the name of its pty; give the name; end it."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        said = []
        for line in process.stdout:
            said.append(line)
            found = re.search(r"/dev/pts/\d+", line)
            if found:
                yield found[0]
                break
        else:
            raise AssertionError(f"{command} ended without a port: {''.join(said)}")
    finally:
        process.terminate()
        process.stdin.close()
        process.wait(timeout=20)
        rest = process.stdout.read()
        process.stdout.close()
        assert "ERROR: AddressSanitizer" not in rest, rest
        assert "runtime error" not in rest, rest


class Port:
    """A raw port, opened for reading and writing."""

    def __init__(self, name: str) -> None:
        self.descriptor = os.open(name, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.descriptor)
        termios.tcflush(self.descriptor, termios.TCIOFLUSH)

    def close(self) -> None:
        """Give it back."""
        os.close(self.descriptor)

    def write(self, data: bytes) -> None:
        """All of it."""
        while data:
            data = data[os.write(self.descriptor, data) :]

    def read(self, timeout_s: float) -> bytes:
        """What is there within the time."""
        ready, _, _ = select.select([self.descriptor], [], [], max(0.0, timeout_s))
        return os.read(self.descriptor, 4096) if ready else b""


def need(tool: str, reason: str) -> None:
    """Skip where a tool is missing, or fail where all are asked for; for fixtures of a whole run."""
    if shutil.which(tool) is None:
        text = f"{tool} is not here: {reason}"
        pytest.fail(text) if os.environ.get("CARDSHOE_REQUIRE") == "all" else pytest.skip(text)
