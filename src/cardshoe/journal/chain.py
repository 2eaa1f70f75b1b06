"""The chain: canonical records, the hash that links them, signed heads, and the verdict on a whole journal.

Owns the bytes that are hashed and signed, and what makes a journal trustworthy. Pure: it must not know SQLite, files,
threads or clocks; `store` and `reader` bring rows, `keyfile` brings keys, `anchor` brings heads kept elsewhere.

    text_n   = JSON of the record: keys sorted, no spaces, ASCII, integers only (no fraction is ever money or time)
    digest_n = SHA-256("cardshoe-journal-link-1" 00 | digest_(n-1) | length and bytes of signature_(n-1) | text_n)
    signature_n = Ed25519("cardshoe-journal-head-1" 00 | n, 8 bytes | digest_n)   on the last record of every commit

Every commit ends in a signed head, so no record is ever outside a signature, and each signature but the last is itself
in the chain. Implements promise P6: edits, removals, insertions, swaps, truncation and a re-signed tail are found.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from cardshoe.errors import JournalError

CREATED: Final = "journal_created"
OPENED: Final = "journal_opened"
HEAD: Final = "head_signed"
CLOSED: Final = "journal_closed"

MAX_TEXT_BYTES: Final = 256 * 1024
MAX_DEPTH: Final = 32
_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1
_LINK_DOMAIN: Final = b"cardshoe-journal-link-1\0"
_HEAD_DOMAIN: Final = b"cardshoe-journal-head-1\0"
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


@dataclass(frozen=True, slots=True)
class Row:
    """One record as stored: its canonical text, its digest, and its signature (empty inside a commit)."""

    seq: int
    text: str
    digest: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Head:
    """A point of the chain. `seq` 0 is the beginning, before any record."""

    seq: int
    digest: bytes
    signature: bytes


GENESIS: Final = Head(0, bytes(32), b"")


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a journal can be trusted; `first_bad` is the first record that cannot, None if no record is to blame."""

    ok: bool
    records: int
    head: str
    signed: bool
    public_key: str
    first_bad: int | None = None
    why: str | None = None


# --- canonical form -------------------------------------------------------------------------------------------------


def canonical_json(value: object, *, where: str) -> str:
    """Return the one text of a plain JSON value.

    Raises JournalError `journal-entry` for a fraction, a key that is not text, half a surrogate pair, an integer
    outside -2**63 .. 2**64-1, a depth over 32, or any other type; `where` names the value in the message.
    """
    _require_plain(value, where, 0)
    return _dump(value)


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _require_plain(value: object, where: str, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise JournalError("journal-entry", f"{where} is nested deeper than {MAX_DEPTH}; record it flatter.")
    match value:
        case None | bool():
            return
        case int():
            if not _INT_MIN <= value <= _INT_MAX:
                raise JournalError("journal-entry", f"{where} is {value}, which does not fit 64 bits.")
        case str():
            _require_text(value, where)
        case list() | tuple():
            for index, item in enumerate(value):
                _require_plain(item, f"{where}[{index}]", depth + 1)
        case dict():
            for key, item in value.items():
                _require_key(key, where)
                _require_plain(item, f"{where}.{key}", depth + 1)
        case _:
            raise JournalError(
                "journal-entry",
                f"{where} is a {type(value).__name__}; a record holds text, whole numbers, true, false, null.",
            )


def _require_key(key: object, where: str) -> None:
    if not isinstance(key, str):
        raise JournalError("journal-entry", f"{where} has the key {key!r}, which is not text.")
    _require_text(key, f"a key of {where}")


def _require_text(value: str, where: str) -> None:
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise JournalError("journal-entry", f"{where} holds half a surrogate pair: {value!r}.")


@dataclass(frozen=True, slots=True)
class Prepared:
    """An entry that is known to be recordable: its parts as canonical text, waiting for a place in the chain."""

    kind: str
    body: str
    round: int | None
    boot: int
    mono_us: int
    wall: str

    def text(self, seq: int) -> str:
        """Return the canonical text of the record at `seq` (the keys stand in sorted order)."""
        round_ = "null" if self.round is None else str(self.round)
        return (
            f'{{"body":{self.body},"boot":{self.boot},"kind":{json.dumps(self.kind)},"mono_us":{self.mono_us},'
            f'"round":{round_},"seq":{seq},"wall":{json.dumps(self.wall)}}}'
        )


def prepare(entry: Entry, *, boot: int, mono_us: int, wall: str) -> Prepared:
    """Return `entry` in canonical parts. Raises JournalError `journal-entry` when it cannot be recorded."""
    kind, number = entry.kind, entry.round
    if not (kind and kind.isascii() and all(c.isalnum() or c in "_-" for c in kind)):
        raise JournalError("journal-entry", f"{kind!r} is not a kind of record: letters, digits, '_' and '-' only.")
    if isinstance(number, bool) or not (number is None or 0 <= number <= _INT_MAX):
        raise JournalError("journal-entry", f"{kind}: {number!r} is not a round number.")
    body = canonical_json(dict(entry.body), where=kind)
    if len(body) > MAX_TEXT_BYTES:
        raise JournalError(
            "journal-entry", f"{kind}: {len(body)} bytes are more than a record holds ({MAX_TEXT_BYTES})."
        )
    return Prepared(kind, body, number, boot, mono_us, wall)


def parse_record(text: str) -> Record:
    """Return the record that `text` states. Raises JournalError `journal-record` if it is not one in canonical form."""
    try:
        plain = json.loads(text)
        canonical = _dump(plain)
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


# --- links and heads ------------------------------------------------------------------------------------------------


def link_digest(previous: Head, text: str) -> bytes:
    """Return the digest of the record whose canonical text is `text`, placed right after `previous`."""
    length = len(previous.signature).to_bytes(1, "big")
    return hashlib.sha256(_LINK_DOMAIN + previous.digest + length + previous.signature + text.encode()).digest()


def sign_head(key: Ed25519PrivateKey, seq: int, digest: bytes) -> bytes:
    """Return the 64-byte signature of the chain up to and including record `seq`."""
    return key.sign(_HEAD_DOMAIN + seq.to_bytes(8, "big") + digest)


def head_is_signed(public_key: bytes, head: Head) -> bool:
    """Whether `head` carries a signature of the holder of `public_key` (32 bytes)."""
    try:
        key = Ed25519PublicKey.from_public_bytes(public_key)
        key.verify(head.signature, _HEAD_DOMAIN + head.seq.to_bytes(8, "big") + head.digest)
    except (InvalidSignature, ValueError):
        return False
    return True


def extend(previous: Head, batch: Iterable[Prepared], key: Ed25519PrivateKey) -> list[Row]:
    """Return the rows of one commit after `previous`: linked, and signed at the last."""
    rows: list[Row] = []
    for prepared in batch:
        seq = previous.seq + 1
        text = prepared.text(seq)
        row = Row(seq, text, link_digest(previous, text), b"")
        rows.append(row)
        previous = Head(seq, row.digest, b"")
    if rows:
        last = rows[-1]
        rows[-1] = Row(last.seq, last.text, last.digest, sign_head(key, last.seq, last.digest))
    return rows


# --- the verdict ----------------------------------------------------------------------------------------------------


class _Broken(Exception):
    """The walk ends here: no record from `first_bad` on can be trusted."""

    def __init__(self, first_bad: int, why: str) -> None:
        super().__init__(why)
        self.first_bad = first_bad
        self.why = why


@dataclass(slots=True)
class _Walk:
    """Where the walk over the rows stands."""

    head: Head = GENESIS
    public_key: bytes = b""

    def step(self, row: Row) -> None:
        place = self.head.seq + 1
        if row.seq != place:
            raise _Broken(place, f"record {place} is missing: record {row.seq} follows {place - 1}.")
        if row.digest != link_digest(self.head, row.text):
            raise _Broken(place, f"record {place} does not continue the chain: {_guess(row)}.")
        try:
            record = parse_record(row.text)
        except JournalError as error:
            raise _Broken(place, f"record {place}: {error.text}") from error
        if record.seq != place:
            raise _Broken(place, f"record {place} says that it is record {record.seq}.")
        if place == 1:
            self.public_key = _creation_key(record)
        self.head = Head(place, row.digest, row.signature)


def _guess(row: Row) -> str:
    """Say what was most likely done to a row whose digest is wrong; the verdict does not depend on it."""
    try:
        stated = parse_record(row.text).seq
    except JournalError:
        return "its text was changed"
    return (
        "it was changed, or inserted"
        if stated == row.seq
        else f"it says that it is record {stated}, so records were swapped"
    )


def _creation_key(record: Record) -> bytes:
    stated = record.body.get("public_key")
    try:
        key = bytes.fromhex(stated) if isinstance(stated, str) else b""
    except ValueError:
        key = b""
    if record.kind != CREATED or len(key) != 32:
        raise _Broken(1, f"record 1 is {record.kind!r} and not {CREATED!r} with the public key of this journal.")
    return key


def judge(
    rows: Callable[[], Iterator[Row]],
    *,
    trusted_key: bytes | None = None,
    anchors: Iterable[Head] = (),
    counted: int | None = None,
) -> Verdict:
    """Return the verdict on a whole journal.

    `rows` starts a walk over all rows in order, each time anew. `trusted_key` is the public key that the auditor holds;
    without it the journal's own first record states the key. `anchors` are heads kept outside the table of records.
    `counted` is how many records the database itself has ever numbered, where it keeps count.
    """
    walk = _Walk()
    wanted = {anchor.seq: anchor for anchor in anchors if anchor.seq}
    try:
        for row in rows():
            walk.step(row)
            _compare_anchor(walk.head, wanted.pop(row.seq, None), trusted_key or walk.public_key)
        _require_end(walk, rows, trusted_key, wanted, counted)
    except _Broken as broken:
        return _verdict(walk, ok=False, first_bad=broken.first_bad, why=broken.why)
    return _verdict(walk, ok=True, first_bad=None, why=None)


def _verdict(walk: _Walk, *, ok: bool, first_bad: int | None, why: str | None) -> Verdict:
    return Verdict(
        ok=ok,
        records=walk.head.seq,
        head=walk.head.digest.hex(),
        signed=ok,
        public_key=walk.public_key.hex(),
        first_bad=first_bad,
        why=why,
    )


def _compare_anchor(head: Head, anchor: Head | None, key: bytes) -> None:
    if anchor is None:
        return
    if anchor.digest != head.digest:
        raise _Broken(
            head.seq, f"record {head.seq} is not the one that the head anchor names: the tail was written anew."
        )
    if not head_is_signed(key, anchor):
        raise _Broken(head.seq, f"the head anchor at record {head.seq} is not signed with the key of this journal.")


def _require_end(
    walk: _Walk,
    rows: Callable[[], Iterator[Row]],
    trusted_key: bytes | None,
    ahead: Mapping[int, Head],
    counted: int | None,
) -> None:
    """Check all that only shows once the last row is known."""
    last = walk.head.seq
    if last == 0:
        raise _Broken(1, "the journal holds no record at all.")
    if trusted_key is not None and trusted_key != walk.public_key:
        raise _Broken(1, "the journal was made with another key than the one that is trusted.")
    if not head_is_signed(walk.public_key, walk.head):
        raise _first_unsigned(walk.public_key, rows)
    if ahead:
        most = max(ahead)
        raise _Broken(last + 1, f"the journal was cut short: the head anchor knows {most} records, {last} are there.")
    if counted is not None and counted != last:
        raise _Broken(
            min(last, counted) + 1, f"the journal was cut short: {counted} records were numbered, {last} are there."
        )


def _first_unsigned(public_key: bytes, rows: Callable[[], Iterator[Row]]) -> _Broken:
    """Find how far the signatures reach."""
    good = 0
    for row in rows():
        if not row.signature:
            continue
        if not head_is_signed(public_key, Head(row.seq, row.digest, row.signature)):
            return _Broken(good + 1, f"the head at record {row.seq} is not signed with the key of this journal.")
        good = row.seq
    return _Broken(good + 1, f"records after {good} are not covered by a signed head: the journal was cut or added to.")
