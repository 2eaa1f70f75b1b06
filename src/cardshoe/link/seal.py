"""How a session's frames are protected.

Owns what a session asks of its protection, the clear one (a check against damage that keeps nothing secret and proves
nothing about who speaks, LINK-2.4, LINK-5.9) and the sealed one (LINK-9.8 to LINK-9.11): a counter and a key for each
direction, no counter used twice, none taken twice. What is dropped is counted by what it shows: damage, a wrong tag, or
a replay, which noise cannot make. Must not know messages, sequence or time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from cardshoe.link.messages import Security
from cardshoe.link.session_keys import SessionKeys
from cardshoe.wire.framing import Deframer, Frame, SealedDeframer, encode_frame, encode_sealed, sealed_head

COUNTER_END: Final = 0xFFFF_FF00
"""From here on no new exchange begins: the session ends before FFFFFFFF, where a side may send no more (LINK-9.9)."""

TAGS_OF_NOISE: Final = 8
"""So many wrong tags a bad line may give; above it, and above one in a hundred frames, somebody is at the line."""
_NOISE_SHARE: Final = 100
_FRONT: Final = bytes(4)
_BACK: Final = bytes(4)


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What a sealed session dropped that looks like somebody at the line: replays, and wrong tags above noise."""

    replays: int
    wrong_tags: int


class Check(Protocol):
    """Makes and checks the frames of one session."""

    @property
    def security(self) -> Security:
        """What HELLO says of it."""

    @property
    def dropped(self) -> int:
        """How many pieces of what was received were dropped so far."""

    @property
    def spent(self) -> bool:
        """Tell whether no more frames can be made: the session is over."""

    def encode(self, *, session: int, type: int, sequence: int, payload: bytes) -> bytes:
        """Return the frame on the wire."""

    def feed(self, data: bytes) -> list[Frame]:
        """Take received bytes, return the frames that passed the check; never raises."""

    def suspected(self) -> Suspicion | None:
        """Return what looks like somebody at the line, once for each time that it grew worth telling."""


class ClearCheck:
    """CRC-32 and the exact length: for a bench table."""

    __slots__ = ("deframer",)

    security = Security.CLEAR
    spent = False

    def __init__(self) -> None:
        self.deframer = Deframer()

    @property
    def dropped(self) -> int:
        """How many pieces of what was received were dropped so far."""
        return self.deframer.dropped

    def encode(self, *, session: int, type: int, sequence: int, payload: bytes) -> bytes:
        """Return the frame on the wire."""
        return encode_frame(session=session, type=type, sequence=sequence, payload=payload)

    def feed(self, data: bytes) -> list[Frame]:
        """Take received bytes, return the frames that passed the check; never raises."""
        return self.deframer.feed(data)

    def suspected(self) -> Suspicion | None:
        """Nothing can be told of a clear line."""
        return None


class SealedCheck:
    """ChaCha20-Poly1305 in both directions. `after` is what read the line before: its unfinished bytes go on here.

    `sent` is the counter of the last frame that was made with the sending key, 0 for none.
    """

    __slots__ = ("_deframer", "_open", "_replays", "_seal", "_sent", "_taken", "_taken_frames", "_told", "_wrong_tags")

    security = Security.SEALED

    def __init__(self, keys: SessionKeys, after: Deframer | None = None, *, sent: int = 0) -> None:
        self._seal = ChaCha20Poly1305(keys.host_sending)
        self._open = ChaCha20Poly1305(keys.device_sending)
        self._deframer = SealedDeframer(after)
        self._sent, self._taken, self._taken_frames = sent, 0, 0
        self._wrong_tags = self._replays = 0
        self._told = Suspicion(0, 0)

    @property
    def dropped(self) -> int:
        """How many pieces of what was received were dropped so far."""
        return self._deframer.dropped + self._wrong_tags + self._replays

    @property
    def wrong_tags(self) -> int:
        """How many frames had a wrong tag: damaged on the line, or made by somebody without the key."""
        return self._wrong_tags

    @property
    def replays(self) -> int:
        """How many frames were right and old: noise does not make these (LINK-9.10)."""
        return self._replays

    @property
    def spent(self) -> bool:
        """Tell whether no more frames can be made: the session is over (LINK-9.9)."""
        return self._sent >= COUNTER_END

    def encode(self, *, session: int, type: int, sequence: int, payload: bytes) -> bytes:
        """Return the frame on the wire, under a counter of its own: a repeated frame too has a new one (LINK-9.9)."""
        self._sent += 1
        head = sealed_head(session=session, type=type, sequence=sequence, length=len(payload), counter=self._sent)
        return encode_sealed(head, self._seal.encrypt(_FRONT + head[5:] + _BACK, payload, head))

    def feed(self, data: bytes) -> list[Frame]:
        """Take received bytes, return the frames that are the other side's and new; never raises (LINK-9.10)."""
        frames: list[Frame] = []
        for session, type_, sequence, counter, head, body in self._deframer.feed(data):
            try:
                payload = self._open.decrypt(_FRONT + head[5:] + _BACK, body, head)
            except InvalidTag:
                self._wrong_tags += 1
                continue
            if counter <= self._taken:
                self._replays += 1
                continue
            self._taken = counter
            self._taken_frames += 1
            frames.append(Frame(session, type_, sequence, payload))
        return frames

    def suspected(self) -> Suspicion | None:
        """Return what looks like somebody at the line, each time that it has doubled since it was told."""
        if not self._replays and self._wrong_tags <= TAGS_OF_NOISE:
            return None
        above_noise = self._wrong_tags > TAGS_OF_NOISE and self._wrong_tags * _NOISE_SHARE > self._taken_frames
        now = Suspicion(self._replays, self._wrong_tags if above_noise else 0)
        grown = now.replays >= max(1, 2 * self._told.replays), now.wrong_tags >= max(1, 2 * self._told.wrong_tags)
        if not any(grown):
            return None
        self._told = now
        return now
