"""The reference firmware as a maker would check a device: run_dialogues.py on a port, in real time."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import run_dialogues
from firmware_kit import VECTORS, running
from reference_dialogues import STEM, bring_to_the_beginning, fitting

SLACK_MS = 400  # two busy cores; the limits themselves are held in virtual time (test_reference_dialogues.py)
AT_ONCE = 8
CHOSEN = [
    "hello", "hello-wrong-hash", "hello-new-nonce", "session-after-power-cut", "no-session-yet", "delimiter-after-silence",
    "repeated-dispense", "sequence-wraps", "reject-keeps-sequence", "wrong-length", "garbage-between", "devices-words",
    "dispense-3", "lease-lost-in-feed", "inhibit-in-feed", "door-in-feed", "power-cut-in-sensor", "power-cut-when-recorded",
    "fault-jam", "fault-double-feed", "deck-loaded", "event-repeats", "events-survive-power-cut", "window-of-eight",
]  # fmt: skip


def run_one(host: Path, directory: Path, name: str) -> str:
    """Bring a fresh process to where the dialogues begin, then run one with run_dialogues.py; "" when it passed."""
    control = str(directory / secrets.token_hex(4))
    with running([str(host), "--control", control]) as port:
        bench = run_dialogues.LineBench(port, control)
        try:
            bring_to_the_beginning(bench, lambda: secrets.token_bytes(16), slack_ms=SLACK_MS)
        finally:
            bench.close()
        command = [sys.executable, str(VECTORS / "run_dialogues.py"), "--device", "shoe", "--line", port]
        command += ["--control", control, "--slack-ms", str(SLACK_MS), "--only", f"/{name}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=400)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    first = [one for one in told if one["id"] == STEM + name]
    assert first, f"{name}: {done.stdout}{done.stderr}"
    return "" if first[0]["result"] == "passed" else f"{name}: {first[0]}"


def run_all(host: Path, directory: Path, names: list[str]) -> list[str]:
    """Several at once: they wait more than they work."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [text for text in pool.map(lambda name: run_one(host, directory, name), names) if text]


def test_chosen_dialogues_on_a_port(host: Path, firmware_dir: Path) -> None:
    """LINK-1.1, LINK-4.3, LINK-5.1 to LINK-5.6, LINK-7.3, SHOE-3.2, SHOE-4.3 to SHOE-4.9, SHOE-8.2 on a real pty."""
    assert run_all(host, firmware_dir, CHOSEN) == []


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_all_dialogues_on_a_port(host: Path, firmware_dir: Path) -> None:
    """LINK-1.1 to SHOE-8.7: every dialogue that fits, in real time."""
    assert run_all(host, firmware_dir, [v["id"].removeprefix(STEM) for v in fitting()]) == []
