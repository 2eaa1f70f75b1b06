"""The robot supervisor answers every question in the lawful way, and the table goes on.

Each fault of the simulated world at the second stack, or in the deck, or at the reader: two rounds are over afterwards,
completed or void, the journal replays, and no stack was asked for twice.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from robot_table import GAMES, SPEED, check_journal, config, counters, kinds, robot

from cardshoe.lab.doings import Doing, Pause, Watch
from cardshoe.lab.virtual import VirtualTable
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.sim.world import World

AT_A_STACK = (
    {"kind": "jam"},
    {"kind": "jam", "card": 1},
    {"kind": "jam", "where": "exit"},
    {"kind": "double_feed"},
    {"kind": "short_feed"},
    {"kind": "slip"},
    {"kind": "stuck"},
    {"kind": "sensor_chatter", "miscount": True},
    {"kind": "missed_passage"},
    {"kind": "face_up"},
    {"kind": "face_up", "detected": False},
    {"kind": "usb_drop"},
    {"kind": "door"},
    {"kind": "mode", "mode": "sort"},
    {"kind": "over_temperature"},
    {"kind": "motor_stalled"},
    {"kind": "memory_corrupt"},
    {"kind": "watchdog_reset"},
    *({"kind": "power_cut", "at": at} for at in ("recorded", "accepted", "exit_covered", "exit_cleared", "ready")),
    *({"kind": "power_cut", "at": at, "on_after_s": 1} for at in ("entry", "before_ready")),
    *({"kind": "device_reset", "at": at} for at in ("recorded", "exit_cleared", "ready")),
)
ELSEWHERE = (
    {"kind": "misread", "place": "dealer"},
    {"kind": "unreadable"},
    {"kind": "unreadable", "place": "dealer", "recovers_after_s": 1},
    {"kind": "foreign_read"},
    {"kind": "duplicate_read", "place": "dealer"},
    {"kind": "reader_unsteady", "after_s": 1},
    {"kind": "lens_dirty", "after_s": 1},
    {"kind": "duplicate_card"},
    {"kind": "foreign_card"},
    {"kind": "joker"},
    {"kind": "missing_card", "after_s": 2},
    {"kind": "power_cut", "at": "shuffling"},
)
TROUBLES = [{**fault, "stack": 2} for fault in AT_A_STACK] + [dict(fault) for fault in ELSEWHERE]


def _named(fault: dict[str, object]) -> str:
    return "-".join(str(value) for value in fault.values())


@pytest.mark.parametrize("number", range(len(TROUBLES)), ids=[_named(fault) for fault in TROUBLES])
def test_the_table_goes_on_after(number: int) -> None:
    """P1, P5 and conditions E01–E18 as far as this world has them, each game in its turn."""
    game = GAMES[number % len(GAMES)]
    play = robot(config(game), seed=number, faults=(TROUBLES[number],))
    play.rounds(2)
    assert play.table.shown.tally.completed + play.table.shown.tally.voided == 2
    for cleared in kinds(play, "hold-cleared", "alarm_cleared"):
        assert cleared["reason"].strip()
        assert cleared["role"] in ("dealer", "floor", "technician")
    check_journal(play)


@pytest.mark.nightly
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("number", range(len(TROUBLES)), ids=[_named(fault) for fault in TROUBLES])
def test_the_table_goes_on_after_it_in_every_game(number: int, game: str) -> None:
    """The same, each fault in each game."""
    play = robot(config(game), seed=number, faults=(TROUBLES[number],))
    play.rounds(3)
    check_journal(play)


def test_a_stack_that_came_short_is_ruled_on_as_the_text_says() -> None:
    """NY-5324.36(h)(2)(ii): a player's hand with a wrong number of cards is void, the round goes on."""
    play = robot(config("ultimate-texas-holdem"), seed=1, faults=({"kind": "short_feed", "stack": 1},))
    play.rounds(1)
    answers = {body["code"]: body["choice"] for body in kinds(play, "hold-cleared")}
    assert answers["stack-wrong-count"] == "by-rule"
    assert [hand["status"] for hand in kinds(play, "settled")[0]["positions"].values()].count("void") == 1


def test_a_power_cut_in_mid_feed_voids_and_returns_everything() -> None:
    """P1: where the shoe cannot say how many cards came out a person looks, and what is not proved is void."""
    fault = {"kind": "power_cut", "at": "exit_covered", "stack": 2}
    play = robot(config("ultimate-texas-holdem"), seed=1, faults=(fault,))
    play.rounds(1)
    settled = kinds(play, "settled")[0]
    assert settled["voided"]
    assert all(hand["status"] == "void" for hand in settled["positions"].values())


class Killed(Exception):
    """The table's process is gone."""


class Mortal(VirtualPlay):
    """Dies at a moment, the doing of that moment left half done."""

    dies_at = float("inf")

    def carried_out(self, doing: Doing) -> Any:
        table = self.table
        if isinstance(doing, Pause | Watch):
            table.run_until(lambda: table.now >= self.dies_at or self._is_over(doing), within_s=1.0)
        answer = super().carried_out(doing)
        if table.now >= self.dies_at:
            raise Killed
        return answer

    def _is_over(self, doing: Pause | Watch) -> bool:
        return isinstance(doing, Pause) or self.table.shown != doing.seen


@pytest.mark.parametrize("seed", range(10))
def test_a_table_that_is_lost_at_any_moment_comes_back_and_deals_no_stack_twice(seed: int) -> None:
    """P1, P2: the table's process is gone at seeded moments, four times; what it knows then is what it had written."""
    dice = random.Random(seed)
    game = GAMES[seed % len(GAMES)]
    world = World(seed=seed, speed=SPEED)
    table = VirtualTable(config(game), world, seed=seed)
    for life in range(4):
        mortal = Mortal(table, seed=seed, speed=SPEED)
        mortal.dies_at = table.now + dice.uniform(0.05, 1.5)
        with pytest.raises(Killed):
            mortal.rounds(1000)
        table = VirtualTable(config(game), world, seed=life, entries=table.entries, now=table.now)
    play = VirtualPlay(table, seed=seed, speed=SPEED)
    before = play.table.shown.tally
    play.rounds(2)
    tally = play.table.shown.tally
    assert tally.completed - before.completed == 2, kinds(play, "alarm-raised", "hold-cleared")
    assert tally.voided == 0
    assert tally.stacks_requested == tally.stacks_dispensed == counters(play)["stacks_dispensed"]
    check_journal(play)
