"""The house keeps its rooms small: no file over 400 lines, no class over 250, no function over 50."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "cardshoe"
FILES = sorted(SOURCE.rglob("*.py"))


def _length(node: ast.AST) -> int:
    return (node.end_lineno or 0) - node.lineno + 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_file_and_its_parts_stay_small(path: Path) -> None:
    text = path.read_text()
    tree = ast.parse(text)
    too_large = [f"file: {len(text.splitlines())} lines"] if len(text.splitlines()) > 400 else []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and _length(node) > 250:
            too_large.append(f"class {node.name}: {_length(node)} lines")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _length(node) > 50:
            too_large.append(f"function {node.name}: {_length(node)} lines")
    assert too_large == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_module_states_its_contract_and_asserts_nothing(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert not tree.body or ast.get_docstring(tree), "the module has no contract"
    asserts = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    assert asserts == [], "an assert disappears under -O; raise an error of the tree"
