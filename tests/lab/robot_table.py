"""Support: the robot at a virtual table, and what must hold of any journal that came of it. Not a test."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cardshoe.games import games
from cardshoe.games.script import Method, TakeStub
from cardshoe.journal import Entry, Record
from cardshoe.journal.replay import MachineDriver, replay
from cardshoe.lab.virtual import VirtualTable
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.sim.world import World
from cardshoe.table.config import TableConfig, parse_config

SPEED = 50.0
GAMES = tuple(games())
SHOE = Method.AUTOMATED_SHOE.value


def config(game: str, *, method: str = SHOE, reader: bool = True, house: str = "") -> TableConfig:
    script = games()[game].scripts[Method(method)]
    if any(isinstance(step, TakeStub) and step.when == "house" for step in script):
        house += 'board_from = "hand"\n'
    devices = '[devices.shoe]\nurl = "sim://shoe"\n' if method == SHOE else ""
    devices += '[devices.reader]\nurl = "sim://reader"\n' if reader else ""
    table = f'[table]\nname = "T1"\nmode = "bench"\ngame = "{game}"\nmethod = "{method}"\njournal = "unused"\n'
    return parse_config(f"{table}[house]\n{house}\n{devices}", "test.toml")


def robot(
    table_config: TableConfig,
    *,
    seed: int = 1,
    faults: tuple[dict[str, object], ...] = (),
    world: World | None = None,
    entries: list[Entry] | None = None,
    now: float = 0.0,
) -> VirtualPlay:
    world = world if world is not None else World(seed=seed, speed=SPEED, faults=faults)
    table = VirtualTable(table_config, world, seed=seed, entries=entries, now=now)
    return VirtualPlay(table, seed=seed, speed=SPEED)


def counters(play: VirtualPlay) -> Mapping[str, Any]:
    return play.table.hands("counters")


def kinds(play: VirtualPlay, *wanted: str) -> list[Mapping[str, Any]]:
    return [entry.body for entry in play.table.entries if entry.kind in wanted]


def check_journal(play: VirtualPlay) -> None:
    """P1, P3, P6: it replays to the same rulings; no command id was ever asked for twice without "never seen"."""
    records = [
        Record(number, entry.kind, entry.round, 1, 0, "2026-01-01T00:00:00.000Z", dict(entry.body))
        for number, entry in enumerate(play.table.entries, 1)
    ]
    replayed = replay(records, MachineDriver())
    assert replayed.ok, replayed.why
    asked = [body["command_id"] for body in kinds(play, "stack-requested")]
    assert len(asked) == len(set(asked))
    ready = [body["command_id"] for body in kinds(play, "shoe_reported") if body["event"] == "StackReady"]
    assert len(ready) == len(set(ready))
    assert set(ready) <= set(asked)
    assert counters(play)["feeds_started"] <= len(asked)
