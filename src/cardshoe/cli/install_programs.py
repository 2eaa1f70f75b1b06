"""The programs of the system that an installation needs: user and directories made, units and rules read anew.

Owns which are called with what, and that each is told: done, failed with its own words, or left to a person where it
is not there or may not be called. No shell; the words are fixed, and the root is the only one that was given.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardshoe.cli.install_files import DIRECTORIES, UNIT, USERS

_PATIENCE_S: Final = 90.0
_PLACES: Final = "/usr/sbin:/usr/bin:/sbin:/bin"
"""Where programs of the system lie, whatever the caller's PATH says."""


@dataclass(frozen=True, slots=True)
class Called:
    """A command, and what came of it: `trouble` None where it did what it should, `due` where a person has to do it."""

    words: tuple[str, ...]
    trouble: str | None = None
    due: bool = False


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs for the system in `root`; `dry`: none is called, all are told as due."""

    root: Path
    dry: bool

    def make_user_and_directories(self) -> list[Called]:
        """Make what sysusers.d and tmpfiles.d say, now and not at the next start."""
        there = [] if self.root == Path("/") else [f"--root={self.root}"]
        return [
            self._call("systemd-sysusers", *there, USERS.name),
            self._call("systemd-tmpfiles", "--create", *there, DIRECTORIES.name),
        ]

    def read_anew(self) -> list[Called]:
        """Have a running system read units and rules anew; one that does not run reads them when it starts."""
        if not self._running():
            return []
        return [self._call("systemctl", "daemon-reload"), self._call("udevadm", "control", "--reload")]

    def stop(self) -> list[Called]:
        """End the service of a running system, and have it not start again."""
        return [self._call("systemctl", "disable", "--now", UNIT.name)] if self._running() else []

    def _running(self) -> bool:
        return self.root == Path("/") and Path("/run/systemd/system").is_dir()

    def _call(self, name: str, *rest: str) -> Called:
        words = (name, *rest)
        program = shutil.which(name, path=_PLACES)
        if self.dry or program is None or os.geteuid() != 0:
            return Called(words, due=True)
        return Called(words, trouble=_trouble((program, *rest)))


def _trouble(words: Sequence[str]) -> str | None:
    try:
        ended = subprocess.run(  # noqa: S603 — fixed words, and the root that was named
            words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if ended.returncode == 0 else ended.stderr.strip() or f"exit status {ended.returncode}"
