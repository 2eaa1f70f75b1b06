"""One file of the key store: what stands in it, and that nobody else reads or changes it.

Owns the form of a file (JSON with a digest over it, mode 0600, written whole or not at all) and of a key in it. What is
open to others, damaged or not its owner's is refused with what to do about it, never repaired in silence. No error and
no `repr` holds a key. Must not know which keys there are. Implements LINK-11.6 for a host.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar

from cardshoe.bounded_files import read_at_most
from cardshoe.errors import ConfigError
from cardshoe.link.messages import Role
from cardshoe.link.seal_exchange import PairKey
from cardshoe.link.session_keys import key_id
from cardshoe.whole_files import write_whole

FORMAT: Final = "cardshoe-key-1"
SUFFIX: Final = ".key"
ENTRY_BYTES_MAX: Final = 4096
_KEY_BYTES: Final = 32
_COUNT_END: Final = 1 << 64

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class KeyInfo:
    """What may be shown of a stored key. `kind` is "shoe" or "reader"; `sealed_count` the last count that was seen."""

    kind: str
    model: str
    serial: str
    role: Role
    key_id: str
    auditor: bytes | None
    sealed_count: int
    paired_at: str
    paired_by: str


@dataclass(frozen=True, slots=True, repr=False)
class KeyEntry:
    """A stored key with its secret; `identity` is the device's Ed25519 public key. Prints no secret.

    `generation` counts the pairings of one device for one role: a higher one takes the place of all below.
    """

    info: KeyInfo
    pair_key: bytes
    identity: bytes
    generation: int = 0

    @property
    def place(self) -> tuple[str, str, Role]:
        """What one key only may be for: a device, and a role."""
        return self.info.kind, self.info.serial, self.info.role

    @property
    def key(self) -> PairKey:
        """The key as the link takes it."""
        return PairKey(bytes.fromhex(self.info.key_id), self.pair_key, self.info.role)

    def __repr__(self) -> str:
        return f"KeyEntry({self.info.kind} {self.info.serial!r}, {self.info.key_id})"


def write_entry(entry: KeyEntry, path: Path) -> None:
    """Write a key to `path`. Raises `ConfigError` `keystore-write`."""
    info = entry.info
    body = {
        "format": FORMAT,
        "kind": info.kind,
        "model": info.model,
        "serial": info.serial,
        "role": info.role.name.lower(),
        "key_id": info.key_id,
        "auditor": None if info.auditor is None else info.auditor.hex(),
        "sealed_count": info.sealed_count,
        "paired_at": info.paired_at,
        "paired_by": info.paired_by,
        "pair_key": entry.pair_key.hex(),
        "identity": entry.identity.hex(),
        "generation": entry.generation,
    }
    write_private(path, body)


def require_private(path: Path, is_kind: Any, mode: int) -> None:
    """Refuse what is missing, of another kind, another's, or open to others; the text says how it is set right."""
    try:
        status = path.lstat()
    except OSError as error:
        raise ConfigError(
            "keystore-missing",
            f"The key store {path} cannot be had ({error.strerror}). Pair a device with `cardshoe pair`, which makes"
            " it, or write where it is. Nothing was started.",
        ) from error
    if not is_kind(status.st_mode):
        raise ConfigError(
            "keystore-damaged", f"{path} is not what a key store holds there (a link, or another kind of file)."
        )
    found = stat.S_IMODE(status.st_mode)
    if found & 0o077:
        raise ConfigError(
            "keystore-open",
            f"{path} has mode {found:04o}: others may read it. Ask who did, pair its devices again if anybody could"
            f" have read a key, then set it right with: chmod {mode:04o} '{path}'. Nothing was started.",
        )
    if status.st_uid != os.geteuid():
        raise ConfigError(
            "keystore-open",
            f"{path} belongs to user {status.st_uid}, not to this one; run as that user, or give it back to this one."
            " Nothing was started.",
        )


def read_private(path: Path, format_: str) -> dict[str, Any]:
    """Return what stands in the file `path` of the form `format_`.

    Raises `ConfigError` `keystore-missing`, `keystore-open`, `keystore-damaged`.
    """
    require_private(path, stat.S_ISREG, 0o600)
    try:
        text = read_at_most(path, ENTRY_BYTES_MAX)
        raw = json.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        raise _damaged(path, "cannot be read") from error
    if not isinstance(raw, dict) or raw.get("format") != format_:
        raise _damaged(path, f"is not of the format {format_}")
    if raw.pop("digest", None) != _digest(raw):
        raise _damaged(path, "was changed since it was written")
    return raw


def read_entry(path: Path) -> KeyEntry:
    """Return the key in `path`. Raises `ConfigError` as `read_private` does."""
    raw = read_private(path, FORMAT)
    texts = {name: checked(raw.get(name), str, name, path) for name in _TEXTS}
    auditor = raw.get("auditor")
    try:
        info = KeyInfo(
            kind=texts["kind"],
            model=texts["model"],
            serial=texts["serial"],
            role=Role[texts["role"].upper()],
            key_id=texts["key_id"],
            auditor=None if auditor is None else bytes.fromhex(auditor),
            sealed_count=checked(raw.get("sealed_count"), int, "sealed_count", path),
            paired_at=texts["paired_at"],
            paired_by=texts["paired_by"],
        )
        generation = checked(raw.get("generation", 0), int, "generation", path)
        entry = KeyEntry(info, bytes.fromhex(texts["pair_key"]), bytes.fromhex(texts["identity"]), generation)
    except (KeyError, ValueError, TypeError) as error:
        raise _damaged(path, "has a value that is none") from error
    _require_sound(entry, path)
    if key_id(entry.pair_key).hex() != info.key_id or path.name != f"{info.key_id}{SUFFIX}":
        raise _damaged(path, "holds another key than its name says")
    return entry


def _require_sound(entry: KeyEntry, path: Path) -> None:
    info = entry.info
    keys = (entry.pair_key, entry.identity, *(() if info.auditor is None else (info.auditor,)))
    shown = (info.model, info.serial, info.paired_at, info.paired_by)
    if (
        info.kind not in ("shoe", "reader")
        or any(len(key) != _KEY_BYTES for key in keys)
        or not 0 <= info.sealed_count < _COUNT_END
        or not 0 <= entry.generation < _COUNT_END
        or not all(text.isprintable() for text in shown)
    ):
        raise _damaged(path, "has a value that is none")


_TEXTS: Final = ("kind", "model", "serial", "role", "key_id", "paired_at", "paired_by", "pair_key", "identity")


def checked(value: Any, wanted: type[V], name: str, path: Path) -> V:
    """Return `value` if it is of the type `wanted`. Raises `ConfigError` `keystore-damaged` naming `path`."""
    if type(value) is not wanted:
        raise _damaged(path, f"has no usable {name}")
    return value


def write_private(path: Path, body: dict[str, Any]) -> None:
    """Write `body` to `path`, whole, with its digest. Raises `ConfigError` `keystore-write`."""
    text = json.dumps({**body, "digest": _digest(body)}, indent=1).encode() + b"\n"
    try:
        write_whole(path, text, mode=0o600)
    except OSError as error:
        raise unwritable(path, error) from error


def _digest(body: dict[str, Any]) -> str:
    return sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _damaged(path: Path, what: str) -> ConfigError:
    return ConfigError(
        "keystore-damaged",
        f"{path} {what}. Take it out of the store and pair that device again; a copy from a back-up would have an old"
        " count. Nothing was started.",
    )


def unwritable(path: Path, error: OSError) -> ConfigError:
    """Return the error for a file of the store that the disk does not take."""
    return ConfigError("keystore-write", f"The key store cannot write {path}: {error.strerror}. Look at the disk.")
