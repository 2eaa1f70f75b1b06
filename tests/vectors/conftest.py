"""The vectors' own modules stand with the protocol, not with the tests: they are found from here."""

from __future__ import annotations

import sys
from pathlib import Path

VECTORS = Path(__file__).parents[2] / "firmware_protocols" / "vectors"
sys.path.insert(0, str(VECTORS))
