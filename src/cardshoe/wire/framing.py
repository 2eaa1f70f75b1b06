"""Frames: bytes to frames and back, clear ones checked, sealed ones as they are laid out.

Owns COBS, the header, the exact length check, CRC-32, and the layout of a sealed frame: whether its tag is right is for
whoever has the key. Must not know message types, sessions or time. Never raises on received bytes, whatever they are,
and keeps at most one frame's worth of them. Implements LINK-2.1 to LINK-2.6, LINK-3.1 to LINK-3.3, LINK-3.5 and the
layout of LINK-9.8.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import Enum
from typing import Final, Generic, NamedTuple, TypeVar
from zlib import crc32

from cobs import cobs

VERSION_CLEAR: Final = 0x01
VERSION_SEALED: Final = 0x81
HEADER_BYTES: Final = 5
CHECK_BYTES: Final = 4
PAYLOAD_MAX: Final = 232
WIRE_MAX: Final = 255
COUNTER_BYTES: Final = 4
TAG_BYTES: Final = 16
SEALED_HEAD_BYTES: Final = HEADER_BYTES + COUNTER_BYTES
SEALED_PAYLOAD_MAX: Final = 228
DELIMITER: Final = b"\x00"

_ENCODED_MAX: Final = WIRE_MAX - 1
_SEALED_EXTRA: Final = SEALED_HEAD_BYTES + TAG_BYTES

F = TypeVar("F")


class Frame(NamedTuple):
    """A frame that passed every check of LINK-2: three header bytes and the payload."""

    session: int
    type: int
    sequence: int
    payload: bytes


class SealedFrame(NamedTuple):
    """A frame laid out as LINK-9.8 says, its tag not looked at.

    `head` is header and counter, which the tag covers as associated data; `body` is the encrypted payload and its tag.
    """

    session: int
    type: int
    sequence: int
    counter: int
    head: bytes
    body: bytes


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


def sealed_head(*, session: int, type: int, sequence: int, length: int, counter: int) -> bytes:
    """Return header and counter of a sealed frame (LINK-9.8); raises `ValueError` for a payload over 228 bytes."""
    if length > SEALED_PAYLOAD_MAX:
        raise ValueError(f"a payload of {length} bytes does not fit a sealed frame; the most is {SEALED_PAYLOAD_MAX}")
    return bytes((VERSION_SEALED, session, type, sequence, length)) + counter.to_bytes(COUNTER_BYTES, "little")


def encode_sealed(head: bytes, body: bytes) -> bytes:
    """Return the sealed frame on the wire, 00 at its end: `body` is the encrypted payload and its tag."""
    encoded: bytes = cobs.encode(head + body)
    return encoded + DELIMITER


class Collector(ABC, Generic[F]):
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

    @property
    def unfinished(self) -> tuple[bytes, bool]:
        """What was collected of a frame that has not ended, and whether the rest of it is to be skipped."""
        return self._pending, self._skipping

    def feed(self, data: bytes) -> list[F]:
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

    @abstractmethod
    def _frames(self, parts: list[bytes]) -> list[F]:
        """Return the frames in what lay between delimiters."""


class Deframer(Collector[Frame]):
    """The frames of a clear session, each with its check."""

    __slots__ = ()

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


class SealedDeframer(Collector[SealedFrame]):
    """The frames of a sealed session as they are laid out. `after` is what read the line before: it goes on there."""

    __slots__ = ()

    def __init__(self, after: Collector[Frame] | None = None) -> None:
        super().__init__()
        if after is not None:
            self._pending, self._skipping = after.unfinished

    def _frames(self, parts: list[bytes]) -> list[SealedFrame]:
        frames: list[SealedFrame] = []
        append, decode, new, number = frames.append, cobs.decode, tuple.__new__, int.from_bytes
        for part in parts:
            if not part:
                continue
            if len(part) > _ENCODED_MAX:
                self._drops[Drop.OVERLONG] += 1
                continue
            try:
                content = decode(part)
            except cobs.DecodeError:
                self._drops[Drop.COBS] += 1
                continue
            size = len(content) - _SEALED_EXTRA
            if content and content[0] != VERSION_SEALED:
                self._drops[Drop.VERSION] += 1
            elif not 0 <= size <= SEALED_PAYLOAD_MAX or content[4] != size:
                self._drops[Drop.LENGTH] += 1
            else:
                head, body = content[:SEALED_HEAD_BYTES], content[SEALED_HEAD_BYTES:]
                counter = number(head[HEADER_BYTES:], "little")
                append(new(SealedFrame, (content[1], content[2], content[3], counter, head, body)))
        return frames
