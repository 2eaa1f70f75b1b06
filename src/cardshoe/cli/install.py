"""`cardshoe install --systemd`: from an installed package to a table that starts with its computer.

Owns the arguments, their checks and the sentences; which files there are is `install_files`, whose they are
`install_steps`, which programs are called `install_programs`. Done twice it changes nothing. It starts no table: the
configuration has to be filled in first. Exit status 0 done, 1 a file was left because somebody edited it or a program
failed, 2 a place that cannot be used.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Final

import typer

from cardshoe.cli.install_files import CONFIG, UNIT, Service, first_config, in_root, wanted_files
from cardshoe.cli.install_programs import Called, Programs
from cardshoe.cli.install_steps import Did, Files, Step
from cardshoe.errors import ConfigError
from cardshoe.round.machine import find_game

_NOT_ALL: Final = 1
_USER: Final = re.compile(r"[a-z_][a-z0-9_-]{0,30}")
_PROGRAM: Final = re.compile(r"/[A-Za-z0-9/._+-]+")
_HIDDEN: Final = ("/home", "/root", "/run", "/tmp", "/var/tmp")  # noqa: S108 — what a service does not see
"""Directories that are other ones, or none, for the service."""
_TOLD: Final = {
    Did.WRITTEN: "written",
    Did.RENEWED: "renewed",
    Did.UNCHANGED: "is as it should be",
    Did.KEPT: "is there and stays as it is",
    Did.LEFT: "was edited, or is not of an installation: left as it is. Move it away and do this again, or keep it",
    Did.REMOVED: "removed",
    Did.ABSENT: "is not there",
}
_WOULD: Final = {Did.WRITTEN: "would be written", Did.RENEWED: "would be renewed", Did.REMOVED: "would be removed"}

Root = Annotated[Path, typer.Option(metavar="DIR", help="The root of the system that is meant.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what would be done, and do nothing.")]
Systemd = Annotated[bool, typer.Option("--systemd", help="As a service of systemd, the only kind there is.")]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]


def command(
    *,
    systemd: Systemd = False,
    root: Root = Path("/"),
    user: Annotated[str, typer.Option(metavar="NAME", help="The user that the table runs as.")] = "cardshoe",
    game: Annotated[str, typer.Option(help="The game of the first configuration.")] = "ultimate-texas-holdem",
    program: Annotated[
        Path | None,
        typer.Option(metavar="PYTHON", help="The Python that cardshoe is installed in; left out: this one."),
    ] = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Install the table as a service: unit, rules for devices, user, directories, a configuration to be filled in."""
    require_systemd(asked=systemd)
    service = Service(_usable_user(user), _usable_program(program, usable_root(root)))
    config = first_config(find_game(game))
    files, programs = Files(usable_root(root), dry=dry_run), Programs(usable_root(root), dry=dry_run)
    steps = [files.put(wanted) for wanted in wanted_files(service)]
    files.note()
    steps.append(files.give(config))
    called = [*programs.make_user_and_directories(), *programs.read_anew()]
    tell(steps, called, _next(service, usable_root(root), [] if dry_run else called), dry=dry_run, as_json=as_json)


def require_systemd(*, asked: bool) -> None:
    """Refuse a call that does not say which kind of service it means."""
    if not asked:
        raise typer.BadParameter("say --systemd: the table becomes a service of this computer", param_hint="--systemd")


def usable_root(root: Path) -> Path:
    """Return `root` as an absolute path. Raises `ConfigError` (`install-root`) where it is no directory."""
    if not root.is_dir():
        raise ConfigError("install-root", f"--root {root} is no directory. Name the root of a system.")
    return root.resolve()


def tell(steps: Sequence[Step], called: Sequence[Called], due: Sequence[str], *, dry: bool, as_json: bool) -> None:
    """Tell what was done and what is left to do; ends with status 1 where not all could be done."""
    if as_json:
        told = {
            "files": [{"path": str(step.path), "did": step.did.value} for step in steps],
            "called": [
                {"command": list(each.words), "done": each.trouble is None and not each.due, "trouble": each.trouble}
                for each in called
            ],
            "next": list(due),
            "dry_run": dry,
        }
        print(json.dumps(told, ensure_ascii=False))
    else:
        for step in steps:
            print(f"{step.path} {_WOULD.get(step.did, _TOLD[step.did]) if dry else _TOLD[step.did]}.")
        for each in called:
            print(f"{' '.join(each.words)}: {_outcome(each)}")
        print("".join(f"{number}. {line}\n" for number, line in enumerate(due, 1)), end="")
    if any(step.did is Did.LEFT for step in steps) or any(each.trouble is not None for each in called):
        raise typer.Exit(_NOT_ALL)


def _outcome(called: Called) -> str:
    if called.due:
        return "to be done, as root."
    return "done." if called.trouble is None else f"failed: {called.trouble}"


def _usable_user(user: str) -> str:
    if not _USER.fullmatch(user) or user == "root":
        raise ConfigError(
            "install-user",
            f"--user {user!r} cannot be the table's user: lower-case letters, digits, - and _, 31 at most, not root."
            " Nothing was written.",
        )
    return user


def _usable_program(asked: Path | None, root: Path) -> PurePosixPath:
    """Return the Python as the service will see it: an interpreter in a root is seen from that root."""
    program = asked if asked is not None else Path(sys.executable)
    if asked is None and root != Path("/") and program.is_relative_to(root):
        program = Path("/") / program.relative_to(root)
    if not _PROGRAM.fullmatch(str(program)):
        raise _unusable(program, "is no absolute path of plain letters, digits and ._+-")
    for place in {program, in_root(root, PurePosixPath(program)).resolve() if root == Path("/") else program}:
        if any(place.is_relative_to(hidden) for hidden in _HIDDEN):
            raise _unusable(program, f"lies at {place}, which a service does not see")
    return PurePosixPath(program)


def _unusable(program: Path, why: str) -> ConfigError:
    return ConfigError(
        "install-program",
        f"The Python {program} {why}. Install cardshoe where a service finds it: python3 -m venv /opt/cardshoe, then"
        " /opt/cardshoe/bin/pip install, then /opt/cardshoe/bin/cardshoe install --systemd. Nothing was written.",
    )


def _next(service: Service, root: Path, called: Sequence[Called]) -> list[str]:
    due = [f"As root: {' '.join(each.words)}" for each in called if each.due]
    if not in_root(root, service.program).exists():
        due.append(f"Install cardshoe there: the unit starts {service.program}, which is not there yet.")
    cardshoe = service.program.with_name("cardshoe")
    due.append(f"Fill in {CONFIG}: the table's name, the address of the shoe ({cardshoe} devices lists them).")
    due.append(f"{cardshoe} config check {CONFIG}")
    due.append(f"systemctl enable --now {UNIT.name}")
    return due
