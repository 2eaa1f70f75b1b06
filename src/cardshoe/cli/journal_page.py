"""One round as a page of its own: `cardshoe journal export --html --round N`, for a dispute and for the file.

Owns the page: the seats as the dealer sees them, the hands that lay face up, wagers and payouts with their clauses,
every event in order, and the proof of each record. No script, no network. It shows what is recorded: a card that was
never turned up is in no record, so on no page (promise P4). Implements regulation C5.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from cardshoe.cli.journal_story import told
from cardshoe.counted import counted
from cardshoe.errors import ConfigError
from cardshoe.games.script import POSITIONS
from cardshoe.journal.canonical import Record, parse_record
from cardshoe.journal.chain import Row, Verdict
from cardshoe.journal.reader import JournalReader
from cardshoe.journal.replay import SETTLED, MachineDriver

_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_STYLE: Final = """
body{font:15px/1.4 sans-serif;margin:1.5em;color:#111;background:#fff}table{border-collapse:collapse}
td,th{border:1px solid #bbb;padding:.2em .5em;text-align:left;vertical-align:top}.felt{background:#0a5c36;color:#fff;
border-radius:1em 1em 12em 12em;padding:1em 1em 2em;max-width:60em}.seats{display:flex;gap:.5em}.seat{flex:1;
border:1px solid #9c9;border-radius:.5em;padding:.4em;min-height:6em}.centre{text-align:center;margin-top:1em}
.card{display:inline-block;background:#fff;color:#111;border-radius:.2em;padding:.1em .3em;margin:.1em;
font-weight:bold}.red{color:#b00}.back{background:#446;color:#446}code{font-size:80%;word-break:break-all}
.bad{background:#b00;color:#fff;padding:.5em}@media print{.felt{color:#000;background:#fff;border:1px solid}}
"""


def page_of(verdict: Verdict, number: int, path: Path, target: TextIO) -> int:
    """Write the page of round `number`; return how many records it tells.

    Raises ConfigError `journal-round` if there is no such round, JournalError where the journal cannot be read.
    """
    with JournalReader(path) as reader:
        rows = [(row, record) for row in reader.rows() if (record := parse_record(row.text)).round == number]
    if not rows:
        raise ConfigError("journal-round", f"There is no round {number} in {path}. `cardshoe journal show` names them.")
    records = [record for _, record in rows]
    target.write("\n".join(_page(verdict, number, path.name, rows, account_in(records))) + "\n")
    return len(rows)


def account_in(records: list[Record]) -> Mapping[str, Any]:
    """Return the account as recorded, or as the rules give it for a round that is not complete."""
    for record in records:
        if record.kind == SETTLED:
            return record.body
    driver = MachineDriver()
    events = [each for each in records if driver.opens(each.kind) or driver.continues(each.kind)]
    if not events or not driver.opens(events[0].kind):
        return {}
    state = driver.open(events[0].body)
    for event in events[1:]:
        state = driver.apply(state, event.body)
    return driver.payouts(state)


def _page(
    verdict: Verdict, number: int, name: str, rows: list[tuple[Row, Record]], account: Mapping[str, Any]
) -> Iterator[str]:
    title = f"Round {number} · {account.get('game', '')}"
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body><h1>{_text(title)}</h1>"
    if not verdict.ok:
        yield f'<p class="bad">This journal CANNOT BE TRUSTED: {_text(verdict.why)}</p>'
    complete = any(record.kind == SETTLED for _, record in rows)
    state = "void: every wager is returned" if account.get("voided") else "settled" if complete else "not complete"
    order = " ".join(map(str, account.get("settled_in_order", ())))
    yield f"<p>{_text(rows[0][1].wall)} to {_text(rows[-1][1].wall)} · {state} · settled in the order {_text(order)}"
    yield from _felt(account)
    yield from _payouts(account)
    yield from _events(rows)
    records = counted(verdict.records, "record")
    yield f"<h2>Proof</h2><p>Journal {_text(name)}, {records}, head <code>{verdict.head}</code>,"
    yield f"public key <code>{verdict.public_key}</code>. Each digest covers the record and the one before it.</p>"
    yield "</body></html>"


def _felt(account: Mapping[str, Any]) -> Iterator[str]:
    """Yield the layout as the dealer sees it: position 1 is the farthest to the dealer's left."""
    yield '<div class="felt"><div class="seats">'
    hands = account.get("positions", {})
    for position in POSITIONS:
        hand = hands.get(position)
        yield f'<div class="seat"><b>{_text(position)}</b>'
        if hand is not None:
            yield f"{_text(hand['player'])}<br>{_cards(hand['faces'])}<br>{_text(', '.join(hand['decided']))}<br>"
            yield "<br>".join(f"{_text(spot)} {_money(cents)}" for spot, cents in hand["wagers"].items())
        yield "</div>"
    yield f'</div><p class="centre">board {_cards(account.get("board", ()))}</p>'
    yield f'<p class="centre">dealer {_cards(account.get("dealer", ()))}</p></div>'


def _payouts(account: Mapping[str, Any]) -> Iterator[str]:
    yield "<h2>Wagers and payouts</h2><table><tr><th>position<th>player<th>hand<th>wager<th>staked<th>outcome<th>won"
    yield "<th>returned<th>clause</tr>"
    for position, hand in account.get("positions", {}).items():
        result = hand.get("result")
        best = "" if result is None else f"{result['category'] or hand['status']} {' '.join(result['best'] or ())}"
        for wager in () if result is None else result["wagers"]:
            cells = (position, hand["player"], best, wager["spot"], _money(wager["staked_cents"]), wager["outcome"])
            more = (_money(wager["won_cents"]), _money(wager["returned_cents"]), wager["cites"] or "none")
            yield "<tr>" + "".join(f"<td>{_text(cell)}" for cell in (*cells, *more)) + "</tr>"
        if result is not None:
            limited = " (cut at the limit)" if result["limited"] else ""
            sums = (_money(result["won_cents"]) + limited, _money(result["returned_cents"]))
            yield f'<tr><td>{_text(position)}<td colspan="5">in all<td>{_text(sums[0])}<td>{_text(sums[1])}<td></tr>'
    yield "</table>"


def _events(rows: list[tuple[Row, Record]]) -> Iterator[str]:
    yield "<h2>What happened, in order</h2><table><tr><th>what<th>digest, signature</tr>"
    before: Record | None = None
    for row, record in rows:
        lines = "<br>".join(_text(line.strip()) for line in told(record, before or record))
        signed = f"<br>signed <code>{row.signature.hex()}</code>" if row.signature else ""
        yield f"<tr><td>{lines}<td><code>{row.digest.hex()}</code>{signed}</tr>"
        before = record
    yield "</table>"


def _cards(faces: Any) -> str:
    return " ".join(_card(face) for face in faces) or "–"


def _card(face: str) -> str:
    red = " red" if face[-1:] in "hd" else ""
    return f'<span class="card{red}">{_text(face[:-1])}{_SUITS.get(face[-1:], "")}</span>'


def _money(cents: int) -> str:
    return f"${cents // 100}.{cents % 100:02}"


def _text(value: object) -> str:
    return html.escape(str(value))
