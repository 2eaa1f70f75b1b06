"""A world as a process: real time, ports, the control socket, signals.

Owns the one loop. Each turn waits for bytes or for the world's next deadline, so an idle world costs no processor time;
a frame is answered in the turn in which it came.
"""

from __future__ import annotations

import json
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

from cardshoe.sim.control_socket import ControlSocket
from cardshoe.sim.errors import SimError
from cardshoe.sim.opens import OpenWatch
from cardshoe.sim.ports import Address, Port, PtyPort, TcpPort
from cardshoe.sim.world import COMMITTING, World

INTERRUPTED: Final = 130
LINE_MAX: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says. `ports` maps "shoe" and "reader" to their addresses."""

    ports: Mapping[str, Address]
    control: Path
    seed: int | None = None
    speed: float = 1.0
    faults: tuple[Mapping[str, object], ...] = ()
    state_dir: Path | None = None
    mutations: frozenset[str] = frozenset()
    shoe_can: frozenset[str] = COMMITTING


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where everything can be reached, once it can: spelled as on the command line, and device URLs."""

    spelled: Mapping[str, str]
    urls: Mapping[str, str]
    control: str


def read_faults(path: Path) -> tuple[Mapping[str, object], ...]:
    """Return the fault data of a file of JSON Lines. Raises SimError that names the line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SimError(f"fault data {path} cannot be read: {error}") from error
    faults: list[Mapping[str, object]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            fault = json.loads(line) if len(line) <= LINE_MAX else None
        except (ValueError, RecursionError) as error:
            raise SimError(f"{path}, line {number}: no JSON ({error})") from error
        if not isinstance(fault, dict):
            raise SimError(f'{path}, line {number}: wanted is an object such as {{"kind": "jam", "stack": 3}}')
        faults.append(fault)
    return tuple(faults)


@dataclass(slots=True)
class Stop:
    """The exit status with which the loop is to end, None while it goes on."""

    status: int | None = None


class Process:
    """One world and its loop."""

    def __init__(self, settings: Settings, stack: ExitStack, stop: Stop) -> None:
        self._stop = stop
        self._selector = stack.enter_context(selectors.DefaultSelector())
        self._world = World(
            seed=settings.seed,
            speed=settings.speed,
            faults=settings.faults,
            state_dir=settings.state_dir,
            mutations=settings.mutations,
            shoe_can=settings.shoe_can,
            now=time.monotonic(),
        )
        stack.callback(self._world.close)
        self._watch = OpenWatch()
        stack.callback(self._watch.close)
        if self._watch.descriptor is not None:
            self._selector.register(self._watch.descriptor, selectors.EVENT_READ, lambda _: None)
        self._control = ControlSocket(settings.control, selector=self._selector, answer=self._answer)
        self._control.open()
        stack.callback(self._control.close)
        self._ports: dict[str, Port] = {}
        self._plugged: dict[str, bool] = {}
        for name, address in settings.ports.items():
            port = self._make_port(name, address)
            port.open()
            stack.callback(port.close)
            self._ports[name] = port
            self._plugged[name] = True

    def _make_port(self, name: str, address: Address) -> Port:
        def received(data: bytes) -> None:
            self._world.receive(name, data, time.monotonic())
            self._deliver()

        def opened() -> None:
            self._world.line_opened(name, time.monotonic())

        if address.kind == "pty":
            return PtyPort(address.path, selector=self._selector, watch=self._watch, received=received, opened=opened)
        return TcpPort(address.host, address.port, selector=self._selector, received=received, opened=opened)

    @property
    def addresses(self) -> Addresses:
        """Where it can be reached."""
        return Addresses(
            spelled={name: port.spelled for name, port in self._ports.items()},
            urls={name: port.url for name, port in self._ports.items()},
            control=self._control.spelled,
        )

    def run(self, wake: socket.socket) -> int:
        """Serve until stopped; return the exit status. `wake` becomes readable when a signal has come."""
        self._selector.register(wake, selectors.EVENT_READ, lambda _: wake.recv(64))
        while self._stop.status is None:
            due = self._world.next_deadline()
            timeout = None if due is None else max(0.0, due - time.monotonic())
            ready = self._selector.select(timeout)
            self._watch.drain()  # an opening comes before the bytes of who opened
            for key, mask in ready:
                key.data(mask)
            self._world.advance(time.monotonic())
            self._deliver()
        return self._stop.status

    def _answer(self, request: object) -> dict[str, object]:
        answer = self._world.control(request, time.monotonic())
        self._deliver()
        return answer

    def _deliver(self) -> None:
        for name, port in self._ports.items():
            port.write(self._world.take_output(name))
            plugged = self._world.plugged(name)
            if plugged != self._plugged[name]:
                self._plugged[name] = plugged
                if plugged:
                    port.open()
                else:
                    port.close()


@contextmanager
def _signals(stop: Stop) -> Iterator[socket.socket]:
    """SIGTERM and SIGINT end the loop; the socket becomes readable when one of them has come.

    SIGPIPE is ignored: someone who hangs up while we answer ends a connection, not the world.
    """
    statuses = {signal.SIGTERM: 0, signal.SIGINT: INTERRUPTED}

    def heard(number: int, _: FrameType | None) -> None:
        stop.status = statuses[signal.Signals(number)]

    reading, writing = socket.socketpair()
    with reading, writing:
        reading.setblocking(False)
        writing.setblocking(False)
        before_fd = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        before: dict[signal.Signals, signal._HANDLER] = {number: signal.signal(number, heard) for number in statuses}
        before[signal.SIGPIPE] = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        try:
            yield reading
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(before_fd)


def serve(settings: Settings, ready: Callable[[Addresses], None]) -> int:
    """Run a world until SIGTERM (returns 0) or SIGINT (returns 130); `ready` is told where it can be reached.

    Raises SimError when something cannot be set up; nothing is left behind then.
    """
    with ExitStack() as stack:
        stop = Stop()
        wake = stack.enter_context(_signals(stop))
        process = Process(settings, stack, stop)
        ready(process.addresses)
        return process.run(wake)
