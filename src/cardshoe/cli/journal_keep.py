"""`cardshoe journal anchor | sign | archive | accept | rollback | verifier`: what keeps a journal beyond its table.

Owns the arguments and the sentences, and the choice of what an archive carries over: whole rounds, counted, never by
date. Exit status 0 done, 2 wrong usage, 4 a journal that cannot be trusted, read or written (then nothing is written).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from cardshoe.cli.config import read_config
from cardshoe.cli.keeping_choice import carried_over
from cardshoe.cli.signers import user_of_computer
from cardshoe.counted import counted
from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal import Journal, standalone_verifier, verify
from cardshoe.journal.anchor import Anchor, anchor_line, read_anchor
from cardshoe.journal.archive import continue_in
from cardshoe.journal.canonical import Entry, Record
from cardshoe.journal.chain import Head
from cardshoe.journal.keyfile import write_whole
from cardshoe.journal.reader import JournalReader, anchor_path
from cardshoe.journal.rollback import roll_back
from cardshoe.table.journal_memory import memory_of

ACCEPTED: Final = "journal_accepted"
_REASON_MOST: Final = 200
_REASON: Final = r"[a-z][a-z0-9-]{0,63}"
_Path = Annotated[
    Path, typer.Argument(metavar="PATH", help="The journal, as the table was given it.", show_default=False)
]
_Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def add_keeping(app: typer.Typer) -> None:
    """Add these commands to those of the journal."""
    app.command("anchor")(anchor_command)
    app.command("sign")(sign_command)
    app.command("archive")(archive_command)
    app.command("accept")(accept_command)
    app.command("rollback")(rollback_command)
    app.command("verifier")(verifier_command)


def anchor_command(
    path: _Path,
    *,
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="Where, best on another medium.")],
    as_json: _Json = False,
) -> None:
    """Copy the newest signed head to another medium, for `verify --anchor`; an older one there must fit first."""
    if to.is_dir() or not to.parent.is_dir():
        raise ConfigError("journal-export", f"--to {to} is no place for a file. Name a file in a folder that is there.")
    older = read_anchor(to)
    verdict = verify(path, auditor_anchor=None if older is None else older.head)
    if not verdict.ok:
        raise _untrusted(path, verdict.why)
    newest = _newest_head(path)
    try:
        write_whole(to, anchor_line(newest), mode=0o644)
    except JournalError as error:
        raise ConfigError("journal-export", f"--to {to} cannot be written: {error.text}") from error
    told = {"seq": newest.head.seq, "head": newest.head.digest.hex(), "to": str(to)}
    words = f"The head of record {newest.head.seq} is in {to}; keep it away from this computer."
    print(json.dumps(told) if as_json else words)


def sign_command(
    path: _Path,
    *,
    reason: Annotated[str, typer.Option(help="Why now: shift-end, or other words with dashes.")] = "shift-end",
    as_json: _Json = False,
) -> None:
    """Sign a head now, as at the end of a shift, in a journal that no table has open."""
    if not re.fullmatch(_REASON, reason):
        raise ConfigError("journal-reason", f"--reason {reason!r}: write small letters, digits and dashes, up to 64.")
    if not os.path.isfile(path):
        raise ConfigError("journal-missing", f"There is no journal at {path}. Check the path.")
    with Journal.open(path) as journal:
        signed = journal.sign_head(reason).result()
    told = {"seq": signed.last_seq, "head": signed.head_hex, "reason": reason}
    print(json.dumps(told) if as_json else f"Record {signed.last_seq} is a signed head ({reason}): {signed.head_hex}.")


def archive_command(
    path: _Path,
    *,
    keep_rounds: Annotated[int, typer.Option(min=4, help="How many complete rounds stay at hand; at least four.")],
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="The journal that goes on.")],
    as_json: _Json = False,
) -> None:
    """Begin a shorter journal that continues this one, verified first, which stays and ends with where it goes on."""

    def choose(reader: JournalReader) -> Sequence[Record]:
        return carried_over(reader, keep_rounds)

    done = continue_in(path, to, choose)
    if as_json:
        told = {"records": done.records, "head": done.old_head, "carried": done.carried}
        print(json.dumps({**told, "to": str(to), "new_head": done.new_head}))
        return
    print(f"{to} continues {path}, whose head is {done.old_head} after {counted(done.records, 'record')}.")
    print(f"The last {keep_rounds} complete rounds are in both ({counted(done.carried, 'record')} carried over).")
    print(f"Name {to} in the table's configuration. Keep {path} with the files beside it, read-only.")


def accept_command(
    *,
    config: Annotated[Path, typer.Option(metavar="FILE", help="The configuration of the table whose journal it is.")],
    reason: Annotated[str, typer.Option(metavar="WORDS", help="Why; it stands in the journal.")],
    as_json: _Json = False,
) -> None:
    """Go on with what lies there, or begin anew, where this computer remembers another journal; it says so itself."""
    read = read_config(config)
    memory = memory_of(read, config.absolute().parent)
    why, known = memory.doubt(), memory.known()
    if why is None or known is None:
        raise ConfigError("journal-accept", f"The journal {memory.path} is the one that is remembered. Just start.")
    if not reason.strip() or not reason.isprintable() or len(reason) > _REASON_MOST:
        raise ConfigError("journal-reason", f"--reason: write up to {_REASON_MOST} letters that can be read.")
    told = {"found": why, "records": known.records, "head": known.head, "public_key": known.public_key}
    body = {**told, "reason": reason, "by": user_of_computer()}
    with Journal.open(memory.path) as journal:
        signed = journal.append_now([Entry(ACCEPTED, body)])
    memory.keep()
    words = f"Record {signed.last_seq} of {memory.path} says what was there before, and why: {reason}"
    print(json.dumps({"seq": signed.last_seq, **body}) if as_json else words)


def rollback_command(
    path: _Path,
    *,
    schema: Annotated[int, typer.Option(metavar="N", help="The schema that the older program knows, as it said.")],
    as_json: _Json = False,
) -> None:
    """Bring the journal back to an older schema, for an older program; no record is lost or changed."""
    done = roll_back(path, schema)
    if as_json:
        told = {"records": done.records, "head": done.head, "schema": schema, "was": done.was}
        print(json.dumps({**told, "kept": str(done.kept)}))
        return
    print(f"{path} has schema {schema} again, with all of its {counted(done.records, 'record')}, head {done.head}.")
    print(f"The file with schema {done.was} is kept as {done.kept}.")


def verifier_command() -> None:
    """Print the stand-alone verifier, one file without anything of ours: `cardshoe journal verifier > verify.py`."""
    print(Path(standalone_verifier.__file__).read_text(encoding="utf-8"), end="")


def _newest_head(path: Path) -> Anchor:
    """Return the newest signed head, from the anchor beside or the journal itself. Raises JournalError."""
    beside = read_anchor(anchor_path(path))
    if beside is not None and beside.head.seq:
        return beside
    with JournalReader(path) as reader:
        first = next(reader.records())
        for row in reader.rows(newest_first=True):
            if row.signature:
                key = bytes.fromhex(str(first.body["public_key"]))
                return Anchor(Head(row.seq, row.digest, row.signature), key)
    raise _untrusted(path, "no head in it is signed.")


def _untrusted(path: Path, why: str | None) -> JournalError:
    return JournalError("journal-untrusted", f"The journal {path} cannot be trusted: {why} Nothing was written.")
