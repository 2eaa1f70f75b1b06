"""The suite is seen to fail: each wrong driver fails the body that is about its mistake, on real libusb."""

from __future__ import annotations

from pathlib import Path

import pytest
from front_kit import FrontProcess, judge
from front_wrong import MISTAKES


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_driver_is_caught(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FR-06, FR-34, FR-35, FR-38."""
    judge("usbfs")
    monkeypatch.setenv("FRONT_WRONG", mistake)
    monkeypatch.setenv("FRONT_PATIENCE_S", "3")  # how long a wrong one hangs
    front = FrontProcess("usbfs", tmp_path)
    try:
        verdict = front.run(MISTAKES[mistake][1])
    finally:
        front.close()
    assert verdict["ok"] is False, f"{mistake}: not noticed"
