"""The restoring of a backup into a new folder: a table can start on it, or the folder is not there.

Owns the order of things: the passphrase is tried before anything is written; every file is written with the mode that
the table wants, held against the list once more, and made durable; then the journal is verified as a whole, and the
configuration, the keys and the people are read as the table reads them; only then the folder gets its name. It must not
know where a passphrase comes from.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardshoe.bounded_files import read_at_most
from cardshoe.errors import CardshoeError, ConfigError, InputError
from cardshoe.journal.keyfile import load_key, public_bytes
from cardshoe.journal.reader import examine
from cardshoe.table.backup_form import BackupFile, Listed, changed
from cardshoe.table.backup_sources import SMALL_MOST
from cardshoe.table.config import TableConfig, parse_config
from cardshoe.table.keystore import KeyStore
from cardshoe.table.passphrase_seal import SEAL_BYTES, Passphrase, PassphraseSeal, seal_of
from cardshoe.table.people_file import people_of
from cardshoe.whole_files import sync_directory, write_new

_SEALED_MOST: Final = 32 << 20


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored: the configuration's file, its journal, and what stands in that."""

    config: Path
    journal: Path
    records: int
    head: str


def unsealed(backup: BackupFile, passphrase: Passphrase) -> PassphraseSeal:
    """Return what opens the sealed files of `backup`.

    Raises `InputError`: `backup-passphrase` for a wrong passphrase, `backup-changed` for a list that it does not vouch
    for.
    """
    listing = backup.listing
    seal = seal_of(passphrase, bytes.fromhex(listing.salt), listing.log2_n)
    if seal.check.hex() != listing.check:
        raise InputError(
            "backup-passphrase",
            f"That is not the passphrase of the backup {backup.path}, made {listing.made_at}. Nothing was restored.",
        )
    if not seal.vouches(backup.list_text, backup.seal):
        raise changed(backup.path, "its list is not the one that was sealed")
    return seal


def require_free(to: Path) -> None:
    """Raise `ConfigError` `restore-to` unless `to` can become the folder of a table: it is empty, or not there."""
    try:
        found = sorted(os.listdir(to))
    except FileNotFoundError:
        if not to.parent.is_dir():
            raise ConfigError("restore-to", f"--to {to}: there is no folder {to.parent}. Make it first.") from None
        return
    except OSError as error:
        raise ConfigError("restore-to", f"--to {to}: {error.strerror}. Name a new folder.") from error
    if found or to.is_symlink():
        what = f"holds {', '.join(found[:3])}{' …' if len(found) > 3 else ''}" if found else "is a link"
        raise ConfigError(
            "restore-to",
            f"--to {to}: the folder {what}; a table's files are not mixed with others. Nothing was restored; name a new"
            " folder.",
        )


def restore(backup: BackupFile, seal: PassphraseSeal, to: Path, *, staging: Path) -> Restored:
    """Put the files of `backup` into the new folder `to`; `staging` is an empty folder beside it.

    Raises `InputError` `backup-changed`, `backup-unusable` for one that no table can start on, `OSError`.
    """
    listing = backup.listing
    for listed in listing.files:
        _place(backup, listed, seal, staging)
    for folder, _inner, _names in os.walk(staging):
        sync_directory(Path(folder))
    try:
        _require_usable(backup, staging)
    except CardshoeError as error:
        if error.code == "backup-changed":
            raise
        raise InputError(
            "backup-unusable", f"The backup {backup.path} was read, and no table can start on it: {error.text}"
        ) from error
    os.rename(staging, to)
    sync_directory(to.parent)
    return Restored(to / listing.config, to / listing.journal, listing.records, listing.head)


def _place(backup: BackupFile, listed: Listed, seal: PassphraseSeal, staging: Path) -> None:
    path = staging / listed.name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not listed.sealed:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            backup.copy(listed, file.write)
            file.flush()
            os.fsync(file.fileno())
        return
    if not SEAL_BYTES <= listed.bytes <= _SEALED_MOST:
        raise changed(backup.path, f"{listed.name} cannot be a sealed file of {listed.bytes} bytes")
    sealed: list[bytes] = []
    backup.copy(listed, sealed.append)
    plain = seal.opened(b"".join(sealed), listed.name)
    if plain is None:
        raise changed(backup.path, f"the sealed file {listed.name} does not open")
    write_new(path, plain, mode=0o600)


def _require_usable(backup: BackupFile, folder: Path) -> None:
    """Read what was restored as a table reads it. Raises `CardshoeError`."""
    listing = backup.listing
    journal = folder / listing.journal
    verdict = examine(journal, trusted_key=public_bytes(load_key(journal.with_name(journal.name + ".key"))))
    if not verdict.ok:
        raise InputError("backup-unusable", f"its journal cannot be trusted: {verdict.why}")
    if (verdict.records, verdict.head) != (listing.records, listing.head):
        raise changed(backup.path, "its journal is not the one that its list names")
    config = _config(folder / listing.config)
    if os.path.normpath(config.table.journal) != listing.journal:
        raise changed(backup.path, "its configuration names another journal")
    if config.security.keys is not None:
        KeyStore(folder / config.security.keys)
    store = people_of(config, folder)
    if store is not None:
        store.read()


def _config(path: Path) -> TableConfig:
    try:
        text = read_at_most(path, SMALL_MOST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("backup-unusable", f"its configuration {path.name} cannot be read") from error
    return parse_config(text, path.name)
