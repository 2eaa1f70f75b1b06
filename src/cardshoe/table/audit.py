"""Opening the envelope of a round for a dispute, away from the table.

Owns where an envelope is found (a journal, or a file that was handed over), the auditor's key file, and the log that
every opening is written to before anything is told. Needs the auditor's private key, which no table computer holds.
Implements SHOE-9.10 and SHOE-9.11 for an auditor's shell.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from cardshoe.clock import Clock
from cardshoe.devices.envelope import OpenedRound, auditor_mark, open_envelope
from cardshoe.devices.round_events import RoundSealed
from cardshoe.errors import ConfigError, InputError, JournalError
from cardshoe.journal.reader import JournalReader, verify
from cardshoe.table.private_keys import keep_key, kept_key

FORMAT: Final = "cardshoe-envelope-1"
_FILE_MAX: Final = 1 << 20
_KEY_MAX: Final = 4096
_HEX_KEY: Final = 64


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a record holds of one round of a shoe: its envelope and the commitments, by slot."""

    serial: str
    envelope: RoundSealed
    commitments: Mapping[int, bytes]


def make_auditor_key(path: Path) -> str:
    """Make an auditor's key pair, write the private half to `path` (0600, PEM) and return the public half in hex.

    Raises `ConfigError` (`auditor-key`), also where a file lies there already.
    """
    return keep_key(path, X25519PrivateKey.generate(), "auditor-key", "The auditor's key")


def load_auditor_key(path: Path) -> X25519PrivateKey:
    """Return the auditor's private key in `path`; raises `ConfigError` (`auditor-key`)."""
    key = kept_key(path, "auditor-key", "The auditor's key")
    if not isinstance(key, X25519PrivateKey):
        raise ConfigError("auditor-key", f"{path} holds another kind of key than X25519; make one by `audit keygen`.")
    return key


def public_auditor_key(text: str) -> bytes:
    """Return the 32 bytes of an auditor's public key: 64 hex digits, or a PEM file. Raises `ConfigError`."""
    digits = text.lower()
    if len(digits) == _HEX_KEY and set(digits) <= set("0123456789abcdef"):
        return bytes.fromhex(digits)
    path = Path(text)
    try:
        with path.open("rb") as file:
            key = load_pem_public_key(file.read(_KEY_MAX))
    except OSError as error:
        raise ConfigError(
            "auditor-key", f"--auditor {text!r} is not 64 hex digits, and no file that can be read: {error.strerror}."
        ) from error
    except (ValueError, UnsupportedAlgorithm):
        raise ConfigError(
            "auditor-key", f"{path} holds no public key; give the public half, which `audit keygen` prints."
        ) from None
    if not isinstance(key, X25519PublicKey):
        raise ConfigError("auditor-key", f"{path} holds another kind of key than X25519.")
    return key.public_bytes_raw()


def evidence_of(path: Path, round_id: int) -> Evidence:
    """Return what `path` (a journal, which is verified, or an envelope in JSON) holds of the shoe's round `round_id`.

    Raises `ConfigError` (`envelope-file`), `JournalError` (`journal-untrusted`), `InputError` (`envelope-missing`).
    """
    if path.suffix == ".json":
        return _from_file(path, round_id)
    verdict = verify(path)
    if not verdict.ok:
        raise JournalError(
            "journal-untrusted", f"The journal {path} cannot be trusted: {verdict.why} No envelope of it was opened."
        )
    try:
        with JournalReader(path) as reader:
            return _from_records(((record.kind, record.body) for record in reader.records()), path, round_id)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ConfigError(
            "envelope-file",
            f"What {path} holds of the shoe's round {round_id} is not what a shoe tells ({error!r}). Nothing was"
            " opened; keep the journal, and ask who wrote it.",
        ) from error


def _from_records(records: Iterable[tuple[str, Mapping[str, Any]]], path: Path, round_id: int) -> Evidence:
    serial, commitments = "", dict[int, bytes]()
    for kind, body in records:
        if kind == "device_identified" and body["device"] == "shoe":
            serial = str(body["serial"])
        if kind != "shoe_reported" or body.get("round_id") != round_id:
            continue
        if body["event"] == "CardCommitted":
            commitments[int(body["slot"])] = bytes.fromhex(body["commitment"])
        elif body["event"] == "RoundSealed":
            return Evidence(serial, _envelope(body), commitments)
    raise InputError(
        "envelope-missing",
        f"{path} holds no envelope of round {round_id} of the shoe; `cardshoe journal show` names the rounds.",
    )


def _envelope(body: Mapping[str, Any]) -> RoundSealed:
    auditor = body["auditor"]
    return RoundSealed(
        event_id=int(body.get("event_id", 0)),
        round_id=int(body["round_id"]),
        deck_id=int(body["deck_id"]),
        first_slot=int(body["first_slot"]),
        cards=int(body["cards"]),
        auditor=None if auditor is None else bytes.fromhex(auditor),
        ephemeral=bytes.fromhex(body["ephemeral"]),
        sealed=bytes.fromhex(body["sealed"]),
    )


def _from_file(path: Path, round_id: int) -> Evidence:
    try:
        with path.open("rb") as file:
            raw = json.loads(file.read(_FILE_MAX))
        _require_format(raw["format"])
        commitments = {int(slot): bytes.fromhex(value) for slot, value in raw["commitments"].items()}
        evidence = Evidence(str(raw["serial"]), _envelope(raw), commitments)
    except OSError as error:
        raise ConfigError("envelope-file", f"The envelope {path} cannot be read: {error.strerror}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise ConfigError("envelope-file", f"{path} is no envelope that can be read ({error}).") from error
    if evidence.envelope.round_id != round_id:
        raise InputError(
            "envelope-missing", f"{path} is the envelope of round {evidence.envelope.round_id}, not of {round_id}."
        )
    return evidence


def _require_format(format_: object) -> None:
    if format_ != FORMAT:
        raise ValueError(f"its format is {format_!r}, not {FORMAT!r}")


def open_logged(evidence: Evidence, key: X25519PrivateKey, log: Path, *, who: str, clock: Clock) -> OpenedRound:
    """Open the envelope; that it is opened is on disk in `log` before anything is told. Raises `ConfigError` too."""
    entry = {
        "at": clock.wall(),
        "who": who,
        "round_id": evidence.envelope.round_id,
        "serial": evidence.serial,
        "key": auditor_mark(key.public_key().public_bytes_raw()).hex(),
    }
    _append(log, {**entry, "did": "open"})
    try:
        opened = open_envelope(evidence.envelope, evidence.serial, key, evidence.commitments)
    except InputError as error:
        _append(log, {**entry, "did": "refused", "code": error.code})
        raise
    _append(log, {**entry, "did": "opened", "sound": opened.sound, "cards": len(opened.cards)})
    return opened


def _append(log: Path, entry: Mapping[str, object]) -> None:
    line = json.dumps(entry, sort_keys=True).encode() + b"\n"
    try:
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "ab", buffering=0) as file:
            file.write(line)
            os.fsync(file.fileno())
    except OSError as error:
        raise ConfigError(
            "audit-log", f"The log of openings {log} cannot be written: {error.strerror}. Nothing was opened."
        ) from error
