"""The way back from the journal's writer thread to the table's loop.

Owns the bell that the writer rings when something is on disk, and the futures that wait for it. A shoe waits for its
next command while this happens, so it takes the shortest way that there is: an event descriptor that the loop watches,
no lock of a future's own, one turn of the loop. Must not know what was written. Implements promise P2 as far as nobody
is woken before the disk has answered.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Sequence

from cardshoe.errors import JournalError
from cardshoe.journal import Committed, Entry, Journal


class Confirmations:
    """Waits of one loop for one journal. Every method but those of what it hands out is called on the loop."""

    def __init__(self, journal: Journal, loop: asyncio.AbstractEventLoop) -> None:
        self._journal = journal
        self._loop = loop
        self._told: deque[_Confirmation] = deque()
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._closed = False
        self._closing = threading.Lock()
        loop.add_reader(self._bell, self._rung)

    def append(self, entries: Sequence[Entry]) -> asyncio.Future[Committed]:
        """Have `entries` written; the future is done when they are on disk. Raises as `Journal.append` does."""
        waiting = _Confirmation(self, self._loop.create_future())
        self._journal.append_for(waiting, entries)
        return waiting.future

    def close(self) -> None:
        """Wait for nothing any more; what is told later is told to nobody."""
        with self._closing:
            self._closed = True
        self._loop.remove_reader(self._bell)
        os.close(self._bell)

    def tell(self, confirmation: _Confirmation) -> None:
        """Ring the bell, from the writer's thread."""
        self._told.append(confirmation)
        with self._closing:
            if not self._closed:
                os.eventfd_write(self._bell, 1)

    def _rung(self) -> None:
        os.eventfd_read(self._bell)
        while self._told:
            self._told.popleft().pass_on()


class _Confirmation:
    """One wait: what the writer says about it in its thread, and what the loop is told of that."""

    def __init__(self, all_of_them: Confirmations, future: asyncio.Future[Committed]) -> None:
        self.future = future
        self._all = all_of_them
        self._said: Committed | JournalError | None = None

    def set_result(self, committed: Committed, /) -> None:
        self._said = committed
        self._all.tell(self)

    def set_exception(self, error: JournalError, /) -> None:
        self._said = error
        self._all.tell(self)

    def done(self) -> bool:
        return self._said is not None

    def pass_on(self) -> None:
        if self.future.done() or self._said is None:  # given up by who waited
            return
        if isinstance(self._said, JournalError):
            self.future.set_exception(self._said)
        else:
            self.future.set_result(self._said)
