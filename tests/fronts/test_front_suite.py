"""One suite on every front end: the same bodies through a pyusb backend, libusb, udev, a UART, a paced pty.

What a front end cannot show is not asked of it: the list of pairs is made of what both declare, so nothing is skipped
but for want of a kernel feature. Promise P10; field reports FR-01 to FR-38 as each body names them.
"""

from __future__ import annotations

import pytest
from front_kit import FrontProcess
from front_worker import BODIES

USB = {"usb", "packets", "twins", "busy", "counters"}
OURS = {"access", "kernel driver", "claims", "quick", "partial"}
FEATURES = {
    "backend": USB | OURS,
    "usbfs": USB | OURS | {"system"},
    "umockdev": {"usb", "counters"},
    "tty": {"line", "busy", "modem", "twins", "counters"},
    "pty": {"busy", "paced", "twins", "counters"},
    "firmware-host": {"busy"},
    "firmware-avr": {"busy"},
    "firmware-arm": {"busy"},
    "guest-usbfs": USB | {"guest", "system"},
    "guest-acm": {"twins", "busy", "guest", "acm", "system", "counters"},
}
NIGHTLY = {"guest-usbfs", "guest-acm", "firmware-arm"}
LONG = {"opened_and_closed_a_thousand_times", "twenty_thousand_round_trips", "round_trips_at_the_speed_of_the_line"}


def pairs() -> list[object]:
    """Every front end with every body that it can show."""
    return [
        pytest.param(kind, name, id=f"{kind}-{name}", marks=_marks(kind, name))
        for kind, features in FEATURES.items()
        for name, body in BODIES.items()
        if body.needs <= features and not (name in LONG and kind in NIGHTLY)
    ]


def _marks(kind: str, name: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.nightly, pytest.mark.timeout(900)] if kind in NIGHTLY or name in LONG else []


@pytest.mark.parametrize(("front", "body"), pairs(), indirect=["front"], scope="session")
def test_body(front: FrontProcess, body: str, capsys: pytest.CaptureFixture[str]) -> None:
    """LINK-1.1, LINK-1.2, P1, P10."""
    verdict = front.run(body)
    assert verdict["ok"] is True, verdict["text"]
    if verdict["figures"]:
        with capsys.disabled():
            print(f"\n{front.kind} {body}: {verdict['figures']}")


KINDS = [pytest.param(kind, marks=_marks(kind, "")) for kind in FEATURES]


@pytest.mark.parametrize("front", KINDS, indirect=True, scope="session")
def test_the_list_of_features_is_what_the_front_end_says(front: FrontProcess) -> None:
    """Nothing is left out in silence."""
    assert set(front.run("features")["features"]) == FEATURES[front.kind]
