"""Frames as the devices make and read them: COBS, CRC-32, header, resynchronisation.

Owns LINK-2.1 to LINK-2.6 and LINK-3.1 to LINK-3.3. Must not know what a message means, nor anything of the drivers.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

VERSION_CLEAR: Final = 0x01
VERSION_SEALED: Final = 0x81
HEADER_BYTES: Final = 5
CHECK_BYTES: Final = 4
PAYLOAD_MAX: Final = 232
ENCODED_MAX: Final = 254  # without the 00 that ends the frame (LINK-2.6, LINK-3.3)


_CODES: Final = tuple(bytes((code,)) for code in range(256))


def crc32(data: bytes) -> int:
    """Return the CRC-32 of `data`: polynomial 04C11DB7 reflected, first and last FFFFFFFF (LINK-2.4)."""
    return zlib.crc32(data)


def cobs_encode(content: bytes) -> bytes:
    """Return the COBS encoding of `content`, without the 00 that ends a frame (LINK-2.5)."""
    if len(content) < 254:  # no run is longer than a block: code and block alternate
        return b"".join([(_CODES[len(block) + 1] + block) if block else b"\x01" for block in content.split(b"\x00")])
    blocks: list[bytes] = []
    for block in content.split(b"\x00"):
        rest = block
        while len(rest) >= 254:
            blocks.append(b"\xff" + rest[:254])
            rest = rest[254:]
        blocks.append(_CODES[len(rest) + 1] + rest)
    return b"".join(blocks)


def cobs_decode(encoded: bytes) -> bytes | None:
    """Return the content of a COBS encoding, or None when it is not one."""
    if not encoded:
        return b""
    if 0 in encoded:
        return None
    content = bytearray(encoded)  # a code says where the next one is; what follows it stays where it stands
    size, place, code = len(encoded), 0, encoded[0]
    while code != 0xFF:
        content[place] = 0
        place += code
        if place >= size:
            return bytes(memoryview(content)[1:]) if place == size else None
        code = encoded[place]
    return _cobs_decode_long(encoded)


def _cobs_decode_long(encoded: bytes) -> bytes | None:
    """The same with a block of 254 bytes, which no 00 follows: more than a frame holds."""
    content = bytearray()
    place = 0
    while place < len(encoded):
        code = encoded[place]
        end = place + code
        if end > len(encoded):
            return None
        content += encoded[place + 1 : end]
        place = end
        if code != 0xFF and place < len(encoded):
            content.append(0)
    return bytes(content)


class Frame(NamedTuple):
    """One clear frame: header fields and payload (LINK-2.1)."""

    version: int
    session: int
    type: int
    sequence: int
    payload: bytes


def encode(frame: Frame, *, spoil_check: bool = False) -> bytes:
    """Return the bytes of `frame` on the line, with the 00 at its end.

    `spoil_check` changes the check, for a device that breaks LINK-2.4 on purpose.
    Raises ValueError for a payload above 232 bytes (LINK-2.3).
    """
    if len(frame.payload) > PAYLOAD_MAX:
        raise ValueError(f"payload of {len(frame.payload)} bytes, at most {PAYLOAD_MAX} fit a frame")
    header = bytes((frame.version, frame.session, frame.type, frame.sequence, len(frame.payload)))
    body = header + frame.payload
    check = crc32(body) ^ (0x00010000 if spoil_check else 0)
    return framed(body + check.to_bytes(CHECK_BYTES, "little"))


def framed(content: bytes) -> bytes:
    """Return content, check or tag included, as it goes on the line (LINK-2.5, LINK-2.6)."""
    return cobs_encode(content) + b"\x00"


Unseal = Callable[[bytes], Frame | None]


def decode(encoded: bytes, unseal: Unseal | None = None) -> Frame | None:
    """Return the frame in `encoded` (without its 00), or None when anything about it is wrong (LINK-3.2).

    `unseal` opens the content of a sealed frame, in a session that has the keys for it (LINK-9.8).
    """
    content = cobs_decode(encoded)
    if content is None or len(content) < HEADER_BYTES + CHECK_BYTES:
        return None
    if content[0] == VERSION_SEALED and unseal is not None:
        return unseal(content)
    version, session, kind, sequence, length = content[:HEADER_BYTES]
    if version != VERSION_CLEAR or length > PAYLOAD_MAX or len(content) != HEADER_BYTES + length + CHECK_BYTES:
        return None
    body, check = content[:-CHECK_BYTES], content[-CHECK_BYTES:]
    if crc32(body) != int.from_bytes(check, "little"):
        return None
    return Frame(version, session, kind, sequence, body[HEADER_BYTES:])


class Deframer:
    """Finds frames in a stream of bytes; never raises, holds at most 254 bytes. `unseal` as for `decode`."""

    __slots__ = ("_collected", "_overlong", "dropped", "unseal")

    def __init__(self) -> None:
        self.unseal: Unseal | None = None
        self._collected = bytearray()
        self._overlong = False
        self.dropped = 0

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that `data` completes; what does not decode is dropped and counted (LINK-3.2)."""
        return list(self.stream(data))

    def stream(self, data: bytes) -> Iterator[Frame]:
        """The same one by one: a frame may change the session in which the next is read. Must be read to its end."""
        *pieces, rest = data.split(b"\x00")
        for piece in pieces:
            if self._collected or self._overlong or len(piece) > ENCODED_MAX:
                self._collect(piece)
                frame = self._end()
            elif not piece:
                continue
            else:
                frame = decode(piece, self.unseal)
                self.dropped += frame is None
            if frame is not None:
                yield frame
        if rest:
            self._collect(rest)

    def _collect(self, piece: bytes) -> None:
        if self._overlong:
            return
        if len(self._collected) + len(piece) > ENCODED_MAX:
            self._collected.clear()
            self._overlong = True
            return
        self._collected += piece

    def _end(self) -> Frame | None:
        if self._overlong:
            self._overlong = False
            self.dropped += 1
            return None
        if not self._collected:
            return None
        frame = decode(bytes(self._collected), self.unseal)
        self._collected.clear()
        if frame is None:
            self.dropped += 1
        return frame
