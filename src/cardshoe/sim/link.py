"""The device's side of link-v1: sessions, commands once only, heartbeat and lease.

Owns LINK-4 to LINK-6 and LINK-8 as far as they bind a device. Must not know what the messages of a device mean: that
is the firmware's, met through `Firmware`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from cardshoe.sim import wire
from cardshoe.sim.agenda import Entry, Timers
from cardshoe.sim.events import EventRing
from cardshoe.sim.messages import MESSAGES, SPEC_HASHES, Layout, Value, layout_of
from cardshoe.sim.nvram import RING_SIZE, LinkMemory, Store
from cardshoe.sim.outlet import Outlet

HELLO: Final = 0x01
HEARTBEAT: Final = 0x02
EVENT_ACK: Final = 0x03
COMMANDS: Final = range(0x10, 0x40)
EVENTS: Final = range(0x60, 0x80)
REPLY_BIT: Final = 0x80

NO_SESSION, UNKNOWN_TYPE, WRONG_LENGTH, WRONG_SEQUENCE, NOT_ALLOWED, BAD_VALUE = range(1, 7)
OK, WRONG_SPEC_HASH, PURPOSE_UNAVAILABLE, SECURITY_UNAVAILABLE, BUSY = range(5)
PURPOSE_DEAL, PURPOSE_SERVICE = range(2)

LEASE_MIN_MS: Final = 250
LEASE_MAX_MS: Final = 2000
LATE_REPLY_S: Final = 0.4  # of the device that breaks LINK-4.2


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the device is, as HELLO_REPLY tells it (LINK-5.3). `device` is "shoe" or "reader"."""

    device: str
    kind: int
    model: str
    serial: str
    firmware: str
    capabilities: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A command's reply; `then` is done after the reply has been handed to the line (SHOE-3.2)."""

    name: str
    values: Mapping[str, Value]
    then: Callable[[], None] | None = None


class Firmware(Protocol):
    """What the link asks of the firmware above it."""

    @property
    def starting(self) -> bool:
        """Tell whether the device is still starting."""

    def holds_live_deck(self) -> bool:
        """Tell whether a service session must be refused (LINK-5.8)."""

    def allowed(self, name: str, *, service: bool) -> bool:
        """Tell whether a command belongs to the session's purpose (LINK-4.8)."""

    def command(self, name: str, values: Mapping[str, Value]) -> Reply | int:
        """Carry out a command: its reply, or the reason of a REJECT."""

    def status(self) -> Mapping[str, Value]:
        """Return the device's fields of STATUS."""

    def lease_lost(self) -> None:
        """The lease has run out."""

    def lease_renewed(self) -> None:
        """A heartbeat has come."""


class DeviceLink:
    """One start of a device's link; what outlives it is in `LinkMemory`. `firmware` is set right after making it."""

    firmware: Firmware

    def __init__(
        self,
        *,
        identity: Identity,
        memory: LinkMemory,
        timers: Timers,
        nonce: Callable[[], bytes],
        send: Callable[[bytes], None],
        store: Store,
        mutations: frozenset[str],
    ) -> None:
        device = identity.device
        self._identity = identity
        self._memory = memory
        self._timers = timers
        self._nonce = nonce
        self._store = store
        self._mutations = mutations
        self._outlet = Outlet(device=device, timers=timers, send=send, spoil="LINK-2.4" in mutations)
        self.events = EventRing(
            device=device, memory=memory, timers=timers, outlet=self._outlet, store=store, mutations=mutations
        )
        self._deframer = wire.Deframer()
        self._booted_at = timers.now
        self.commands_seen = 0
        self.session = 0
        self._service = False
        self._host_nonce: Value = b""
        self._device_nonce = b""
        self._kept: tuple[wire.Frame, wire.Frame] | None = None
        self._next_sequence = 1
        self._lease_until: float | None = None
        self._lease_entry: Entry | None = None
        self._old_status: dict[str, Value] | None = None

    def raise_event(self, name: str, values: Mapping[str, Value], *, unsent: bool = False) -> None:
        """Report an event: kept until the host has consumed it. `unsent` keeps it only (a power cut just then)."""
        self.events.add(name, values, uptime_ms=self._uptime_ms(), unsent=unsent)

    # --- what comes in

    def receive(self, data: bytes) -> None:
        """Take bytes from the line."""
        for frame in self._deframer.feed(data):
            self._on_frame(frame)

    def _on_frame(self, frame: wire.Frame) -> None:
        if frame.type >= REPLY_BIT or frame.type in EVENTS:
            return  # only devices send these: never answered (LINK-4.9)
        if frame.type in COMMANDS:
            self.commands_seen += 1
        if frame.type == HELLO and frame.session == 0:
            self._on_hello(frame)
        elif frame.type == HELLO or self._strange(frame):
            if frame.type != EVENT_ACK:  # dropped without a word (LINK-5.6)
                self._reject(frame, NO_SESSION)
        else:
            self._on_session_frame(frame)

    def _strange(self, frame: wire.Frame) -> bool:
        return self.session == 0 or (frame.session != self.session and not self._broken("LINK-5.6"))

    def _on_session_frame(self, frame: wire.Frame) -> None:
        if frame.type in COMMANDS:
            self._on_command(frame)
        elif frame.type == HEARTBEAT:
            self._on_heartbeat(frame)
        elif frame.type == EVENT_ACK:
            self._on_ack(frame)
        else:
            self._reject(frame, UNKNOWN_TYPE)

    def _values(self, layout: Layout, frame: wire.Frame) -> dict[str, Value] | None:
        payload = frame.payload
        if self._broken("LINK-2.8") and len(payload) == layout.size + 1:
            payload = payload[:-1]
        return layout.unpack(payload) if len(payload) == layout.size else None

    # --- sessions

    def _on_hello(self, frame: wire.Frame) -> None:
        values = self._values(MESSAGES[self._identity.device]["HELLO"], frame)
        if values is None:
            self._reject(frame, WRONG_LENGTH)
            return
        result = self._judge_hello(values)
        if result == OK:
            if not self._same_hello(values) or self._broken("LINK-5.5"):
                self._begin_session(values)
            if not self._broken("LINK-5.11"):
                self.events.forget(number(values["consumed_event"]))
        reply = self._hello_reply(result, values["host_nonce"])
        self._outlet.send(self._outlet.frame("HELLO_REPLY", frame.sequence, reply, session=0))
        if result == OK:
            self.events.send_held(after_hello=True)

    def _same_hello(self, values: Mapping[str, Value]) -> bool:
        return self.session != 0 and values["host_nonce"] == self._host_nonce

    def _judge_hello(self, values: Mapping[str, Value]) -> int:
        if self.firmware.starting:
            return BUSY
        if values["spec_hash"] != SPEC_HASHES[self._identity.device] and not self._broken("LINK-5.3"):
            return WRONG_SPEC_HASH
        if self._same_hello(values):
            return OK  # the same answer, whatever has changed since (LINK-5.5)
        purpose = values["purpose"]
        if purpose not in {PURPOSE_DEAL, PURPOSE_SERVICE}:
            return PURPOSE_UNAVAILABLE
        if purpose == PURPOSE_SERVICE and self.firmware.holds_live_deck():
            return PURPOSE_UNAVAILABLE
        return OK if values["security"] == 0 else SECURITY_UNAVAILABLE

    def _begin_session(self, values: Mapping[str, Value]) -> None:
        memory = self._memory
        if memory.session_number == 0 or not self._broken("LINK-5.4"):
            memory.session_number = memory.session_number % 255 + 1
        self._store.touch()
        self.session = memory.session_number
        self._service = values["purpose"] == PURPOSE_SERVICE
        self._host_nonce = values["host_nonce"]
        self._device_nonce = self._nonce()
        self._kept = None
        self._next_sequence = 1
        self._old_status = None
        self.events.begin_session(self.session)

    def _hello_reply(self, result: int, nonce: Value) -> dict[str, Value]:
        identity = self._identity
        return {
            "result": result,
            "host_nonce": nonce,
            "device_nonce": self._device_nonce if result == OK else self._nonce(),
            "spec_hash": SPEC_HASHES[identity.device],
            "session": self.session if result == OK else 0,
            "device_kind": identity.kind,
            "model": identity.model,
            "serial": identity.serial,
            "firmware": identity.firmware,
            "boot_counter": self._memory.boot_counter,
            "ring_size": RING_SIZE,
            "capabilities": identity.capabilities,
            "oldest_event": self.events.oldest,
            "last_event": self._memory.last_event,
        }

    # --- commands

    def _on_command(self, frame: wire.Frame) -> None:
        kept = self._kept
        repeated = kept is not None and frame.sequence == kept[0].sequence
        if kept is not None and repeated and not self._broken("LINK-4.3"):
            if (kept[0].type, kept[0].payload) == (frame.type, frame.payload):
                self._outlet.send(kept[1])
            else:
                self._reject(frame, WRONG_SEQUENCE)
            return
        if frame.sequence != self._next_sequence and not repeated and not self._broken("LINK-4.4"):
            self._reject(frame, WRONG_SEQUENCE)
            return
        result = self._carried_out(frame)
        if isinstance(result, int):
            self._reject(frame, result)
        else:
            self._answer(frame, result)

    def _carried_out(self, frame: wire.Frame) -> Reply | int:
        layout = layout_of(self._identity.device, frame.type)
        if layout is None:
            return UNKNOWN_TYPE
        values = self._values(layout, frame)
        if values is None:
            return WRONG_LENGTH
        if not self.firmware.allowed(layout.name, service=self._service):
            return NOT_ALLOWED
        return self.firmware.command(layout.name, values)

    def _answer(self, frame: wire.Frame, reply: Reply) -> None:
        answer = self._outlet.frame(reply.name, frame.sequence, reply.values, session=self.session)
        self._kept = (frame, answer)
        self._next_sequence = (frame.sequence + 1) % 256
        if self._broken("LINK-4.2"):
            self._timers.at(self._timers.now + LATE_REPLY_S, lambda _: self._outlet.send(answer))
        else:
            self._outlet.send(answer)
        if reply.then is not None:
            reply.then()

    def _reject(self, frame: wire.Frame, reason: int) -> None:
        payload: dict[str, Value] = {"reason": reason, "rejected_type": frame.type}
        self._outlet.send(self._outlet.frame("REJECT", frame.sequence, payload, session=frame.session))

    # --- heartbeat, lease, acknowledgement

    @property
    def lease_valid(self) -> bool:
        """Tell whether the device may move now (LINK-6.3)."""
        return self._lease_until is not None and self._timers.now < self._lease_until

    def _on_heartbeat(self, frame: wire.Frame) -> None:
        values = self._values(MESSAGES[self._identity.device]["HEARTBEAT"], frame)
        if values is None:
            self._reject(frame, WRONG_LENGTH)
            return
        lease_ms = max(LEASE_MIN_MS, min(LEASE_MAX_MS, number(values["lease_ms"])))
        self._lease_until = self._timers.now + lease_ms / 1000.0
        if self._lease_entry is not None:
            self._lease_entry.cancel()
        self._lease_entry = self._timers.at(self._lease_until, lambda _: self.firmware.lease_lost())
        status = self._status()
        if self._broken("LINK-6.2"):
            status, self._old_status = self._old_status or status, status
        self._outlet.send(self._outlet.frame("STATUS", frame.sequence, status, session=self.session))
        self.firmware.lease_renewed()

    def _status(self) -> dict[str, Value]:
        left_s = 0.0 if self._lease_until is None else self._lease_until - self._timers.now
        return {
            "boot_counter": self._memory.boot_counter,
            "uptime_ms": self._uptime_ms(),
            "last_event": self._memory.last_event,
            "held_events": self.events.held,
            "lease_left_ms": max(0, round(left_s * 1000)),
            **self.firmware.status(),
        }

    def _on_ack(self, frame: wire.Frame) -> None:
        values = self._values(MESSAGES[self._identity.device]["EVENT_ACK"], frame)
        if values is not None:  # never answered, not even a spoilt one (LINK-7.4)
            self.events.forget(number(values["consumed_event"]))
            self.events.send_held()

    def _broken(self, clause: str) -> bool:
        return clause in self._mutations

    def _uptime_ms(self) -> int:
        return int((self._timers.now - self._booted_at) * 1000) & 0xFFFFFFFF


def number(value: Value) -> int:
    """Return a field that the layout says is a number. Raises TypeError when it is none."""
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no number")
    return value
