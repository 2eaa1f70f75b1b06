"""What an export of a journal looks like: JSON Lines and CSV, every record with its proof.

Owns the fields and their order, and that a file is written whole or not at all. It must not judge: a record that
cannot be read is written as it is.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

from cardshoe.errors import ConfigError, InputError, JournalError
from cardshoe.journal.plain_record import row_plain
from cardshoe.journal.reader import JournalReader

Form = Callable[[Path, TextIO], int]
"""Writes the journal at a path to a text stream; returns how many records it wrote. Raises JournalError."""

COLUMNS: Final = ("seq", "kind", "round", "boot", "mono_us", "wall", "body", "digest", "signature")


def lines_of(path: Path, target: TextIO) -> int:
    """Write one JSON object a record. Raises JournalError."""
    written = 0
    with JournalReader(path) as reader:
        for row in reader.rows():
            target.write(json.dumps(row_plain(row)) + "\n")
            written += 1
    return written


def csv_of(path: Path, target: TextIO) -> int:
    """Write one line a record (RFC 4180), the body as JSON; one that cannot be read as text. Raises JournalError."""
    table = csv.writer(target)
    table.writerow(COLUMNS)
    written = 0
    with JournalReader(path) as reader:
        for row in reader.rows():
            fields = row_plain(row)
            body = fields.get("body", {"unreadable": fields.get("unreadable")})
            table.writerow([json.dumps(body) if name == "body" else fields.get(name) for name in COLUMNS])
            written += 1
    return written


def export_to(path: Path, to: Path, form: Form) -> int:
    """Write `to` whole or not at all, and never over a file of the journal.

    Raises ConfigError `journal-export` where that cannot be, JournalError after what could be read was written.
    """
    if to.resolve().name.startswith(path.resolve().name) and to.resolve().parent == path.resolve().parent:
        raise ConfigError(
            "journal-export", f"--to {to} is, or would pass for, a file of the journal itself. Name another."
        )
    trouble: JournalError | None = None
    written = 0
    with whole_text(to, f"--to {to}") as file:
        try:
            written = form(path, file)
        except JournalError as error:
            trouble = error  # what could be read is kept
    if trouble is not None:
        raise trouble
    return written


@contextmanager
def whole_text(to: Path, called: str) -> Iterator[TextIO]:
    """Give a file to write; `to` is there whole when the block ends well, else as it was before.

    Raises ConfigError `journal-export`, which names the file as `called`.
    """
    if not to.name:  # `.` or `/`
        raise ConfigError("journal-export", f"{called} is a folder. Name a file.")
    fresh = to.with_name(to.name + ".partial")
    try:
        with fresh.open("w", encoding="utf-8", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, to)
    except OSError as error:
        with suppress(OSError):  # what went wrong is told below
            fresh.unlink()
        raise ConfigError(
            "journal-export", f"{called} cannot be written: {error.strerror}. Name another file."
        ) from error
    except InputError:
        fresh.unlink(missing_ok=True)
        raise
