"""What a device proves of itself: the measurement of the firmware that runs, signed afresh.

Owns LINK-12.1. Must not know sessions: the transcript comes in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cardshoe.sim.keys import KeyMemory
from cardshoe.sim.messages import Value
from cardshoe.sim.nvram import LinkMemory
from cardshoe.sim.primitives import sha256, signed
from cardshoe.sim.sessions import Identity

MODEL_BYTES: Final = 16
FIRMWARE_BYTES: Final = 12
Measured = Callable[[], bytes]


def measurement(device: str, firmware: str, *, changed: bool) -> bytes:
    """Return the SHA-256 of the image that runs: a simulated device has one that names its kind and version."""
    image = f"cardshoe simulated firmware {device} {firmware}".encode()
    return sha256(image, b" with other code in it" if changed else b"")


class Attestor:
    """Answers ATTEST. `measured` looks at the image that runs now."""

    def __init__(
        self,
        *,
        measured: Measured,
        identity: Identity,
        keys: KeyMemory,
        memory: LinkMemory,
        mutations: frozenset[str],
    ) -> None:
        self._measured = measured
        self._identity = identity
        self._keys = keys
        self._memory = memory
        self._mutations = mutations
        self._first: dict[str, Value] | None = None

    def new_session(self) -> None:
        """Nothing of the session before is told again."""
        self._first = None

    def answer(self, nonce: Value, transcript: bytes) -> dict[str, Value]:
        """Return the fields of ATTEST_REPLY. `transcript` is T1 of the session (LINK-9.5)."""
        if self._first is not None and "LINK-12.1" in self._mutations:
            return self._first
        identity, found = self._identity, self._measured()
        told = (
            identity.model.encode("ascii").ljust(MODEL_BYTES, b"\x00"),
            identity.serial.encode("ascii").ljust(MODEL_BYTES, b"\x00"),
            identity.firmware.encode("ascii").ljust(FIRMWARE_BYTES, b"\x00"),
            self._memory.boot_counter.to_bytes(4, "little"),
        )
        fresh = nonce if isinstance(nonce, bytes) else b""
        signature = signed(self._keys.identity, b"cardshoe link-v1 attest", fresh, transcript, found, *told)
        self._first = {"measurement": found, "signature": signature}
        return self._first
