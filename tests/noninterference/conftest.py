"""Commands and worlds as processes stand with the demo's tests: they are found from here."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "demo"))
