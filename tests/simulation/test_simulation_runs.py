"""Whole tables under a virtual clock: no promise is broken, and a seed is a run, byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from cardshoe.lab.simulation.batch import outcomes
from cardshoe.lab.simulation.runs import PLAYABLE, Order, Result, run
from cardshoe.lab.simulation.shrink import command
from cardshoe.lab.simulation.troubles import LEVELS, drawn


def _unbroken(result: Result) -> None:
    assert result.finding is None, f"{result.finding}\n{command(result.order)}"
    assert result.rounds >= result.order.rounds


@pytest.mark.parametrize("game", PLAYABLE)
@pytest.mark.parametrize("seed", range(1, 6))
def test_no_promise_is_broken_in_hostile_rounds(game: str, seed: int) -> None:
    """Promises P1, P2, P3, P4, P5, P6, P9 and the money, with every kind of fault."""
    _unbroken(run(Order(seed, 10, "hostile", game)))


@pytest.mark.parametrize("game", PLAYABLE)
def test_undisturbed_rounds_are_all_completed(game: str) -> None:
    """NY-5324.35(d)(2), NY-5324.36(d)(2): with nothing wrong, no round is void and nothing waits."""
    result = run(Order(7, 6, "none", game))
    _unbroken(result)
    assert (result.completed, result.voided, result.troubles, result.kills, result.gave_up) == (6, 0, 0, 0, 0)


@pytest.mark.nightly
@pytest.mark.parametrize("level", ["light", "heavy", "hostile"])
@pytest.mark.parametrize("first", range(10_001, 10_401, 50))
def test_no_promise_is_broken_in_many_rounds(level: str, first: int) -> None:
    for seed in range(first, first + 50):
        _unbroken(run(Order(seed, 20, level)))


LATER = ("deaf", "clock set", "corrects")
"""Kinds of trouble that were added since."""
SEEDS_THAT_FOUND_SOMETHING = [
    # A command that the shoe never saw was sent again while a question was open (P5).
    Order(18, 10, "hostile"),
    Order(21, 10, "hostile"),
    Order(28, 10, "hostile"),
    Order(32, 10, "hostile"),
    Order(40, 10, "hostile"),
    # A fault behind another one was never cleared: requested and refused (faulted) for ever (P9).
    Order(2022, 10, "hostile"),
    # A cover card in the mouth was seen by nobody: the gate was never cleared (P9).
    Order(141, 10, "hostile"),
]


@pytest.mark.parametrize("order", SEEDS_THAT_FOUND_SOMETHING, ids=command)
def test_seeds_that_once_broke_a_promise(order: Order) -> None:
    """Promises P5 and P9, and whatever else these seeds come upon; with the troubles that they had then."""
    then = frozenset(each.key for each in drawn(order.seed, order.level, order.rounds) if each.kind not in LATER)
    _unbroken(run(replace(order, only=then)))


@pytest.mark.parametrize(
    "order",
    [
        # The round was void and completed before the shoe had said what became of its last command; then it ran (P3).
        Order(49, 10, "hostile"),
        Order(60, 10, "hostile"),
        Order(2195, 10, "hostile"),
        # The checker took a card that had slid out for the stack that was told under the same command.
        Order(20743, 10, "hostile"),
        # The checker took what was in the gate from the round before for a stack of this one.
        Order(30727, 3, "hostile"),
        # A dispense waited in the link for the answer before it, and left although a question was open by then (P5).
        Order(
            80272,
            7,
            "hostile",
            "mississippi-stud",
            frozenset(("k2.2", "k2.3", "k2.4", "k4.7", "k4.9", "k5.1", "k5.2", "k6.1", "k6.5"))
            | {"k7.3", "k7.5", "k7.51", "k7.7"},
        ),
        # A correction that moves an entry to another position, undone and done again by the checker's own account.
        Order(4, 10, "hostile", "texas-holdem-bonus", frozenset({"k6.2"})),
    ],
    ids=command,
)
def test_seeds_that_broke_a_promise_or_misled_the_checker(order: Order) -> None:
    """Promises P1, P3 and P6, with every trouble of these seeds."""
    _unbroken(run(order))


# --- the same run again


def test_a_seed_gives_the_same_run_byte_for_byte() -> None:
    """Entries and bytes on both lines have the same digest; another seed has another."""
    first = run(Order(3, 6, "hostile"))
    assert run(Order(3, 6, "hostile")) == first
    assert run(Order(4, 6, "hostile", first.game)).digest != first.digest


def test_a_seed_gives_the_same_run_in_another_process() -> None:
    here = run(Order(3, 6, "hostile"))
    words = ["simulate", "--seeds", "3..3", "--rounds", "6", "--faults", "hostile", "--json", "--jobs", "1"]
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-m", "cardshoe", *words],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[0])["digest"] == here.digest


def test_several_processes_give_what_one_gives() -> None:
    orders = [Order(seed, 3, "heavy") for seed in range(1, 5)]
    one = {result.order: result.digest for result, _ in outcomes(orders, jobs=1)}
    many = {result.order: result.digest for result, _ in outcomes(orders, jobs=2)}
    assert one == many


def test_fewer_rounds_are_the_beginning_of_more() -> None:
    """What a replay with fewer rounds rests on: the troubles of a round depend on that round alone."""
    for level in LEVELS:
        assert drawn(5, level, 4) == tuple(each for each in drawn(5, level, 9) if each.round <= 4)


def test_only_leaves_the_other_troubles_as_they_are() -> None:
    every = drawn(5, "hostile", 6)
    keys = frozenset(each.key for each in every[::2])
    assert drawn(5, "hostile", 6, keys) == every[::2]
    order = Order(5, 3, "hostile", only=frozenset())
    assert run(order).troubles == 0
    assert run(replace(order, only=None)).troubles > 0


def test_every_level_draws_more_than_the_one_before() -> None:
    counts = [sum(len(drawn(seed, level, 50)) for seed in range(10)) for level in LEVELS]
    assert counts[0] == 0
    assert counts == sorted(set(counts))


def test_troubles_of_every_kind_happen() -> None:
    """Mechanics, sensors, deck, reader, power, resets, lines, plugs, the controller's computer, and people."""
    kinds = {each.kind for seed in range(60) for each in drawn(seed, "hostile", 30)}
    wanted = {"jam", "double_feed", "short_feed", "slip", "stuck", "sensor_chatter", "missed_passage", "face_up"}
    wanted |= {"usb_drop", "power_cut", "device_reset", "reset", "power_off", "watchdog_reset", "memory_corrupt"}
    wanted |= {
        "drop",
        "deaf",
        "flip",
        "burst",
        "duplicate",
        "delay",
        "split",
        "trickle",
        "babble",
        "stall",
        "unplug",
        "clear",
    }
    wanted |= {"misread", "unreadable", "foreign_read", "duplicate_read", "previous_read", "lens_dirty", "glare"}
    wanted |= {"missing_card", "duplicate_card", "foreign_card", "extra_card", "joker", "face_up_in_deck", "door"}
    wanted |= {"mode", "unexpected_card", "cover card", "stub taken", "taken early", "turned early", "crash"}
    wanted |= {"slow disk", "clock set", "corrects", "wrong act", "wrong role", "slow", "leaves"}
    assert wanted <= kinds
