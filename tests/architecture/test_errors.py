"""Every error code that the source raises stands in the table, and every row of the table is raised somewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from cardshoe import error_table, errors

SOURCE = Path(__file__).parents[2] / "src" / "cardshoe"
CLASSES = {
    name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, errors.CardshoeError)
}


def _strings() -> Iterator[str]:
    """Every string constant of the source outside the table itself."""
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name == "error_table.py" or "sim" in path.relative_to(SOURCE).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def _raised() -> Iterator[tuple[str, str]]:
    """Where and which code is given to a class of the tree, as far as it stands there literally."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CLASSES):
                continue
            if node.args and isinstance(node.args[0], ast.Constant):
                yield f"{path.name}:{node.lineno}", str(node.args[0].value)


def test_every_raised_code_has_a_row() -> None:
    missing = [(where, code) for where, code in _raised() if code not in error_table.ERROR_TABLE]
    assert missing == []


def test_every_row_is_used() -> None:
    used = set(_strings())
    assert [code for code in error_table.ERROR_TABLE if code not in used] == []


def test_dealer_texts_fit_a_small_screen() -> None:
    long = {code: row.dealer_text for code, row in error_table.ERROR_TABLE.items() if len(row.dealer_text) > 120}
    assert long == {}
