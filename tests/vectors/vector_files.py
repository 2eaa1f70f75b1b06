"""Reads the committed vectors, as a maker of devices would."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

PROTOCOLS = Path(__file__).parents[2] / "firmware_protocols"
VECTORS = PROTOCOLS / "vectors"


@cache
def lines(name: str) -> tuple[dict[str, Any], ...]:
    """Return the vectors of `name`, such as "frames", in order."""
    text = (VECTORS / f"{name}.jsonl").read_text(encoding="ascii")
    return tuple(json.loads(line) for line in text.splitlines())


def dialogues(role: str) -> list[dict[str, Any]]:
    """Return the dialogues of one role."""
    return [vector for vector in lines("dialogues") if vector["role"] == role]


def id_of(vector: dict[str, Any]) -> str:
    """The id, for pytest."""
    return str(vector["id"])
