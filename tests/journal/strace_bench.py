"""Deaths and disk errors at every syscall that changes a file, and the judgement of what is left.

Owns the harness: it runs `workload.py`, attaches strace to one thread (strace counts calls thread by thread), injects
one fault at one place, and counts what was really injected. Owns no opinion on which faults matter.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import independent_verifier

from cardshoe.errors import CardshoeError
from cardshoe.journal import Journal, verify

CALLS = ("pwrite64", "write", "fdatasync", "fsync", "ftruncate", "unlink", "rename")
KILL = "signal=KILL"
_CALL = re.compile(rf"^(?:\d+ +)?({'|'.join(CALLS)})\(")


@dataclass(frozen=True)
class Death:
    """What became of one run: exit status (negative: signal), last record acknowledged, error code, trace."""

    ended: int
    acknowledged: int
    error: str | None
    trace: str

    @property
    def injected(self) -> bool:
        return "INJECTED" in self.trace or "killed by" in self.trace


@dataclass(frozen=True)
class Place:
    """One call of one thread."""

    thread: str
    call: str
    number: int

    def __str__(self) -> str:
        return f"{self.call} number {self.number} of the {self.thread} thread"


class Bench:
    """The workload's process and strace."""

    def __init__(self, process: subprocess.Popen[str], strace: str, work: Path) -> None:
        self._process = process
        self._strace = strace
        self._work = work

    def run(self, path: Path, thread: str, appends: int, mode: str, strace: list[str]) -> Death:
        """Run the workload with the options of strace on one of its threads."""
        self._ask({"path": str(path), "appends": appends, "pause": thread, "mode": mode})
        place = self._answer()
        if "ended" in place:
            return Death(place["ended"], place["acknowledged"], place["error"], "")
        trace = self._work / "trace"
        command = [self._strace, "-o", str(trace), *strace, "-p", str(place["thread"])]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as tracer:
            assert tracer.stderr is not None
            first = tracer.stderr.readline()
            assert "attached" in first, first
            os.kill(place["pid"], signal.SIGUSR1)
            ended = self._answer()
            tracer.stderr.read()
        return Death(ended["ended"], ended["acknowledged"], ended["error"], trace.read_text())

    def trace(self, path: Path, appends: int, mode: str) -> str:
        """The writes, syncs and acknowledgements of a whole run, all threads in order, with the files' names."""
        options = ["-f", "-y", "-e", "trace=pwrite64,fdatasync,fsync,sendto"]
        return self.run(path, "main", appends, mode, options).trace

    def places(self, path: Path, thread: str, appends: int) -> list[Place]:
        """Every place of an undisturbed run."""
        whole = self.run(path, thread, appends, "right", ["-e", f"trace={','.join(CALLS)}"])
        assert whole.ended == 0, whole
        counts = Counter(found[1] for line in whole.trace.splitlines() if (found := _CALL.match(line)))
        return [Place(thread, call, n) for call in CALLS for n in range(1, counts[call] + 1)]

    def fault(self, path: Path, place: Place, appends: int, mode: str, fault: str, *, onward: bool = False) -> Death:
        """Run with `fault` at `place`, or from there on."""
        when = f"{place.number}{'+' if onward else ''}"
        inject = ["-e", f"trace={place.call}", "-e", f"inject={place.call}:{fault}:when={when}"]
        return self.run(path, place.thread, appends, mode, inject)

    def _ask(self, job: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@contextmanager
def bench(strace: str, work: Path) -> Iterator[Bench]:
    """The harness with its process, which is taken down at the end."""
    script = Path(__file__).with_name("workload.py")
    with subprocess.Popen([sys.executable, str(script)], stdin=-1, stdout=-1, text=True) as process:
        try:
            yield Bench(process, strace, work)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()


def judge(path: Path, acknowledged: int) -> str | None:
    """Nothing, or what is wrong with what was left: by a verifier of its own, then by opening it again."""
    if not path.exists():
        if acknowledged:
            return f"{acknowledged} records acknowledged, no journal there"
    else:
        rows = independent_verifier.read_rows(path)
        wrong = independent_verifier.what_is_wrong(rows)
        if wrong is not None:
            return wrong
        if len(rows) < acknowledged:
            return f"{acknowledged} records acknowledged, {len(rows)} there"
    try:
        Journal.open(path).close()
    except CardshoeError as error:
        return f"it cannot be opened again: {error.code}: {error.text}"
    verdict = verify(path)
    return None if verdict.ok and verdict.signed else f"not trusted after it was opened again: {verdict}"
