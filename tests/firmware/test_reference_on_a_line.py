"""The reference firmware as a maker would check a device: run_dialogues.py on a port, in real time."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import run_dialogues
from firmware_kit import VECTORS, running
from reference_dialogues import STEM, bring_to_the_beginning, fitting

SLACK_MS = 400  # two busy cores; the limits themselves are held in virtual time (test_reference_dialogues.py)
AT_ONCE = 12
CHOSEN = [
    "hello", "hello-wrong-hash", "hello-new-nonce", "session-after-power-cut", "no-session-yet",
    "delimiter-after-silence", "repeated-dispense", "sequence-wraps", "reject-keeps-sequence", "wrong-length",
    "garbage-between", "devices-words", "dispense-3", "lease-lost-in-feed", "inhibit-in-feed", "door-in-feed",
    "power-cut-in-sensor", "power-cut-when-recorded", "fault-jam", "fault-double-feed", "deck-loaded",
    "event-repeats", "events-survive-power-cut", "window-of-eight",
]  # fmt: skip


@contextmanager
def at_the_beginning(host: Path, directory: Path) -> Iterator[tuple[str, str]]:
    """A fresh process where the dialogues begin: its port and its control socket."""
    control = str(directory / secrets.token_hex(4))
    with running([str(host), "--control", control]) as port:
        bench = run_dialogues.LineBench(port, control)
        try:
            bring_to_the_beginning(bench, lambda: secrets.token_bytes(16), slack_ms=SLACK_MS)
        finally:
            bench.close()
        yield port, control


def run_one(host: Path, directory: Path, vector: dict[str, Any]) -> str:
    """Run one dialogue with a process of its own; "" when it passed."""
    with at_the_beginning(host, directory) as (port, control):
        told = run_dialogues.run(vector, port, control, SLACK_MS)
    return "" if told["result"] == "passed" else f"{told['id']}: {told['text']}"


def run_all(host: Path, directory: Path, vectors: list[dict[str, Any]]) -> list[str]:
    """Several at once: they wait more than they work."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [text for text in pool.map(lambda vector: run_one(host, directory, vector), vectors) if text]


def test_chosen_dialogues_on_a_port(host: Path, firmware_dir: Path) -> None:
    """LINK-1.1, LINK-4.3, LINK-5.1 to LINK-5.6, LINK-7.3, SHOE-3.2, SHOE-4.3 to SHOE-4.9, SHOE-8.2 on a real pty."""
    chosen = [v for v in fitting() if v["id"].removeprefix(STEM) in CHOSEN]
    assert len(chosen) == len(CHOSEN)
    assert run_all(host, firmware_dir, chosen) == []


def test_the_command_line_of_the_vectors(host: Path, firmware_dir: Path) -> None:
    """LINK-5.1: as a maker types it."""
    command = [sys.executable, str(VECTORS / "run_dialogues.py"), "--device", "shoe", "--only", "silent-before-hello"]
    with at_the_beginning(host, firmware_dir) as (port, control):
        command += ["--line", port, "--control", control, "--slack-ms", str(SLACK_MS)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (done.returncode, json.loads(done.stdout)["result"]) == (0, "passed"), done.stderr


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_all_dialogues_on_a_port(host: Path, firmware_dir: Path) -> None:
    """LINK-1.1 to SHOE-8.7: every dialogue that fits, in real time."""
    assert run_all(host, firmware_dir, fitting()) == []
