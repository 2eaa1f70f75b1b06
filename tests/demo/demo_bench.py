"""Support: commands as processes, worlds that run elsewhere, journals beside counters. Not a test."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cardshoe import cli
from cardshoe.journal import JournalReader, verify
from cardshoe.journal.replay import MachineDriver, replay

FAST = "2000"


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def last(self) -> dict[str, Any]:
        """The object of the last line."""
        return dict(json.loads(self.out.splitlines()[-1]))


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "cardshoe", *(str(each) for each in arguments)]


def run(*arguments: object, given: str = "", within_s: float = 120.0, cwd: Path | None = None) -> Ended:
    done = subprocess.run(
        command(*arguments), input=given, capture_output=True, text=True, timeout=within_s, cwd=cwd, check=False
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def demo(*arguments: object, within_s: float = 120.0) -> Ended:
    return run("demo", "--headless", "--json", "--speed", FAST, *arguments, within_s=within_s)


class Inside:
    """Commands run in the test's own process, so that whatever they leave behind is seen."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def run(self, *arguments: object) -> Ended:
        self._capture.readouterr()
        status = cli.run([str(each) for each in arguments])
        out, err = self._capture.readouterr()
        return Ended(status, out, err)

    def demo(self, *arguments: object) -> Ended:
        return self.run("demo", "--headless", "--json", "--speed", FAST, *arguments)


@dataclass
class Elsewhere:
    """A `cardshoe sim` that runs as a process of its own."""

    directory: Path
    line: str = "pty"
    shoe: bool = True
    reader: bool = True
    state: bool = False
    more: tuple[str, ...] = ()
    other_hash: bool = False
    process: subprocess.Popen[str] | None = None
    told: dict[str, Any] = field(default_factory=dict)

    def start(self) -> Elsewhere:
        arguments: list[object] = ["sim", "--json", "--seed", 11, "--speed", FAST, "--control", self.control]
        for name in ("shoe", "reader"):
            if getattr(self, name):
                at = f"pty:{self.directory / name}" if self.line == "pty" else "tcp:127.0.0.1:0"
                arguments += [f"--{name}", at]
        if self.state:
            arguments += ["--state", self.directory / "memory"]
        words = command(*arguments, *self.more)
        if self.other_hash:  # a firmware of another protocol version: the same but for the hash of its specification
            changed = "from cardshoe.sim.messages import SPEC_HASHES as h; h.update(shoe=bytes(32))"
            words[1:3] = ["-c", f"{changed}; from cardshoe.cli import main; main()"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.told = json.loads(self.process.stdout.readline())
        return self

    @property
    def control(self) -> Path:
        return self.directory / "hands"

    @property
    def options(self) -> list[object]:
        """What a demo needs to play on it."""
        options: list[object] = ["--hands", self.control]
        for name in ("shoe", "reader"):
            if self.told.get(f"{name}_url"):
                options += [f"--{name}", self.told[f"{name}_url"]]
        return options

    def ask(self, **request: object) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.control))
            line.sendall(json.dumps(request).encode() + b"\n")
            with line.makefile() as answers:
                return dict(json.loads(answers.readline()))

    def kill(self, number: int = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.communicate()
            self.process = None


@contextlib.contextmanager
def elsewhere(directory: Path, **how: Any) -> Iterator[Elsewhere]:
    world = Elsewhere(directory, **how).start()
    try:
        yield world
    finally:
        world.kill()


def check(journal: Path, last: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """P1, P6: verified, replayed, the head is the one that was told, no command id asked for twice.

    Returns the records: `kind` and `body`.
    """
    verdict = verify(journal)
    assert verdict.ok, verdict.why
    assert verdict.signed
    if last is not None:
        assert verdict.head == last["journal_head"]
        assert last["journal"] == str(journal)
    with JournalReader(journal) as reader:
        told = list(reader.records())
    replayed = replay(told, MachineDriver())
    assert replayed.ok, replayed.why
    asked = [each.body["command_id"] for each in told if each.kind == "stack-requested"]
    assert len(asked) == len(set(asked))
    return [{"kind": each.kind, "body": each.body} for each in told]


def check_by_commands(journal: Path, last: dict[str, Any]) -> None:
    """As an auditor sees it: `journal verify` prints the head that the demo printed, `journal replay` agrees."""
    verified = run("journal", "verify", journal, "--json")
    assert verified.status == 0, verified.out
    assert json.loads(verified.out)["head"] == last["journal_head"]
    replayed = run("journal", "replay", journal, "--json")
    assert replayed.status == 0, replayed.out
    assert json.loads(replayed.out)["ok"]


def alive(pid: int) -> bool:
    """Whether a process runs (one that is dead and waits for its parent does not)."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
