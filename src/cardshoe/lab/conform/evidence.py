"""Evidence of a run: a folder whose manifest names every file by its hash, signed where a key is given.

Owns `manifest.json` (SHA-256 of every file beside it, canonical JSON) and `manifest.sig` (Ed25519 over its bytes, with
the public key), and the checking of both. Must not know what the files say. A folder without a signature shows only
that nothing was damaged; a signature shows who vouches, if the public key is known from elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from cardshoe.bounded_files import open_plain
from cardshoe.errors import ConfigError, InputError

MANIFEST: Final = "manifest.json"
SIGNATURE: Final = "manifest.sig"
FORMAT: Final = "cardshoe-evidence-1"


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check found: `wrong` names what does not fit; `public_key` in hex is None where nothing is signed."""

    files: int
    public_key: str | None
    wrong: tuple[str, ...]
    about: dict[str, Any]

    @property
    def ok(self) -> bool:
        """Tell whether everything fits."""
        return not self.wrong


def load_evidence_key(path: Path) -> Ed25519PrivateKey:
    """Return the signing key of a PEM file. Raises ConfigError `evidence-key`."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError("evidence-key", f"The key {path} cannot be used: {error}. Name a PEM file.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigError("evidence-key", f"The key {path} is of another kind than Ed25519.")
    return key


def seal(directory: Path, about: dict[str, Any], key: Ed25519PrivateKey | None) -> None:
    """Write the manifest over all files in `directory`, and sign it where there is a key."""
    (directory / SIGNATURE).unlink(missing_ok=True)
    listed = {name: _hash(directory / name) for name in _files(directory)}
    text = json.dumps(
        {"format": FORMAT, "about": about, "files": listed}, sort_keys=True, separators=(",", ":"), ensure_ascii=True
    )
    (directory / MANIFEST).write_text(text, encoding="ascii")
    if key is not None:
        signed = {"public_key": _public(key.public_key()), "signature": key.sign(text.encode("ascii")).hex()}
        (directory / SIGNATURE).write_text(json.dumps(signed), encoding="ascii")


def verify(directory: Path, *, public_key: str | None = None) -> Verified:
    """Check a folder. `public_key` in hex: who must have signed. Raises InputError `evidence-folder`."""
    try:
        raw = _content(directory / MANIFEST)
        manifest = json.loads(raw)
        listed, about = _plain(manifest["files"]), _plain(manifest["about"])
    except OSError as error:
        raise InputError(
            "evidence-folder",
            f"{directory} is no folder of evidence: its {MANIFEST} cannot be read ({error.strerror}). Name the folder"
            " that `pytest hil --evidence` wrote.",
        ) from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(
            "evidence-folder",
            f"{directory} is no folder of evidence: its {MANIFEST} is not what a bench run writes. Name the folder that"
            " `pytest hil --evidence` wrote.",
        ) from error
    wrong = _files_wrong(directory, listed)
    signer = _signer(directory, raw, wrong)
    if public_key is not None and signer != public_key.lower():
        wrong.append(f"signed by {signer or 'nobody'}, wanted is {public_key.lower()}")
    return Verified(len(listed), signer, tuple(wrong), about)


def _files_wrong(directory: Path, listed: dict[str, str]) -> list[str]:
    present = _files(directory)
    wrong = [f"{name} is missing" for name in sorted(set(listed) - set(present))]
    wrong += [f"{name} is not in the manifest" for name in sorted(set(present) - set(listed))]
    for name in present:
        try:
            if name in listed and _hash(directory / name) != listed[name]:
                wrong.append(f"{name} was changed")
        except OSError as error:
            wrong.append(f"{name} cannot be read: {error.strerror}")
    return wrong


def _plain(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("what should be an object is none")
    return value


def _signer(directory: Path, raw: bytes, wrong: list[str]) -> str | None:
    if not (directory / SIGNATURE).exists():
        return None
    try:
        signed = json.loads(_content(directory / SIGNATURE))
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signed["public_key"]))
        key.verify(bytes.fromhex(signed["signature"]), raw)
    except InvalidSignature:
        wrong.append(f"{SIGNATURE} does not fit {MANIFEST}")
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not what a bench run writes"
        wrong.append(f"{SIGNATURE} cannot be read: {why}")
        return None
    return str(signed["public_key"]).lower()


def _files(directory: Path) -> list[str]:
    found = (path for path in directory.rglob("*") if path.is_file())
    names = (path.relative_to(directory).as_posix() for path in found)
    return sorted(name for name in names if name not in (MANIFEST, SIGNATURE))


def _hash(path: Path) -> str:
    return hashlib.sha256(_content(path)).hexdigest()


def _content(path: Path) -> bytes:
    """Return what is in the plain file `path`; a link, a pipe or a folder raises `OSError` like what is not there."""
    with os.fdopen(open_plain(path), "rb") as file:
        return file.read()


def _public(key: Ed25519PublicKey) -> str:
    return key.public_bytes_raw().hex()
