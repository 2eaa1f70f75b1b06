"""Support: a service manager that listens on a real datagram socket, and a table that runs as its service."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

LISTENED_S = 60.0
BY_HAND = """
[table]
name = "T5"
mode = "bench"
game = "ultimate-texas-holdem"
method = "hand"
journal = "journal"
"""


class Listener:
    """The other end of `NOTIFY_SOCKET`: what was told, in order. `address` begins with `@` for an abstract one."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.told: list[dict[str, str]] = []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(f"\0{address[1:]}" if address.startswith("@") else address)
        self.socket.settimeout(LISTENED_S)

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def hear(self) -> dict[str, str]:
        """Wait for the next datagram; return its assignments."""
        text = self.socket.recv(65536).decode()
        told = dict(line.split("=", 1) for line in text.splitlines())
        self.told.append(told)
        return told

    def until(self, name: str, value: str | None = None) -> dict[str, str]:
        """Hear on until `name` is told, with `value` where one is given."""
        while True:
            told = self.hear()
            if name in told and value in (None, told[name]):
                return told

    def all_the_rest(self) -> None:
        """Hear what has been told up to now."""
        self.socket.setblocking(False)
        try:
            while True:
                self.hear()
        except BlockingIOError:
            self.socket.settimeout(LISTENED_S)


class Service:
    """`cardshoe run` as a service manager starts it: nobody at its input unless `lines`, told where to notify."""

    def __init__(
        self,
        folder: Path,
        config: str,
        listener: Listener | None,
        *more: str,
        watchdog_us: int = 0,
        lines: bool = False,
    ) -> None:
        (folder / "table.toml").write_text(config)
        told = {} if listener is None else {"NOTIFY_SOCKET": listener.address}
        if watchdog_us:
            told["WATCHDOG_USEC"] = str(watchdog_us)
        self.journal = folder / "journal"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cardshoe", "run", "--config", str(folder / "table.toml"), *more],
            stdin=subprocess.PIPE if lines else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **told},
        )

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def say(self, op: str, **fields: object) -> None:
        """Say one operation, whatever is answered."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"op": op, **fields}) + "\n")
        self.process.stdin.flush()

    def heard(self) -> dict[str, Any]:
        """Return the next line that it says."""
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    def ended(self) -> tuple[int, str, str]:
        """Wait for the end; return status, standard output and standard error."""
        out, err = self.process.communicate(timeout=LISTENED_S)
        return self.process.returncode, out, err


def a_free_port() -> int:
    """Return a port of this computer that nobody listens on."""
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])
