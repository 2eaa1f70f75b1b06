"""What a device proves of itself: the measurement of the firmware that runs, signed afresh.

Owns LINK-12.1. Must not know sessions: the transcript comes in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cardshoe.sim.messages import Value
from cardshoe.sim.primitives import sha256, signed
from cardshoe.sim.sessions import Identity

MODEL_BYTES: Final = 16
FIRMWARE_BYTES: Final = 12
Measured = Callable[[], bytes]


def measurement(device: str, firmware: str, *, changed: bool) -> bytes:
    """Return the SHA-256 of the image that runs: a simulated device has one that names its kind and version."""
    image = f"cardshoe simulated firmware {device} {firmware}".encode()
    return sha256(image, b" with other code in it" if changed else b"")


def attested(
    nonce: Value,
    *,
    transcript: bytes,
    measured: Measured,
    identity: Identity,
    secret: bytes,
    boot_counter: int,
) -> dict[str, Value]:
    """Return the fields of ATTEST_REPLY. `transcript` is T1 of the session (LINK-9.5)."""
    found = measured()
    told = (
        identity.model.encode("ascii").ljust(MODEL_BYTES, b"\x00"),
        identity.serial.encode("ascii").ljust(MODEL_BYTES, b"\x00"),
        identity.firmware.encode("ascii").ljust(FIRMWARE_BYTES, b"\x00"),
        boot_counter.to_bytes(4, "little"),
    )
    fresh = nonce if isinstance(nonce, bytes) else b""
    signature = signed(secret, b"cardshoe link-v1 attest", fresh, transcript, found, *told)
    return {"measurement": found, "signature": signature}
