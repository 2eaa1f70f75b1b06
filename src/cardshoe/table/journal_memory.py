"""What this computer remembers of a table's journal, away from the journal: that there was one, and how far it went.

Owns one small file for each journal, in the folder of the device keys, or in the user's own state where there is none.
A journal that is removed with its key and anchor, exchanged for another one or put back as it was before leaves no mark
of its own; here it shows at the next start, which is held until somebody says in the new journal why. Must not know
what the records mean. Implements promise P6 beside the head anchor.
"""

from __future__ import annotations

import logging
import os
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal.reader import JournalReader
from cardshoe.table.config import TableConfig
from cardshoe.table.key_files import checked, read_private, unwritable, write_private
from cardshoe.table.sealed_devices import default_store

_log = logging.getLogger(__name__)

FORMAT: Final = "cardshoe-journal-known-1"
_NAME_DIGITS: Final = 16


@dataclass(frozen=True, slots=True)
class Known:
    """A journal as it was last seen: its records, its newest head and its public key (hex)."""

    records: int
    head: str
    public_key: str


class JournalMemory:
    """What is remembered of the journal at `path` in `folder`; in None nothing is.

    A table that `must` remember does not run where it cannot.
    """

    def __init__(self, path: Path, folder: Path | None, *, must: bool = False) -> None:
        self._must = must
        self.path = Path(os.path.realpath(path))
        name = sha256(os.fsencode(self.path)).hexdigest()[:_NAME_DIGITS]
        self._file = None if folder is None else folder / f"journal-{name}"

    def known(self) -> Known | None:
        """Return what is remembered. Raises `ConfigError` `keystore-open`, `keystore-damaged`."""
        if self._file is None or not os.path.lexists(self._file):
            return None
        raw = read_private(self._file, FORMAT)
        return Known(
            checked(raw.get("records"), int, "records", self._file),
            checked(raw.get("head"), str, "head", self._file),
            checked(raw.get("public_key"), str, "public_key", self._file),
        )

    def doubt(self) -> str | None:
        """Return in words why the journal is not the one that is remembered, None where it is. Raises `JournalError`,
        `ConfigError`.
        """
        known = self.known()
        if known is None:
            return None
        if not os.path.exists(self.path):
            return f"there is no journal, and this computer remembers one there, up to record {known.records}"
        with JournalReader(self.path) as reader:
            first = next(reader.records(), None)
            continued = first.body.get("continues") if first is not None else None
            if isinstance(continued, dict) and continued.get("head") == known.head:
                return None
            row = next(reader.rows(first_seq=known.records), None)
            newest = next(reader.rows(newest_first=True), None)
        if row is not None and (row.seq, row.digest.hex()) == (known.records, known.head):
            return None
        if first is None or first.body.get("public_key") != known.public_key:
            return "another journal lies there than the one that this computer remembers"
        if newest is not None and newest.seq < known.records:
            return (
                f"it ends at record {newest.seq}, and this computer remembers {known.records}: an older copy is there"
            )
        return f"record {known.records} is another than the one that this computer remembers"

    def require(self) -> None:
        """Raise `JournalError` (`journal-gone`) unless the journal is the one that is remembered."""
        why = self.doubt()
        if why is not None:
            raise JournalError(
                "journal-gone",
                f"The journal {self.path}: {why}. Nothing may be dealt: put the right files back (`cardshoe restore`"
                " brings those of a backup). Where they are lost, or were moved away for the auditor, say so in the"
                " journal that goes on: cardshoe journal accept --config FILE --reason 'WORDS'.",
            )

    def keep(self) -> None:
        """Remember the journal as it is on disk now. Raises `ConfigError` `keystore-write`, `JournalError`."""
        if self._file is None:
            return
        with JournalReader(self.path) as reader:
            first, newest = next(reader.records(), None), next(reader.rows(newest_first=True), None)
        if first is None or newest is None:  # no table ever opened it
            return
        known = Known(newest.seq, newest.digest.hex(), str(first.body.get("public_key", "")))
        try:
            _make_folder(self._file.parent)
            write_private(self._file, {"format": FORMAT, "path": str(self.path), **asdict(known)})
        except ConfigError as error:
            if self._must:
                raise
            _log.warning("this computer does not remember the journal: %s", error.text)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error


def memory_of(config: TableConfig, folder: Path) -> JournalMemory:
    """Return what is remembered of the journal of `config`, whose paths count from `folder`.

    Raises `ConfigError` `keystore-missing` on a live table for a user who has no place for it.
    """
    journal, live = folder / config.table.journal, config.table.mode == "live"
    if config.security.keys is not None:
        return JournalMemory(journal, folder / config.security.keys, must=live)
    try:
        return JournalMemory(journal, default_store().parent, must=live)
    except ConfigError:
        if live:
            raise
        return JournalMemory(journal, None)
