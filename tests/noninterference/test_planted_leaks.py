"""The test of the test: each of these leaks, planted on purpose, is found (promise P4, T2, T3)."""

from __future__ import annotations

from pathlib import Path

import planted_leaks
import pytest
from pairs import Plant, Setup, try_pairs

SETUP = Setup("ultimate-texas-holdem", "automated-shoe", 11)


@pytest.mark.parametrize("plant", planted_leaks.LEAKS, ids=lambda each: each.__name__)
def test_a_planted_leak_is_found(plant: Plant, tmp_path: Path) -> None:
    """By some of a few pairs; none of them is found where nothing is planted."""
    files = plant in (planted_leaks.file_name, planted_leaks.retained_tap)
    found = try_pairs(SETUP, 30, plant=plant, pictures=False, folder=tmp_path if files else None)
    assert found, plant.__doc__


def test_nothing_is_found_where_nothing_is_planted() -> None:
    """The same pairs, without a leak."""
    assert try_pairs(SETUP, 6, pictures=False) == []
