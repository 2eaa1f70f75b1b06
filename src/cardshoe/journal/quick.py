"""A long journal is opened quickly: what a restart sets out from is verified at once, all that is older afterwards.

Owns the choice of the signed head from which the quick look starts, and the thread that verifies the rest while the
table is up. A head is signed under the table's own key, so that the older part cannot be another one unnoticed: the
thread finds out. Implements promise P6 beside G8 (ready again within a second).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from itertools import islice
from pathlib import Path
from typing import Final

from cardshoe.errors import CardshoeError
from cardshoe.journal.anchor import read_anchor
from cardshoe.journal.canonical import parse_record
from cardshoe.journal.chain import Head, Row, Verdict, judge
from cardshoe.journal.reader import JournalReader, anchor_path, wal_is_blank

LOOK_BACK_RECORDS: Final = 5_000
"""Further back than this nobody looks for the record from which a restart sets out: then the whole is verified."""
CHUNK_RECORDS: Final = 250
PAUSE_S: Final = 0.01
ENDS_S: Final = 2.0


def examine_tail(path: Path, *, trusted_key: bytes, restart_kind: str) -> tuple[Verdict, Head] | None:
    """Return the verdict on all records after a signed head, and that head; None if only the whole will do.

    The head stands before the newest record of `restart_kind`, and is not newer than the head anchor. Raises
    JournalError as `reader.examine` does.
    """
    beside = read_anchor(anchor_path(path))  # before the snapshot: the anchor is never ahead of the database
    if beside is None or beside.public_key != trusted_key or wal_is_blank(path):
        return None
    with JournalReader(path) as reader:
        start = _start(reader, restart_kind, beside.head.seq)
        if start is None:
            return None
        reader.require_shipped_schema()
        first = next(reader.records())
        if first.body.get("public_key") != trusted_key.hex():
            return None
        counted = reader.numbered()
        rows = reader.rows(first_seq=start.seq + 1)
        return judge(rows, trusted_key=trusted_key, anchors=[beside.head], counted=counted, start=start), start


def _start(reader: JournalReader, restart_kind: str, anchored: int) -> Head | None:
    marked = False
    rows = islice(reader.rows(newest_first=True), LOOK_BACK_RECORDS)
    for row in rows:
        if marked and row.signature and row.seq <= anchored:
            return Head(row.seq, row.digest, row.signature)
        marked = marked or parse_record(row.text).kind == restart_kind
    return None


class _Stopped(Exception):
    """The table ends before the check does."""


class RestCheck:
    """The thread that verifies a journal up to and including the head `until`, a few records at a time.

    `answer` is done with the verdict, or with None if it was stopped before; it never fails.
    """

    def __init__(self, path: Path, trusted_key: bytes, until: Head) -> None:
        self.answer: Future[Verdict | None] = Future()
        self._path = path
        self._key = trusted_key
        self._until = until
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="journal-check", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End it now, done or not."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(ENDS_S)

    def _run(self) -> None:
        try:
            verdict = judge(self._rows(), trusted_key=self._key, anchors=[self._until])
            if verdict.ok:
                with JournalReader(self._path) as reader:
                    reader.require_sound()
        except _Stopped:
            self.answer.set_result(None)
        except CardshoeError as error:
            self.answer.set_result(_unreadable(error))
        else:
            self.answer.set_result(verdict)

    def _rows(self) -> Iterator[Row]:
        done = 0
        while done < self._until.seq:
            if self._stop.wait(PAUSE_S):
                raise _Stopped
            # Each look is a snapshot of its own: a long one would keep the write-ahead file from being used again.
            with JournalReader(self._path) as reader:
                chunk = list(islice(reader.rows(first_seq=done + 1), min(CHUNK_RECORDS, self._until.seq - done)))
            if not chunk:
                return
            done = max(done + 1, chunk[-1].seq)
            yield from chunk


def _unreadable(error: CardshoeError) -> Verdict:
    return Verdict(
        ok=False, records=0, head="", signed=False, signed_to=0, public_key="", first_bad=None, why=error.text
    )
