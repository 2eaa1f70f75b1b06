"""The host's link does what the dialogues of role "host" say (link-v1, the clauses that bind a host)."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from host_runner import HostRunner
from patterns import VectorFailed
from vector_files import dialogues, id_of


def run(vector: dict[str, Any]) -> None:
    """Run one dialogue; each has its own link and its own time."""
    HostRunner(vector["device"], fresh_nonces(vector["id"])).run(vector["steps"])


def fresh_nonces(seed: str) -> Callable[[], bytes]:
    """Nonces that are fresh each time and the same at every run."""
    drawn = random.Random(seed)
    return lambda: drawn.randbytes(16)


@pytest.mark.parametrize("vector", dialogues("host"), ids=id_of)
def test_the_host_does_what_the_dialogue_says(vector: dict[str, Any]) -> None:
    """Each dialogue names its clauses itself."""
    run(vector)


def test_a_wrong_dialogue_fails() -> None:
    """The runner is able to fail: a HELLO expected with a foreign spec hash never comes."""
    vector = next(v for v in dialogues("host") if v["id"].endswith("/hello"))
    steps = [dict(step) for step in vector["steps"]]
    steps[-1] = {"expect": {"message": "HELLO", "fields": {"spec_hash": 64 * "0"}}, "within_ms": 60}
    with pytest.raises(VectorFailed, match="came HELLO"):
        run(vector | {"steps": steps})
