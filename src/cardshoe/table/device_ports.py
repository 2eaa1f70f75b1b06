"""The table's two device ports, made from its configuration.

Owns which driver is given which device, what is expected at its address, and on which terms it is admitted. Starts
nothing. Must not know rounds.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from cardshoe.clock import Clock
from cardshoe.devices.reader import ReaderDriver
from cardshoe.devices.reader_events import ReaderEvent
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_events import ShoeEvent
from cardshoe.table.admission import Pinned
from cardshoe.table.config import DevicePart, TableConfig
from cardshoe.table.controller import Controller
from cardshoe.table.sealed_devices import SealedDevices
from cardshoe.table.supervisor import DevicePort, Driver, Opener

E = TypeVar("E")


def _nonce() -> bytes:
    return secrets.token_bytes(16)


@dataclass(frozen=True, slots=True)
class PortMaker:
    """Makes the ports of one table; `sealing` holds the keys of its sealed devices."""

    config: TableConfig
    controller: Controller
    sealing: SealedDevices
    clock: Clock
    opener: Opener

    def shoe(self, on_happened: Callable[[ShoeEvent], None]) -> DevicePort[ShoeEvent] | None:
        """Return the shoe's port, None where none is configured."""
        part = self.config.devices.shoe
        if part is None:
            return None
        driver = ShoeDriver(
            expected=self._expected("shoe", part),
            nonce=_nonce,
            consumed_event=self._consumed("shoe"),
            paired=self.sealing.paired("shoe"),
        )
        return self._port("shoe", part, driver, on_happened)

    def reader(self, on_happened: Callable[[ReaderEvent], None]) -> DevicePort[ReaderEvent] | None:
        """Return the table reader's port, None where none is configured."""
        part = self.config.devices.reader
        if part is None:
            return None
        driver = ReaderDriver(
            expected=self._expected("reader", part),
            nonce=_nonce,
            consumed_event=self._consumed("reader"),
            paired=self.sealing.paired("reader"),
        )
        return self._port("reader", part, driver, on_happened)

    def _port(self, name: str, part: DevicePart, driver: Driver[E], on_happened: Callable[[E], None]) -> DevicePort[E]:
        return DevicePort(
            name,
            part.url,
            driver,
            clock=self.clock,
            timing=self.config.timing,
            opener=self.opener,
            on_happened=on_happened,
            terms=self.sealing.terms(name, part),
        )

    def _expected(self, device: str, part: DevicePart) -> Pinned:
        return Pinned(part.url, None, part.serial, lambda: self._must_be(device))

    def _must_be(self, device: str) -> str | None:
        """The serial of the only device that may answer now: while a round is open, the one that it began with."""
        known = self.controller.state.devices.get(device)
        return known.serial if known is not None and self.controller.desk.open_round is not None else None

    def _consumed(self, device: str) -> int | None:
        known = self.controller.state.devices.get(device)
        return known.consumed_event if known is not None else None
