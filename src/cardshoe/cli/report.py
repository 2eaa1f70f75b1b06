"""`cardshoe report shift | day | round N`: what a supervisor hands on: figures of a shift or day, the sheet of a round.

Owns the arguments, the JSON, the CSV and the lines; the pages are in `report_page` and `report_sheet`, the counting is
`journal.period`. It reads only; a table may hold the journal open. Exit status 0 done, 1 there is no such shift, day or
round, 2 wrong usage or no such file, 4 a journal that cannot be trusted (what can be read is still reported, and says
so).
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO

import typer

from cardshoe.cli.journal_forms import whole_text
from cardshoe.cli.report_page import amount, period_page, rate
from cardshoe.cli.report_sheet import account_of, sheet_of
from cardshoe.counted import counted
from cardshoe.errors import InputError, JournalError
from cardshoe.journal.canonical import Record
from cardshoe.journal.chain import Verdict
from cardshoe.journal.period import Period, days, period_plain, shifts
from cardshoe.journal.reader import JournalReader, verify

app = typer.Typer(no_args_is_help=True, help=__doc__)

_Journal = Annotated[
    Path, typer.Option("--journal", metavar="PATH", help="The journal, as the table was given it.", show_default=False)
]
_Html = Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page that needs nothing else.")]
_Csv = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="Write a table for a spreadsheet.")]
_Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


@app.command("shift")
def shift_command(
    journal: _Journal,
    *,
    number: Annotated[
        int | None, typer.Option("--number", min=1, help="Which shift, the first is 1; else the last.")
    ] = None,
    html: _Html = None,
    as_csv: _Csv = None,
    as_json: _Json = False,
) -> None:
    """Report one shift: it ends where somebody signs off; the last one may still be open."""
    wanted = None if number is None else f"Shift {number}"
    _report(journal, shifts, wanted, html, as_csv, as_json=as_json)


@app.command("day")
def day_command(
    journal: _Journal,
    *,
    date: Annotated[
        str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="Which day (UTC); else the last.")
    ] = None,
    html: _Html = None,
    as_csv: _Csv = None,
    as_json: _Json = False,
) -> None:
    """Report one day, by the wall clock in the records."""
    _report(journal, days, date, html, as_csv, as_json=as_json)


@app.command("round")
def round_command(
    number: Annotated[int, typer.Argument(metavar="N", min=0, help="The round's number.", show_default=False)],
    journal: _Journal,
    *,
    html: _Html = None,
    as_json: _Json = False,
) -> None:
    """Make the sheet of one round for a dispute: A4, black on white, with the proof of its records."""
    verdict = verify(journal)
    try:
        if html is None and not as_json:
            sheet_of(verdict, number, journal, sys.stdout)
        elif html is not None:
            written = _whole(html, lambda target: sheet_of(verdict, number, journal, target))
            told = {"round": number, "records": written, "html": str(html)}
            print(
                json.dumps(told) if as_json else f"The sheet of round {number} is in {html}; print it from a browser."
            )
        else:
            print(json.dumps(account_of(journal, number)))
    except JournalError as error:
        _leave_untrusted(verdict, error.text)
    if not verdict.ok:
        _leave_untrusted(verdict, verdict.why)


def _report(
    journal: Path,
    cut: Callable[[Iterable[Record]], Iterator[Period]],
    wanted: str | None,
    html: Path | None,
    as_csv: Path | None,
    *,
    as_json: bool,
) -> None:
    verdict = verify(journal)
    try:
        with JournalReader(journal) as reader:
            found = _chosen(list(cut(reader.records())), wanted, journal)
    except JournalError as error:
        _leave_untrusted(verdict, error.text)
    why = None if verdict.ok else verdict.why
    if html is not None:
        _whole(html, lambda target: target.write(period_page(found, journal.name, verdict)))
    if as_csv is not None:
        _whole(as_csv, lambda target: _table(found, target))
    if as_json:
        print(json.dumps(period_plain(found)))
    else:
        print("\n".join(_lines(found)))
        for file in (html, as_csv):
            if file is not None:
                print(f"Written to {file}.")
    if not verdict.ok:
        _leave_untrusted(verdict, why)


def _chosen(periods: list[Period], wanted: str | None, journal: Path) -> Period:
    """Return the period titled `wanted`, or the last. Raises `InputError` (`report-period`)."""
    found = [each for each in periods if wanted in (None, each.title)]
    if not found:
        there = f"{periods[0].title} to {periods[-1].title}" if periods else "none"
        raise InputError("report-period", f"{journal} has nothing of {wanted!r}; it has {there}.")
    return found[-1]


def _table(period: Period, target: TextIO) -> None:
    """Write every figure as a line of `what, of, value` (RFC 4180)."""
    table = csv.writer(target)
    table.writerow(("what", "of", "value"))
    for what, value in period_plain(period).items():
        for of, figure in _figures(value):
            table.writerow((what, of, figure))


def _figures(value: Any, of: str = "") -> Iterator[tuple[str, Any]]:
    match value:
        case dict():
            for name, inner in value.items():
                yield from _figures(inner, f"{of} {name}".strip())
        case list():
            for number, inner in enumerate(value, 1):
                yield from _figures(inner, f"{of} {number}".strip())
        case _:
            yield of, value


def _lines(period: Period) -> Iterator[str]:
    end = "signed off" if period.signed_off else "not signed off"
    yield f"{period.table or 'Table'} · {period.title} · {period.begins} to {period.ends} · {end}"
    yield f"Rounds settled {period.settled}, void {period.voided}; rounds an hour {rate(period.rounds_per_hour)}"
    if period.training_rounds:
        yield f"Rounds of training {period.training_rounds}, which are in no other figure"
    yield f"Cards from the shoe {period.cards}; misfeeds {period.misfeeds.total()}," + (
        f" {rate(period.misfeeds_per_10000)} in 10,000 cards"
    )
    for code, count in period.alarms.most_common():
        yield f"Alarm {code}: {count}"
    for each in period.stub_counts:
        yield f"Stub counted in round {each.round}: {counted(each.cards, 'card')}, {each.expected} expected"
    yield f"{'spot':12}{'wagers':>8}{'drop':>14}{'house':>14}{'hold':>8}"
    for name, spot in (*period.spots.items(), ("in all", period.in_all)):
        hold = "–" if spot.hold is None else f"{spot.hold:.1%}"
        yield f"{name:12}{spot.wagers:>8}{amount(spot.drop_cents):>14}{amount(spot.house_cents):>14}{hold:>8}"


def _whole(to: Path, form: Callable[[TextIO], int | None]) -> int:
    """Write `to` whole or not at all. Raises `ConfigError` (`journal-export`)."""
    with whole_text(to, str(to)) as file:
        return form(file) or 0


def _leave_untrusted(verdict: Verdict, why: str | None) -> NoReturn:
    where = "" if verdict.first_bad is None else f" from record {verdict.first_bad} on"
    print(f"cardshoe: the journal cannot be trusted{where}: {why}", file=sys.stderr)
    raise typer.Exit(JournalError.exit_status)
