"""A long journal is continued in a new one; the old file stays whole, byte for byte, and is verified first.

Owns the new journal's genesis, which names the old one by its id, its count of records and its head, under the same
key: whoever verifies both has one chain. What is carried over is chosen by the caller, by sequence and never by date
(regulations C5, E7). It must not know what the records mean.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardshoe.bounded_files import read_at_most
from cardshoe.clock import Clock, SystemClock
from cardshoe.errors import CardshoeError, ConfigError, JournalError
from cardshoe.journal import schema, trouble
from cardshoe.journal.anchor import Anchor, anchor_line, create_anchor, read_anchor
from cardshoe.journal.canonical import Entry, Prepared, Record, prepare
from cardshoe.journal.chain import CREATED, HEAD, SEALED_KINDS, Verdict
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

    Raises JournalError if the old one is in use, cannot be trusted, or a disk fails, ConfigError `journal-archive` if
    something lies at `to`; the old journal is not changed in any case.
    """
    clock = clock or SystemClock()
    _require_free(to)
    lock = WriterLock(path)
    try:
        key = load_key(path.with_name(path.name + ".key"))
        verdict = _trusted(path, public_bytes(key))
        with JournalReader(path) as reader:
            first = next(reader.records())
            carried = [record for record in choose(reader) if record.kind not in SEALED_KINDS]
        batches = _batches(first, verdict, path, carried, clock)
        write_whole(
            to.with_name(to.name + ".key"), read_at_most(path.with_name(path.name + ".key"), KEY_MOST), mode=0o600
        )
        create_anchor(anchor_path(to), key)
        head = found(to, key, batches)
        write_whole(anchor_path(to), anchor_line(Anchor(head, public_bytes(key))) * 2, mode=0o644)
    except OSError as error:
        raise trouble.from_system(error, to) from error
    finally:
        lock.release()
    return Continued(verdict.head, verdict.records, len(carried), head.digest.hex())


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
    first: Record, verdict: Verdict, path: Path, carried: Sequence[Record], clock: Clock
) -> list[list[Prepared]]:
    """Return the genesis, and what is carried over with a signed head at its end."""
    body = {
        "journal": secrets.token_hex(16),
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
