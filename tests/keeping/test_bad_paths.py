"""Whatever path a command is given, it answers in words: no traceback, no raw error of the system, nothing made.

Every option and argument that takes a path, of every command that keeps, checks or pairs, with paths that cannot be.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from keeping_bench import Home, ended, forked, played

from cardshoe.cli.backup import command as _backup  # noqa: F401 - loaded once, so that each call is quick
from cardshoe.table import passphrase_seal
from cardshoe.table.audit import make_auditor_key

WAITS_S = 20
QUICK = ["dot", "pipe"]
MORE = ["nothing", "root", "empty", "null", "full", "folder", "below a file", "garbage", "long", "looped"]
BAD = [*QUICK, *(pytest.param(kind, marks=pytest.mark.nightly) for kind in MORE)]
MAY_BE_EMPTY = {"keys", "telemetry archive"}
"""An empty private folder is a store without keys, and an archive of nothing."""
CALLS = {
    "keys": "keys --keys {}",
    "unpair": "unpair abcd --only-here --keys {}",
    "unpair people": "unpair {key} --only-here --keys {keys} --people {} --as Flo --pin-fd 9999",
    "pair": "pair tcp://127.0.0.1:1 --role deal --label-fd 9999 --keys {}",
    "pair auditor": "pair tcp://127.0.0.1:1 --role deal --label-fd 9999 --auditor {}",
    "people list": "people list {}",
    "people add": "people add {} Flo --role floor --pin-fd 9999",
    "people key": "people add {people} Tim --role technician --as Flo --key {}",
    "people second": "people add {people} Tim --role technician --as Flo --key {} --second Ada --second-key {}",
    "people remove": "people remove {} Flo",
    "people pin": "people pin {} Flo --pin-fd 9999",
    "people unlock": "people unlock {} Flo",
    "audit open": "audit open {} --round 1 --key {auditor}",
    "audit key": "audit open {journal} --round 1 --key {}",
    "audit log": "audit open {journal} --round 1 --key {auditor} --log {}",
    "verify": "journal verify {}",
    "verify anchor": "journal verify {journal} --anchor {}",
    "verify key": "journal verify {journal} --public-key {}",
    "show": "journal show {}",
    "replay": "journal replay {}",
    "export": "journal export {}",
    "sign": "journal sign {}",
    "anchor": "journal anchor {} --to {new}",
    "archive": "journal archive {} --keep-rounds 4 --to {new}",
    "rollback": "journal rollback {} --schema 1",
    "accept": "journal accept --config {} --reason words",
    "report": "report shift --journal {}",
    "round": "report round 1 --journal {}",
    "evidence": "evidence {}",
    "telemetry journal": "telemetry export {} {new}",
    "telemetry archive": "telemetry show {}",
    "telemetry message": "telemetry show {} --message 1",
    "version list": "version --verify --list {}",
    "version sign": "version --sign {} --to {new}",
    "backup config": "backup --config {} --to {new} --passphrase-file {passphrase}",
    "backup passphrase": "backup --config {config} --to {new} --passphrase-file {}",
    "restore": "restore {} --to {new} --passphrase-file {passphrase}",
    "config check": "config check {}",
    "config show": "config show {}",
    "run": "run --config {}",
    "conform bench": "conform tcp://127.0.0.1:1 --bench {}",
    "conform control": "conform tcp://127.0.0.1:1 --control {}",
}


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A table with all that belongs to it, for the options that are not wrong."""
    folder = tmp_path_factory.mktemp("there")
    home = Home(folder / "home", '[security]\nkeys = "keys"', keys=True)
    played(home)
    make_auditor_key(folder / "auditor")
    (folder / "home" / "people").mkdir(mode=0o700)
    key = next((home.folder / "keys").glob("*.key")).stem
    named = {
        "config": home.config,
        "journal": home.journal,
        "keys": home.folder / "keys",
        "auditor": folder / "auditor",
    }
    named |= {"people": home.folder / "people" / "p.json", "passphrase": home.passphrase}
    return {"key": key, **{name: str(path) for name, path in named.items()}}


def bad_path(kind: str, folder: Path) -> str:
    """A path that cannot be what it is given for."""
    file = folder / "bad"
    match kind:
        case "nothing":
            return str(file)
        case "dot" | "root" | "empty" | "null" | "full":
            return {"dot": ".", "root": "/", "empty": "", "null": "/dev/null", "full": "/dev/full"}[kind]
        case "folder":
            file.mkdir(mode=0o700)
        case "below a file":
            file.write_text("x")
            return f"{file}/x"
        case "garbage":
            file.write_bytes(os.urandom(5000))
            file.chmod(0o600)
        case "pipe":
            os.mkfifo(file, 0o600)
        case "long":
            return f"{folder}/{'x' * 300}"
        case _:
            file.symlink_to(file)
    return str(file)


def answered(words: list[object], said: Path) -> str | None:
    """Call a command; return what is wrong with its answer, None where nothing is. Who waits for ever is ended."""
    pid = forked(words, said)
    until = time.monotonic() + WAITS_S
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
    status, err = ended(pid), said.read_text(errors="replace")
    in_words = "Errno" not in err and "Traceback" not in err
    return None if status in (1, 2, 3, 4) and in_words else f"{status} {err[-300:]}"


@pytest.mark.parametrize("kind", BAD)
def test_a_path_that_cannot_be_is_told_in_words(
    there: dict[str, str], tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passphrase_seal, "LOG2_N", 4)
    monkeypatch.chdir(tmp_path)
    bad = bad_path(kind, tmp_path)
    made = {"bad", "new", "said"}
    wrong: list[str] = []
    for name, line in CALLS.items():
        words = [bad if word == "{}" else word.format(**there, new=tmp_path / "new") for word in line.split()]
        told = answered(words, tmp_path / "said")
        if told is not None and not (name in MAY_BE_EMPTY and told.startswith("0 ")):
            wrong.append(f"{name}: {told}")
    assert wrong == []
    left = {path.name for path in tmp_path.iterdir() if not path.name.endswith(".lock")}
    assert left - made == set(), "something was made"
