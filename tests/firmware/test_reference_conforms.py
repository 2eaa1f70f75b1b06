"""The reference firmware as a device that a maker hands in: `cardshoe conform`, at its normal settings."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from firmware_kit import running

CONFORM = [sys.executable, "-m", "cardshoe", "conform"]
LACKS = ("does not say that it has", "no vector asks")
QUICK = "LINK-2.3"  # what begins anywhere: no deck is counted for it


def conformed(host: Path, directory: Path, *options: str, within_s: int) -> tuple[int, dict[str, Any]]:
    """The status and the verdicts of one run against a process with blank memory."""
    control = str(directory / "hands")
    with running([str(host), "--control", control]) as port:
        command = [*CONFORM, f"serial://{port}", "--control", control, "--json", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=within_s)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


def broken(found: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """What is said of each broken clause."""
    said = [one for one in found["clauses"] if one["verdict"] == "broken"]
    return [(one["clause"], one["shown_by"], one["expected"], one["came"]) for one in said]


def test_what_is_received_conforms(host: Path, tmp_path: Path) -> None:
    """LINK-2.3: the frames of the vectors on a real pty, the good ones and those of wrong lengths."""
    status, found = conformed(host, tmp_path, "--clause", QUICK, "--slack-ms", "5000", within_s=200)
    assert (status, broken(found)) == (0, [])
    (one,) = [one for one in found["clauses"] if one["clause"] == QUICK]
    assert one["passed_dialogues"] >= 20


@pytest.mark.nightly
@pytest.mark.timeout(5400)
def test_all_of_it_conforms(host: Path, tmp_path: Path) -> None:
    """LINK-1 to LINK-8, SHOE-1 to SHOE-8: no clause is broken; what is not shown it does not claim to have."""
    status, found = conformed(host, tmp_path, within_s=5000)
    assert (status, broken(found)) == (0, [])
    left_out = [one for one in found["clauses"] if one["verdict"] == "not shown"]
    assert [one for one in left_out if not any(text in one["reason"] for text in LACKS)] == []
    assert found["counts"]["passed"] >= 91
