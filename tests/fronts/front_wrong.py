"""Wrong drivers, on purpose: what the suite must catch, each as small as the mistake that a person makes.

Owns the mistakes, by name, put into the product's code inside a worker's process only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cardshoe.transport import usb_session
from cardshoe.transport.usb_library import loaded_backend
from cardshoe.transport.usb_session import UsbSession


def _nothing(*_: Any) -> None:
    return


def one_context() -> None:
    """One list of devices for the life of the process."""
    usb_session.fresh_backend = loaded_backend  # type: ignore[assignment]


def stall_left() -> None:
    """The halt of an endpoint is not cleared."""
    UsbSession.clear_in = _nothing  # type: ignore[assignment,method-assign]


def driver_kept() -> None:
    """The kernel's driver is not given back."""
    right = UsbSession.release

    def release(self: UsbSession) -> None:
        self._detached = False
        right(self)

    UsbSession.release = release  # type: ignore[method-assign]


def claim_kept() -> None:
    """The interface and the handle stay taken."""
    UsbSession.release = _nothing  # type: ignore[assignment,method-assign]


def first_of_a_kind() -> None:
    """The serial number is not looked at."""
    usb_session._serial_number = lambda device: "SIM-S-3580AA83"


MISTAKES: dict[str, tuple[Callable[[], None], str]] = {
    "one context": (one_context, "plugged_in_again_ten_times"),
    "stall left": (stall_left, "a_stall_is_cleared_once"),
    "driver kept": (driver_kept, "the_kernels_driver_comes_back"),
    "claim kept": (claim_kept, "opened_and_closed_thirty_times"),
    "first of a kind": (first_of_a_kind, "twins_are_told_apart"),
}
"""The mistake, and the body that must fail of it."""
