"""The bench file: which devices stand on this bench, who acts at them, and what the bench itself costs in time.

Owns `bench.toml`, read strictly: an unknown key is refused by name. `conform` and `hil` read the same file. Must not
open anything.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from cardshoe.bounded_files import read_at_most
from cardshoe.errors import ConfigError
from cardshoe.lab.conform.hands import AskedHands, ControlHands, Hands, NoHands, ProgramHands

DECK_CARDS: Final = 52
_STRICT: Final = ConfigDict(extra="forbid", frozen=True)


class BenchDevice(BaseModel):
    """One device: its URL, the serial number that it must have where one is given, and where its key lies (the key
    store of `cardshoe pair`): with a key the bench speaks to it in sealed sessions and has its firmware measured."""

    model_config = _STRICT
    url: str
    serial: str | None = None
    keys: Path | None = None


class BenchHands(BaseModel):
    """Who acts: a `person` who is asked, the `control` socket of a world, or `nobody`; `programs` come before them."""

    model_config = _STRICT
    by: Literal["person", "control", "nobody"] = "nobody"
    control: Path | None = None
    programs: dict[str, list[str]] = Field(default_factory=dict)


class BenchLimits(BaseModel):
    """What the bench allows and costs. `slack_ms` is added to every time limit of a reply (LINK-8.3), `starts_s` is the
    time of a device's start,
    `dispense_budget` how many cards a run may feed, `reader_cards` and `shuffles` the size of the lab tests."""

    model_config = _STRICT
    slack_ms: int = Field(default=32, ge=0, le=5000)
    starts_s: float = Field(default=2.0, gt=0, le=60)
    dispense_budget: int = Field(default=400, ge=0)
    reader_cards: int = Field(default=104, ge=1)
    shuffles: int = Field(default=4, ge=0)


class BenchFile(BaseModel):
    """The whole file; every part may be left out. `test_deck`: the known order of the reader's test deck, top first."""

    model_config = _STRICT
    name: str = "bench"
    shoe: BenchDevice | None = None
    reader: BenchDevice | None = None
    hands: BenchHands = BenchHands()
    limits: BenchLimits = BenchLimits()
    test_deck: tuple[str, ...] = ()

    @field_validator("test_deck", mode="before")
    @classmethod
    def _as_cards(cls, given: object) -> object:
        """Take a deck written as one text, and refuse what is not 52 different cards."""
        cards = given.split() if isinstance(given, str) else given
        if isinstance(cards, list) and cards and (len(set(cards)) != len(cards) or len(cards) != DECK_CARDS):
            raise ValueError(f"{len(set(cards))} different cards are named, wanted is a whole deck of {DECK_CARDS}")
        return tuple(cards) if isinstance(cards, list) else cards


_BENCH_MOST: Final = 1 << 20


def read_bench(path: Path) -> BenchFile:
    """Read a bench file. Raises ConfigError `bench-file`, naming the key or the line."""
    try:
        return parse_bench(read_at_most(path, _BENCH_MOST).decode("utf-8"), str(path))
    except OSError as error:
        raise ConfigError("bench-file", f"The bench file {path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError("bench-file", f"The bench file {path} is not UTF-8 (byte {error.start}).") from error


def parse_bench(text: str, where: str) -> BenchFile:
    """Read the text of a bench file. Raises ConfigError `bench-file`."""
    try:
        return BenchFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError("bench-file", f"{where} is no TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ConfigError("bench-file", f"{where}, {place}: {first['msg']}; correct it or leave it out.") from error


def hands_of(bench: BenchHands, ask: Callable[[str], str]) -> Hands:
    """Return who acts; `ask` asks a person. Raises ConfigError `bench-file` where the control socket is not named."""
    hands: Hands
    match bench.by:
        case "person":
            hands = AskedHands(ask)
        case "control" if bench.control is not None:
            hands = ControlHands(bench.control)
        case "control":
            raise ConfigError("bench-file", "hands.by is 'control', but hands.control does not name its socket.")
        case "nobody":
            hands = NoHands()
    return ProgramHands(bench.programs, hands) if bench.programs else hands
