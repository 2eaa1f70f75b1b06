"""What stands on the far side of every front end: simulated shoes, plugged in and out, and the requests that do it.

Owns the worlds, the request table and the socket that serves it. Must not know how a front end shows a device; that is
a `Front`. Requests are JSON objects: `{"front": "unplug", "device": "shoe"}`; those with `do` go to the device's world.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from firmware_runner import FirmwareRunner
from world_runner import WorldRunner

SEEDS = {"shoe": 1, "twin": 2}


class Front(ABC):
    """One way in which a device is shown to the system. All of it under `lock`."""

    features: frozenset[str] = frozenset()

    def __init__(self, lock: threading.RLock) -> None:
        self.lock = lock

    @abstractmethod
    def plug(self, name: str, serial_number: str, put: Callable[[bytes], None], opened: Callable[[], None]) -> None:
        """Show a device whose bytes go to `put`."""

    @abstractmethod
    def unplug(self, name: str) -> None:
        """Take it away, in the middle of whatever happens; nothing when it is not there."""

    @abstractmethod
    def deliver(self, name: str, data: bytes) -> None:
        """Bytes of the device for the host; lost when it is not plugged in."""

    @abstractmethod
    def where(self, name: str) -> str:
        """The device URL."""

    def request(self, what: str, device: str, values: dict[str, Any]) -> dict[str, Any]:
        """What only this front end can do."""
        raise ValueError(f"this front end has no {what}")

    def close(self) -> None:
        """Leave nothing behind."""
        return


class Device(Protocol):
    """What hangs on the far side: a world, or firmware."""

    serial_number: str

    def opened(self) -> None:
        """The host opened the port."""

    def put(self, data: bytes) -> None:
        """Bytes from the host."""

    def control(self, request: dict[str, Any]) -> dict[str, Any]:
        """Hands and counters."""

    def close(self) -> None:
        """End it."""


@dataclass
class Bench:
    """The worlds behind one front end."""

    front: Front

    def __post_init__(self) -> None:
        self._worlds: dict[str, Device] = {}
        self._serials: dict[str, str] = {}

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out one request; a refusal is `{"ok": false, "text": …}`."""
        with self.front.lock:
            values = dict(request)
            device = values.pop("device", "shoe")
            if "do" in values:
                return self._worlds[device].control(values)
            what = values.pop("front")
            try:
                return {"ok": True, **self._front(what, device, values)}
            except (ValueError, KeyError, OSError) as error:
                return {"ok": False, "text": f"{what}: {error!r}"}

    def _front(self, what: str, device: str, values: dict[str, Any]) -> dict[str, Any]:
        match what:
            case "features":
                worlds = set() if "FRONT_FIRMWARE" in os.environ else {"counters"}
                return {"features": sorted(self.front.features | worlds)}
            case "reset":
                self._reset(**values)
            case "plug":
                self._plug(device)
            case "unplug":
                at = time.monotonic()
                self.front.unplug(device)
                return {"at": at}
            case "where":
                return {
                    "url": self.front.where(device),
                    "serial": self._worlds[device].serial_number,
                    "outside": self._serials[device],
                }
            case "inject":
                self.front.deliver(device, bytes.fromhex(values["hex"]))
            case _:
                return self.front.request(what, device, values)
        return {}

    def _reset(self, *, twins: bool = False, same: bool = False) -> None:
        """New worlds, the shoe plugged in, its twin too where wanted; `same`: with the same number on the outside."""
        self.close()
        for name in ("shoe", "twin") if twins else ("shoe",):
            world = self._device(name)
            self._worlds[name] = world
            self._serials[name] = self._worlds["shoe"].serial_number if same else world.serial_number
            self._plug(name)

    def _device(self, name: str) -> Device:
        def told(data: bytes) -> None:
            self.front.deliver(name, data)

        if "FRONT_FIRMWARE" in os.environ:
            return FirmwareRunner(told, self.front.lock)
        return WorldRunner(SEEDS[name], told, self.front.lock)

    def _plug(self, name: str) -> None:
        world = self._worlds[name]
        self.front.plug(name, self._serials[name], world.put, world.opened)

    def close(self) -> None:
        """Unplug everything and end the worlds."""
        with self.front.lock:
            for name in list(self._worlds):
                self.front.unplug(name)
                self._worlds.pop(name).close()


class BenchServer:
    """The bench on a socket: a Unix path, or a TCP port for a guest."""

    def __init__(self, bench: Bench, address: str | tuple[str, int]) -> None:
        self._bench = bench
        unix = isinstance(address, str)
        self._listener = socket.socket(socket.AF_UNIX if unix else socket.AF_INET)
        if unix and os.path.exists(address):
            os.unlink(address)
        self._listener.bind(address)
        self._listener.listen()
        self.address = self._listener.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            line, _ = self._listener.accept()
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        with line, line.makefile("rw", encoding="utf-8") as stream:
            for text in stream:
                stream.write(json.dumps(self._bench.ask(json.loads(text))) + "\n")
                stream.flush()


class BenchClient:
    """The bench from a worker: the same `ask`."""

    def __init__(self, address: str | tuple[str, int]) -> None:
        self._line = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        self._line.connect(address)
        self._stream = self._line.makefile("rw", encoding="utf-8")

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask and wait for the answer."""
        self._stream.write(json.dumps(request) + "\n")
        self._stream.flush()
        answer: dict[str, Any] = json.loads(self._stream.readline())
        return answer
