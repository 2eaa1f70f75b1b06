"""`cardshoe bench [GROUP…]`: how fast, each figure beside the least that can be done, measured in the same run.

Owns the options, the progress, the table and the JSON; what is measured is in `lab.bench`. Exit status 0: every target
is met; 1: one is missed; 2: a group or folder of the command line is wrong; 3: a peer process did not start.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from cardshoe.errors import ConfigError
from cardshoe.lab.bench.figures import Conditions, Figure, Skipped
from cardshoe.lab.bench.groups import GROUPS


def command(
    groups: Annotated[
        list[str] | None, typer.Argument(metavar="[GROUP...]", help=f"of {', '.join(GROUPS)}; left out: all")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="few repeats: does it run? Its figures say little")] = False,
    directory: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="a folder on the disk that would hold the journal", show_default=False),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on standard output")] = False,
) -> None:
    """Measure speed, each figure beside its floor."""
    chosen = _chosen(groups or [])
    conditions = Conditions(quick=quick, directory=_writable(directory or Path(tempfile.gettempdir())))
    measured = _measure(chosen, conditions)
    figures = [one for one in measured if isinstance(one, Figure)]
    skipped = [one for one in measured if isinstance(one, Skipped)]
    if as_json:
        answer = {
            "figures": [figure.plain() for figure in figures],
            "skipped": [{"name": one.name, "why": one.why} for one in skipped],
        }
        print(json.dumps(answer, ensure_ascii=False))
    else:
        _show(figures, skipped)
    if not all(figure.ok for figure in figures):
        raise typer.Exit(1)


def _chosen(names: Sequence[str]) -> list[str]:
    for name in names:
        if name not in GROUPS:
            raise ConfigError("bench-group", f"there is no group {name!r}; the groups are {', '.join(GROUPS)}")
    return list(dict.fromkeys(names)) or list(GROUPS)


def _writable(directory: Path) -> Path:
    try:
        tempfile.TemporaryFile(dir=directory).close()
    except OSError as error:
        raise ConfigError("bench-directory", f"--directory {directory} cannot be written: {error.strerror}") from error
    return directory


def _measure(names: Sequence[str], conditions: Conditions) -> list[Figure | Skipped]:
    """Run the groups, one after another; progress is shown where standard error is a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not sys.stderr.isatty()) as progress:
        found: list[Figure | Skipped] = []
        for name in names:
            task = progress.add_task(name, total=1.0)

            def step(share: float, task: TaskID = task) -> None:
                progress.update(task, completed=share)

            found += GROUPS[name](conditions, step)
            progress.update(task, completed=1.0)
        return found


def _show(figures: Sequence[Figure], skipped: Sequence[Skipped]) -> None:
    table = Table("figure", "floor", "target", "", title="Speed", title_justify="left")
    for heading in ("value", "floor value", "ratio"):
        table.add_column(heading, justify="right")
    for figure in figures:
        plain = figure.plain()
        table.add_row(
            figure.name,
            figure.floor or "",
            str(figure.target) if figure.target is not None else "",
            _verdict(figure),
            f"{plain['value']:,.10g} {figure.unit}",
            "" if figure.floor_value is None else f"{plain['floor_value']:,.10g}",
            "" if figure.ratio is None else f"{plain['ratio']:.3g}",
        )
    console = Console()
    if not console.is_terminal:
        console.width = 160
    console.print(table)
    for one in skipped:
        console.print(f"{one.name} was not measured: {one.why}", markup=False, soft_wrap=True)
    missed = [figure.name for figure in figures if not figure.ok]
    console.print(f"{len(figures)} figures; missed: {', '.join(missed) or 'none'}", markup=False, soft_wrap=True)


def _verdict(figure: Figure) -> str:
    if figure.target is None:
        return ""
    return "[green]met[/]" if figure.ok else "[bold red]missed[/]"
