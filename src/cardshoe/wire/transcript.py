"""What passed on a line, as messages with names: for people, for comparison and for playing it again.

Owns the reading of recorded chunks by the protocol files alone, the masking of what a page must not show, and the text
of one message. Must not know files, drivers or time but as numbers that it is given. Implements LINK-2 and LINK-3 as a
listener; P4 and P7 for what is shown.

Masked are faces, salts, seeds and proofs: a clear trace of a bench table can hold them. Nonces, public keys and hashes
are no secrets. What is sealed stays closed: its type, which is in clear, and its length are told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from cardshoe.wire.framing import DELIMITER, Deframer, Frame, SealedDeframer, SealedFrame
from cardshoe.wire.spec import DEVICE_PROTOCOLS, DeviceSpec, MessageSpec, load_faults, load_spec

Way = Literal["out", "in"]

MASK: Final = "••"
SECRET: Final = re.compile(r"(^|_)(face|faces|salt|salts|seed|proof|named|code|envelope|piece|plain)$")
"""Names of fields that a page never shows unless it is asked to."""


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that passed, at `t` monotonic seconds, `out` (host to device) or `in`.

    `name` is the message's; `garbage` for bytes that are no frame, `sealed` for a frame that is closed, `unknown` for a
    type or length that the protocol has not. `fields` holds its values by name, `raw` the bytes on the line.
    """

    t: float
    way: Way
    name: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    session: int | None = None
    sequence: int | None = None
    raw: bytes = b""
    meant: Mapping[str, str] = field(default_factory=dict)
    """The name of a field's value where the protocol gives it one: `result` is `ok`."""

    def masked(self) -> Said:
        """The same with every secret field replaced, its raw bytes left out."""
        shown = {key: MASK if SECRET.search(key) else value for key, value in self.fields.items()}
        hidden = shown != dict(self.fields) or self.name == "garbage"
        meant = {key: name for key, name in self.meant.items() if not SECRET.search(key)}
        return replace(self, fields=shown, meant=meant, raw=b"" if hidden else self.raw)

    def text(self) -> str:
        """Name and fields on one line, bytes as hex, values by their names."""
        values = (f"{key}={self.meant.get(key) or _shown(value)}" for key, value in self.fields.items())
        return " ".join([self.name, *values])


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex() or "-"
    return repr(value) if isinstance(value, str) and value != MASK else str(value)


def names_of(spec: DeviceSpec, message: str, field_name: str) -> Mapping[int, str]:
    """Return the names of a field's values, none where its values are plain numbers."""
    if field_name == "fault":
        return {code: fault.name for code, fault in load_faults().items()}
    enum = _ENUMS.get(f"{message}.{field_name}", field_name)
    return {value: name for name, value in spec.enums.get(enum, {}).items()}


_ENUMS: Final[Mapping[str, str]] = {
    "HELLO_REPLY.result": "hello_result", "SEAL_REPLY.result": "seal_result", "PAIR_REPLY.result": "pair_result",
    "REJECT.reason": "reject_reason", "DISPENSE_REPLY.result": "dispense_result",
    "PREPARE_DECK_REPLY.result": "dispense_result", "CLEAR_FAULT_REPLY.result": "clear_result",
    "BEGIN_ROUND_REPLY.result": "round_result", "CLOSE_DEAL_REPLY.result": "round_result",
    "END_ROUND_REPLY.result": "round_result", "MATCH_CARD_REPLY.result": "match_result",
    "REVEAL_STACK_REPLY.result": "reveal_result", "SCAN_REPLY.result": "scan_result", "BOOTED.cause": "boot_cause",
    "DISPENSE_INTERRUPTED.cause": "interrupt_cause",
}  # fmt: skip
"""Enumerations that are not called as the field is."""


def _meant(spec: DeviceSpec, message: str, fields: Mapping[str, Any]) -> dict[str, str]:
    found = {key: names_of(spec, message, key).get(value) for key, value in fields.items() if isinstance(value, int)}
    if "flags" in fields:
        bits = spec.tables.get("flags", {})
        found["flags"] = "|".join(name for name, bit in bits.items() if fields["flags"] & bit) or None
    return {key: name for key, name in found.items() if name}


class Transcript:
    """Reads chunks of both directions, in the order in which they passed."""

    def __init__(self, spec: DeviceSpec) -> None:
        self._spec = spec
        self._by_type = {message.type: message for message in spec.messages.values()}
        self._pending: dict[Way, bytes] = {"out": b"", "in": b""}

    def feed(self, t: float, way: Way, data: bytes) -> list[Said]:
        """Return what these bytes complete."""
        parts = (self._pending[way] + data).split(DELIMITER)
        self._pending[way] = parts.pop()
        return [self._read(t, way, part) for part in parts if part]

    def rest(self, t: float) -> list[Said]:
        """Return what has no end yet, as garbage."""
        found = [Said(t, way, "garbage", {"bytes": len(part)}, raw=part) for way, part in self._pending.items() if part]
        self._pending = {"out": b"", "in": b""}
        return found

    def _read(self, t: float, way: Way, part: bytes) -> Said:
        raw = part + DELIMITER
        deframer = Deframer()
        frames = deframer.feed(raw)
        if frames:
            return self._named(t, way, frames[0], raw)
        closed = SealedDeframer().feed(raw)
        if closed:
            return self._closed(t, way, closed[0], raw)
        why = next((drop.value for drop, count in deframer.drops.items() if count), "no frame")
        return Said(t, way, "garbage", {"bytes": len(part), "why": why}, raw=raw)

    def _closed(self, t: float, way: Way, frame: SealedFrame, raw: bytes) -> Said:
        known = self._by_type.get(frame.type)
        fields = {"type": known.name if known else f"{frame.type:02X}", "counter": frame.counter, "bytes": len(raw)}
        return Said(t, way, "sealed", fields, frame.session, frame.sequence, raw)

    def _named(self, t: float, way: Way, frame: Frame, raw: bytes) -> Said:
        message = self._by_type.get(frame.type)
        if message is None or message.size != len(frame.payload):
            fields: dict[str, Any] = {"type": f"{frame.type:02X}", "bytes": len(frame.payload)}
            return Said(t, way, "unknown", fields, frame.session, frame.sequence, raw)
        values = _fields(message, frame.payload)
        meant = _meant(self._spec, message.name, values)
        return Said(t, way, message.name, values, frame.session, frame.sequence, raw, meant)


def _fields(message: MessageSpec, payload: bytes) -> dict[str, Any]:
    values = message.layout.unpack(payload)
    return {
        one.name: value.rstrip(b"\0").decode("ascii", "replace") if one.kind == "text" else value
        for one, value in zip(message.fields, values, strict=True)
    }


def spec_of_line(chunks: Iterable[tuple[float, Way, bytes]]) -> DeviceSpec | None:
    """Return the device protocol that HELLO or HELLO_REPLY in these chunks names, None where neither does."""
    link = Transcript(load_spec(DEVICE_PROTOCOLS[0]))
    specs = [load_spec(name) for name in DEVICE_PROTOCOLS]
    for t, way, data in chunks:
        for said in link.feed(t, way, data):
            for spec in specs:
                if said.name == "HELLO_REPLY" and said.fields["device_kind"] == spec.device_kind:
                    return spec
                if said.name == "HELLO" and said.fields["spec_hash"] == spec.hash:
                    return spec
    return None


def read_line(spec: DeviceSpec, chunks: Iterable[tuple[float, Way, bytes]]) -> Iterator[Said]:
    """Give everything that passed, in order."""
    transcript, last = Transcript(spec), 0.0
    for t, way, data in chunks:
        last = t
        yield from transcript.feed(t, way, data)
    yield from transcript.rest(last)
