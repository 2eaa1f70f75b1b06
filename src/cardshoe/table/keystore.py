"""The keys that this computer shares with devices, in a directory that only its owner can read.

Owns the directory (mode 0700) and its files (mode 0600, one a key, written whole or not at all, durable before a call
returns), what stands in them, and the number of the last manifest used. What is open to others, damaged or not its
owner's is refused with what to do about it, never repaired in silence. Prints nothing, and no error, `repr` or listing
holds a key. Implements LINK-9.6 (the count is stored), LINK-11.6, LINK-11.7 (rotation) and LINK-12.3 for a host.
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from cardshoe.bounded_files import read_at_most
from cardshoe.errors import ConfigError
from cardshoe.link.messages import Role
from cardshoe.link.seal_exchange import PairKey
from cardshoe.link.session_keys import key_id
from cardshoe.whole_files import sync_directory, write_whole

FORMAT: Final = "cardshoe-key-1"
MANIFEST_FORMAT: Final = "cardshoe-manifest-used-1"
ENTRY_BYTES_MAX: Final = 4096
_SUFFIX: Final = ".key"
_KEY_BYTES: Final = 32
_COUNT_END: Final = 1 << 64
_MANIFEST: Final = "manifest-used"


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
    """A stored key with its secret; `identity` is the device's Ed25519 public key. Prints no secret."""

    info: KeyInfo
    pair_key: bytes
    identity: bytes

    @property
    def key(self) -> PairKey:
        """The key as the link takes it."""
        return PairKey(bytes.fromhex(self.info.key_id), self.pair_key, self.info.role)

    def __repr__(self) -> str:
        return f"KeyEntry({self.info.kind} {self.info.serial!r}, {self.info.key_id})"


class KeyStore:
    """The keys in `directory`. Raises `ConfigError`: `keystore-missing`, `keystore-open`, `keystore-damaged`."""

    def __init__(self, directory: Path, *, create: bool = False) -> None:
        self.directory = directory
        if create:
            _create(directory)
        _require_private(directory, stat.S_ISDIR, 0o700)
        _ = self.entries()  # what is damaged is told before anything is begun

    def entries(self) -> tuple[KeyEntry, ...]:
        """Return every key, sorted by kind, serial and role."""
        try:
            names = sorted(path for path in self.directory.iterdir() if path.name.endswith(_SUFFIX))
        except OSError as error:
            raise ConfigError(
                "keystore-missing", f"The key store {self.directory} cannot be read: {error.strerror}. Set it to 0700."
            ) from error
        entries = [_read_entry(path) for path in names]
        return tuple(sorted(entries, key=lambda entry: (entry.info.kind, entry.info.serial, entry.info.role)))

    def list(self) -> tuple[KeyInfo, ...]:
        """Return what may be shown of every key."""
        return tuple(entry.info for entry in self.entries())

    def find(self, kind: str, role: Role, serial: str | None = None) -> KeyEntry:
        """Return the one key for a device; raises `ConfigError` `key-missing` or `key-ambiguous`."""
        found = [
            entry
            for entry in self.entries()
            if (entry.info.kind, entry.info.role) == (kind, role) and serial in (None, entry.info.serial)
        ]
        which = f"a {kind}" if serial is None else f"the {kind} {serial!r}"
        if not found:
            raise ConfigError(
                "key-missing",
                f"{self.directory} holds no key of role {role.name.lower()!r} for {which}; pair it with `cardshoe pair`"
                " first, or copy nothing: a key stays where it was made. Nothing was started.",
            )
        if len(found) > 1:
            serials = ", ".join(repr(entry.info.serial) for entry in found)
            raise ConfigError(
                "key-ambiguous",
                f"{self.directory} holds keys of {len(found)} devices for {which}: {serials}; say which by its serial."
                " Nothing was started.",
            )
        return found[0]

    def put(self, entry: KeyEntry) -> None:
        """Store a new key; one of the same device and role is replaced by it (LINK-11.7)."""
        same = (entry.info.kind, entry.info.serial, entry.info.role)
        old = [each for each in self.entries() if (each.info.kind, each.info.serial, each.info.role) == same]
        self._write(entry)
        for each in old:
            if each.info.key_id != entry.info.key_id:
                self.remove(each.info.key_id)

    def remove(self, key_id_hex: str) -> None:
        """Forget a key; raises `ConfigError` `key-missing`."""
        try:
            self._path(key_id_hex).unlink()
            sync_directory(self.directory)
        except FileNotFoundError as error:
            raise ConfigError("key-missing", f"{self.directory} holds no key {key_id_hex}.") from error
        except OSError as error:
            raise _unwritable(self._path(key_id_hex), error) from error

    def raise_count(self, key_id_hex: str, sealed_count: int) -> None:
        """Store the count of sealed sessions of a key; it never falls (LINK-9.6). Durable when this returns."""
        entry = _read_entry(self._path(key_id_hex))
        if sealed_count > entry.info.sealed_count:
            self._write(replace(entry, info=replace(entry.info, sealed_count=sealed_count)))

    def manifest_sequence(self) -> int:
        """Return the sequence of the last manifest that was used, 0 for none."""
        path = self.directory / _MANIFEST
        if not path.exists():
            return 0
        raw = _read(path, MANIFEST_FORMAT)
        return int(_checked(raw.get("sequence"), int, "sequence", path))

    def manifest_used(self, sequence: int) -> None:
        """Remember that the manifest of this sequence is in use; a lower one is refused from now on (LINK-12.3)."""
        if sequence > self.manifest_sequence():
            body = {"format": MANIFEST_FORMAT, "sequence": sequence}
            _write(self.directory / _MANIFEST, body)

    def _path(self, key_id_hex: str) -> Path:
        return self.directory / f"{key_id_hex}{_SUFFIX}"

    def _write(self, entry: KeyEntry) -> None:
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
        }
        _write(self._path(info.key_id), body)


# --- files


def _create(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(directory, error) from error


def _require_private(path: Path, is_kind: Any, mode: int) -> None:
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


def _read(path: Path, format_: str) -> dict[str, Any]:
    _require_private(path, stat.S_ISREG, 0o600)
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


def _read_entry(path: Path) -> KeyEntry:
    raw = _read(path, FORMAT)
    texts = {name: _checked(raw.get(name), str, name, path) for name in _TEXTS}
    auditor = raw.get("auditor")
    try:
        info = KeyInfo(
            kind=texts["kind"],
            model=texts["model"],
            serial=texts["serial"],
            role=Role[texts["role"].upper()],
            key_id=texts["key_id"],
            auditor=None if auditor is None else bytes.fromhex(auditor),
            sealed_count=_checked(raw.get("sealed_count"), int, "sealed_count", path),
            paired_at=texts["paired_at"],
            paired_by=texts["paired_by"],
        )
        entry = KeyEntry(info, bytes.fromhex(texts["pair_key"]), bytes.fromhex(texts["identity"]))
    except (KeyError, ValueError, TypeError) as error:
        raise _damaged(path, "has a value that is none") from error
    _require_sound(entry, path)
    if key_id(entry.pair_key).hex() != info.key_id or path.name != f"{info.key_id}{_SUFFIX}":
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
        or not all(text.isprintable() for text in shown)
    ):
        raise _damaged(path, "has a value that is none")


_TEXTS: Final = ("kind", "model", "serial", "role", "key_id", "paired_at", "paired_by", "pair_key", "identity")


def _checked(value: Any, wanted: type, name: str, path: Path) -> Any:
    if type(value) is not wanted:
        raise _damaged(path, f"has no usable {name}")
    return value


def _write(path: Path, body: dict[str, Any]) -> None:
    text = json.dumps({**body, "digest": _digest(body)}, indent=1).encode() + b"\n"
    try:
        write_whole(path, text, mode=0o600)
    except OSError as error:
        raise _unwritable(path, error) from error


def _digest(body: dict[str, Any]) -> str:
    return sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _damaged(path: Path, what: str) -> ConfigError:
    return ConfigError(
        "keystore-damaged",
        f"{path} {what}. Take it out of the store and pair that device again; a copy from a back-up would have an old"
        " count. Nothing was started.",
    )


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError("keystore-write", f"The key store cannot write {path}: {error.strerror}. Look at the disk.")
