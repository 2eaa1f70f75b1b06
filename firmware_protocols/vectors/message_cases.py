"""Hand-written messages of both devices, each with the fields that frames.jsonl carries (both directions).

Owns the values only; `frame_cases.py` packs them. A row is (device, message, session, sequence, clauses, fields) and,
where a person wrote it down byte by byte, the payload in hex: the generator stops when its own packing differs.
"""

# ruff: noqa: E501 (a case is a row: cut into lines it can no longer be read beside its neighbours)
from __future__ import annotations

from vector_wire import Value, spec_hash

Row = tuple[str, str, int, int, list[str], dict[str, Value], str | None]

NONCE_A = "000102030405060708090a0b0c0d0e0f"
NONCE_B = "f0e1d2c3b4a5968778695a4b3c2d1e0f"
TOP = 2**64 - 1
EVENT: dict[str, Value] = {"event_id": 0x0102030405060708, "boot_counter": 7, "uptime_ms": 61_000}
FIRST: dict[str, Value] = {"event_id": 1, "boot_counter": 1, "uptime_ms": 0}
EVENT_HEX = "08070605040302010700000048ee0000"
SHOE, READER = spec_hash("shoe"), spec_hash("reader")


def _hello(hash_: str, **changes: Value) -> dict[str, Value]:
    fields: dict[str, Value] = {"host_nonce": NONCE_A, "spec_hash": hash_, "purpose": 0, "security": 0}
    return fields | {"consumed_event": 0} | changes


def _reply(hash_: str, kind: int, **changes: Value) -> dict[str, Value]:
    fields: dict[str, Value] = {"result": 0, "host_nonce": NONCE_A, "device_nonce": NONCE_B, "spec_hash": hash_}
    fields |= {"session": 1, "device_kind": kind, "model": "MODEL-16-LETTERS", "serial": "SN 1", "firmware": "1.0.0"}
    fields |= {"boot_counter": 3, "ring_size": 128, "capabilities": 31 if kind == 1 else 7}
    return fields | {"oldest_event": 1, "last_event": 0} | changes


def _shoe_status(**changes: Value) -> dict[str, Value]:
    fields: dict[str, Value] = {"boot_counter": 3, "uptime_ms": 2**32 - 1, "last_event": 260, "held_events": 2}
    fields |= {"lease_left_ms": 1000, "mode": 0, "state": 3, "flags": 2 | 8 | 32, "deck_state": 2, "deck_id": 65_536}
    fields |= {"cards_left": 50, "gate_cards": 2, "running_command": 0, "last_command": 258, "fault": 0}
    return fields | {"stacks_total": 1, "cards_total": 2, "round_id": 258, "round_state": 1} | changes


def _reader_status(**changes: Value) -> dict[str, Value]:
    fields: dict[str, Value] = {"boot_counter": 3, "uptime_ms": 0, "last_event": 260, "held_events": 0}
    fields |= {"lease_left_ms": 0, "state": 1, "flags": 0, "places_occupied": 0x81, "faces_seen": 5, "fault": 0}
    return fields | {"cards_read_total": 9, "rereads_total": 1, "unreadable_total": 256} | changes


def _event(**fields: Value) -> dict[str, Value]:
    return EVENT | fields


def _first(**fields: Value) -> dict[str, Value]:
    return FIRST | fields


_HELLO_REPLY_HEX = (
    "00" + NONCE_A + NONCE_B + SHOE + "01" + "01" + "4d4f44454c2d31362d4c455454455253" + "534e2031" + 12 * "00"
    + "312e302e30" + 7 * "00" + "03000000" + "8000" + "1f000000" + "0100000000000000" + "0000000000000000"
)  # fmt: skip

LINK_ROWS: list[Row] = [
    ("shoe", "HELLO", 0, 1, ["LINK-5.2"], _hello(SHOE), NONCE_A + SHOE + "0000" + 8 * "00"),
    ("shoe", "HELLO", 0, 255, ["LINK-5.8", "LINK-5.9"], _hello(SHOE, purpose=1, security=1, consumed_event=TOP), None),
    ("reader", "HELLO", 0, 0, ["LINK-5.2"], _hello(READER, host_nonce=16 * "00", consumed_event=256), None),
    ("shoe", "HELLO_REPLY", 0, 1, ["LINK-2.7", "LINK-5.3", "SHOE-1.1"], _reply(SHOE, 1), _HELLO_REPLY_HEX),
    ("shoe", "HELLO_REPLY", 0, 2, ["LINK-5.3"], _reply(READER, 1, result=1, session=0), None),
    ("shoe", "HELLO_REPLY", 0, 3, ["LINK-5.11"], _reply(SHOE, 1, oldest_event=TOP - 127, last_event=TOP), None),
    ("shoe", "HELLO_REPLY", 0, 4, ["LINK-2.7"], _reply(SHOE, 1, model="", serial="", firmware="ABCDEFGHIJKL"), None),
    ("reader", "HELLO_REPLY", 0, 1, ["LINK-5.3", "READER-1.1"], _reply(READER, 2), None),
    ("shoe", "HEARTBEAT", 1, 0, ["LINK-6.1"], {"lease_ms": 1000}, "e803"),
    ("shoe", "HEARTBEAT", 255, 255, ["LINK-6.1"], {"lease_ms": 65_535}, "ffff"),
    ("reader", "HEARTBEAT", 1, 13, ["LINK-6.1"], {"lease_ms": 0}, "0000"),
    ("shoe", "STATUS", 1, 0, ["LINK-6.2", "SHOE-2.1", "SHOE-2.2", "SHOE-2.3"], _shoe_status(), (
        "03000000" "ffffffff" "0401000000000000" "0200" "e803" "00" "03" "2a00" "02" "00000100" "32" "02"
        "0000000000000000" "0201000000000000" "0000" "01000000" "02000000" "0201000000000000" "01"
    )),
    ("shoe", "STATUS", 1, 9, ["SHOE-2.3", "SHOE-2.4", "SHOE-2.5"], _shoe_status(
        state=5, cards_left=255, gate_cards=255, running_command=TOP, last_command=TOP, fault=0x0306, deck_state=4,
        stacks_total=2**32 - 1, cards_total=2**32 - 1,
    ), None),
    ("reader", "STATUS", 1, 0, ["LINK-6.2", "READER-4.1"], _reader_status(), (
        "03000000" "00000000" "0401000000000000" "0000" "0000" "01" "0000" "8100" "05" "0000"
        "09000000" "01000000" "00010000"
    )),
    ("reader", "STATUS", 1, 1, ["READER-4.1"], _reader_status(state=2, flags=3, fault=0x0402), None),
    ("shoe", "EVENT_ACK", 1, 0, ["LINK-7.4"], {"consumed_event": 1}, "0100000000000000"),
    ("reader", "EVENT_ACK", 1, 10, ["LINK-7.4"], {"consumed_event": TOP}, "ffffffffffffffff"),
    ("shoe", "REJECT", 0, 7, ["LINK-5.1"], {"reason": 1, "rejected_type": 0x11}, "0111"),
    ("shoe", "REJECT", 1, 0, ["LINK-4.4"], {"reason": 4, "rejected_type": 0x10}, "0410"),
    ("reader", "REJECT", 255, 255, ["LINK-4.8"], {"reason": 6, "rejected_type": 0xFF}, "06ff"),
]  # fmt: skip

KEY_A, KEY_B = bytes(range(32)).hex(), bytes(range(255, 223, -1)).hex()
PROOF = bytes(range(0xB0, 0xC0)).hex()
_SEAL: dict[str, Value] = {"key_id": "0123456789abcdef", "host_public": KEY_A, "host_proof": PROOF}
_SEAL_REPLY: dict[str, Value] = {
    "result": 0,
    "device_public": KEY_B,
    "sealed_count": 258,
    "oldest_event": 5,
    "last_event": 9,
}
_PAIR: dict[str, Value] = {
    "role": 1,
    "host_name": "table-7",
    "host_public": KEY_A,
    "auditor_public": KEY_B,
    "proof": PROOF,
}
_PAIR_REPLY: dict[str, Value] = {"result": 0, "device_public": KEY_A, "identity_public": KEY_B, "proof": PROOF}
_NOTHING = 64 * "0"


def _sealed_rows(device: str) -> list[Row]:
    """The messages of sealed sessions, pairing and attestation: the same for every device."""
    return [
        (device, "SEAL", 7, 1, ["LINK-9.1", "LINK-9.3"], _SEAL, "0123456789abcdef" + KEY_A + PROOF),
        (device, "SEAL_REPLY", 7, 1, ["LINK-9.4"], _SEAL_REPLY | {"device_proof": PROOF},
         "00" + KEY_B + "0201000000000000" "0500000000000000" "0900000000000000" + PROOF),
        (device, "SEAL_REPLY", 255, 255, ["LINK-9.3"], {"result": 2, "device_public": _NOTHING, "sealed_count": 0,
         "oldest_event": 0, "last_event": 0, "device_proof": 32 * "0"}, "02" + 144 * "0"),
        (device, "PAIR", 7, 1, ["LINK-11.4"], _PAIR, "01" "7461626c652d37" + 18 * "0" + KEY_A + KEY_B + PROOF),
        (device, "PAIR", 1, 0, ["LINK-11.4"], _PAIR | {"role": 0, "host_name": "", "auditor_public": _NOTHING}, None),
        (device, "PAIR_REPLY", 7, 1, ["LINK-11.5"], _PAIR_REPLY, "00" + KEY_A + KEY_B + PROOF),
        (device, "PAIR_REPLY", 7, 2, ["LINK-11.5"],
         {"result": 1, "device_public": _NOTHING, "identity_public": _NOTHING, "proof": 32 * "0"}, "01" + 160 * "0"),
        (device, "ATTEST", 1, 1, ["LINK-12.1"], {"nonce": KEY_A}, KEY_A),
        (device, "ATTEST_REPLY", 1, 1, ["LINK-12.1"], {"measurement": KEY_B, "signature": KEY_A + KEY_B}, KEY_B + KEY_A + KEY_B),
        (device, "UNPAIR", 1, 2, ["LINK-11.7"], {}, ""),
        (device, "UNPAIR_REPLY", 1, 2, ["LINK-11.7"], {}, ""),
        (device, "HELLO", 0, 9, ["LINK-5.9", "LINK-11.3"], _hello(SHOE if device == "shoe" else READER, security=2), None),
        (device, "REJECT", 1, 3, ["LINK-12.5"], {"reason": 7, "rejected_type": 0x38}, "0738"),
    ]  # fmt: skip


ROUND_ROWS: list[Row] = [
    ("shoe", "BEGIN_ROUND", 1, 1, ["SHOE-9.1"], {"round_id": 0x0102030405060708, "deck_id": 65_536}, "0807060504030201" "00000100"),
    ("shoe", "BEGIN_ROUND", 1, 2, ["SHOE-9.1"], {"round_id": TOP, "deck_id": 2**32 - 1}, None),
    ("shoe", "BEGIN_ROUND_REPLY", 1, 1, ["SHOE-9.1"], {"round_id": 258, "result": 5}, "0201000000000000" "05"),
    ("shoe", "CLOSE_DEAL", 1, 1, ["SHOE-9.6"], {"round_id": 258}, "0201000000000000"),
    ("shoe", "CLOSE_DEAL_REPLY", 1, 1, ["SHOE-9.6"], {"round_id": 258, "result": 0}, "0201000000000000" "00"),
    ("shoe", "END_ROUND", 1, 1, ["SHOE-9.9"], {"round_id": TOP}, 16 * "f"),
    ("shoe", "END_ROUND_REPLY", 1, 1, ["SHOE-9.9"], {"round_id": TOP, "result": 6}, 16 * "f" + "06"),
    ("shoe", "MATCH_CARD", 1, 1, ["SHOE-9.4"], {"round_id": 258, "command_id": 9, "face": 51}, "0201000000000000" "0900000000000000" "33"),
    ("shoe", "MATCH_CARD_REPLY", 1, 1, ["SHOE-9.4"], {"round_id": 258, "command_id": 9, "result": 0},
     "0201000000000000" "0900000000000000" "00"),
    ("shoe", "MATCH_CARD_REPLY", 1, 2, ["SHOE-9.5"], {"round_id": 258, "command_id": TOP, "result": 6}, None),
    ("shoe", "REVEAL_STACK", 1, 1, ["SHOE-9.7"], {"round_id": 258, "command_id": 9}, "0201000000000000" "0900000000000000"),
    ("shoe", "REVEAL_STACK_REPLY", 1, 1, ["SHOE-9.7"],
     {"round_id": 258, "command_id": 9, "result": 0, "cards": 2, "faces": "33fe" + 10 * "f", "salts": PROOF + PROOF + 160 * "0"},
     "0201000000000000" "0900000000000000" "00" "02" "33fe" + 10 * "f" + PROOF + PROOF + 160 * "0"),
    ("shoe", "REVEAL_STACK_REPLY", 1, 2, ["SHOE-9.7"],
     {"round_id": 258, "command_id": 9, "result": 2, "cards": 0, "faces": 14 * "f", "salts": 224 * "0"}, None),
    ("shoe", "READ_ASKED", 1, 1, ["SHOE-9.8"], {"back": 63}, "3f"),
    ("shoe", "READ_ASKED_REPLY", 1, 1, ["SHOE-9.8"],
     {"total": 65_537, "round_id": 258, "command_id": 9, "asked": 1, "result": 1, "boot_counter": 3, "uptime_ms": 61_000},
     "01000100" "0201000000000000" "0900000000000000" "01" "01" "03000000" "48ee0000"),
    ("shoe", "READ_ASKED_REPLY", 1, 2, ["SHOE-9.8"],
     {"total": 0, "round_id": 0, "command_id": 0, "asked": 0, "result": 0, "boot_counter": 0, "uptime_ms": 0}, None),
    ("shoe", "CARD_COMMITTED", 1, 19, ["SHOE-9.2", "SHOE-9.3"], _event(round_id=258, command_id=9, slot=4, commitment=KEY_B),
     EVENT_HEX + "0201000000000000" "0900000000000000" "04" + KEY_B),
    ("shoe", "ROUND_SEALED", 1, 20, ["SHOE-9.9", "SHOE-9.10"],
     _event(round_id=258, deck_id=7, first_slot=4, cards=12, auditor="0123456789abcdef", ephemeral=KEY_A, sealed=100 * "5a"),
     EVENT_HEX + "0201000000000000" "07000000" "04" "0c" "0123456789abcdef" + KEY_A + 100 * "5a"),
    ("shoe", "ROUND_SEALED", 1, 21, ["SHOE-9.10"],
     _event(round_id=258, deck_id=7, first_slot=0, cards=0, auditor=16 * "0", ephemeral=_NOTHING, sealed=200 * "0"), None),
    ("shoe", "CARD_FACE", 1, 22, ["SHOE-9.14"], _event(command_id=9, slot=4, face=51), EVENT_HEX + "0900000000000000" "04" "33"),
    ("shoe", "DISPENSE_REPLY", 1, 3, ["SHOE-4.2", "SHOE-9.6"], {"command_id": 1, "result": 14}, "0100000000000000" "0e"),
]  # fmt: skip

COMMAND_ROWS: list[Row] = [
    ("shoe", "QUERY_COMMAND", 1, 1, ["SHOE-3.6"], {"command_id": 1}, "0100000000000000"),
    ("shoe", "QUERY_COMMAND", 1, 2, ["SHOE-3.6"], {"command_id": TOP}, 16 * "f"),
    ("shoe", "QUERY_COMMAND_REPLY", 1, 1, ["SHOE-3.6"],
     {"command_id": 1, "outcome": 0, "cards_seen": 0, "taken": 0, "first_slot": 255, "fault": 0}, "0100000000000000" "000000ff0000"),
    ("shoe", "QUERY_COMMAND_REPLY", 1, 2, ["SHOE-3.6"],
     {"command_id": 2**63, "outcome": 2, "cards_seen": 7, "taken": 1, "first_slot": 45, "fault": 0}, None),
    ("shoe", "QUERY_COMMAND_REPLY", 1, 3, ["SHOE-3.6"],
     {"command_id": 3, "outcome": 3, "cards_seen": 1, "taken": 0, "first_slot": 0, "fault": 0x0101}, "0300000000000000" "030100000101"),
    ("shoe", "QUERY_COMMAND_REPLY", 1, 4, ["SHOE-3.6"],
     {"command_id": 4, "outcome": 4, "cards_seen": 255, "taken": 0, "first_slot": 255, "fault": 0}, None),
    ("shoe", "DISPENSE", 1, 1, ["SHOE-4.1", "LINK-2.7"],
     {"command_id": 0x1122334455667788, "deck_id": 0x01020304, "cards": 2, "destination": 4}, "8877665544332211" "04030201" "0204"),
    ("shoe", "DISPENSE", 255, 255, ["SHOE-4.1"], {"command_id": TOP, "deck_id": 2**32 - 1, "cards": 7, "destination": 6}, None),
    ("shoe", "DISPENSE", 1, 0, ["SHOE-4.1"], {"command_id": 1, "deck_id": 0, "cards": 1, "destination": 0}, None),
    ("shoe", "DISPENSE_REPLY", 1, 1, ["SHOE-4.2"], {"command_id": 1, "result": 0}, "0100000000000000" "00"),
    ("shoe", "DISPENSE_REPLY", 1, 2, ["SHOE-4.2"], {"command_id": TOP, "result": 13}, None),
    ("shoe", "SET_INHIBIT", 1, 1, ["SHOE-5.1"], {"inhibited": 1}, "01"),
    ("shoe", "SET_INHIBIT", 1, 2, ["SHOE-5.1"], {"inhibited": 0}, "00"),
    ("shoe", "SET_INHIBIT_REPLY", 1, 1, ["SHOE-5.1"], {"inhibited": 1}, "01"),
    ("shoe", "PREPARE_DECK", 1, 1, ["SHOE-6.2"], {"command_id": 256}, "0001000000000000"),
    ("shoe", "PREPARE_DECK_REPLY", 1, 1, ["SHOE-6.2"], {"command_id": 256, "result": 10}, "0001000000000000" "0a"),
    ("shoe", "CLEAR_FAULT", 1, 1, ["SHOE-8.3"], {"fault": 0x010A}, "0a01"),
    ("shoe", "CLEAR_FAULT_REPLY", 1, 1, ["SHOE-8.3"], {"result": 3, "fault": 0x0106}, "030601"),
    ("shoe", "READ_COUNTERS", 1, 1, ["SHOE-8.7"], {}, ""),
    ("shoe", "READ_COUNTERS_REPLY", 1, 1, ["SHOE-8.7"],
     {"stacks_total": 1, "cards_total": 2, "misfeeds_total": 3, "rereads_total": 4, "faults_total": 5, "shuffles_total": 2**32 - 1},
     "01000000" "02000000" "03000000" "04000000" "05000000" "ffffffff"),
    ("reader", "SCAN", 1, 1, ["READER-3.1"], {"place": 7}, "07"),
    ("reader", "SCAN", 1, 2, ["READER-3.1"], {"place": 255}, "ff"),
    ("reader", "SCAN_REPLY", 1, 1, ["READER-3.1", "READER-1.3"], {"place": 7, "result": 0, "faces": "00010233feffffff"}, "0700" "00010233feffffff"),
    ("reader", "SCAN_REPLY", 1, 2, ["READER-3.1"], {"place": 0, "result": 1, "faces": 16 * "f"}, None),
    ("reader", "READ_COUNTERS", 1, 1, ["READER-4.4"], {}, ""),
    ("reader", "READ_COUNTERS_REPLY", 1, 1, ["READER-4.4"],
     {"cards_read_total": 1, "rereads_total": 0, "unreadable_total": 2**31, "faults_total": 256}, "01000000" "00000000" "00000080" "00010000"),
]  # fmt: skip

SHOE_EVENT_ROWS: list[Row] = [
    ("shoe", "BOOTED", 1, 0, ["SHOE-8.5", "LINK-7.1"], _first(cause=1, cards_at=0), "0100000000000000" "01000000" "00000000" "0100"),
    ("shoe", "BOOTED", 1, 1, ["SHOE-8.5"], _event(cause=3, cards_at=7), EVENT_HEX + "0307"),
    ("shoe", "STACK_READY", 1, 2, ["SHOE-4.4"], _event(command_id=1, deck_id=2, cards=2, first_slot=50), EVENT_HEX + "0100000000000000" "02000000" "0232"),
    ("shoe", "STACK_READY", 255, 255, ["SHOE-4.4"], _first(command_id=TOP, deck_id=2**32 - 1, cards=7, first_slot=0), None),
    ("shoe", "STACK_TAKEN", 1, 3, ["SHOE-4.8"], _event(command_id=1, cards=255), EVENT_HEX + "0100000000000000" "ff"),
    ("shoe", "DISPENSE_FAILED", 1, 4, ["SHOE-4.5"], _event(command_id=1, fault=0x0102, cards_seen=3), EVENT_HEX + "0100000000000000" "0201" "03"),
    ("shoe", "DISPENSE_INTERRUPTED", 1, 5, ["SHOE-4.6"], _event(command_id=1, cause=2, cards_seen=255), EVENT_HEX + "0100000000000000" "02ff"),
    ("shoe", "COVER_CARD_INSERTED", 1, 6, ["SHOE-7.3"], _event(before_slot=14), EVENT_HEX + "0e"),
    ("shoe", "COVER_CARD_SEEN", 1, 7, ["SHOE-7.4"], _event(command_id=8, before_slot=14), EVENT_HEX + "0800000000000000" "0e"),
    ("shoe", "DOOR_OPENED", 1, 8, ["SHOE-7.1"], _event(cards_left=38), EVENT_HEX + "26"),
    ("shoe", "DOOR_CLOSED", 1, 9, ["SHOE-7.1"], _event(cards_present=1), EVENT_HEX + "01"),
    ("shoe", "STUB_REMOVED", 1, 10, ["SHOE-7.2"], _event(cards=255), EVENT_HEX + "ff"),
    ("shoe", "DECK_LOADED", 1, 11, ["SHOE-6.1"], _event(), EVENT_HEX),
    ("shoe", "DECK_VERIFIED", 1, 12, ["SHOE-6.3"], _event(command_id=9, deck_id=10, cards=52), EVENT_HEX + "0900000000000000" "0a000000" "34"),
    ("shoe", "DECK_REJECTED", 1, 13, ["SHOE-6.4"], _event(
        command_id=9, cards=52, missing=1, duplicate=1, foreign=1, unreadable=0, face_up=0, jokers=0, named="0133020003ff" + 20 * "0",
     ), EVENT_HEX + "0900000000000000" "34" "010101000000" "0133020003ff" + 20 * "0"),
    ("shoe", "FAULT_RAISED", 1, 14, ["SHOE-8.1"], _event(fault=0x0101, detail=0), EVENT_HEX + "0101" "00"),
    ("shoe", "FAULT_CLEARED", 1, 15, ["SHOE-8.1"], _event(fault=0x0101), EVENT_HEX + "0101"),
    ("shoe", "LEASE_LOST", 1, 16, ["SHOE-5.2"], _event(running_command=TOP), EVENT_HEX + 16 * "f"),
    ("shoe", "MODE_CHANGED", 1, 17, ["SHOE-8.6"], _event(mode=2), EVENT_HEX + "02"),
    ("shoe", "CARD_UNEXPECTED", 1, 18, ["SHOE-4.10"], _event(cards=1), EVENT_HEX + "01"),
]  # fmt: skip

READER_EVENT_ROWS: list[Row] = [
    ("reader", "BOOTED", 1, 0, ["READER-4.3"], _event(cause=2), EVENT_HEX + "02"),
    ("reader", "CARD_READ", 1, 1, ["READER-2.1", "READER-1.2"], _event(place=7, index=0, face=0), EVENT_HEX + "070000"),
    ("reader", "CARD_READ", 1, 2, ["READER-1.3"], _event(place=1, index=2, face=51), EVENT_HEX + "010233"),
    ("reader", "CARD_READ", 1, 3, ["READER-1.3"], _event(place=0, index=1, face=0xFE), EVENT_HEX + "0001fe"),
    ("reader", "CARD_READ", 1, 4, ["READER-1.3"], _event(place=0, index=1, face=0xFD), EVENT_HEX + "0001fd"),
    ("reader", "PLACE_CLEARED", 1, 5, ["READER-2.3"], _event(place=7), EVENT_HEX + "07"),
    ("reader", "FAULT_RAISED", 1, 6, ["READER-4.2"], _event(fault=0x0401, detail=0), EVENT_HEX + "0104" "00"),
    ("reader", "FAULT_CLEARED", 1, 7, ["READER-4.2"], _event(fault=0x0402), EVENT_HEX + "0204"),
]  # fmt: skip

SEALED_ROWS = _sealed_rows("shoe") + _sealed_rows("reader")
ROWS = LINK_ROWS + SEALED_ROWS + COMMAND_ROWS + ROUND_ROWS + SHOE_EVENT_ROWS + READER_EVENT_ROWS
