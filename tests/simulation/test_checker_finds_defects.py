"""The checker itself: defects put into the product on purpose are found, each as the promise that it breaks."""

from __future__ import annotations

import re

import pytest
from deliberate_defects import DEFECTS

from cardshoe.lab.simulation.runs import Order, Result, run

ROUNDS = 10
FULL_BUDGET_SEEDS = 100
"""1,000 rounds: what the checker may need at most."""
DEFAULT_SEEDS = 30
STARTS = {
    "resends a command that runs": 1009,
    "takes a lost command for a failed one": 36,
    "completes a round while a dispense is open": 15,
    "forgets a dispense when its round is void": 15,
}
"""Where the default run begins to look for the rare ones, to be quick; nightly runs begin anywhere."""


def _found(seeds: range) -> Result | None:
    return next((result for seed in seeds if (result := run(Order(seed, ROUNDS, "hostile"))).finding), None)


def test_there_are_enough_defects() -> None:
    assert len(DEFECTS) >= 15


@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Promises P1, P2, P3, P4, P5, P6, P9: each has defects here that break it, and each is found."""
    promise, spoil = DEFECTS[name]
    spoil(monkeypatch)
    start = STARTS.get(name, 1)
    result = _found(range(start, start + DEFAULT_SEEDS))
    assert result is not None, f"{name}: not found in {DEFAULT_SEEDS * ROUNDS} rounds"
    assert result.finding is not None
    assert re.fullmatch(promise, result.finding.promise), result.finding


@pytest.mark.nightly
@pytest.mark.parametrize("start", [1_001, 2_001, 3_001])
@pytest.mark.parametrize("name", DEFECTS)
def test_a_defect_is_found_from_any_seed_within_a_thousand_rounds(
    name: str, start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    promise, spoil = DEFECTS[name]
    spoil(monkeypatch)
    result = _found(range(start, start + FULL_BUDGET_SEEDS))
    assert result is not None, f"{name}: not found in {FULL_BUDGET_SEEDS * ROUNDS} rounds"
    assert result.finding is not None
    assert re.fullmatch(promise, result.finding.promise), result.finding
