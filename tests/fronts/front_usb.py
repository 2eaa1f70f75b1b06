"""What all USB front ends share: who is plugged in where, and the troubles of an endpoint.

Owns the plugged devices, their addresses (a replug takes a new one) and the requests about them. Must not know how
transfers come and go: a subclass submits them and is told when they are done.
"""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from front_bench import Front
from usb_model import BULK_PRODUCT, VENDOR_ID, AcmDevice, BulkDevice, Schedule, Transfer, Trouble, UsbModel


@dataclass(eq=False)
class Plugged:
    """A device in its socket: `drivers` holds the kernel's drivers by interface, `claims` who has one."""

    model: UsbModel
    schedule: Schedule
    number: int
    place: int
    drivers: dict[int, str] = field(default_factory=dict)
    detached: dict[int, str] = field(default_factory=dict)
    claims: dict[int, Any] = field(default_factory=dict)


class UsbFront(Front):
    """See the module."""

    features = frozenset({"usb", "packets", "twins"})
    acm = False

    def __init__(self, lock: threading.RLock) -> None:
        super().__init__(lock)
        self.changed = threading.Condition(lock)
        self.plugged: dict[str, Plugged] = {}
        self.denied = False
        self._numbers = 1
        self._serials: dict[str, str] = {}

    def plug(self, name: str, serial_number: str, put: Callable[[bytes], None], opened: Callable[[], None]) -> None:
        """Show the device at a new address."""
        if name in self.plugged:
            return
        model = AcmDevice(serial_number) if self.acm else BulkDevice(serial_number)
        self._numbers = self._numbers % 126 + 1
        place = {"shoe": 1, "twin": 2}[name]
        plugged = Plugged(model, Schedule(model), self._numbers, place, {} if self.acm else {0: "usbhid"})
        model.to_device = put
        model.on_data = lambda: self.advance(plugged)
        self._serials[name] = serial_number
        self.plugged[name] = plugged
        self.shown(plugged)

    def unplug(self, name: str) -> None:
        """End what waits, and hide the device."""
        plugged = self.plugged.pop(name, None)
        if plugged is None:
            return
        plugged.schedule.gone = True
        self.advance(plugged)
        self.hidden(plugged)

    def deliver(self, name: str, data: bytes) -> None:
        """Into the device's IN endpoint."""
        if name in self.plugged:
            self.plugged[name].model.from_device(data)

    def where(self, name: str) -> str:
        """By its number, plugged in or not."""
        return f"usb://{VENDOR_ID:04x}:{BULK_PRODUCT:04x}/{self._serials[name]}"

    def advance(self, plugged: Plugged) -> None:
        """Complete what can be completed."""
        with self.lock:
            done = plugged.schedule.run()
            if done:
                self.finish(plugged, done)

    @abstractmethod
    def finish(self, plugged: Plugged, transfers: list[Transfer]) -> None:
        """These transfers are done."""

    def shown(self, plugged: Plugged) -> None:
        """The device is there."""

    def hidden(self, plugged: Plugged) -> None:
        """The device is gone."""

    def request(self, what: str, device: str, values: dict[str, Any]) -> dict[str, Any]:
        """Endpoint troubles, permissions, kernel drivers."""
        match what:
            case "trouble":
                self._trouble(self.plugged[device], values)
            case "access":
                self.denied = values["denied"]
            case "driver":
                self.plugged[device].drivers[1] = values["name"]
            case "drivers":
                return {"drivers": {str(n): name for n, name in sorted(self.plugged[device].drivers.items())}}
            case "claims":
                return {"claims": len(self.plugged[device].claims)}
            case "echo":
                model = self.plugged[device].model
                model.to_device = lambda data: model.from_device(data[::-1])
            case "log":
                return {"log": getattr(self.plugged[device].model, "log", [])}
            case "line error":
                self.plugged[device].model.line_error()
            case _:
                return super().request(what, device, values)
        return {}

    def _trouble(self, plugged: Plugged, values: dict[str, Any]) -> None:
        trouble = plugged.model.trouble
        if values.pop("mend", False):
            plugged.model.trouble = Trouble()
        if "halt" in values:
            trouble.halted.add(values.pop("halt"))
        if "broken" in values:
            trouble.broken.add(values.pop("broken"))
        for key, value in values.items():
            setattr(trouble, key, value)
        self.advance(plugged)
