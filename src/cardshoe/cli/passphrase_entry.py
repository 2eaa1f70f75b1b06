"""How a command comes by the passphrase of a backup: typed at a terminal, or from a file that only its owner reads.

Owns the option, the asking (twice for a new one) and the look at the file. Must not know what the passphrase seals.
"""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path
from typing import Annotated, Final

import typer

from cardshoe.bounded_files import open_plain
from cardshoe.cli.hidden_entry import typed_hidden
from cardshoe.errors import ConfigError, InputError
from cardshoe.table.passphrase_seal import LETTERS_MOST, Passphrase

PassphraseOption = Annotated[
    Path | None,
    typer.Option(
        "--passphrase-file", metavar="FILE", help="Its first line is the passphrase; without, it is typed here."
    ),
]
_BYTES_MOST: Final = 4 * LETTERS_MOST + 2


def passphrase_of(file: Path | None, *, new: bool) -> Passphrase:
    """Return the passphrase in `file`, or the one that is typed, twice where it is `new`.

    Raises `ConfigError` `passphrase-entry`, `InputError` `passphrase`.
    """
    if file is not None:
        return Passphrase(_first_line(file))
    typed = _typed("Passphrase of the backup: ")
    if new and _typed("The same again: ") != typed:
        raise InputError("passphrase", "The two are not the same; nothing was kept. Begin again.")
    return Passphrase(typed)


def _typed(prompt: str) -> str:
    return typed_hidden(
        prompt, "passphrase-entry", what="a passphrase", instead="Give --passphrase-file FILE, whose first line it is."
    )


def _first_line(path: Path) -> str:
    try:
        descriptor = open_plain(path)
    except OSError as error:
        raise ConfigError(
            "passphrase-entry", f"The passphrase file {path} cannot be read: {error.strerror}."
        ) from error
    with os.fdopen(descriptor, "rb") as file:
        mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
        if mode & 0o077:
            raise ConfigError(
                "passphrase-entry",
                f"The passphrase file {path} has mode {mode:04o}: others may have read it. Choose another passphrase,"
                f" and run: chmod 600 {shlex.quote(str(path))}",
            )
        content = file.read(_BYTES_MOST)
    try:
        return content.split(b"\n")[0].rstrip(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError("passphrase-entry", f"The first line of {path} is no text in UTF-8.") from error
