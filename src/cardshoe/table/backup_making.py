"""The making of a backup, also while the table runs: all of it is there in the end, or nothing is.

Owns the order of things: the table's small files, then its journal as it stands at one moment, verified; the list with
what may be said of it; the seal. It is put together in a folder beside its place and moved there at once, over nothing.
It must not know where a passphrase comes from.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardshoe import __version__
from cardshoe.clock import Clock
from cardshoe.errors import ConfigError
from cardshoe.journal.keyfile import load_key, public_bytes
from cardshoe.journal.lock import is_being_written
from cardshoe.journal.reader import JournalReader, anchor_path
from cardshoe.journal.replay import SETTLED
from cardshoe.journal.snapshot import snapshot
from cardshoe.table import passphrase_seal
from cardshoe.table.backup_form import (
    CHUNK,
    FOLDER,
    LIST_NAME,
    SEAL_NAME,
    Listed,
    Listing,
    pieces,
    write_end,
    write_member,
)
from cardshoe.table.backup_sources import Source, Sources, sources_of
from cardshoe.table.config import TableConfig
from cardshoe.table.passphrase_seal import NONCE_BYTES, SALT_BYTES, Passphrase, PassphraseSeal
from cardshoe.table.state import NOTED
from cardshoe.whole_files import sync_directory

_OPENS: Final = "round-opened"


@dataclass(frozen=True, slots=True)
class Origin:
    """The configuration of the table: what it says, the file `path` that it was read from, its bytes `content`."""

    config: TableConfig
    path: Path
    content: bytes


Rewrite = Callable[[Origin, dict[tuple[str, str], str]], str]


def make_backup(
    origin: Origin, to: Path, passphrase: Passphrase, *, staging: Path, clock: Clock, rewrite: Rewrite
) -> Listing:
    """Write the backup of a table to `to`, where nothing may be, and return its list.

    `staging` is an empty folder on the same file system; `rewrite` returns the text of a configuration with other
    paths. Raises `ConfigError` (`backup-source`, `backup-to`, a store or list that cannot be used), `JournalError`.
    """
    sources = sources_of(origin.config, origin.path.absolute().parent)
    trusted = public_bytes(load_key(sources.journal.with_name(sources.journal.name + ".key")))
    copy = staging / "journal"
    running = is_being_written(sources.journal)
    found = snapshot(sources.journal, copy, trusted_key=trusted)
    salt = secrets.token_bytes(SALT_BYTES)
    seal = passphrase_seal.seal_of(passphrase, salt, passphrase_seal.LOG2_N)
    files = [*_configuration(origin, sources, rewrite), *sources.files]
    stored = [(each, _as_stored(each, seal)) for each in files]
    journal_files = [(sources.journal_name, copy)]
    if anchor_path(copy).exists():
        journal_files.append((f"{sources.journal_name}.anchor", anchor_path(copy)))
    listing = Listing(
        made_at=clock.wall(),
        software=__version__,
        table=origin.config.table.name,
        config=origin.path.name,
        journal=sources.journal_name,
        records=found.records,
        head=found.head,
        public_key=found.public_key,
        schema=found.schema,
        running=running,
        open_round=_open_round(copy),
        moved={".".join(key): place for key, place in sources.moved.items()},
        salt=salt.hex(),
        log2_n=passphrase_seal.LOG2_N,
        check=seal.check.hex(),
        files=(
            *(_listed(source.name, (content,), source.sealed) for source, content in stored),
            *(_listed(name, pieces(path), False) for name, path in journal_files),
        ),
    )
    contents = [iter((content,)) for _, content in stored] + [pieces(path) for _, path in journal_files]
    _write(staging / "backup", listing, seal, contents)
    _put_in_place(staging / "backup", to)
    return listing


def _configuration(origin: Origin, sources: Sources, rewrite: Rewrite) -> Iterator[Source]:
    """Yield the configuration: as it is, or with the paths that its files have here, and then the old one, too."""
    if not sources.moved:
        yield Source(origin.path.name, origin.content, sealed=False)
        return
    yield Source(origin.path.name, rewrite(origin, sources.moved).encode(), sealed=False)
    yield Source(f"{origin.path.name}.original", origin.content, sealed=False)


def _as_stored(source: Source, seal: PassphraseSeal) -> bytes:
    if not source.sealed:
        return source.content
    return seal.sealed(source.content, source.name, secrets.token_bytes(NONCE_BYTES))


def _listed(name: str, content: Iterator[bytes] | tuple[bytes, ...], sealed: bool) -> Listed:
    digest, size = hashlib.sha256(), 0
    for piece in content:
        digest.update(piece)
        size += len(piece)
    return Listed(name, size, digest.hexdigest(), sealed)


def _open_round(path: Path) -> int | None:
    with JournalReader(path) as reader:
        for record in reader.records(newest_first=True):
            if record.kind in (SETTLED, NOTED):
                return None
            if record.kind == _OPENS:
                return record.round
    return None


def _write(path: Path, listing: Listing, seal: PassphraseSeal, contents: list[Iterator[bytes]]) -> None:
    text = listing.text()
    vouched = seal.over(text)
    with path.open("xb", buffering=CHUNK) as out:
        write_member(out, LIST_NAME, len(text), iter((text,)))
        write_member(out, SEAL_NAME, len(vouched), iter((vouched,)))
        for listed, content in zip(listing.files, contents, strict=True):
            write_member(out, FOLDER + listed.name, listed.bytes, content)
        write_end(out)
        out.flush()
        os.fchmod(out.fileno(), 0o600)
        os.fsync(out.fileno())


def _put_in_place(made: Path, to: Path) -> None:
    """Give the whole backup its name, which no other file has. Raises `ConfigError` `backup-to`, `OSError`."""
    try:
        os.link(made, to)
    except FileExistsError as error:
        raise taken(to) from error
    sync_directory(to.parent)


def taken(to: Path) -> ConfigError:
    """Return the error for a place where something lies."""
    return ConfigError("backup-to", f"--to {to}: something lies there, and stays as it is. Name a new file.")
