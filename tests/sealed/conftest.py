"""Devices after the prose stand with the link's tests, the ciphers with the protocol: both are found from here,
and with them worlds and tables as processes.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests" / "link"), str(ROOT / "firmware_protocols" / "vectors")]
sys.path.insert(0, str(ROOT / "tests" / "vectors"))
sys.path += [str(ROOT / "tests" / room) for room in ("demo", "sim", "noninterference")]
