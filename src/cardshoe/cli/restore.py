"""`cardshoe restore FILE.tar --to DIR`: a table's files out of a backup, into a new folder.

Owns the arguments and the sentences. Exit status 0 done, 1 a backup that was changed, is not whole or is opened by
another passphrase, 2 wrong usage or a folder that cannot be used; then the folder is as it was.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from cardshoe.cli.passphrase_entry import PassphraseOption, passphrase_of
from cardshoe.counted import counted
from cardshoe.errors import ConfigError
from cardshoe.staging_folder import staging_folder
from cardshoe.table.backup_form import BackupFile, Listing
from cardshoe.table.restoring import Restored, require_free, restore, unsealed


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The backup.", show_default=False)],
    *,
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="The new folder; it is empty, or not there.")],
    passphrase_file: PassphraseOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Look a backup through, and put the table's files into a new folder; the table can start on them."""
    to = Path(os.path.abspath(to))
    require_free(to)
    with BackupFile(file) as backup:
        seal = unsealed(backup, passphrase_of(passphrase_file, new=False))
        try:
            with staging_folder(to.parent / f".{to.name}.restoring") as staging:
                done = restore(backup, seal, to, staging=staging)
        except BlockingIOError as error:
            raise ConfigError("restore-to", f"--to {to}: another program restores there. Wait for it.") from error
        except OSError as error:
            raise ConfigError(
                "restore-to", f"--to {to} cannot be written: {error.strerror or error}. Nothing was restored."
            ) from error
        _tell(backup.listing, done, as_json=as_json)


def _tell(listing: Listing, done: Restored, *, as_json: bool) -> None:
    if as_json:
        told = {"table": listing.table, "made_at": listing.made_at, "running": listing.running}
        told |= {"config": str(done.config), "journal": str(done.journal), "moved": listing.moved}
        print(json.dumps({**told, "records": done.records, "head": done.head, "open_round": listing.open_round}))
        return
    print(f"Table {listing.table!r} is restored as it stood {listing.made_at}: {done.config}")
    print(f"Its journal was verified: {counted(done.records, 'record')}, head {done.head}.")
    if listing.running:
        print("The table ran when the backup was made: what it recorded afterwards is not here. Where its old journal")
        print("still is, keep that for the auditor; count the cards before the first round.")
    if listing.open_round is not None:
        print(f"Round {listing.open_round} was open: the table goes on there, or asks the floor.")
    for key, place in listing.moved.items():
        print(f"{key} is {place} now; the configuration as it was lies beside it.")
    print(f"Start it with: cardshoe run --config {done.config}")
