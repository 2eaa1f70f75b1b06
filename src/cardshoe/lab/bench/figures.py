"""What a figure is: a value, the floor of the same run, the ratio of the two, and the target for one of them.

Owns the forms that every group of measurements returns, and the judgement. Must not know how anything is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol


class Measured(Enum):
    """What a target speaks of."""

    VALUE = "value"
    RATIO = "ratio"


@dataclass(frozen=True, slots=True)
class Target:
    """A bound for the value or for the ratio to the floor: `at_most` or, if not, at least `limit`."""

    of: Measured
    limit: float
    at_most: bool

    def met_by(self, measured: float) -> bool:
        """Tell whether `measured` keeps the bound."""
        return measured <= self.limit if self.at_most else measured >= self.limit

    def __str__(self) -> str:
        return f"{self.of.value} {'≤' if self.at_most else '≥'} {self.limit:,.10g}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure. `ratio` is value by floor value; `ok` is true where there is no target to miss."""

    name: str
    value: float
    unit: str
    floor: str | None = None
    floor_value: float | None = None
    target: Target | None = None

    @property
    def ratio(self) -> float | None:
        """Return value by floor, or None without a floor."""
        return self.value / self.floor_value if self.floor_value else None

    @property
    def ok(self) -> bool:
        """Tell whether the target is met. A ratio that could not be formed does not meet one."""
        if self.target is None:
            return True
        measured = self.value if self.target.of is Measured.VALUE else self.ratio
        return measured is not None and self.target.met_by(measured)

    def plain(self) -> dict[str, object]:
        """Return the figure as plain JSON."""
        return {
            "name": self.name,
            "value": significant(self.value),
            "unit": self.unit,
            "floor": self.floor,
            "floor_value": None if self.floor_value is None else significant(self.floor_value),
            "ratio": None if self.ratio is None else significant(self.ratio),
            "target": None if self.target is None else str(self.target),
            "ok": self.ok,
        }


@dataclass(frozen=True, slots=True)
class Skipped:
    """A figure that could not be measured here, and why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the groups share: how long to measure, and where on disk."""

    quick: bool
    directory: Path

    def times(self, full: int, quick: int) -> int:
        """Return how often to do something."""
        return quick if self.quick else full


Step = Callable[[float], None]
"""Told the share of a group that is done, 0 to 1."""


class Group(Protocol):
    """One group of measurements: yields its figures as they are found."""

    def __call__(self, conditions: Conditions, step: Step) -> Iterator[Figure | Skipped]: ...


def significant(number: float) -> float:
    """Return `number` with the four digits that a measurement can be worth."""
    return float(f"{number:.4g}")


def median(durations: Sequence[float]) -> float:
    """Return the middle one of sorted or unsorted durations."""
    return percentile(durations, 50)


def percentile(durations: Sequence[float], share: int) -> float:
    """Return the duration that `share` per cent of them do not exceed. Raises `ValueError` for none at all."""
    if not durations:
        raise ValueError("nothing was measured")
    ordered = sorted(durations)
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)]
