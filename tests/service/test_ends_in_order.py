"""A demo that is ended while it still loads ends as one that runs: status 130, nothing left behind (exit statuses)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_demo_that_loads_ends_in_order(number: signal.Signals, tmp_path: Path) -> None:
    """E01: the world that was started first is taken down, and no traceback is shown."""
    command = [sys.executable, "-m", "cardshoe", "demo", "--headless", "--rounds", "500", "--journal", "journal"]
    demo = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not (worlds := _children(demo.pid)):
        assert time.monotonic() < until
        time.sleep(0.005)
    demo.send_signal(number)
    _out, err = demo.communicate(timeout=120)
    assert demo.returncode == 130, err
    assert "Traceback" not in err
    while not all(map(_gone, worlds)):
        assert time.monotonic() < until + 60
        time.sleep(0.01)
