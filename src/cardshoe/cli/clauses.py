"""`cardshoe clauses`: for every clause of the regulations the code that carries it and the tests that prove it.

Owns the options, the table and the JSON; `clause_search` finds the places, `clause_page` writes the page. Works from an
installed package, whose own source it reads; tests are read from a source tree. Exit status 0: every clause has both;
1: one lacks code or a test; 2: a folder or file of the command line cannot be used.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cardshoe.cli.clause_page import page
from cardshoe.cli.clause_search import Finder, Place, files_of_tests, product_files
from cardshoe.counted import counted
from cardshoe.errors import ConfigError
from cardshoe.games.clauses import Clause, load_clauses

NOT_INSTALLED: Final = "tests are not installed"
_PIPED_COLUMNS: Final = 200
"""How wide the table is where no terminal says it."""


@dataclass(frozen=True, slots=True)
class Carried:
    """A clause with the places of its code and of its tests; `tests` is None where no tests could be read."""

    clause: Clause
    code: tuple[Place, ...]
    tests: tuple[Place, ...] | None

    @property
    def lacks(self) -> tuple[str, ...]:
        """What is missing: `code`, `test`, both or nothing."""
        without_test = self.tests is not None and not self.tests
        return (*(("code",) if not self.code else ()), *(("test",) if without_test else ()))


def command(
    tests: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="the source tree's tests (left out: ./tests, where it is)", show_default=False
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="write one page for people to read, and no table here", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on standard output")] = False,
) -> None:
    """Show for every clause the code and the tests that carry it."""
    folder = _folder(tests)
    found = search(folder)
    lacking = [carried for carried in found if carried.lacks]
    if html is not None:
        _write(html, page([(one.clause, one.code, one.tests) for one in found], tests_from=folder))
    if as_json:
        print(json.dumps(plain(found, folder), ensure_ascii=False))
    else:
        _show(found, folder, table=html is None)
    if html is not None and not as_json:
        print(f"The page is {html}.")
    if lacking:
        raise typer.Exit(1)


def search(tests: Path | None) -> list[Carried]:
    """Return every clause with its places; `tests` is the folder of the tests or None. Raises `InputError`."""
    clauses = load_clauses()
    finder = Finder([clause.id for clause in clauses])
    code = finder.places(product_files())
    proof = finder.places(files_of_tests(tests)) if tests is not None else None
    return [
        Carried(clause, tuple(code[clause.id]), tuple(proof[clause.id]) if proof is not None else None)
        for clause in clauses
    ]


def plain(found: list[Carried], tests: Path | None) -> dict[str, object]:
    """Return the findings as plain JSON."""
    lacking = [carried for carried in found if carried.lacks]
    return {
        "ok": not lacking,
        "tests": str(tests) if tests is not None else None,
        "clauses": [
            {
                **asdict(one.clause),
                "code": [asdict(place) for place in one.code],
                "tests": [asdict(place) for place in one.tests] if one.tests is not None else None,
            }
            for one in found
        ],
        "missing": [{"id": one.clause.id, "lacks": list(one.lacks)} for one in lacking],
    }


def _folder(given: Path | None) -> Path | None:
    if given is None:
        usual = Path("tests")
        return usual if usual.is_dir() else None
    if not given.is_dir():
        raise ConfigError("clauses-tests", f"--tests {given}: there is no such folder; name the tests of a source tree")
    return given


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise ConfigError("clauses-page", f"--html {path} cannot be written: {error.strerror}") from error


def _show(found: list[Carried], tests: Path | None, *, table: bool) -> None:
    console = Console()
    if not console.is_terminal:
        console.width = _PIPED_COLUMNS
    if table:
        console.print(_tabled(found))
    lacking = [one for one in found if one.lacks]
    for one in lacking:
        console.print(
            f"{one.clause.id} has no {' and no '.join(one.lacks)}: {one.clause.rule}", markup=False, soft_wrap=True
        )
    if tests is None:
        said = (
            f"{len(found) - len(lacking)} with code, {len(lacking)} without; {NOT_INSTALLED}. "
            "Run this in the source tree, or name its tests with --tests."
        )
    else:
        said = f"{len(found) - len(lacking)} complete, {len(lacking)} not; tests read from {tests}."
    console.print(f"{counted(len(found), 'clause')}, {said}", markup=False, soft_wrap=True)


def _tabled(found: list[Carried]) -> Table:
    table = Table("clause", "kind", "code", "tests", title="Clauses", title_justify="left")
    for one in found:
        proof = _cell(one.tests) if one.tests is not None else Text(NOT_INSTALLED, style="dim")
        table.add_row(one.clause.id, one.clause.kind, _cell(one.code), proof)
    return table


def _cell(places: tuple[Place, ...]) -> Text:
    if not places:
        return Text("none", style="bold red")
    rest = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return Text(f"{places[0]}{rest}")
