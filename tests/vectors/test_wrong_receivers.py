"""The frame and resynchronisation vectors are able to fail: each wrong receiver here is caught by at least one.

The receivers are built from the vectors' own wire with one clause left out, as a hurried maker would.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import vector_wire as wire
from vector_files import lines

Receiver = Callable[[bytes], tuple[list[tuple[int, int, int, bytes]], int]]


def receiver(
    *,
    limit: int = 254,
    decode: Callable[[bytes], bytes | None] = wire.cobs_decode,
    exact: Callable[[bytes], bool] = lambda c: len(c) == 9 + c[4] and c[4] <= 232,
    checked: Callable[[bytes], bool] = lambda c: c[-4:] == wire.crc32(c[:-4]).to_bytes(4, "little"),
    version: Callable[[int], bool] = lambda v: v == 1,
    count_empty: bool = False,
) -> Receiver:
    """A receiver of a whole stream; each part can be replaced by a wrong one."""

    def receive(data: bytes) -> tuple[list[tuple[int, int, int, bytes]], int]:
        frames, dropped = [], 0
        for encoded in data.split(b"\0")[:-1]:
            if not encoded:
                dropped += count_empty
                continue
            content = decode(encoded) if len(encoded) <= limit else None
            if (
                content is None
                or len(content) < 9
                or not exact(content)
                or not checked(content)
                or not version(content[0])
            ):
                dropped += 1
                continue
            frames.append((content[1], content[2], content[3], content[5 : 5 + content[4]]))
        return frames, dropped

    return receive


def lenient_cobs(encoded: bytes) -> bytes | None:
    """Takes what is there when a code points beyond the end."""
    out, at = bytearray(), 0
    while at < len(encoded):
        code = encoded[at]
        out += encoded[at + 1 : at + code]
        at += code
        if code != 0xFF and at < len(encoded):
            out.append(0)
    return bytes(out)


def cobs_with_a_zero_behind(encoded: bytes) -> bytes | None:
    """Forgets that the last block ends without a 00."""
    content = wire.cobs_decode(encoded)
    return None if content is None else content + b"\0"


def crc_of_length(content: bytes) -> bool:
    """Looks for the check where the length says, whatever stands behind it."""
    end = 5 + content[4]
    return content[end : end + 4] == wire.crc32(content[:end]).to_bytes(4, "little")


def uninverted(content: bytes) -> bool:
    """Leaves the final exclusive-or out."""
    return content[-4:] == (wire.crc32(content[:-4]) ^ 0xFFFFFFFF).to_bytes(4, "little")


WRONG = {
    "LINK-2.2 takes every version": receiver(version=lambda _: True),
    "LINK-2.2 takes the sealed version": receiver(version=lambda v: v & 0x7F == 1),
    "LINK-2.3 does not look at the length": receiver(exact=lambda c: True, checked=crc_of_length),
    "LINK-2.3 takes bytes behind the frame": receiver(exact=lambda c: len(c) >= 9 + c[4], checked=crc_of_length),
    "LINK-2.3 takes payloads above 232": receiver(exact=lambda c: len(c) == 9 + c[4]),
    "LINK-2.3 refuses the longest payload": receiver(exact=lambda c: len(c) == 9 + c[4] and c[4] < 232),
    "LINK-2.3 refuses an empty payload": receiver(exact=lambda c: len(c) == 9 + c[4] and 0 < c[4] <= 232),
    "LINK-2.4 does not check": receiver(checked=lambda c: True),
    "LINK-2.4 checks half": receiver(checked=lambda c: c[-2:] == wire.crc32(c[:-4]).to_bytes(4, "little")[-2:]),
    "LINK-2.4 checks big-endian": receiver(checked=lambda c: c[-4:] == wire.crc32(c[:-4]).to_bytes(4, "big")),
    "LINK-2.4 takes both byte orders": receiver(
        checked=lambda c: (
            int.from_bytes(c[-4:], "big") == wire.crc32(c[:-4])
            or int.from_bytes(c[-4:], "little") == wire.crc32(c[:-4])
        )
    ),
    "LINK-2.4 without the exclusive-or": receiver(checked=uninverted),
    "LINK-2.5 takes a code beyond the end": receiver(decode=lenient_cobs, exact=lambda c: True, checked=crc_of_length),
    "LINK-2.5 adds a zero": receiver(decode=cobs_with_a_zero_behind),
    "LINK-3.1 counts empty collections": receiver(count_empty=True),
    "LINK-3.3 takes the longest frame for a flood": receiver(limit=240),
}


def agrees(receive: Receiver, chunks: list[str], frames: list[dict[str, Any]], dropped: int) -> bool:
    """Whether a receiver makes of the stream what the vector says."""
    got, lost = receive(b"".join(bytes.fromhex(chunk) for chunk in chunks))
    expected = [(f["session"], f["type"], f["sequence"], bytes.fromhex(f["payload"])) for f in frames]
    return got == expected and lost == dropped


def contradicting(receive: Receiver) -> list[str]:
    """The ids of the vectors that the receiver contradicts."""
    streams = [(v["id"], v["chunks"], v["frames"], v["dropped"]) for v in lines("resync")]
    streams += [(v["id"], [v["wire"]], [v] if v["accept"] else [], int(not v["accept"])) for v in lines("frames")]
    return [id_ for id_, chunks, frames, dropped in streams if not agrees(receive, chunks, frames, dropped)]


def test_the_right_receiver_agrees_with_every_vector() -> None:
    """LINK-2, LINK-3: the parts that are replaced below are right as they stand."""
    assert contradicting(receiver()) == []


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_receiver_is_caught(name: str) -> None:
    """The clause is named by the parameter."""
    assert contradicting(WRONG[name]) != []
