"""A simulated world as the bench of the device dialogues: virtual time, no waiting.

`hold_ms` makes the line keep back what the device sends, as an adapter with a latency timer does (LINK-8.3).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from device_runner import DeviceRunner
from patterns import VectorFailed

from cardshoe.sim.world import World

START_S = 5000.0


class WorldBench:
    """Implements `device_runner.Bench` for one port of a `World`."""

    def __init__(self, world: World, port: str, *, now: float = START_S, hold_ms: int = 0) -> None:
        self._world, self._port, self._now, self._hold_s = world, port, now, hold_ms / 1000
        self._held = bytearray()

    def now(self) -> float:
        """Virtual seconds."""
        return self._now

    def write(self, data: bytes) -> None:
        """Bytes to the device, at once."""
        self._world.receive(self._port, data, self._now)
        self._collect()

    def control(self, request: dict[str, Any]) -> dict[str, Any]:
        """The world's control socket."""
        answer = self._world.control(request, self._now)
        self._collect()
        return answer

    def _collect(self) -> None:
        self._held += self._world.take_output(self._port)

    def _give(self) -> bytes:
        data = bytes(self._held)
        self._held.clear()
        return data

    def read(self, until: float) -> bytes:
        """Let virtual time pass until the device says something, or to `until`."""
        while not self._held and self._now < until:
            due = self._world.next_deadline()
            self._now = until if due is None else min(until, max(due, self._now))
            self._world.advance(self._now)
            self._collect()
        if self._held and self._hold_s:
            self._now += self._hold_s
            self._world.advance(self._now)
            self._collect()
        return self._give()


def nonces(seed: str) -> Callable[[], bytes]:
    """Nonces that are fresh each time and the same at every run."""
    drawn = random.Random(seed)
    return lambda: drawn.randbytes(16)


def run(vector: dict[str, Any], *, mutations: frozenset[str] = frozenset(), seed: int = 1, hold_ms: int = 0) -> None:
    """Run one dialogue of role "device" against a fresh world; raises `VectorFailed` or `VectorWrong`."""
    world = World(seed=seed, mutations=mutations, now=START_S)
    bench = WorldBench(world, vector["device"], hold_ms=hold_ms)
    world.line_opened(vector["device"], START_S)
    try:
        slack_ms = 2 * hold_ms
        DeviceRunner(vector["device"], bench, nonces(vector["id"]), slack_ms=slack_ms).run(vector["steps"])
    finally:
        world.close()


def fails(vector: dict[str, Any], *, mutations: frozenset[str], seed: int = 1) -> str | None:
    """Return how the dialogue fails with these mutations, or None when it passes."""
    try:
        run(vector, mutations=mutations, seed=seed)
    except VectorFailed as failed:
        return str(failed)
    return None
