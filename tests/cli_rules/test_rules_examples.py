"""The published examples, through the commands as a person runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cardshoe.cli.json_lines import answer_line
from cardshoe.cli.rehearse import rehearsed
from cardshoe.cli.settle import settled

EXAMPLES = Path(__file__).parents[1] / "data" / "examples"


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLES / name).read_text().splitlines()]


def _differences(expected: object, given: object, where: str = "") -> list[str]:
    """What `expected` says and `given` does not hold; nothing else is said."""
    if isinstance(expected, dict):
        if not isinstance(given, dict):
            return [f"{where}: {given!r} is no object"]
        found: list[str] = []
        for key, value in expected.items():
            found += _differences(value, given.get(key, "(missing)"), f"{where}.{key}")
        return found
    return [] if expected == given else [f"{where}: expected {expected!r}, got {given!r}"]


@pytest.mark.parametrize("example", _lines("settle.jsonl"), ids=lambda example: example["case"]["id"])
def test_settle_example(example: dict[str, Any]) -> None:
    """Each example names its clauses itself."""
    answer = answer_line(1, json.dumps(example["case"]).encode(), settled)
    assert answer["id"] == example["case"]["id"]
    if example["expect"].get("error"):
        assert answer.keys() == {"id", "error"}
        return
    assert _differences(example["expect"], answer) == []


@pytest.mark.parametrize("example", _lines("rehearse.jsonl"), ids=lambda example: example["case"]["id"])
def test_rehearse_example(example: dict[str, Any]) -> None:
    """Each example names its clauses itself."""
    answer = answer_line(1, json.dumps(example["case"]).encode(), rehearsed)
    accepted: Any = answer["accepted"]
    assert len(accepted) == len(example["case"]["operations"])
    for index, expected in example["expect"]["accepted_at"].items():
        assert accepted[int(index)] is expected, f"operation {index}: {answer['refusals']}"
    refusals: Any = answer["refusals"]
    assert [each["index"] for each in refusals] == [at for at, ok in enumerate(accepted) if not ok]
