"""Other ends of a line for a measurement: the responder on a pty, and the simulator as the process that it is.

Owns the pty and the children, which are gone when the block ends, however it ends. Must not know what is asked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tty
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cardshoe.errors import DeviceError

_END_S: Final = 3.0


@contextmanager
def apart() -> Iterator[set[int]]:
    """Keep this process on one processor while the block lasts; gives the others, for peers, or all where it is alone.

    A device is never on our own processor. Where the scheduler puts a bare peer beside us for a while, its answers
    come in a quarter of the time, the floor jumps, and no ratio to it says anything.
    """
    before = os.sched_getaffinity(0)
    ours = {min(before)}
    os.sched_setaffinity(0, ours)
    try:
        yield before - ours or before
    finally:
        os.sched_setaffinity(0, before)


@contextmanager
def pty_responder(
    processors: set[int], *, asked: int = 0, answered: int = 0, canned: Mapping[bytes, bytes] | None = None
) -> Iterator[tuple[Path, int]]:
    """Run a responder on `processors` at a pty's master end; gives the slave's path and an open descriptor of it.

    Raises `DeviceError` `bench-peer` when the responder does not start.
    """
    master, slave = os.openpty()
    tty.setraw(slave)
    job = {"asked": asked, "answered": answered, "canned": {a.hex(): r.hex() for a, r in (canned or {}).items()}}
    command = [sys.executable, "-m", "cardshoe.lab.bench.responder", str(master)]
    try:
        with child(command, pass_fds=(master,)) as process:
            os.close(master)
            master = -1
            os.sched_setaffinity(process.pid, processors)
            _tell(process, job)
            yield Path(os.ttyname(slave)), slave
    finally:
        for descriptor in (master, slave):
            if descriptor >= 0:
                os.close(descriptor)


@contextmanager
def simulator(processors: set[int] | None, *options: str) -> Iterator[dict[str, str]]:
    """Run `cardshoe sim` with a shoe and a reader on ptys of a private folder; gives its ready line.

    On `processors` where that matters. Raises `DeviceError` `bench-peer` when it does not come up.
    """
    with tempfile.TemporaryDirectory(prefix="cardshoe-bench-") as folder:
        ports = [f"--{name}=pty:{folder}/{name}" for name in ("shoe", "reader")]
        command = [sys.executable, "-m", "cardshoe", "sim", *ports, f"--control={folder}/control", "--json", *options]
        with child(command) as process:
            if processors is not None:
                os.sched_setaffinity(process.pid, processors)
            yield json.loads(first_line(process))


@contextmanager
def child(command: list[str], *, pass_fds: tuple[int, ...] = ()) -> Iterator[subprocess.Popen[str]]:
    """Run a child with pipes for its input and output; it is gone when the block ends."""
    with subprocess.Popen(  # noqa: S603 -- our own interpreter with our own words
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, pass_fds=pass_fds, text=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()


def first_line(process: subprocess.Popen[str]) -> str:
    """Return the line by which a child says that it is ready. Raises `DeviceError` `bench-peer` when it ends first."""
    line = process.stdout.readline() if process.stdout is not None else ""
    if not line:
        raise DeviceError("bench-peer", f"{process.args!r} ended before it was ready; run it by itself to see why")
    return line


def _tell(process: subprocess.Popen[str], job: object) -> None:
    if process.stdin is not None:
        process.stdin.write(json.dumps(job) + "\n")
        process.stdin.flush()
    first_line(process)
