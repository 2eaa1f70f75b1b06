"""`cardshoe audit keygen | open`: the auditor's key, and the opening of a round's envelope, off the table.

Owns the arguments and the words. Every opening is written to a log beside the key before anything is shown. Exit status
0 opened and sound, 1 an envelope that does not open or a broken commitment, 2 wrong usage, key or log, 4 a journal that
cannot be read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from cardshoe.cli.pin_entry import PinEntry
from cardshoe.cli.signers import (
    AsOption,
    PeopleOption,
    PinFdOption,
    SecondKeyOption,
    SecondOption,
    Signers,
    signed_or_user,
)
from cardshoe.clock import SystemClock
from cardshoe.counted import counted
from cardshoe.devices.envelope import OpenedRound
from cardshoe.table.audit import evidence_of, load_auditor_key, make_auditor_key, open_logged
from cardshoe.table.roles import Matter

app = typer.Typer(no_args_is_help=True, help=__doc__)

_BROKEN = 1


@app.command("keygen")
def keygen_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where the private key goes; nothing may be there.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Make an auditor's key. Keep FILE away from every table computer; the public half goes to `pair --auditor`."""
    public = make_auditor_key(file)
    print(json.dumps({"public": public, "file": str(file)}) if as_json else f"Public key: {public}")


@app.command("open")
def open_command(
    source: Annotated[Path, typer.Argument(metavar="ENVELOPE|JOURNAL", help="A journal, or an envelope in JSON.")],
    *,
    round_id: Annotated[int, typer.Option("--round", min=1, help="The round, by the shoe's number.")],
    key: Annotated[Path, typer.Option("--key", metavar="FILE", help="The auditor's private key.")],
    log: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The log of openings; left out: beside the key.")
    ] = None,
    people: PeopleOption = None,
    by: AsOption = None,
    as_key: Annotated[Path | None, typer.Option("--as-key", metavar="FILE", help="The key file of --as.")] = None,
    second: SecondOption = None,
    second_key: SecondKeyOption = None,
    pin_fd: PinFdOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Open the envelope of a round and hold every card against its commitment."""
    private = load_auditor_key(key)
    evidence = evidence_of(source, round_id)
    written = log if log is not None else key.with_name(key.name + ".openings.log")
    signers = Signers(by, as_key, second, second_key, PinEntry(pin_fd))
    who = signed_or_user(people, Matter.OPEN_ENVELOPE, signers)
    opened = open_logged(evidence, private, written, who=who, clock=SystemClock())
    print(json.dumps(_plain(opened)) if as_json else _words(opened))
    if not opened.sound:
        raise typer.Exit(_BROKEN)


def _plain(opened: OpenedRound) -> dict[str, object]:
    cards = [
        {"slot": each.slot, "card": each.card.text if each.card is not None else None, "what": each.what,
         "commitment": each.kept.name.lower()}
        for each in opened.cards
    ]  # fmt: skip
    return {
        "round_id": opened.round_id,
        "deck_id": opened.deck_id,
        "sound": opened.sound,
        "cards": cards,
        "missing": list(opened.missing),
    }


def _words(opened: OpenedRound) -> str:
    lines = [f"Round {opened.round_id}, deck {opened.deck_id}: {counted(len(opened.cards), 'card')}"]
    for each in opened.cards:
        face = each.card.text if each.card is not None else each.what
        lines.append(f"  slot {each.slot:2}  {face:<10} commitment {each.kept.value}")
    lines += [f"  slot {slot:2}  was committed, and is not in the envelope" for slot in opened.missing]
    lines.append("Every commitment was kept." if opened.sound else "NOT every commitment was kept.")
    return "\n".join(lines)
