"""`cardshoe uninstall --systemd`: what `cardshoe install --systemd` wrote is taken back.

Owns the order: the service ends, then its files go. Journal, keys, people and configuration stay, and so does the user
whom they belong to; a file that somebody edited stays too. Exit status 0 done, 1 a file was left or a program failed,
2 a place that cannot be used, or a service that does not end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from cardshoe.cli.install import DryRun, Json, Root, Systemd, require_systemd, tell, usable_root
from cardshoe.cli.install_files import CONFIG, OURS, STATE, UNIT, in_root
from cardshoe.cli.install_programs import Called, Programs
from cardshoe.cli.install_steps import Did, Files
from cardshoe.errors import ConfigError

_STAYS: Final = f"{CONFIG.parent} and {STATE} stay: configuration, journal, keys and people are yours."


def command(
    *, systemd: Systemd = False, root: Root = Path("/"), dry_run: DryRun = False, as_json: Json = False
) -> None:
    """Take the service away again; configuration, journal, keys and people stay."""
    require_systemd(asked=systemd)
    place = usable_root(root)
    files, programs = Files(place, dry=dry_run), Programs(place, dry=dry_run)
    stopped = programs.stop() if in_root(place, UNIT).exists() else []
    _require_ended(stopped)
    steps = [files.take_back(path) for path in reversed(OURS)]
    if not any(step.did is Did.LEFT for step in steps):
        files.forget()
    called = [*stopped, *programs.read_anew()]
    due = [f"As root: {' '.join(each.words)}" for each in called if each.due and not dry_run]
    tell(steps, called, [*due, _STAYS], dry=dry_run, as_json=as_json)


def _require_ended(stopped: list[Called]) -> None:
    for each in stopped:
        if each.trouble is not None:
            raise ConfigError(
                "install-stop",
                f"The service does not end: {' '.join(each.words)}: {each.trouble}. Nothing was removed.",
            )
