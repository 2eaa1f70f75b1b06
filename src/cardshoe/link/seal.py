"""The seam at which a session's frames are protected.

Owns what a session asks of its protection, and the clear one: a check against damage that keeps nothing secret and
proves nothing about who speaks (LINK-2.4, LINK-5.9). A sealed session (LINK-9.1) has its own version byte and will be
another `Check`; there is none yet, and nothing here pretends to be one. Must not know messages, sequence or time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from cardshoe.link.messages import Security
from cardshoe.wire.framing import Deframer, Frame, encode_frame


class Check(Protocol):
    """Makes and checks the frames of one session."""

    @property
    def security(self) -> Security:
        """What HELLO says of it."""

    @property
    def dropped(self) -> int:
        """How many pieces of what was received were dropped so far."""

    def encode(self, *, session: int, type: int, sequence: int, payload: bytes) -> bytes:
        """Return the frame on the wire."""

    def feed(self, data: bytes) -> list[Frame]:
        """Take received bytes, return the frames that passed the check; never raises."""


class ClearCheck:
    """CRC-32 and the exact length: for a bench table."""

    __slots__ = ("_deframer",)

    security = Security.CLEAR

    def __init__(self) -> None:
        self._deframer = Deframer()

    @property
    def dropped(self) -> int:
        """How many pieces of what was received were dropped so far."""
        return self._deframer.dropped

    def encode(self, *, session: int, type: int, sequence: int, payload: bytes) -> bytes:
        """Return the frame on the wire."""
        return encode_frame(session=session, type=type, sequence=sequence, payload=payload)

    def feed(self, data: bytes) -> list[Frame]:
        """Take received bytes, return the frames that passed the check; never raises."""
        return self._deframer.feed(data)


NewCheck = Callable[[], Check]
