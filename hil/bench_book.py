"""What a run found: tests, measurements, verdicts on clauses, frames on the line.

Owns the book that the tests write into and that the report is made of. Knows nothing of pages or files.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from cardshoe.lab.conform.verdicts import Told, Verdict


@dataclass(frozen=True)
class Measurement:
    """Values with their limits; `most` and `least` None where there is none."""

    name: str
    values: tuple[float, ...]
    unit: str
    least: float | None
    most: float | None
    clause: str
    device: str

    @property
    def ok(self) -> bool:
        """Whether every value keeps the limits."""
        low = self.least is None or min(self.values) >= self.least
        return low and (self.most is None or max(self.values) <= self.most)

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.least is not None or self.most is not None

    def plain(self) -> dict[str, Any]:
        """For the machine-readable record."""
        told = {"name": self.name, "device": self.device, "clause": self.clause, "unit": self.unit, "ok": self.ok}
        told |= {"count": len(self.values), "median": statistics.median(self.values), "least": min(self.values)}
        return told | {"most": max(self.values), "limit_least": self.least, "limit_most": self.most}


@dataclass
class Tried:
    """One test: `outcome` is passed, failed, skipped or error."""

    name: str
    title: str
    clauses: tuple[str, ...]
    outcome: str = "not run"
    reason: str = ""
    seconds: float = 0.0
    excerpts: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass
class Book:
    """All of a run."""

    tried: dict[str, Tried] = field(default_factory=dict)
    measurements: list[Measurement] = field(default_factory=list)
    told: dict[str, tuple[Told, ...]] = field(default_factory=dict)
    tables: list[tuple[str, str, Sequence[Sequence[str]]]] = field(default_factory=list)
    broken: str | None = None

    def count(self, outcome: str) -> int:
        """How many tests ended so."""
        return sum(one.outcome == outcome for one in self.tried.values())

    @property
    def verdict(self) -> str:
        """In one word: PASSED, FAILED, BROKEN BENCH, or NOTHING RUN."""
        if self.broken:
            return "BROKEN BENCH"
        if self.count("failed") or self.count("error"):
            return "FAILED"
        return "PASSED" if self.count("passed") else "NOTHING RUN"

    def clause(self, told: Told) -> Verdict:
        """The verdict on a clause with what the tests of this bench say of it."""
        mine = [one.outcome for one in self.tried.values() if told.clause in one.clauses]
        if told.verdict is Verdict.BROKEN:
            return Verdict.BROKEN
        if "failed" in mine:  # a test shows several clauses: its failure breaks none by itself, and shows none
            return Verdict.NOT_SHOWN
        return Verdict.PASSED if told.verdict is Verdict.PASSED or "passed" in mine else Verdict.NOT_SHOWN
