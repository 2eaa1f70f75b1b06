"""Cases of frames.jsonl: frames that a receiver takes, and frames that it drops, each with the clause that says so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from message_cases import ROWS
from vector_wire import cobs_encode, content_of, crc32, load, pack, wire_of

Vector = dict[str, Any]

# The frame that most bad ones are made of: a DISPENSE of two cards, session 1, sequence 2.
ORDER = bytes.fromhex("8877665544332211040302010204")
GOOD = content_of(1, 0x11, 2, ORDER)


def _good(id_: str, clauses: list[str], note: str, session: int, kind: int, sequence: int, payload: bytes) -> Vector:
    wire = wire_of(session, kind, sequence, payload)
    return {"id": id_, "clauses": clauses, "note": note, "wire": wire.hex(), "accept": True, "version": 1,
            "session": session, "type": kind, "sequence": sequence, "payload": payload.hex()}  # fmt: skip


def _bad(id_: str, clauses: list[str], why: str, note: str, wire: bytes) -> Vector:
    return {"id": id_, "clauses": clauses, "note": note, "wire": wire.hex(), "accept": False, "why": why}


def _sealed_by_crc(head_and_payload: bytes) -> bytes:
    """Content with a right check over whatever header and payload are given."""
    return head_and_payload + crc32(head_and_payload).to_bytes(4, "little")


def _on_line(content: bytes) -> bytes:
    return cobs_encode(content) + b"\0"


# --- typed messages


def typed() -> Iterator[Vector]:
    """Every message of both devices with its fields, to be packed and unpacked."""
    books = {device: load(device) for device in ("shoe", "reader")}
    seen: dict[str, int] = {}
    for device, name, session, sequence, clauses, fields, written in ROWS:
        message = books[device][name]
        payload = pack(message, fields)
        if written is not None and written != payload.hex():
            raise ValueError(f"{device} {name}: written {written}, packed {payload.hex()}")
        stem = f"frame/{device}/{name.lower()}"
        seen[stem] = seen.get(stem, 0) + 1
        cited = clauses if "LINK-2.1" in clauses else ["LINK-2.1", *clauses]
        vector = _good(
            f"{stem}-{seen[stem]}", cited, f"{name} of the {device}", session, message.type, sequence, payload
        )
        yield vector | {"device": device, "from": message.sender, "message": name, "fields": fields}


def mislaid() -> Iterator[Vector]:
    """Frames that are whole, with payloads that are no message: another length than the sum of the fields."""
    for device, name, payload, note in [
        ("shoe", "DISPENSE", ORDER[:-1], "one byte short"),
        ("shoe", "DISPENSE", ORDER + b"\0", "one byte long"),
        ("shoe", "READ_COUNTERS", b"\0", "a byte where there is no field"),
        ("shoe", "EVENT_ACK", bytes(4), "a 32-bit id"),
        ("shoe", "STACK_READY", bytes(16), "only the fields that all events share"),
        ("reader", "SCAN", b"", "no place"),
        ("reader", "CARD_READ", bytes(18), "no face"),
        ("reader", "STATUS", bytes(68), "the length of the shoe's STATUS"),
    ]:
        message = load(device)[name]
        stem = f"frame/mislaid/{device}-{name.lower()}-{len(payload)}"
        yield _good(stem, ["LINK-2.8"], f"{name}: {note}", 1, message.type, 1, payload) | {
            "device": device, "from": message.sender, "message": name, "fields": None,
        }  # fmt: skip


# --- lengths and contents


def shapes() -> Iterator[Vector]:
    """Frames of every awkward length and content."""
    yield _good("frame/length-0", ["LINK-2.3"], "no payload", 1, 0x15, 1, b"")
    yield _good("frame/length-1", ["LINK-2.3"], "one byte", 1, 0x12, 1, b"\x01")
    for fill, name in [(b"\0", "zeros"), (b"\xff", "ff"), (b"\x01", "ones")]:
        clauses = ["LINK-2.3", "LINK-2.5", "LINK-2.6"]
        note = f"the longest payload, all {fill.hex()}"
        yield _good(f"frame/length-232-{name}", clauses, note, 1, 0x7F, 1, 232 * fill)
        yield _good(f"frame/length-8-{name}", ["LINK-2.5"], f"eight bytes of {fill.hex()}", 1, 0x10, 1, 8 * fill)
    counting = bytes(range(232))
    yield _good("frame/length-232-counting", ["LINK-1.1", "LINK-2.3"], "bytes 00 to E7", 1, 0x7F, 1, counting)
    rest = bytes(range(24, 256))
    yield _good(
        "frame/length-232-high", ["LINK-1.1", "LINK-2.3"], "bytes 18 to FF: control bytes pass", 1, 0x7F, 2, rest
    )
    controls = bytes(range(32))
    yield _good(
        "frame/length-32-controls", ["LINK-1.1"], "bytes 00 to 1F, XON and XOFF among them", 1, 0x7F, 3, controls
    )
    for place in range(8):
        payload = bytearray(b"\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8")
        payload[place] = 0
        yield _good(f"frame/zero-at-{place}", ["LINK-2.5"], f"00 as payload byte {place}", 1, 0x10, 3, bytes(payload))
    for session, sequence in [(0, 0), (0, 255), (255, 0), (255, 255), (17, 19)]:
        note = f"session {session}, sequence {sequence}"
        yield _good(f"frame/header-{session}-{sequence}", ["LINK-2.1"], note, session, 0x12, sequence, b"\x01")
    yield _good(
        "frame/no-zero-inside", ["LINK-2.5"], "content without any 00: one COBS block", 7, 0x11, 7, 14 * b"\x55"
    )


# --- bad frames


def bad_lengths() -> Iterator[Vector]:
    """The exact length check, with a check that would pass by itself."""
    cites = ["LINK-2.3", "LINK-3.2"]
    for step in (-1, 1, -14, 241):
        head = bytes([1, 1, 0x11, 2, 14 + step])
        note = f"length says {14 + step}, 14 bytes are there, the check is right"
        yield _bad(f"frame/bad/length-{14 + step}", cites, "wrong_length", note, _on_line(_sealed_by_crc(head + ORDER)))
    for size in range(9):
        content = _sealed_by_crc(GOOD[: max(0, size - 4)])[-size:] if size else b""
        note = f"content of {size} bytes: too short for header and check"
        yield _bad(f"frame/bad/short-{size}", cites, "wrong_length", note, _on_line(content))
    for size in (233, 240, 244):
        note = f"{size} payload bytes: more than 232, though frame, length and check agree"
        wire = wire_of(1, 0x7F, 1, size * b"\x01")
        yield _bad(f"frame/bad/payload-{size}", ["LINK-2.3", "LINK-2.6"], "wrong_length", note, wire)
    wire = wire_of(1, 0x7F, 1, 245 * b"\x01")
    yield _bad("frame/bad/overlong-255", ["LINK-2.6", "LINK-3.3"], "too_long", "255 bytes without a 00", wire)
    wire = wire_of(1, 0x7F, 1, 300 * b"\x01")
    yield _bad("frame/bad/overlong-300", ["LINK-2.6", "LINK-3.3"], "too_long", "a payload of 300 bytes", wire)
    for zeros in (1, 2, 4):
        note = f"{zeros} zero byte(s) after the check: a residue must not be trusted, the length must"
        wire = _on_line(GOOD + bytes(zeros))
        yield _bad(f"frame/bad/residue-{zeros}", ["LINK-2.3", "LINK-2.4"], "wrong_length", note, wire)
        head = bytes([1, 1, 0x11, 2, 14 + zeros])
        grown = head + GOOD[5:] + bytes(zeros)
        note = f"the same with the length made to fit: the last four bytes are not the check ({zeros})"
        yield _bad(f"frame/bad/residue-fit-{zeros}", ["LINK-2.4"], "wrong_check", note, _on_line(grown))


def bad_checks() -> Iterator[Vector]:
    """Checks that are nearly right, and frames that changed under a right one."""
    body, check = GOOD[:-4], GOOD[-4:]
    cites = ["LINK-2.4", "LINK-3.2"]
    for byte, bit in [(0, 0), (1, 7), (2, 3), (3, 0)]:
        wrong = bytearray(check)
        wrong[byte] ^= 1 << bit
        note = f"bit {bit} of check byte {byte} turned"
        yield _bad(f"frame/bad/check-bit-{byte}", cites, "wrong_check", note, _on_line(body + bytes(wrong)))
    for name, value, note in [
        ("big-endian", int.from_bytes(check, "big"), "the check sent most significant byte first"),
        ("not-inverted", crc32(body) ^ 0xFFFFFFFF, "without the final exclusive-or"),
        ("payload-only", crc32(body[5:]), "over the payload without the header"),
        ("zero", 0, "a check of zeros"),
        ("ones", 0xFFFFFFFF, "a check of ones"),
    ]:
        wire = _on_line(body + value.to_bytes(4, "little"))
        yield _bad(f"frame/bad/check-{name}", cites, "wrong_check", note, wire)
    for place, name in [
        (1, "session"),
        (2, "type"),
        (3, "sequence"),
        (5, "first payload byte"),
        (18, "last payload byte"),
    ]:
        changed = bytearray(GOOD)
        changed[place] ^= 0x10
        stem = f"frame/bad/changed-{place}"
        yield _bad(stem, cites, "wrong_check", f"{name} changed under the old check", _on_line(bytes(changed)))
    swapped = GOOD[:5] + GOOD[6:4:-1] + GOOD[7:]
    yield _bad("frame/bad/swapped", cites, "wrong_check", "two payload bytes change places", _on_line(swapped))


def bad_versions() -> Iterator[Vector]:
    """Versions that no clear session uses, with a right check."""
    for version in (0x00, 0x02, 0x80, 0x81, 0xFF):
        cites = ["LINK-2.2"] if version != 0x81 else ["LINK-2.2", "LINK-9.11"]
        wire = wire_of(1, 0x11, 2, ORDER, version=version)
        note = f"version {version:02X}, length and check are right"
        yield _bad(f"frame/bad/version-{version:02x}", cites, "wrong_version", note, wire)
    tagged = bytes([0x81, 1, 0x11, 2, 14]) + ORDER + bytes(range(0xA0, 0xB0))
    note = "a frame of version 81 with a tag and no counter: no layout that there is, and not for a clear session"
    yield _bad("frame/bad/sealed", ["LINK-9.8", "LINK-2.2"], "any", note, _on_line(tagged))


def bad_cobs() -> Iterator[Vector]:
    """Bytes between two 00 that are no COBS encoding, and frames that lost or won a byte on the line."""
    encoded = cobs_encode(GOOD)
    cites = ["LINK-2.5", "LINK-3.2"]
    for name, wire, note in [
        ("beyond-end", encoded[:-1], "the last byte is missing: the last code points beyond the end"),
        ("code-ff", b"\xff" + encoded[1:], "code FF, which needs 254 bytes behind it"),
        ("lone-code", b"\x05", "one code byte and nothing behind it"),
        ("code-ff-253", b"\xff" + 253 * b"\x01", "FF and 253 bytes: one too few"),
        ("first-code-high", bytes([encoded[0] + 60]) + encoded[1:], "the first code points beyond the end"),
    ]:
        yield _bad(f"frame/bad/cobs-{name}", cites, "bad_cobs", note, wire + b"\0")
    yield _bad("frame/bad/cobs-empty", ["LINK-2.3", "LINK-3.2"], "wrong_length", "an encoding of nothing", b"\x01\0")
    for at in (0, 4, 9, len(encoded) - 1):
        yield _bad(
            f"frame/bad/lost-{at}",
            cites,
            "any",
            f"byte {at} lost on the line",
            encoded[:at] + encoded[at + 1 :] + b"\0",
        )
        doubled = encoded[: at + 1] + encoded[at:] + b"\0"
        yield _bad(f"frame/bad/doubled-{at}", cites, "any", f"byte {at} doubled on the line", doubled)
        flipped = bytes(b ^ (0x40 if i == at else 0) for i, b in enumerate(encoded))
        yield _bad(f"frame/bad/flipped-{at}", cites, "any", f"one bit of byte {at} turned on the line", flipped + b"\0")


def vectors() -> list[Vector]:
    """All lines of frames.jsonl."""
    groups = (typed, mislaid, shapes, bad_lengths, bad_checks, bad_versions, bad_cobs)
    return [vector for group in groups for vector in group()]
