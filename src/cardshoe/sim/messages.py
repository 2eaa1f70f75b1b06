"""The layouts of all messages, as this device was built: names, numbers, fields, and the spec hashes.

Written by hand from link-v1, shoe-v1 and reader-v1 (LINK-2.7, LINK-2.8, LINK-5.2). Knows nothing of when a message is
sent. A test compares it with the protocol's files.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Final

Value = int | bytes | str

_NUMBERS: Final = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}

SPEC_HASHES: Final = {
    "shoe": bytes.fromhex("74f1390c0375808e25be09eef35e6f74654386908d47e22dc116d99ef1e75b49"),
    "reader": bytes.fromhex("72030890dc2b236afac007d916dd61630f738ed23f1c45c1a2a72a36366d1b89"),
}


class Layout:
    """One message: its type number and its fields in order, each with its kind (u8 … u64, bytesN, textN).

    `size` is the payload's length in bytes: every message has exactly one (LINK-2.8).
    """

    __slots__ = ("_checks", "_names", "_packer", "_plain", "_texts", "fields", "name", "size", "type")

    def __init__(self, name: str, number: int, fields: tuple[tuple[str, str], ...]) -> None:
        self.name = name
        self.type = number
        self.fields = fields
        codes = (_NUMBERS.get(kind) or kind.removeprefix("bytes").removeprefix("text") + "s" for _, kind in fields)
        self._packer = struct.Struct("<" + "".join(codes))  # little-endian, nothing between them (LINK-2.7)
        self._names = tuple(name for name, _ in fields)
        self._texts = tuple(name for name, kind in fields if kind.startswith("text"))
        self._plain = all(kind in _NUMBERS for _, kind in fields)
        self._checks = tuple((name, kind, 0 if kind in _NUMBERS else self._bytes_of(kind)) for name, kind in fields)
        self.size = self._packer.size

    @staticmethod
    def _bytes_of(kind: str) -> int:
        return int(kind.removeprefix("bytes").removeprefix("text"))

    def pack(self, values: Mapping[str, Value]) -> bytes:
        """Return the payload. Raises ValueError for missing or unknown fields and for values that do not fit."""
        if len(values) != len(self.fields):
            raise ValueError(f"{self.name}: fields {sorted(values)} given, {len(self.fields)} needed")
        try:
            if self._plain:
                return self._packer.pack(*[values[name] for name in self._names])
            return self._packer.pack(*[_checked(kind, size, values[name]) for name, kind, size in self._checks])
        except (KeyError, ValueError, struct.error) as error:
            raise ValueError(f"{self.name}: {error}") from error

    def unpack(self, payload: bytes) -> dict[str, Value]:
        """Return the fields of a payload. Raises ValueError when its length is not that of the message."""
        if len(payload) != self.size:
            raise ValueError(f"{self.name}: {len(payload)} bytes, {self.size} needed")
        values: dict[str, Value] = dict(zip(self._names, self._packer.unpack(payload), strict=True))
        for name in self._texts:
            padded = values[name]
            if isinstance(padded, bytes):
                values[name] = padded.rstrip(b"\x00").decode("ascii", "replace")
        return values


def _checked(kind: str, size: int, value: Value) -> int | bytes:
    if not size:
        if isinstance(value, int):
            return value
    elif kind[0] == "b":
        if isinstance(value, bytes) and len(value) == size:
            return value
    elif isinstance(value, str) and len(value) <= size:
        return value.encode("ascii")
    raise ValueError(f"{value!r} is no {kind}")


def _layout(name: str, number: int, fields: str = "") -> Layout:
    pairs = tuple((part.split(":")[0], part.split(":")[1]) for part in fields.split())
    return Layout(name, number, pairs)


_EVENT: Final = "event_id:u64 boot_counter:u32 uptime_ms:u32 "
_LINK_STATUS: Final = "boot_counter:u32 uptime_ms:u32 last_event:u64 held_events:u16 lease_left_ms:u16 "

_LINK: Final = (
    _layout("HELLO", 0x01, "host_nonce:bytes16 spec_hash:bytes32 purpose:u8 security:u8 consumed_event:u64"),
    _layout(
        "HELLO_REPLY",
        0x81,
        "result:u8 host_nonce:bytes16 device_nonce:bytes16 spec_hash:bytes32 session:u8 device_kind:u8 model:text16 "
        "serial:text16 firmware:text12 boot_counter:u32 ring_size:u16 capabilities:u32 oldest_event:u64 last_event:u64",
    ),
    _layout("HEARTBEAT", 0x02, "lease_ms:u16"),
    _layout("EVENT_ACK", 0x03, "consumed_event:u64"),
    _layout("REJECT", 0xFF, "reason:u8 rejected_type:u8"),
    _layout("SEAL", 0x04, "key_id:bytes8 host_public:bytes32 host_proof:bytes16"),
    _layout(
        "SEAL_REPLY",
        0x84,
        "result:u8 device_public:bytes32 sealed_count:u64 oldest_event:u64 last_event:u64 device_proof:bytes16",
    ),
    _layout("PAIR", 0x05, "role:u8 host_name:text16 host_public:bytes32 auditor_public:bytes32 proof:bytes16"),
    _layout("PAIR_REPLY", 0x85, "result:u8 device_public:bytes32 identity_public:bytes32 proof:bytes16"),
    _layout("ATTEST", 0x38, "nonce:bytes32"),
    _layout("ATTEST_REPLY", 0xB8, "measurement:bytes32 signature:bytes64"),
    _layout("UNPAIR", 0x39),
    _layout("UNPAIR_REPLY", 0xB9),
)

_SHOE: Final = (
    _layout(
        "STATUS",
        0x82,
        _LINK_STATUS + "mode:u8 state:u8 flags:u16 deck_state:u8 deck_id:u32 cards_left:u8 gate_cards:u8 "
        "running_command:u64 last_command:u64 fault:u16 stacks_total:u32 cards_total:u32 "
        "round_id:u64 round_state:u8",
    ),
    _layout("QUERY_COMMAND", 0x10, "command_id:u64"),
    _layout("QUERY_COMMAND_REPLY", 0x90, "command_id:u64 outcome:u8 cards_seen:u8 taken:u8 first_slot:u8 fault:u16"),
    _layout("DISPENSE", 0x11, "command_id:u64 deck_id:u32 cards:u8 destination:u8"),
    _layout("DISPENSE_REPLY", 0x91, "command_id:u64 result:u8"),
    _layout("SET_INHIBIT", 0x12, "inhibited:u8"),
    _layout("SET_INHIBIT_REPLY", 0x92, "inhibited:u8"),
    _layout("PREPARE_DECK", 0x13, "command_id:u64"),
    _layout("PREPARE_DECK_REPLY", 0x93, "command_id:u64 result:u8"),
    _layout("CLEAR_FAULT", 0x14, "fault:u16"),
    _layout("CLEAR_FAULT_REPLY", 0x94, "result:u8 fault:u16"),
    _layout("READ_COUNTERS", 0x15),
    _layout(
        "READ_COUNTERS_REPLY",
        0x95,
        "stacks_total:u32 cards_total:u32 misfeeds_total:u32 rereads_total:u32 faults_total:u32 shuffles_total:u32",
    ),
    _layout("BEGIN_ROUND", 0x16, "round_id:u64 deck_id:u32"),
    _layout("BEGIN_ROUND_REPLY", 0x96, "round_id:u64 result:u8"),
    _layout("CLOSE_DEAL", 0x17, "round_id:u64"),
    _layout("CLOSE_DEAL_REPLY", 0x97, "round_id:u64 result:u8"),
    _layout("END_ROUND", 0x18, "round_id:u64"),
    _layout("END_ROUND_REPLY", 0x98, "round_id:u64 result:u8"),
    _layout("MATCH_CARD", 0x19, "round_id:u64 command_id:u64 face:u8"),
    _layout("MATCH_CARD_REPLY", 0x99, "round_id:u64 command_id:u64 result:u8"),
    _layout("REVEAL_STACK", 0x1A, "round_id:u64 command_id:u64"),
    _layout("REVEAL_STACK_REPLY", 0x9A, "round_id:u64 command_id:u64 result:u8 cards:u8 faces:bytes7 salts:bytes112"),
    _layout("READ_ASKED", 0x1B, "back:u8"),
    _layout(
        "READ_ASKED_REPLY",
        0x9B,
        "total:u32 round_id:u64 command_id:u64 asked:u8 result:u8 boot_counter:u32 uptime_ms:u32",
    ),
    _layout("BOOTED", 0x60, _EVENT + "cause:u8 cards_at:u8"),
    _layout("STACK_READY", 0x61, _EVENT + "command_id:u64 deck_id:u32 cards:u8 first_slot:u8"),
    _layout("STACK_TAKEN", 0x62, _EVENT + "command_id:u64 cards:u8"),
    _layout("DISPENSE_FAILED", 0x63, _EVENT + "command_id:u64 fault:u16 cards_seen:u8"),
    _layout("DISPENSE_INTERRUPTED", 0x64, _EVENT + "command_id:u64 cause:u8 cards_seen:u8"),
    _layout("COVER_CARD_INSERTED", 0x65, _EVENT + "before_slot:u8"),
    _layout("COVER_CARD_SEEN", 0x66, _EVENT + "command_id:u64 before_slot:u8"),
    _layout("DOOR_OPENED", 0x67, _EVENT + "cards_left:u8"),
    _layout("DOOR_CLOSED", 0x68, _EVENT + "cards_present:u8"),
    _layout("STUB_REMOVED", 0x69, _EVENT + "cards:u8"),
    _layout("DECK_LOADED", 0x6A, _EVENT),
    _layout("DECK_VERIFIED", 0x6B, _EVENT + "command_id:u64 deck_id:u32 cards:u8"),
    _layout(
        "DECK_REJECTED",
        0x6C,
        _EVENT + "command_id:u64 cards:u8 missing:u8 duplicate:u8 foreign:u8 unreadable:u8 face_up:u8 jokers:u8 "
        "named:bytes16",
    ),
    _layout("FAULT_RAISED", 0x6D, _EVENT + "fault:u16 detail:u8"),
    _layout("FAULT_CLEARED", 0x6E, _EVENT + "fault:u16"),
    _layout("LEASE_LOST", 0x6F, _EVENT + "running_command:u64"),
    _layout("MODE_CHANGED", 0x70, _EVENT + "mode:u8"),
    _layout("CARD_UNEXPECTED", 0x71, _EVENT + "cards:u8"),
    _layout("CARD_COMMITTED", 0x72, _EVENT + "round_id:u64 command_id:u64 slot:u8 commitment:bytes32"),
    _layout(
        "ROUND_SEALED",
        0x73,
        _EVENT + "round_id:u64 deck_id:u32 first_slot:u8 cards:u8 auditor:bytes8 ephemeral:bytes32 sealed:bytes100",
    ),
    _layout("CARD_FACE", 0x74, _EVENT + "command_id:u64 slot:u8 face:u8"),
)

_READER: Final = (
    _layout(
        "STATUS",
        0x82,
        _LINK_STATUS + "state:u8 flags:u16 places_occupied:u16 faces_seen:u8 fault:u16 cards_read_total:u32 "
        "rereads_total:u32 unreadable_total:u32",
    ),
    _layout("SCAN", 0x10, "place:u8"),
    _layout("SCAN_REPLY", 0x90, "place:u8 result:u8 faces:bytes8"),
    _layout("READ_COUNTERS", 0x15),
    _layout(
        "READ_COUNTERS_REPLY", 0x95, "cards_read_total:u32 rereads_total:u32 unreadable_total:u32 faults_total:u32"
    ),
    _layout("BOOTED", 0x60, _EVENT + "cause:u8"),
    _layout("CARD_READ", 0x61, _EVENT + "place:u8 index:u8 face:u8"),
    _layout("PLACE_CLEARED", 0x62, _EVENT + "place:u8"),
    _layout("FAULT_RAISED", 0x6D, _EVENT + "fault:u16 detail:u8"),
    _layout("FAULT_CLEARED", 0x6E, _EVENT + "fault:u16"),
)

MESSAGES: Final[dict[str, dict[str, Layout]]] = {
    "shoe": {layout.name: layout for layout in _LINK + _SHOE},
    "reader": {layout.name: layout for layout in _LINK + _READER},
}

_BY_TYPE: Final = {device: {layout.type: layout for layout in layouts.values()} for device, layouts in MESSAGES.items()}

FAULT_CODES: Final[dict[str, int]] = {
    "jam": 0x0101, "double_feed": 0x0102, "short_feed": 0x0103, "empty": 0x0104, "exit_blocked": 0x0105,
    "sensor_stuck": 0x0106, "sensor_chatter": 0x0107, "homing_failed": 0x0108, "platform_out_of_position": 0x0109,
    "motor_stalled": 0x010A, "feed_slow": 0x010B, "deck_count_wrong": 0x0201, "deck_identity_wrong": 0x0202,
    "card_unreadable": 0x0203, "card_face_up": 0x0204, "card_foreign": 0x0205, "content_unknown": 0x0206,
    "memory_corrupt": 0x0301, "watchdog_reset": 0x0302, "low_battery": 0x0303, "over_temperature": 0x0304,
    "ring_full": 0x0305, "lens_dirty": 0x0401, "reader_unsteady": 0x0402,
}  # fmt: skip
FAULT_NAMES: Final = {code: name for name, code in FAULT_CODES.items()}
GOES_ON: Final = frozenset({"sensor_chatter", "feed_slow", "low_battery", "lens_dirty"})
LOCKOUT: Final = frozenset({"sensor_stuck", "homing_failed", "platform_out_of_position", "memory_corrupt"})
VOID: Final = frozenset({"deck_count_wrong", "deck_identity_wrong", "content_unknown"})


def layout_of(device: str, number: int) -> Layout | None:
    """Return the layout of a type number at a device ("shoe" or "reader"), or None."""
    return _BY_TYPE[device].get(number)


def pack(device: str, name: str, values: Mapping[str, Value]) -> bytes:
    """Return the payload of the message `name` of `device`. Raises ValueError as `Layout.pack` does."""
    return MESSAGES[device][name].pack(values)


def unpack(device: str, name: str, payload: bytes) -> dict[str, Value]:
    """Return the fields of a payload of the message `name` of `device`. Raises ValueError on a wrong length."""
    return MESSAGES[device][name].unpack(payload)
