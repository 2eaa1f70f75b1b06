"""A driver in a session, and the frames that its device says. For the tests of the drivers only."""

from __future__ import annotations

from random import Random
from typing import Any

from cardshoe.devices.driver import DeviceDriver
from cardshoe.devices.reader import ReaderDriver
from cardshoe.devices.reader_wire import READER_CODEC
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.wire.codec import Codec
from cardshoe.wire.framing import Deframer, Frame, encode_frame

WHERE = "serial:///dev/ttyACM0"


class Bench:
    """One driver and what its device would say."""

    def __init__(self, driver: DeviceDriver[Any], codec: Codec) -> None:
        self.driver, self.codec = driver, codec
        self.session = 0
        self.event_id = 0
        self.beat = 0

    def frame(self, name: str, fields: dict[str, Any], *, sequence: int) -> bytes:
        """A frame of the device, 00 before it as after a pause."""
        spec = self.codec.spec.messages[name]
        blank = {field.name: {"number": 0, "bytes": bytes(field.size), "text": ""}[field.kind] for field in spec.fields}
        payload = self.codec.payload(self.codec.build(name, {**blank, **fields}))
        return b"\x00" + encode_frame(session=self.session, type=spec.type, sequence=sequence, payload=payload)

    def frames(self, data: bytes) -> list[Frame]:
        """The frames that the host wrote."""
        return Deframer().feed(data)

    def said(self, data: bytes) -> list[Any]:
        """The messages that the host wrote, heartbeats apart."""
        decoded = [self.codec.decode(frame) for frame in self.frames(data)]
        return [message for message in decoded if type(message).__name__ != "Heartbeat"]

    def hello_reply(self, data: bytes, **changes: Any) -> bytes:
        """The answer to the HELLO in `data`."""
        (hello,) = self.said(data)
        fields = {
            "host_nonce": hello.host_nonce,
            "spec_hash": self.codec.spec.hash,
            "session": self.session + 1,
            "device_kind": self.codec.spec.device_kind,
            "model": "CS-1000",
            "serial": "S-0001",
            "firmware": "1.0.0",
            "boot_counter": 1,
            "ring_size": 128,
            "oldest_event": self.event_id + 1,
            "last_event": self.event_id,
            **changes,
        }
        session, self.session = self.session, 0
        frame = self.frame("HELLO_REPLY", fields, sequence=0)
        self.session = session
        return frame

    def open(self, now: float = 0.0, **changes: Any) -> tuple[Any, ...]:
        """Open a session; returns what happened."""
        output = self.driver.open(now, deadline=now + 2)
        reply = self.hello_reply(output.data, **changes)
        self.session += 1
        self.beat = 1
        return output.happened + self.driver.receive(reply, now).happened

    def event(self, name: str, now: float = 0.0, **fields: Any) -> Any:
        """The device's next event; returns the one thing that happened."""
        self.event_id += 1
        head = {"event_id": self.event_id, "boot_counter": 1}
        (happened,) = self.driver.receive(self.frame(name, {**head, **fields}, sequence=0), now).happened
        return happened

    def reply(self, data: bytes, now: float = 0.0, **fields: Any) -> tuple[Any, ...]:
        """The device's reply to the command in `data`; returns what happened."""
        (frame,) = [frame for frame in self.frames(data) if frame.type in self.codec.spec.command_types]
        command = self.codec.decode(frame)
        assert command is not None
        name = self.codec.spec_of(command).name + "_REPLY"
        own = {field.name for field in self.codec.spec.messages[name].fields}
        echoed = {key: value for key, value in zip(self._fields(command), command, strict=True) if key in own}
        answer = self.frame(name, {**echoed, **fields}, sequence=frame.sequence)
        return self.driver.receive(answer, now).happened

    def _fields(self, message: Any) -> list[str]:
        return [field.name for field in self.codec.spec_of(message).fields]

    def reject(self, data: bytes, reason: int, now: float = 0.0) -> tuple[Any, ...]:
        """The device's REJECT of the command in `data`."""
        (frame,) = [frame for frame in self.frames(data) if frame.type in self.codec.spec.command_types]
        fields = {"reason": reason, "rejected_type": frame.type}
        return self.driver.receive(self.frame("REJECT", fields, sequence=frame.sequence), now).happened

    def status(self, now: float = 0.0, **fields: Any) -> Any:
        """The answer to the heartbeat that is due; returns the one thing that happened."""
        full = {"boot_counter": 1, "last_event": self.event_id, **fields}
        (happened,) = self.driver.receive(self.frame("STATUS", full, sequence=self.beat), now).happened
        return happened


def shoe_bench(*, opened: bool = True, **expected: Any) -> Bench:
    """A shoe's driver, in a session unless told otherwise."""
    random = Random(1)
    driver = ShoeDriver(
        expected=Expected(WHERE, **expected), nonce=lambda: random.randbytes(16), consumed_event=0, lease_ms=None
    )
    bench = Bench(driver, SHOE_CODEC)
    if opened:
        bench.open()
    return bench


def reader_bench(*, opened: bool = True, **expected: Any) -> Bench:
    """A reader's driver, in a session unless told otherwise."""
    random = Random(2)
    driver = ReaderDriver(expected=Expected(WHERE, **expected), nonce=lambda: random.randbytes(16), consumed_event=0)
    bench = Bench(driver, READER_CODEC)
    if opened:
        bench.open()
    return bench
