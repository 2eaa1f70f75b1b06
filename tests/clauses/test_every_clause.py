"""The build fails when a clause of the regulations has no code, or no test that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardshoe.cli.clauses import Carried, search

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize("carried", search(TESTS), ids=lambda carried: carried.clause.id)
def test_a_clause_has_code_and_a_test(carried: Carried) -> None:
    assert carried.code, f"no code names it: {carried.clause.rule}"
    assert carried.tests, f"no test names it: {carried.clause.rule}"
