"""The durable record of a table: one writer, appended in commits, told only after the disk has it.

Owns the database file, its lock, its writer thread and its head anchor. It must not know what the records mean.
SQLite in WAL mode with synchronous=FULL. Implements promises P2 (persist, then act;
persist, then tell) and P6 (what happened can be proved), and field reports FR-09 (a damaged file is kept, never
replaced by an empty one), FR-44 (a boot counter and a sequence, never the date) and FR-45 (a message about space names
the directory).

Beside the journal PATH lie PATH.key (signing key, mode 0600), PATH.anchor (newest signed head) and PATH.lock.
"""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardshoe.clock import Clock, SystemClock
from cardshoe.errors import CardshoeError, ConfigError, JournalError
from cardshoe.journal import schema, trouble
from cardshoe.journal.anchor import AnchorFile, create_anchor, read_anchor
from cardshoe.journal.archive import require_not_continued
from cardshoe.journal.canonical import Entry, prepare
from cardshoe.journal.chain import CLOSED, CREATED, HEAD, OPENED, SEALED_KINDS, Head, Verdict
from cardshoe.journal.committer import Committer
from cardshoe.journal.founding import found
from cardshoe.journal.keyfile import create_key, load_key, public_bytes
from cardshoe.journal.lock import WriterLock
from cardshoe.journal.quick import RestCheck, examine_tail
from cardshoe.journal.reader import JournalReader, anchor_path, examine, require_file_form
from cardshoe.journal.reserve import Reserve
from cardshoe.journal.space import require_space
from cardshoe.journal.writer import Answer, Committed, Writer

MIN_FREE_BYTES: Final = 512 * 1024
CHECKED: Final = "journal_checked"
_MICROSECONDS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Opening:
    """What was found at open: `records` and `head_hex` before this open, `boot` of this one.

    `verified_from`: the first record that was verified before the journal was opened; 1 is all of it.
    """

    boot: int
    records: int
    head_hex: str
    public_key_hex: str
    created: bool
    closed_cleanly: bool
    anchor_missing: bool
    verified_from: int = 1


class Journal:
    """A journal open for writing. Thread-safe; a context manager that closes it."""

    def __init__(
        self, path: Path, opening: Opening, writer: Writer, lock: WriterLock, clock: Clock, rest: RestCheck | None
    ) -> None:
        self.path = path
        self._rest = rest
        self.opening = opening
        self._writer = writer
        self._lock = lock
        self._clock = clock
        self._order = threading.Lock()
        self._closed = False

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        clock: Clock | None = None,
        key_path: Path | None = None,
        program: str = "cardshoe",
        min_free_bytes: int = MIN_FREE_BYTES,
        restart_kind: str | None = None,
        reserve_bytes: int = 0,
    ) -> Journal:
        """Open the journal at `path` for writing, or create it where nothing was; the opening is on disk on return.

        The whole journal is verified first; with `restart_kind`, of a long one only what follows a signed head before
        the newest record of that kind, and `check_rest` verifies what is older. `reserve_bytes` are kept in
        PATH.reserve and given up once when the file system is full. Raises JournalError: `journal-in-use` for a second
        writer, `journal-damaged`, `journal-altered` or `journal-untrusted` for a file that cannot be trusted (left
        untouched), `journal-gone` where a journal was and is no more, `journal-continued` where another goes on,
        `journal-key`, `journal-space`, or what the disk reported. Raises ConfigError for a path that cannot be one.
        """
        real = Path(os.path.realpath(path))
        clock = clock or SystemClock()
        _require_place(real)
        lock = WriterLock(real)
        try:
            require_space(real.parent, min_free_bytes)
            key_file = key_path or real.with_name(real.name + ".key")
            created = not real.exists()
            if not created:
                require_file_form(real)
            key = _create(real, key_file, clock, program) if created else load_key(key_file)
            opening, rest = _examine(real, key, created=created, restart_kind=restart_kind)
            lock.note_database_open()
            writer = _start_writer(real, key, opening, Reserve(real, reserve_bytes, spare_bytes=min_free_bytes))
        except OSError as error:
            lock.release()
            raise trouble.from_system(error, real) from error
        except CardshoeError:
            lock.release()
            raise
        journal = cls(real, opening, writer, lock, clock, rest)
        try:
            journal._record_opening(program)
        except JournalError:
            journal._abandon()
            raise
        return journal

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def head(self) -> Head:
        """The newest head that is on disk."""
        return self._writer.durable

    @property
    def failure(self) -> JournalError | None:
        """Why the journal takes no more records, None while it does."""
        return self._writer.failure

    def append(self, entries: Sequence[Entry]) -> Future[Committed]:
        """Queue `entries` as one commit; the future is done once they are on disk, in order with all others.

        Raises JournalError `journal-entry` if one cannot be recorded (then none is) and `journal-stopped` after a
        failure or close; the future fails with the JournalError that the disk gave. It cannot be cancelled.
        """
        answer = _promise()
        self.append_for(answer, entries)
        return answer

    def append_for(self, answer: Answer, entries: Sequence[Entry]) -> None:
        """Queue `entries` as `append` does, and tell `answer`, in the writer's thread. Raises as `append`."""
        for entry in entries:
            if entry.kind in SEALED_KINDS:
                raise JournalError("journal-entry", f"Records of the kind {entry.kind!r} are the journal's own.")
        self._queue(entries, answer, sealed=False)

    def append_now(self, entries: Sequence[Entry]) -> Committed:
        """Append `entries` and wait until they are on disk. Raises as `append` and its future do.

        Not for a call-back of such a future: that runs in the thread that would have to do the work.
        """
        return self.append(entries).result()

    def sign_head(self, reason: str, *, round_number: int | None = None) -> Future[Committed]:
        """Record a head (at a round's end) and make the anchor of it durable too. Raises as `append`."""
        return self._append([Entry(HEAD, {"reason": reason}, round_number)], sealed=True)

    def check_rest(self) -> Future[Verdict | None]:
        """Verify in a thread what the opening left out, and record it as `journal_checked`; call it once.

        The future is done with the verdict on records 1 to the head from which the opening verified, None if there
        is nothing to verify or the journal was closed before; it never fails.
        """
        if self._rest is None:
            nothing: Future[Verdict | None] = Future()
            nothing.set_result(None)
            return nothing
        self._rest.answer.add_done_callback(self._record_check)
        self._rest.start()
        return self._rest.answer

    def _record_check(self, answer: Future[Verdict | None]) -> None:
        verdict = answer.result()
        if verdict is None or self.failure is not None:
            return
        body = {"ok": verdict.ok, "records": verdict.records, "head": verdict.head}
        with suppress(JournalError):  # closed meanwhile; the next opening checks again
            self._append([Entry(CHECKED, {**body, "first_bad": verdict.first_bad, "why": verdict.why})], sealed=False)

    def reader(self) -> JournalReader:
        """Return a read-only snapshot of what is on disk now, to rebuild a state from. Close it after use."""
        return JournalReader(self.path)

    def close(self, *, timeout_s: float = 5.0) -> None:
        """Record the close, sign, and give the file back, within `timeout_s`. A second close does nothing.

        Raises the JournalError of a failure that nobody was told, or `journal-close-timeout` if the disk did not answer
        in time: then the records that were not confirmed must be taken as not recorded.
        """
        if self._rest is not None:
            self._rest.stop()
        with self._order:
            if self._closed:
                return
            told = self._writer.failure_told
            if self._writer.failure is None:
                self._submit([Entry(CLOSED, {})], _promise(), sealed=True)
            self._closed = True
        if not self._writer.stop(timeout_s):
            raise JournalError(
                "journal-close-timeout",
                f"The disk of {self.path} did not answer within {timeout_s} s while closing; what was not confirmed "
                f"before counts as not recorded. Check the disk, then run `cardshoe journal verify {self.path}`.",
            )
        self._lock.release()
        failure = self._writer.failure
        if failure is not None and not told:
            raise failure

    def _append(self, entries: Sequence[Entry], *, sealed: bool) -> Future[Committed]:
        answer = _promise()
        self._queue(entries, answer, sealed=sealed)
        return answer

    def _queue(self, entries: Sequence[Entry], answer: Answer, *, sealed: bool) -> None:
        # Time and place in the queue are taken together, so that time never goes back along the chain.
        with self._order:
            if self._closed:
                raise JournalError(
                    "journal-stopped", f"The journal {self.path} is closed; nothing can be recorded in it."
                )
            self._submit(entries, answer, sealed=sealed)

    def _submit(self, entries: Sequence[Entry], answer: Answer, *, sealed: bool) -> None:
        mono_us, wall, boot = int(self._clock.now() * _MICROSECONDS), self._clock.wall(), self.opening.boot
        batch = tuple([prepare(entry, boot=boot, mono_us=mono_us, wall=wall) for entry in entries])
        self._writer.submit(batch, answer, sealed=sealed)

    def _record_opening(self, program: str) -> None:
        found = self.opening
        body = {
            "program": program,
            "records_before": found.records,
            "head_before": found.head_hex,
            "closed_cleanly": found.closed_cleanly,
            "anchor": "missing" if found.anchor_missing else "matches",
        }
        self._append([Entry(OPENED, body)], sealed=True).result()

    def _abandon(self) -> None:
        self._closed = True
        if self._writer.stop(5.0):
            self._lock.release()


def _require_place(path: Path) -> None:
    if not path.name:
        raise ConfigError("journal-directory", f"{path} is a folder and no journal. Name a file.")
    if not path.parent.is_dir():
        raise ConfigError(
            "journal-directory", f"There is no directory {path.parent} for the journal {path.name}. Make it first."
        )


def _promise() -> Future[Committed]:
    """Return a future that cannot be cancelled: what it waits for may be on disk already."""
    answer: Future[Committed] = Future()
    answer.set_running_or_notify_cancel()
    return answer


def _create(path: Path, key_file: Path, clock: Clock, program: str) -> Ed25519PrivateKey:
    """Build a journal of one record beside `path` and move it there whole. Raises JournalError or OSError."""
    anchor_file = anchor_path(path)
    anchor = read_anchor(anchor_file)
    if anchor is not None and anchor.head.seq:
        raise JournalError(
            "journal-gone",
            f"There is no journal at {path}, but its head anchor {anchor_file} knows {anchor.head.seq} records. "
            f"Nothing may be dealt on an empty journal: put the file back, or move the anchor aside for the auditor "
            f"and start again.",
        )
    key = load_key(key_file) if key_file.exists() else create_key(key_file)
    create_anchor(anchor_file, key)
    body = {
        "journal": secrets.token_hex(16),
        "public_key": public_bytes(key).hex(),
        "schema": schema.VERSION,
        "program": program,
    }
    first = prepare(Entry(CREATED, body), boot=0, mono_us=int(clock.now() * _MICROSECONDS), wall=clock.wall())
    found(path, key, [[first]])
    return key


def _examine(
    path: Path, key: Ed25519PrivateKey, *, created: bool, restart_kind: str | None
) -> tuple[Opening, RestCheck | None]:
    """Verify the journal with nothing but read access, before anything may change it. Raises JournalError."""
    trusted = public_bytes(key)
    tail = None if restart_kind is None else examine_tail(path, trusted_key=trusted, restart_kind=restart_kind)
    verdict = examine(path, trusted_key=trusted) if tail is None else tail[0]
    if not verdict.ok:
        raise JournalError(
            "journal-untrusted",
            f"The journal {path} cannot be trusted from record {verdict.first_bad} on: {verdict.why} It is left "
            f"untouched and nothing may be dealt on it; move it aside with its -wal and .anchor for the auditor, and "
            f"only then begin a new one.",
        )
    with JournalReader(path) as reader:
        last = next(reader.records(newest_first=True))
    require_not_continued(path, last)
    opening = Opening(
        boot=last.boot + 1,
        records=verdict.records,
        head_hex=verdict.head,
        public_key_hex=verdict.public_key,
        created=created,
        closed_cleanly=created or last.kind == CLOSED,
        anchor_missing=not anchor_path(path).exists(),
        verified_from=1 if tail is None else tail[1].seq + 1,
    )
    return opening, None if tail is None else RestCheck(path, trusted, tail[1])


def _start_writer(path: Path, key: Ed25519PrivateKey, opening: Opening, reserve: Reserve) -> Writer:
    """Open the database for writing and start its thread. Raises JournalError or OSError."""
    if opening.anchor_missing:
        create_anchor(anchor_path(path), key)
    anchor = AnchorFile(anchor_path(path), public_bytes(key))
    try:
        committer = Committer(path, key, anchor, reserve)
    except JournalError:
        anchor.close()
        raise
    if committer.head.digest.hex() != opening.head_hex:
        committer.close()
        raise trouble.altered(path, "it changed between being verified and being opened")
    return Writer(path, committer)
