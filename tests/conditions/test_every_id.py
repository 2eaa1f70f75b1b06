"""Every condition, complaint and field report is named by a test: E01 to E36, S01 to S22, FR-01 to FR-51."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
RANGE = re.compile(r"FR-(\d\d) to FR-(\d\d)")


def _named() -> dict[str, set[str]]:
    """Each id, and the tests that name it in their own text: a list in a module's docstring does not count."""
    found: dict[str, set[str]] = {}
    for path in TESTS.rglob("test_*.py"):
        if path == Path(__file__):
            continue
        for function in re.split(
            r"^(?=(?:async )?def test_|    def test_)", path.read_text(encoding="utf-8"), flags=re.M
        )[1:]:
            name = re.match(r"\s*(?:async )?def (test_\w+)", function)
            assert name is not None
            for number in re.findall(r"\bFR-\d\d\b|\b[ES]\d\d\b", function):
                found.setdefault(number, set()).add(f"{path.relative_to(TESTS)}::{name[1]}")
    for path in (TESTS / "conditions" / "scenarios").glob("*.toml"):
        found.setdefault(path.stem.split("-")[0], set()).add(f"conditions/scenarios/{path.name}")
    return found


NAMED = _named()
IDS = [f"E{n:02}" for n in range(1, 37)] + [f"S{n:02}" for n in range(1, 23)] + [f"FR-{n:02}" for n in range(1, 52)]


@pytest.mark.parametrize("number", IDS)
def test_a_test_names_it(number: str) -> None:
    assert NAMED.get(number), f"no test names {number}"


def test_no_test_names_what_does_not_exist() -> None:
    assert sorted(number for number in NAMED if number not in IDS) == []
