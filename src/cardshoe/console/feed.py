"""The newest state, to every browser that listens.

Owns the sequence number and the one encoding of each state, shared by all listeners. A slow listener is never a queue:
it gets the newest state when it can take one. Must not know HTTP beyond the form of a server-sent event.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from cardshoe.console.ports import TablePort
from cardshoe.console.showing import shown_plain
from cardshoe.errors import CardshoeError

BEAT_S: Final = 5.0
"""A listener hears something at least so often; after three times that silence a page says that it is cut off."""
RETRY_MS: Final = 400


class Feed:
    """Watches a table from `start` to `stop`, in the table's loop."""

    def __init__(self, table: TablePort, looking: Callable[[], object]) -> None:
        """Watch `table`; `looking` is called at each change of it."""
        self._table = table
        self._looking = looking
        self._sequence = 0
        self._state: dict[str, Any] = {}
        self._latest = b""
        self._news = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self._closed = False
        self.listeners = 0
        self._encode()

    def start(self) -> None:
        """Begin to watch."""
        self._task = asyncio.get_running_loop().create_task(self._watch(), name="console feed")

    async def stop(self) -> None:
        """End; every listener ends."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._tell()

    @property
    def sequence(self) -> int:
        """The number of the newest state."""
        return self._sequence

    @property
    def latest(self) -> bytes:
        """The newest state as JSON."""
        return self._latest

    async def refresh(self) -> None:
        """Say the state anew: something beside the view has changed (what can be corrected)."""
        self._encode()
        await self._tell()

    async def events(self) -> AsyncIterator[bytes]:
        """Yield the state now, and each newer one, as server-sent events, with a beat in between."""
        self.listeners += 1
        seen = -1
        try:
            yield b"retry: %d\n\n" % RETRY_MS
            while not self._closed:
                if self._sequence != seen:
                    seen = self._sequence
                    yield b"id: %d\nevent: state\ndata: %b\n\n" % (seen, self._latest)
                elif not await self._newer(seen):
                    yield b"event: beat\ndata: %d\n\n" % seen
        finally:
            self.listeners -= 1

    async def _newer(self, seen: int) -> bool:
        try:
            async with asyncio.timeout(BEAT_S), self._news:
                await self._news.wait_for(lambda: self._closed or self._sequence != seen)
        except TimeoutError:
            return False
        return True

    async def _watch(self) -> None:
        seen = self._table.shown
        while True:
            try:
                seen = await self._table.changed(seen)
            except CardshoeError:  # the table has stopped: that is the last state, and it says so
                await self.refresh()
                return
            self._looking()
            await self.refresh()

    def _encode(self) -> None:
        """Encode the state, unless it is the one that was told last."""
        state = shown_plain(self._table.shown, failure=self._table.failure, last=self._table.last_entry)
        if state == self._state:
            return
        self._state = state
        self._sequence += 1
        told = {"sequence": self._sequence, **state}
        self._latest = json.dumps(told, ensure_ascii=True, separators=(",", ":")).encode()

    async def _tell(self) -> None:
        async with self._news:
            self._news.notify_all()
