"""P8: the simulator is another implementation. It shares no code with the product: Python and `cryptography` alone."""

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
def test_only_public_libraries_and_itself(path: Path) -> None:
    """P8: neither wire, link nor devices, nor the COBS library that they may use.

    The CRC is Python's own, which a test holds against a bitwise one; ciphers are RFCs, which nobody should write anew.
    """
    for name in imported(path):
        ours = name == "cardshoe.sim" or name.startswith("cardshoe.sim.")
        public = name.split(".")[0] in {*sys.stdlib_module_names, "cryptography"}
        assert ours or public, f"{path.name} imports {name}"


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.stem not in {"process", "ports", "control_socket", "opens", "nvram"}],
    ids=lambda path: path.name,
)
def test_the_world_does_no_io_and_knows_no_clock(path: Path) -> None:
    """design.md section 8: sans-IO, so that one virtual clock can drive it."""
    assert not imported(path) & {"time", "os", "socket", "selectors", "asyncio", "threading", "signal", "subprocess"}
