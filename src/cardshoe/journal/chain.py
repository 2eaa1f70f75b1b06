"""The chain: the hash that links the records, signed heads, and the verdict on a whole journal.

Owns what is hashed and signed, and what makes a journal trustworthy. Pure: it must not know SQLite, files,
threads or clocks; `store` and `reader` bring rows, `keyfile` brings keys, `anchor` brings heads kept elsewhere.

    text_n      = the canonical JSON of record n (`canonical`)
    digest_n    = SHA-256("cardshoe-journal-link-1" 00 | digest_(n-1) | length and bytes of signature_(n-1) | text_n)
    signature_n = Ed25519("cardshoe-journal-head-1" 00 | n, 8 bytes | digest_n), or empty

The records that begin, open and close a journal and those at a round's end are signed heads: each vouches for all that
stands before it, and is itself in the chain. Between two of them the head anchor, outside the database, is signed anew
whenever the journal comes to rest. Implements promise P6: edits, removals, insertions, swaps, truncation and a tail
that was written or signed anew are found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, NoReturn

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from cardshoe.errors import JournalError
from cardshoe.journal.canonical import Prepared, Record, parse_record

CREATED: Final = "journal_created"
OPENED: Final = "journal_opened"
HEAD: Final = "head_signed"
CLOSED: Final = "journal_closed"

SEALED_KINDS: Final = frozenset({CREATED, OPENED, HEAD, CLOSED})

_LINK_DOMAIN: Final = b"cardshoe-journal-link-1\0"
_HEAD_DOMAIN: Final = b"cardshoe-journal-head-1\0"


class Row(NamedTuple):
    """One record as stored: its canonical text, its digest, and its signature (empty but on a head).

    A tuple, because it is what SQLite takes and gives, hundreds at a time.
    """

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
    """Whether a journal can be trusted.

    `signed_to` is the last record that a signed head vouches for, `signed` whether that is the last of all. `first_bad`
    is the first record that cannot be trusted, None if no record is to blame.
    """

    ok: bool
    records: int
    head: str
    signed: bool
    signed_to: int
    public_key: str
    first_bad: int | None = None
    why: str | None = None


# --- links and heads ------------------------------------------------------------------------------------------------


def link_digest(digest: bytes, signature: bytes, text: str) -> bytes:
    """Return the digest of the record whose canonical text is `text`, right after one with `digest` and `signature`."""
    length = len(signature).to_bytes(1, "big")
    return hashlib.sha256(_LINK_DOMAIN + digest + length + signature + text.encode()).digest()


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


def extend(previous: Head, batch: Iterable[Prepared], key: Ed25519PrivateKey | None) -> list[Row]:
    """Return the rows of one commit after `previous`, linked; with a `key` the last is a signed head."""
    rows: list[Row] = []
    digest, signature = previous.digest, previous.signature
    for seq, prepared in enumerate(batch, previous.seq + 1):
        text = prepared.text(seq)
        digest, signature = link_digest(digest, signature, text), b""
        rows.append(Row(seq, text, digest, signature))
    if rows and key is not None:
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

    trusted_key: bytes | None
    anchors: dict[int, list[Head]]
    head: Head = GENESIS
    public_key: bytes = b""
    signed_to: int = 0

    def step(self, row: Row) -> None:
        place = self.head.seq + 1
        if row.seq != place:
            raise _Broken(place, f"Record {place} is missing: record {row.seq} follows {place - 1}.")
        if row.digest != link_digest(self.head.digest, self.head.signature, row.text):
            raise _Broken(place, f"Record {place} does not continue the chain: {_guess(row)}.")
        try:
            record = parse_record(row.text)
        except JournalError as error:
            raise _Broken(place, f"Record {place}: {error.text}") from error
        if record.seq != place:
            raise _Broken(place, f"Record {place} says that it is record {record.seq}.")
        if place == 1:
            self._begin(record)
        self.head = Head(place, row.digest, row.signature)
        if row.signature or record.kind in SEALED_KINDS:
            self._require_signed(self.head, "The head")
        for anchor in self.anchors.pop(place, ()):
            if anchor.digest != row.digest:
                self._break(f"Record {place} is not the one that the head anchor names: the tail was written anew.")
            self._require_signed(anchor, "The head anchor")

    def begin_at(self, start: Head) -> None:
        self._require_signed(start, "The head")

    def _begin(self, record: Record) -> None:
        self.public_key = _creation_key(record)
        if self.trusted_key is not None and self.trusted_key != self.public_key:
            raise _Broken(
                1, "The journal was made with another key than the one trusted, which is the auditor's or its anchor's."
            )

    def _require_signed(self, head: Head, what: str) -> None:
        if not head_is_signed(self.public_key, head):
            self._break(f"{what} at record {head.seq} is not signed with the key of this journal.")
        self.signed_to = head.seq

    def _break(self, why: str) -> NoReturn:
        raise _Broken(min(self.signed_to + 1, self.head.seq), why)


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
        raise _Broken(1, f"Record 1 is {record.kind!r} and not {CREATED!r} with the public key of this journal.")
    return key


def judge(
    rows: Iterable[Row],
    *,
    trusted_key: bytes | None = None,
    anchors: Iterable[Head] = (),
    counted: int | None = None,
    start: Head = GENESIS,
) -> Verdict:
    """Return the verdict on a whole journal, or on what follows the signed head `start` under `trusted_key`.

    `rows` are all rows after `start` in order of their number. `trusted_key` is the public key that the auditor holds;
    without it the journal's own first record states the key. `anchors` are heads kept outside the table of records.
    `counted` is how many records the database itself has ever numbered, where it keeps count.
    """
    wanted: dict[int, list[Head]] = {}
    for anchor in anchors:
        if anchor.seq > start.seq:
            wanted.setdefault(anchor.seq, []).append(anchor)
    walk = _Walk(trusted_key, wanted, head=start, public_key=trusted_key or b"" if start.seq else b"")
    try:
        if start.seq:
            walk.begin_at(start)
        for row in rows:
            walk.step(row)
        _require_end(walk, counted)
    except _Broken as broken:
        return _verdict(walk, ok=False, first_bad=broken.first_bad, why=broken.why)
    return _verdict(walk, ok=True, first_bad=None, why=None)


def _verdict(walk: _Walk, *, ok: bool, first_bad: int | None, why: str | None) -> Verdict:
    return Verdict(
        ok=ok,
        records=walk.head.seq,
        head=walk.head.digest.hex(),
        signed=ok and walk.signed_to == walk.head.seq,
        signed_to=walk.signed_to,
        public_key=walk.public_key.hex(),
        first_bad=first_bad,
        why=why,
    )


def _require_end(walk: _Walk, counted: int | None) -> None:
    """Check what only shows once the last row is known."""
    last = walk.head.seq
    if last == 0:
        raise _Broken(1, "The journal holds no record at all.")
    if walk.anchors:
        most = max(walk.anchors)
        raise _Broken(last + 1, f"The journal was cut short: the head anchor knows {most} records, {last} are there.")
    if counted is not None and counted != last:
        raise _Broken(
            min(last, counted) + 1, f"The journal was cut short: {counted} records were numbered, {last} are there."
        )
