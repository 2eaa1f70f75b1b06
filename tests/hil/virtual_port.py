"""A simulated world as the port and the hands of a conformance run: virtual time, no waiting."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from cardshoe.lab.conform.asking import Answer, Asking, choose
from cardshoe.lab.conform.hands import Request
from cardshoe.sim.world import World

START_S = 5000.0


class VirtualPort:
    """Port and hands of one device of a world. `deaf_to` names acts that nobody here can do."""

    slow = False

    def __init__(self, kind: str, mutations: Sequence[str] = (), *, deaf_to: Sequence[str] = ()) -> None:
        self._kind, self._now, self._deaf_to = kind, START_S, frozenset(deaf_to)
        self.world = World(seed=1, mutations=frozenset(mutations), now=START_S)
        self.world.line_opened(kind, START_S)
        self._held = bytearray()

    def now(self) -> float:
        """Virtual seconds."""
        return self._now

    def write(self, data: bytes) -> None:
        """Bytes to the device, at once."""
        self.world.receive(self._kind, data, self._now)
        self._held += self.world.take_output(self._kind)

    def read(self, until: float) -> bytes:
        """Let virtual time pass until the device says something, or to `until`."""
        while not self._held and self._now < until:
            due = self.world.next_deadline()
            self._now = until if due is None else min(until, max(due, self._now))
            self.world.advance(self._now)
            self._held += self.world.take_output(self._kind)
        data = bytes(self._held)
        self._held.clear()
        return data

    def can(self, request: Request) -> bool:
        """What the world takes."""
        return request.get("do") not in self._deaf_to

    def act(self, request: Request) -> dict[str, Any]:
        """The world's control socket."""
        answer = self.world.control(request, self._now)
        self._held += self.world.take_output(self._kind)
        return dict(answer)


def asked(
    kind: str,
    mutations: Sequence[str] = (),
    *,
    clauses: Sequence[str] = (),
    deaf_to: Sequence[str] = (),
    able: int = 0xFFFFFFFF,
) -> list[Answer]:
    """Run what shows `clauses` (all: everything) against one world, from one item to the next as it was left."""
    port, drawn = VirtualPort(kind, mutations, deaf_to=deaf_to), random.Random(kind)
    asking = Asking(kind, port, port, lambda: drawn.randbytes(16), slack_ms=0, able=able)
    try:
        return list(asking.ask(choose(kind, clauses)))
    finally:
        port.world.close()
