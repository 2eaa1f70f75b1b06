"""The tree says nothing about the machine that it was written on, and the gate runs what the README prints."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "cardshoe"
GATE = ROOT / ".ci" / "run"
README = ROOT / "README.md"

TEXTS = sorted(
    path
    for top in ("src", "tests", "firmware_protocols", "hil", ".ci", "pyproject.toml", "README.md", "CHANGELOG.md")
    for path in ((ROOT / top).rglob("*") if (ROOT / top).is_dir() else [ROOT / top])
    if path.is_file() and not path.is_symlink() and not any("cache" in part for part in path.parts)
)
# Put together here, so that this file may be read by its own test.
REGISTRIES = [a + b for a, b in (("pypi", ".org"), ("pythonhosted", ".org"), ("debian", ".org"), ("npmjs", ".org"))]
MACHINE_PATHS = [f"/{name}/" for name in ("work", "root", "home", "Users")]
WARDROBES = {"utils", "util", "manager", "managers", "helper", "helpers", "common", "misc"}


def _left(text: str, words: list[str]) -> list[str]:
    return [line for line in text.splitlines() if any(word in line for word in words)]


def test_no_file_names_a_registry_or_a_path_of_a_machine() -> None:
    named = {path: _left(path.read_bytes().decode("utf-8", "replace"), REGISTRIES + MACHINE_PATHS) for path in TEXTS}
    assert len(named) > 200
    assert {str(path.relative_to(ROOT)): lines for path, lines in named.items() if lines} == {}


@pytest.mark.parametrize("line", ["see " + REGISTRIES[0], "in " + MACHINE_PATHS[0] + "main"])
def test_such_a_line_would_be_seen(line: str) -> None:
    assert _left(f"good\n{line}\n", REGISTRIES + MACHINE_PATHS) == [line]


def test_no_module_is_a_wardrobe() -> None:
    """A module is called by what it owns."""
    names = {part.removesuffix(".py") for path in SOURCE.rglob("*.py") for part in path.relative_to(SOURCE).parts}
    assert names & WARDROBES == set()


def test_values_of_the_pure_rooms_are_frozen() -> None:
    """Every dataclass of a pure room without a state of its own is frozen."""
    loose = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {node.name}"
        for room in ("cards.py", "money.py", "games", "round", "wire", "devices")
        for path in (sorted((SOURCE / room).rglob("*.py")) if (SOURCE / room).is_dir() else [SOURCE / room])
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and not _frozen(node)
    ]
    assert loose == []


def _frozen(node: ast.ClassDef) -> bool:
    decorators = [text for text in map(ast.unparse, node.decorator_list) if text.startswith("dataclass")]
    return all("frozen=True" in text for text in decorators)


def _marked() -> dict[str, str]:
    """What stands in the README under a mark: the commands that people copy."""
    return dict(re.findall(r"^<!-- (\w+) -->\n```\w*\n(.*?)```$", README.read_text(), re.M | re.S))


@pytest.mark.parametrize("name", ["demo", "tests"])
def test_the_gate_runs_the_readmes_command(name: str) -> None:
    """The gate takes the command out of the README and does not repeat it; what it takes is what people read."""
    gate = GATE.read_text()
    assert f"$(readme_command {name})" in gate
    taking = next(line for line in gate.splitlines() if line.startswith("readme_command()"))
    ran = subprocess.run(
        ["bash", "-c", f"{taking}\nreadme_command {name}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ran.stdout == _marked()[name]
    assert ran.stdout.startswith("python3 -m venv .venv && ")


def test_the_gate_looks_into_the_wheel() -> None:
    """What travels with the package beside its modules is named, and each of it exists here."""
    gate = GATE.read_text()
    carried = re.findall(r"\bcardshoe/[\w./-]+\.(?:toml|tsv|rules|typed)\b", gate)
    assert set(carried) == {
        *(f"cardshoe/wire/data/{name}.toml" for name in ("link-v1", "shoe-v1", "reader-v1", "faults")),
        "cardshoe/games/data/clauses.tsv",
        "cardshoe/cli/udev/60-cardshoe.rules",
        "cardshoe/py.typed",
    }
    assert all((ROOT / "src" / name).is_file() for name in carried)
    data = {
        str(path.relative_to(ROOT / "src"))
        for path in SOURCE.rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"} and "wire/data" not in str(path)
    }
    assert "find cardshoe/console/static -type f" in gate, "the gate looks for the console's pages by their folder"
    pages = {name for name in data if name.startswith("cardshoe/console/static/")}
    assert data - pages <= set(carried), "a file travels with the package that the gate does not look for"


def test_the_gate_checks_architecture_types_and_form() -> None:
    gate = GATE.read_text()
    for needed in ("lint-imports", "mypy", "ruff check .", "ruff format --check .", "CARDSHOE_REQUIRE=all"):
        assert needed in gate
    assert gate.startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in gate


def test_the_import_law_holds() -> None:
    ran = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout
    assert re.search(r"Contracts: \d+ kept, 0 broken", ran.stdout)
