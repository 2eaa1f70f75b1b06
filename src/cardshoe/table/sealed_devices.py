"""What a table opens its sealed devices with: keys and the signed list of what is approved.

Owns the reading of key store and manifest for one configuration, before anything is started, and the terms on which a
device is admitted. A table without sealed devices reads nothing. Implements LINK-12.3 for a table.
"""

from __future__ import annotations

import os
import secrets
import weakref
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

from cardshoe.devices.attest import MANIFEST_BYTES_MAX, Manifest, parse_manifest
from cardshoe.devices.paired import Paired
from cardshoe.errors import ConfigError
from cardshoe.link.messages import Role
from cardshoe.table.admission import Terms
from cardshoe.table.config import DevicePart, TableConfig
from cardshoe.table.keystore import KeyStore

STORE_NAME: Final = "keys"
MARK_BYTES: Final = 8
"""An envelope names the auditor's key by so many bytes of its hash (SHOE-9.10)."""


def default_store() -> Path:
    """Return where the keys lie when nothing else is said: the user's own state directory. Raises `ConfigError`."""
    state = os.environ.get("XDG_STATE_HOME")
    try:
        base = Path(state) if state else Path.home() / ".local" / "state"
    except RuntimeError as error:
        raise ConfigError(
            "keystore-missing",
            "This user has no home on this computer, where the key store would lie: set HOME or XDG_STATE_HOME, or say"
            " where the keys are (--keys, or keys in [security]). Nothing was started.",
        ) from error
    return base / "cardshoe" / STORE_NAME


def _let_go(held: list[int]) -> None:
    for descriptor in held:
        os.close(descriptor)


class SealedDevices:
    """The keys and the manifest of one table, which nobody takes away while this lives.

    `entropy` gives so many fresh random bytes.
    """

    def __init__(
        self,
        config: TableConfig,
        base: Path,
        *,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        """Read what `config` names, paths counting from `base`; raises `ConfigError`."""
        self._entropy = entropy
        self._live = config.table.mode == "live"
        self._store: KeyStore | None = None
        self._manifest: Manifest | None = None
        parts = {"shoe": config.devices.shoe, "reader": config.devices.reader}
        self._parts = {name: part for name, part in parts.items() if part is not None and part.security == "sealed"}
        if not self._parts:
            return
        keys = config.security.keys
        self._store = KeyStore(default_store() if keys is None else base / keys)
        self._manifest = self._read_manifest(config, base, self._store)
        for name in self._parts:
            self.paired(name)  # a key that is missing is told before anything is started
        held: list[int] = []
        weakref.finalize(self, _let_go, held)  # no longer than these keys can be asked for
        for name, part in self._parts.items():
            held.append(self._store.hold(self._store.find(name, Role.DEAL, part.serial).info.key_id))

    def paired(self, device: str) -> Paired | None:
        """Return what the driver of `device` is given, None where it is spoken to in clear."""
        part = self._parts.get(device)
        if part is None or self._store is None:
            return None
        entry = self._store.find(device, Role.DEAL, part.serial)
        return Paired(entry.key, entry.identity, entry.info.sealed_count, self._entropy, self._manifest)

    def auditor(self, device: str) -> str | None:
        """Return the mark (16 hex digits) of the auditor's key that `device` was paired with, None where none was."""
        part = self._parts.get(device)
        if part is None or self._store is None:
            return None
        public = self._store.find(device, Role.DEAL, part.serial).info.auditor
        return None if public is None else sha256(public).digest()[:MARK_BYTES].hex()

    def terms(self, device: str, part: DevicePart) -> Terms | None:
        """Return on which terms `device` is admitted, None where it is spoken to in clear."""
        if device not in self._parts or self._store is None:
            return None
        return Terms(self._store.raise_count, self._live, part.url)

    def _read_manifest(self, config: TableConfig, base: Path, store: KeyStore) -> Manifest | None:
        security = config.security
        if security.manifest is None or security.manifest_key is None:
            return None
        path = base / security.manifest
        try:
            with path.open("rb") as file:
                data = file.read(MANIFEST_BYTES_MAX + 1)
        except OSError as error:
            raise ConfigError(
                "manifest-missing",
                f"The manifest {path} cannot be read: {error.strerror}. Put the signed list of approved devices there,"
                " or write where it is as security.manifest. Nothing was started.",
            ) from error
        signer = bytes.fromhex(security.manifest_key)
        manifest = parse_manifest(data, signer=signer, where=str(path), last_sequence=store.manifest_sequence())
        store.manifest_used(manifest.sequence)
        return manifest
