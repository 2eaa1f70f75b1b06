"""Support: simulated devices as processes on real ptys, and a table in this process on them. Not a test."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from cardshoe.lab.hands import open_hands
from cardshoe.table.app import Table, open_table
from cardshoe.table.config import TableConfig, parse_config
from cardshoe.table.supervisor import Opener
from cardshoe.transport import open_transport

GUARD_S = 60.0  # only ends a test that would hang

TOML = """
[table]
name = "T1"
mode = "bench"
game = "ultimate-texas-holdem"
journal = "table.db"
[devices.shoe]
url = "serial://{shoe}"
[devices.reader]
url = "serial://{reader}"
"""


class Devices:
    """A `cardshoe sim` as a process; `directory` has the links `shoe` and `reader` and the socket `hands`."""

    def __init__(self, directory: Path, *more: str, seed: int = 11, speed: float = 20.0) -> None:
        directory.mkdir(exist_ok=True)
        self.directory = directory
        self._command = [sys.executable, "-m", "cardshoe", "sim", "--json", "--seed", str(seed), "--speed", str(speed)]
        self._command += ["--shoe", f"pty:{directory / 'shoe'}", "--reader", f"pty:{directory / 'reader'}"]
        self._command += ["--control", str(directory / "hands"), "--state", str(directory / "memory"), *more]
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start, and wait until it can be reached."""
        self.process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        assert json.loads(self.process.stdout.readline())["ready"]

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End it by a signal."""
        if self.process is None:
            return
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(number)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process = None

    def send_signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    async def do(self, act: str, **keys: object) -> Mapping[str, Any]:
        """One act of the hands."""
        hands = await open_hands(self.directory / "hands")
        try:
            return await hands.do(act, keys)
        finally:
            await hands.close()


@contextmanager
def devices(directory: Path, *more: str, seed: int = 11, speed: float = 20.0) -> Iterator[Devices]:
    world = Devices(directory, *more, seed=seed, speed=speed)
    world.start()
    try:
        yield world
    finally:
        world.kill(signal.SIGTERM)


def config(directory: Path, more: str = "") -> TableConfig:
    return parse_config(TOML.format(shoe=directory / "shoe", reader=directory / "reader") + more, "test.toml")


def config_file(directory: Path, more: str = "") -> Path:
    """Write the configuration beside the devices' links; the journal lies there too."""
    path = directory / "table.toml"
    path.write_text(TOML.format(shoe=directory / "shoe", reader=directory / "reader") + more)
    return path


@asynccontextmanager
async def table_at(
    directory: Path, more: str = "", *, journal: str = "table.db", opener: Opener = open_transport
) -> AsyncIterator[Table]:
    async with open_table(config(directory, more), directory / journal, opener=opener) as table:
        yield table


async def until(condition: Callable[[], object], what: str) -> None:
    """Wait for something that must come; fail with its name when it does not."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + GUARD_S
    while not condition():
        assert loop.time() < deadline, f"{what} never came"
        await asyncio.sleep(0.005)


async def due(table: Table, name: str) -> Any:
    """Wait until this is due; return it."""
    await until(lambda: type(table.shown.due).__name__ == name, f"{name} at {table.shown.words}")
    return table.shown.due


def kinds(table: Table) -> list[tuple[str, Mapping[str, object]]]:
    """Every record: its kind and its body."""
    with table.journal.reader() as reader:
        return [(record.kind, record.body) for record in reader.records()]


def deleted_ptys() -> list[str]:
    """Descriptors of this process that lead to a pty that is gone."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if "/pts/" in target and (target.endswith("(deleted)") or not Path(target).exists()):
            found.append(target)
    return found
