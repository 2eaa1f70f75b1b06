"""The writer thread: takes what is queued, commits it, keeps the anchor, and only then answers.

Owns the writing connection from its start on. What was queued together is committed together, in order. After the first
failure it answers everything with that failure: no record is reported durable that is not, and none follows a gap.
"""

from __future__ import annotations

import queue
import sqlite3
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardshoe.errors import JournalError
from cardshoe.journal import trouble
from cardshoe.journal.anchor import AnchorFile
from cardshoe.journal.chain import Head, Prepared, extend

MAX_COMMIT_REQUESTS: Final = 64
CHECKPOINT_COMMITS: Final = 400


@dataclass(frozen=True, slots=True)
class Committed:
    """Where the records of one append lie in the chain, both ends included; `head_hex` is the digest of the last."""

    first_seq: int
    last_seq: int
    head_hex: str


@dataclass(frozen=True, slots=True)
class _Request:
    batch: tuple[Prepared, ...]
    durable_anchor: bool
    answer: Future[Committed]


class Writer:
    """The one thread that writes the database."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, key: Ed25519PrivateKey, head: Head, anchor: AnchorFile
    ) -> None:
        self.durable = head
        self.failure: JournalError | None = None
        self._path = path
        self._connection = connection
        self._key = key
        self._anchor = anchor
        self._since_checkpoint = 0
        self._ended = False
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="journal-writer", daemon=True)
        self._thread.start()

    def submit(self, batch: tuple[Prepared, ...], *, durable_anchor: bool) -> Future[Committed]:
        """Queue one append. Raises JournalError `journal-stopped` after a failure, `journal-entry` for an empty one."""
        if self.failure is not None or self._ended:
            raise self._stopped()
        if not batch:
            raise JournalError("journal-entry", "An append without a record was asked for.")
        request = _Request(batch, durable_anchor, Future())
        request.answer.set_running_or_notify_cancel()  # from here on it cannot be cancelled: it may be on disk already
        self._requests.put(request)
        if not self._thread.is_alive():
            self._drain()
        return request.answer

    def stop(self, timeout_s: float) -> bool:
        """Finish what is queued and end the thread; False if that takes longer than `timeout_s`."""
        self._requests.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        requests: list[_Request] = []
        try:
            while True:
                requests, more = self._take()
                if requests:
                    self._serve(requests)
                if not more:
                    return
        finally:
            self._end(requests)

    def _take(self) -> tuple[list[_Request], bool]:
        """Wait for a request and take those that queue behind it; False with the last ones."""
        taken: list[_Request] = []
        item = self._requests.get()
        while item is not None:
            taken.append(item)
            if len(taken) == MAX_COMMIT_REQUESTS:
                return taken, True
            try:
                item = self._requests.get_nowait()
            except queue.Empty:
                return taken, True
        return taken, False

    def _serve(self, requests: list[_Request]) -> None:
        if self.failure is None:
            try:
                self._commit(requests)
            except sqlite3.Error as error:
                self.failure = trouble.from_sqlite(error, self._path)
            except OSError as error:
                self.failure = trouble.from_system(error, self._path)
            except JournalError as error:
                self.failure = error
        self._answer_open(requests)

    def _commit(self, requests: list[_Request]) -> None:
        rows = extend(self.durable, [prepared for request in requests for prepared in request.batch], self._key)
        self._connection.execute("BEGIN IMMEDIATE")
        for row in rows:
            values = (row.seq, row.text, row.digest, row.signature)
            if self._connection.execute("INSERT INTO records VALUES (?, ?, ?, ?)", values).rowcount != 1:
                raise trouble.altered(self._path, f"record {row.seq} was not taken")
        self._connection.execute("COMMIT")
        last = rows[-1]
        first_seq = self.durable.seq + 1
        self.durable = Head(last.seq, last.digest, last.signature)
        durable_anchor = any(request.durable_anchor for request in requests)
        self._anchor.write(self.durable, durable=durable_anchor)
        for request in requests:
            last_seq = first_seq + len(request.batch) - 1
            digest = rows[last_seq - rows[0].seq].digest
            request.answer.set_result(Committed(first_seq, last_seq, digest.hex()))
            first_seq = last_seq + 1
        self._since_checkpoint += 1
        if durable_anchor or self._since_checkpoint >= CHECKPOINT_COMMITS:
            self._checkpoint("PASSIVE")

    def _checkpoint(self, how: str) -> None:
        """Move the write-ahead file into the database here, where an error is seen. A reader may make it partial."""
        self._connection.execute(f"PRAGMA wal_checkpoint({how})").fetchone()
        self._since_checkpoint = 0

    def _answer_open(self, requests: list[_Request]) -> None:
        """Fail every request that has no answer yet."""
        for request in requests:
            if not request.answer.done():
                request.answer.set_exception(self._stopped() if self.failure is None else self.failure)

    def _end(self, requests: list[_Request]) -> None:
        """Close the database; whatever ended the thread, nobody waits for ever."""
        try:
            if self.failure is None:
                self._checkpoint("TRUNCATE")
            self._connection.close()
            self._anchor.close()
        except sqlite3.Error as error:
            self.failure = self.failure or trouble.from_sqlite(error, self._path)
        except OSError as error:
            self.failure = self.failure or trouble.from_system(error, self._path)
        finally:
            self._ended = True
            self._answer_open(requests)
            self._drain()

    def _drain(self) -> None:
        while True:
            try:
                item = self._requests.get_nowait()
            except queue.Empty:
                return
            if item is not None:
                self._answer_open([item])

    def _stopped(self) -> JournalError:
        reason = f" since: {self.failure.text}" if self.failure is not None else "."
        return JournalError("journal-stopped", f"The journal {self._path} takes no more records{reason}")
