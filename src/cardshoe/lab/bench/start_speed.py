"""How long until something is there: help, the first stack of a demo; and what a table costs that does nothing.

Owns the measurement of whole processes of the product, as a person would start them. Times are wall time, the best of
several for what is short: what else the computer does can only add to them.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from cardshoe.errors import DeviceError
from cardshoe.journal import JournalReader
from cardshoe.lab.bench.figures import Conditions, Figure, Measured, Skipped, Step, Target
from cardshoe.lab.bench.peers import child, first_line, simulator

FLOOR: Final = "python -c pass"
_PATIENCE_S: Final = 60.0
_SETTLED_S: Final = 1.0
"""A table that has just begun is not idle yet."""
_CONFIG: Final = """
[table]
name = "bench"
mode = "bench"
game = "ultimate-texas-holdem"
journal = "{journal}"
[devices.shoe]
url = "{shoe}"
[devices.reader]
url = "{reader}"
"""


def start(conditions: Conditions, step: Step) -> Iterator[Figure | Skipped]:
    """Yield the start of help and of a demo, then memory and processor time of a table that waits for a round."""
    times = conditions.times(8, 2)
    bare, shown = [], []
    for number in range(times):
        bare.append(_took([sys.executable, "-c", "pass"]))
        shown.append(_took(_cardshoe("--help")))
        step(0.3 * (number + 1) / times)
    yield Figure("start.help", min(shown), "s", FLOOR, min(bare), Target(Measured.VALUE, 0.3, at_most=True))
    first = min(_first_stack() for _ in range(conditions.times(3, 1)))
    step(0.6)
    yield Figure("start.demo_first_stack", first, "s", FLOOR, min(bare), Target(Measured.VALUE, 3, at_most=True))
    resident_mb, share = _idle(5.0 if not conditions.quick else 1.0)
    yield Figure("start.table_memory", resident_mb, "MB", target=Target(Measured.VALUE, 90, at_most=True))
    yield Figure("start.table_idle", share, "% of a processor", target=Target(Measured.VALUE, 2, at_most=True))


def _cardshoe(*words: str) -> list[str]:
    return [sys.executable, "-m", "cardshoe", *words]


def _took(command: Sequence[str]) -> float:
    """Return the seconds that a command takes. Raises `DeviceError` `bench-peer` when it fails."""
    began = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, check=False, timeout=_PATIENCE_S)  # noqa: S603
    passed = time.perf_counter() - began
    if ended.returncode:
        said = ended.stderr.decode("utf-8", "replace").strip()
        raise DeviceError("bench-peer", f"{' '.join(command[1:])} ended with {ended.returncode}: {said[-300:]}")
    return passed


def _first_stack() -> float:
    """Return the seconds from the start of a demo until its journal says that a stack was delivered."""
    with tempfile.TemporaryDirectory(prefix="cardshoe-bench-") as folder:
        path = Path(folder) / "demo.sqlite"
        began = time.monotonic()
        _took(_cardshoe("demo", "--headless", "--rounds=1", "--seed=1", f"--journal={path}", "--json"))
        with JournalReader(path) as reader:
            for record in reader.records():
                if record.kind == "stack-delivered":
                    return record.mono_us / 1e6 - began
    raise DeviceError("bench-peer", "a demo of one round delivered no stack; run `cardshoe demo` to see why")


def _idle(seconds: float) -> tuple[float, float]:
    """Return the memory in MB and the share of a processor, in per cent, of a connected table that waits."""
    with tempfile.TemporaryDirectory(prefix="cardshoe-bench-") as folder, simulator(None, "--seed=1") as ready:
        config = Path(folder) / "table.toml"
        journal = Path(folder) / "table.sqlite"
        config.write_text(_CONFIG.format(journal=journal, shoe=ready["shoe_url"], reader=ready["reader_url"]))
        with child(_cardshoe("run", f"--config={config}", "--json")) as process:
            first_line(process)
            time.sleep(_SETTLED_S)
            before = _processor_s(process.pid)
            time.sleep(seconds)
            used = _processor_s(process.pid) - before
            return _resident_mb(process.pid), 100 * used / seconds


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise DeviceError("bench-peer", "the table's process ended while it was measured")
