"""The protocol files as frozen values.

Owns the reading of `firmware_protocols/*.toml` (carried as package data) and the spec hash over them. Knows nothing of
frames, sessions or what a message means. Implements LINK-2.7 (field types), LINK-2.8 (one payload length a message),
LINK-4 (type ranges) and LINK-5.2 (spec hash).
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Final

from cardshoe.errors import ConfigError

LINK_PROTOCOL: Final = "link-v1"
DEVICE_PROTOCOLS: Final = ("shoe-v1", "reader-v1")

_NUMBERS: Final = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
_RAW: Final = re.compile(r"(bytes|text)([1-9][0-9]*)")


class Sender(Enum):
    """Which side may send a message."""

    HOST = "host"
    DEVICE = "device"


class Kind(Enum):
    """Which exchange of LINK-4 a message belongs to."""

    SESSION = "session"
    HEARTBEAT = "heartbeat"
    COMMAND = "command"
    REPLY = "reply"
    EVENT = "event"


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `kind` is `number`, `bytes` or `text`, `size` in bytes, `code` its letter for `struct`."""

    name: str
    kind: str
    size: int
    code: str


@dataclass(frozen=True, slots=True)
class MessageSpec:
    """One message: its type number, who sends it, and its fields (events and STATUS with their leading fields)."""

    name: str
    type: int
    sender: Sender
    kind: Kind
    fields: tuple[Field, ...]
    layout: struct.Struct

    @property
    def size(self) -> int:
        """The payload length in bytes: the only one that this message has (LINK-2.8)."""
        return self.layout.size


@dataclass(frozen=True, slots=True)
class Timing:
    """The intervals of `[timing]`, in milliseconds."""

    heartbeat_interval_ms: int
    link_lost_ms: int
    lease_min_ms: int
    lease_max_ms: int
    lease_default_ms: int
    reply_due_ms: int
    command_repeat_ms: int
    hello_repeat_ms: int
    event_repeat_ms: int
    idle_delimiter_ms: int
    seal_repeat_ms: int
    pairing_window_ms: int
    unpair_hold_ms: int


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """A device protocol over its link: everything that both files say.

    `enums` holds the link's and the device's enumerations by name, `tables` the device's `[flags]`, `[named]` and
    `[face]`, `limits` its `[limits]`. `event_head` reads the fields with which every event begins: event id, boot
    counter, uptime in milliseconds.
    """

    protocol: str
    device_kind: int
    hash: bytes
    messages: Mapping[str, MessageSpec]
    enums: Mapping[str, Mapping[str, int]]
    tables: Mapping[str, Mapping[str, int]]
    limits: Mapping[str, int]
    timing: Timing
    ring_min_live: int
    ring_min_bench: int
    event_window: int
    event_types: range
    command_types: range
    reply_bit: int
    event_head: struct.Struct


@dataclass(frozen=True, slots=True)
class Fault:
    """One row of `faults.toml`: what a fault code means, whatever the device."""

    code: int
    name: str
    severity: str
    clears: str
    dealer: str
    motor: str


def load_text(name: str) -> str:
    """Return the text of `name` (such as `link-v1.toml`) from the package data."""
    return (resources.files("cardshoe.wire") / "data" / name).read_text(encoding="utf-8")


def spec_hash(device: Mapping[str, Any], link: Mapping[str, Any]) -> bytes:
    """Return the 32-byte SHA-256 of the canonical JSON of both files' contents (LINK-5.2)."""
    canonical = json.dumps({"device": device, "link": link}, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).digest()


@cache
def load_spec(protocol: str) -> DeviceSpec:
    """Return the spec of `protocol` (`shoe-v1` or `reader-v1`) over link-v1.

    Raises `ConfigError`: `protocol-unknown` for another name, `protocol-broken` for a file that contradicts itself.
    """
    if protocol not in DEVICE_PROTOCOLS:
        known = ", ".join(DEVICE_PROTOCOLS)
        raise ConfigError("protocol-unknown", f"no device protocol is called {protocol!r}; there are {known}")
    return build_spec(tomllib.loads(load_text(f"{protocol}.toml")), tomllib.loads(load_text(f"{LINK_PROTOCOL}.toml")))


def build_spec(device: Mapping[str, Any], link: Mapping[str, Any]) -> DeviceSpec:
    """Return the spec that the contents of a device file and of the link file give; raises `ConfigError`."""
    enums = {**link["enum"], **device["enum"]}
    return DeviceSpec(
        protocol=device["protocol"],
        device_kind=enums["device_kind"][device["device_kind"]],
        hash=spec_hash(device, link),
        messages=MappingProxyType(_messages(device, link)),
        enums=_frozen(enums),
        tables=_frozen({name: device[name] for name in ("flags", "named", "face") if name in device}),
        limits=MappingProxyType(dict(device["limits"])),
        timing=Timing(**link["timing"]),
        ring_min_live=link["events"]["ring_min_live"],
        ring_min_bench=link["events"]["ring_min_bench"],
        event_window=link["events"]["window"],
        event_types=_inclusive(link["ranges"]["event"]),
        command_types=_inclusive(link["ranges"]["command"]),
        reply_bit=link["ranges"]["reply_bit"],
        event_head=_layout(tuple(_field(text) for text in link["event"]["fields"])),
    )


@cache
def load_faults() -> Mapping[int, Fault]:
    """Return the fault table by code."""
    rows = tomllib.loads(load_text("faults.toml"))["fault"]
    faults = {row["code"]: Fault(**row) for row in rows}
    if len(faults) != len(rows):
        raise ConfigError("protocol-broken", "faults.toml gives one code to two faults; give each its own")
    return MappingProxyType(faults)


def _frozen(tables: Mapping[str, Mapping[str, int]]) -> Mapping[str, Mapping[str, int]]:
    return MappingProxyType({name: MappingProxyType(dict(table)) for name, table in tables.items()})


def _inclusive(bounds: list[int]) -> range:
    first, last = bounds
    return range(first, last + 1)


def _messages(device: Mapping[str, Any], link: Mapping[str, Any]) -> dict[str, MessageSpec]:
    found: dict[str, MessageSpec] = {}
    types: dict[int, str] = {}
    for row in (*link["message"], *device["message"]):
        leading: list[str] = link["event"]["fields"] if row["kind"] == "event" else []
        trailing: list[str] = device["status"]["fields"] if row["name"] == "STATUS" else []
        message = _message(row, [*leading, *row["fields"], *trailing])
        if message.name in found or message.type in types:
            raise ConfigError(
                "protocol-broken",
                f"{device['protocol']}: {message.name} or its type {message.type:02X} is there twice; change one",
            )
        found[message.name] = message
        types[message.type] = message.name
    return found


def _message(row: Mapping[str, Any], fields: list[str]) -> MessageSpec:
    parsed = tuple(_field(text) for text in fields)
    return MessageSpec(row["name"], row["type"], Sender(row["from"]), Kind(row["kind"]), parsed, _layout(parsed))


def _layout(fields: tuple[Field, ...]) -> struct.Struct:
    return struct.Struct("<" + "".join(field.code for field in fields))


def _field(text: str) -> Field:
    name, _, kind = text.partition(":")
    if kind in _NUMBERS:
        return Field(name, "number", int(kind[1:]) // 8, _NUMBERS[kind])
    raw = _RAW.fullmatch(kind)
    if raw is None:
        raise ConfigError(
            "protocol-broken", f"field {text!r} has no type that link-v1 knows; use u8 to u64, bytesN, textN"
        )
    return Field(name, raw[1], int(raw[2]), f"{raw[2]}s")
