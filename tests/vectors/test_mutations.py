"""Each clause that the simulator can break is caught by a dialogue that cites it, and that dialogue passes unbroken."""

from __future__ import annotations

import pytest
from vector_files import dialogues
from world_bench import fails

from cardshoe.sim.mutations import MUTATIONS


@pytest.mark.parametrize("clause", sorted(MUTATIONS))
def test_a_broken_clause_is_caught(clause: str) -> None:
    """P8: the vectors arbitrate. The clause is the parameter."""
    citing = [vector for vector in dialogues("device") if clause in vector["clauses"]]
    assert citing, f"no dialogue cites {clause}"
    caught = next((v for v in citing if fails(v, mutations=frozenset({clause}))), None)
    assert caught is not None, f"{clause} is broken ({MUTATIONS[clause]}), and every dialogue that cites it passes"
    assert fails(caught, mutations=frozenset()) is None
