"""`cardshoe telemetry export | show`: what leaves the table, out of its journal, kept as it was sent.

Owns the arguments and the sentences. `export` makes messages of a journal that can be trusted, keeps each in the
archive and only then writes its bytes to standard output, for whatever program carries them: one way, nothing is read.
`show` checks the archive and tells what was sent. Exit status 0 done, 2 an archive or journal that cannot be had, 4 one
that is not as it was written. Implements WAC 230-16-152.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from cardshoe.counted import counted
from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal import JournalReader, Record, verify
from cardshoe.journal.canonical import parse_record
from cardshoe.table.telemetry import ALLOWED
from cardshoe.table.telemetry_account import Counted, accounts, message
from cardshoe.table.telemetry_archive import Archive, Kept, read_archive

app = typer.Typer(no_args_is_help=True, help=__doc__)

ROUNDS: Final = 100
"""After so many rounds a message is made, unless something else is said."""
_Archive = Annotated[
    Path, typer.Argument(metavar="ARCHIVE", help="The directory of what was sent.", show_default=False)
]


@app.command("export")
def export_command(
    journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="The table's journal.", show_default=False)],
    archive: _Archive,
    rounds: Annotated[int, typer.Option(min=1, max=100_000, help="A message each so many rounds.")] = ROUNDS,
    *,
    quiet: Annotated[bool, typer.Option("--quiet", help="Keep only; write no bytes to standard output.")] = False,
) -> None:
    """Make the messages that are due, keep them, and write their exact bytes to standard output."""
    _require_trusted(journal)
    with Archive(archive, make=True) as kept, JournalReader(journal) as reader:
        told = _told(kept.last, reader, archive)
        first = max(told.record + 1, 1)
        for counted, why in accounts(_with_digests(reader, first), told, rounds=rounds):
            made, left_out = message(counted, why, sequence=kept.next_sequence, before=kept.before)
            sent = kept.keep(made)
            if left_out:
                names = ", ".join(meter.value for meter in left_out)
                print(f"cardshoe: message {made.sequence} is without {names}: no form that may leave", file=sys.stderr)
            if not quiet:
                sys.stdout.buffer.write(sent)
                sys.stdout.buffer.flush()


@app.command("show")
def show_command(
    archive: _Archive,
    *,
    number: Annotated[
        int | None, typer.Option("--message", min=1, metavar="N", help="Write the exact bytes of this one again.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Check the archive and tell what was sent."""
    found = list(read_archive(archive))
    if number is not None:
        if number > len(found):
            raise ConfigError(
                "telemetry-message", f"--message {number}: the archive has {counted(len(found), 'message')}."
            )
        sys.stdout.buffer.write(found[number - 1].sent)
        sys.stdout.buffer.flush()
        return
    if as_json:
        print(json.dumps({"ok": True, "messages": [json.loads(kept.sent) | {"sha256": kept.digest} for kept in found]}))
        return
    for kept in found:
        _tell(kept)
    print(f"{counted(len(found), 'message')}, each as it was sent.")


def _tell(kept: Kept) -> None:
    made = kept.message
    print(f"message {made.sequence} ({made.why}), up to record {made.record}, SHA-256 {kept.digest}")
    for meter, value in made.report.values.items():
        print(f"  {value!s:>10}  {ALLOWED[meter].what}")


def _require_trusted(journal: Path) -> None:
    verdict = verify(journal)
    if not verdict.ok:
        raise JournalError(
            "telemetry-journal", f"The journal {journal} cannot be trusted: {verdict.why} Nothing is told of it."
        )


def _told(last: Kept | None, reader: JournalReader, archive: Path) -> Counted:
    """Return where the archive stands in this journal. Raises `ConfigError` where it is another's."""
    if last is None:
        return Counted()
    made = last.message
    row = next(reader.rows(first_seq=made.record), None)
    if row is None or row.seq != made.record or row.digest.hex() != made.head:
        raise ConfigError(
            "telemetry-archive",
            f"The archive {archive} tells of another journal than {reader.path}. Name that one, or a new archive.",
        )
    return Counted(made.record, made.head, dict(made.report.values))


def _with_digests(reader: JournalReader, first: int) -> Iterator[tuple[Record, str]]:
    for row in reader.rows(first_seq=first):
        yield parse_record(row.text), row.digest.hex()
