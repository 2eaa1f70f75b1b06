"""What firmware a device runs, as far as it proves it: its signed measurement, or why there is none.

Owns the keys that a bench file names, and the question that is put to a device without them. Implements LINK-12.1 and
LINK-12.2 for the bench; the manifest of approved firmware is the table's business (LINK-12.3), not the bench's.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final

from cardshoe.devices.attest import Attestation
from cardshoe.devices.paired import Paired
from cardshoe.lab.conform.caller import Caller, NotReady
from cardshoe.lab.conform.watching import Watched
from cardshoe.link.messages import RejectReason, Role
from cardshoe.table.keystore import KeyStore

_NAME_KEYS: Final = "pair it with cardshoe pair and name the key store in the bench file to have it measured"
UNASKED: Final[dict[int, str]] = {
    RejectReason.UNKNOWN_TYPE: "the firmware does not know how to attest",
    RejectReason.SEALED_ONLY: f"it attests in a sealed session only; {_NAME_KEYS}",
}


@dataclass(frozen=True)
class Measured:
    """`measurement` is the SHA-256 that the device signed for this run, None where it signed none: `why` says so."""

    measurement: bytes | None
    why: str

    @property
    def text(self) -> str:
        """For people."""
        if self.measurement is None:
            return f"not attested: {self.why}"
        return f"{self.measurement.hex()} ({self.why})"


@dataclass(frozen=True)
class BenchKeys:
    """The key with which this bench opens one device."""

    kind: str
    store: KeyStore
    serial: str | None

    def paired(self) -> Paired:
        """What the driver is given, with the count as it stands now. Raises ConfigError `key-missing`."""
        entry = self.store.find(self.kind, Role.DEAL, self.serial)
        return Paired(entry.key, entry.identity, entry.info.sealed_count, secrets.token_bytes)

    def keep_count(self, key_id: bytes, count: int) -> None:
        """Store the count of a sealed session before it begins (LINK-9.6)."""
        self.store.raise_count(key_id.hex(), count)


def measured(attestation: Attestation) -> Measured:
    """What a sealed session showed."""
    if attestation.measurement is None:
        return Measured(None, attestation.why.value)
    return Measured(attestation.measurement, "signed for this run under the identity key that was stored at pairing")


def unmeasured(kind: str, watched: Watched) -> Measured:
    """Ask a device in clear whether it could attest; why it does not. Consumes none of its events."""
    caller = Caller(kind, watched, lambda: secrets.token_bytes(16))
    reply = caller.hello()
    if reply is None or reply["result"] != 0:
        why = "nothing answered HELLO" if reply is None else f"it refuses a clear session (result {reply['result']})"
        return Measured(None, f"{why}; {_NAME_KEYS}")
    try:
        reason = caller.rejected("ATTEST", nonce=secrets.token_bytes(32).hex())
    except NotReady as silent:
        return Measured(None, str(silent))
    if reason is None:
        return Measured(None, "it answers ATTEST in a clear session, where nothing binds the answer to it (LINK-12.5)")
    return Measured(None, UNASKED.get(reason, f"it rejects ATTEST (reason {reason})"))
