"""Two rounds that differ in nothing but two hidden cards, and the comparison of all that came out of them.

Owns the setups (game, dealing method, who reads faces, troubles), the running of one round, the choice of pairs and
the comparison. Implements the handbook's security page, section 4, as far as virtual time goes (promise P4).
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

from channels import Ended, Measured, Recorder, Seen
from kept_files import kept
from pair_world import PairWorld

from cardshoe.lab.simulation.people import SimulatedPlay
from cardshoe.lab.simulation.runs import PLAYABLE, SPEED
from cardshoe.lab.simulation.stack import RunsInACircle, SimulatedTable
from cardshoe.lab.simulation.troubles import drawn
from cardshoe.table.acts import Act
from cardshoe.table.config import TableConfig, parse_config

METHODS = {
    "texas-holdem-bonus": ("automated-shoe", "manual-shoe", "hand"),
    "ultimate-texas-holdem": ("automated-shoe", "manual-shoe", "hand"),
    "three-card-poker": ("automated-shoe", "manual-shoe", "hand"),
    "mississippi-stud": ("automated-shoe",),
}
LEVELS = ("none", "hostile", "heavy", "hostile")
COMMITS = ("commits", "reveals", "envelopes")
SHOES: dict[str, tuple[str, ...]] = {"commits": COMMITS, "plain": (), "tells": ("tells_faces",)}


@dataclass(frozen=True, slots=True)
class Setup:
    """One round but for two of its cards. `shoe` names what the shoe can do; `level` how much goes wrong."""

    game: str
    method: str
    seed: int
    level: str = "none"
    shoe: str = "commits"
    reader: bool = True
    rounds: int = 1

    def config(self) -> TableConfig:
        """The table's configuration."""
        shoe = '[devices.shoe]\nurl = "sim://shoe"\n' if self.method == "automated-shoe" else ""
        reader = '[devices.reader]\nurl = "sim://reader"\n' if self.reader else ""
        house = PLAYABLE[self.game] if self.method == "automated-shoe" else ""
        return parse_config(
            f'[table]\nname = "Pair"\nmode = "bench"\ngame = "{self.game}"\nmethod = "{self.method}"\n'
            f'journal = "unused"\n[house]\n{house}\n{shoe}{reader}',
            "pair",
        )


class ChannelTable(SimulatedTable):
    """The simulated table, whose refusals are heard too."""

    recorder: Recorder

    def act(self, act: Act) -> None:
        """Do what a person asks; what is told in a refusal is a channel."""
        try:
            super().act(act)
        except Ended:
            raise
        except Exception as error:
            self.recorder.said_no(error)
            raise


@dataclass(slots=True)
class Round:
    """What came out of one round. `ended`: it was cut short because a card of its pair became public."""

    seen: list[Seen]
    public_at: dict[int, int]
    ended: bool
    lay: dict[int, str] = field(default_factory=dict)
    measured: list[Measured] = field(default_factory=list)


@contextmanager
def _listening(recorder: Recorder) -> Iterator[None]:
    root, text = logging.getLogger(), StringIO()
    level = root.level
    root.addHandler(recorder)
    root.setLevel(logging.DEBUG)
    try:
        with redirect_stderr(text), redirect_stdout(text):
            yield
    finally:
        root.removeHandler(recorder)
        root.setLevel(level)
        recorder.note("terminal", text.getvalue(), at=0.0)


@dataclass(frozen=True, slots=True)
class Planted:
    """Where a leak is planted. `folder`: where the table keeps its files, None where it keeps none."""

    table: ChannelTable
    recorder: Recorder
    folder: Path | None


PASSING = frozenset({"rack", "magazine", "gate", "path", "mouth", "floor", "covers"})
AT_THE_END = frozenset({"terminal", "file", "trace shoe", "trace reader"})
Plant = Callable[[Planted], None]


def play(
    setup: Setup,
    swapped: tuple[int, int] | None = None,
    *,
    of: tuple[int, int] | None = None,
    plant: Plant | None = None,
    pictures: bool = True,
    folder: Path | None = None,
) -> Round:
    """Play one round; with `swapped` these two cards have changed places. `plant` puts a leak in.

    With an empty `folder` a real journal and real traces are kept in it, and compared.
    """
    world = PairWorld(seed=setup.seed, speed=SPEED, shoe_can=SHOES[setup.shoe], swapped=swapped)
    recorder = Recorder(world, of=of, reads=setup.reader, pictures=pictures)
    troubles = drawn(setup.seed, setup.level, setup.rounds)
    lay: dict[int, str] = {}

    def hands(_do: str) -> None:
        lay.update({card: place for card, place in world.places().items() if place not in PASSING})
        recorder.look()

    world.on_hands = hands
    with _listening(recorder), nullcontext() if folder is None else kept(recorder, folder):
        try:
            table = ChannelTable(setup.config(), world, watcher=recorder, troubles=troubles, seed=setup.seed)
            table.recorder = recorder
            if plant is not None:
                plant(Planted(table, recorder, folder))
            people = SimulatedPlay(table, seed=setup.seed, speed=SPEED)
            stands = people.go_on(setup.rounds)
            recorder.note("exit", stands)
        except Ended:
            pass
        except RunsInACircle:
            recorder.note("exit", "runs in a circle")
        except SystemExit as left:
            recorder.note("exit", repr(left.code))
    return Round(recorder.seen, recorder.public_at, recorder.ended, lay, recorder.measured)


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that told two rounds apart."""

    setup: Setup
    cards: tuple[int, int]
    number: int
    first: Seen | None
    second: Seen | None

    def __str__(self) -> str:
        return (
            f"{self.setup} with cards {self.cards} exchanged: observation {self.number} tells the rounds apart\n"
            f"  {self.first}\n  {self.second}"
        )


def compare(setup: Setup, one: Round, cards: tuple[int, int], two: Round) -> Difference | None:
    """Return what tells the rounds apart before the first of the two cards became public."""
    cut = min((one.public_at.get(card, len(one.seen)) for card in cards), default=len(one.seen))
    first = one.seen[:cut]
    second = two.seen
    if cut < len(one.seen):  # what is looked at when a round is over comes too late to be compared, but for a terminal
        second = [
            each for each in second if each.channel not in AT_THE_END or (each.channel == "terminal" and each.what)
        ]
    for number, (a, b) in enumerate(zip(first, second, strict=False)):
        if a == b:
            continue
        if a.channel == b.channel and a.what.startswith("garbage ") and b.what.startswith("garbage "):
            return None  # a damaged frame had a declared random value in it: from here on the noise differs
        return Difference(setup, cards, number, a, b)
    if len(first) != len(second):
        number = min(len(first), len(second))
        return Difference(
            setup,
            cards,
            number,
            first[number] if number < len(first) else None,
            second[number] if number < len(second) else None,
        )
    return None


def pairs_of(setup: Setup, one: Round, wanted: int) -> Iterator[tuple[int, int]]:
    """Choose pairs of cards: each kind of place as often as the others, so that hidden hands come up among a stub."""
    dice = random.Random(f"{setup}/pairs")
    by_place: dict[str, list[int]] = {}
    for card in range(52):
        by_place.setdefault(one.lay.get(card, "stub"), []).append(card)
    places = sorted(by_place)
    for _ in range(wanted):
        first = dice.choice(by_place[dice.choice(places)])
        second = first
        while second == first:
            second = dice.choice(by_place[dice.choice(places)])
        yield first, second


def try_pairs(
    setup: Setup, wanted: int, *, plant: Plant | None = None, pictures: bool = True, folder: Path | None = None
) -> list[Difference]:
    """Play `wanted` pairs of one setup, with a planted leak until it is found; return what tells any of them apart.

    `folder`: files are compared too.
    """

    def place(number: int) -> Path | None:
        if folder is None:
            return None
        (folder / str(number)).mkdir()
        return folder / str(number)

    one = play(setup, plant=plant, pictures=pictures, folder=place(0))
    found = []
    for number, cards in enumerate(pairs_of(setup, one, wanted), 1):
        two = play(setup, cards, of=cards, plant=plant, pictures=pictures, folder=place(number))
        difference = compare(setup, one, cards, two)
        if difference is not None:
            found.append(difference)
            if plant is not None:
                break
    return found


def setups(first: int, count: int, levels: tuple[str, ...] = LEVELS) -> Iterator[Setup]:
    """Give `count` setups, numbered: all games, dealing methods, shoes, with and without reader, all levels."""
    kinds = [
        (game, method, shoe, reader)
        for game, methods in METHODS.items()
        for method in methods
        for shoe, reader in (
            [("commits", True), ("commits", False), ("tells", True), ("plain", True), ("tells", False)] * 2
            if method == "automated-shoe"
            else [("commits", True), ("commits", False)]
        )
    ]
    for number in range(first, first + count):
        game, method, shoe, reader = kinds[number % len(kinds)]
        level = levels[(number // len(kinds) + number) % len(levels)]
        yield Setup(game, method, 1000 + number, level, shoe, reader)
