"""What a demo shows on a terminal: everything that lies face up, nothing that does not, and the one next thing."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from demo_bench import FAST, command
from rich.console import Console

from cardshoe.games import games
from cardshoe.lab.picture import Log, drawn
from cardshoe.lab.virtual import VirtualTable
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.sim.world import World
from cardshoe.table.config import parse_config
from cardshoe.table.view import TableView

TOML = """
[table]
name = "T1"
mode = "bench"
game = "{game}"
journal = "unused"
[house]
{house}
[devices.shoe]
url = "sim://shoe"
[devices.reader]
url = "sim://reader"
"""
SPEED = 50.0
CARD = re.compile(r"([2-9TJQKA])([♠♥♦♣])")
SUIT = {"♠": "s", "♥": "h", "♦": "d", "♣": "c"}


class Watched(VirtualPlay):
    """Keeps every view that was shown."""

    def __init__(self, table: VirtualTable, **how: Any) -> None:
        super().__init__(table, **how)
        self.views: list[TableView] = []

    def carried_out(self, doing: Any) -> Any:
        self.views.append(self.table.shown)
        return super().carried_out(doing)


def _views(game: str, *faults: dict[str, object]) -> list[TableView]:
    house = 'board_from = "hand"' if game == "texas-holdem-bonus" else ""
    config = parse_config(TOML.format(game=game, house=house), "test.toml")
    play = Watched(VirtualTable(config, World(seed=3, speed=SPEED, faults=faults)), seed=3, speed=SPEED)
    play.rounds(1)
    return play.views


def _text(view: TableView) -> str:
    console = Console(file=io.StringIO(), width=120, height=60, color_system=None)
    with console.capture() as captured:
        console.print(drawn(view, "the foot"))
    return captured.get()


@pytest.mark.parametrize("game", games())
def test_the_picture_shows_every_face_that_lies_up_and_no_other(game: str) -> None:
    """P4: the cards on the screen are those of the view, which holds no hidden one; backs are backs."""
    shown = 0
    for view in {id(each): each for each in _views(game)}.values():
        text = _text(view)
        cards = Counter(rank + SUIT[suit] for rank, suit in CARD.findall(text))
        faces = [*view.dealer_faces, *view.board_faces, *(face for each in view.positions for face in each.faces)]
        assert cards == Counter(faces)
        assert "the foot" in text
        shown += len(faces)
        backs = view.dealer_cards - len(view.dealer_faces) + view.board_cards - len(view.board_faces)
        backs += sum(max(each.cards - len(each.faces), 0) for each in view.positions)
        assert text.count("▒▒") == backs
    assert shown


def test_the_next_thing_stands_in_capitals_and_an_alarm_as_it_is_worded() -> None:
    views = _views("ultimate-texas-holdem", {"kind": "jam", "stack": 2})
    alarms = [view for view in views if "jam" in view.words]
    assert alarms
    assert "Call the floor" in _text(alarms[0])
    calm = next(view for view in views if view.words.startswith("Take 2 cards"))
    assert calm.words.upper() in _text(calm)


def test_the_log_tells_each_step_once_and_each_round_s_end(capsys: pytest.CaptureFixture[str]) -> None:
    log = Log(each_step=True)
    for view in _views("three-card-poker"):
        log(view)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(set(lines))
    assert any("no more bets" in line for line in lines)


def test_on_a_terminal_the_picture_is_live(tmp_path: Path, new_pty: Callable[[], Any]) -> None:
    """With a real terminal: the picture is drawn over itself, the account stands below it at the end."""
    terminal = new_pty()
    arguments = ("demo", "--rounds", 1, "--seed", 1, "--speed", FAST, "--journal", tmp_path / "journal")
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "50"}
    process = subprocess.Popen(
        command(*arguments), stdin=subprocess.DEVNULL, stdout=terminal.slave, stderr=subprocess.PIPE, env=environment
    )
    seen = b""
    while process.poll() is None:
        seen += _read(terminal.master)
    seen += _read(terminal.master)
    assert process.returncode == 0, process.communicate()[1]
    process.communicate()
    text = seen.decode("utf-8", errors="replace")
    assert "\x1b[" in text
    assert "TAKE 2 CARDS TO POSITION" in text
    assert "1 round: 1 completed" in text


def _read(master: int) -> bytes:
    try:
        return os.read(master, 1 << 20)
    except BlockingIOError:
        time.sleep(0.01)
        return b""


def test_rich_is_not_loaded_for_a_table_without_a_terminal() -> None:
    """A quick start: what draws is imported only where there is something to draw on."""
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, cardshoe.lab.picture, cardshoe.lab.demo; print('rich' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert loaded.stdout.strip() == "False"
