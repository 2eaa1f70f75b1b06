"""The keys that this computer shares with devices, in a directory that only its owner can read.

Owns the directory (mode 0700): which keys there are, which of them counts, who uses them, and the number of the last
manifest used. A change is durable before a call returns, and made by one program at a time; a key that a running table
deals under is not taken away. Prints nothing; `key_files` owns what stands in a file. Implements LINK-9.6 (the count
is stored), LINK-11.7 (rotation) and LINK-12.3 for a host.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from cardshoe.errors import ConfigError
from cardshoe.link.messages import Role
from cardshoe.locked_files import take_lock
from cardshoe.table.key_files import (
    SUFFIX,
    KeyEntry,
    KeyInfo,
    checked,
    read_entry,
    read_private,
    require_private,
    unwritable,
    write_entry,
    write_private,
)
from cardshoe.whole_files import sync_directory

__all__ = ["KeyEntry", "KeyInfo", "KeyStore"]

MANIFEST_FORMAT: Final = "cardshoe-manifest-used-1"
LOCK_S: Final = 2.0
"""Nobody waits longer than this for another program that changes the store."""
_IN_USE: Final = ".in-use"
_MANIFEST: Final = "manifest-used"


class KeyStore:
    """The keys in `directory`.

    Raises `ConfigError`: `keystore-missing`, `keystore-open`, `keystore-damaged`, `keystore-busy`, `keystore-write`.
    """

    def __init__(self, directory: Path, *, create: bool = False) -> None:
        self.directory = directory
        if create:
            _create(directory)
        require_private(directory, stat.S_ISDIR, 0o700)
        _ = self.entries()  # what is damaged is told before anything is begun

    def entries(self) -> tuple[KeyEntry, ...]:
        """Return every key that counts, sorted by kind, serial and role: of one device and role the newest."""
        every = self._every()
        newest: dict[tuple[str, str, Role], int] = {}
        for entry in every:
            newest[entry.place] = max(entry.generation, newest.get(entry.place, 0))
        counting = [entry for entry in every if entry.generation == newest[entry.place]]
        return tuple(sorted(counting, key=lambda entry: entry.place))

    def _every(self) -> list[KeyEntry]:
        try:
            names = sorted(path for path in self.directory.iterdir() if path.name.endswith(SUFFIX))
        except OSError as error:
            raise ConfigError(
                "keystore-missing", f"The key store {self.directory} cannot be read: {error.strerror}. Set it to 0700."
            ) from error
        found: list[KeyEntry] = []
        for path in names:
            try:
                found.append(read_entry(path))
            except ConfigError:
                if os.path.lexists(path):  # else another program took it away between the two looks
                    raise
        return found

    def list(self) -> tuple[KeyInfo, ...]:
        """Return what may be shown of every key."""
        return tuple(entry.info for entry in self.entries())

    def file_names(self) -> tuple[str, ...]:
        """Return the names of the files that make up the store: the keys that count, and the last manifest's number."""
        names = tuple(self._path(entry.info.key_id).name for entry in self.entries())
        return (*names, _MANIFEST) if (self.directory / _MANIFEST).exists() else names

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
            raise _ambiguous(self.directory, which, found)
        return found[0]

    def put(self, entry: KeyEntry) -> None:
        """Store a new key; one of the same device and role is replaced by it, in one step (LINK-11.7)."""
        with self._alone():
            before = [each.generation for each in self._every() if each.place == entry.place]
            write_entry(replace(entry, generation=max(before, default=-1) + 1), self._path(entry.info.key_id))
            self._clear()

    def _clear(self) -> None:
        """Take away what a newer key has replaced; cut off before, the newer one counts all the same."""
        counting = {entry.info.key_id for entry in self.entries()}
        for entry in self._every():
            if entry.info.key_id not in counting:
                self._forget(entry.info.key_id)

    def remove(self, key_id_hex: str) -> None:
        """Forget a key, whoever uses it: see `claimed`. Raises `ConfigError` `key-missing`."""
        with self._alone():
            self._clear()  # else an older key of that device would count again
            self._forget(key_id_hex)

    def _forget(self, key_id_hex: str) -> None:
        try:
            self._path(key_id_hex).unlink()
            sync_directory(self.directory)
        except FileNotFoundError as error:
            raise ConfigError("key-missing", f"{self.directory} holds no key {key_id_hex}.") from error
        except OSError as error:
            raise unwritable(self._path(key_id_hex), error) from error

    def hold(self, key_id_hex: str) -> int:
        """Note that this process deals under a key, until the descriptor that is returned is closed.

        Raises `ConfigError` `key-in-use` while somebody takes the key away.
        """
        with self._alone():
            _ = read_entry(self._path(key_id_hex))
            return self._used(key_id_hex, shared=True)

    @contextmanager
    def claimed(self, key_id_hex: str) -> Iterator[None]:
        """Have a key alone, to take it away. Raises `ConfigError` `key-in-use` while a table deals under it."""
        with self._alone():
            descriptor = self._used(key_id_hex, shared=False)
        try:
            yield
        finally:
            try:
                with self._alone(), suppress(OSError):  # the mark alone says nothing; its lock does
                    self._mark(key_id_hex).unlink()
            finally:
                os.close(descriptor)

    def in_use(self, key_id_hex: str) -> bool:
        """Tell whether a running table deals under a key."""
        with self._alone():
            try:
                os.close(self._used(key_id_hex, shared=False))
            except ConfigError as error:
                if error.code == "key-in-use":
                    return True
                raise
            self._mark(key_id_hex).unlink(missing_ok=True)
        return False

    def _used(self, key_id_hex: str, *, shared: bool) -> int:
        """Lock the mark of a key and return its descriptor."""
        path = self._mark(key_id_hex)
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise unwritable(path, error) from error
        try:
            take_lock(descriptor, shared=shared)
        except BlockingIOError as error:
            os.close(descriptor)
            raise _in_use(key_id_hex) from error
        return descriptor

    def raise_count(self, key_id_hex: str, sealed_count: int) -> None:
        """Store the count of sealed sessions of a key; it never falls (LINK-9.6). Durable when this returns.

        Raises `ConfigError` `key-missing` where the key was taken away meanwhile.
        """
        path = self._path(key_id_hex)
        with self._alone():
            if not os.path.lexists(path):
                raise ConfigError(
                    "key-missing",
                    f"{self.directory} holds the key {key_id_hex} no more: it was removed, or another pairing took its"
                    " place, while this program used it. Pair the device again if need be, then start again.",
                )
            entry = read_entry(path)
            if sealed_count > entry.info.sealed_count:
                write_entry(replace(entry, info=replace(entry.info, sealed_count=sealed_count)), path)

    def manifest_sequence(self) -> int:
        """Return the sequence of the last manifest that was used, 0 for none."""
        path = self.directory / _MANIFEST
        if not path.exists():
            return 0
        raw = read_private(path, MANIFEST_FORMAT)
        return checked(raw.get("sequence"), int, "sequence", path)

    def manifest_used(self, sequence: int) -> None:
        """Remember that the manifest of this sequence is in use; a lower one is refused from now on (LINK-12.3)."""
        with self._alone():
            if sequence > self.manifest_sequence():
                write_private(self.directory / _MANIFEST, {"format": MANIFEST_FORMAT, "sequence": sequence})

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Change the store as the only one who does."""
        try:
            descriptor = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError as error:
            raise unwritable(self.directory, error) from error
        try:
            take_lock(descriptor, wait_s=LOCK_S)
        except BlockingIOError as error:
            os.close(descriptor)
            raise ConfigError(
                "keystore-busy",
                f"Another program has the key store {self.directory} locked for {LOCK_S:g} s. End it and try again.",
            ) from error
        try:
            yield
        finally:
            os.close(descriptor)

    def _mark(self, key_id_hex: str) -> Path:
        return self.directory / f"{key_id_hex}{_IN_USE}"

    def _path(self, key_id_hex: str) -> Path:
        return self.directory / f"{key_id_hex}{SUFFIX}"


def _create(directory: Path) -> None:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(directory, error) from error


def _ambiguous(directory: Path, which: str, found: list[KeyEntry]) -> ConfigError:
    """Return why no key can be chosen: of several devices, or several of one that an older program left there."""
    devices = sorted({entry.info.serial for entry in found})
    if len(devices) > 1:
        told = f"keys of {len(devices)} devices for {which}: {', '.join(map(repr, devices))}"
        kind = found[0].info.kind
        way = f"write the one that is meant as serial = {devices[0]!r} in [devices.{kind}] of the configuration"
    else:
        keys = (f"{entry.info.key_id}, paired {entry.info.paired_at}" for entry in found)
        told = f"{len(found)} keys of one device for {which}: {'; '.join(keys)}"
        way = "the device knows the newer one only; forget the other by `cardshoe unpair KEY --only-here`"
    return ConfigError("key-ambiguous", f"{directory} holds {told}; {way}. Nothing was started.")


def _in_use(key_id_hex: str) -> ConfigError:
    return ConfigError(
        "key-in-use",
        f"The key {key_id_hex} is in use: a table that runs deals under it, or another program takes it away just now."
        " End that one first. Nothing was done.",
    )
