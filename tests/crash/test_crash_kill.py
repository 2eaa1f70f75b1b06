"""The whole table is killed at each call that changes its journal; it comes back where it was (P1, P2, G8).

One journal and one world live through all deaths of a test: each restart finds what the last death left. After each
death the journal on disk is compared with the memory of the devices, at the end with what the machine did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from crash_bench import AT_CLOSE, KILL, Tables, judge, judge_whole, world

Require = Callable[[str, str], str]
ROUNDS_NEVER_REACHED = 500


@pytest.fixture
def tables(require: Require, tmp_path: Path) -> Iterator[Tables]:
    strace = require("strace", "kills and disk errors at every syscall need it (apt: strace)")
    with world(tmp_path) as made:
        yield Tables(made, tmp_path / "journal", strace)


def _spread(places: Sequence[tuple[str, int]], count: int) -> list[tuple[str, int]]:
    return [places[at * len(places) // count] for at in range(count)]


def _deaths(tables: Tables, places: Sequence[tuple[str, int]]) -> list[str]:
    bad: list[str] = []
    for place in places:
        ended = tables.fault(place, KILL, 1 if place[0] in AT_CLOSE else ROUNDS_NEVER_REACHED)
        assert ended.injected, f"nothing was injected at {place}: {ended.err}"
        assert ended.status == -9, f"{place}: {ended}"
        bad += [f"killed at {place}: {wrong}" for wrong in judge(tables.journal, tables.world)]
    return bad


def _killed_at(tables: Tables, places: Sequence[tuple[str, int]]) -> list[str]:
    bad = _deaths(tables, places)
    ended = tables.play(2)
    assert ended.status == 0, ended.err
    return bad + judge_whole(tables.journal, tables.world, ended.last)


def test_killed_all_over_a_round_the_table_comes_back(tables: Tables) -> None:
    """P1, P2, C5: 24 places spread over the calls of a round."""
    places = tables.places(1)
    assert len(places) > 150
    assert _killed_at(tables, _spread(places, 24)) == []


def test_a_table_that_acts_before_its_record_is_on_disk_is_found(tables: Tables) -> None:
    """The harness itself: such a table has told the devices what its journal does not know."""
    places = tables.places(1)
    tables.wrong = True
    for place in _spread([place for place in places if place[0] == "pwrite64"], 12)[2:]:
        if any("is not in the journal" in wrong or "let go of" in wrong for wrong in _deaths(tables, [place])):
            return
    pytest.fail("a table that acts first was never found out")


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_killed_at_every_call_of_a_round(tables: Tables, capsys: pytest.CaptureFixture[str]) -> None:
    """P1, P2, C5, G8: every place of a round, at least 300."""
    places = tables.places(1)
    while len(places) < 300:
        places += tables.places(1)
    assert _killed_at(tables, places) == []
    ready = sorted(tables.restarts_ms)
    with capsys.disabled():
        print(
            f"\nkilled at {len(places)} places, 0 lost; {len(ready)} restarts under strace: start of the process to the"
            f" shoe's answer median {ready[len(ready) // 2]:.0f} ms, longest {ready[-1]:.0f} ms"
        )
