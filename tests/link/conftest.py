"""The vectors' own ciphers stand with the protocol, not with the tests: they are found from here."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "firmware_protocols" / "vectors"))
