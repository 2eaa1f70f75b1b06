"""A whole table and a world as two processes, one fault at one place, and the judgement of what is left.

Owns the processes (`cardshoe demo` under strace, `cardshoe sim --state` beside it), the counting of places, and the
comparison of three witnesses: the journal on disk, the devices' memory on disk, and what the machine physically did.
Knows the product only by its commands and files; the chain is checked by a verifier of its own.
"""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import independent_verifier

from cardshoe.journal import verify

CALLS = ("pwrite64", "write", "fdatasync", "fsync", "ftruncate", "unlink")
AT_CLOSE = ("fsync", "ftruncate", "unlink")  # once a table's life; a round has none of them
KILL = "signal=KILL"
FAST = "2000"
_CALL = re.compile(rf"^(\d+) +({'|'.join(CALLS)})\(")
_WITHIN_S = 120.0


# A wrong table on purpose: it acts, and tells the devices, before the record is on disk.
ACTS_FIRST = """
import asyncio
from cardshoe.cli import main
from cardshoe.table.app import Table
from cardshoe.table.orders import SignHead

async def acts_first(self, step):
    self._perform(step.orders)
    if step.entries:
        await asyncio.wrap_future(self.journal.append(step.entries))
    self._timer.set(self.controller.next_deadline())
    for order in step.orders:
        if isinstance(order, SignHead):
            await asyncio.wrap_future(self.journal.sign_head(order.reason, round_number=order.round_id))
    await self._show()

Table._carry_out = acts_first
main()
"""


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "cardshoe", *map(str, arguments)]


@dataclass
class World:
    """A `cardshoe sim` whose devices remember; it can be killed and started again."""

    directory: Path
    speed: str = FAST
    process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        words: list[object] = ["sim", "--json", "--seed", 11, "--speed", self.speed, "--control", self.control]
        words += ["--state", self.directory / "memory"]
        for name in ("shoe", "reader"):
            words += [f"--{name}", f"pty:{self.directory / name}"]
        self.process = subprocess.Popen(command(*words), stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert json.loads(self.process.stdout.readline())["ready"]

    def kill(self, number: int = signal.SIGKILL) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.communicate()
            self.process = None

    @property
    def control(self) -> Path:
        return self.directory / "hands"

    @property
    def options(self) -> list[object]:
        urls = [option for name in ("shoe", "reader") for option in (f"--{name}", f"serial://{self.directory / name}")]
        return ["--hands", self.control, *urls]

    def ask(self, **request: object) -> dict[str, Any]:
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.control))
            line.sendall(json.dumps(request).encode() + b"\n")
            with line.makefile() as answers:
                return dict(json.loads(answers.readline()))

    def memory(self) -> dict[str, Any]:
        """What stands in the devices' non-volatile memory."""
        return dict(json.loads((self.directory / "memory" / "world.json").read_text()))

    def dispenses(self) -> bool:
        """Whether the shoe carries out a command just now."""
        return bool(self.memory()["shoe"]["running"])


@contextmanager
def world(directory: Path, speed: str = FAST) -> Iterator[World]:
    made = World(directory, speed)
    made.start()
    try:
        yield made
    finally:
        made.kill(signal.SIGTERM)


@dataclass(frozen=True)
class Ended:
    """A table that has ended: status (negative: signal), what it said, the trace, when it was started (monotonic)."""

    status: int
    out: str
    err: str
    trace: str
    started: float

    @property
    def last(self) -> dict[str, Any]:
        return dict(json.loads(self.out.splitlines()[-1]))

    @property
    def injected(self) -> bool:
        return "INJECTED" in self.trace or "killed by SIGKILL" in self.trace


@dataclass
class Tables:
    """The tables that are run, one after another, on one journal and one world."""

    world: World
    journal: Path
    strace: str = ""
    speed: str = FAST
    wrong: bool = False
    restarts_ms: list[float] = field(default_factory=list)

    def arguments(self, rounds: int) -> list[str]:
        options = ("--headless", "--json", "--speed", self.speed, "--seed", 8, "--rounds", rounds)
        words = command("demo", *options, "--journal", self.journal, *self.world.options)
        if self.wrong:
            words[1:3] = ["-c", ACTS_FIRST]
        return words

    def play(self, rounds: int) -> Ended:
        """Play with nothing in the way."""
        return self._run(self.arguments(rounds), None)

    def places(self, rounds: int) -> list[tuple[str, int]]:
        """Play `rounds` and return every call that changes a file of the journal: its name, its number in a thread.

        The journal is made before: its making happens once, and is swept in the journal's own tests.
        """
        if not self.journal.exists():
            made = self.play(1)
            assert made.status == 0, made.err
        ended = self._traced(rounds, ["-e", f"trace={','.join(CALLS)}"])
        assert ended.status == 0, ended.err
        counts = Counter((found[1], found[2]) for line in ended.trace.splitlines() if (found := _CALL.match(line)))
        most = {call: max((n for (_, name), n in counts.items() if name == call), default=0) for call in CALLS}
        return [
            (call, n) for call in CALLS for n in range(1, min(most[call], 1 if call in AT_CLOSE else most[call]) + 1)
        ]

    def fault(self, place: tuple[str, int], fault: str, rounds: int, *, onward: bool = False) -> Ended:
        """Play with `fault` at the call, or from there on."""
        return self._traced(rounds, ["-e", f"trace={place[0]}", *_inject(place, fault, onward=onward)])

    def fault_seen(self, place: tuple[str, int], fault: str, rounds: int) -> tuple[Ended, bytes, bytes]:
        """Play with `fault` from the call on; return also what the table told the shoe before it, and after it."""
        line = (self.world.directory / "shoe").resolve()
        options = ["-xx", "-s", "600", "-e", f"trace={place[0]},write", *_inject(place, fault, onward=True)]
        ended = self._traced(rounds, options, (line,))
        before, found, after = ended.trace.partition("(INJECTED)")
        assert found, ended
        return ended, _written(before), _written(after)

    def _traced(self, rounds: int, options: list[str], more: tuple[Path, ...] = ()) -> Ended:
        trace = self.journal.with_name("trace")
        files = [self.journal.with_name(self.journal.name + end) for end in ("", "-wal", ".anchor", ".reserve")]
        paths = [word for file in (*files, *more) for word in ("-P", str(file))]
        return self._run([self.strace, "-f", "-o", str(trace), *paths, *options, *self.arguments(rounds)], trace)

    def _run(self, words: list[str], trace: Path | None) -> Ended:
        started = time.monotonic()
        done = subprocess.run(words, capture_output=True, text=True, timeout=_WITHIN_S, check=False)
        told = "" if trace is None else trace.read_text()
        ended = Ended(done.returncode, done.stdout, done.stderr, told, started)
        self._note_restart(started)
        return ended

    def _note_restart(self, started: float) -> None:
        """Note how long it took from the start of the process until the shoe was there, by the journal's own clock."""
        for _, text, _, _ in reversed(independent_verifier.read_rows(self.journal)):
            record = json.loads(text)
            if record["mono_us"] / 1e6 < started:
                return
            if record["kind"] == "device_identified" and record["body"]["device"] == "shoe":
                self.restarts_ms.append(record["mono_us"] / 1e3 - started * 1e3)


def _inject(place: tuple[str, int], fault: str, *, onward: bool) -> list[str]:
    return ["-e", f"inject={place[0]}:{fault}:when={place[1]}{'+' if onward else ''}"]


def _written(trace: str) -> bytes:
    """The bytes of every `write` in a trace; only the line's are among them, the journal is written by other calls."""
    texts = re.findall(r' write\(\d+, "((?:\\x[0-9a-f]{2})*)"', trace)
    return bytes.fromhex("".join(texts).replace("\\x", ""))


def judge(journal: Path, world: World) -> list[str]:
    """Everything that is wrong with what is on disk now."""
    rows = independent_verifier.read_rows(journal)
    broken = independent_verifier.what_is_wrong(rows)
    if broken is not None:
        return [broken]
    verdict = verify(journal)
    if not verdict.ok:
        return [f"not trusted: {verdict.why}"]
    records = [json.loads(row[1]) for row in rows]
    return list(_against_the_devices(records, world.memory()))


def _against_the_devices(records: list[dict[str, Any]], memory: dict[str, Any]) -> Iterator[str]:
    """P2: what the table ever told a device is in the journal: each command, and each event that it let go."""
    asked = commands_asked(records)
    if len(asked) != len(set(asked)):
        yield f"a command id was asked for twice: {asked}"
    known = {record["command_id"] for record in memory["shoe"]["records"]} | {memory["shoe"]["last_command"]} - {0}
    for number in sorted(known - set(asked)):
        yield f"the shoe was given command {number}, which is not in the journal"
    for device in ("shoe", "reader"):
        link = memory[device]["link"]
        acknowledged = link["ring"][0]["event_id"] - 1 if link["ring"] else link["last_event"]
        told = [r["body"].get("event_id", 0) for r in records if r["kind"] == f"{device}_reported"]
        if acknowledged > max(told, default=0):
            yield f"the {device} let go of event {acknowledged}, the journal knows {max(told, default=0)}"


def commands_asked(records: list[dict[str, Any]]) -> list[int]:
    kinds = ("stack-requested", "deck_preparation_requested")
    return [record["body"]["command_id"] for record in records if record["kind"] in kinds]


def judge_whole(journal: Path, world: World, last: dict[str, Any]) -> list[str]:
    """What is wrong after rounds were played to their end: the journal against what the machine physically did."""
    wrong = judge(journal, world)
    replayed = subprocess.run(command("journal", "replay", journal, "--json"), capture_output=True, text=True)
    if replayed.returncode:
        wrong.append(f"replay: {replayed.stdout}")
    counters = world.ask(do="counters")
    if counters["feeds_started"] > last["stacks_requested"]:
        wrong.append(f"a stack was dealt twice: {counters} for {last}")
    if counters["stacks_dispensed"] < last["stacks_dispensed"]:
        wrong.append(f"the journal has a stack that never came: {counters} for {last}")
    if last["completed"] + last["voided"] != last["rounds"]:
        wrong.append(f"rounds are missing: {last}")
    return wrong
