"""The journal's own crash harness is used here too: it is found from here."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "journal"))
