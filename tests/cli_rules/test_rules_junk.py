"""Junk anywhere in a line: always one answer, never a traceback; what is refused is refused whole."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardshoe.cli.json_lines import answer_line
from cardshoe.cli.plan import planned
from cardshoe.cli.rehearse import rehearsed
from cardshoe.cli.settle import settled

EXAMPLES = Path(__file__).parents[1] / "data" / "examples"
JUNK: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    1.5,
    10**30,
    10**13,
    "",
    "1",
    "7",
    "dealer",
    "all",
    "As",
    "check",
    "fold",
    "play 4x",
    "void",
    "\x00",
    "\ud800",
    "x" * 3000,
    [],
    ["As"],
    [[]],
    {},
    {"ante": 5},
    {"kind": "floor_ruling", "who": "all", "outcome": "void"},
    {"op": "settle", "position": "1"},
    [[[[[[[[]]]]]]]],
]


def _cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line)["case"] for line in (EXAMPLES / name).read_text().splitlines()]


PLANS: list[dict[str, Any]] = [
    {"id": game, "game": game, "method": method, "positions": ["1", "4"], "house": {"minimum_wager": {"ante": 5}}}
    for game in ("ultimate-texas-holdem", "texas-holdem-bonus", "three-card-poker", "mississippi-stud")
    for method in ("automated-shoe", "manual-shoe", "hand")
]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) within a JSON value."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        keys = list(value) if isinstance(value, dict) else range(len(value))
        for key in keys:
            found += [(value, key), *_places(value[key])]
    return found


def _spoilt(case: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    spoilt: dict[str, Any] = json.loads(json.dumps(case))
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        places = _places(spoilt)
        container, key = chance.choice(places)
        what = chance.randrange(4)
        if what == 0 and isinstance(container, list):
            container.insert(key, copy.deepcopy(chance.choice(JUNK)))
        elif what == 1:
            del container[key]
            if not _places(spoilt):
                break
        elif what == 2 and isinstance(container, dict):
            container[str(chance.choice(JUNK))[:50]] = container.pop(key)
        else:
            container[key] = copy.deepcopy(chance.choice(JUNK))
    return spoilt


@pytest.mark.parametrize(
    ("cases", "answer"),
    [(_cases("settle.jsonl"), settled), (_cases("rehearse.jsonl"), rehearsed), (PLANS, planned)],
    ids=["settle", "rehearse", "plan"],
)
@pytest.mark.parametrize("seed", range(8))
def test_junk(cases: list[dict[str, Any]], answer: Callable[..., dict[str, object]], seed: int) -> None:
    """One answer a line, which is JSON of the public form; a refusal has code, text and clause and is short."""
    chance = random.Random(f"{seed} junk")
    for _ in range(250):
        raw = json.dumps(_spoilt(chance.choice(cases), chance)).encode()
        given = answer_line(1, raw, answer)
        json.dumps(given, allow_nan=False)
        if "error" in given:
            error = given["error"]
            assert isinstance(error, dict)
            assert set(error) == {"code", "text", "cites"}
            assert 5 < len(error["text"]) <= 600
            assert set(given) == {"id", "error"}
