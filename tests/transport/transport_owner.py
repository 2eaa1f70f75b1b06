"""What owns a transport in these tests, and how they wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cardshoe.errors import DeviceError
from cardshoe.transport import Transport

GUARD_S = 10.0  # only ends a test that would hang


class Owner:
    """Keeps what a transport delivers and signals."""

    def __init__(self, transport: Transport, *, start: bool = True) -> None:
        self.transport = transport
        self.chunks: list[bytes] = []
        self.losses: list[DeviceError] = []
        if start:
            self.start()

    def start(self) -> None:
        self.transport.start(asyncio.get_running_loop(), self.chunks.append, self.losses.append)

    @property
    def received(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def codes(self) -> list[str]:
        return [loss.code for loss in self.losses]


async def until(condition: Callable[[], object], what: str = "the condition") -> None:
    """Wait for something that must come; fail with its name when it does not."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + GUARD_S
    while not condition():
        assert loop.time() < deadline, f"{what} never came"
        await asyncio.sleep(0.001)


async def settle() -> None:
    """Give everything that is scheduled already the time to happen."""
    for _ in range(5):
        await asyncio.sleep(0.002)
