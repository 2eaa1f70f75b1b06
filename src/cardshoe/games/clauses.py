"""The list of clauses that the product carries, in its own words.

Owns the reading of `data/clauses.tsv`, which travels with the package: one clause a line, in the order of the texts.
Must not know where a clause is carried out or tested; `cardshoe clauses` finds that out. It names no clause itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Final

from cardshoe.errors import InputError

HEADER: Final = "id\tkind\trule, in our own words"


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause: its `id` as everything cites it, the `kind` of thing that it rules, and the `rule` in our words."""

    id: str
    kind: str
    rule: str


def load_clauses() -> tuple[Clause, ...]:
    """Return every clause in the order of the texts. Raises `InputError` where the list was damaged."""
    return parse_clauses(resources.files("cardshoe.games").joinpath("data", "clauses.tsv").read_text("utf-8"))


def parse_clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a list. Raises `InputError` `clause-list` for a line that is none, by its number."""
    header, *lines = text.splitlines()
    if header != HEADER:
        raise InputError("clause-list", f"the list of clauses begins with {header!r}; {HEADER!r} is expected")
    found: dict[str, Clause] = {}
    for number, line in enumerate(lines, start=2):
        fields = line.split("\t")
        if len(fields) != 3 or not all(fields) or fields[0] in found:
            raise InputError(
                "clause-list",
                f"line {number} of the list of clauses is {line!r}: an id of its own, a kind and a rule are expected, "
                "with a tab between them",
            )
        found[fields[0]] = Clause(*fields)
    return tuple(found.values())
