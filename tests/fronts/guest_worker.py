"""The worker inside the guest: attaches what the bench plugs in to the kernel's own USB, then runs bodies.

Owns the guest's side of `usbip attach` (no tool is needed: import over TCP, then the socket goes to vhci_hcd) and the
waiting for the kernel and udev. Arguments: the host's ports of bench, bodies and USB/IP.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from front_bench import BenchClient
from front_worker import Desk, serve

HOST = "10.0.2.2"
VHCI = Path("/sys/devices/platform/vhci_hcd.0")
FREE, SUPER_SPEED = "004", 5
PLACES = {"shoe": "1-1", "twin": "1-2"}
APPEARS_S = 20.0


class Attaching:
    """Brings a plugged device into this kernel."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.desk: Desk | None = None

    def __call__(self, device: str) -> None:
        """Attach, and wait until its node is there; a name of before must have gone first."""
        assert self.desk is not None
        told = self.desk.ask(front="where", device=device)
        url = str(told["url"])
        port = url.removeprefix("serial://") if url.startswith("serial://") else None
        self._until(lambda: port is None or not os.path.lexists(port), f"{url} stays")
        place = self._import(PLACES[device])
        self._until(lambda: _there(place, port, told["outside"]), f"{url} does not come")

    @staticmethod
    def _until(there: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + APPEARS_S
        while not there():
            assert time.monotonic() < deadline, what
            time.sleep(0.01)

    def _import(self, busid: str) -> int:
        """Attach; return the place on the virtual hub."""
        line = socket.create_connection((HOST, self._port))
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.sendall(struct.pack("!HHI32s", 0x0111, 0x8003, 0, busid.encode()))
        _, _, refused = struct.unpack("!HHI", line.recv(8, socket.MSG_WAITALL))
        assert not refused, f"the host has no {busid}"
        bus, number, speed = struct.unpack_from("!III", line.recv(312, socket.MSG_WAITALL), 288)
        rows = [row.split() for row in (VHCI / "status").read_text().splitlines()[1:]]
        free = next(int(row[1]) for row in rows if row[2] == FREE and (row[0] == "ss") == (speed >= SUPER_SPEED))
        (VHCI / "attach").write_text(f"{free} {line.fileno()} {bus << 16 | number} {speed}")
        line.close()
        return free + 1


def _there(place: int, port: str | None, number: str) -> bool:
    if port is not None:
        return os.access(port, os.R_OK)
    for path in Path("/sys/bus/usb/devices").glob(f"*-{place}"):
        try:
            bus, address = (int((path / name).read_text()) for name in ("busnum", "devnum"))
            return (path / "serial").read_text().strip() == number and os.path.exists(
                f"/dev/bus/usb/{bus:03d}/{address:03d}"
            )
        except OSError:  # it comes while we look
            continue
    return False


def start_udev() -> None:
    """The distribution's own udev, with the product's rules."""
    os.makedirs("/run/udev/rules.d", exist_ok=True)
    rules = Path(os.environ["FRONT_RULES"])
    if rules.exists():
        shutil.copy(rules, "/run/udev/rules.d/")
    subprocess.run(["/lib/systemd/systemd-udevd", "--daemon"], check=True)


def main() -> None:
    """Serve bodies from the host until it hangs up."""
    bench, jobs, usbip = (int(text) for text in sys.argv[1:])
    start_udev()
    attaching = Attaching(usbip)
    desk = Desk(BenchClient((HOST, bench)), plugged=attaching)
    attaching.desk = desk
    with socket.create_connection((HOST, jobs)) as line, line.makefile("rw", encoding="utf-8") as stream:
        sys.stdin, said = stream, sys.stdout
        sys.stdout = stream
        try:
            serve(desk)
        finally:
            sys.stdout = said


if __name__ == "__main__":
    main()
