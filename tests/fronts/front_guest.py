"""`python front_guest.py usbfs | acm`: the suite in a guest whose kernel has the device by USB/IP.

Owns the host's side: the front end, the guest, and the passing of bodies and verdicts between standard input and the
worker in the guest.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from front_bench import Bench, BenchServer
from front_usbip import UsbIpFront
from guest_image import boot, make_image

import cardshoe

HERE = Path(__file__).parent
BOOT_S = 400.0


def reached(jobs: socket.socket, guest: subprocess.Popen[bytes]) -> socket.socket:
    """Wait for the guest's worker. Raises TimeoutError when it does not come or has ended."""
    jobs.settimeout(1.0)
    deadline = time.monotonic() + BOOT_S
    while time.monotonic() < deadline and guest.poll() is None:
        try:
            line, _ = jobs.accept()
        except TimeoutError:
            continue
        line.settimeout(None)
        return line
    raise TimeoutError(f"the guest did not come up (status {guest.poll()})")


def main() -> int:
    """Boot, pass on, end."""
    with contextlib.suppress(PermissionError):
        os.nice(-10)  # emulation is slow, and link-v1 loses a device that is silent for a second
    tree = Path(os.environ["CARDSHOE_GUEST_KERNEL"])
    front = UsbIpFront(threading.RLock(), acm=sys.argv[1] == "acm")
    server = BenchServer(Bench(front), ("127.0.0.1", 0))
    with tempfile.TemporaryDirectory() as directory, socket.create_server(("127.0.0.1", 0)) as jobs:
        image = Path(directory) / "image.gz"
        make_image(tree, image)
        source = Path(cardshoe.__file__).parents[1]
        told = {
            "script": str(HERE / "guest_worker.py"),
            "python": sys.executable,
            "source": str(source),
            "rules": str(source / "cardshoe/cli/udev/60-cardshoe.rules"),
            "bench": str(server.address[1]),
            "jobs": str(jobs.getsockname()[1]),
            "usbip": str(front.port),
        }
        guest = boot(tree, image, told)
        try:
            line = reached(jobs, guest)
            with line, line.makefile("rw", encoding="utf-8") as stream:
                for text in sys.stdin:
                    stream.write(text)
                    stream.flush()
                    print(stream.readline(), end="", flush=True)
        finally:
            guest.kill()
            guest.wait()
    return 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
