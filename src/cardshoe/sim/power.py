"""The box around a device: its power switch, what happens at a start, and where a power cut is caught.

Owns boot counting (LINK-5.10) and the end of everything volatile. Must not know what the firmware does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from cardshoe.sim.agenda import Agenda, Timers
from cardshoe.sim.attesting import Measured
from cardshoe.sim.keys import KeyMemory
from cardshoe.sim.link import DeviceLink, Firmware
from cardshoe.sim.nvram import LinkMemory, Store
from cardshoe.sim.sessions import Identity


class BootCause(IntEnum):
    """Why a device starts (SHOE-8.5)."""

    POWER_ON = 1
    RESET = 2
    WATCHDOG = 3


@dataclass(frozen=True, slots=True)
class CutPlan:
    """What follows a cut: a reset starts again at once, a power cut after `on_after_s` or when someone says so."""

    reset: bool
    on_after_s: float | None = None


class PowerCut(Exception):
    """Raised inside firmware when the power goes in the middle of its work."""

    def __init__(self, plan: CutPlan) -> None:
        super().__init__("power cut")
        self.plan = plan


class BootedFirmware(Firmware, Protocol):
    """Firmware that can be started."""

    def boot(self, cause: BootCause) -> None:
        """Look around, report, and begin to serve."""


MakeFirmware = Callable[[DeviceLink, Timers], BootedFirmware]


class Box:
    """One device with its power switch. `make` builds firmware for a start; `halt` stops its motor."""

    def __init__(
        self,
        *,
        identity: Identity,
        agenda: Agenda,
        speed: float,
        memory: LinkMemory,
        keys: KeyMemory,
        measured: Measured,
        store: Store,
        nonce: Callable[[], bytes],
        secret: Callable[[], bytes],
        send: Callable[[bytes], None],
        mutations: frozenset[str],
        make: MakeFirmware,
        halt: Callable[[], None],
    ) -> None:
        self.identity = identity
        self._agenda = agenda
        self._memory = memory
        self.keys = keys
        self.measured = measured
        self._store = store
        self._nonce = nonce
        self._secret = secret
        self._send = send
        self._mutations = mutations
        self._make = make
        self._halt = halt
        self._timers = Timers(agenda, speed=speed, guard=self.guard)
        self._wall = Timers(agenda, speed=1.0)
        self._commands_before = 0
        self.link: DeviceLink | None = None
        self.starts = 0

    @property
    def powered(self) -> bool:
        """Tell whether the device has power."""
        return self.link is not None

    @property
    def commands_seen(self) -> int:
        """Command frames that have reached the device since the world began."""
        return self._commands_before + (self.link.commands_seen if self.link is not None else 0)

    def power_on(self, cause: BootCause) -> None:
        """Start the firmware, if it does not run."""
        self._wall.drop_all()
        if self.link is not None:
            return
        self.starts += 1
        if self.starts == 1 or "LINK-5.10" not in self._mutations:
            self._memory.boot_counter += 1
        self._store.touch()
        link = DeviceLink(
            identity=self.identity,
            memory=self._memory,
            keys=self.keys,
            measured=self.measured,
            timers=self._timers,
            nonce=self._nonce,
            secret=self._secret,
            send=self._send,
            store=self._store,
            mutations=self._mutations,
        )
        self.link = link
        firmware = self._make(link, self._timers)
        link.firmware = firmware
        self.guard(firmware.boot, cause)

    def power_off(self) -> None:
        """End everything that needs power."""
        self._wall.drop_all()
        self._commands_before = self.commands_seen
        self._timers.drop_all()
        self.link = None
        self._halt()

    def forget_keys(self) -> None:
        """The button inside the door was held for 10 s: the device is as it was when it was new (LINK-11.7)."""
        self.keys.forget_all()
        self._store.touch()
        if self.link is not None and self.link.sessions.sealed:
            self.link.sessions.end()

    def reset(self, cause: BootCause) -> None:
        """Start again at once. A device without power stays as it is."""
        if self.link is not None:
            self.power_off()
            self.power_on(cause)

    def receive(self, data: bytes) -> None:
        """Take bytes from the line; without power nobody listens."""
        link = self.link
        if link is not None:
            self.guard(link.receive, data)

    def guard(self, work: Callable[..., None], *given: object) -> None:
        """Do firmware's work with what is `given`; if the power goes in its middle, carry out the cut."""
        try:
            work(*given)
        except PowerCut as cut:
            self._carry_out(cut.plan)

    def _carry_out(self, plan: CutPlan) -> None:
        if plan.reset:
            self.reset(BootCause.RESET)
            return
        self.power_off()
        if plan.on_after_s is not None:
            self._wall.at(self._agenda.now + plan.on_after_s, lambda _: self.power_on(BootCause.POWER_ON))
