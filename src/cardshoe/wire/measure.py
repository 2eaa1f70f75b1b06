"""How fast frames become messages, beside the cost of their check alone.

Owns the two loops and the floor that they are compared with, all in one run over the same frames. Must not know time:
the caller gives the clock. Says nothing about a device; the caller gives the messages.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from zlib import crc32

from cardshoe.wire.codec import Codec, Message
from cardshoe.wire.framing import Deframer, encode_frame

CHUNK_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Speeds:
    """Frames a second of one run: the check alone, to the checked header, to the typed message."""

    frames: int
    frame_bytes: float
    check_per_s: float
    header_per_s: float
    message_per_s: float


def stream(codec: Codec, messages: Sequence[Message], frames: int) -> tuple[list[bytes], list[bytes]]:
    """Return `frames` frames of `messages` in turn as chunks of 4 KiB, and the bytes that each check covers."""
    wire, covered = bytearray(), []
    for number, message in enumerate(islice(cycle(messages), frames)):
        payload, type_number = codec.payload(message), codec.spec_of(message).type
        wire += encode_frame(session=1, type=type_number, sequence=number % 256, payload=payload)
        covered.append(bytes((1, 1, type_number, number % 256, len(payload))) + payload)
    return [bytes(wire[at : at + CHUNK_BYTES]) for at in range(0, len(wire), CHUNK_BYTES)], covered


def measure(codec: Codec, messages: Sequence[Message], *, clock: Callable[[], float], frames: int) -> Speeds:
    """Return the speeds over `frames` frames; `clock` gives seconds. Raises `ValueError` if a frame went missing."""
    chunks, covered = stream(codec, messages, frames)
    began = clock()
    for content in covered:
        crc32(content)
    checked = clock()
    to_header = _to_header(chunks)
    deframed = clock()
    to_message = _to_message(codec, chunks)
    decoded = clock()
    if not to_header == to_message == frames:
        raise ValueError(f"of {frames} frames {to_header} reached the header and {to_message} a message")
    return Speeds(
        frames=frames,
        frame_bytes=sum(map(len, chunks)) / frames,
        check_per_s=frames / (checked - began),
        header_per_s=frames / (deframed - checked),
        message_per_s=frames / (decoded - deframed),
    )


def _to_header(chunks: Sequence[bytes]) -> int:
    deframer = Deframer()
    return sum(len(deframer.feed(chunk)) for chunk in chunks)


def _to_message(codec: Codec, chunks: Sequence[bytes]) -> int:
    deframer, decode, count = Deframer(), codec.decode, 0
    for chunk in chunks:
        for frame in deframer.feed(chunk):
            count += decode(frame) is not None
    return count
