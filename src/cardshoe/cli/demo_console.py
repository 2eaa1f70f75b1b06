"""The console of `cardshoe demo`: the table's own, with a panel for faults and hands that move the cards.

Owns the joining of the laboratory's world with the console, which know nothing of each other.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

from cardshoe.cli.console_seat import Seat
from cardshoe.clock import SystemClock
from cardshoe.console.address import DEFAULT_PORT, Address, read_address
from cardshoe.console.ports import Mishap
from cardshoe.console.server import open_console
from cardshoe.games.house import parse_house
from cardshoe.lab.by_touch import TRIALS, ByTouch
from cardshoe.lab.hands import open_hands
from cardshoe.lab.players import Players
from cardshoe.lab.playing import Playing
from cardshoe.lab.world_process import World
from cardshoe.round.machine import find_game
from cardshoe.table.app import Table

_SEED: Final = 0


class LabSeat(Seat):
    """A seat at a simulated table: a word of the dealer goes with the motion of the simulated hands."""

    def __init__(self, table: Table, touch: ByTouch, playing: Playing) -> None:
        super().__init__(table)
        self._touch = touch
        self._playing = playing

    async def give(self, operation: Mapping[str, object], token: bytes | None) -> int:
        """Do one operation; where a person deals, the cards that go with it are moved first."""
        if not self._playing.awake.is_set():
            await self._touch.before(str(operation.get("op")))
        return await super().give(operation, token)


class DemoLab:
    """Implements the console's `LabPort`."""

    def __init__(self, touch: ByTouch, playing: Playing) -> None:
        self._touch = touch
        self._playing = playing

    @property
    def robot(self) -> bool:
        """Whether the robot deals."""
        return self._playing.awake.is_set()

    def set_robot(self, *, on: bool) -> None:
        """Have the robot deal, or leave it to the person."""
        if on:
            self._playing.awake.set()
        else:
            self._playing.awake.clear()

    @property
    def mishaps(self) -> Sequence[Mishap]:
        """What can be made to go wrong."""
        return [Mishap(each.name, each.what, each.cure) for each in TRIALS]

    async def mishap(self, name: str) -> str:
        """Make `name` go wrong."""
        return await self._touch.trial(name, cure=False)

    async def cure(self, name: str) -> str:
        """Do what a person does about it."""
        return await self._touch.trial(name, cure=True)

    async def hands(self) -> str:
        """Move the cards that are due."""
        return await self._touch.move()


class DemoConsole:
    """The console of one demo. `text` is HOST:PORT, None for the usual port or a free one."""

    def __init__(self, text: str | None, *, by_touch: bool, speed: float) -> None:
        self._by_touch = by_touch
        self._speed = speed
        self._address = _free(read_address(text if text is not None else f"127.0.0.1:{_usual()}"))

    @property
    def url(self) -> str:
        """Where it will be."""
        return f"http://{self._address.shown_host}:{self._address.port}/"

    @asynccontextmanager
    async def beside(self, table: Table, playing: Playing, world: World) -> AsyncIterator[None]:
        """Serve the console of `table` while the block runs."""
        clock, hands = SystemClock(), await open_hands(world.control)
        game = find_game(table.config.table.game)
        players = Players(game, parse_house(game, table.config.house), _SEED)
        touch = ByTouch(table, hands, players, now=clock.now, speed=self._speed)
        lab = DemoLab(touch, playing)
        lab.set_robot(on=not self._by_touch)
        try:
            async with open_console(LabSeat(table, touch, playing), self._address, lab=lab):
                yield
        finally:
            await hands.close()


def _usual() -> int:
    """Return the usual port where nobody has it, else 0."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", DEFAULT_PORT))
        except OSError:
            return 0
    return DEFAULT_PORT


def _free(address: Address) -> Address:
    """Return `address` with a port that is free now where it has none, so that it can be told before it is taken."""
    if address.port:
        return address
    with socket.socket(socket.AF_INET6 if ":" in address.host else socket.AF_INET) as probe:
        probe.bind((address.host, 0))
        return replace(address, port=int(probe.getsockname()[1]))
