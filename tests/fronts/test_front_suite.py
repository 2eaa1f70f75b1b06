"""One suite on every front end: the same bodies through a pyusb backend, libusb, udev, a UART, a paced pty.

What a front end cannot show is not asked of it: the list of pairs is made of what both declare, so nothing is skipped
but for want of a kernel feature. Promise P10; field reports FR-01 to FR-38 as each body names them.
"""

from __future__ import annotations

import pytest
from front_bodies import BODIES
from front_kit import FrontProcess

FEATURES = {
    "backend": {"usb", "packets", "access", "kernel driver", "busy", "claims"},
    "usbfs": {"usb", "packets", "access", "kernel driver", "busy", "claims"},
    "umockdev": {"usb"},
    "tty": {"line", "busy", "modem"},
    "pty": {"busy", "paced"},
}
LONG = {"opened_and_closed_a_thousand_times"}


def pairs() -> list[object]:
    """Every front end with every body that it can show."""
    return [
        pytest.param(kind, name, id=f"{kind}-{name}", marks=[pytest.mark.nightly] if name in LONG else [])
        for kind, features in FEATURES.items()
        for name, body in BODIES.items()
        if body.needs <= features
    ]


@pytest.mark.parametrize(("front", "body"), pairs(), indirect=["front"], scope="session")
def test_body(front: FrontProcess, body: str) -> None:
    """LINK-1.1, LINK-1.2, P1, P10."""
    verdict = front.run(body)
    assert verdict["ok"] is True, verdict["text"]
    if verdict["figures"]:
        print(f"{front.kind} {body}: {verdict['figures']}")
