"""Conditions E01 to E36 and scenarios S01 to S22: the table does what the handbook says, one file each.

What a clear bench session or a virtual line cannot show is named in the file (`not_shown`), and what shows it instead
(`shown_by`: tests on a real pty, disk or process, which must exist and name the id).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from scenario import SCENARIOS, Play, load

FILES = sorted(SCENARIOS.glob("*.toml"))
TESTS = Path(__file__).parents[1]
EVERY = {f"E{number:02}" for number in range(1, 37)} | {f"S{number:02}" for number in range(1, 23)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_scenario(path: Path) -> None:
    scenario = load(path)
    assert scenario["id"] == path.stem.split("-")[0]
    assert scenario.get("then") or scenario.get("shown_by"), "a scenario that looks for nothing"
    if scenario.get("then"):
        Play(scenario).run()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_is_shown_elsewhere_exists_and_names_it(path: Path) -> None:
    scenario = load(path)
    for place in scenario.get("shown_by", ()):
        file, name = place.split("::")
        text = (TESTS / file).read_text(encoding="utf-8")
        assert f"def {name}(" in text, place
        body = text.split(f"def {name}(")[1].split("\ndef ")[0]
        assert scenario["id"] in body, f"{place} does not name {scenario['id']}"


def test_every_condition_and_every_complaint_has_a_file() -> None:
    assert {path.stem.split("-")[0] for path in FILES} == EVERY
