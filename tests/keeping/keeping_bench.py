"""A table on a disk, its commands as people call them, and its process; what the tests of keeping share. Not a test."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from cardshoe.cli import run as run_command
from cardshoe.link.messages import Role
from cardshoe.link.session_keys import key_id
from cardshoe.table.app import open_table
from cardshoe.table.config import parse_config
from cardshoe.table.keystore import KeyEntry, KeyInfo, KeyStore

CARDSHOE = str(Path(sys.executable).with_name("cardshoe"))
PASSPHRASE = "seven small cards in a row"
TOML = """
# A table that is dealt by hand.
[table]
name = "T1"
mode = "bench"
game = "three-card-poker"
method = "hand"
journal = "table.sqlite"   # beside this file
{more}
"""
Call = Callable[..., tuple[int, str, str]]


def called(capsys: pytest.CaptureFixture[str]) -> Call:
    """Return what calls a command in this process: status, output, errors."""

    def call(*words: object) -> tuple[int, str, str]:
        status = run_command([str(word) for word in words])
        said = capsys.readouterr()
        return status, said.out, said.err

    return call


def key(secret: bytes, serial: str = "S-1", role: Role = Role.DEAL) -> KeyEntry:
    """A key of a shoe."""
    info = KeyInfo("shoe", "CS-1", serial, role, key_id(secret).hex(), None, 7, "2026-01-01", "ann")
    return KeyEntry(info, secret, bytes(range(32)))


class Home:
    """The folder of one table: configuration, journal, keys, and a passphrase in a file."""

    def __init__(self, folder: Path, more: str = "", *, keys: bool = False) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.config, self.journal = folder / "table.toml", folder / "table.sqlite"
        self.config.write_text(TOML.format(more=more))
        self.passphrase = folder.parent / "passphrase"
        self.passphrase.write_text(PASSPHRASE + "\n")
        self.passphrase.chmod(0o600)
        if keys:
            store = KeyStore(folder / "keys", create=True)
            store.put(key(bytes(32)))
            store.manifest_used(4)

    @property
    def backup(self) -> list[object]:
        return ["backup", "--config", self.config, "--passphrase-file", self.passphrase, "--json", "--to"]

    @property
    def restore(self) -> list[object]:
        return ["restore", "--passphrase-file", self.passphrase, "--json", "--to"]


class Running:
    """`cardshoe run` as a process, spoken to in lines."""

    def __init__(self, config: Path) -> None:
        self.process = subprocess.Popen(
            [CARDSHOE, "run", "--config", str(config)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.due = self._until("due")["due"]

    def say(self, op: str, **fields: object) -> dict[str, Any]:
        """Give an operation and return its answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"op": op, **fields}) + "\n")
        self.process.stdin.flush()
        return self._until("accepted")

    def must(self, op: str, **fields: object) -> None:
        answer = self.say(op, **fields)
        assert answer["accepted"], answer

    def open_round(self) -> None:
        """A round with a wager on the table."""
        self.must("open_round", seats={"1": "Ann"})
        self.must("wager", position="1", player="Ann", wagers={"ante": 1000})

    def end(self) -> tuple[int, str]:
        """End the input; return status and errors."""
        _, err = self.process.communicate(timeout=60)
        return self.process.returncode, err

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def _until(self, wanted: str) -> dict[str, Any]:
        assert self.process.stdout is not None
        while line := self.process.stdout.readline():
            told: dict[str, Any] = json.loads(line)
            if wanted in told:
                return told
        raise AssertionError(f"the table ended: {self.process.communicate()[1]}")


def played(home: Home) -> None:
    """A journal by a table that was opened, and closed."""
    read = parse_config(home.config.read_text(), str(home.config))

    async def run() -> None:
        async with open_table(read, home.folder / read.table.journal):
            pass

    asyncio.run(run())


def forked(words: list[object], said: Path | None = None) -> int:
    """Run a command in a fork of this process, which has everything loaded; return its id. Its errors go to `said`."""
    pid = os.fork()
    if pid == 0:  # pragma: no cover - another process
        at_work(words, said)
    return pid


def at_work(words: list[object], said: Path | None = None) -> NoReturn:  # pragma: no cover - another process
    """End this process as the command ends."""
    status = 99
    try:
        if said is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
        sys.stdout, sys.stderr = (os.fdopen(os.dup(number), "w") for number in (1, 2))
        status = run_command([str(word) for word in words])
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def ended(pid: int) -> int:
    """Wait for a fork and return its exit status, below zero for the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def whole_tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file and folder: its mode and content."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mode & 0o777, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }


def environment(home: Path) -> dict[str, str]:
    """This process's environment with another home."""
    return {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
