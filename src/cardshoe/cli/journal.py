"""`cardshoe journal verify | show | replay | export PATH`: what an auditor, a floor supervisor or a laboratory asks.

Owns the arguments, the JSON and the sentences; the forms of an export are in `journal_forms` and `journal_page`, what
keeps a journal (`anchor`, `sign`, `archive`, `verifier`) is in `journal_keep`. It reads only; a table may hold the
journal open. Exit status 0 done, 1 no such round, 2 wrong usage or no such file, 4 a journal that cannot be trusted
or read (what can be read is still shown or exported).
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections import deque
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer

from cardshoe.bounded_files import read_at_most
from cardshoe.cli.journal_forms import csv_of, export_to, lines_of
from cardshoe.cli.journal_keep import add_keeping
from cardshoe.cli.journal_page import page_of
from cardshoe.cli.journal_shoe_round import begun, seals
from cardshoe.cli.journal_story import last_rounds, told
from cardshoe.counted import counted
from cardshoe.errors import ConfigError, InputError, JournalError
from cardshoe.journal.anchor import read_anchor
from cardshoe.journal.canonical import Record
from cardshoe.journal.chain import Head, Verdict
from cardshoe.journal.plain_record import record_plain
from cardshoe.journal.reader import JournalReader, verify
from cardshoe.journal.replay import MachineDriver, Replayed, replay

app = typer.Typer(no_args_is_help=True, help=__doc__)
add_keeping(app)

_KEY_MOST: Final = 1024
UNTRUSTED: Final = JournalError.exit_status
_Path = Annotated[
    Path, typer.Argument(metavar="PATH", help="The journal, as the table was given it.", show_default=False)
]
_Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


@app.command("verify")
def verify_command(
    path: _Path,
    *,
    as_json: _Json = False,
    public_key: Annotated[
        str | None,
        typer.Option(help="The table's public key as the auditor holds it: 64 hex digits, or a file with them."),
    ] = None,
    anchor: Annotated[Path | None, typer.Option(help="A head anchor that was kept elsewhere.")] = None,
) -> None:
    """Check that nothing was edited, removed, inserted, swapped, cut off or signed anew."""
    verdict = _verdict(path, public_key, anchor)
    if as_json:
        print(json.dumps(_verdict_plain(verdict)))
    elif verdict.ok:
        print(f"The journal {path} can be trusted: {_counted(verdict.records)}, head {verdict.head}.")
        print(_signed_sentence(verdict))
    else:
        print(f"The journal {path} CANNOT BE TRUSTED{_from(verdict)}: {verdict.why}")
    if not verdict.ok:
        raise typer.Exit(UNTRUSTED)


@app.command("export")
def export_command(
    path: _Path,
    *,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="Write here and not to standard output.")
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="A table for a spreadsheet.")] = False,
    as_html: Annotated[bool, typer.Option("--html", help="One round as a page: say which by --round.")] = False,
    round_number: Annotated[int | None, typer.Option("--round", min=0, help="The round of the page.")] = None,
    as_json: _Json = False,
) -> None:
    """Write all records as JSON Lines, each with its digest and signature; a damaged journal as far as it reads."""
    if (as_csv and as_html) or as_html != (round_number is not None):
        raise ConfigError("journal-export", "--html goes with --round N, and --csv with neither of them.")
    verdict = verify(path)
    form = partial(page_of, verdict, round_number) if as_html and round_number is not None else lines_of
    form = csv_of if as_csv else form
    try:
        written = form(path, sys.stdout) if to is None else export_to(path, to, form)
    except JournalError as error:
        _leave_untrusted(verdict, error.text)
    if to is not None:
        print(json.dumps({"records": written, "to": str(to)}) if as_json else f"{_counted(written)} written to {to}.")
    if not verdict.ok:
        _leave_untrusted(verdict, verdict.why)


@app.command("show")
def show_command(
    path: _Path,
    *,
    round_number: Annotated[
        int | None, typer.Option("--round", min=0, help="Only this round, told as a story.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Only records of this kind.")] = None,
    rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Only the last N rounds, in the order played.")
    ] = None,
    last: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the last N of them.")] = None,
    as_json: _Json = False,
) -> None:
    """Show records, for people to read."""
    verdict = verify(path)
    try:
        with JournalReader(path) as reader:
            records = reader.records() if rounds is None else last_rounds(reader, rounds)
            chosen = _choose(records, round_number, kind, last, story=not as_json)
            shown = _show(chosen, as_json=as_json)
    except JournalError as error:
        _leave_untrusted(verdict, error.text)
    if not verdict.ok:
        _leave_untrusted(verdict, verdict.why)
    if not shown and round_number is not None and not _has_round(path, round_number):
        raise InputError(
            "journal-round", f"There is no round {round_number} in {path}. `cardshoe journal show` names them."
        )
    if not shown and not as_json:
        print("No record fits.")


@app.command("replay")
def replay_command(path: _Path, *, as_json: _Json = False) -> None:
    """Recompute every ruling and payout, and report the first that comes out otherwise."""
    verdict = verify(path)
    if verdict.ok:
        with JournalReader(path) as reader:
            found = replay(reader.records(), MachineDriver())
    else:
        found = Replayed(
            ok=False, records=0, rounds=0, events=0, settled=0, first_bad=verdict.first_bad, why=verdict.why
        )
    _tell_replay(found, as_json=as_json)
    if not found.ok:
        raise typer.Exit(UNTRUSTED)


# --- verify -----------------------------------------------------------------------------------------------------------


def _verdict(path: Path, public_key: str | None, anchor: Path | None) -> Verdict:
    trusted = None if public_key is None else _public_key(public_key)
    return verify(path, trusted_key=trusted, auditor_anchor=None if anchor is None else _anchor_head(anchor))


def _public_key(stated: str) -> bytes:
    text = stated
    if os.path.isfile(stated):
        try:
            text = read_at_most(Path(stated), _KEY_MOST).decode("ascii", "replace").strip()
        except OSError as error:
            raise ConfigError("journal-public-key", f"{stated} cannot be read: {error.strerror}.") from error
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != 32:
        raise ConfigError(
            "journal-public-key", f"--public-key {stated!r} is neither 64 hex digits nor a file with them."
        )
    return key


def _anchor_head(path: Path) -> Head:
    anchor = read_anchor(path)
    if anchor is None:
        raise ConfigError("journal-missing", f"There is no head anchor at {path}. Check the path.")
    return anchor.head


def _verdict_plain(verdict: Verdict) -> dict[str, object]:
    plain: dict[str, object] = {"ok": verdict.ok}
    if not verdict.ok:
        plain |= {"first_bad": verdict.first_bad, "why": verdict.why}
    return plain | {
        "records": verdict.records,
        "head": verdict.head,
        "signed": verdict.signed,
        "signed_to": verdict.signed_to,
        "public_key": verdict.public_key,
    }


def _signed_sentence(verdict: Verdict) -> str:
    if verdict.signed:
        return f"A signed head vouches for all of them (public key {verdict.public_key})."
    return (
        f"A signed head vouches for records 1 to {verdict.signed_to} (public key {verdict.public_key}); the journal "
        f"was not closed after the later ones, which only the chain holds."
    )


def _from(verdict: Verdict) -> str:
    return "" if verdict.first_bad is None else f" from record {verdict.first_bad} on"


def _counted(records: int) -> str:
    return counted(records, "record")


def _leave_untrusted(verdict: Verdict, why: str | None) -> NoReturn:
    print(f"cardshoe: the journal cannot be trusted{_from(verdict)}: {why}", file=sys.stderr)
    raise typer.Exit(UNTRUSTED)


# --- replay -----------------------------------------------------------------------------------------------------------


def _tell_replay(found: Replayed, *, as_json: bool) -> None:
    if as_json:
        plain = dataclasses.asdict(found)
        if found.ok:
            del plain["first_bad"], plain["why"]
        print(json.dumps(plain))
    elif found.ok:
        played = f"{counted(found.rounds, 'round')}, {counted(found.events, 'event')}"
        accounts = "account of 1 round is" if found.settled == 1 else f"accounts of {found.settled} rounds are"
        print(f"Replayed {played}: every ruling came out as recorded, and the")
        print(f"{accounts} the same to the byte.")
        for number in found.unsettled:
            print(f"Round {number} has no account in the journal.")
    else:
        print(f"The replay DIFFERS: {found.why}")


# --- show -------------------------------------------------------------------------------------------------------------


def _choose(
    records: Iterator[Record], round_number: int | None, kind: str | None, last: int | None, *, story: bool
) -> Iterator[Record]:
    of_round = records if round_number is None else _of_round(records, round_number, envelope=story)
    wanted = (record for record in of_round if kind is None or record.kind == kind)
    return wanted if last is None else iter(deque(wanted, maxlen=last))


def _of_round(records: Iterator[Record], number: int, *, envelope: bool) -> Iterator[Record]:
    """Yield the records of a round; with `envelope` also how the shoe sealed it, which comes after its end."""
    of_shoe: set[object] = set()
    for record in records:
        if record.round == number:
            of_shoe |= begun(record)
            yield record
        elif envelope and seals(record, of_shoe):
            yield record


def _has_round(path: Path, number: int) -> bool:
    with JournalReader(path) as reader:
        return any(record.round == number for record in reader.records())


def _show(records: Iterator[Record], *, as_json: bool) -> int:
    """Print `records`; return how many there were."""
    before: Record | None = None
    shown = 0
    for record in records:
        if as_json:
            print(json.dumps(record_plain(record)))
        else:
            print("\n".join(told(record, before)))
        before = record
        shown += 1
    return shown
