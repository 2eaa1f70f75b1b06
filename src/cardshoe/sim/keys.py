"""What a device keeps of its secrets: label secret, identity key, and a key for each pairing.

Owns LINK-11.8 and the places for keys of LINK-11.5. Must not know how a key comes about or what is done with it.
"""

from __future__ import annotations

import base64
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

PLACES_FOR_KEYS: Final = 4
DEAL, SERVICE = range(2)
ROLES: Final = {DEAL: "deal", SERVICE: "service"}
NO_AUDITOR: Final = bytes(32)


@dataclass(slots=True)
class Pairing:
    """One host's key. `sealed_count` counts the sealed sessions that have begun with it, and never falls."""

    key_id: bytes
    pair_key: bytes
    role: int
    host_name: str
    auditor: bytes
    sealed_count: int = 0


@dataclass(slots=True)
class KeyMemory:
    """A device's secrets. `auditor` is the auditor's key of the last pairing, all 00 for none."""

    label: bytes
    identity: bytes
    pairings: list[Pairing] = field(default_factory=list)
    auditor: bytes = NO_AUDITOR

    def find(self, key_id: bytes) -> Pairing | None:
        """Return the pairing with this key id, or None."""
        return next((one for one in self.pairings if one.key_id == key_id), None)

    def of_host(self, name: str, role: int) -> Pairing | None:
        """Return the pairing of a host in a role, or None: a new one takes its place (LINK-11.7)."""
        return next((one for one in self.pairings if (one.host_name, one.role) == (name, role)), None)

    def remove(self, pairing: Pairing) -> None:
        """Forget one key."""
        self.pairings[:] = [one for one in self.pairings if one is not pairing]

    def forget_all(self) -> None:
        """As the device was when it was new (LINK-11.7)."""
        self.pairings.clear()
        self.auditor = NO_AUDITOR

    @property
    def label_printed(self) -> str:
        """The label secret as it is printed inside the door: base32 in groups of four (LINK-11.1)."""
        text = base64.b32encode(self.label).decode("ascii").rstrip("=")
        return "-".join(text[place : place + 4] for place in range(0, len(text), 4))


def new_keys(source: random.Random) -> KeyMemory:
    """Return the secrets with which a device leaves the factory."""
    return KeyMemory(label=source.randbytes(16), identity=source.randbytes(32))


def keys_to_json(keys: KeyMemory) -> dict[str, Any]:
    """Return the secrets as plain JSON values."""
    pairings = [
        {
            "key_id": one.key_id.hex(),
            "pair_key": one.pair_key.hex(),
            "role": one.role,
            "host_name": one.host_name,
            "auditor": one.auditor.hex(),
            "sealed_count": one.sealed_count,
        }
        for one in keys.pairings
    ]
    return {
        "label": keys.label.hex(),
        "identity": keys.identity.hex(),
        "auditor": keys.auditor.hex(),
        "pairings": pairings,
    }


def keys_from_json(data: Mapping[str, Any]) -> KeyMemory:
    """Return the secrets from what `keys_to_json` gave."""
    pairings = [
        Pairing(
            key_id=bytes.fromhex(one["key_id"]),
            pair_key=bytes.fromhex(one["pair_key"]),
            role=one["role"],
            host_name=one["host_name"],
            auditor=bytes.fromhex(one["auditor"]),
            sealed_count=one["sealed_count"],
        )
        for one in data["pairings"]
    ]
    label, identity, auditor = (bytes.fromhex(data[name]) for name in ("label", "identity", "auditor"))
    return KeyMemory(label=label, identity=identity, pairings=pairings, auditor=auditor)
