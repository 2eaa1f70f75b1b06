"""A long journal is continued in a new one; the old one is verified first, stays whole, and ends with where it goes on.

Owns the new journal's genesis, which names the old one by its id, its count of records and its head, under the same
key, and the last record of the old one, which names the new one by its id and its head: whoever verifies both has one
chain, and an old one that is continued takes no more records. Cut off between the two, the same call finishes it. What
is carried over is chosen by the caller, by sequence and never by date (regulations C5, E7). It must not know what the
records mean.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardshoe.bounded_files import read_at_most
from cardshoe.clock import Clock, SystemClock
from cardshoe.errors import CardshoeError, ConfigError, JournalError
from cardshoe.journal import schema, trouble
from cardshoe.journal.anchor import Anchor, AnchorFile, anchor_line, create_anchor, read_anchor
from cardshoe.journal.canonical import Entry, Prepared, Record, prepare
from cardshoe.journal.chain import CREATED, HEAD, SEALED_KINDS, Head, Verdict, head_is_signed
from cardshoe.journal.committer import Committer
from cardshoe.journal.founding import found
from cardshoe.journal.keyfile import KEY_MOST, load_key, public_bytes, write_whole
from cardshoe.journal.lock import WriterLock
from cardshoe.journal.reader import JournalReader, anchor_path, examine

_MICROSECONDS: Final = 1_000_000
Choose = Callable[[JournalReader], Sequence[Record]]


@dataclass(frozen=True, slots=True)
class Continued:
    """Where one journal ends and the next begins: `records` of the old one, `carried` of them stand in the new one."""

    old_head: str
    records: int
    carried: int
    new_head: str


def continue_in(path: Path, to: Path, choose: Choose, *, clock: Clock | None = None) -> Continued:
    """Begin at `to` the journal that continues the one at `path`; `choose` returns the records to carry over.

    Raises JournalError if the old one is in use, cannot be trusted, is continued already (`journal-continued`), or a
    disk fails, ConfigError `journal-archive` if something else lies at `to`; the old journal goes on then as before.
    """
    clock = clock or SystemClock()
    if not to.name:
        raise ConfigError("journal-archive", f"--to {to}: that is a folder. Name a new file.")
    if not os.path.isfile(path):
        raise ConfigError("journal-missing", f"There is no journal at {path}. Check the path.")
    lock = WriterLock(path)
    try:
        key = load_key(path.with_name(path.name + ".key"))
        verdict = _trusted(path, public_bytes(key))
        with JournalReader(path) as reader:
            first, last = next(reader.records()), next(reader.records(newest_first=True))
        require_not_continued(path, last)
        begun = _begun(to, verdict) or _begin(path, to, choose, (key, verdict, first, clock))
        lock.note_database_open()
        _mark(path, to, begun, (key, verdict, last, clock))
    except OSError as error:
        raise trouble.from_system(error, to) from error
    finally:
        lock.release()
    return Continued(verdict.head, verdict.records, begun.carried, begun.head.digest.hex())


def require_not_continued(path: Path, last: Record) -> None:
    """Raise JournalError `journal-continued` if `last`, its newest record, says that another goes on for `path`."""
    successor = last.body.get("successor") if last.kind == HEAD else None
    if isinstance(successor, dict):
        raise JournalError(
            "journal-continued",
            f"The journal {path} is continued in {successor.get('file')} (journal {successor.get('journal')}) and takes"
            " no more records. Name that one in the table's configuration; keep this one, read-only.",
        )


@dataclass(frozen=True, slots=True)
class _Begun:
    """A journal that continues another: its id, its newest head, and how many records it carried over."""

    journal: str
    head: Head
    carried: int


_Old = tuple[Ed25519PrivateKey, Verdict, Record, Clock]


def _begin(path: Path, to: Path, choose: Choose, old: _Old) -> _Begun:
    key, verdict, first, clock = old
    _require_free(to)
    with JournalReader(path) as reader:
        carried = [record for record in choose(reader) if record.kind not in SEALED_KINDS]
    journal = secrets.token_hex(16)
    batches = _batches(journal, first, verdict, path, carried, clock)
    write_whole(to.with_name(to.name + ".key"), read_at_most(path.with_name(path.name + ".key"), KEY_MOST), mode=0o600)
    create_anchor(anchor_path(to), key)
    head = found(to, key, batches)
    write_whole(anchor_path(to), anchor_line(Anchor(head, public_bytes(key))) * 2, mode=0o644)
    return _Begun(journal, head, len(carried))


def _begun(to: Path, verdict: Verdict) -> _Begun | None:
    """Return the journal at `to` if it continues the old one from where that stands: an earlier call was cut off."""
    if not os.path.isfile(to):
        return None
    try:
        with JournalReader(to) as reader:
            first, newest = next(reader.records()), next(reader.rows(newest_first=True))
    except (CardshoeError, StopIteration):
        return None
    continues = first.body.get("continues")
    if not isinstance(continues, dict) or continues.get("head") != verdict.head:
        return None
    head = Head(newest.seq, newest.digest, newest.signature)
    if not head_is_signed(bytes.fromhex(verdict.public_key), head):
        return None
    write_whole(anchor_path(to), anchor_line(Anchor(head, bytes.fromhex(verdict.public_key))) * 2, mode=0o644)
    return _Begun(str(first.body.get("journal")), head, int(continues.get("carried", 0)))


def _mark(path: Path, to: Path, begun: _Begun, old: _Old) -> None:
    """Write into the old journal where it goes on, as its last record. Raises JournalError or OSError."""
    key, verdict, last, clock = old
    if not anchor_path(path).exists():
        create_anchor(anchor_path(path), key)
    anchor = AnchorFile(anchor_path(path), public_bytes(key))
    try:
        committer = Committer(path, key, anchor)
    except JournalError:
        anchor.close()
        raise
    try:
        if committer.head.digest.hex() != verdict.head:
            raise trouble.altered(path, "it changed between being verified and being marked")
        successor = {"journal": begun.journal, "file": to.name, "head": begun.head.digest.hex()}
        entry = Entry(HEAD, {"reason": "continued", "successor": successor})
        now_us = int(clock.now() * _MICROSECONDS)
        committer.commit([prepare(entry, boot=last.boot + 1, mono_us=now_us, wall=clock.wall())], sealed=True)
        committer.anchor(durable=True)
        committer.checkpoint("TRUNCATE")
    finally:
        committer.close()


def _require_free(to: Path) -> None:
    """Refuse a place where a journal, or the head of one, lies."""
    try:
        known = read_anchor(anchor_path(to))
    except CardshoeError as error:
        raise ConfigError("journal-archive", f"--to {to}: {error.text} Name another file.") from error
    if to.exists() or (known is not None and known.head.seq):
        raise ConfigError("journal-archive", f"--to {to}: a journal, or the head of one, lies there. Name a new file.")
    if not to.parent.is_dir():
        raise ConfigError("journal-archive", f"--to {to}: there is no directory {to.parent}. Make it first.")


def _trusted(path: Path, key: bytes) -> Verdict:
    verdict = examine(path, trusted_key=key)
    if not verdict.ok:
        raise JournalError(
            "journal-untrusted",
            f"The journal {path} cannot be trusted from record {verdict.first_bad} on: {verdict.why} It is not "
            f"continued; keep it with the files beside it for the auditor.",
        )
    return verdict


def _batches(
    journal: str, first: Record, verdict: Verdict, path: Path, carried: Sequence[Record], clock: Clock
) -> list[list[Prepared]]:
    """Return the genesis, and what is carried over with a signed head at its end."""
    body = {
        "journal": journal,
        "public_key": verdict.public_key,
        "schema": schema.VERSION,
        "program": str(first.body.get("program", "")),
        "continues": {
            "journal": str(first.body.get("journal", "")),
            "file": path.name,
            "records": verdict.records,
            "head": verdict.head,
            "carried": len(carried),
        },
    }
    now_us, wall = int(clock.now() * _MICROSECONDS), clock.wall()
    genesis = [prepare(Entry(CREATED, body), boot=0, mono_us=now_us, wall=wall)]
    if not carried:
        return [genesis]
    copies = [
        prepare(Entry(each.kind, each.body, each.round), boot=each.boot, mono_us=each.mono_us, wall=each.wall)
        for each in carried
    ]
    sealed = prepare(Entry(HEAD, {"reason": "continued"}), boot=carried[-1].boot, mono_us=now_us, wall=wall)
    return [genesis, [*copies, sealed]]
