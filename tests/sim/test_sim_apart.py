"""P8: the simulator is another implementation. It shares no code with the product and needs nothing but Python."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

import cardshoe.sim

ROOM = Path(cardshoe.sim.__file__).parent
FILES = sorted(ROOM.glob("*.py"))


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, path
            names.add(node.module or "")
    return names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_only_the_standard_library_and_itself(path: Path) -> None:
    """P8: neither wire, link nor devices, nor a COBS or CRC library that they may use."""
    for name in imported(path):
        ours = name == "cardshoe.sim" or name.startswith("cardshoe.sim.")
        assert ours or name.split(".")[0] in sys.stdlib_module_names, f"{path.name} imports {name}"
        assert name not in {"zlib", "binascii"}, f"{path.name} takes its check from {name}"


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.stem not in {"process", "ports", "control_socket", "opens", "nvram"}],
    ids=lambda path: path.name,
)
def test_the_world_does_no_io_and_knows_no_clock(path: Path) -> None:
    """design.md section 8: sans-IO, so that one virtual clock can drive it."""
    assert not imported(path) & {"time", "os", "socket", "selectors", "asyncio", "threading", "signal", "subprocess"}
