"""What is written for people stays true: the README's commands exist, and the tree holds only what it should."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cardshoe.cli import COMMANDS

ROOT = Path(__file__).parents[2]
ALLOWED = {
    "pyproject.toml",
    "README.md",
    "src",
    "firmware_protocols",
    "tests",
    "hil",
    "LICENSE",
    "CHANGELOG.md",
    ".gitignore",
    ".ci",
    ".git",
}
MADE_BY_TOOLS = re.compile(r"^\.(venv|.*_cache|hypothesis|benchmarks)$|^(dist|build)$")


def test_the_top_level_is_fixed() -> None:
    extra = {path.name for path in ROOT.iterdir() if path.name not in ALLOWED and not MADE_BY_TOOLS.match(path.name)}
    assert extra == set()


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_loads_and_stands_in_the_readme(command: str) -> None:
    __import__(f"cardshoe.cli.{command}")
    assert f"cardshoe {command}" in (ROOT / "README.md").read_text()
