"""A few dialogues over a real pseudo-terminal and a real TCP port, by the tool that makers of devices are given.

What the clauses say in virtual time is in test_device_dialogues.py; here the line, the process and the tool are real.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from vector_files import VECTORS

TOOL = [sys.executable, str(VECTORS / "run_dialogues.py")]


@contextmanager
def simulated(directory: Path, *options: str) -> Iterator[dict[str, Any]]:
    """A world as a process of its own; gives its ready line."""
    command = [
        sys.executable,
        "-m",
        "cardshoe",
        "sim",
        "--json",
        "--seed",
        "1",
        "--control",
        str(directory / "control"),
    ]
    with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()


def tool(*options: str) -> tuple[int, list[dict[str, Any]], str]:
    """Run the makers' tool; return its exit status, its lines and what it complained of."""
    slack = ["--slack-ms", "5000"]  # a busy machine is no wrong device
    done = subprocess.run([*TOOL, *slack, *options], capture_output=True, text=True, timeout=120)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.mark.parametrize("name", ["shoe/hello-new-nonce", "shoe/event-repeats", "shoe/dispense-1"])
def test_the_shoe_on_a_pseudo_terminal(tmp_path: Path, name: str) -> None:
    """LINK-1.1, LINK-5.2, LINK-7.3, SHOE-4.1: the dialogue names its own."""
    link = tmp_path / "shoe"
    with simulated(tmp_path, "--shoe", f"pty:{link}") as ready:
        line = ["--device", "shoe", "--line", str(link), "--control", ready["control"]]
        status, told, complaint = tool(*line, "--only", name)
    assert [one["result"] for one in told] == ["passed"], told or complaint
    assert status == 0


def test_the_reader_on_a_tcp_port(tmp_path: Path) -> None:
    """LINK-1.2, READER-2.1."""
    with simulated(tmp_path, "--reader", "tcp:127.0.0.1:0") as ready:
        line = ["--device", "reader", "--line", ready["reader"], "--control", ready["control"]]
        status, told, complaint = tool(*line, "--only", "reader/board-grows")
    assert [one["result"] for one in told] == ["passed"], told or complaint
    assert status == 0


def test_a_broken_device_fails_on_a_real_line(tmp_path: Path) -> None:
    """LINK-7.3: the tool says at which step, and its exit status is 1."""
    link = tmp_path / "shoe"
    with simulated(tmp_path, "--shoe", f"pty:{link}", "--mutate", "LINK-7.3") as ready:
        line = ["--device", "shoe", "--line", str(link), "--control", ready["control"]]
        status, told, _ = tool(*line, "--only", "shoe/event-repeats")
    assert [one["result"] for one in told] == ["failed"]
    assert "step" in told[0]["text"]
    assert status == 1


def test_without_hands_a_dialogue_is_not_run(tmp_path: Path) -> None:
    """What could not be done is told, and is no pass."""
    link = tmp_path / "shoe"
    with simulated(tmp_path, "--shoe", f"pty:{link}"):
        status, told, _ = tool("--device", "shoe", "--line", str(link), "--only", "shoe/status-of-now")
    assert [one["result"] for one in told] == ["not run"]
    assert "open_door" in told[0]["text"]
    assert status == 1


def test_a_line_that_is_not_there(tmp_path: Path) -> None:
    """Exit status 3, the port named, no traceback."""
    status, told, complaint = tool(
        "--device", "shoe", "--line", str(tmp_path / "none"), "--only", "shoe/hello-new-nonce"
    )
    assert (status, told) == (3, [])
    assert str(tmp_path / "none") in complaint
    assert "Traceback" not in complaint


def test_nothing_chosen() -> None:
    """Exit status 2."""
    status, told, complaint = tool("--device", "shoe", "--line", "/dev/null", "--only", "no such dialogue")
    assert (status, told) == (2, [])
    assert "--only" in complaint
