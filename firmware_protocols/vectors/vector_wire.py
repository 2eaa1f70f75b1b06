"""A third implementation of the wire, by which the vectors are made and the conversations with a device are run.

Owns the bytes of link-v1 sections 1 to 3: CRC-32 bit by bit, COBS from the published definition, header and payload
after the message tables of the TOML files. It shares no code with the drivers or the simulator and must not know them,
nor any library that does the same: the vectors arbitrate between the two. Slow and plain on purpose.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PROTOCOLS = Path(__file__).parent.parent
CLEAR = 0x01
PAYLOAD_MAX = 232  # LINK-2.3
ENCODED_MAX = 254  # LINK-3.3: without the 00 that ends the frame

NUMBERS = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}
Value = int | str


# --- bytes


def crc32(data: bytes) -> int:
    """CRC-32 of LINK-2.4, one bit after the other: reflected 04C11DB7 is EDB88320."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0xEDB88320 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def cobs_encode(content: bytes) -> bytes:
    """COBS (Cheshire and Baker): each block is a code byte, one above the number of bytes up to the next 00."""
    out = bytearray()
    block = bytearray()
    for byte in content:
        if byte == 0:
            out += bytes([len(block) + 1]) + block
            block.clear()
            continue
        block.append(byte)
        if len(block) == 254:  # a full block ends without a 00
            out += b"\xff" + block
            block.clear()
    return bytes(out + bytes([len(block) + 1]) + block)


def cobs_decode(encoded: bytes) -> bytes | None:
    """Return the content, or None where a code points beyond the end or a 00 stands inside."""
    out = bytearray()
    at = 0
    while at < len(encoded):
        code = encoded[at]
        block = encoded[at + 1 : at + code]
        if code == 0 or len(block) != code - 1 or 0 in block:
            return None
        out += block
        at += code
        if code != 0xFF and at < len(encoded):
            out.append(0)
    return bytes(out)


# --- frames


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that was received whole: the header's bytes and the payload."""

    version: int
    session: int
    type: int
    sequence: int
    payload: bytes


def content_of(session: int, kind: int, sequence: int, payload: bytes, *, version: int = CLEAR) -> bytes:
    """Header, payload and check (LINK-2.1 to LINK-2.4); limits are not looked at, so that bad frames can be made."""
    head = bytes([version, session, kind, sequence, len(payload) & 0xFF])
    return head + payload + crc32(head + payload).to_bytes(4, "little")


def wire_of(session: int, kind: int, sequence: int, payload: bytes, *, version: int = CLEAR) -> bytes:
    """The bytes on the line, with the 00 at the end (LINK-2.5, LINK-2.6)."""
    return cobs_encode(content_of(session, kind, sequence, payload, version=version)) + b"\0"


def read_collection(encoded: bytes) -> Frame | str:
    """Return the frame in what lay between two 00, or why it is dropped (LINK-3.2, LINK-3.3)."""
    if len(encoded) > ENCODED_MAX:
        return "too_long"
    content = cobs_decode(encoded)
    if content is None:
        return "bad_cobs"
    if len(content) < 9 or content[4] > PAYLOAD_MAX or len(content) != 9 + content[4]:
        return "wrong_length"
    if content[-4:] != crc32(content[:-4]).to_bytes(4, "little"):
        return "wrong_check"
    if content[0] != CLEAR:
        return "wrong_version"
    return Frame(content[0], content[1], content[2], content[3], content[5:-4])


# --- messages


@dataclass(frozen=True, slots=True)
class Message:
    """One row of a message table: fields as (name, type) in the order of the payload."""

    name: str
    type: int
    sender: str
    kind: str
    fields: tuple[tuple[str, str], ...]


def _field(text: str) -> tuple[str, str]:
    name, _, kind = text.partition(":")
    return name, kind


def size_of(kind: str) -> int:
    """Bytes that a field of this type takes."""
    return NUMBERS[kind] if kind in NUMBERS else int(kind.removeprefix("bytes").removeprefix("text"))


def load(device: str) -> dict[str, Message]:
    """Return the messages of `device` ("shoe" or "reader") over the link's, by name."""
    link, own = (tomllib.loads((PROTOCOLS / f"{name}.toml").read_text()) for name in ("link-v1", f"{device}-v1"))
    found = {}
    for row in link["message"] + own["message"]:
        fields = list(row["fields"])
        if row["name"] == "STATUS":
            fields += own["status"]["fields"]
        if row["kind"] == "event":
            fields = link["event"]["fields"] + fields
        found[row["name"]] = Message(row["name"], row["type"], row["from"], row["kind"], tuple(map(_field, fields)))
    return found


def spec_hash(device: str) -> str:
    """SHA-256 of the canonical JSON of LINK-5.2, in hex."""
    link, own = (tomllib.loads((PROTOCOLS / f"{name}.toml").read_text()) for name in ("link-v1", f"{device}-v1"))
    text = json.dumps({"device": own, "link": link}, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def pack(message: Message, values: Mapping[str, Value]) -> bytes:
    """Return the payload: numbers little-endian, bytesN given in hex, textN padded with 00 (LINK-2.7).

    Raises ValueError when a field is missing, left over or does not fit.
    """
    if set(values) != {name for name, _ in message.fields}:
        raise ValueError(f"{message.name} has the fields {[n for n, _ in message.fields]}, given were {sorted(values)}")
    out = bytearray()
    for name, kind in message.fields:
        value, size = values[name], size_of(kind)
        if isinstance(value, int):
            out += value.to_bytes(size, "little")
            continue
        raw = value.encode("ascii") if kind.startswith("text") else bytes.fromhex(value)
        if len(raw) > size or (kind.startswith("bytes") and len(raw) != size):
            raise ValueError(f"{message.name}.{name}: {value!r} does not fill {kind}")
        out += raw.ljust(size, b"\0")
    return bytes(out)


def unpack(message: Message, payload: bytes) -> dict[str, Value] | None:
    """Return the fields of a payload, or None where its length is not the message's (LINK-2.8)."""
    if len(payload) != sum(size_of(kind) for _, kind in message.fields):
        return None
    values: dict[str, Value] = {}
    at = 0
    for name, kind in message.fields:
        raw = payload[at : at + size_of(kind)]
        at += size_of(kind)
        if kind in NUMBERS:
            values[name] = int.from_bytes(raw, "little")
        elif kind.startswith("text"):
            values[name] = raw.rstrip(b"\0").decode("latin-1")
        else:
            values[name] = raw.hex()
    return values
