"""The page of a shift or a day: figures, small plots, tables; one file that needs no network and no script.

Owns the layout and the plots (SVG bars). It must not count: every figure is `journal.period`'s. Names of tables and
codes come out of records and are escaped.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from cardshoe.counted import counted
from cardshoe.journal.chain import Verdict
from cardshoe.journal.period import Period, SpotAccount

STYLE: Final = """
@page{size:A4;margin:14mm}*{box-sizing:border-box}
body{font:14px/1.45 system-ui,sans-serif;color:#111;background:#fff;max-width:190mm;margin:1.2em auto;padding:0 1em}
h1{font-size:1.5em;margin:0}h2{font-size:1.1em;margin:1.4em 0 .4em;border-bottom:2px solid #111}
.sub{color:#333;margin:.2em 0 1em}.tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:.6em}
.tile{border:1px solid #888;border-radius:4px;padding:.5em .7em}.tile b{display:block;font-size:1.6em;line-height:1.2}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #bbb;padding:.25em .5em;text-align:left;
vertical-align:top}th{border-bottom:2px solid #555}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
tr.sum td{border-top:2px solid #555;font-weight:bold}svg{display:block;width:100%;height:auto}
.bad{border:3px solid #111;padding:.5em;font-weight:bold}code{font:12px monospace;word-break:break-all}
.none{color:#444}section{break-inside:avoid}
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def head(title: str, style: str = STYLE) -> str:
    """Return the head of a page of its own, `title` escaped."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    begin = '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    return f"{begin}{policy}<title>{text(title)}</title><style>{style}</style></head><body>"


def period_page(period: Period, journal: str, verdict: Verdict) -> str:
    """Return the page of `period` out of the journal named `journal`, which was judged by `verdict`."""
    return "\n".join(_page(period, journal, verdict)) + "\n"


def amount(cents: int) -> str:
    """Return `cents` as dollars, with its sign."""
    sign = "−" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02}"


def rate(value: float | None) -> str:
    """Return a rate with one place, or a dash where nothing was counted."""
    return "–" if value is None else f"{value:,.1f}"


def text(value: object) -> str:
    """Return `value` escaped for a page."""
    return html.escape(str(value))


def table(columns: Iterable[str], rows: Iterable[Iterable[object]], *, sums: bool = False) -> Iterator[str]:
    """Yield a table; a column whose name begins with "#" holds numbers. With `sums` the last row is their sum."""
    names = list(columns)
    kinds = [' class="n"' if name.startswith("#") else "" for name in names]
    heads = "".join(f"<th{kind}>{text(name.removeprefix('#'))}</th>" for name, kind in zip(names, kinds, strict=True))
    yield f"<table><tr>{heads}</tr>"
    body = [list(row) for row in rows]
    for number, row in enumerate(body, 1):
        mark = ' class="sum"' if sums and number == len(body) else ""
        cells = "".join(f"<td{kind}>{text(cell)}</td>" for cell, kind in zip(row, kinds, strict=True))
        yield f"<tr{mark}>{cells}</tr>"
    yield "</table>"


def _page(period: Period, journal: str, verdict: Verdict) -> Iterator[str]:
    title = f"{period.table or 'Table'} · {period.title}"
    yield head(title)
    yield f"<h1>{text(title)}</h1>"
    end = "signed off" if period.signed_off else "not signed off"
    open_for = f"open {period.open_us // 3_600_000_000} h {period.open_us // 60_000_000 % 60} min"
    games = ", ".join(f"{name} ({counted(count, 'round')})" for name, count in period.games.items())
    yield f'<p class="sub">{_when(period.begins)} to {_when(period.ends)} UTC · {open_for} · {end}'
    yield f"<br>{text(games or 'no round was played')}</p>"
    if not verdict.ok:
        yield f'<p class="bad">This journal CANNOT BE TRUSTED: {text(verdict.why)}</p>'
    if period.clock_steps:
        steps = counted(period.clock_steps, "time")
        yield f'<p class="bad">The wall clock was set {steps} in it: times of day may be wrong, durations are not.</p>'
    if period.unplayable:
        rounds = counted(period.unplayable, "round")
        yield f'<p class="bad">{rounds} cannot be played again; <code>cardshoe journal replay</code> says why.</p>'
    yield from _tiles(period)
    yield "<section><h2>Wagers</h2>"
    yield from _wagers(period)
    yield "</section><section><h2>Rounds by the hour of the day</h2>"
    yield from bars({f"{hour[11:13]}:00": count for hour, count in sorted(period.by_hour.items())}, "no round")
    yield "</section><section><h2>Alarms and questions</h2>"
    yield from bars(dict(period.alarms.most_common()), "none")
    yield "</section>"
    yield from _rest(period)
    yield f"<h2>Proof</h2><p>Records {period.first_seq} to {period.last_seq} of the journal {text(journal)}, which has"
    yield f" {counted(verdict.records, 'record')}; its head is <code>{verdict.head}</code>, its public key"
    yield f" <code>{verdict.public_key}</code>. <code>cardshoe journal verify</code> checks it.</p></body></html>"


def _when(wall: str) -> str:
    return text(wall[:16].replace("T", " "))


def _tiles(period: Period) -> Iterator[str]:
    total = period.in_all
    hold = "–" if total.hold is None else f"{total.hold:.1%}".replace("-", "−")
    tiles: tuple[tuple[object, str], ...] = (
        (period.settled, "rounds settled"),
        (period.voided, "rounds void"),
        (rate(period.rounds_per_hour), "rounds an hour"),
        (period.alarms.total(), "alarms and questions"),
        (amount(total.drop_cents), "drop"),
        (amount(total.house_cents), "stayed with the house"),
        (hold, "hold"),
        (rate(period.misfeeds_per_10000), "misfeeds in 10,000 cards"),
    )
    if period.training_rounds:
        tiles = (*tiles, (period.training_rounds, "rounds of training, in no other figure"))
    inner = "".join(f'<div class="tile"><b>{text(value)}</b>{text(what)}</div>' for value, what in tiles)
    yield f'<div class="tiles">{inner}</div>'


def _wagers(period: Period) -> Iterator[str]:
    if not period.spots:
        yield '<p class="none">none</p>'
        return
    columns = ("spot", "#wagers", "#drop", "#won by players", "#returned", "#house", "#hold", "#void, given back")
    rows = [_row(name, spot) for name, spot in (*period.spots.items(), ("in all", period.in_all))]
    yield from table(columns, rows, sums=True)
    if period.limited_hands:
        yield f"<p>{counted(period.limited_hands, 'hand')} reached the limit of what one hand may win.</p>"


def _row(name: str, spot: SpotAccount) -> tuple[object, ...]:
    hold = "–" if spot.hold is None else f"{spot.hold:.1%}".replace("-", "−")
    money = (spot.drop_cents, spot.won_cents, spot.returned_cents, spot.house_cents)
    return (name.replace("_", " "), spot.wagers, *(amount(each) for each in money), hold, amount(spot.void_cents))


def bars(values: Mapping[str, int], nothing: str) -> Iterator[str]:
    """Yield horizontal bars of counts, each with its number; dark on white, so that they print."""
    if not values:
        yield f'<p class="none">{text(nothing)}</p>'
        return
    most, line = max(values.values()), 20
    yield f'<svg viewBox="0 0 640 {line * len(values)}" role="img" aria-label="{text(_spoken(values))}">'
    for row, (name, count) in enumerate(values.items()):
        top, width = row * line, max(1, round(360 * count / most))
        yield f'<text x="212" y="{top + 14}" text-anchor="end" font-size="12">{text(name)}</text>'
        yield f'<rect x="220" y="{top + 3}" width="{width}" height="14" fill="#335"/>'
        yield f'<text x="{226 + width}" y="{top + 14}" font-size="12">{count}</text>'
    yield "</svg>"


def _spoken(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in values.items())


def _rest(period: Period) -> Iterator[str]:
    yield "<section><h2>Shoe, deck and table</h2>"
    rows: list[tuple[object, object]] = [
        ("stacks and cards from the shoe", f"{period.stacks} and {period.cards}"),
        ("misfeeds", _listed(period.misfeeds)),
        ("lost devices", _listed(period.losses)),
        ("irregularities", _listed(period.irregularities)),
        ("rulings of the floor", period.rulings),
        ("entries corrected", period.corrections),
        ("hands, void ones among them", f"{period.hands}, {period.void_hands}"),
    ]
    yield from table(("what", "count"), rows)
    yield "</section><section><h2>Counts of the stub</h2>"
    if period.stub_counts:
        counts = [
            (each.round, each.cards, each.expected, _agrees(each.cards, each.expected)) for each in period.stub_counts
        ]
        yield from table(("round", "#cards", "#expected", "result"), counts)
    else:
        yield '<p class="none">none; a shoe that counts to 52 needs none</p>'
    yield "</section>"


def _agrees(cards: int, expected: int) -> str:
    return "as expected" if cards == expected else f"{cards - expected:+d} cards"


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in counts.items()) or "none"
