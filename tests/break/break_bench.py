"""Support: a table and its world as processes, for tests that try to break them. Not a test."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TOML = """
[table]
name = "T7"
mode = "bench"
game = "three-card-poker"
method = "automated-shoe"
journal = "journal"
[devices.shoe]
url = "{shoe}"
"""


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "cardshoe", *(str(word) for word in words)]


def run(*words: object, **how: Any) -> subprocess.CompletedProcess[str]:
    how = {"capture_output": True, "stdin": subprocess.DEVNULL, "timeout": 120, **how}
    return subprocess.run(command(*words), text=True, check=False, **how)


@dataclass
class Bench:
    """A world that runs, and a directory with the configuration of a table on its shoe."""

    directory: Path
    shoe_url: str
    process: subprocess.Popen[str]
    children: list[subprocess.Popen[Any]] = field(default_factory=list)

    @property
    def config(self) -> Path:
        return self.directory / "table.toml"

    @property
    def journal(self) -> Path:
        return self.directory / "journal"

    def configure(self, shoe_url: str) -> None:
        self.config.write_text(TOML.format(shoe=shoe_url))

    def table(self, **how: Any) -> subprocess.Popen[bytes]:
        how = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        table = subprocess.Popen(command("run", "--config", self.config), **how)
        self.children.append(table)
        return table

    def ask(self, **request: object) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.directory / "hands"))
            line.sendall(json.dumps(request).encode() + b"\n")
            with line.makefile() as answers:
                return dict(json.loads(answers.readline()))

    def records(self) -> list[dict[str, Any]]:
        exported = run("journal", "export", self.journal)
        assert exported.returncode == 0, exported.stderr
        return [json.loads(line) for line in exported.stdout.splitlines()]


@contextmanager
def bench(directory: Path, *, speed: int = 2000, line: str = "pty", more: tuple[object, ...] = ()) -> Iterator[Bench]:
    at = f"pty:{directory / 'shoe'}" if line == "pty" else "tcp:127.0.0.1:0"
    words = ("sim", "--json", "--seed", 5, "--speed", speed, "--shoe", at, "--control", directory / "hands", *more)
    world = subprocess.Popen(command(*words), stdout=subprocess.PIPE, text=True)
    assert world.stdout is not None
    made = Bench(directory, json.loads(world.stdout.readline())["shoe_url"], world)
    made.configure(made.shoe_url)
    try:
        yield made
    finally:
        for child in [*made.children, world]:
            if child.poll() is None:
                child.kill()
            child.communicate()


def line(op: str, **fields: object) -> bytes:
    """One operation as a line."""
    return json.dumps({"op": op, **fields}).encode() + b"\n"


def until(table: subprocess.Popen[bytes], wanted: Mapping[str, object] | str) -> dict[str, Any]:
    """Read answers until one is `wanted`, or tells the step that is due by this name."""
    assert table.stdout is not None
    while raw := table.stdout.readline():
        told = json.loads(raw)
        if told == wanted or told.get("due", {}).get("step") == wanted:
            return dict(told)
    raise AssertionError(f"the table ended before {wanted!r}: {table.communicate()[1]!r}")


def memory_kb(pid: int) -> int:
    """The memory that a process holds now."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmRSS:")[1].split()[0])


def write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
