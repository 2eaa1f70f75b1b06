"""What passes on the line while a device is asked, and what it says about times.

Owns the record of both directions, the frames in it, the times of LINK-4.2, LINK-6.1 and LINK-7.3, and the first thing
on the line that no device of the protocol may send. Judges no dialogue. Nonces, keys and other secrets are masked in
what is shown to people.
"""

from __future__ import annotations

import re
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from cobs import cobs

from cardshoe.lab.conform import makers
from cardshoe.lab.conform.hands import Hands, Request

KEPT_FRAMES: Final = 400
ASIDE_S: Final = 0.02
REPEATS_S: Final = 1.0
EXCERPT_LINES: Final = 24
SECRET_WORDS: Final = frozenset(
    {"nonce", "key", "secret", "seed", "envelope", "tag", "proof", "salts", "ephemeral", "sealed"}
)
_FIELD: Final = re.compile(r'"(\w+)": ("[^"]*"|\d+)')
_LONG_HEX: Final = re.compile(r"\b([0-9a-f]{24})[0-9a-f]{40,}")
FACES: Final = frozenset({"face", "faces"})
_COMMANDS: Final = range(0x10, 0x40)
_EVENTS: Final = range(0x60, 0x80)
_HELLO, _HEARTBEAT, _REJECT, _REPLY_BIT = 0x01, 0x02, 0xFF, 0x80
_ENCODED_MAX: Final = 254
_LEAST: Final = 9
_GARBLED: Final = {
    "bad_cobs": "LINK-2.5", "wrong_length": "LINK-2.3", "wrong_check": "LINK-2.4", "wrong_version": "LINK-2.2",
    "too_long": "LINK-2.6",
}  # fmt: skip
"""The clause that a piece between two 00 breaks when it is no frame, by why it is none."""

Way = Literal["host", "device"]


@dataclass(frozen=True, slots=True)
class Glanced:
    """A whole clear frame, as far as watching needs it."""

    session: int
    type: int
    sequence: int
    payload: bytes


def glance(encoded: bytes) -> Glanced | str:
    """Return the clear frame in what lay between two 00, or why it is none; quick, where the judge's own is plain.

    A sealed frame is "sealed": what is in it, and whether it is whole, only its session can tell.
    """
    if len(encoded) > _ENCODED_MAX:
        return "too_long"
    try:
        content = cobs.decode(encoded)
    except cobs.DecodeError:
        return "bad_cobs"
    if content[:1] == b"\x81":
        return "sealed"
    if len(content) < _LEAST or len(content) != _LEAST + content[4]:
        return "wrong_length"
    if content[-4:] != zlib.crc32(content[:-4]).to_bytes(4, "little"):
        return "wrong_check"
    if content[0] != 1:
        return "wrong_version"
    return Glanced(content[1], content[2], content[3], content[5:-4])


class Port(Protocol):
    """A port with its clock: what `line.PortLine` is, or a world under a virtual clock."""

    def now(self) -> float:
        """Return monotonic seconds."""

    def write(self, data: bytes) -> None:
        """Put bytes on the line."""

    def read(self, until: float) -> bytes:
        """Return bytes as they come, or none at `until`."""


@dataclass(frozen=True, slots=True)
class Passed:
    """One frame, or a piece that is none (`frame` is then why): monotonic seconds, who sent it, how many bytes."""

    t: float
    way: Way
    frame: Glanced | str
    size: int


@dataclass(slots=True)
class Times:
    """Measured on the line, in milliseconds: from the last byte asked to the last byte answered; between repeats."""

    reply_ms: list[float] = field(default_factory=list)
    status_ms: list[float] = field(default_factory=list)
    hello_ms: list[float] = field(default_factory=list)
    repeat_ms: list[float] = field(default_factory=list)


class Watched:
    """A line and hands with the record of what passed: the `Bench` of the makers' tool."""

    def __init__(self, kind: str, port: Port, hands: Hands) -> None:
        self._kind, self._port, self._hands = kind, port, hands
        self._open: dict[Way, bytearray] = {"host": bytearray(), "device": bytearray()}
        self._ahead = bytearray()
        self._asked: dict[tuple[int, int], float] = {}
        self._events: dict[int, float] = {}
        self._hello: tuple[int, float] | None = None
        self.frames: deque[Passed] = deque(maxlen=KEPT_FRAMES)
        self.times = Times()
        self.broken_frame: Passed | None = None

    def now(self) -> float:
        """Return monotonic seconds."""
        return self._port.now()

    def write(self, data: bytes) -> None:
        """Put bytes on the line and keep them."""
        self._port.write(data)
        for passed in self._pieces("host", data):
            if not isinstance(passed.frame, str):
                self._sent(passed.t, passed.frame)

    def read(self, until: float) -> bytes:
        """Return bytes as they come and keep them."""
        if self._ahead:
            data = bytes(self._ahead)
            self._ahead.clear()
            return data
        return self._heard(until)

    def _heard(self, until: float) -> bytes:
        data = self._port.read(until)
        for passed in self._pieces("device", data):
            if isinstance(passed.frame, str):
                self.broken_frame = self.broken_frame or (passed if passed.frame in _GARBLED else None)
            else:
                self._came(passed.t, passed.frame)
        return data

    def control(self, request: Request) -> dict[str, Any]:
        """Act at the device; what was cut off on the line by a loss of power is forgotten."""
        answer = self._acted_aside(request) if self._hands.slow else self._hands.act(request)
        if request.get("do") in ("power", "reset"):
            self.cut()
        return answer

    def _acted_aside(self, request: Request) -> dict[str, Any]:
        """Act, and take what the device sends meanwhile: a person takes minutes, and no buffer lasts so long."""
        with ThreadPoolExecutor(max_workers=1) as aside:
            acting = aside.submit(self._hands.act, request)
            while not acting.done():
                self._ahead += self._heard(self._port.now() + ASIDE_S)
            return acting.result()

    def cut(self) -> None:
        """Forget what a restart has cut off, and what was asked before it."""
        self._open["device"].clear()
        self._asked.clear()
        self._events.clear()

    def begin(self) -> None:
        """Begin the record of another dialogue, and forget what came before it; the times go on."""
        while self.read(self.now()):
            pass
        self.frames.clear()
        self.broken_frame = None
        self.cut()

    def garbled(self) -> str | None:
        """Return the clause that the first piece that was no frame breaks, None where all were whole."""
        piece = self.broken_frame
        return None if piece is None else _GARBLED.get(str(piece.frame), "LINK-2.1")

    def excerpt(self) -> tuple[str, ...]:
        """Return the last frames for people, secrets masked."""
        last = list(self.frames)[-EXCERPT_LINES:]
        begin = last[0].t if last else 0.0
        return tuple(f"{1000 * (one.t - begin):9.1f} ms {shown(self._kind, one)}" for one in last)

    def _pieces(self, way: Way, data: bytes) -> Iterator[Passed]:
        piece, now = self._open[way], self._port.now()
        for byte in data:
            if byte:
                piece.append(byte)
            elif piece:
                passed = Passed(now, way, glance(bytes(piece)), len(piece) + 1)
                piece.clear()
                self.frames.append(passed)
                yield passed

    def _sent(self, t: float, frame: Glanced) -> None:
        if frame.type in _COMMANDS or frame.type == _HEARTBEAT:
            self._asked[(frame.type, frame.sequence)] = t
        elif frame.type == _HELLO:
            self._hello = (frame.sequence, t)
            self._asked.clear()
            self._events.clear()

    def _came(self, t: float, frame: Glanced) -> None:
        if frame.type in _EVENTS and len(frame.payload) >= 8:
            self._event(t, int.from_bytes(frame.payload[:8], "little"))
            return
        if frame.type == _HELLO | _REPLY_BIT and self._hello is not None and self._hello[0] == frame.sequence:
            self.times.hello_ms.append(1000 * (t - self._hello[1]))
            self._hello = None
            return
        asked = frame.payload[1] if frame.type == _REJECT and len(frame.payload) > 1 else frame.type & ~_REPLY_BIT
        since = self._asked.pop((asked, frame.sequence), None)
        if since is not None:
            kept = self.times.status_ms if asked == _HEARTBEAT else self.times.reply_ms
            kept.append(1000 * (t - since))

    def _event(self, t: float, event_id: int) -> None:
        before = self._events.get(event_id)
        if before is not None and t - before < REPEATS_S:  # else the host had said nothing for so long, or was away
            self.times.repeat_ms.append(1000 * (t - before))
        self._events[event_id] = t


def shown(kind: str, passed: Passed) -> str:
    """Return one frame as a line for people: who sent it, the message, its fields with secrets masked."""
    arrow = "host   →" if passed.way == "host" else "device ←"
    if isinstance(passed.frame, str):
        return f"{arrow} {passed.size} bytes that are no frame ({passed.frame})"
    frame = passed.frame
    message = makers.by_type(kind).get(frame.type)
    fields = makers.unpack(message, frame.payload) if message else None
    told = f"payload of {len(frame.payload)} bytes" if fields is None else masked(fields, hidden=kind == "shoe")
    name = message.name if message else f"type {frame.type:02X}"
    return f"{arrow} {name} session {frame.session} sequence {frame.sequence}: {told}"


def masked(fields: Mapping[str, Any], *, hidden: bool = False) -> str:
    """Return fields as text without the bytes of secrets; `hidden`: nor the faces of cards, which a shoe may know while
    they lie face down."""

    def value(name: str, given: Any) -> str:
        if hidden and name in FACES:
            return "<hidden>"
        if isinstance(given, str) and SECRET_WORDS & set(name.split("_")):
            return f"<{len(given) // 2} bytes>"
        return f"{given[:12]}…" if isinstance(given, str) and len(given) > 32 else str(given)

    return ", ".join(f"{name} {value(name, given)}" for name, given in fields.items()) or "no fields"


def masked_text(text: str, *, hidden: bool = False) -> str:
    """Return a failure's text, JSON within, with the same left out; of long hex only the beginning stays."""

    def field(found: re.Match[str]) -> str:
        name, given = found[1], found[2]
        if hidden and name in FACES:
            return f'"{name}": "<hidden>"'
        if SECRET_WORDS & set(name.split("_")) and given.startswith('"') and not given.startswith('"$'):
            return f'"{name}": "<{(len(given) - 2) // 2} bytes>"'
        return found[0]

    return _LONG_HEX.sub(r"\1…", _FIELD.sub(field, text))
