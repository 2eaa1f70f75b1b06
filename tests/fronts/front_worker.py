"""The host's side of a front end: runs bodies of the suite with the product's own transports and drivers.

Owns the loop over standard input (`{"body": "deals"}`), one line of JSON for each verdict, and `Desk`, what a body
works with. Runs inside the front end's world: a mount namespace, a preloaded library, a guest. Knows no front end.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, Protocol

import front_bodies  # noqa: F401 — bodies enter themselves
import front_bodies_figures  # noqa: F401
import front_bodies_ports  # noqa: F401
import front_bodies_usb  # noqa: F401
from front_bench import BenchClient
from front_body import BODIES
from front_wrong import MISTAKES

from cardshoe.transport import Transport, UsbUrl, open_transport, parse_device_url
from cardshoe.transport.usb_bulk import open_usb

OPEN_S = 20.0  # a busy machine, or one in emulation; the product's own limit has its own tests


class Asks(Protocol):
    """A bench, near or far."""

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Carry out one request."""


class Desk:
    """What a body works with: the bench, and transports of the product."""

    def __init__(self, bench: Asks, *, backend: Any = None, plugged: Callable[[str], None] | None = None) -> None:
        self._bench = bench
        self._backend = backend
        self._plugged = plugged
        self.figures: dict[str, Any] = {}
        self.features = frozenset(self.ask(front="features")["features"])

    def ask(self, **request: Any) -> dict[str, Any]:
        """Ask the bench; a refusal is a failure."""
        answer = self._bench.ask(request)
        assert answer["ok"], f"{request}: {answer}"
        return answer

    def plug(self, device: str = "shoe") -> None:
        """Plug the device in, and wait until the system shows it."""
        self.ask(front="plug", device=device)
        self._arrived(device)

    def reset(self, **how: Any) -> None:
        """New worlds, everything plugged in."""
        self.ask(front="reset", **how)
        for device in ("shoe", "twin") if how.get("twins") else ("shoe",):
            self._arrived(device)

    def _arrived(self, device: str) -> None:
        if self._plugged is not None:
            self._plugged(device)

    def where(self, device: str = "shoe") -> str:
        """The device URL."""
        return str(self.ask(front="where", device=device)["url"])

    async def open(self, device: str = "shoe") -> Transport:
        """The product's transport at the device."""
        url = parse_device_url(self.where(device))
        if self._backend is not None and isinstance(url, UsbUrl):
            return await open_usb(url, backend=self._backend, within_s=OPEN_S)
        return await open_transport(url, within_s=OPEN_S)

    @property
    def backend(self) -> Any:
        """A pyusb backend, or None for the product's default."""
        return self._backend


def run_body(desk: Desk, name: str) -> dict[str, Any]:
    """Run one body on fresh worlds; what it raised is in the answer."""
    if name == "features":
        return {"body": name, "features": sorted(desk.features)}
    body = BODIES[name]
    missing = body.needs - desk.features
    if missing:
        return {"body": name, "ok": None, "text": f"this front end has no {', '.join(sorted(missing))}"}
    began = time.monotonic()
    desk.figures = {}
    try:
        desk.reset(**body.setup)
        asyncio.run(body.act(desk))
    except Exception:  # noqa: BLE001 — the worker outlives every body
        return {"body": name, "ok": False, "text": traceback.format_exc()}
    return {"body": name, "ok": True, "s": round(time.monotonic() - began, 2), "figures": desk.figures}


def serve(desk: Desk) -> None:
    """Run what standard input asks for, until its end; with the mistake that FRONT_WRONG names, if it names one."""
    if "FRONT_WRONG" in os.environ:
        MISTAKES[os.environ["FRONT_WRONG"]][0]()
    for text in sys.stdin:
        print(json.dumps(run_body(desk, json.loads(text)["body"])), flush=True)


def main() -> None:
    """A worker of its own process; the bench is at FRONT_BENCH."""
    serve(Desk(BenchClient(os.environ["FRONT_BENCH"])))


if __name__ == "__main__":
    main()
