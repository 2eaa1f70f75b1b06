"""The device's side of link-v1: commands once only, and which frames of which session count.

Owns LINK-4, LINK-8, LINK-9.11 and LINK-12 as far as they bind a device; how a session begins is in `sessions`,
the lease in `heartbeat`. Must not know what the messages of a device mean: that is the firmware's, met by `Firmware`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from cardshoe.sim import wire
from cardshoe.sim.agenda import Timers
from cardshoe.sim.attesting import Attestor, Measured
from cardshoe.sim.channel import Tally
from cardshoe.sim.events import EventRing
from cardshoe.sim.heartbeat import Heartbeat
from cardshoe.sim.keys import KeyMemory
from cardshoe.sim.messages import MESSAGES, Layout, Value, layout_of
from cardshoe.sim.nvram import LinkMemory, Store
from cardshoe.sim.outlet import Outlet
from cardshoe.sim.pairing import PairingDesk
from cardshoe.sim.sealing import Sealer
from cardshoe.sim.sessions import Identity, Sessions

HELLO: Final = 0x01
HEARTBEAT: Final = 0x02
EVENT_ACK: Final = 0x03
SEAL: Final = 0x04
PAIR: Final = 0x05
ATTEST: Final = 0x38
UNPAIR: Final = 0x39
COMMANDS: Final = range(0x10, 0x40)
EVENTS: Final = range(0x60, 0x80)
REPLY_BIT: Final = 0x80

NO_SESSION, UNKNOWN_TYPE, WRONG_LENGTH, WRONG_SEQUENCE, NOT_ALLOWED, BAD_VALUE, SEALED_ONLY = range(1, 8)

LATE_REPLY_S: Final = 0.4  # of the device that breaks LINK-4.2


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

    def knows(self, name: str) -> bool:
        """Tell whether this device has a command at all (SHOE-9): one that it has not is `unknown_type`."""

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
    """One start of a device's link; what outlives it is in `LinkMemory` and `KeyMemory`.

    `firmware` is set right after making it. `secret` gives 32 random bytes, `nonce` 16.
    """

    firmware: Firmware

    def __init__(
        self,
        *,
        identity: Identity,
        memory: LinkMemory,
        keys: KeyMemory,
        measured: Measured,
        timers: Timers,
        nonce: Callable[[], bytes],
        secret: Callable[[], bytes],
        send: Callable[[bytes], None],
        store: Store,
        mutations: frozenset[str],
    ) -> None:
        device = identity.device
        self._identity = identity
        self._memory = memory
        self._timers = timers
        self._keys = keys
        self._attestor = Attestor(measured=measured, identity=identity, keys=keys, memory=memory, mutations=mutations)
        self._mutations = mutations
        self._outlet = Outlet(device=device, timers=timers, send=send, spoil="LINK-2.4" in mutations)
        self.events = EventRing(
            device=device, memory=memory, timers=timers, outlet=self._outlet, store=store, mutations=mutations
        )
        self.tally = Tally()
        self.sessions = Sessions(
            identity=identity,
            memory=memory,
            keys=keys,
            nonce=nonce,
            outlet=self._outlet,
            events=self.events,
            sealer=Sealer(device=device, keys=keys, store=store, secret=secret, tally=self.tally, mutations=mutations),
            desk=PairingDesk(device=device, keys=keys, timers=timers, store=store, secret=secret, mutations=mutations),
            store=store,
            mutations=mutations,
            follow=self,
        )
        self._deframer = wire.Deframer()
        self._deframer.unseal = self._unsealed
        self._heartbeat = Heartbeat(timers=timers, memory=memory, firmware=lambda: self.firmware, mutations=mutations)
        self.commands_seen = 0
        self.session = 0  # the number of the present session, 0 for none
        self._kept: tuple[wire.Frame, wire.Frame] | None = None
        self._next_sequence = 1

    def raise_event(self, name: str, values: Mapping[str, Value], *, unsent: bool = False) -> None:
        """Report an event: kept until the host has consumed it. `unsent` keeps it only (a power cut just then)."""
        self.events.add(name, values, uptime_ms=self.uptime_ms, unsent=unsent)

    # --- what comes in

    def receive(self, data: bytes) -> None:
        """Take bytes from the line."""
        for frame in self._deframer.stream(data):
            self._on_frame(frame)

    def _unsealed(self, content: bytes) -> wire.Frame | None:
        """Only a sealed session reads sealed frames (LINK-9.11), and only its own."""
        channel = self._outlet.channel
        if channel is not None and channel.over:
            self.sessions.end()
            return None
        frame = None if channel is None else channel.unseal(content)
        return frame if frame is not None and frame.session == self.session else None

    def _on_frame(self, frame: wire.Frame) -> None:
        if frame.type >= REPLY_BIT or frame.type in EVENTS:
            return  # only devices send these: never answered (LINK-4.9)
        if frame.type in COMMANDS:
            self.commands_seen += 1
        sealed = frame.version == wire.VERSION_SEALED
        if not sealed and self._opens(frame):
            return
        if not sealed and self.sessions.sealed and not self._broken("LINK-9.11"):
            return  # whoever holds the wire could have written it (LINK-9.11)
        if frame.type == HELLO or self._strange(frame):
            if frame.type != EVENT_ACK:  # dropped without a word (LINK-5.6)
                self._reject(frame, NO_SESSION)
        else:
            self._on_session_frame(frame)

    def _opens(self, frame: wire.Frame) -> bool:
        """Take a frame that begins a session or belongs to one that only pairs; tell whether it was one."""
        sessions = self.sessions
        if frame.type == HELLO and frame.session == 0:
            values = self._values(MESSAGES[self._identity.device]["HELLO"], frame)
            if values is None:
                self._reject(frame, WRONG_LENGTH)
            else:
                sessions.hello(frame, values)
        elif frame.type == SEAL and sessions.awaits_seal(frame.session):
            self._of_length("SEAL", frame, sessions.on_seal)
        elif sessions.awaits_pair(frame.session):
            if frame.type == PAIR:  # nothing else is known there (LINK-11.3)
                self._of_length("PAIR", frame, sessions.on_pair)
        elif frame.type == SEAL and sessions.sealed:
            self._reject(frame, NO_SESSION)
        else:
            return False
        return True

    def _of_length(self, name: str, frame: wire.Frame, act: Callable[[wire.Frame], None]) -> None:
        if len(frame.payload) == MESSAGES[self._identity.device][name].size:
            act(frame)
        else:
            self._reject(frame, WRONG_LENGTH)

    def session_began(self) -> None:
        """Nothing of the session before counts (LINK-5.4)."""
        self.session = self.sessions.number
        self._kept = None
        self._next_sequence = 1
        self._heartbeat.new_session()
        self._attestor.new_session()

    @property
    def starting(self) -> bool:
        """Tell whether the device is still starting."""
        return self.firmware.starting

    def holds_live_deck(self) -> bool:
        """Tell whether a service session must be refused (LINK-5.8)."""
        return self.firmware.holds_live_deck()

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
        if layout is None or not self.firmware.knows(layout.name):
            return UNKNOWN_TYPE
        values = self._values(layout, frame)
        if values is None:
            return WRONG_LENGTH
        if frame.type in {ATTEST, UNPAIR}:
            return self._of_the_link(layout.name, values)
        present = self.sessions.present
        if not self.firmware.allowed(layout.name, service=present is not None and present.service):
            return NOT_ALLOWED
        return self.firmware.command(layout.name, values)

    def _of_the_link(self, name: str, values: Mapping[str, Value]) -> Reply | int:
        present = self.sessions.present
        if present is None or (not self.sessions.sealed and not self._broken("LINK-12.5")):
            return SEALED_ONLY
        if name == "UNPAIR":
            return Reply("UNPAIR_REPLY", {}, then=self.sessions.unpair)
        return Reply("ATTEST_REPLY", self._attestor.answer(values["nonce"], present.transcript))

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
        clear = frame.version == wire.VERSION_CLEAR
        self._outlet.send(self._outlet.frame("REJECT", frame.sequence, payload, session=frame.session, clear=clear))

    # --- heartbeat, lease, acknowledgement

    @property
    def lease_valid(self) -> bool:
        """Tell whether the device may move now (LINK-6.3)."""
        return self._heartbeat.lease_valid

    def _on_heartbeat(self, frame: wire.Frame) -> None:
        values = self._values(MESSAGES[self._identity.device]["HEARTBEAT"], frame)
        if values is None:
            self._reject(frame, WRONG_LENGTH)
            return
        status = self._heartbeat.beat(number(values["lease_ms"]))
        self._outlet.send(self._outlet.frame("STATUS", frame.sequence, status, session=self.session))
        self.firmware.lease_renewed()

    def _on_ack(self, frame: wire.Frame) -> None:
        values = self._values(MESSAGES[self._identity.device]["EVENT_ACK"], frame)
        if values is not None:  # never answered, not even a spoilt one (LINK-7.4)
            self.events.forget(number(values["consumed_event"]))
            self.events.send_held()

    def _broken(self, clause: str) -> bool:
        return clause in self._mutations

    @property
    def uptime_ms(self) -> int:
        """Milliseconds since the start, in 32 bits (LINK-8.2)."""
        return self._heartbeat.uptime_ms


def number(value: Value) -> int:
    """Return a field that the layout says is a number. Raises TypeError when it is none."""
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is no number")
    return value
