"""Sealed frames of one session: keys, counters, what is dropped.

Owns LINK-9.8 to LINK-9.10. Must not know what a message means, nor how the keys came about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from cardshoe.sim import wire
from cardshoe.sim.primitives import TAG_BYTES, decrypted_unchecked

COUNTER_BYTES: Final = 4
COUNTER_MAX: Final = 0xFFFFFFFF
SEALED_PAYLOAD_MAX: Final = 228
_BOUND_BYTES: Final = wire.HEADER_BYTES + COUNTER_BYTES


@dataclass(slots=True)
class Tally:
    """What was dropped of sealed frames since the device started."""

    wrong_tags: int = 0
    replays: int = 0


class Channel:
    """The two directions of one sealed session, seen from the device."""

    def __init__(self, *, host_key: bytes, device_key: bytes, tally: Tally, mutations: frozenset[str]) -> None:
        self._host_key = host_key
        self._sending = ChaCha20Poly1305(device_key)
        self._receiving = ChaCha20Poly1305(host_key)
        self._mutations = mutations
        self.sent = 0
        self.taken = 0  # counter of the last frame taken, 0 before the first
        self._tally = tally

    @property
    def over(self) -> bool:
        """Tell whether no counter is left to send with (LINK-9.9)."""
        return self.sent >= COUNTER_MAX

    def seal(self, frame: wire.Frame) -> bytes:
        """Return the content of a sealed frame under the next counter. Raises ValueError when it cannot be one."""
        if len(frame.payload) > SEALED_PAYLOAD_MAX:
            raise ValueError(f"payload of {len(frame.payload)} bytes, at most {SEALED_PAYLOAD_MAX} fit a sealed frame")
        if self.over:
            raise ValueError("the session has no counter left")
        self.sent += 1
        counter = (self.sent + 1) // 2 if "LINK-9.9" in self._mutations else self.sent
        header = bytes((wire.VERSION_SEALED, frame.session, frame.type, frame.sequence, len(frame.payload)))
        bound = header + counter.to_bytes(COUNTER_BYTES, "little")
        return bound + self._sending.encrypt(_nonce(counter), frame.payload, bound)

    def unseal(self, content: bytes) -> wire.Frame | None:
        """Return the frame in `content` when its tag is right and its counter new, else None (LINK-9.10)."""
        if len(content) < _BOUND_BYTES + TAG_BYTES or len(content) != _BOUND_BYTES + content[4] + TAG_BYTES:
            return None
        bound, sealed = content[:_BOUND_BYTES], content[_BOUND_BYTES:]
        counter = int.from_bytes(bound[wire.HEADER_BYTES :], "little")
        payload = self._opened(counter, bound, sealed)
        if payload is None:
            self._tally.wrong_tags += 1
            return None
        if counter <= self.taken:
            self._tally.replays += 1
            if "LINK-9.10" not in self._mutations:
                return None
        self.taken = counter
        version, session, kind, sequence = bound[:4]
        return wire.Frame(version, session, kind, sequence, payload)

    def _opened(self, counter: int, bound: bytes, sealed: bytes) -> bytes | None:
        try:
            return self._receiving.decrypt(_nonce(counter), sealed, bound)
        except InvalidTag:
            if "LINK-9.8" in self._mutations:
                return decrypted_unchecked(self._host_key, _nonce(counter), sealed)
            return None


def _nonce(counter: int) -> bytes:
    return bytes(4) + counter.to_bytes(8, "little")
