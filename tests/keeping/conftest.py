"""Devices after the prose stand with the link's tests, keys and journals to break with the rooms that own them."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "link"), str(ROOT / "firmware_protocols" / "vectors")]
sys.path += [str(ROOT / "tests" / room) for room in ("sealed", "journal", "people")]
