"""The bench suite's parts stand in `hil/`, not with the tests: they are found from here."""

from __future__ import annotations

import sys
from pathlib import Path

HIL = Path(__file__).parents[2] / "hil"
sys.path.append(str(HIL))
