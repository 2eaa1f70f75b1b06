"""Where a clause is named: file, line, and the function, class or entry that the line belongs to.

Owns what counts as naming a clause. The id stands there literally, with nothing of a longer id before or after it; a
range (`(i)–(iv)`) or a list (`, (3), (5)`) that follows an id names its sisters of the same level, where each of them
is a clause. Reads the text of files, never runs them. Must not know what a clause says; it names none itself.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from cardshoe.errors import InputError

NOT_EVIDENCE: Final = ("cli/clauses.py", "cli/clause_search.py", "cli/clause_page.py", "games/clauses.py")
"""Files of the package whose business is the list itself."""

MODULE: Final = "module"
"""The name of what belongs to a file as a whole."""

_MORE: Final = re.compile(r"(?P<how>\s*[–-]\s*|,\s+|\s+and\s+)(?P<label>\((?:[a-z]+|\d+)\)|\d)(?![\w(])")
_LAST_LABEL: Final = re.compile(r"(\([a-z0-9]+\)|\d+)$")


@dataclass(frozen=True, slots=True)
class Place:
    """One place that names a clause: `file` as people write it, `line` from 1, `name` of what stands there."""

    file: str
    line: int
    name: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.name}"


class Finder:
    """Finds the ids of one list in texts."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._order = {identity: place for place, identity in enumerate(ids)}
        # The longest first: an id never matches as the beginning of a longer one.
        alternatives = "|".join(re.escape(identity) for identity in sorted(ids, key=len, reverse=True))
        self._literal = re.compile(rf"(?<![\w.-])(?:{alternatives})(?![\w(])")

    def ids_in(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield every id that `text` names, with the offset of its naming."""
        for match in self._literal.finditer(text):
            yield match[0], match.start()
            latest, at = match[0], match.end()
            while (more := _MORE.match(text, at)) is not None:
                sister = _LAST_LABEL.sub("", latest) + more["label"]
                if sister not in self._order:
                    break
                for named in self._named(latest, sister, through=more["how"].strip() in {"–", "-"}):
                    yield named, more.start("label")
                latest, at = sister, more.end()

    def _named(self, first: str, last: str, *, through: bool) -> Iterable[str]:
        if not through:
            return (last,)
        stem = _LAST_LABEL.sub("", first)
        between = range(self._order[first] + 1, self._order[last] + 1)
        ids = list(self._order)
        return [ids[at] for at in between if _LAST_LABEL.sub("", ids[at]) == stem]

    def places(self, files: Iterable[tuple[str, str]]) -> Mapping[str, list[Place]]:
        """Return for every id the places that name it, in the order of `files`, each a (name, text); once a line.

        What a module says of itself as a whole comes after what names the clause more exactly.
        Raises `InputError` for a Python file that is none.
        """
        found: dict[str, list[Place]] = {identity: [] for identity in self._order}
        for file, text in files:
            named = list(self.ids_in(text))
            if not named:
                continue
            owners = _owners(file, text) if file.endswith(".py") else None
            for identity, offset in named:
                line = text.count("\n", 0, offset) + 1
                place = Place(file, line, owners.of(line) if owners is not None else "case")
                if place not in found[identity]:
                    found[identity].append(place)
        return {identity: sorted(places, key=lambda place: place.name == MODULE) for identity, places in found.items()}


class _Owners:
    """What each line of a Python file belongs to."""

    def __init__(self, text: str) -> None:
        self._spans: list[tuple[int, int, str]] = []
        self._walk(ast.parse(text), ())

    def of(self, line: int) -> str:
        """Return the innermost function, class or entry around `line`; `module` where there is none."""
        around = [span for span in self._spans if span[0] <= line <= span[1]]
        return min(around, key=lambda span: (span[1] - span[0], -len(span[2])))[2] if around else MODULE

    def _walk(self, node: ast.AST, path: tuple[str, ...]) -> None:
        for child in ast.iter_child_nodes(node):
            name = _name_of(child, top=isinstance(node, ast.Module | ast.ClassDef))
            inner = (*path, name) if name else path
            if name and isinstance(child, ast.stmt | ast.expr):
                self._spans.append((_first_line(child), child.end_lineno or child.lineno, ".".join(inner)))
            self._walk(child, inner)


def _owners(file: str, text: str) -> _Owners:
    try:
        return _Owners(text)
    except SyntaxError as error:
        raise InputError("clauses-file", f"{file} is not Python, line {error.lineno}: {error.msg}") from error


def _first_line(node: ast.stmt | ast.expr) -> int:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return node.lineno


def _name_of(node: ast.AST, *, top: bool) -> str | None:
    """Return the name by which people find `node`: a definition, a constant, or the entry of a game's file."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name), *_]) | ast.AnnAssign(target=ast.Name(id=name)) if top:
            return name
        case ast.Call(func=ast.Name(id=name)) if name[:1].isupper():
            return name
        case _:
            return None


def product_files() -> Iterator[tuple[str, str]]:
    """Yield every Python file of the package as it is installed, with its text."""
    for name, text in _files_of(resources.files("cardshoe"), ""):
        if name not in NOT_EVIDENCE:
            yield f"cardshoe/{name}", text


def _files_of(folder: Traversable, under: str) -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_file() and entry.name.endswith(".py"):
            yield under + entry.name, entry.read_text("utf-8")
        elif entry.is_dir() and entry.joinpath("__init__.py").is_file():
            yield from _files_of(entry, f"{under}{entry.name}/")


def files_of_tests(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield every test module and every table of cases (JSON Lines) under `folder`, with its text.

    The tests of the list itself are left out: they name clauses without testing them. Raises `InputError` for a file
    that cannot be read.
    """
    for path in sorted((*folder.rglob("test_*.py"), *folder.rglob("*.jsonl"))):
        inside = path.relative_to(folder)
        if inside.parts[0] not in {"clauses", "architecture", "bench"}:
            try:
                text = path.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise InputError("clauses-file", f"{path} cannot be read as text: {error}") from error
            yield f"{folder.resolve().name}/{inside}", text
