"""Each clause that the simulator can break is caught by a dialogue that cites it, and that dialogue passes unbroken.

Those that show only to who has keys are found in tests/sim/test_sim_broken_security.py, which a test there completes.
"""

from __future__ import annotations

import pytest
from vector_files import dialogues
from world_bench import fails

from cardshoe.sim.mutations import MUTATIONS, NEEDS_KEYS


@pytest.mark.parametrize("clause", sorted(set(MUTATIONS) - NEEDS_KEYS))
def test_a_broken_clause_is_caught(clause: str) -> None:
    """P8: the vectors arbitrate. The clause is the parameter."""
    citing = [vector for vector in dialogues("device") if clause in vector["clauses"]]
    assert citing, f"no dialogue cites {clause}"
    caught = next((v for v in citing if fails(v, mutations=frozenset({clause}))), None)
    assert caught is not None, f"{clause} is broken ({MUTATIONS[clause]}), and every dialogue that cites it passes"
    assert fails(caught, mutations=frozenset()) is None
