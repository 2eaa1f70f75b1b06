"""What a device puts on its line: frames, with a 00 ahead of them after silence.

Owns LINK-3.4 and the making of frames from named fields. Must not know why a frame is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from cardshoe.sim import wire
from cardshoe.sim.agenda import Timers
from cardshoe.sim.messages import MESSAGES, Value

IDLE_S: Final = 0.05


class Outlet:
    """The sending half of one start of a device. `device` is "shoe" or "reader"."""

    def __init__(self, *, device: str, timers: Timers, send: Callable[[bytes], None], spoil: bool) -> None:
        self._device = device
        self._timers = timers
        self._send = send
        self._spoil = spoil
        self._count = 0
        self._last_sent: float | None = None

    def frame(self, name: str, sequence: int, values: Mapping[str, Value], *, session: int) -> wire.Frame:
        """Return the frame of a message without sending it. Raises ValueError as `Layout.pack` does."""
        layout = MESSAGES[self._device][name]
        return wire.Frame(wire.VERSION_CLEAR, session, layout.type, sequence, layout.pack(values))

    def send(self, frame: wire.Frame) -> None:
        """Put a frame on the line."""
        self._count += 1
        raw = wire.encode(frame, spoil_check=self._spoil and self._count % 7 == 0)
        now = self._timers.now
        idle = self._last_sent is None or now - self._last_sent > IDLE_S
        self._last_sent = now
        self._send(b"\x00" + raw if idle else raw)
