"""The `cardshoe` command: one file a command, loaded when it is called, so that help stays quick.

Owns the list of commands and the exit status of every one of them: 0 done, 1 some input was refused or a check failed,
2 wrong usage or configuration, 3 a device could not be had or was lost, 4 the journal cannot be trusted or written,
130 interrupted. Knows nothing of what a command does.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Callable
from typing import Final, NoReturn

import typer

import cardshoe
from cardshoe.cli.private_process import keep_files_private
from cardshoe.cli.streams import complain, finish_output, prepare_streams
from cardshoe.errors import CardshoeError

COMMANDS: Final[dict[str, str]] = {
    "demo": "Run a whole table on simulated devices, with a robot dealer and players.",
    "run": "Run a live table against the devices of a configuration file.",
    "config": "Write, check or show the configuration of a table.",
    "sim": "Run one simulated world (shoe, reader, table) as a process.",
    "settle": "Recompute hands: what every wager wins, with its clause.",
    "plan": "List the steps of a round before a card is dealt.",
    "rehearse": "Try the operations of a round: is each step allowed?",
    "odds": "Compute what the configured pay tables really pay.",
    "clauses": "Show for every clause the code and the tests that carry it.",
    "people": "Enrol and remove who works at a table; PINs and keys.",
    "pair": "Make a key with a device, standing at it.",
    "unpair": "Have a device and this computer forget their key.",
    "keys": "List the devices that this computer is paired with.",
    "audit": "Make an auditor's key; open the envelope of a round.",
    "journal": "Verify, show, replay or export a journal.",
    "backup": "Keep a table's journal, keys, people and configuration in one file.",
    "restore": "Put a table's files out of a backup into a new folder.",
    "report": "Report a shift or a day; print the sheet of a round.",
    "conform": "Hold a device against its protocol: a verdict on each clause.",
    "evidence": "Check a folder of evidence of the hardware bench.",
    "devices": "List the devices on USB and serial ports, with name, identity and health.",
    "trace": "Record, show, compare and replay what passes between host and device.",
    "doctor": "Check ports, permissions and this computer.",
    "simulate": "Try the promises on seeded rounds with faults, under a virtual clock.",
    "bench": "Measure speed, each figure beside its floor.",
    "telemetry": "What leaves the table: counters of an allow-list, kept as sent.",
    "install": "Make the table a service that starts with its computer.",
    "uninstall": "Take the service away; journal, keys and configuration stay.",
    "version": "Tell what is installed; check it; list what it is made of.",
}

_MODULES: Final[dict[str, str]] = {"run": "run_table"}
"""Commands whose file has another name: a module `run` would take the place of the function `run` of this package."""

RUNS_A_TABLE: Final = frozenset({"demo", "run"})
NOBODY_READS: Final = 1
INTERRUPTED: Final = 130


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command of `arguments` (the process's own by default) and exit with its status."""
    given = sys.argv[1:] if arguments is None else arguments
    # A reader that goes away (`| head`) ends us quietly, as any filter ends; but a device or a world that hangs up must
    # not end a table: there it is an error like any other.
    keeps_on = _named(given) in RUNS_A_TABLE
    signal.signal(signal.SIGPIPE, signal.SIG_IGN if keeps_on else signal.SIG_DFL)
    prepare_streams()
    keep_files_private()
    status = finish_output(run(given))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end is not interrupted: what there is to say has been said
    sys.exit(status)


def run(given: list[str]) -> int:
    """Run one command line and return its exit status; errors for people go to standard error."""
    try:
        build(_named(given))(args=given, prog_name="cardshoe")
    except SystemExit as ended:  # how typer ends every call, usage errors (2) and interruption (130) included
        return ended.code if isinstance(ended.code, int) else 0
    except CardshoeError as error:
        complain(error)
        return error.exit_status
    except KeyboardInterrupt:  # before the command could take it: nothing was begun
        return INTERRUPTED
    except BrokenPipeError:  # who read our output is gone; what ran was taken down on the way here
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return NOBODY_READS
    return 0


def _named(given: list[str]) -> str | None:
    return next((word for word in given if not word.startswith("-")), None)


def build(name: str | None) -> typer.Typer:
    """Return the application with command `name` loaded; every other command stands in it with its one line only."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        help=cardshoe.__doc__,
    )
    app.callback()(_top)
    for command, summary in COMMANDS.items():
        if command != name:
            app.command(command, help=summary)(_not_loaded)
            continue
        module = importlib.import_module(f"cardshoe.cli.{_MODULES.get(command, command)}")
        inner: typer.Typer | None = getattr(module, "app", None)
        if inner is not None:
            app.add_typer(inner, name=command, help=summary)
        else:
            entry: Callable[..., object] = module.command
            app.command(command, help=entry.__doc__ or summary)(entry)
    return app


def _not_loaded() -> None:
    """Stand for a command that this call does not run."""


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"cardshoe {cardshoe.__version__}")
        raise typer.Exit


def _top(
    *,
    version: bool = typer.Option(
        False, "--version", help="Print the version and end.", is_eager=True, callback=_show_version
    ),
) -> None:
    """Stand for the command without a command."""
