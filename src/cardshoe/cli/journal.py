"""`cardshoe journal verify | show | replay | export PATH`: what an auditor, a floor supervisor or a laboratory asks.

Owns the arguments, the JSON and the sentences. It reads only; a table may hold the journal open. Exit status 0 done, 2
wrong usage or no such file, 4 a journal that cannot be trusted or read (what can be read is still shown or exported).
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, NoReturn, TextIO

import typer

from cardshoe.cli.journal_story import told
from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal.anchor import read_anchor
from cardshoe.journal.canonical import Record, parse_record
from cardshoe.journal.chain import Head, Row, Verdict
from cardshoe.journal.reader import JournalReader, verify
from cardshoe.journal.replay import MachineDriver, Replayed, replay

app = typer.Typer(no_args_is_help=True, help=__doc__)

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
    as_json: _Json = False,
) -> None:
    """Write all records as JSON Lines, each with its digest and signature; a damaged journal as far as it reads."""
    verdict = verify(path)
    try:
        written = _export(path, sys.stdout) if to is None else _export_to(path, to)
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
    last: Annotated[int | None, typer.Option(min=1, metavar="N", help="Only the last N of them.")] = None,
    as_json: _Json = False,
) -> None:
    """Show records, for people to read."""
    verdict = verify(path)
    try:
        with JournalReader(path) as reader:
            chosen = _choose(reader.records(), round_number, kind, last)
            _show(chosen, as_json=as_json)
    except JournalError as error:
        _leave_untrusted(verdict, error.text)
    if not verdict.ok:
        _leave_untrusted(verdict, verdict.why)


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
        text = Path(stated).read_text(encoding="utf-8", errors="replace").strip()
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
    return "1 record" if records == 1 else f"{records} records"


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
        print(f"Replayed {found.rounds} rounds, {found.events} events: every ruling came out as recorded, and the")
        print(f"accounts of {found.settled} rounds are the same to the byte.")
        for number in found.unsettled:
            print(f"Round {number} has no account in the journal.")
    else:
        print(f"The replay DIFFERS: {found.why}")


# --- export -----------------------------------------------------------------------------------------------------------


def _export(path: Path, target: TextIO) -> int:
    written = 0
    with JournalReader(path) as reader:
        for row in reader.rows():
            target.write(json.dumps(_row_plain(row)) + "\n")
            written += 1
    return written


def _export_to(path: Path, to: Path) -> int:
    """Write `to` whole or not at all, and never over a file of the journal."""
    if to.resolve().name.startswith(path.resolve().name) and to.resolve().parent == path.resolve().parent:
        raise ConfigError(
            "journal-export", f"--to {to} is, or would pass for, a file of the journal itself. Name another."
        )
    fresh = to.with_name(to.name + ".partial")
    trouble: JournalError | None = None
    written = 0
    try:
        with fresh.open("w", encoding="utf-8") as file:
            try:
                written = _export(path, file)
            except JournalError as error:
                trouble = error  # what could be read is kept
        os.replace(fresh, to)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise ConfigError(
            "journal-export", f"--to {to} cannot be written: {error.strerror}. Name another file."
        ) from error
    if trouble is not None:
        raise trouble
    return written


def _row_plain(row: Row) -> dict[str, object]:
    """Return the record with its proof; one that cannot be read is given as it is, so that nothing is passed over."""
    proof: dict[str, object] = {"digest": row.digest.hex(), "signature": row.signature.hex() or None}
    try:
        return _plain(parse_record(row.text)) | proof
    except JournalError as error:
        return {"seq": row.seq, "kind": None, "round": None, "unreadable": row.text, "why": error.text} | proof


def _plain(record: Record) -> dict[str, object]:
    return {
        "seq": record.seq,
        "kind": record.kind,
        "round": record.round,
        "boot": record.boot,
        "mono_us": record.mono_us,
        "wall": record.wall,
        "body": record.body,
    }


# --- show -------------------------------------------------------------------------------------------------------------


def _choose(
    records: Iterator[Record], round_number: int | None, kind: str | None, last: int | None
) -> Iterator[Record]:
    wanted = (
        record
        for record in records
        if (round_number is None or record.round == round_number) and (kind is None or record.kind == kind)
    )
    return wanted if last is None else iter(deque(wanted, maxlen=last))


def _show(records: Iterator[Record], *, as_json: bool) -> None:
    before: Record | None = None
    shown = 0
    for record in records:
        if as_json:
            print(json.dumps(_plain(record)))
        else:
            print("\n".join(told(record, before)))
        before = record
        shown += 1
    if not shown and not as_json:
        print("No record fits.")
