"""A simulated world in real time inside a front end's own process: one thread, bytes in, bytes out by call-back.

Owns the thread that brings time to `cardshoe.sim.World`. Must not know what carries the bytes. The call-back runs on
the world's thread or on that of whoever put bytes in; it must not wait.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from cardshoe.sim.world import World

SPEED = 100.0  # of the mechanism; link times are real


class WorldRunner:
    """A world with one port, "shoe", until `close`. `lock` is the front end's own: there is one order of locks only."""

    def __init__(self, seed: int, on_bytes: Callable[[bytes], None], lock: threading.RLock) -> None:
        self._world = World(seed=seed, speed=SPEED, now=time.monotonic())
        self._on_bytes = on_bytes
        self._changed = threading.Condition(lock)
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=f"world {seed}", daemon=True)
        self._thread.start()

    @property
    def serial_number(self) -> str:
        """The number that the shoe says in HELLO_REPLY."""
        return self._world.box("shoe").identity.serial

    def opened(self) -> None:
        """The host opened the port."""
        with self._changed:
            self._world.line_opened("shoe", time.monotonic())

    def put(self, data: bytes) -> None:
        """Bytes from the host."""
        with self._changed:
            self._world.receive("shoe", data, time.monotonic())
            self._deliver()
            self._changed.notify_all()

    def control(self, request: object) -> dict[str, Any]:
        """One request of the control socket."""
        with self._changed:
            answer = self._world.control(request, time.monotonic())
            self._deliver()
            self._changed.notify_all()
            return answer

    def close(self) -> None:
        """End the world; its thread follows when the lock is free."""
        with self._changed:
            if not self._stopping:
                self._stopping = True
                self._world.close()
                self._changed.notify_all()

    def _deliver(self) -> None:
        data = self._world.take_output("shoe")
        if data:
            self._on_bytes(data)

    def _run(self) -> None:
        with self._changed:
            while not self._stopping:
                self._world.advance(time.monotonic())
                self._deliver()
                due = self._world.next_deadline()
                self._changed.wait(None if due is None else max(0.0, due - time.monotonic()))
