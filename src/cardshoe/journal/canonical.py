"""What a record is, and the one text in which it is hashed.

Owns Entry and Record and the canonical JSON: keys sorted, no spaces, ASCII, whole numbers only, because no fraction is
ever money or time and no two programs write a fraction alike. Pure: it must not know the chain, files or clocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, Final, NamedTuple

from cardshoe.errors import JournalError

MAX_TEXT_BYTES: Final = 256 * 1024
MAX_DEPTH: Final = 32
_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1
_KIND: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
# Every record passes here while a shoe waits for its next command, so most are written by C code. What that lets pass
# and this does not is looked for: other types and very long numbers before it, half a surrogate pair in its text.
_TEXT: Final = frozenset({str})
_SIMPLE: Final = frozenset({str, bool, type(None)})
_SIMPLE_DEPTH: Final = 4
_SURROGATE: Final = "\\ud"
_KEYS: Final = frozenset({"seq", "kind", "round", "boot", "mono_us", "wall", "body"})


@dataclass(frozen=True, slots=True)
class Entry:
    """What a caller wants recorded: `kind` in the past tense, `body` plain JSON without fractions, `round` or None."""

    kind: str
    body: Mapping[str, object]
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One record: `seq` from 1 without gaps, `boot` counts opens, `mono_us` monotonic, `wall` for people only."""

    seq: int
    kind: str
    round: int | None
    boot: int
    mono_us: int
    wall: str
    body: Mapping[str, object]


def canonical_json(value: object, *, where: str) -> str:
    """Return the one text of a plain JSON value.

    Raises JournalError `journal-entry` for a fraction, a key that is not text, half a surrogate pair, an integer
    outside -2**63 .. 2**64-1, a depth over 32, or any other type; `where` names the value in the message.
    """
    return _body(value, where) if isinstance(value, dict) else _text(value, where, 0)


def _text(value: object, where: str, depth: int) -> str:
    # Looked at and written in one walk: every record passes here while a shoe waits for its next command.
    if depth > MAX_DEPTH:
        raise JournalError("journal-entry", f"{where} is nested deeper than {MAX_DEPTH}; record it flatter.")
    if isinstance(value, str):
        return _quoted(value, where)
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            if not _INT_MIN <= value <= _INT_MAX:
                raise JournalError("journal-entry", f"{where} is {value}, which does not fit 64 bits.")
            return int.__repr__(value)
        case dict():
            return _object(value, where, depth + 1)
        case list() | tuple():
            return f"[{','.join([_text(item, where, depth + 1) for item in value])}]"
        case _:
            raise JournalError(
                "journal-entry",
                f"{where} is a {type(value).__name__}; a record holds text, whole numbers, true, false and null.",
            )


def _body(value: Mapping[Any, object], where: str) -> str:
    """Return the text of a body: by the standard library's writer where it holds nothing that this would not refuse."""
    if type(value) is dict and _is_simple(value, 0):
        text = _ENCODER.encode(value)
        if _SURROGATE not in text:
            return text
    return _object(value, where, 1)


def _is_simple(value: dict[Any, object], depth: int) -> bool:
    """Whether all is text, numbers that fit, true, false, null and little of it nested, so that C code may tell."""
    if depth > _SIMPLE_DEPTH or not _TEXT.issuperset(map(type, value)):
        return False
    return all(type(item) is str or _is_simple_item(item, depth) for item in value.values())


def _is_simple_item(item: object, depth: int) -> bool:
    kind = type(item)
    if kind is int:
        return _INT_MIN <= item <= _INT_MAX  # type: ignore[operator]
    if kind is dict:
        return _is_simple(item, depth + 1)  # type: ignore[arg-type]
    if kind is list or kind is tuple:
        return _SIMPLE.issuperset(map(type, item))  # type: ignore[call-overload]
    return kind in _SIMPLE


def _object(value: Mapping[Any, object], where: str, depth: int) -> str:
    texts: dict[str, str] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise JournalError("journal-entry", f"{where} has the key {key!r}, which is not text.")
        texts[key] = f"{_quoted(key, where)}:{_text(item, key, depth)}"
    return f"{{{','.join([texts[key] for key in sorted(texts)])}}}"


def _quoted(value: str, where: str) -> str:
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise JournalError("journal-entry", f"{where} holds half a surrogate pair: {value!r}.")
    return encode_basestring_ascii(value)


class Prepared(NamedTuple):
    """An entry that is known to be recordable: its text before and after the number it is yet to get."""

    before_seq: str
    after_seq: str

    def text(self, seq: int) -> str:
        """Return the canonical text of the record at `seq`."""
        return f"{self.before_seq}{seq}{self.after_seq}"


@lru_cache(maxsize=256)
def _is_kind(text: str) -> bool:
    return _KIND.fullmatch(text) is not None


def prepare(entry: Entry, *, boot: int, mono_us: int, wall: str) -> Prepared:
    """Return `entry` in canonical form; the keys stand in sorted order. Raises JournalError `journal-entry`."""
    kind, number = entry.kind, entry.round
    if not _is_kind(kind):
        raise JournalError("journal-entry", f"{kind!r} is not a kind of record: 1 to 64 letters, digits, '_' and '-'.")
    if isinstance(number, bool) or not (number is None or 0 <= number <= _INT_MAX):
        raise JournalError("journal-entry", f"{kind}: {number!r} is not a round number.")
    body = _body(entry.body, kind)
    if len(body) > MAX_TEXT_BYTES:
        raise JournalError(
            "journal-entry", f"{kind}: {len(body)} bytes are more than a record holds ({MAX_TEXT_BYTES})."
        )
    return Prepared(
        f'{{"body":{body},"boot":{boot},"kind":"{kind}","mono_us":{mono_us},'
        f'"round":{"null" if number is None else number},"seq":',
        f',"wall":{_quoted(wall, kind)}}}',
    )


def parse_record(text: str) -> Record:
    """Return the record that `text` states. Raises JournalError `journal-record` if it is not one in canonical form."""
    try:
        plain = json.loads(text)
        canonical = _ENCODER.encode(plain)
    except (ValueError, RecursionError) as error:
        raise JournalError("journal-record", f"a record is not JSON: {error}.") from error
    if not isinstance(plain, dict) or plain.keys() != _KEYS or canonical != text:
        raise JournalError("journal-record", "a record is not in canonical form.")
    numbers = [plain["seq"], plain["boot"], plain["mono_us"], 0 if plain["round"] is None else plain["round"]]
    texts = [plain["kind"], plain["wall"]]
    if any(type(n) is not int for n in numbers) or any(type(t) is not str for t in texts):
        raise JournalError("journal-record", "a record has a field of the wrong type.")
    if not isinstance(plain["body"], dict):
        raise JournalError("journal-record", "a record has no body.")
    return Record(**plain)
