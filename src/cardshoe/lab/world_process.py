"""A simulated world as a child process, on a private directory.

Owns the start of `cardshoe sim`, its ready line, and that it never outlives the one who started it: SIGTERM at the end,
and the kernel's signal at the death of the parent where even that could not be sent. Must not know the simulator's
code: it is another program.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cardshoe.errors import ConfigError, DeviceError

READY_S: Final = 20.0
ENDS_S: Final = 3.0
_PR_SET_PDEATHSIG: Final = 1
_SETUP_STATUS: Final = 2


@dataclass(frozen=True, slots=True)
class WorldOrder:
    """What world is wanted. `line`: "pty" or "tcp"; `seed` None: real chance; times are divided by `speed`;
    `state` keeps what the devices remember."""

    line: str = "pty"
    shoe: bool = True
    reader: bool = True
    seed: int | None = None
    speed: float = 1.0
    faults: Path | None = None
    state: Path | None = None


@dataclass(frozen=True, slots=True)
class World:
    """Where a world answers: device URLs (None where it has no such port) and the control socket of its hands."""

    shoe_url: str | None
    reader_url: str | None
    control: Path


class WorldProcess:
    """One running `cardshoe sim`. `start` returns at once; `ready` waits for it; `close` takes it down."""

    def __init__(self, order: WorldOrder) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="cardshoe-"))
        self._log = self._directory / "sim.log"
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(  # noqa: S603 — our own interpreter and arguments
                    _command(order, self._directory),
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    start_new_session=True,  # Ctrl-C is for the table; the world ends after it
                    preexec_fn=_dies_with(os.getpid()),  # noqa: PLW1509 — nothing else runs yet in this process
                )
        except OSError as error:
            shutil.rmtree(self._directory, ignore_errors=True)
            raise DeviceError("world-not-ready", f"No simulated world can be started: {error}.") from error

    async def ready(self) -> World:
        """Wait until it can be reached.

        Raises `ConfigError` (`world-setup`) for what it cannot be started with, `DeviceError` (`world-not-ready`).
        """
        loop = asyncio.get_running_loop()
        try:
            line = await asyncio.wait_for(loop.run_in_executor(None, self._first_line), READY_S)
        except TimeoutError as error:
            raise DeviceError("world-not-ready", f"The simulated world is not ready after {READY_S:g} s.") from error
        if not line:
            raise self._why()
        told: dict[str, Any] = json.loads(line)
        return World(told["shoe_url"], told["reader_url"], Path(told["control"]))

    @property
    def failure(self) -> DeviceError | None:
        """Why it does not run any more, None while it does."""
        status = self._process.poll()
        if status is None:
            return None
        return DeviceError("world-ended", f"The simulated world has ended by itself (status {status}). {self._said()}")

    def close(self) -> None:
        """Take it down, and its directory; bounded in time."""
        self._process.terminate()
        try:
            self._process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _first_line(self) -> bytes:
        return self._process.stdout.readline() if self._process.stdout is not None else b""

    def _why(self) -> DeviceError | ConfigError:
        status = self._process.wait()
        if status == _SETUP_STATUS:
            return ConfigError("world-setup", f"The simulated world cannot be set up: {self._said()}")
        return DeviceError("world-not-ready", f"The simulated world did not start (status {status}). {self._said()}")

    def _said(self) -> str:
        lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return lines[-1].removeprefix("cardshoe: ") if lines else "It gave no reason."


def _command(order: WorldOrder, directory: Path) -> list[str]:
    command = [sys.executable, "-m", "cardshoe", "sim", "--json", "--control", str(directory / "hands")]
    for name, wanted in (("shoe", order.shoe), ("reader", order.reader)):
        if wanted:
            address = f"pty:{directory / name}" if order.line == "pty" else "tcp:127.0.0.1:0"
            command += [f"--{name}", address]
    command += ["--speed", repr(order.speed)]
    if order.seed is not None:
        command += ["--seed", str(order.seed)]
    if order.faults is not None:
        command += ["--faults", str(order.faults.absolute())]
    if order.state is not None:
        command += ["--state", str(order.state.absolute())]
    return command


def _dies_with(parent: int) -> Callable[[], None]:
    """Return what the child calls before it becomes the world: the kernel ends it when `parent` dies."""
    prctl = getattr(ctypes.CDLL(None), "prctl", None)

    def prepare() -> None:
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:  # it died before the kernel was told
            os._exit(0)

    return prepare
