"""What each stable error code means: severity, who may clear it, what the dealer is told.

Owns the table, joined from one file for each part of the house; a test compares it with every code that the source
raises. Codes are never reused for another meaning. Texts for the dealer are short enough for an 800 × 480 screen and
say what to do.
"""

from __future__ import annotations

from typing import Final

from cardshoe.error_table import devices, record, rules, table, tools
from cardshoe.error_table.meaning import Clears, Meaning, Severity

__all__ = ["ERROR_TABLE", "Clears", "Meaning", "Severity"]

ERROR_TABLE: Final[dict[str, Meaning]] = {**devices.ROWS, **rules.ROWS, **record.ROWS, **table.ROWS, **tools.ROWS}
