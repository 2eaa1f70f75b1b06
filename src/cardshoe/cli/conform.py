"""`cardshoe conform URL`: does this device keep the protocol? A verdict on each clause.

Owns the options, the progress, the words and the JSON; what is asked and how it is judged is in `lab.conform`. Exit
status 0: no clause is broken and something was shown; 1: a clause is broken, or nothing could be shown; 2: an option or
the bench file is wrong; 3: the device cannot be had, or its port or control socket was lost.
"""

from __future__ import annotations

import json
import secrets
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from cardshoe.counted import counted
from cardshoe.errors import ConfigError
from cardshoe.lab.conform import makers
from cardshoe.lab.conform.asking import Answer, Asking, Device, choose, who_answers
from cardshoe.lab.conform.hands import ControlHands, Hands
from cardshoe.lab.conform.items import Item
from cardshoe.lab.conform.line import PortLine
from cardshoe.lab.conform.rig import BenchFile, BenchHands, hands_of, read_bench
from cardshoe.lab.conform.verdicts import Judgement, Limit, Told, Verdict, judge, limits, other_version

CONTROL_HELP = "Control socket of a simulated world, or of a bench that speaks the same: it acts at the device."


def command(
    url: Annotated[str, typer.Argument(help="serial:///dev/…, tcp://HOST:PORT or usb://VID:PID/SERIAL")],
    kind: Annotated[str | None, typer.Option(help="shoe or reader; left out: what the device says it is.")] = None,
    clause: Annotated[list[str] | None, typer.Option(help="Only what shows this clause (repeatable).")] = None,
    control: Annotated[Path | None, typer.Option(help=CONTROL_HELP)] = None,
    ask: Annotated[bool, typer.Option("--ask", help="Ask you to act at the device (take the stack, a jam …).")] = False,
    bench: Annotated[Path | None, typer.Option(help="Bench file: who acts, programs for relays, delays.")] = None,
    slack_ms: Annotated[
        int | None, typer.Option(min=0, max=5000, help="What the line delays, added to each limit (32).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Ask a device all that its protocol says, and give a verdict on each clause. Cards are moved: use a test deck."""
    file = read_bench(bench) if bench is not None else BenchFile()
    slack = file.limits.slack_ms if slack_ms is None else slack_ms
    _known_kind(kind)
    line = PortLine(url)
    try:
        device = who_answers(line, _nonce)
        asked = _kind(kind, device, url)
        chosen = _chosen(asked, clause or [])
        person = ask or (control is None and file.hands.by == "person")
        asking = Asking(
            asked,
            line,
            _hands(control, file, ask=ask),
            _nonce,
            slack_ms=slack,
            starts_s=file.limits.starts_s,
            able=device.capabilities,
        )
        answers = [] if device.spec_hash != makers.spec_hash(asked) else _ask(asking, chosen, bar=not person)
    finally:
        line.close()
    told = judge(asked, answers, only=clause or []) if answers else other_version(asked, device.spec_hash)
    measured = limits(asking.times, slack_ms=slack)
    first = Judgement(asked, answers, frozenset(clause or [])).first()
    if as_json:
        print(json.dumps(_plain(url, device, asked, told, measured, first), ensure_ascii=False))
    else:
        _show(url, device, told, measured, first)
    broken = any(one.verdict is Verdict.BROKEN for one in told)
    if broken or not any(one.verdict is Verdict.PASSED for one in told):
        raise typer.Exit(1)


def _nonce() -> bytes:
    return secrets.token_bytes(16)


def _known_kind(kind: str | None) -> None:
    if kind is not None and kind not in makers.KINDS.values():
        raise ConfigError("conform-kind", f"--kind is {kind!r}, wanted is {' or '.join(makers.KINDS.values())}.")


def _kind(kind: str | None, device: Device, url: str) -> str:
    if kind is None and not device.kind:
        raise ConfigError("conform-kind", f"{url} says it is no kind of device that is known here; give --kind.")
    return kind or device.kind


def _chosen(kind: str, clauses: Sequence[str]) -> tuple[Item, ...]:
    for clause in clauses:
        if clause not in makers.clauses(kind):
            raise ConfigError("conform-clause", f"There is no clause {clause!r} in link-v1 or {kind}-v1.")
    chosen = choose(kind, clauses)
    if not chosen:
        raise ConfigError(
            "conform-clause", f"No vector asks a {kind} for {', '.join(clauses)}: it binds the host, or needs a person."
        )
    return chosen


def _hands(control: Path | None, file: BenchFile, *, ask: bool) -> Hands:
    if control is not None:
        return ControlHands(control)
    return hands_of(BenchHands(by="person", programs=file.hands.programs) if ask else file.hands, _asked)


def _asked(text: str) -> str:
    return str(typer.prompt(f"\a{text} [Enter: done, cannot]", default="", show_default=False, err=True))


def _ask(asking: Asking, chosen: Sequence[Item], *, bar: bool) -> list[Answer]:
    """Run the items; a `bar` of progress is shown where standard error is a terminal, not over a person's questions."""
    columns = (TextColumn("{task.description:40.40}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    answers = []
    with Progress(*columns, console=console, transient=True, disable=not (bar and sys.stderr.isatty())) as progress:
        task = progress.add_task("", total=len(chosen))
        for answer in asking.ask(chosen):
            answers.append(answer)
            progress.update(task, advance=1, description=escape(answer.item.id))
    return answers


def _plain(
    url: str, device: Device, kind: str, told: Sequence[Told], measured: Sequence[Limit], first: Sequence[str]
) -> dict[str, Any]:
    counts = {verdict.value: sum(one.verdict is verdict for one in told) for verdict in Verdict}
    return {
        "url": url,
        "device": {name: getattr(device, name) for name in Device.__slots__},
        "kind": kind,
        "spec_hash": makers.spec_hash(kind),
        "counts": counts,
        "look_first_at": list(first[:3]),
        "clauses": [one.plain() for one in told],
        "measured": [
            {"name": one.name, "clause": one.clause, "count": len(one.values_ms), "ok": one.ok, "limit_ms": one.most_ms}
            | ({"median_ms": round(statistics.median(one.values_ms), 2), "most_ms": round(max(one.values_ms), 2)}
               if one.values_ms else {})
            for one in measured
        ],
    }  # fmt: skip


_STYLE = {Verdict.PASSED: "green", Verdict.BROKEN: "bold red", Verdict.NOT_SHOWN: "yellow"}


def _show(url: str, device: Device, told: Sequence[Told], measured: Sequence[Limit], first: Sequence[str]) -> None:
    console = Console()
    if not console.is_terminal:
        console.width = 160
    who = f"{device.kind or 'device'} {device.model!r}, serial {device.serial!r}, firmware {device.firmware!r}"
    console.print(f"{url}: {who}\n", markup=False, soft_wrap=True)
    for one in told:
        label = f"[{_STYLE[one.verdict]}]{one.verdict.value:9}[/]"
        tail = f" [dim]({escape(one.reason)})[/]" if one.reason and one.verdict is not Verdict.BROKEN else ""
        console.print(f"{one.clause:11} {label} {escape(one.title)}{tail}", soft_wrap=True, highlight=False)
        if one.verdict is Verdict.BROKEN:
            _show_broken(console, one)
    for limit in measured:
        if limit.values_ms:
            most = f", limit {limit.most_ms:g} ms" if limit.most_ms is not None else ""
            console.print(
                f"{limit.name}: {len(limit.values_ms)} times, median {statistics.median(limit.values_ms):.1f} ms, "
                f"most {max(limit.values_ms):.1f} ms{most} ({limit.clause})",
                markup=False, soft_wrap=True,
            )  # fmt: skip
    counts = ", ".join(f"{sum(one.verdict is verdict for one in told)} {verdict.value}" for verdict in Verdict)
    advice = f" Look first at {', '.join(first[:3])}." if first else ""
    console.print(f"{counted(len(told), 'clause')}: {counts}.{advice}", markup=False, soft_wrap=True)


def _show_broken(console: Console, one: Told) -> None:
    for name, text in (("shown by", f"{one.shown_by} ({one.reason})"), ("expected", one.expected), ("came", one.came)):
        console.print(f"    {name:9} {text}", markup=False, soft_wrap=True, highlight=False)
    for line in one.excerpt[-6:]:
        console.print(f"      {line}", markup=False, soft_wrap=True, highlight=False, style="dim")
