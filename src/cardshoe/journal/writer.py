"""The writer thread: takes what is queued, has it committed, and only then answers.

Owns the queue and the answers. What was queued together is committed together, in order. After the first failure it
answers everything with that failure: no record is reported durable that is not, and none follows a gap. When the
journal comes to rest, it brings the head anchor up to date; nobody waits for that.
"""

from __future__ import annotations

import queue
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from cardshoe.errors import JournalError
from cardshoe.journal.canonical import Prepared
from cardshoe.journal.chain import Head
from cardshoe.journal.committer import Committer

MAX_COMMIT_REQUESTS: Final = 64
QUIET_S: Final = 0.005


@dataclass(frozen=True, slots=True)
class Committed:
    """Where the records of one append lie in the chain, both ends included; `head_hex` is the digest of the last."""

    first_seq: int
    last_seq: int
    head_hex: str


class Answer(Protocol):
    """Who is told, in the writer's thread and once, what became of an append; a `Future` is one."""

    def set_result(self, committed: Committed, /) -> None:
        """Take it that the records are on disk."""

    def set_exception(self, error: JournalError, /) -> None:
        """Take it that they must count as not recorded."""

    def done(self) -> bool:
        """Tell whether one of the two was called."""


class _Request(NamedTuple):
    batch: tuple[Prepared, ...]
    sealed: bool
    answer: Answer


class Writer:
    """The one thread that writes the database."""

    def __init__(self, path: Path, committer: Committer) -> None:
        self.durable: Head = committer.head
        self.failure: JournalError | None = None
        self.failure_told = False
        self._ended = False
        self._path = path
        self._committer = committer
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="journal-writer", daemon=True)
        self._thread.start()

    def submit(self, batch: tuple[Prepared, ...], answer: Answer, *, sealed: bool) -> None:
        """Queue one append; `sealed` makes its last record a signed head and the anchor of it durable.

        `answer` is told; what it waits for may be on disk already when somebody gives it up. Raises JournalError
        `journal-stopped` after a failure, `journal-entry` for an empty batch.
        """
        if self.failure is not None:
            self.failure_told = True
            raise self._stopped()
        if not batch:
            raise JournalError("journal-entry", "An append without a record was asked for.")
        self._requests.put(_Request(batch, sealed, answer))
        if self._ended:
            self._drain()

    def stop(self, timeout_s: float) -> bool:
        """Finish what is queued and end the thread; False if that takes longer than `timeout_s`."""
        self._requests.put(None)
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        requests: list[_Request] = []
        more = True
        try:
            while more:
                requests, more = self._take()
                self._serve(requests)
        finally:
            if more and self.failure is None:  # an error that nobody foresaw ends the thread, not the truth
                self.failure = JournalError(
                    "journal-stopped", f"The writer of the journal {self._path} ended. Stop dealing and start again."
                )
            self._end(requests)

    def _take(self) -> tuple[list[_Request], bool]:
        """Wait for a request and take those that queue behind it, up to a sealed one; False with the last ones.

        Returns none after a while without any, as long as the anchor is behind.
        """
        taken: list[_Request] = []
        try:
            behind = self._committer.unanchored and self.failure is None
            item = self._requests.get(timeout=QUIET_S if behind else None)
            while item is not None:
                taken.append(item)
                if item.sealed or len(taken) == MAX_COMMIT_REQUESTS:
                    return taken, True
                item = self._requests.get_nowait()
        except queue.Empty:
            return taken, True
        return taken, False

    def _serve(self, requests: list[_Request]) -> None:
        if self.failure is None:
            try:
                if requests:
                    self._commit(requests)
                elif self._committer.unanchored:
                    self._committer.anchor(durable=False)
            except JournalError as error:
                self.failure = error
        if self.failure is not None:
            self._fail_unanswered(requests)

    def _commit(self, requests: list[_Request]) -> None:
        sealed = requests[-1].sealed
        rows = self._committer.commit((part for request in requests for part in request.batch), sealed=sealed)
        if sealed:
            self._committer.anchor(durable=True)
        self.durable = self._committer.head
        start = 0
        for request in requests:
            end = start + len(request.batch)
            request.answer.set_result(Committed(rows[start].seq, rows[end - 1].seq, rows[end - 1].digest.hex()))
            start = end
        if sealed:
            self._committer.checkpoint("PASSIVE")
        self._committer.tidy()

    def _end(self, requests: list[_Request]) -> None:
        """Close the database; whatever ended the thread, nobody waits for ever."""
        try:
            if self.failure is None:
                self._committer.anchor(durable=True)
                self._committer.checkpoint("TRUNCATE")
            self._committer.close()
        except JournalError as error:
            self.failure = self.failure or error
        finally:
            self._fail_unanswered(requests)
            self._ended = True  # from here on who puts something into the queue takes it out again
            self._drain()

    def _fail_unanswered(self, requests: list[_Request]) -> None:
        for request in requests:
            if not request.answer.done():
                request.answer.set_exception(self.failure or self._stopped())
                self.failure_told = True

    def _drain(self) -> None:
        while True:
            try:
                item = self._requests.get_nowait()
            except queue.Empty:
                return
            if item is not None:
                self._fail_unanswered([item])

    def _stopped(self) -> JournalError:
        reason = f" since: {self.failure.text}" if self.failure is not None else "."
        return JournalError("journal-stopped", f"The journal {self._path} takes no more records{reason}")
