"""The table keeps rounds by the shape that the round asks for, and the round imports no table."""

from __future__ import annotations

import ast
from pathlib import Path

import cardshoe.round
from cardshoe.round.ports import RoundKeeper
from cardshoe.table.desk import Desk


def test_the_desk_of_the_table_keeps_rounds() -> None:
    """`open_round`, `happened`, `alarm`: the whole of what joins the two."""
    wanted = {name for name in vars(RoundKeeper) if not name.startswith("_")}
    assert wanted == {"open_round", "happened", "alarm"}
    for name in wanted:
        assert hasattr(Desk, name), name


def test_the_round_names_no_other_room() -> None:
    """The import law holds for every file of the room, lazy imports too."""
    leaves = ("cardshoe.cards", "cardshoe.money", "cardshoe.errors", "cardshoe.error_table")
    allowed = ("cardshoe.round", "cardshoe.games", *leaves)
    for path in Path(cardshoe.round.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                assert not name.startswith("cardshoe") or name.startswith(allowed), f"{path.name}: {name}"
