"""The device's event ring: kept until consumed, sent at once and again.

Owns LINK-7.1 to LINK-7.4, LINK-7.7 and LINK-7.8. Must not know what an event means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from cardshoe.sim import wire
from cardshoe.sim.agenda import Entry, Timers
from cardshoe.sim.messages import MESSAGES, Value
from cardshoe.sim.nvram import RING_SIZE, LinkMemory, Store, StoredEvent
from cardshoe.sim.outlet import Outlet

EVENT_REPEAT_S: Final = 0.2
WINDOW: Final = 8
_SLACK_S: Final = 1e-6  # rounding of floats, not a tolerance of the protocol


class EventRing:
    """The ring in `memory`, and what of it has been sent in the present session (0: none)."""

    def __init__(
        self,
        *,
        device: str,
        memory: LinkMemory,
        timers: Timers,
        outlet: Outlet,
        store: Store,
        mutations: frozenset[str],
    ) -> None:
        self._device = device
        self._memory = memory
        self._timers = timers
        self._outlet = outlet
        self._store = store
        self._mutations = mutations
        self._session = 0
        self._frames_sent = 0
        self._sent: dict[int, float] = {}
        self._repeat: Entry | None = None

    @property
    def full(self) -> bool:
        """Tell whether no place is left (LINK-7.7)."""
        return len(self._memory.ring) >= RING_SIZE

    @property
    def held(self) -> int:
        """How many events wait to be consumed."""
        return len(self._memory.ring)

    @property
    def oldest(self) -> int:
        """Id of the oldest event held, last + 1 when none is (LINK-5.11)."""
        return self._memory.ring[0].event_id if self._memory.ring else self._memory.last_event + 1

    def begin_session(self, session: int) -> None:
        """Nothing has been sent in the new session yet; in session 0 nothing is."""
        if self._repeat is not None:
            self._repeat.cancel()
            self._repeat = None
        self._session = session
        self._sent.clear()

    def add(self, name: str, values: Mapping[str, Value], *, uptime_ms: int, unsent: bool = False) -> None:
        """Keep a new event, and send it when all before it have been sent (LINK-7.3, LINK-7.8)."""
        memory = self._memory
        skips = "LINK-7.1" in self._mutations and memory.last_event % 4 == 3
        memory.last_event += 2 if skips else 1
        layout = MESSAGES[self._device][name]
        head: dict[str, Value] = {
            "event_id": memory.last_event,
            "boot_counter": memory.boot_counter,
            "uptime_ms": uptime_ms,
        }
        in_order = not memory.ring or all(event.event_id in self._sent for event in memory.ring)
        event = StoredEvent(memory.last_event, layout.type, layout.pack({**head, **values}))
        memory.ring.append(event)
        if len(memory.ring) > RING_SIZE:
            self._sent.pop(memory.ring.pop(0).event_id, None)
        self._store.touch()
        if self._session and in_order and not unsent:
            self._send(event)
            self._plan_repeat()

    def send_held(self, *, after_hello: bool = False) -> None:
        """Send what has not been sent in this session, oldest first, as far as the window goes."""
        window = self._memory.ring[:WINDOW]
        if after_hello and "LINK-7.8" in self._mutations:
            window.reverse()
        for event in window:
            if event.event_id not in self._sent:
                self._send(event)
        self._plan_repeat()

    def forget(self, consumed: int) -> None:
        """Forget events up to `consumed`; an id that was never given is ignored (LINK-7.4)."""
        memory = self._memory
        if consumed > memory.last_event or consumed < self.oldest:
            return
        memory.ring[:] = [event for event in memory.ring if event.event_id > consumed]
        self._sent = {event_id: at for event_id, at in self._sent.items() if event_id > consumed}
        self._store.touch()

    def _send(self, event: StoredEvent) -> None:
        self._frames_sent = (self._frames_sent + 1) % 256
        self._sent[event.event_id] = self._timers.now
        self._outlet.send(wire.Frame(self._outlet.version, self._session, event.type, self._frames_sent, event.payload))
        if "LINK-7.4" in self._mutations:
            self._memory.ring.remove(event)

    def _plan_repeat(self) -> None:
        if self._repeat is not None:
            self._repeat.cancel()
            self._repeat = None
        if not self._memory.ring or not self._session or "LINK-7.3" in self._mutations:
            return
        now, sent = self._timers.now, self._sent
        first = min([sent.get(event.event_id, now) for event in self._memory.ring[:WINDOW]])
        self._repeat = self._timers.at(first + EVENT_REPEAT_S, self._on_repeat)

    def _on_repeat(self, now: float) -> None:
        for event in self._memory.ring[:WINDOW]:
            sent = self._sent.get(event.event_id)
            if sent is None or now - sent >= EVENT_REPEAT_S - _SLACK_S:
                self._send(event)
        self._plan_repeat()
