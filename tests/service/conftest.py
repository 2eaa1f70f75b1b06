"""Worlds and commands as processes stand with the demo's tests, a browser's manners with the console's."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS / "demo"), str(TESTS / "console")]
