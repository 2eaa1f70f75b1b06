"""One seed, from the first round to the last.

Owns what is played (game, house and troubles, all of them from the seed), the end of a run, and its result. The same
order gives the same run byte for byte, in any process.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from cardshoe.lab.simulation.checker import Checker
from cardshoe.lab.simulation.commitments import AUDITOR
from cardshoe.lab.simulation.people import SimulatedPlay
from cardshoe.lab.simulation.promises import Broken
from cardshoe.lab.simulation.stack import RunsInACircle, SimulatedTable
from cardshoe.lab.simulation.troubles import drawn
from cardshoe.lab.simulation.watched import WatchedWorld
from cardshoe.table.config import TableConfig, parse_config

SPEED: Final = 50.0
"""Mechanism and people are so much faster than in life; times of the link are not."""
GAMES: Final = {
    "texas-holdem-bonus": 'board_from = "hand"',
    "ultimate-texas-holdem": "",
    "three-card-poker": "",
}
"""Games from which a seed draws its own, and their house rules."""
PLAYABLE: Final = {**GAMES, "mississippi-stud": ""}
"""Games that can be asked for."""
_TOML: Final = """
[table]
name = "Simulated"
mode = "bench"
game = "{game}"
journal = "unused"
[house]
{house}
[devices.shoe]
url = "sim://shoe"
"""
_READER: Final = """
[devices.reader]
url = "sim://reader"
"""
_WITHOUT_READER: Final = (7, 3)
"""Of so many seeds the one with this rest has no reader: the shoe tells the cards that the rules turn up."""


@dataclass(frozen=True, slots=True)
class Order:
    """One run: `game` None draws it from the seed; `only` names the troubles that happen, None all of them."""

    seed: int
    rounds: int
    level: str
    game: str | None = None
    only: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken promise and the virtual second at which it was seen."""

    promise: str
    text: str
    at_s: float


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a run. `happened`: the keys of the troubles that were carried out."""

    order: Order
    game: str
    rounds: int
    completed: int
    voided: int
    troubles: int
    stacks: int
    kills: int
    gave_up: int
    wrong_acts: int
    virtual_s: float
    digest: str
    happened: tuple[str, ...]
    finding: Finding | None


def game_of(order: Order) -> str:
    """Return what is played in a run."""
    return order.game or random.Random(f"{order.seed}/game").choice(tuple(GAMES))


def reads(order: Order) -> bool:
    """Tell whether the table of a run has a reader."""
    of, rest = _WITHOUT_READER
    return order.seed % of != rest


def config_of(game: str, *, reader: bool = True) -> TableConfig:
    """Return the configuration of a simulated table of `game`."""
    text = _TOML.format(game=game, house=PLAYABLE[game])
    return parse_config(text + _READER if reader else text, "simulation")


def run(order: Order) -> Result:
    """Play one run to its end, or to the first broken promise."""
    game = game_of(order)
    troubles = drawn(order.seed, order.level, order.rounds, order.only)
    world = WatchedWorld(seed=order.seed, speed=SPEED, auditor=AUDITOR)
    checker = Checker(world, reader=reads(order))
    table = SimulatedTable(
        config_of(game, reader=reads(order)), world, watcher=checker, troubles=troubles, seed=order.seed
    )
    play = SimulatedPlay(table, seed=order.seed, speed=SPEED)
    finding = _played(play, order)
    tally = table.shown.tally
    return Result(
        order=order,
        game=game,
        rounds=tally.completed + tally.voided,
        completed=tally.completed,
        voided=tally.voided,
        troubles=len(checker.happened),
        stacks=tally.stacks_dispensed,
        kills=table.kills,
        gave_up=play.gave_up,
        wrong_acts=play.wrong_acts,
        virtual_s=round(table.now, 3),
        digest=table.digest,
        happened=tuple(checker.happened),
        finding=finding,
    )


def _played(play: SimulatedPlay, order: Order) -> Finding | None:
    try:
        stands = play.go_on(order.rounds)
        if stands:
            return Finding("P9", stands, play.table.now)
    except Broken as broken:
        return Finding(broken.promise, broken.text, broken.at_s)
    except RunsInACircle:
        return Finding("P9", "something is always due and time stands still", play.table.now)
    except Exception as error:  # noqa: BLE001 — whatever fails in here is what a run is for
        return Finding("fault", f"{type(error).__name__}: {error}", play.table.now)
    return None
