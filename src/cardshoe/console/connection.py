"""One browser's connection, as uvicorn serves it, with an end in sight.

Owns what uvicorn leaves open: a connection on which no whole request comes is closed, so that slow strangers cannot
hold all of them; there are only so many at once; what is no HTTP is refused in JSON like everything else.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from cardshoe.console.answers import as_json

HEAD_S: Final = 10.0
MOST: Final = 200
_NO_HTTP: Final = as_json(
    {"error": {"code": "console-no-http", "text": "this is no request that can be read", "cites": None}}
)


class Connection(H11Protocol):
    """One connection."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or close it where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MOST:
            transport.abort()
            return
        self._waiting = self.loop.call_later(HEAD_S, self._slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came; once a whole head is there the guard looks after the body's time."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._waiting is None:
            self._waiting = self.loop.call_later(HEAD_S, self._slow)

    def send_400_response(self, _msg: str) -> None:
        """Refuse what is no HTTP."""
        head: Any = h11.Response(
            status_code=400,
            headers=[(b"content-type", b"application/json"), (b"connection", b"close")],
            reason=b"Bad Request",
        )
        for event in (head, h11.Data(data=_NO_HTTP), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def on_response_complete(self) -> None:
        """Wait for the next request, not for ever."""
        self._stop_waiting()
        super().on_response_complete()

    def _slow(self) -> None:
        self._waiting = None
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self.transport.abort()

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
