"""Whether a device is the one that it says, and runs the firmware that it should.

Owns the signed manifest (which devices and which firmware a house has approved), the text that a device signs, and the
judgement of its answer. Reads no file and draws nothing at random: bytes are handed in. It proves what LINK-12.6 says
and no more: firmware that lies about its measurement is found only by a root of trust inside the device. Implements
LINK-12.1 to LINK-12.4 for a host.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from cardshoe.errors import ConfigError
from cardshoe.link.events import Identity
from cardshoe.link.messages import AttestReply, DeviceKind

FORMAT: Final = "cardshoe-manifest-1"
MANIFEST_BYTES_MAX: Final = 1 << 20
NONCE_BYTES: Final = 32


class Standing(Enum):
    """What is known of a device's firmware (LINK-12.4)."""

    ATTESTED = "attested"
    UNATTESTED = "unattested"
    FAILED = "failed"


class Why(Enum):
    """What led to a standing."""

    LISTED = "identity and firmware are in the manifest"
    NOT_ASKED = "the session is in clear"
    UNANSWERED = "it did not answer in time"
    UNKNOWN_TO_DEVICE = "the device does not know how to attest"
    NO_MANIFEST = "no manifest is configured"
    NOT_LISTED = "the device is not in the manifest"
    SIGNATURE = "its signature is wrong"
    IDENTITY = "its identity key is not the one in the manifest"
    MEASUREMENT = "its firmware is not the approved one"


@dataclass(frozen=True, slots=True)
class Attestation:
    """How a device stands, and why. `measurement` (32 bytes) is what it signed, None where nothing is proved."""

    standing: Standing
    why: Why
    measurement: bytes | None = None
    manifest_sequence: int | None = None


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """A device that the house has approved; `identity` is its Ed25519 public key, 32 bytes."""

    kind: str
    model: str
    serial: str
    identity: bytes


@dataclass(frozen=True, slots=True)
class ListedFirmware:
    """A firmware that the house has approved for a model; `measurement` is its SHA-256."""

    kind: str
    model: str
    firmware: str
    measurement: bytes


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the house has approved (LINK-12.3); a higher `sequence` replaces a lower one."""

    sequence: int
    devices: tuple[ListedDevice, ...]
    firmware: tuple[ListedFirmware, ...]


def canonical(value: Any) -> bytes:
    """Return the canonical JSON of LINK-5.2: keys sorted, no white space, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def manifest_message(rest: dict[str, Any]) -> bytes:
    """Return what the signature of a manifest covers; `rest` is the manifest without it."""
    return b"cardshoe manifest" + canonical(rest)


def parse_manifest(data: bytes, *, signer: bytes, where: str, last_sequence: int) -> Manifest:
    """Return the manifest in `data`, signed by the holder of the Ed25519 key `signer` (32 public bytes).

    `where` names the file in errors. Raises `ConfigError`: `manifest-unreadable`, `manifest-signature`,
    `manifest-older` (its sequence is below `last_sequence`).
    """
    raw = _object(data, where)
    signature = _hex(raw.pop("signature", None), 64, "signature", where)
    try:
        Ed25519PublicKey.from_public_bytes(signer).verify(signature, manifest_message(raw))
    except (InvalidSignature, ValueError) as error:
        raise ConfigError(
            "manifest-signature",
            f"{where}: the manifest's signature is not of the configured key {signer.hex()[:16]}…; take the manifest"
            " that the house has signed. Nothing was started.",
        ) from error
    manifest = _manifest(raw, where)
    if manifest.sequence < last_sequence:
        raise ConfigError(
            "manifest-older",
            f"{where}: the manifest has sequence {manifest.sequence}, and {last_sequence} was used before; take the"
            " newest one. Nothing was started.",
        )
    return manifest


def attested_message(nonce: bytes, transcript: bytes, measurement: bytes, identity: Identity) -> bytes:
    """Return what a device signs (LINK-12.1); `transcript` is T1 of the session."""
    return (
        b"cardshoe link-v1 attest"
        + nonce
        + transcript
        + measurement
        + identity.model.encode("ascii").ljust(16, b"\x00")
        + identity.serial.encode("ascii").ljust(16, b"\x00")
        + identity.firmware.encode("ascii").ljust(12, b"\x00")
        + identity.boot_counter.to_bytes(4, "little")
    )


def judge(
    reply: AttestReply,
    *,
    nonce: bytes,
    transcript: bytes,
    identity: Identity,
    identity_public: bytes,
    manifest: Manifest | None,
) -> Attestation:
    """Return how the device stands that answered `nonce` by `reply`; `identity_public` was stored at pairing."""
    message = attested_message(nonce, transcript, reply.measurement, identity)
    try:
        Ed25519PublicKey.from_public_bytes(identity_public).verify(reply.signature, message)
    except (InvalidSignature, ValueError):
        return Attestation(Standing.FAILED, Why.SIGNATURE)
    if manifest is None:
        return Attestation(Standing.UNATTESTED, Why.NO_MANIFEST, reply.measurement)
    standing, why = _compared(reply.measurement, identity, identity_public, manifest)
    return Attestation(standing, why, reply.measurement, manifest.sequence)


def _compared(measurement: bytes, identity: Identity, public: bytes, manifest: Manifest) -> tuple[Standing, Why]:
    kind = DeviceKind(identity.device_kind).name.lower()
    who = (kind, identity.model, identity.serial)
    rows = [row for row in manifest.devices if (row.kind, row.model, row.serial) == who]
    if not rows:
        return Standing.UNATTESTED, Why.NOT_LISTED
    if public not in [row.identity for row in rows]:
        return Standing.FAILED, Why.IDENTITY
    if ListedFirmware(kind, identity.model, identity.firmware, measurement) not in manifest.firmware:
        return Standing.FAILED, Why.MEASUREMENT
    return Standing.ATTESTED, Why.LISTED


# --- reading a manifest


def _unreadable(where: str, what: str) -> ConfigError:
    return ConfigError("manifest-unreadable", f"{where}: {what}. Take the file as it was signed. Nothing was started.")


def _object(data: bytes, where: str) -> dict[str, Any]:
    if len(data) > MANIFEST_BYTES_MAX:
        raise _unreadable(where, f"the manifest has {len(data)} bytes; the most is {MANIFEST_BYTES_MAX}")
    try:
        raw = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _unreadable(where, f"the manifest is not JSON: {error}") from error
    if not isinstance(raw, dict):
        raise _unreadable(where, "the manifest is not a JSON object")
    return raw


def _manifest(raw: dict[str, Any], where: str) -> Manifest:
    _keys(raw, {"format", "sequence", "devices", "firmware"}, "the manifest", where)
    if raw["format"] != FORMAT:
        raise _unreadable(where, f"its format is {raw['format']!r}, not {FORMAT!r}")
    sequence = raw["sequence"]
    if type(sequence) is not int or sequence < 0:
        raise _unreadable(where, f"its sequence is {sequence!r}, not a whole number")
    devices = tuple(
        ListedDevice(*_texts(row, ("kind", "model", "serial"), where), _hex(row["identity"], 32, "identity", where))
        for row in _rows(raw["devices"], {"kind", "model", "serial", "identity"}, "devices", where)
    )
    firmware = tuple(
        ListedFirmware(
            *_texts(row, ("kind", "model", "firmware"), where), _hex(row["measurement"], 32, "measurement", where)
        )
        for row in _rows(raw["firmware"], {"kind", "model", "firmware", "measurement"}, "firmware", where)
    )
    return Manifest(sequence, devices, firmware)


def _rows(value: Any, keys: set[str], name: str, where: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise _unreadable(where, f"its {name} are not a list of objects")
    for number, row in enumerate(value):
        _keys(row, keys, f"{name}[{number}]", where)
    return value


def _keys(raw: dict[str, Any], keys: set[str], name: str, where: str) -> None:
    if set(raw) != keys:
        raise _unreadable(where, f"{name} has the keys {sorted(raw)}, not {sorted(keys)}")


def _texts(row: dict[str, Any], names: tuple[str, str, str], where: str) -> tuple[str, str, str]:
    first, second, third = (row[name] for name in names)
    if not (isinstance(first, str) and isinstance(second, str) and isinstance(third, str)):
        raise _unreadable(where, f"{names} of a row are not all text")
    return first, second, third


def _hex(value: Any, size: int, name: str, where: str) -> bytes:
    digits = set("0123456789abcdef")
    if not isinstance(value, str) or len(value) != 2 * size or not set(value) <= digits:
        raise _unreadable(where, f"{name} is not {size} bytes of lower-case hexadecimal")
    return bytes.fromhex(value)
