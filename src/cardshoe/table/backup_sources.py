"""What of a table is kept in a backup, and where each file goes when it is restored.

Owns the reading of what the configuration names: files as they are, no link followed, and the places in the restored
folder. A path that stays inside the configuration's folder keeps its place; one that leads out of it gets a place
inside, and the configuration is written with that. What only its owner may read is marked to be sealed. It must not
know the form of a backup. Locks, reserves, wrong tries of PINs and what this computer remembers of a journal stay here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardshoe.bounded_files import open_plain
from cardshoe.errors import ConfigError
from cardshoe.table.backup_form import is_safe
from cardshoe.table.config import NO_PEOPLE, TableConfig
from cardshoe.table.keystore import KeyStore
from cardshoe.table.people_file import PeopleFile
from cardshoe.table.sealed_devices import default_store

SMALL_MOST: Final = 16 << 20
"""So many bytes any file but the journal has at most."""
JOURNAL: Final = ("table", "journal")


@dataclass(frozen=True, slots=True)
class Source:
    """A small file: its content, its place in the restored folder, and whether it is sealed."""

    name: str
    content: bytes
    sealed: bool


@dataclass(frozen=True, slots=True)
class Sources:
    """What is taken: the journal `journal`, which becomes `journal_name`, and small files.

    `moved`: (section, key) of the configuration to its new value, where the old one led out of its folder.
    """

    journal: Path
    journal_name: str
    files: tuple[Source, ...]
    moved: dict[tuple[str, str], str]


def sources_of(config: TableConfig, folder: Path) -> Sources:
    """Read what `config`, whose paths count from `folder`, names. Raises `ConfigError` (`backup-source`, a store or a
    list that cannot be used).
    """
    places = _Places(folder)
    journal = Path(os.path.realpath(folder / config.table.journal))  # as the table itself opens it
    journal_name = places.of(JOURNAL, config.table.journal, "journal")
    files = [Source(f"{journal_name}.key", read_small(journal.with_name(journal.name + ".key")), sealed=True)]
    if config.table.people != NO_PEOPLE:
        path = folder / config.table.people
        store = PeopleFile(path)
        store.read()
        files.append(Source(places.of(("table", "people"), config.table.people, "people"), read_small(path), True))
    files += _security(config, folder, places)
    files += _console(config, folder, places)
    names = [source.name for source in files]
    if len(set(names)) != len(names):
        raise ConfigError("backup-source", f"Two files of the table have one name: {', '.join(sorted(names))}.")
    return Sources(journal, journal_name, tuple(files), places.moved)


def read_small(path: Path) -> bytes:
    """Return the content of the plain file `path`. Raises `ConfigError` `backup-source`."""
    try:
        with os.fdopen(open_plain(path), "rb") as file:
            content = file.read(SMALL_MOST + 1)
    except OSError as error:
        raise ConfigError(
            "backup-source", f"{path}, which belongs to the table, cannot be read: {error.strerror}. Nothing was kept."
        ) from error
    if len(content) > SMALL_MOST:
        raise ConfigError("backup-source", f"{path} has more than {SMALL_MOST} bytes; it is no file of a table.")
    return content


def _security(config: TableConfig, folder: Path, places: _Places) -> Iterator[Source]:
    security = config.security
    sealed = any(
        part is not None and part.security == "sealed" for part in (config.devices.shoe, config.devices.reader)
    )
    if security.keys is not None or sealed:
        store = KeyStore(default_store() if security.keys is None else folder / security.keys)
        place = places.of(("security", "keys"), security.keys or str(store.directory), "")
        for name in store.file_names():
            yield Source(f"{place}/{name}", read_small(store.directory / name), sealed=True)
    if security.manifest is not None:
        place = places.of(("security", "manifest"), security.manifest, "manifest")
        yield Source(place, read_small(folder / security.manifest), sealed=False)


def _console(config: TableConfig, folder: Path, places: _Places) -> Iterator[Source]:
    for key, value, sealed in (("certificate", config.console.certificate, False), ("key", config.console.key, True)):
        if value is not None:
            yield Source(places.of(("console", key), value, "console"), read_small(folder / value), sealed)


class _Places:
    """Where the files of one table go."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.moved: dict[tuple[str, str], str] = {}

    def of(self, key: tuple[str, str], value: str, into: str) -> str:
        """Return the place of what `key` names as `value`, in the folder `into` where it led elsewhere."""
        place = os.path.normpath(value)
        inside = not os.path.isabs(place) and place.split("/")[0] != ".." and is_safe(place)
        if not inside:
            name = Path(place).name
            place = f"{into}/{name}" if into else name
            if not is_safe(place):
                raise ConfigError("backup-source", f"{'.'.join(key)} = {value!r} has no name that can be kept.")
            self.moved[key] = place
        return place
