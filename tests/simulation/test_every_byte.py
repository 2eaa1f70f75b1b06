"""A line that is cut at every byte of a stack's way, in either direction: never two stacks, never none (P1, P2, P9)."""

from __future__ import annotations

from typing import Any

import pytest

from cardshoe.lab.simulation.checker import Checker
from cardshoe.lab.simulation.commitments import AUDITOR
from cardshoe.lab.simulation.people import SimulatedPlay
from cardshoe.lab.simulation.runs import SPEED, config_of
from cardshoe.lab.simulation.stack import SimulatedTable
from cardshoe.lab.simulation.watched import WatchedWorld

SEED = 5
OUT_S = 0.4


class Cut(SimulatedTable):
    """Counts the bytes on the shoe's line from the first DISPENSE on; behind byte `at` of `way` the plug is pulled.

    `at` None never cuts. `drip`: every byte is handed over by itself.
    """

    at: int | None = None
    way = "out"
    drip = False
    counting = False
    passed = 0

    def _say(self, line: Any, data: bytes) -> None:
        if line.port == "shoe" and self.controller.state.tally.stacks_requested:
            self.counting = True
        for piece in self._pieces(line, "out", data):
            super()._say(line, piece)

    def _hear(self, line: Any, data: bytes) -> None:
        for piece in self._pieces(line, "in", data):
            super()._hear(line, piece)

    def _pieces(self, line: Any, way: str, data: bytes) -> list[bytes]:
        if line.port == "shoe" and self.counting and way == self.way:
            before, self.passed = self.passed, self.passed + len(data)
            if self.at is not None and before <= self.at < self.passed:
                data = data[: self.at - before]
                self.world.control({"do": "line", "port": "shoe", "kind": "unplug", "for_s": OUT_S}, self.now)
        return [data[place : place + 1] for place in range(len(data))] if self.drip else [data]


def _played(way: str, at: int | None, *, drip: bool = False, game: str = "three-card-poker") -> Cut:
    world = WatchedWorld(seed=SEED, speed=SPEED, auditor=AUDITOR)
    table = Cut(config_of(game), world, watcher=Checker(world), troubles=(), seed=SEED)
    table.way, table.at, table.drip = way, at, drip
    play = SimulatedPlay(table, seed=SEED, speed=SPEED)
    assert play.go_on(1) == ""
    tally = table.shown.tally
    assert tally.stacks_dispensed == table.hands("counters")["stacks_dispensed"] <= tally.stacks_requested
    return table


_BYTES = {way: _played(way, None).passed for way in ("out", "in")}
"""So many bytes go over the shoe's line in an undisturbed round, from its first DISPENSE on."""
_FEW = 40


@pytest.mark.parametrize("way", ["out", "in"])
def test_a_line_cut_at_some_bytes_of_a_round(way: str) -> None:
    """P1, P2, E31: every step is checked by the simulation's checker; the round is over, completed or void."""
    for at in range(0, _BYTES[way], max(1, _BYTES[way] // _FEW)):
        assert _played(way, at).passed > at


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("way", ["out", "in"])
def test_a_line_cut_at_every_byte_of_a_round(way: str) -> None:
    """P1, P2, E31: the same at each byte of each frame."""
    ends = [_played(way, at).shown.tally.completed for at in range(_BYTES[way])]
    print(f"{way}: cut at {len(ends)} bytes, {sum(ends)} rounds completed, {len(ends) - sum(ends)} void")


@pytest.mark.parametrize("game", ["texas-holdem-bonus", "ultimate-texas-holdem", "three-card-poker"])
def test_bytes_that_come_one_by_one_are_the_same_round(game: str) -> None:
    """LINK-1.2, LINK-3.5, E32: how a line cuts its bytes changes nothing, whatever they say."""
    whole, dripped = _played("in", None, game=game), _played("in", None, drip=True, game=game)
    facts = lambda table: [(each.kind, each.body) for each in table.entries]  # noqa: E731
    assert facts(whole) == facts(dripped)
    assert dripped.shown.tally.completed == 1
