"""The disk of a running table fails or is full: dealing stops, the shoe is inhibited, nothing untrue is told.

Promise P2, field report FR-45; the table ends with exit status 4 and its text, and goes on once the disk is good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from crash_bench import Tables, judge, judge_whole, world

from cardshoe.sim.messages import MESSAGES
from cardshoe.sim.wire import Deframer

Require = Callable[[str, str], str]
ROUNDS_NEVER_REACHED = 500
MOTION = {MESSAGES["shoe"][name].type for name in ("DISPENSE", "PREPARE_DECK")}
SET_INHIBIT = MESSAGES["shoe"]["SET_INHIBIT"].type


@pytest.fixture
def tables(require: Require, tmp_path: Path) -> Iterator[Tables]:
    strace = require("strace", "kills and disk errors at every syscall need it (apt: strace)")
    with world(tmp_path) as made:
        yield Tables(made, tmp_path / "journal", strace)


def _fails(tables: Tables, place: tuple[str, int], errno: str) -> None:
    ended, _, after = tables.fault_seen(place, f"error={errno}", ROUNDS_NEVER_REACHED)
    assert ended.status == 4, ended.err
    assert "journal" in ended.err
    assert "Traceback" not in ended.err
    frames = Deframer().feed(after)
    assert not [frame for frame in frames if frame.type in MOTION]
    inhibited = {frame.payload for frame in frames if frame.type == SET_INHIBIT}
    # A shoe that a busy computer has just lost cannot be told; its motors stop by the lease.
    assert inhibited == {b"\x01"} or (not inhibited and "no valid frame" in ended.err), ended.err
    assert judge(tables.journal, tables.world) == []


@pytest.mark.parametrize(("call", "number", "errno"), [("fdatasync", 30, "EIO"), ("pwrite64", 90, "ENOSPC")])
def test_dealing_stops_and_goes_on_with_a_good_disk(tables: Tables, call: str, number: int, errno: str) -> None:
    """P2, FR-45: exit status 4, the last that the shoe hears is that it is inhibited; then a good disk."""
    assert tables.play(1).status == 0
    _fails(tables, (call, number), errno)
    ended = tables.play(1)
    assert ended.status == 0, ended.err
    assert judge_whole(tables.journal, tables.world, ended.last) == []


def test_a_disk_that_is_full_once_costs_the_reserve_and_the_round_is_finished(tables: Tables) -> None:
    """P2, FR-45: the room kept back lets an open round come to its end."""
    assert tables.play(1).status == 0
    reserve = tables.journal.with_name("journal.reserve")
    assert reserve.stat().st_size == 1024 * 1024
    ended = tables.fault(("pwrite64", 90), "error=ENOSPC", 1)
    assert ended.status == 0, ended.err
    assert ended.injected
    assert not reserve.exists()
    assert judge_whole(tables.journal, tables.world, ended.last) == []


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("errno", ["EIO", "ENOSPC"])
def test_the_disk_fails_at_many_calls_of_a_round(tables: Tables, errno: str) -> None:
    """P2: every twelfth place of a round; the disk stays bad until the next start."""
    places = [place for place in tables.places(1) if place[0] in ("pwrite64", "fdatasync")][::12]
    assert len(places) > 15
    for place in places:
        ended = tables.fault(place, f"error={errno}", ROUNDS_NEVER_REACHED, onward=True)
        assert ended.injected, place
        assert ended.status == 4, f"{place}: {ended.err}"
        assert judge(tables.journal, tables.world) == [], place
    ended = tables.play(2)
    assert ended.status == 0, ended.err
    assert judge_whole(tables.journal, tables.world, ended.last) == []


@pytest.mark.nightly
def test_a_slow_disk_only_takes_longer(tables: Tables) -> None:
    """P2: each sync takes 30 ms more."""
    ended = tables.fault(("fdatasync", 1), "delay_enter=30ms", 1, onward=True)
    assert ended.status == 0, ended.err
    assert judge_whole(tables.journal, tables.world, ended.last) == []
