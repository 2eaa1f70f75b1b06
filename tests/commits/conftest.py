"""The tests of commitments share the robot and the dealer of other rooms."""

from __future__ import annotations

import sys
from pathlib import Path

for room in ("table", "lab"):
    sys.path.insert(0, str(Path(__file__).parents[1] / room))
