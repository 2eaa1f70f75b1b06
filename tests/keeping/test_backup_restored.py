"""A table is kept in one file while it runs, and stands again out of it (P2, P6, FR-09)."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from keeping_bench import (
    CARDSHOE,
    PASSPHRASE,
    Call,
    Home,
    Running,
    at_work,
    called,
    ended,
    forked,
    key,
    played,
    whole_tree,
)

from cardshoe.journal import verify
from cardshoe.link.messages import Role
from cardshoe.table import passphrase_seal
from cardshoe.table.config import parse_config
from cardshoe.table.keystore import KeyStore


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return called(capsys)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little work to derive a key from a passphrase."""
    monkeypatch.setattr(passphrase_seal, "LOG2_N", 4)


def shell(words: list[object], *more: object) -> subprocess.CompletedProcess[str]:
    """Run a command as a process."""
    return subprocess.run([CARDSHOE, *map(str, [*words, *more])], capture_output=True, text=True, timeout=120)


def test_a_running_table_is_kept_and_stands_again(tmp_path: Path) -> None:
    """P6: in the middle of a round; the table goes on, the copy is one moment, and a table goes on there, too."""
    home, tar = Home(tmp_path / "home", 'people = "none"', keys=True), tmp_path / "kept.tar"
    table = Running(home.config)
    try:
        table.open_round()
        done = shell(home.backup, tar)
        assert (done.returncode, done.stderr) == (0, "")
        told = json.loads(done.stdout)
        assert (told["running"], told["open_round"], told["moved"]) == (True, 1, {})
        table.must("no_more_bets")
    finally:
        assert table.end() == (0, "")
    kept = verify(home.journal)
    assert kept.records > told["records"]
    done = shell([*home.restore, tmp_path / "again"], tar)
    assert (done.returncode, done.stderr) == (0, "")
    again = json.loads(done.stdout)
    assert (again["records"], again["head"], again["open_round"]) == (told["records"], told["head"], 1)
    verdict = verify(tmp_path / "again" / "table.sqlite")
    assert (verdict.ok, verdict.records, verdict.public_key) == (True, told["records"], kept.public_key)
    assert (tmp_path / "again" / "table.toml").read_bytes() == home.config.read_bytes()
    restored = Running(tmp_path / "again" / "table.toml")
    restored.must("no_more_bets")
    assert restored.end() == (0, "")
    assert verify(tmp_path / "again" / "table.sqlite").ok


def test_what_is_restored_is_what_was_there(call: Call, tmp_path: Path, quick: None) -> None:
    """Content byte for byte, modes 0600 and 0700, the key's count, and what is for this computer alone left here."""
    home, tar = Home(tmp_path / "home", '[security]\nkeys = "keys"', keys=True), tmp_path / "kept.tar"
    played(home)
    status, out, err = call(*home.backup, tar)
    assert (status, err) == (0, "")
    assert json.loads(out)["running"] is False
    assert tar.stat().st_mode & 0o777 == 0o600
    assert call(*home.restore, tmp_path / "again", tar)[0] == 0
    there = whole_tree(tmp_path / "again")
    assert {mode for mode, _content in there.values()} == {0o600, 0o700}
    assert (tmp_path / "again").stat().st_mode & 0o777 == 0o700
    here = whole_tree(home.folder)
    same = ("table.toml", "table.sqlite.key", "keys/manifest-used", f"keys/{key(bytes(32)).info.key_id}.key")
    assert {name: there[name][1] for name in same} == {name: here[name][1] for name in same}
    assert set(there) == {*same, "keys", "table.sqlite", "table.sqlite.anchor"}
    store = KeyStore(tmp_path / "again" / "keys")
    assert (store.list()[0].sealed_count, store.manifest_sequence()) == (7, 4)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "home", "kept.tar", "passphrase"]


def test_no_secret_lies_open_in_it(call: Call, tmp_path: Path, quick: None) -> None:
    """P4, P7: neither a key nor the passphrase, as bytes or in hexadecimal."""
    home, tar = Home(tmp_path / "home", '[security]\nkeys = "keys"', keys=True), tmp_path / "kept.tar"
    secret = bytes(range(100, 132))
    KeyStore(home.folder / "keys").put(key(secret, "S-2"))
    played(home)
    assert call(*home.backup, tar)[0] == 0
    content = tar.read_bytes()
    pem = home.journal.with_name("table.sqlite.key").read_bytes().split(b"\n")[1]
    for hidden in (secret, secret.hex().encode(), pem, PASSPHRASE.encode()):
        assert hidden not in content
    listed = subprocess.run(["tar", "tf", str(tar)], capture_output=True, text=True)
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "table/table.sqlite" in listed.stdout.splitlines()


def test_paths_that_lead_elsewhere_get_a_place_inside(
    call: Call, tmp_path: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The restored configuration names its own folder, keeps its comments, and the old one lies beside it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    KeyStore(tmp_path / "state" / "cardshoe" / "keys", create=True).put(key(bytes(32)))
    home, tar = Home(tmp_path / "home"), tmp_path / "kept.tar"
    (tmp_path / "far").mkdir()
    text = home.config.read_text().replace('"table.sqlite"', f'"{tmp_path}/far/j"')
    home.config.write_text(text)
    played(home)
    home.config.write_text(text + '[devices.shoe]\nurl = "tcp://127.0.0.1:9"\nsecurity = "sealed"\n')
    status, out, err = call(*home.backup, tar)
    assert (status, err) == (0, "")
    assert json.loads(out)["moved"] == {"table.journal": "journal/j", "security.keys": "keys"}
    assert call(*home.restore, tmp_path / "again", tar)[0] == 0
    config = parse_config((tmp_path / "again" / "table.toml").read_text(), "restored")
    assert (config.table.journal, config.security.keys) == ("journal/j", "keys")
    assert (tmp_path / "again" / "table.toml.original").read_bytes() == home.config.read_bytes()
    assert KeyStore(tmp_path / "again" / "keys").find("shoe", Role.DEAL).info.serial == "S-1"
    assert verify(tmp_path / "again" / "journal" / "j").ok


def test_a_line_is_changed_and_its_comment_stays(call: Call, tmp_path: Path, quick: None) -> None:
    home, tar = Home(tmp_path / "home"), tmp_path / "kept.tar"
    home.config.write_text(home.config.read_text().replace('"table.sqlite"', '"../table.sqlite"'))
    played(home)
    assert call(*home.backup, tar)[0] == 0
    assert call(*home.restore, tmp_path / "again", tar)[0] == 0
    text = (tmp_path / "again" / "table.toml").read_text()
    assert text == home.config.read_text().replace('"../table.sqlite"', '"journal/table.sqlite"')


@pytest.mark.parametrize("what", ["file", "folder"])
def test_where_something_lies_it_stays(call: Call, tmp_path: Path, quick: None, what: str) -> None:
    home, tar, again = Home(tmp_path / "home"), tmp_path / "kept.tar", tmp_path / "again"
    played(home)
    if what == "file":
        tar.write_text("mine")
        status, _out, err = call(*home.backup, tar)
        assert (status, "something lies there" in err, tar.read_text()) == (2, True, "mine")
        return
    assert call(*home.backup, tar)[0] == 0
    again.mkdir()
    assert call(*home.restore, again, tar)[0] == 0  # an empty one
    before = whole_tree(again)
    status, _out, err = call(*home.restore, again, tar)
    assert (status, "are not mixed with others" in err) == (2, True)
    assert whole_tree(again) == before


@pytest.mark.parametrize("name", ["table.toml", "table.sqlite.key", "keys", "keys/entry"])
def test_no_link_is_followed(call: Call, tmp_path: Path, quick: None, name: str) -> None:
    home = Home(tmp_path / "home", '[security]\nkeys = "keys"', keys=True)
    played(home)
    path = home.folder / name.replace("entry", f"{key(bytes(32)).info.key_id}.key")
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    status, _out, err = call(*home.backup, tmp_path / "kept.tar")
    assert status in (2, 4), err
    assert not (tmp_path / "kept.tar").exists()
    assert not (tmp_path / ".kept.tar.making").exists()


def test_a_journal_that_cannot_be_trusted_is_not_kept(call: Call, tmp_path: Path, quick: None) -> None:
    home = Home(tmp_path / "home")
    played(home)
    content = bytearray(home.journal.read_bytes())
    at = content.find(b'"table_opened"')
    content[at + 2] ^= 1
    home.journal.write_bytes(bytes(content))
    status, _out, err = call(*home.backup, tmp_path / "kept.tar")
    assert (status, "cannot be trusted" in err) == (4, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "passphrase"]


@pytest.mark.parametrize("kills", [20, pytest.param(300, marks=pytest.mark.nightly)])
def test_killed_at_any_moment_nothing_is_half_done(call: Call, tmp_path: Path, quick: None, kills: int) -> None:
    """P2: a backup or a restored folder is whole or not there, and the next try clears away what was left."""
    home = Home(tmp_path / "home", '[security]\nkeys = "keys"', keys=True)
    played(home)
    whole, tar, again = (tmp_path / name for name in ("whole.tar", "kept.tar", "again"))
    began = time.monotonic()
    assert ended(forked([*home.backup, whole], tmp_path / "said")) == 0
    took_s = time.monotonic() - began
    for turn in range(kills):
        for words, made in ((home.backup, tar), ([*home.restore[:1], whole, *home.restore[1:]], again)):
            pid = forked([*words, made], tmp_path / "said")
            time.sleep(took_s * 1.2 * turn / kills)
            os.kill(pid, signal.SIGKILL)
            assert ended(pid) in (-9, 0), (tmp_path / "said").read_text()
        if tar.exists():
            assert call(*home.restore, tmp_path / "look", tar)[0] == 0
            shutil.rmtree(tmp_path / "look")
            tar.unlink()
        if again.exists():
            assert verify(again / "table.sqlite").ok
            assert KeyStore(again / "keys").list()[0].sealed_count == 7
            shutil.rmtree(again)
    assert call(*home.backup, tar)[0] == 0
    assert call(*home.restore, again, tar)[0] == 0
    names = ["again", "home", "kept.tar", "passphrase", "said", "whole.tar"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names


def test_two_at_once_make_one(tmp_path: Path, quick: None) -> None:
    """Of two that write to one place one does, and the other says why not; what is made is whole."""
    home, tar, again = Home(tmp_path / "home"), tmp_path / "kept.tar", tmp_path / "again"
    played(home)
    for turn in range(6):
        for words in ([*home.backup, tar], [*home.restore, again, tar]):
            both = [forked(words, tmp_path / f"said-{each}") for each in (1, 2)]
            ends = sorted(ended(pid) for pid in both)
            said = [(tmp_path / f"said-{each}").read_text() for each in (1, 2)]
            assert (turn, ends) == (turn, [0, 2]), said
            assert "Traceback" not in "".join(said)
        assert verify(again / "table.sqlite").ok
        shutil.rmtree(again)
        tar.unlink()


def test_a_passphrase_is_typed_at_the_terminal(tmp_path: Path, quick: None) -> None:
    """Twice where it is new; never from standard input or the command line."""
    home, tar = Home(tmp_path / "home"), tmp_path / "kept.tar"
    played(home)
    words = ["backup", "--config", str(home.config), "--to", str(tar)]
    alone = subprocess.run(
        [CARDSHOE, *words], input=f"{PASSPHRASE}\n" * 2, capture_output=True, text=True, start_new_session=True
    )
    assert (alone.returncode, "no terminal" in alone.stderr) == (2, True)
    assert at_a_terminal(words, [PASSPHRASE, "another one of that"])[0] == 1
    assert at_a_terminal(words, ["short"] * 2)[0] == 1
    status, said = at_a_terminal(words, [PASSPHRASE, PASSPHRASE])
    assert (status, PASSPHRASE in said) == (0, False)
    assert at_a_terminal(["restore", str(tar), "--to", str(tmp_path / "again")], [PASSPHRASE])[0] == 0


def at_a_terminal(words: list[str], lines: list[str]) -> tuple[int, str]:
    """Run a command at a real pty and type `lines`, each when it is asked for."""
    pid, terminal = os.forkpty()
    if pid == 0:  # pragma: no cover - another process
        at_work([*words])
    said = ""
    for line in lines:
        asked = said.count(": ")
        while said.count(": ") == asked:
            said += os.read(terminal, 1024).decode()
            if "cardshoe: " in said:
                break
        os.write(terminal, line.encode() + b"\n")
    try:
        while more := os.read(terminal, 1024):
            said += more.decode()
    except OSError:  # its end
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said
