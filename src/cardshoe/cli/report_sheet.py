"""The sheet of one round: what a supervisor prints, reads aloud and has signed when a hand is disputed.

Owns the sheet: A4, black on white, the seats as the dealer sees them, decisions, wagers and payouts with their clauses,
who asked and who ruled, and the proof. It shows what is recorded: a card that was never turned up is in no record, so
on no sheet (promise P4). Implements regulation C5 and E7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TextIO

from cardshoe.cli.journal_page import account_in
from cardshoe.cli.report_page import STYLE, amount, head, table, text
from cardshoe.counted import counted
from cardshoe.errors import InputError
from cardshoe.games.script import POSITIONS
from cardshoe.journal.canonical import Record, parse_record
from cardshoe.journal.chain import Row, Verdict
from cardshoe.journal.reader import JournalReader
from cardshoe.journal.replay import SETTLED
from cardshoe.round.records import TRAINING

_SUITS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
_STYLE: Final = (
    STYLE
    + """
body{font-size:12px}.seats{display:grid;grid-template-columns:repeat(6,1fr);gap:4px}
.seat,.middle{border:1px solid #111;border-radius:4px;padding:4px;min-height:7.5em}.seat.none{border-style:dashed}
.middle{min-height:0;margin-top:4px;display:grid;grid-template-columns:1fr 1fr;text-align:center}
.card{display:inline-block;border:1px solid #111;border-radius:3px;padding:0 .25em;margin:1px;font-weight:bold;
font-size:1.15em;white-space:nowrap}.sign{display:grid;grid-template-columns:repeat(3,1fr);gap:2em;margin-top:4em}
td.n:first-child,th.n:first-child{width:5em}
.sign div{border-top:1px solid #111;padding-top:.2em}.where{float:right;font-weight:bold}
"""
)
_TOLD: Final = {
    "alarm-raised": "asked",
    "alarm_raised": "asked",
    "stack-unknown": "asked",
    "foreign-card-seen": "asked",
    "irregularity-found": "irregular",
    "hold-cleared": "ruled",
    "alarm_cleared": "ruled",
    "floor-ruled": "ruled",
    "declared-confirmed": "confirmed",
    "entry-corrected": "corrected",
    "correction_explained": "because",
    "ordered": "signed for",
}
"""Records of what people had to rule on, and how a line of the sheet begins."""
_UNSAID: Final = frozenset({"kind", "code", "text", "reason", "role", "second", "by", "second_role"})


def sheet_of(verdict: Verdict, number: int, path: Path, target: TextIO) -> int:
    """Write the sheet of round `number`; return how many records it tells.

    Raises `InputError` (`journal-round`) if there is no such round, JournalError where the journal cannot be read.
    """
    name, rows = _rows(path, number)
    account = account_in([record for _, record in rows])
    target.write("\n".join(_sheet(verdict, number, (path.name, name), rows, account)) + "\n")
    return len(rows)


def account_of(path: Path, number: int) -> Mapping[str, Any]:
    """Return the account of round `number` with the records of its rulings. Raises as `sheet_of`."""
    _name, rows = _rows(path, number)
    records = [record for _, record in rows]
    rulings = [{"seq": each.seq, "kind": each.kind, **each.body} for each in records if each.kind in _TOLD]
    return {"round": number, **account_in(records), "rulings": rulings, "head": rows[-1][0].digest.hex()}


def _rows(path: Path, number: int) -> tuple[str, list[tuple[Row, Record]]]:
    """Return the table's name and the records of the round."""
    name, rows = "", list[tuple[Row, Record]]()
    with JournalReader(path) as reader:
        for row in reader.rows():
            record = parse_record(row.text)
            if record.kind == "table_opened" and not rows:
                name = str(record.body.get("name", ""))
            if record.round == number:
                rows.append((row, record))
    if not rows:
        raise InputError("journal-round", f"There is no round {number} in {path}. `cardshoe journal show` names them.")
    return name, rows


def _sheet(
    verdict: Verdict,
    number: int,
    names: tuple[str, str],
    rows: Sequence[tuple[Row, Record]],
    account: Mapping[str, Any],
) -> Iterator[str]:
    journal, table_name = names
    records = [record for _, record in rows]
    title = f"Round {number}" + (f" · {table_name}" if table_name else "")
    yield head(title, _STYLE)
    yield f"<h1>{text(title)}</h1>"
    if not verdict.ok:
        yield f'<p class="bad">This journal CANNOT BE TRUSTED: {text(verdict.why)}</p>'
    first, last = (each.wall[:19].replace("T", " ") for each in (records[0], records[-1]))
    when = f"{text(first)} to {text(last)} UTC"
    yield f'<p class="sub">{text(account.get("game", ""))} · {when} · {_state(account, records)}</p>'
    yield from _seats(account)
    yield "<section><h2>Wagers and payouts</h2>"
    yield from _payouts(account)
    yield "</section><section><h2>Decisions, in order</h2>"
    yield from _decisions(records)
    yield "</section><section><h2>Questions and rulings</h2>"
    yield from _rulings(records)
    yield "</section>"
    yield from _proof(verdict, journal, rows)
    signs = "".join(f"<div>{who}, name and time</div>" for who in ("dealer", "floor supervisor", "player"))
    yield f'<div class="sign">{signs}</div></body></html>'


def _state(account: Mapping[str, Any], records: Sequence[Record]) -> str:
    played = _outcome(account, records)
    return f"TRAINING, no play; {played}" if any(TRAINING in record.body for record in records) else played


def _outcome(account: Mapping[str, Any], records: Sequence[Record]) -> str:
    if account.get("voided"):
        return "void: every wager is returned"
    if not any(record.kind == SETTLED for record in records):
        return "not complete"
    order = " ".join(map(str, account.get("settled_in_order", ())))
    return f"settled in the order {text(order)}" if order else "settled"


def _seats(account: Mapping[str, Any]) -> Iterator[str]:
    """Yield the layout as the dealer sees it: position 1 is the farthest to the dealer's left."""
    hands = account.get("positions", {})
    yield '<div class="seats">'
    for position in POSITIONS:
        hand = hands.get(position)
        yield f'<div class="seat{"" if hand else " none"}"><span class="where">{text(position)}</span>'
        if hand is not None:
            yield f"{text(hand['player'])}<br>{_cards(hand['faces'])}{_declared(hand)}<br>"
            yield "<br>".join(f"{text(_spaced(spot))} {amount(cents)}" for spot, cents in hand["wagers"].items())
        yield "</div>"
    yield f'</div><div class="middle"><div>dealer<br>{_cards(account.get("dealer", ()))}</div>'
    yield f"<div>board<br>{_cards(account.get('board', ()))}</div></div>"


def _declared(hand: Mapping[str, Any]) -> str:
    return "<br>entered by the dealer" if "declared" in hand.get("sources", ()) else ""


def _payouts(account: Mapping[str, Any]) -> Iterator[str]:
    columns = ("position", "hand", "wager", "#staked", "outcome", "#won", "#returned", "clause")
    rows: list[tuple[object, ...]] = []
    for seat, hand in account.get("positions", {}).items():
        position, result = seat, hand.get("result")
        if result is None:
            rows.append((position, f"{hand['status']}, not settled", *[""] * 6))
            continue
        best = f"{result['category'] or hand['status']} {' '.join(map(_face, result['best'] or ()))}"
        for wager in result["wagers"]:
            money = (amount(wager["won_cents"]), amount(wager["returned_cents"]))
            staked = (_spaced(wager["spot"]), amount(wager["staked_cents"]), wager["outcome"])
            rows.append((position, best, *staked, *money, wager["cites"] or "–"))
            position, best = "", ""
        limited = "cut at the limit" if result["limited"] else ""
        rows.append(("", "in all", "", "", limited, amount(result["won_cents"]), amount(result["returned_cents"]), ""))
    yield from table(columns, rows)


def _decisions(records: Sequence[Record]) -> Iterator[str]:
    made = [(each.seq, each.body["position"], each.body["action"]) for each in records if each.kind == "decision-made"]
    if made:
        yield from table(("#record", "position", "decision"), made)
    else:
        yield '<p class="none">nobody was asked</p>'


def _rulings(records: Sequence[Record]) -> Iterator[str]:
    rows = [(each.seq, _TOLD[each.kind], _what(each), _who(each.body)) for each in records if each.kind in _TOLD]
    if rows:
        yield from table(("#record", "", "what", "who, and why"), rows)
    else:
        yield '<p class="none">none</p>'


def _what(record: Record) -> str:
    body = record.body
    first = [str(body[key]) for key in ("code", "text") if body.get(key)]
    entry = body.get("entry")
    if isinstance(entry, Mapping):
        body = {"entry": ", ".join(f"{key} {value}" for key, value in entry.items())}
    rest = [f"{_spaced(key)} {value}" for key, value in body.items() if key not in _UNSAID and value not in ("", None)]
    return ": ".join([*first, ", ".join(rest)] if rest else first)


def _who(body: Mapping[str, Any]) -> str:
    people = [f"{body.get('by', '')} {body.get('role', '')}".strip()]
    people.append(f"{body.get('second', '')} {body.get('second_role', '')}".strip())
    told = " and ".join(each for each in people if each)
    return f"{told}: {body['reason']}" if body.get("reason") else told


def _proof(verdict: Verdict, journal: str, rows: Sequence[tuple[Row, Record]]) -> Iterator[str]:
    first, last = rows[0][0], rows[-1][0]
    yield f"<section><h2>Proof</h2><p>Records {first.seq} to {last.seq} of the journal {text(journal)}"
    yield f" ({counted(verdict.records, 'record')}). Each digest covers the record and all before it:"
    yield f" the round's first is <code>{first.digest.hex()}</code>, its last <code>{last.digest.hex()}</code>."
    signed = [row for row, _record in rows if row.signature]
    if signed:
        yield f" Record {signed[-1].seq} is signed: <code>{signed[-1].signature.hex()}</code>."
    yield f" Head <code>{verdict.head}</code>, public key <code>{verdict.public_key}</code>."
    yield " <code>cardshoe journal verify</code> and <code>cardshoe journal replay</code> check both.</p></section>"


def _cards(faces: Sequence[str]) -> str:
    return " ".join(f'<span class="card">{text(_face(face))}</span>' for face in faces) or "–"


def _face(face: str) -> str:
    return face[:-1] + _SUITS.get(face[-1:], face[-1:])


def _spaced(name: object) -> str:
    return str(name).replace("_", " ")
