"""A round told from its records, for a floor supervisor with a dispute on hand.

Owns the sentences of `cardshoe journal show`. Any record can be told, of whatever kind; the account of a round is laid
out hand by hand. It must not judge: what is told is what is recorded.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from typing import Final

from cardshoe.cli.journal_shoe_round import sentence
from cardshoe.journal.canonical import Record
from cardshoe.journal.reader import JournalReader
from cardshoe.journal.replay import SETTLED

_INDENT: Final = " " * 25
_WIDTH: Final = 120
_LONG_HEX: Final = re.compile(r"[0-9a-f]{32,}")
_HEX_SHOWN: Final = 12


def last_rounds(reader: JournalReader, count: int) -> Iterator[Record]:
    """Yield the records of the last `count` rounds in the order played, an open one among them, and what lay between.

    Regulation E7: the last round and at least three before it can be seen whatever state the table is in.
    Raises JournalError.
    """
    first_seq, seen = 0, set[int]()
    for record in reader.records(newest_first=True):
        if record.round is not None and record.round not in seen:
            if len(seen) == count:
                break
            seen.add(record.round)
        if record.round is not None:
            first_seq = record.seq
    return (record for record in reader.records(first_seq=first_seq) if seen)


def told(record: Record, before: Record | None) -> Iterator[str]:
    """Yield the lines of one record: its number, the time since the record before, what happened, and to whom.

    For people: a field without a value is left out, a digest is told by its beginning; `--json` tells all of them.
    """
    if before is None or before.round != record.round or before.boot != record.boot:
        title = "Between rounds" if record.round is None else f"Round {record.round}"
        yield f"{title} · {record.wall} · opening {record.boot} of the journal"
    same_boot = before is not None and before.boot == record.boot
    since_us = record.mono_us - before.mono_us if before is not None and same_boot else 0
    of_the_shoe = sentence(record)
    if of_the_shoe is not None:
        yield f"{record.seq:>7}  +{since_us / 1e6:9.3f} s  {_word(of_the_shoe)}"
        return
    body = {key: value for key, value in record.body.items() if (key, value) != ("kind", record.kind)}
    hands = body.pop("positions", None) if record.kind == SETTLED else None
    details = ", ".join(_details(body, ""))
    what = record.kind.replace("_", " ").replace("-", " ")
    line = f"{record.seq:>7}  +{since_us / 1e6:9.3f} s  {what}{': ' if details else ''}{details}"
    yield from _wrapped(line, _INDENT)
    if isinstance(hands, dict):
        for position, hand in hands.items():
            yield from _hand(position, hand)


def _wrapped(line: str, indent: str) -> list[str]:
    return textwrap.wrap(
        line, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )


def _hand(position: str, hand: object) -> Iterator[str]:
    """Yield the account of one hand: its result, then each wager with the clause that decides it."""
    if not isinstance(hand, dict):
        yield f"{_INDENT}position {position}: {_word(hand)}"
        return
    result = hand.get("result")
    rest = {key: value for key, value in hand.items() if key != "result"}
    yield from _wrapped(f"{_INDENT}position {position}: {', '.join(_details(rest, ''))}", f"{_INDENT}  ")
    if isinstance(result, dict):
        wagers = result.get("wagers")
        outcome = {key: value for key, value in result.items() if key != "wagers"}
        yield f"{_INDENT}  {', '.join(_details(outcome, ''))}"
        for wager in wagers if isinstance(wagers, list) else ():
            yield f"{_INDENT}    {_wager(wager)}"


def _wager(wager: object) -> str:
    if not isinstance(wager, dict):
        return _word(wager)
    first = [_word(wager[key]) for key in ("spot", "outcome") if key in wager]
    rest = {key: value for key, value in wager.items() if key not in ("spot", "outcome")}
    return f"{' '.join(first)}: {', '.join(_details(rest, ''))}"


def _details(value: object, name: str) -> Iterator[str]:
    """Yield `name value` for every leaf; an empty branch says nothing. Wagers and cents are told as money."""
    match value:
        case dict():
            yield from _members(value, name)
        case "":
            return
        case list() if value and all(not isinstance(item, dict | list) for item in value):
            words = [_word(item) for item in value]
            yield f"{name} {(' / ' if any(' ' in word for word in words) else ' ').join(words)}"
        case list():
            for number, item in enumerate(value, 1):
                yield from _details(item, f"{name} {number}")
        case int() if name.endswith(" cents") and not isinstance(value, bool):
            yield f"{name.removesuffix(' cents')} {_money(value)}"
        case _:
            yield f"{name} {_word(value)}"


def _members(value: Mapping[str, object], name: str) -> Iterator[str]:
    for key, item in value.items():
        inner = f"{name} {key}".strip().replace("_", " ")
        if key == "wagers" and isinstance(item, dict):
            amounts = {f"{spot}_cents": amount for spot, amount in item.items()}
            yield from _details(amounts, name)
        else:
            yield from _details(item, inner)


def _money(cents: int) -> str:
    sign = "-" if cents < 0 else ""
    return f"{sign}${abs(cents) // 100}.{abs(cents) % 100:02}"


def _word(value: object) -> str:
    match value:
        case None:
            return "none"
        case True:
            return "yes"
        case False:
            return "no"
        case _:
            text = str(value)
            if _LONG_HEX.fullmatch(text):
                return f"{text[:_HEX_SHOWN]}…"
            return text if text.isprintable() else json.dumps(text)  # a name must not steer the reader's terminal
