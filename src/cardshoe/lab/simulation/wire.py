"""What was said on a device's line, read by the simulator's own codec, which is another implementation than ours.

Owns one direction of one line: bytes in, messages out. What does not decode was damaged on the way and tells nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cardshoe.sim.messages import Value, layout_of
from cardshoe.sim.wire import Deframer

_STATUS_OR_HEARTBEAT: Final = (0x82, 0x02)
_TYPE_AT: Final = 3
"""Where the type of a frame stands as it is on the line, when no byte before it is 00."""
_TELL_NOTHING: Final = frozenset({"STATUS", "HEARTBEAT", "READ_COUNTERS", "READ_COUNTERS_REPLY"})


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
        self._frames = Deframer()
        self._between = True

    def hear(self, data: bytes) -> list[Said]:
        """Return the messages that `data` completes, those that only keep the line alive left out."""
        said: list[Said] = []
        at = 1 if data[:1] == b"\x00" else 0
        whole = self._between and data.find(0, at) == len(data) - 1 > at + _TYPE_AT
        if whole and data[at] > _TYPE_AT and data[at + _TYPE_AT] in _STATUS_OR_HEARTBEAT:
            return said  # most of what goes over a line; not worth the decoding
        self._between = data.endswith(b"\x00")
        for frame in self._frames.feed(data):
            layout = layout_of(self._port, frame.type)
            if layout is None or layout.name in _TELL_NOTHING or layout.size != len(frame.payload):
                continue
            said.append(Said(layout.name, frame.session, frame.sequence, layout.unpack(frame.payload)))
        return said
