"""The register of the suite: a body for each thing that a host must be able to do, whatever the device hangs on.

Owns what a body is and what several bodies need. Must not know which front end there is (promise P10): a body asks for
a feature, never for a name. Each body starts on new worlds with the shoe plugged in.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from front_table import ShoeTable

from cardshoe.devices.shoe_events import ShoeStatusSeen
from cardshoe.errors import DeviceError

if TYPE_CHECKING:
    from front_worker import Desk

Act = Callable[["Desk"], Awaitable[None]]


@dataclass(frozen=True)
class Body:
    """A body: what it does, what the front end must have, how the worlds are set up."""

    act: Act
    needs: frozenset[str]
    setup: dict[str, Any] = field(default_factory=dict)


BODIES: dict[str, Body] = {}


def body(*needs: str, **setup: Any) -> Callable[[Act], Act]:
    """Put a body into the suite."""

    def keep(act: Act) -> Act:
        BODIES[act.__name__] = Body(act, frozenset(needs), setup)
        return act

    return keep


async def refused(desk: Desk, device: str = "shoe") -> DeviceError:
    """Why the device cannot be opened."""
    try:
        transport = await desk.open(device)
    except DeviceError as error:
        return error
    transport.close()
    raise AssertionError("it was opened")


async def live(table: ShoeTable) -> None:
    """Two more heartbeats are answered: the session goes on."""
    for _ in range(2):
        await table.wait_for(ShoeStatusSeen)


async def nothing_left(descriptors: int) -> None:
    """Wait until no descriptor more than before is open and the transports' threads have ended."""
    async with asyncio.timeout(10):
        while len(os.listdir("/proc/self/fd")) > descriptors or any("://" in one.name for one in threading.enumerate()):
            await asyncio.sleep(0.01)


def moved(desk: Desk, device: str = "shoe") -> int | None:
    """How many stacks the machine really moved, None where nothing but the device itself can tell."""
    if "counters" not in desk.features:
        return None
    return int(desk.ask(do="counters", device=device)["stacks_dispensed"])
