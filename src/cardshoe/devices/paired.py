"""What a driver is given of a paired device.

Owns one value: the key, what was stored with it, and where random bytes come from. Prints no secret.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cardshoe.devices.attest import Manifest
from cardshoe.link.opening import Sealing
from cardshoe.link.seal_exchange import PairKey


@dataclass(frozen=True, slots=True)
class Paired:
    """A device that this host is paired with.

    `identity_public` (32 bytes) is the device's Ed25519 key as pairing told it. `last_count` is the last count of
    sealed sessions that was stored, 0 for none. `manifest` None: nothing can be attested. `entropy` gives so many fresh
    random bytes.
    """

    key: PairKey
    identity_public: bytes
    last_count: int
    entropy: Callable[[int], bytes]
    manifest: Manifest | None = None

    def sealing(self) -> Sealing:
        """Return what the link needs of it."""
        return Sealing(self.key, self.last_count, self.entropy)
