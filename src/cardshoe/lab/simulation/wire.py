"""What was said on a device's line, read from the simulator's messages, which are another account than the table's.

Owns one direction of one line: bytes in, messages out. What does not decode was damaged on the way and tells nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final
from zlib import crc32

from cobs import cobs

from cardshoe.sim.messages import Value, layout_of
from cardshoe.sim.wire import CHECK_BYTES, HEADER_BYTES, VERSION_CLEAR, Frame

_TYPE_AT: Final = 3
"""Where the type of a frame stands on the line, when no byte before it is 00."""
_MOST_KEPT: Final = 300
"""More bytes than any frame has: what is longer is none, and is not kept."""
_THAT_MATTER: Final = frozenset(
    (
        "HELLO", "EVENT_ACK", "DISPENSE", "PREPARE_DECK", "MATCH_CARD", "REVEAL_STACK",
        "REJECT", "DISPENSE_REPLY", "QUERY_COMMAND_REPLY", "STACK_TAKEN", "DISPENSE_FAILED", "DISPENSE_INTERRUPTED",
        "CARD_READ",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Said:
    """One message, with the session and sequence of its frame."""

    name: str
    session: int
    sequence: int
    values: Mapping[str, Value]

    def number(self, field: str) -> int:
        """Return a numeric field."""
        value = self.values[field]
        return value if isinstance(value, int) else -1


class Ear:
    """Listens to one direction of the line of "shoe" or "reader"."""

    def __init__(self, port: str) -> None:
        self._port = port
        self._matters = _that_matter(port)
        self._rest = b""

    def hear(self, data: bytes) -> list[Said]:
        """Return the messages that `data` completes and that tell anything about a promise."""
        said: list[Said] = []
        pieces = (self._rest + data).split(b"\x00")
        self._rest = pieces.pop()[-_MOST_KEPT:]
        for piece in pieces:
            # Behind a first code above 3 the header lies as it is; most frames are told by it, and passed over.
            if not piece or (len(piece) > _TYPE_AT and piece[0] > _TYPE_AT and piece[_TYPE_AT] not in self._matters):
                continue
            frame = _decoded(piece)
            layout = layout_of(self._port, frame.type) if frame is not None and frame.type in self._matters else None
            if frame is not None and layout is not None and layout.size == len(frame.payload):
                said.append(Said(layout.name, frame.session, frame.sequence, layout.unpack(frame.payload)))
        return said


@cache
def _that_matter(port: str) -> frozenset[int]:
    """Return the numbers of the messages that tell anything about a promise."""
    layouts = ((number, layout_of(port, number)) for number in range(256))
    return frozenset(number for number, layout in layouts if layout is not None and layout.name in _THAT_MATTER)


def _decoded(piece: bytes) -> Frame | None:
    """Return the clear frame in `piece`, or None for one that was damaged on the way (LINK-2.1, LINK-2.4, LINK-2.5)."""
    try:
        content = cobs.decode(piece)
    except cobs.DecodeError:
        return None
    body, check = content[:-CHECK_BYTES], content[-CHECK_BYTES:]
    if len(body) < HEADER_BYTES or body[0] != VERSION_CLEAR or len(body) != HEADER_BYTES + body[4]:
        return None
    if crc32(body) != int.from_bytes(check, "little"):
        return None
    return Frame(body[0], body[1], body[2], body[3], body[HEADER_BYTES:])
