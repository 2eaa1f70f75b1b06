# ruff: noqa: E501 (style sheets and markup are rows of their own)
"""The report as one page: opens anywhere, needs nothing beside it, says in a minute what passed on what.

Owns the HTML and its small plots. Takes a book and writes text; knows no device and no file.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from bench_book import Book, Measurement, Tried
from cardshoe.lab.conform.verdicts import Told, Verdict

STYLE = """
:root{--ink:#1b1f24;--dim:#5b6570;--line:#d8dee4;--good:#1a7f37;--bad:#cf222e;--none:#9a6700;--soft:#f6f8fa}
*{box-sizing:border-box}body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);margin:0 auto;padding:24px;max-width:1120px}
h1{font-size:20px;margin:0}h2{font-size:16px;margin:28px 0 8px;border-bottom:1px solid var(--line);padding-bottom:4px}
.banner{display:flex;gap:20px;align-items:center;border-radius:8px;padding:16px 20px;color:#fff;background:var(--good)}
.banner.FAILED,.banner.BROKEN{background:var(--bad)}.banner.NOTHING{background:var(--none)}
.banner b{font-size:30px;letter-spacing:.5px;white-space:nowrap}.banner p{margin:2px 0 0;opacity:.95}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(330px,1fr));gap:12px}
.card{border:1px solid var(--line);border-radius:8px;padding:12px 14px;background:#fff;break-inside:avoid}
.card h3{margin:0 0 6px;font-size:14px;display:flex;justify-content:space-between;gap:8px}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 12px;margin:0}dt{color:var(--dim)}dd{margin:0;overflow-wrap:anywhere}
.passed{color:var(--good)}.failed,.broken,.error{color:var(--bad);font-weight:600}.skipped,.not{color:var(--none)}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:4px 8px;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--dim);font-weight:600}td.n{text-align:right;white-space:nowrap}code,pre{font:12px/1.5 ui-monospace,monospace}
pre{background:var(--soft);border-radius:6px;padding:10px;overflow-x:auto;margin:6px 0}
.clauses{display:flex;flex-wrap:wrap;gap:4px}.clauses span{font:11px ui-monospace,monospace;padding:2px 6px;border-radius:4px;color:#fff;background:var(--good)}
.clauses span.broken{background:var(--bad);color:#fff}.clauses span.not{background:#eaeef2;color:var(--dim)}
details{margin:4px 0}summary{cursor:pointer}.dim{color:var(--dim)}svg{display:block;width:100%;height:58px}
.tiles{display:grid;grid-template-columns:repeat(3,1fr);gap:12px;margin-top:12px}.big span{margin-right:18px}.big b{font-size:24px}
i.sim{margin-left:auto;font-style:normal;font-weight:700;background:#fff8c5;color:#6b4c00;border-radius:6px;padding:6px 10px;white-space:nowrap}
@media print{body{padding:0}.banner,.clauses span{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
"""


def page(book: Book, facts: Mapping[str, Any]) -> str:
    """Return the page. `facts`: about the run, and `devices` as a list of (kind, facts)."""
    title = f"{facts['bench']}: {book.verdict}"
    parts = [
        _banner(book, facts), _devices(facts), _failures(book), _clauses(book), _measurements(book), _tables(book),
        _tests(book), _left_out(book), _run(facts), _wire(book),
    ]  # fmt: skip
    body = "\n".join(part for part in parts if part)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head>\n<body>{body}</body></html>\n'


def _banner(book: Book, facts: Mapping[str, Any]) -> str:
    on = " · ".join(f"{kind} {told['model']} {told['serial']}" for kind, told in facts["devices"]) or "no device"
    word = book.verdict.split()[0]
    broken = f"<p>The bench broke: {escape(book.broken)}</p>" if book.broken else ""
    mark = '<i class="sim">SIMULATED DEVICES</i>' if facts["simulated"] else ""
    return (
        f'<div class="banner {word}"><b>{escape(book.verdict)}</b><div><h1>{escape(on)}</h1>'
        f"<p>{escape(facts['bench'])} · {escape(facts['when'])}</p>{broken}</div>{mark}</div>{_tiles(book)}"
    )


def _tiles(book: Book) -> str:
    tests = [(book.count(o), o) for o in ("passed", "failed", "error", "skipped") if book.count(o)]
    every = [(book.clause(told), told) for told_of in book.told.values() for told in told_of]
    clauses = [
        (sum(v is Verdict.PASSED for v, _ in every), "shown"),
        (sum(v is Verdict.BROKEN for v, _ in every), "broken"),
        (sum(v is Verdict.NOT_SHOWN and not _host(t) for v, t in every), "not shown"),
    ]
    limited = [one.ok for one in book.measurements if one.limited]
    limits = [(sum(limited), "kept"), (len(limited) - sum(limited), "not kept")]
    tiles = (("Tests", tests), ("Clauses of the protocol", clauses), ("Limits of time", limits))
    return f'<div class="tiles">{"".join(_tile(*tile) for tile in tiles)}</div>'


_WORST = {"failed", "error", "broken", "not kept"}


def _tile(name: str, counts: Sequence[tuple[int, str]]) -> str:
    told = "".join(
        f'<span class="{"failed" if word in _WORST else "passed" if at == 0 else "dim"}"><b>{n}</b> {word}</span>'
        for at, (n, word) in enumerate(counts)
        if n or at == 0
    )
    return f'<div class="card"><h3>{escape(name)}</h3><div class="big">{told}</div></div>'


def _host(told: Told) -> bool:
    """Whether no vector asks this device for the clause: it binds the host, or another kind of device shows it."""
    return told.reason.startswith("no vector asks")


def _devices(facts: Mapping[str, Any]) -> str:
    cards = []
    for kind, told in facts["devices"]:
        rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in told.items())
        cards.append(f'<div class="card"><h3>{escape(kind)}</h3><dl>{rows}</dl></div>')
    return f'<h2>Devices</h2><div class="cards">{"".join(cards)}</div>' if cards else ""


def _failures(book: Book) -> str:
    wrong = [one for one in book.tried.values() if one.outcome in ("failed", "error")]
    rows = "".join(
        f'<tr><td>{escape(one.title)}<br><span class="dim">{" ".join(one.clauses)}</span></td><td><code>{escape(one.reason)}</code></td></tr>'
        for one in wrong
    )
    broken = "".join(_broken(told) for every in book.told.values() for told in every if told.verdict is Verdict.BROKEN)
    if not rows and not broken:
        return ""
    return f"<h2>What failed</h2><table>{rows}</table>{broken}"


def _broken(told: Told) -> str:
    excerpt = f"<pre>{escape(chr(10).join(told.excerpt[-8:]))}</pre>" if told.excerpt else ""
    rows = (("expected", told.expected), ("came", told.came), ("shown by", f"{told.shown_by} ({told.reason})"))
    listed = "".join(f"<dt>{name}</dt><dd><code>{escape(text)}</code></dd>" for name, text in rows)
    return (
        f'<div class="card"><h3><span class="broken">{told.clause} broken</span></h3><p>{escape(told.title)}</p>'
        f"<dl>{listed}</dl>{excerpt}</div>"
    )


def _clauses(book: Book) -> str:
    out = []
    for kind, every in book.told.items():
        asked = [told for told in every if not (_host(told) and book.clause(told) is Verdict.NOT_SHOWN)]
        counts = {verdict: sum(book.clause(told) is verdict for told in asked) for verdict in Verdict}
        boxes = "".join(_box(book.clause(told), told) for told in asked)
        counted = ", ".join(f"{n} {verdict.value}" for verdict, n in counts.items())
        others = " ".join(told.clause for told in every if told not in asked)
        out.append(
            f'<p><b>{escape(kind)}</b>: {counted}</p><div class="clauses">{boxes}</div>'
            f"<p class=\"dim\">Not a {escape(kind)}'s to show (the host's, another device's, or a person's): {others}</p>"
        )
    key = (
        '<p class="dim">Green: shown to hold. Red: broken. Grey: not shown in this run; point at it for the clause.</p>'
    )
    return f"<h2>Clauses of the protocol</h2>{''.join(out)}{key}" if out else ""


def _box(verdict: Verdict, told: Told) -> str:
    why = f"{told.title} ({told.reason})" if told.reason else told.title
    return f'<span class="{verdict.value.split()[0]}" title="{escape(why, quote=True)}">{told.clause}</span>'


def _measurements(book: Book) -> str:
    cards = "".join(_measured(one) for one in book.measurements)
    return f'<h2>Measured</h2><div class="cards">{cards}</div>' if cards else ""


def _measured(one: Measurement) -> str:
    word = ("passed", "kept") if one.ok else ("failed", "not kept")
    badge = f'<span class="{word[0]}">{word[1]}</span>' if one.limited else '<span class="dim">no limit</span>'
    limit = " ".join(
        f"{name} {value:,.6g} {one.unit}"
        for name, value in (("at least", one.least), ("at most", one.most))
        if value is not None
    )
    median = statistics.median(one.values)
    return (
        f'<div class="card"><h3><span>{escape(one.device)}: {escape(one.name)}</span>{badge}</h3>{plot(one)}<p class="dim">{len(one.values)} × · '
        f"median {median:,.3g} · {min(one.values):,.3g} to {max(one.values):,.3g} {escape(one.unit)}"
        f"{' · limit ' + escape(limit) if limit else ''} · {escape(one.clause)}</p></div>"
    )


def plot(one: Measurement) -> str:
    """Return a strip of all values on one axis, with the median and the limits."""
    marks = [value for value in (one.least, one.most) if value is not None]
    low, high = min([*one.values, *marks, 0.0]), max([*one.values, *marks])
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return 6 + 288 * (value - low) / span

    dots = "".join(
        f'<circle cx="{x(value):.1f}" cy="{24 + 7 * ((at * 5) % 3 - 1)}" r="2.6" fill="#0969da" fill-opacity=".45"/>'
        for at, value in enumerate(one.values[:600])
    )
    median = x(statistics.median(one.values))
    limits = "".join(
        f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="6" y2="42" stroke="#cf222e" stroke-width="2" stroke-dasharray="4 2"/>'
        for value in marks
    )
    text = (
        f'<text x="6" y="55" font-size="10" fill="#5b6570">{low:,.3g}</text>'
        f'<text x="294" y="55" font-size="10" fill="#5b6570" text-anchor="end">{high:,.5g} {escape(one.unit)}</text>'
    )
    return (
        f'<svg viewBox="0 0 300 58" role="img" aria-label="{escape(one.name, quote=True)}">'
        f'<line x1="6" x2="294" y1="42" y2="42" stroke="#d8dee4"/>{dots}'
        f'<line x1="{median:.1f}" x2="{median:.1f}" y1="10" y2="42" stroke="#1b1f24" stroke-width="1.5"/>{limits}{text}</svg>'
    )


def _tables(book: Book) -> str:
    out = []
    for title, note, (head, *rows) in book.tables:
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        out.append(f"<h2>{escape(title)}</h2><p>{escape(note)}</p><table><tr>{top}</tr>{body}</table>")
    return "".join(out)


def _tests(book: Book) -> str:
    ran = [one for one in book.tried.values() if one.outcome != "skipped"]
    rows = "".join(_test(one) for one in ran)
    head = "<tr><th></th><th>what was tried</th><th>clauses</th><th>time</th></tr>"
    return f"<h2>Tests</h2><table>{head}{rows}</table>" if rows else ""


def _test(one: Tried) -> str:
    clauses = " ".join(one.clauses[:8]) + (f" and {len(one.clauses) - 8} more" if len(one.clauses) > 8 else "")
    return (
        f'<tr><td class="{one.outcome}">{one.outcome}</td><td>{escape(one.title)}<br><code class="dim">{escape(one.name)}</code>'
        f'</td><td>{escape(clauses)}</td><td class="n">{one.seconds:.1f} s</td></tr>'
    )


def _left_out(book: Book) -> str:
    skipped = [one for one in book.tried.values() if one.outcome == "skipped"]
    rows = "".join(f"<tr><td>{escape(one.title)}</td><td>{escape(one.reason)}</td></tr>" for one in skipped)
    return f"<h2>Not run, and why</h2><table>{rows}</table>" if rows else ""


def _run(facts: Mapping[str, Any]) -> str:
    rows: Sequence[tuple[str, Any]] = list(facts["run"].items())
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in rows)
    return f'<h2>This run</h2><div class="card"><dl>{listed}</dl></div>'


def _wire(book: Book) -> str:
    out = []
    for one in book.tried.values():
        for kind, lines in one.excerpts.items():
            if lines:
                text = escape("\n".join(lines))
                out.append(
                    f"<details><summary>{escape(one.title)} · {escape(kind)}</summary><pre>{text}</pre></details>"
                )
    note = '<p class="dim">The last frames of each test as they passed on the line; nonces and keys are masked.</p>'
    return f"<h2>On the line</h2>{note}{''.join(out)}" if out else ""
