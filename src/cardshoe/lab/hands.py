"""The dealer's hands in a simulated world that is another process: its control socket.

Owns the client of the socket (JSON Lines over a Unix stream): one request, one answer, in order. A world that went
away is looked for again for a while, because a world may be restarted while the table waits. Must not know what an act
means.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from cardshoe.errors import DeviceError, Refused

ANSWER_S: Final = 10.0
COMES_BACK_S: Final = 20.0
_RETRY_S: Final = 0.1
_LINE_MAX: Final = 1 << 20


class Hands:
    """One connection to the world at `path`. Made by `open_hands`; every method is called on its loop."""

    def __init__(self, path: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.path = path
        self._reader = reader
        self._writer = writer

    async def do(self, act: str, keys: Mapping[str, object]) -> Mapping[str, Any]:
        """Have the world do `act`; return its answer.

        Raises `Refused` (`hands-refused`) when that cannot be done there now, `DeviceError` (`hands-lost`) when the
        world is gone. An act on which the world went away is not repeated: look first.
        """
        try:
            answer = await asyncio.wait_for(self._asked({"do": act, **keys}), ANSWER_S)
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError, ValueError) as error:
            await self._again(error)
            raise Refused("hands-refused", f"{act}: the world went away in the middle of it; look again") from error
        if answer.get("ok") is not True:
            raise Refused("hands-refused", f"{act}: {answer.get('text')}")
        return answer

    async def close(self) -> None:
        """Give the socket back."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:  # the other side was quicker
            return

    async def _asked(self, request: Mapping[str, object]) -> Mapping[str, Any]:
        self._writer.write(json.dumps(request).encode() + b"\n")
        await self._writer.drain()
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            raise EOFError("the world closed the connection")
        answer = json.loads(line)
        if not isinstance(answer, dict):
            raise ValueError("the answer is no object")  # noqa: TRY004 — a broken line, as JSON errors are
        return answer

    async def _again(self, cause: Exception) -> None:
        await self.close()
        loop = asyncio.get_running_loop()
        until = loop.time() + COMES_BACK_S
        while True:
            try:
                self._reader, self._writer = await _connected(self.path)
            except OSError:
                if loop.time() > until:
                    raise DeviceError(
                        "hands-lost",
                        f"The world whose hands answer at {self.path} is gone ({str(cause) or type(cause).__name__})."
                        " Start its `cardshoe sim` again, with the same --state, and run this command again on the"
                        " same journal.",
                    ) from cause
                await asyncio.sleep(_RETRY_S)
            else:
                return


async def open_hands(path: Path) -> Hands:
    """Connect to the control socket at `path`. Raises `DeviceError` (`hands-missing`)."""
    try:
        reader, writer = await _connected(path)
    except OSError as error:
        raise DeviceError(
            "hands-missing",
            f"No world answers at {path} ({error.strerror or error}). Start `cardshoe sim … --control {path}` first, or"
            " give the control socket of the one that runs.",
        ) from error
    return Hands(path, reader, writer)


async def _connected(path: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_unix_connection(path, limit=_LINE_MAX)
