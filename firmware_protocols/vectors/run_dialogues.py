"""Run dialogues of role "device" against a device on a line, in real time.

    python run_dialogues.py --device shoe --line /dev/ttyACM0 [--control SOCKET] [--only TEXT] [--clause ID]
    python run_dialogues.py --device reader --line tcp:192.0.2.7:4000 --only hello

Needs nothing but Python. Each dialogue begins where README.md section 4 says, so bring the device there between two of
them, or choose one with --only. `--control` is the control socket of a simulated world; without it a dialogue that
needs hands at the device is told as "not run". Prints one JSON object a dialogue; exit status 0 when none failed and at
least one passed, 1 otherwise, 2 for wrong usage, 3 when the line cannot be had.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import select
import socket
import sys
import termios
import time
import tty
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from device_runner import DeviceRunner  # noqa: E402 (beside this file, wherever it is run from)
from patterns import VectorFailed, VectorWrong  # noqa: E402


class NoHands(Exception):
    """The dialogue needs an act at the device, and nobody can do it here."""


class LineBench:
    """A serial port, a pseudo-terminal or a TCP connection; the control socket of a simulated world if there is one.

    Raises OSError when the line cannot be opened, or is lost.
    """

    def __init__(self, line: str, control: str | None) -> None:
        self._socket: socket.socket | None = None
        if line.startswith("tcp:"):
            host, _, port = line.removeprefix("tcp:").rpartition(":")
            self._socket = socket.create_connection((host, int(port)), timeout=10)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket.settimeout(None)
            self._descriptor = self._socket.fileno()
        else:
            self._descriptor = os.open(line, os.O_RDWR | os.O_NOCTTY)
            self._raw()
        self._control = control

    def _raw(self) -> None:
        """115200 8N1 without any editing (LINK-1.1), and nothing left over from before."""
        tty.setraw(self._descriptor)
        mode = termios.tcgetattr(self._descriptor)
        mode[4] = mode[5] = termios.B115200
        termios.tcsetattr(self._descriptor, termios.TCSANOW, mode)
        termios.tcflush(self._descriptor, termios.TCIOFLUSH)

    def close(self) -> None:
        """Give the line back."""
        if self._socket is not None:
            self._socket.close()
        else:
            os.close(self._descriptor)

    def now(self) -> float:
        """Seconds on the monotonic clock."""
        return time.monotonic()

    def write(self, data: bytes) -> None:
        """All bytes, in order."""
        while data:
            data = data[os.write(self._descriptor, data) :]

    def read(self, until: float) -> bytes:
        """Bytes as they come, or none at `until`."""
        ready, _, _ = select.select([self._descriptor], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return b""
        data = os.read(self._descriptor, 4096)
        if not data:
            raise OSError("the line was closed from the other side")
        return data

    def control(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask the world's control socket."""
        if self._control is None:
            raise NoHands(str(request.get("do")))
        with socket.socket(socket.AF_UNIX) as asked:
            asked.settimeout(10)
            asked.connect(self._control)
            asked.sendall(json.dumps(request).encode() + b"\n")
            with asked.makefile("rb") as answers:
                answer: dict[str, Any] = json.loads(answers.readline())
        return answer


def run(vector: dict[str, Any], line: str, control: str | None, slack_ms: int) -> dict[str, Any]:
    """Run one dialogue; return what is printed of it."""
    bench = LineBench(line, control)
    told = {"id": vector["id"], "clauses": vector["clauses"]}
    try:
        runner = DeviceRunner(vector["device"], bench, lambda: secrets.token_bytes(16), slack_ms=slack_ms)
        runner.run(vector["steps"])
    except VectorFailed as failed:
        return told | {"result": "failed", "text": str(failed)}
    except NoHands as missing:
        return told | {"result": "not run", "text": f"needs hands at the device: {missing}"}
    except VectorWrong as wrong:
        return told | {"result": "not run", "text": f"a step before it was left out: {wrong}"}
    finally:
        bench.close()
    return told | {"result": "passed"}


def chosen(device: str, only: str, clause: str | None) -> list[dict[str, Any]]:
    """The dialogues of a device whose id contains `only` and which cite `clause`."""
    vectors = [json.loads(line) for line in (HERE / "dialogues.jsonl").read_text(encoding="ascii").splitlines()]
    fitting = [v for v in vectors if v["role"] == "device" and v["device"] == device and only in v["id"]]
    return [v for v in fitting if clause is None or clause in v["clauses"]]


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="Run conformance dialogues against a device.")
    parser.add_argument("--device", choices=["shoe", "reader"], required=True)
    parser.add_argument("--line", required=True, help="/dev/ttyACM0 or tcp:HOST:PORT")
    parser.add_argument("--control", help="control socket of a simulated world")
    parser.add_argument("--only", default="", help="dialogues whose id contains this text")
    parser.add_argument("--clause", help="dialogues that cite this clause, such as LINK-4.3")
    parser.add_argument("--slack-ms", type=int, default=32, help="what the line delays, added to each time limit")
    asked = parser.parse_args()
    results = []
    for vector in chosen(asked.device, asked.only, asked.clause):
        try:
            told = run(vector, asked.line, asked.control, asked.slack_ms)
        except OSError as lost:
            sys.stderr.write(f"{asked.line}: {lost}. Look at the cable and the name of the port, then run it again.\n")
            return 3
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        results.append(told["result"])
    if not results:
        sys.stderr.write("no dialogue fits --only and --clause\n")
        return 2
    return 0 if "passed" in results and "failed" not in results else 1


if __name__ == "__main__":
    sys.exit(main())
