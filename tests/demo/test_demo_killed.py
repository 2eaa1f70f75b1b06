"""The demo is killed, again and again, while its world goes on: rounds complete and no stack is dealt twice."""

from __future__ import annotations

import json
import random
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from demo_bench import Elsewhere, check, command, demo, elsewhere

SPEED = "100"


def _killed_at(world: Elsewhere, journal: Path, moment_s: float, game: str) -> None:
    arguments = ("demo", "--headless", "--json", "--speed", SPEED, "--seed", "8", "--game", game, "--journal", journal)
    process = subprocess.Popen(command(*arguments, *world.options), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    # Killed so long after its first record; how long it needs to start says nothing.
    _until_written(journal, process)
    time.sleep(moment_s)
    process.kill()
    process.communicate()
    assert process.returncode == -9


def _until_written(journal: Path, process: subprocess.Popen[Any]) -> None:
    before = _written(journal)
    end = time.monotonic() + 60
    while _written(journal) == before:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < end
        time.sleep(0.01)


def _written(journal: Path) -> int:
    """When the write-ahead file was last written; it is written over from its beginning, so its size says nothing."""
    seen = journal.with_name("journal-wal")
    return seen.stat().st_mtime_ns if seen.exists() else 0


def _play_on(tmp_path: Path, seed: int, kills: int, game: str) -> None:
    dice = random.Random(seed)
    journal = tmp_path / "journal"
    with elsewhere(tmp_path, state=True) as world:
        for _ in range(kills):
            _killed_at(world, journal, dice.uniform(0.05, 2.0), game)
        ended = demo("--rounds", 2, "--seed", 8, "--game", game, "--journal", journal, *world.options)
        assert ended.status == 0, ended.err
        counters = world.ask(do="counters")
    assert ended.last["completed"] == 2, ended.out
    told = check(journal, ended.last)
    ready = [each["body"]["command_id"] for each in told if each["kind"] == "shoe_reported" and _is_ready(each)]
    assert len(ready) == len(set(ready)) == ended.last["stacks_dispensed"]
    # What the machine did and what the journal asked for are the same: no stack twice, none lost.
    assert counters["stacks_dispensed"] == ended.last["stacks_dispensed"] == ended.last["stacks_requested"]
    assert counters["feeds_started"] == counters["stacks_dispensed"]
    assert not any(each["kind"] == "settled" and each["body"]["voided"] for each in told)


def _is_ready(record: dict[str, object]) -> bool:
    body = record["body"]
    return isinstance(body, dict) and body["event"] == "StackReady"


def test_killed_twice_at_seeded_moments(tmp_path: Path) -> None:
    """P1, P2: the process is gone at any instant; the round comes back where it was."""
    _play_on(tmp_path, seed=1, kills=2, game="ultimate-texas-holdem")


@pytest.mark.nightly
@pytest.mark.parametrize("game", ["ultimate-texas-holdem", "texas-holdem-bonus", "three-card-poker"])
def test_killed_ten_times_at_seeded_moments(tmp_path: Path, game: str) -> None:
    """P1, P2: ten kills in one journal, each game."""
    _play_on(tmp_path, seed=2, kills=10, game=game)


@pytest.mark.nightly
def test_demo_and_world_are_both_killed(tmp_path: Path) -> None:
    """P1, P2: the devices remember by --state; what they cannot say a person looks at, and rounds go on."""
    dice = random.Random(3)
    journal = tmp_path / "journal"
    world = Elsewhere(tmp_path, state=True)
    try:
        for _ in range(6):
            world.start()
            _killed_at(world, journal, dice.uniform(0.1, 2.0), "ultimate-texas-holdem")
            world.kill(9)
        world.start()
        ended = demo("--rounds", 2, "--seed", 8, "--journal", journal, *world.options)
        counters = world.ask(do="counters")
    finally:
        world.kill()
    assert ended.status == 0, ended.err
    assert ended.last["completed"] + ended.last["voided"] == 2
    check(journal, ended.last)
    assert counters["feeds_started"] <= ended.last["stacks_requested"]


@pytest.mark.nightly
def test_the_world_is_killed_and_restarted_under_a_running_demo(tmp_path: Path) -> None:
    """P1, P2: both devices lose their power at seeded moments; the demo finds them again and asks what they did."""
    dice = random.Random(4)
    journal = tmp_path / "journal"
    world = Elsewhere(tmp_path, state=True).start()
    arguments = ("demo", "--headless", "--json", "--speed", SPEED, "--seed", 8, "--rounds", 8, "--journal", journal)
    process = subprocess.Popen(
        command(*arguments, *world.options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        for _ in range(3):
            _until_written(journal, process)
            time.sleep(dice.uniform(0.2, 2.0))
            world.kill(9)
            world.start()
        out, err = process.communicate(timeout=240)
        counters = world.ask(do="counters")
    finally:
        process.kill()
        world.kill()
    assert process.returncode == 0, err
    last = json.loads(out.splitlines()[-1])
    assert last["completed"] + last["voided"] == 8
    check(journal, last)
    assert counters["feeds_started"] <= last["stacks_requested"]
