"""The world dies, or loses its power, in the middle of a dispense; table and world die together (P1, P2).

The devices remember by their files, the table by its journal; what neither can say is asked of a person, and the robot
supervisor answers by looking. No stack comes twice.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import independent_verifier
import pytest
from crash_bench import Tables, World, judge, judge_whole

SLOW = "20"  # a stack then takes some 60 ms: long enough to be hit in the middle
WITHIN_S = 60.0
POWER_CUTS = ("recorded", "accepted", "entry", "exit_covered", "exit_cleared", "before_ready", "ready")


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    made = World(tmp_path, SLOW)
    yield Tables(made, tmp_path / "journal", speed=SLOW)
    made.kill()


def _wait_for_a_dispense(tables: Tables, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + WITHIN_S
    while not tables.world.dispenses():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.002)


def _in_a_dispense(tables: Tables, chance: random.Random, *, table_too: bool) -> int:
    """Kill the world in a dispense, and the table with it or not; return how the table ended."""
    tables.world.start()
    process = subprocess.Popen(tables.arguments(500), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _wait_for_a_dispense(tables, process)
    time.sleep(chance.uniform(0, 0.05))
    if table_too and chance.random() < 0.5:
        process.kill()
        tables.world.kill()
    elif table_too:
        tables.world.kill()
        process.kill()
    else:
        tables.world.kill()
    return process.wait(WITHIN_S)


def _deaths(tables: Tables, count: int, *, table_too: bool) -> None:
    chance = random.Random(count)
    for _ in range(count):
        status = _in_a_dispense(tables, chance, table_too=table_too)
        assert status == (-9 if table_too else 3)  # without hands and devices a table ends as one that has lost them
        assert judge(tables.journal, tables.world) == []
    tables.world.start()
    ended = tables.play(2)
    assert ended.status == 0, ended.err
    assert judge_whole(tables.journal, tables.world, ended.last) == []


def test_killed_in_a_dispense(tables: Tables) -> None:
    """P1, P2: table and world at once, twice in one journal."""
    _deaths(tables, 2, table_too=True)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("count", "table_too"), [(3, False), (20, True)], ids=["the world alone", "both at once"])
def test_killed_in_many_dispenses(tables: Tables, count: int, table_too: bool) -> None:
    """P1, P2: again and again in one journal; a robot without its hands ends after a while by itself."""
    _deaths(tables, count, table_too=table_too)


def _power_cut(tables: Tables, at: str, *, table_too: bool) -> None:
    """The shoe loses its power at one state of a dispense; it comes back while the table runs, or after its death."""
    tables.world.start()
    assert tables.world.ask(do="fault", kind="power_cut", at=at, stack=2, on_after_s=0.5)["ok"]
    if table_too:
        process = subprocess.Popen(tables.arguments(500), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        boots, end = tables.world.ask(do="counters")["boots"], time.monotonic() + WITHIN_S
        while tables.world.ask(do="counters")["boots"] == boots:
            assert time.monotonic() < end
            time.sleep(0.005)
        process.kill()
        process.wait()
        assert judge(tables.journal, tables.world) == []
    ended = tables.play(2)
    assert ended.status == 0, ended.err
    assert tables.world.ask(do="counters")["boots"] >= 2
    assert judge_whole(tables.journal, tables.world, ended.last) == []


def test_the_shoe_loses_its_power_in_a_dispense(tables: Tables) -> None:
    """P1, P2: in mid-feed, where the shoe cannot say what became of the card."""
    _power_cut(tables, "exit_covered", table_too=False)


@pytest.mark.nightly
@pytest.mark.parametrize("table_too", [False, True], ids=["the shoe alone", "both at once"])
@pytest.mark.parametrize("at", POWER_CUTS)
def test_the_shoe_loses_its_power_at_every_state(tables: Tables, at: str, table_too: bool) -> None:
    """P1, P2: every state of a dispense, the table killed as well or not."""
    _power_cut(tables, at, table_too=table_too)


def test_a_table_whose_reader_went_away_ends_in_good_order(tables: Tables) -> None:
    """P2: no signal ends a table, be it a device that hangs up or a reader of what it says; the journal is closed."""
    tables.world.start()
    process = subprocess.Popen(tables.arguments(1), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    assert (process.wait(WITHIN_S), b"Traceback" in said) == (1, False), said
    process.stderr.close()
    assert judge(tables.journal, tables.world) == []
    assert '"kind":"journal_closed"' in independent_verifier.read_rows(tables.journal)[-1][1]
