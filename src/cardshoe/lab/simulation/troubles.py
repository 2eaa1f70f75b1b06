"""What goes wrong in a run, and when: data that only the seed, the level and the number of rounds determine.

Owns the kinds, how often each level draws them, and their keys (`k1`, `k2` …) by which a run can be repeated with some
of them only. A trouble is drawn for a round and a time after its beginning; which of them are left out changes nothing
about the others. `Planned` tells when each is due in a run. Must not carry anything out.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

LEVELS: Final[Mapping[str, float]] = {"none": 0.0, "light": 0.5, "heavy": 1.5, "hostile": 4.0}
"""How many troubles a round has on average."""

ROUND_S: Final = 2.2
"""Troubles begin within so many virtual seconds after their round was opened."""

DEALING_S: Final = 1.0
"""Most of a round's stacks are dealt within so many virtual seconds."""

DEAF_KEY: Final = 51
_DEAF: Final = 0.1
CLOCK_KEY: Final = 52
_CLOCK: Final = 0.05
CORRECTS_KEY: Final = 53
_CORRECTS: Final = 0.05

Values = dict[str, object]


class Part(Enum):
    """Who carries a trouble out."""

    WORLD = "a request to the simulated world"
    HOST = "something happens to the controller's computer"
    DEALER = "somebody at the table does something wrong"


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that goes wrong `after_s` seconds after round number `round` of the run began."""

    key: str
    round: int
    after_s: float
    part: Part
    kind: str
    values: Values = field(default_factory=dict)


class Planned:
    """The troubles that are still to come: those of later rounds, and when each of the present round is due."""

    def __init__(self, troubles: Sequence[Trouble]) -> None:
        self._by_round: dict[int, list[Trouble]] = {}
        for each in troubles:
            self._by_round.setdefault(each.round, []).append(each)
        self._due: list[tuple[float, str, Trouble]] = []

    @property
    def next_at(self) -> float:
        """When the next one is due, infinity where none is."""
        return self._due[0][0] if self._due else math.inf

    def begin_round(self, number: int, now: float) -> None:
        """Plan what belongs to round `number` of the run, which begins `now`."""
        for trouble in self._by_round.pop(number, ()):
            self.add(now + trouble.after_s, trouble)

    def add(self, at: float, trouble: Trouble) -> None:
        """Plan one for the time `at`."""
        heapq.heappush(self._due, (at, trouble.key, trouble))

    def take(self, now: float) -> Iterator[Trouble]:
        """Give those that are due, the first one first."""
        while self._due and now >= self._due[0][0]:
            yield heapq.heappop(self._due)[2]


Draw = Callable[[random.Random], tuple[Part, str, Values]]

CUT_POINTS: Final = (
    "recorded",
    "accepted",
    "entry",
    "exit_covered",
    "exit_cleared",
    "before_ready",
    "ready",
    "shuffling",
)
TAMPERING: Final = (
    "missing_card",
    "duplicate_card",
    "foreign_card",
    "extra_card",
    "joker",
    "unreadable_card",
    "face_up_in_deck",
)
READINGS: Final = ("misread", "unreadable", "foreign_read", "duplicate_read", "previous_read")
MACHINE: Final = (
    "over_temperature", "low_battery", "motor_stalled", "homing_failed", "platform_out_of_position", "memory_corrupt",
    "feed_slow", "sensor_stuck", "watchdog_reset",
)  # fmt: skip
PLACES: Final = ("board", "dealer", "1", "2", "3", "4", "5", "6")


def _fault(kind: str, **values: object) -> tuple[Part, str, Values]:
    return Part.WORLD, kind, {"do": "fault", "kind": kind, **values}


def _feed(dice: random.Random) -> tuple[Part, str, Values]:
    kind = dice.choice(
        ("jam", "double_feed", "short_feed", "slip", "stuck", "sensor_chatter", "missed_passage", "face_up", "usb_drop")
    )
    values: Values = {}
    if kind == "usb_drop":
        values["for_s"] = round(dice.uniform(0.1, 1.5), 3)
        return _fault(kind, **values)
    if dice.random() < 0.6:
        values["card"] = dice.randint(1, 2)
    match kind:
        case "jam" | "stuck":
            values["where"] = dice.choice(("path", "exit"))
        case "double_feed":
            values["hidden"] = dice.random() < 0.3
        case "sensor_chatter":
            values["miscount"] = dice.random() < 0.5
        case "face_up":
            values["detected"] = dice.random() < 0.6
        case _:
            pass
    return _fault(kind, **values)


def _cut(dice: random.Random) -> tuple[Part, str, Values]:
    kind, at = dice.choice(("power_cut", "device_reset")), dice.choice(CUT_POINTS)
    values: Values = {"at": at, "card": dice.randint(1, 2)}
    if kind == "power_cut":
        values["on_after_s"] = round(dice.uniform(0.1, 2.0), 3)
    return _fault(kind, **values)


def _device(dice: random.Random) -> tuple[Part, str, Values]:
    device = dice.choice(("shoe", "shoe", "reader"))
    if dice.random() < 0.5:
        return Part.WORLD, "reset", {"do": "reset", "device": device, "cause": dice.choice(("reset", "watchdog"))}
    return Part.WORLD, "power_off", {"do": "power", "device": device, "state": "off"}


def _line(dice: random.Random) -> tuple[Part, str, Values]:
    kind = dice.choice(("drop", "flip", "burst", "duplicate", "delay", "split", "trickle", "babble"))
    values: Values = {"do": "line", "port": dice.choice(("shoe", "shoe", "reader")), "kind": kind}
    values["direction"] = dice.choice(("to_host", "to_device", "both"))
    if dice.random() < 0.15:
        values["chance"] = round(dice.uniform(0.02, 0.3), 3)
    else:
        values["frames"] = dice.randint(1, 12)
    if kind == "delay":
        values["ms"] = dice.choice((20, 120, 400, 1500))
    return Part.WORLD, kind, values


def _deaf(dice: random.Random) -> tuple[Part, str, Values]:
    """For about a second nothing that the table says reaches the shoe: a command may be lost altogether."""
    values: Values = {"do": "line", "port": "shoe", "kind": "drop", "direction": "to_device"}
    return Part.WORLD, "deaf", {**values, "frames": dice.randint(8, 16)}


def _clock_set(dice: random.Random) -> tuple[Part, str, Values]:
    """Somebody, or a time server, sets the computer's wall clock: by seconds, by hours, back to 1970 (E36)."""
    by_s = dice.choice((-3600.0, -61.0, -0.7, 0.7, 61.0, 3600.0, -1_700_000_000.0, 86_400.0 * 365))
    return Part.HOST, "clock set", {"by_s": by_s}


def _plug(dice: random.Random) -> tuple[Part, str, Values]:
    port = dice.choice(("shoe", "reader"))
    match dice.randrange(3):
        case 0:
            ms = dice.choice((100, 600, 2000))
            return Part.WORLD, "stall", {"do": "line", "port": port, "kind": "stall", "direction": "both", "ms": ms}
        case 1:
            return Part.WORLD, "clear", {"do": "line", "port": port, "kind": "clear"}
        case _:
            for_s = round(dice.uniform(0.05, 3.0), 3)
            return Part.WORLD, "unplug", {"do": "line", "port": port, "kind": "unplug", "for_s": for_s}


def _reading(dice: random.Random) -> tuple[Part, str, Values]:
    values: Values = {"place": dice.choice(PLACES)} if dice.random() < 0.5 else {}
    return _fault(dice.choice(READINGS), **values)


def _lens(dice: random.Random) -> tuple[Part, str, Values]:
    return _fault(dice.choice(("lens_dirty", "glare", "reader_unsteady")), for_s=round(dice.uniform(0.1, 2.0), 3))


def _machine(dice: random.Random) -> tuple[Part, str, Values]:
    return _fault(dice.choice(MACHINE))


def _deck(dice: random.Random) -> tuple[Part, str, Values]:
    return _fault(dice.choice(TAMPERING))


def _shoe_touched(dice: random.Random) -> tuple[Part, str, Values]:
    match dice.randrange(6):
        case 0:
            return _fault("door")
        case 1:
            return _fault("mode", mode=dice.choice(("sort", "test")))
        case 2:
            return _fault("unexpected_card", source=dice.choice(("magazine", "magazine", "hand")))
        case 3:
            return Part.WORLD, "cover card", {"do": "insert_cover_card"}
        case 4:
            return Part.WORLD, "stub taken", {"do": "remove_stub"}
        case _:
            return Part.WORLD, "lever", {"do": "press", "button": dice.choice(("clear_jam", "service"))}


def _cards_touched(dice: random.Random) -> tuple[Part, str, Values]:
    if dice.random() < 0.4:
        return Part.WORLD, "taken early", {"do": "take_stack", "to": dice.choice(PLACES)}
    return Part.WORLD, "turned early", {"do": "turn", "what": dice.choice(PLACES)}


def _host(dice: random.Random) -> tuple[Part, str, Values]:
    match dice.randrange(6):
        case 0:
            return Part.HOST, "stall", {"for_s": dice.choice((0.2, 0.6, 1.2, 4.0))}
        case 1:
            return Part.HOST, "slow disk", {"for_s": 2.0, "commit_s": dice.choice((0.05, 0.3, 0.9))}
        case _:
            at = dice.choice(("now", "written", "half ordered"))
            return Part.HOST, "crash", {"at": at, "down_s": dice.choice((0.02, 0.3, 1.0, 3.0))}


def _people(dice: random.Random) -> tuple[Part, str, Values]:
    kind = dice.choice(("wrong act", "wrong act", "wrong act", "wrong role", "slow", "leaves"))
    return Part.DEALER, kind, {"acts": dice.randint(1, 4), "dice": dice.getrandbits(32)}


_KINDS: Final[tuple[tuple[Draw, float], ...]] = (
    (_feed, 5.0),
    (_cut, 2.5),
    (_device, 1.2),
    (_line, 6.0),
    (_plug, 2.0),
    (_reading, 2.0),
    (_lens, 0.7),
    (_machine, 1.2),
    (_deck, 0.5),
    (_shoe_touched, 2.0),
    (_cards_touched, 1.5),
    (_host, 4.0),
    (_people, 4.0),
)


def drawn(seed: int, level: str, rounds: int, only: frozenset[str] | None = None) -> tuple[Trouble, ...]:
    """Return the troubles of a run, those named in `only` if it is given.

    Those of a round depend on seed, level and round alone: a run of fewer rounds has the same in the rounds it has.
    """
    troubles: list[Trouble] = []
    for number in range(1, rounds + 1):
        dice = random.Random(f"{seed}/{level}/troubles/{number}")
        for place in range(_how_many(dice, LEVELS[level])):
            draw = dice.choices([kind for kind, _ in _KINDS], [weight for _, weight in _KINDS])[0]
            after_s = round(dice.uniform(0.0, ROUND_S), 4)
            part, kind, values = draw(random.Random(dice.getrandbits(64)))
            troubles.append(Trouble(f"k{number}.{place + 1}", number, after_s, part, kind, values))
        dice = random.Random(f"{seed}/{level}/deaf/{number}")
        if dice.random() < LEVELS[level] * _DEAF:
            part, kind, values = _deaf(dice)
            after_s = round(dice.uniform(0.0, DEALING_S), 4)
            troubles.append(Trouble(f"k{number}.{DEAF_KEY}", number, after_s, part, kind, values))
        dice = random.Random(f"{seed}/{level}/clock/{number}")
        if dice.random() < LEVELS[level] * _CLOCK:
            part, kind, values = _clock_set(dice)
            after_s = round(dice.uniform(0.0, DEALING_S), 4)
            troubles.append(Trouble(f"k{number}.{CLOCK_KEY}", number, after_s, part, kind, values))
        dice = random.Random(f"{seed}/{level}/corrects/{number}")
        if dice.random() < LEVELS[level] * _CORRECTS:
            after_s = round(dice.uniform(0.0, ROUND_S), 4)
            values = {"dice": dice.getrandbits(32)}
            key = f"k{number}.{CORRECTS_KEY}"
            troubles.append(Trouble(key, number, after_s, Part.DEALER, "corrects", values))
    return tuple(each for each in troubles if only is None or each.key in only)


def _how_many(dice: random.Random, mean: float) -> int:
    """Return a whole number with this mean: none in many rounds, several in some."""
    return min(int(dice.expovariate(1 / mean) + 0.5), 12) if mean else 0
