"""Frames of a clear session: bytes to checked frames and back.

Owns COBS, the header, the exact length check and CRC-32. Must not know message types, sessions or time. Never raises on
received bytes, whatever they are, and keeps at most one frame's worth of them. Implements LINK-2.1 to LINK-2.6 and
LINK-3.1 to LINK-3.3, LINK-3.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple
from zlib import crc32

from cobs import cobs

VERSION_CLEAR: Final = 0x01
HEADER_BYTES: Final = 5
CHECK_BYTES: Final = 4
PAYLOAD_MAX: Final = 232
WIRE_MAX: Final = 255
DELIMITER: Final = b"\x00"

_ENCODED_MAX: Final = WIRE_MAX - 1


class Frame(NamedTuple):
    """A frame that passed every check of LINK-2: three header bytes and the payload."""

    session: int
    type: int
    sequence: int
    payload: bytes


class Drop(Enum):
    """Why received bytes were dropped (LINK-3.2, LINK-3.3)."""

    COBS = "does not decode"
    LENGTH = "length is not what it says"
    VERSION = "another version"
    CHECK = "check is wrong"
    OVERLONG = "too long without a delimiter"


def encode_frame(*, session: int, type: int, sequence: int, payload: bytes) -> bytes:
    """Return the frame on the wire, 00 at its end (LINK-2). `payload` is at most 232 bytes; raises `ValueError`."""
    if len(payload) > PAYLOAD_MAX:
        raise ValueError(f"a payload of {len(payload)} bytes does not fit a frame; the most is {PAYLOAD_MAX}")
    content = bytes((VERSION_CLEAR, session, type, sequence, len(payload))) + payload
    encoded: bytes = cobs.encode(content + crc32(content).to_bytes(4, "little"))
    return encoded + DELIMITER


class Deframer:
    """Collects bytes and gives the frames in them; counts what it drops, by kind.

    `feed` may be given any number of bytes at a time; what is kept between calls never exceeds 254 bytes.
    """

    __slots__ = ("_drops", "_pending", "_skipping")

    def __init__(self) -> None:
        self._pending = b""
        self._skipping = False
        self._drops = dict.fromkeys(Drop, 0)

    @property
    def drops(self) -> Mapping[Drop, int]:
        """How many frames (or runs of bytes) were dropped since the start, by kind."""
        return dict(self._drops)

    @property
    def dropped(self) -> int:
        """How many were dropped since the start, all kinds."""
        return sum(self._drops.values())

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes of the line and return the frames that they complete, in order."""
        parts = (self._pending + data).split(DELIMITER)
        pending = parts.pop()
        if self._skipping and parts:
            del parts[0]  # the rest of what was too long (LINK-3.3)
            self._skipping = False
        frames = self._frames(parts)
        if self._skipping:
            pending = b""
        elif len(pending) > _ENCODED_MAX:
            self._drops[Drop.OVERLONG] += 1
            self._skipping, pending = True, b""
        self._pending = pending
        return frames

    def _frames(self, parts: list[bytes]) -> list[Frame]:
        # The names are local and the checks in line because every byte that arrives passes here.
        frames: list[Frame] = []
        append, decode, new, number = frames.append, cobs.decode, tuple.__new__, int.from_bytes
        for part in parts:
            if not part:
                continue  # any number of delimiters may stand between frames (LINK-3.1)
            if len(part) > _ENCODED_MAX:
                self._drops[Drop.OVERLONG] += 1
                continue
            try:
                content = decode(part)
            except cobs.DecodeError:
                self._drops[Drop.COBS] += 1
                continue
            size = len(content) - CHECK_BYTES
            if size < HEADER_BYTES or content[4] != size - HEADER_BYTES or size > HEADER_BYTES + PAYLOAD_MAX:
                self._drops[Drop.LENGTH] += 1
            elif content[0] != VERSION_CLEAR:
                self._drops[Drop.VERSION] += 1
            elif crc32(content[:size]) != number(content[size:], "little"):  # compared, no residue (LINK-2.4)
                self._drops[Drop.CHECK] += 1
            else:
                append(new(Frame, (content[1], content[2], content[3], content[HEADER_BYTES:size])))
        return frames
