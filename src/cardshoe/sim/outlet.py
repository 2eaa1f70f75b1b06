"""What a device puts on its line: frames, sealed or clear, with a 00 ahead of them after silence.

Owns LINK-3.4 and the making of frames from named fields. Must not know why a frame is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from cardshoe.sim import wire
from cardshoe.sim.agenda import Timers
from cardshoe.sim.channel import Channel
from cardshoe.sim.messages import MESSAGES, Value

IDLE_S: Final = 0.05


class Outlet:
    """The sending half of one start of a device. `device` is "shoe" or "reader".

    `channel` is set as long as a sealed session lasts. A frame is sealed when it is sent, so that a kept reply that is
    sent again goes out under a counter of its own (LINK-9.9).
    """

    def __init__(self, *, device: str, timers: Timers, send: Callable[[bytes], None], spoil: bool) -> None:
        self._device = device
        self._timers = timers
        self._send = send
        self._spoil = spoil
        self._count = 0
        self._last_sent: float | None = None
        self.channel: Channel | None = None

    @property
    def version(self) -> int:
        """The version byte of frames inside the present session (LINK-2.2)."""
        return wire.VERSION_CLEAR if self.channel is None else wire.VERSION_SEALED

    def frame(
        self, name: str, sequence: int, values: Mapping[str, Value], *, session: int, clear: bool = False
    ) -> wire.Frame:
        """Return the frame of a message without sending it; `clear` for those that begin a session.

        Raises ValueError as `Layout.pack` does.
        """
        layout = MESSAGES[self._device][name]
        version = wire.VERSION_CLEAR if clear else self.version
        return wire.Frame(version, session, layout.type, sequence, layout.pack(values))

    def send(self, frame: wire.Frame) -> None:
        """Put a frame on the line; one of a sealed session that is over is not sent."""
        self._count += 1
        if frame.version == wire.VERSION_CLEAR:
            raw = wire.encode(frame, spoil_check=self._spoil and self._count % 7 == 0)
        elif self.channel is None or self.channel.over:
            return
        else:
            raw = wire.framed(self.channel.seal(frame))
        now = self._timers.now
        idle = self._last_sent is None or now - self._last_sent > IDLE_S
        self._last_sent = now
        self._send(b"\x00" + raw if idle else raw)
