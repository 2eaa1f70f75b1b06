"""Killed, or told of a disk error, at any call that changes a file: nothing acknowledged is lost (promise P2).

A harness must be seen to fail: the writer that acknowledges first has to be found by the same harness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from strace_bench import KILL, Bench, Place, bench, judge

Require = Callable[[str, str], str]


@pytest.fixture
def harness(require: Require, tmp_path: Path) -> Iterator[Bench]:
    strace = require("strace", "kills and disk errors at every syscall need it (apt: strace)")
    with bench(strace, tmp_path) as found:
        yield found


def _sweep(
    harness: Bench,
    work: Path,
    appends: int,
    mode: str,
    fault: str,
    *,
    threads: tuple[str, ...] = ("main", "writer"),
    every: int = 1,
    **how: bool,
) -> tuple[int, list[str]]:
    """Every place (or one of `every`) of the threads; return how many there were, and what was wrong where."""
    bad: list[str] = []
    tried = 0
    for thread in threads:
        for place in harness.places(work / f"whole-{thread}.db", thread, appends)[::every]:
            path = _fresh(work, place)
            death = harness.fault(path, place, appends, mode, fault, **how)
            assert death.injected, f"nothing was injected at {place}"
            tried += 1
            if fault == KILL:
                assert death.ended == -9, f"{place}: {death}"
            else:
                assert death.ended in (0, 4), f"{place}: {death}"
                assert (death.ended == 4) == (death.error is not None)
            wrong = judge(path, death.acknowledged)
            if wrong is not None:
                bad.append(f"{fault} at {place}: {wrong}")
    return tried, bad


def _fresh(work: Path, place: Place) -> Path:
    directory = work / f"{place.thread}-{place.call}-{place.number}"
    directory.mkdir()
    return directory / "table.db"


def test_killed_anywhere_nothing_acknowledged_is_lost(harness: Bench, tmp_path: Path) -> None:
    """P2: from the making of the journal to its close, with one append; every place."""
    tried, bad = _sweep(harness, tmp_path, 1, "right", KILL)
    assert bad == []
    assert tried > 60


def test_a_writer_that_acknowledges_first_is_found(harness: Bench, tmp_path: Path) -> None:
    """The harness itself: killed before the commit, such a writer has promised what is not there."""
    _, bad = _sweep(harness, tmp_path, 1, "ack-first", KILL, threads=("writer",), every=3)
    assert [text for text in bad if "records acknowledged" in text] != []


@pytest.mark.parametrize("errno", ["EIO", "ENOSPC", "EROFS"])
def test_after_a_disk_error_nothing_acknowledged_is_lost(harness: Bench, tmp_path: Path, errno: str) -> None:
    """P2, FR-09: one error at one place, at a third of the places: reported with exit 4, or it did no harm."""
    _, bad = _sweep(harness, tmp_path, 1, "right", f"error={errno}", every=3)
    assert bad == []


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_killed_anywhere_in_a_longer_run(harness: Bench, tmp_path: Path) -> None:
    """P2: twenty appends."""
    tried, bad = _sweep(harness, tmp_path, 20, "right", KILL)
    assert bad == []
    assert tried > 120


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_a_writer_that_acknowledges_first_is_found_at_many_places(harness: Bench, tmp_path: Path) -> None:
    """The harness itself, over the longer run."""
    _, bad = _sweep(harness, tmp_path, 20, "ack-first", KILL)
    assert len([text for text in bad if "records acknowledged" in text]) > 20


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("onward", [False, True], ids=["once", "from there on"])
@pytest.mark.parametrize("errno", ["EIO", "ENOSPC", "EROFS"])
def test_a_disk_error_anywhere_loses_nothing(harness: Bench, tmp_path: Path, errno: str, onward: bool) -> None:
    """P2: the disk fails once, or fails and stays failed, at every place of a run of eight appends."""
    _, bad = _sweep(harness, tmp_path, 8, "right", f"error={errno}", onward=onward)
    assert bad == []
