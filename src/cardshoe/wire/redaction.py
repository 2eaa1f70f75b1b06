"""What of a line may be kept where its faces may not: the same frames, with every secret field full of zeros.

Owns the rewriting, message by message. What is sealed stays as it is, because it is closed; what is no frame or no
known message could hold anything and is kept as its length only. Implements promise P4 for the tap of a wire; frames of
link-v1 keep their form, so that what was kept reads as any recording.
"""

from __future__ import annotations

from typing import Final

from cardshoe.wire.framing import DELIMITER, Deframer, Frame, SealedDeframer, encode_frame
from cardshoe.wire.spec import DEVICE_PROTOCOLS, MessageSpec, load_spec
from cardshoe.wire.transcript import SECRET, Way

BLANK: Final = b"\x01"
"""What stands for each byte that cannot be told to be harmless; never the delimiter."""


class Redaction:
    """Rewrites the bytes of one line as they pass; a frame comes out with the chunk that ends it."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], list[MessageSpec]] = {}
        for protocol in DEVICE_PROTOCOLS:
            for message in load_spec(protocol).messages.values():
                self._known.setdefault((message.type, message.size), []).append(message)
        self._pending: dict[Way, bytes] = {"out": b"", "in": b""}

    def feed(self, way: Way, data: bytes) -> bytes:
        """Return what may be kept of the frames that `data` completes."""
        parts = (self._pending[way] + data).split(DELIMITER)
        self._pending[way] = parts.pop()
        return b"".join(self._kept(part) + DELIMITER for part in parts)

    def rest(self, way: Way) -> bytes:
        """Return what stands for bytes that have no end."""
        left, self._pending[way] = self._pending[way], b""
        return BLANK * len(left)

    def _kept(self, part: bytes) -> bytes:
        raw = part + DELIMITER
        frames = Deframer().feed(raw)
        if frames:
            return self._without_secrets(frames[0], part)
        return part if SealedDeframer().feed(raw) else BLANK * len(part)

    def _without_secrets(self, frame: Frame, part: bytes) -> bytes:
        """Return the frame with the fields zeroed that are secret in any protocol with such a message."""
        meant = self._known.get((frame.type, len(frame.payload)))
        if meant is None:
            return BLANK * len(part)
        payload = bytearray(frame.payload)
        for message in meant:
            at = 0
            for field in message.fields:
                if SECRET.search(field.name):
                    payload[at : at + field.size] = bytes(field.size)
                at += field.size
        if bytes(payload) == frame.payload:
            return part
        whole = encode_frame(session=frame.session, type=frame.type, sequence=frame.sequence, payload=bytes(payload))
        return whole.removesuffix(DELIMITER)
