"""A simulated world as a process of its own, and the commands that are held against it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CARDSHOE = [sys.executable, "-m", "cardshoe"]
BUSY_MS = "5000"  # a busy computer is no wrong device


@contextmanager
def world(directory: Path, *options: str) -> Iterator[dict[str, Any]]:
    """Run `cardshoe sim`; give its ready line."""
    ports = [f"--{name}=pty:{directory / name}" for name in ("shoe", "reader")]
    command = [*CARDSHOE, "sim", "--json", "--seed", "1", "--speed", "50", f"--control={directory / 'control'}"]
    with subprocess.Popen([*command, *ports, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()


def cardshoe(*arguments: str) -> tuple[int, str, str]:
    """Run a command; return its status, what it printed and what it complained of."""
    done = subprocess.run([*CARDSHOE, *arguments], capture_output=True, text=True, timeout=280)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def bench(*options: str, within_s: int = 290) -> tuple[int, str]:
    """Run `pytest hil`; return its status and what it printed."""
    suite = [
        sys.executable,
        "-m",
        "pytest",
        "hil",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:randomly",
        "-o",
        f"timeout={within_s}",
    ]
    done = subprocess.run([*suite, *options], cwd=ROOT, capture_output=True, text=True, timeout=within_s)
    return done.returncode, done.stdout + done.stderr
