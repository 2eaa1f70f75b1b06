"""The page of clauses: one HTML file that needs nothing else, for an auditor to read or print.

Owns the looks. Must not know how places are found. Every text is escaped.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Final

import cardshoe
from cardshoe.cli.clause_search import Place
from cardshoe.counted import counted
from cardshoe.games.clauses import Clause

Row = tuple[Clause, tuple[Place, ...], tuple[Place, ...] | None]

_STYLE: Final = """
:root { color-scheme: light dark; --line: #8884; --bad: #c62828; }
body { font: 15px/1.45 system-ui, sans-serif; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid var(--line); }
th { position: sticky; top: 0; background: Canvas; }
td.id { white-space: nowrap; font-weight: 600; }
ul { list-style: none; margin: 0; padding: 0; } summary { cursor: pointer; }
code { font: 12.5px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
.none { color: var(--bad); font-weight: 700; } .dim { opacity: .65; }
@media print { details > :not(summary) { display: block; } th { position: static; } }
"""
_SHOWN_AT_ONCE: Final = 4


def page(rows: Sequence[Row], *, tests_from: Path | None) -> str:
    """Return the whole page: one table for each regulation, in the order of `rows`."""
    lacking = [clause for clause, code, tests in rows if not code or (tests is not None and not tests)]
    read = "with the tests of its source tree" if tests_from is not None else "tests are not installed"
    whole = "complete" if tests_from is not None else "with code"
    sections = "".join(
        _section(regulation, list(group)) for regulation, group in groupby(rows, lambda row: row[0].id.split("(")[0])
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Clauses of cardshoe {escape(cardshoe.__version__)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>Where each clause is carried out and proved</h1>"
        f"<p>cardshoe {escape(cardshoe.__version__)}, {read}. {counted(len(rows), 'clause')}, "
        f"{len(rows) - len(lacking)} {whole}. {_lacking(lacking)}</p>{sections}</body></html>\n"
    )


def _lacking(lacking: Sequence[Clause]) -> str:
    if not lacking:
        return "None is missing."
    links = ", ".join(f'<a href="#{escape(clause.id)}">{escape(clause.id)}</a>' for clause in lacking)
    return f'<span class="none">Something is missing:</span> {links}.'


def _section(regulation: str, rows: Sequence[Row]) -> str:
    body = "".join(_row(*row) for row in rows)
    return (
        f"<h2>{escape(regulation)}</h2><table><thead><tr><th>clause</th><th>kind</th><th>rule, in our words</th>"
        f"<th>code</th><th>tests</th></tr></thead><tbody>{body}</tbody></table>"
    )


def _row(clause: Clause, code: tuple[Place, ...], tests: tuple[Place, ...] | None) -> str:
    proof = _places(tests) if tests is not None else '<span class="dim">not installed</span>'
    return (
        f'<tr id="{escape(clause.id)}"><td class="id">{escape(clause.id)}</td><td>{escape(clause.kind)}</td>'
        f"<td>{escape(clause.rule)}</td><td>{_places(code)}</td><td>{proof}</td></tr>"
    )


def _places(places: tuple[Place, ...]) -> str:
    if not places:
        return '<span class="none">none</span>'
    first, rest = places[:_SHOWN_AT_ONCE], places[_SHOWN_AT_ONCE:]
    more = f"<details><summary>{len(rest)} more</summary>{_list(rest)}</details>" if rest else ""
    return _list(first) + more


def _list(places: Sequence[Place]) -> str:
    items = "".join(f"<li><code>{escape(str(place))}</code></li>" for place in places)
    return f"<ul>{items}</ul>"
