"""Heartbeat, lease and STATUS of one start of a device.

Owns LINK-6.1 to LINK-6.4 as far as they bind a device, and its uptime (LINK-8.2). Must not know frames or sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from cardshoe.sim.agenda import Entry, Timers
from cardshoe.sim.messages import Value
from cardshoe.sim.nvram import LinkMemory

LEASE_MIN_MS: Final = 250
LEASE_MAX_MS: Final = 2000


class Beating(Protocol):
    """What the heartbeat asks of the firmware."""

    def status(self) -> Mapping[str, Value]:
        """Return the device's fields of STATUS."""

    def lease_lost(self) -> None:
        """The lease has run out."""

    def lease_renewed(self) -> None:
        """A heartbeat has come."""


class Heartbeat:
    """The lease and what STATUS tells. `firmware` is asked for when it is needed: it is made after this."""

    def __init__(
        self,
        *,
        timers: Timers,
        memory: LinkMemory,
        firmware: Callable[[], Beating],
        mutations: frozenset[str],
    ) -> None:
        self._timers = timers
        self._memory = memory
        self._firmware = firmware
        self._mutations = mutations
        self._booted_at = timers.now
        self._lease_until: float | None = None
        self._lease_entry: Entry | None = None
        self._old_status: dict[str, Value] | None = None

    @property
    def uptime_ms(self) -> int:
        """Milliseconds since the start, in 32 bits (LINK-8.2)."""
        return int((self._timers.now - self._booted_at) * 1000) & 0xFFFFFFFF

    @property
    def lease_valid(self) -> bool:
        """Tell whether the device may move now (LINK-6.3)."""
        return self._lease_until is not None and self._timers.now < self._lease_until

    def new_session(self) -> None:
        """Nothing of the session before is told again; the lease belongs to time and stays."""
        self._old_status = None

    def beat(self, wanted_ms: int) -> dict[str, Value]:
        """Renew the lease and return the STATUS that answers (LINK-6.1, LINK-6.3)."""
        lease_ms = max(LEASE_MIN_MS, min(LEASE_MAX_MS, wanted_ms))
        self._lease_until = self._timers.now + lease_ms / 1000.0
        if self._lease_entry is not None:
            self._lease_entry.cancel()
        self._lease_entry = self._timers.at(self._lease_until, lambda _: self._firmware().lease_lost())
        status = self._status()
        if "LINK-6.2" in self._mutations:
            status, self._old_status = self._old_status or status, status
        return status

    def _status(self) -> dict[str, Value]:
        left_s = 0.0 if self._lease_until is None else self._lease_until - self._timers.now
        memory = self._memory
        return {
            "boot_counter": memory.boot_counter,
            "uptime_ms": self.uptime_ms,
            "last_event": memory.last_event,
            "held_events": len(memory.ring),
            "lease_left_ms": max(0, round(left_s * 1000)),
            **self._firmware().status(),
        }
