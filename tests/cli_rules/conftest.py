"""What the tests of `settle`, `plan` and `rehearse` share: running a command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from rules_kit import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `cardshoe COMMAND` as a process on bytes given to its standard input."""

    def call(command: str, given: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "cardshoe", command, *arguments],
            input=given,
            capture_output=True,
            timeout=60,
            cwd=tmp_path,
        )

    return call
