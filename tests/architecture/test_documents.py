"""What is written for people stays true: commands, options, links and examples hold, the tree is as it should be."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer

from cardshoe.cli import COMMANDS, build
from cardshoe.cli.operations import Operations
from cardshoe.cli.plan import planned
from cardshoe.cli.rehearse import rehearsed
from cardshoe.cli.settle import settled
from cardshoe.games import games
from cardshoe.round.machine import find_game
from cardshoe.table.config import parse_config

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
    loaded = typer.main.get_command(build(command)).commands[command]  # type: ignore[attr-defined]
    assert getattr(loaded, "commands", None) or loaded.params, "the stand-in of a command has no parameters"
    assert f"cardshoe {command}" in (ROOT / "README.md").read_text()


DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "firmware_protocols").rglob("*.md")])


def _anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", path.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_lead_somewhere(path: Path) -> None:
    """Files by their place beside the document, headings by their anchor."""
    nowhere = []
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name) if name else path
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            nowhere.append(target)
    assert nowhere == []


def _invocations() -> list[tuple[str, str]]:
    """Every `cardshoe COMMAND …` in the README's code, as (command, the rest of the line or span)."""
    text = (ROOT / "README.md").read_text()
    code = re.findall(r"```\w*\n(.*?)```", text, re.S) + re.findall(
        r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.S)
    )
    found = [
        (match[1], match[2])
        for piece in code
        for match in re.finditer(r"(?:^|[\s/])cardshoe ([a-z]+)([^\n;|#]*)", piece)
    ]
    return sorted(set(found))


def test_the_readme_calls_the_product() -> None:
    assert {command for command, _rest in _invocations()} == set(COMMANDS)


@pytest.mark.parametrize(("command", "rest"), _invocations())
def test_what_the_readme_calls_exists(command: str, rest: str) -> None:
    """The command, its subcommand where it has some, and each option that is shown."""
    loaded = typer.main.get_command(build(command)).commands[command]  # type: ignore[attr-defined]
    inner = getattr(loaded, "commands", {})
    named = next((word for word in rest.split() if not word.startswith("-")), None)
    if inner and named is not None:
        shown = set(named.split("|"))
        assert shown <= set(inner)
        loaded = inner[min(shown)]
    options = {option for parameter in loaded.params for option in parameter.opts}
    assert set(re.findall(r"--[a-z][a-z-]*", rest)) <= options


def test_the_readmes_configuration_is_one() -> None:
    """Every block of TOML in the README opens a table, as far as its text goes."""
    blocks = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert [parse_config(block, "README.md").table.mode for block in blocks] == ["bench"]


def _json_lines() -> list[dict[str, object]]:
    blocks = re.findall(r"```json\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    return [json.loads(line) for block in blocks for line in block.splitlines()]


def test_the_readmes_rounds_are_answered() -> None:
    """The lines for `settle`, `plan` and `rehearse`: answered, and no step of them is refused."""
    settle, plan, rehearse = [line for line in _json_lines() if "game" in line]
    assert settled(settle)["settled_in_order"] == ["1"]
    assert planned(plan)["steps"]
    assert rehearsed(rehearse)["refusals"] == []


def test_the_readmes_operations_are_operations() -> None:
    lines = [line for line in _json_lines() if "op" in line]
    operations = Operations(find_game("ultimate-texas-holdem"), lambda: ())
    assert lines
    for line in lines:
        operations.act(line)


def test_the_readme_names_every_game() -> None:
    text = (ROOT / "README.md").read_text().lower()
    assert [game.title for game in games().values() if game.title.lower() not in text] == []
