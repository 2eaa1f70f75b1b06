"""`python front_host.py KIND`: a front end as a process, with the worker of the suite in it.

Owns the choice of the front end and who is whose parent: the worker is this process's child, so that its memory may be
read (Yama), or this process itself where the front end is a library. Standard input and output are the worker's.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from front_bench import Bench, BenchServer, Front

HERE = Path(__file__).parent


def worker(front: Front, told: dict[str, str] | None = None) -> int:
    """Serve the bench to a worker of its own process; its exit status."""
    with tempfile.TemporaryDirectory() as directory:
        bench = Bench(front)
        server = BenchServer(bench, f"{directory}/bench")
        environment = os.environ | {"FRONT_BENCH": server.address} | (told or {})
        status = subprocess.call([sys.executable, str(HERE / "front_worker.py")], env=environment)
        bench.close()
        front.close()
        return status


def backend(lock: Any) -> int:
    """The pyusb backend: bench and worker are one process."""
    front = _class("front_backend", "BackendFront")(lock)
    make_backend = _class("front_backend", "ModelBackend")
    run = importlib.import_module("front_worker")
    run.serve(run.Desk(Bench(front), backend=make_backend(front)))
    return 0


def pty(lock: Any) -> int:
    """A pty at the speed of a line."""
    return worker(_class("front_pty", "PtyFront")(lock))


def firmware(lock: Any) -> int:
    """The reference firmware behind a pty; its own line has the speed that it has."""
    return worker(_class("front_pty", "PtyFront")(lock, paced=False))


def usbfs(lock: Any) -> int:
    """usbfs from user space."""
    return worker(_class("front_usbfs", "Usbfs")(lock))


def tty(lock: Any) -> int:
    """A UART from user space."""
    return worker(_class("front_tty", "TtyFront")(lock))


def _class(module: str, name: str) -> Any:
    """Loaded when asked for: one front end does not need what another needs."""
    return getattr(importlib.import_module(module), name)


KINDS = {"backend": backend, "pty": pty, "firmware": firmware, "usbfs": usbfs, "tty": tty}


def main() -> None:
    """Run one front end until its worker ends."""
    status = KINDS[sys.argv[1]](threading.RLock())
    sys.stdout.flush()
    os._exit(status)  # threads may sit in read(2) of something that nobody writes to any more


if __name__ == "__main__":
    main()
