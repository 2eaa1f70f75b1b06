"""The reference firmware behind a front end: a process on a pty of its own, its bytes carried on.

Owns the process and its pty; answers what a world answers as far as this bench can. The firmware's own hand takes the
stacks, and what it has moved is not told but by itself.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import termios
import threading
import tty
from collections.abc import Callable
from typing import Any

SERIAL = "REF-0001"


class FirmwareRunner:
    """Starts FRONT_FIRMWARE, a JSON list; see `WorldRunner` for the calls."""

    serial_number = SERIAL

    def __init__(self, on_bytes: Callable[[bytes], None], lock: threading.RLock) -> None:
        self._on_bytes, self._lock = on_bytes, lock
        command = json.loads(os.environ["FRONT_FIRMWARE"])
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._line = os.open(self._port_name(), os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._line)
        termios.tcflush(self._line, termios.TCIOFLUSH)
        threading.Thread(target=self._read_on, daemon=True).start()

    def _port_name(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            found = re.search(r"/dev/pts/\d+", line)
            if found:
                return found[0]
        raise OSError("the firmware has ended without a port")

    def _read_on(self) -> None:
        while True:
            try:
                data = os.read(self._line, 4096)
            except OSError:
                return
            if not data:
                return
            with self._lock:
                self._on_bytes(data)

    def opened(self) -> None:
        """It means nothing to the firmware."""

    def put(self, data: bytes) -> None:
        """Bytes from the host."""
        os.write(self._line, data)

    def control(self, request: dict[str, Any]) -> dict[str, Any]:
        """Its hand does by itself what is asked of hands."""
        return {"ok": True} if request["do"] == "take_stack" else {"ok": False, "text": "the firmware does not tell"}

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
