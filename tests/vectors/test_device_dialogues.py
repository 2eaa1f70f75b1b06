"""The simulated devices do what the dialogues of role "device" say, in virtual time."""

from __future__ import annotations

from typing import Any

import pytest
from patterns import VectorFailed
from vector_files import dialogues, id_of
from world_bench import run


@pytest.mark.parametrize("vector", dialogues("device"), ids=id_of)
def test_the_device_does_what_the_dialogue_says(vector: dict[str, Any]) -> None:
    """Each dialogue names its clauses itself."""
    run(vector)


def test_a_wrong_dialogue_fails() -> None:
    """The runner is able to fail: two cards are ordered and three expected."""
    vector = next(v for v in dialogues("device") if v["id"].endswith("/dispense-3"))
    text = [
        step | ({"expect": step["expect"] | {"fields": {"cards": 4}}} if "expect" in step else {})
        for step in vector["steps"]
    ]
    with pytest.raises(VectorFailed):
        run(vector | {"steps": text})
