"""From an installed package to a service: files, modes, whose they are, and what systemd says of the unit."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardshoe.cli import run
from cardshoe.cli.devices import rules
from cardshoe.cli.install_files import OURS
from cardshoe.games import games
from cardshoe.table.config import parse_config

PYTHON = "/usr/bin/python3"
UNIT, CONFIG, LIST = "etc/systemd/system/cardshoe.service", "etc/cardshoe/table.toml", "etc/cardshoe/installed.json"
MODES = {
    UNIT: 0o644,
    "etc/udev/rules.d/60-cardshoe.rules": 0o644,
    "etc/sysusers.d/cardshoe.conf": 0o644,
    "etc/tmpfiles.d/cardshoe.conf": 0o644,
    CONFIG: 0o640,
    LIST: 0o644,
}
EXPOSURE_MOST = "20"
"""In tenths, as `systemd-analyze security --threshold` counts: 2.0."""


class Installing:
    """`cardshoe install` and `uninstall` into a root of one's own."""

    def __init__(self, root: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capture = capture
        self.told: dict[str, Any] = {}
        self.err = ""

    def __call__(self, command: str, *more: str) -> int:
        self._capture.readouterr()
        words = [command, "--systemd", "--root", str(self.root), "--json", *more]
        status = run(words if command == "uninstall" or "--program" in more else [*words, "--program", PYTHON])
        out, self.err = self._capture.readouterr()
        self.told = json.loads(out) if out else {}
        return status

    @property
    def did(self) -> dict[str, str]:
        return {each["path"].lstrip("/"): each["did"] for each in self.told["files"]}

    def file(self, name: str) -> Path:
        return self.root / name

    def content(self) -> dict[str, tuple[bytes, int, int]]:
        """Every file of ours: bytes, mode and time of change."""
        paths = [self.file(name) for name in MODES if self.file(name).exists()]
        return {str(path): (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns) for path in paths}


@pytest.fixture
def install(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Installing:
    (tmp_path / "root").mkdir()
    return Installing(tmp_path / "root", capsys)


@pytest.mark.parametrize("umask", [0o000, 0o077], ids=oct)
def test_files_and_modes_whatever_the_umask(install: Installing, umask: int) -> None:
    before = os.umask(umask)
    try:
        assert install("install") == 0
    finally:
        os.umask(before)
    assert set(install.did.values()) == {"written"}
    assert {name: stat.S_IMODE(install.file(name).stat().st_mode) for name in MODES} == MODES
    for name in ("etc", "etc/systemd", "etc/systemd/system", "etc/udev/rules.d", "etc/sysusers.d"):
        assert stat.S_IMODE(install.file(name).stat().st_mode) == 0o755, name
    assert install.file("etc/udev/rules.d/60-cardshoe.rules").read_text() == rules()


@pytest.mark.parametrize("game", sorted(games()))
def test_the_first_configuration_is_a_whole_one_that_waits(install: Installing, game: str) -> None:
    """FR-07: it can be used as it is, but for the shoe's address; journal and keys lie where the service may write."""
    assert install("install", "--game", game) == 0
    config = parse_config(install.file(CONFIG).read_text(), CONFIG)
    assert config.table.game == game
    assert config.service.wait_for_devices
    assert config.console.listen == "127.0.0.1:8350"
    assert {config.table.journal, config.security.keys} == {
        "/var/lib/cardshoe/journal.sqlite",
        "/var/lib/cardshoe/keys",
    }


def test_done_twice_it_changes_nothing(install: Installing) -> None:
    assert install("install") == 0
    first = install.content()
    assert install("install") == 0
    assert install.content() == first
    assert {name for name, did in install.did.items() if did != "unchanged"} == {CONFIG}
    assert install.did[CONFIG] == "kept"


def test_a_configuration_is_never_overwritten(install: Installing) -> None:
    install.file("etc/cardshoe").mkdir(parents=True)
    install.file(CONFIG).write_text("mine")
    assert install("install") == 0
    assert install("install", "--game", "three-card-poker") == 0
    assert install.file(CONFIG).read_text() == "mine"


def test_what_is_ours_is_renewed_and_what_was_edited_is_left(install: Installing) -> None:
    """An upgrade brings the new unit; a line that the technician wrote into a file is not lost by it."""
    assert install("install") == 0
    assert install("install", "--program", "/opt/cardshoe/bin/python") == 0
    assert install.did[UNIT] == "renewed"
    assert "ExecStart=/opt/cardshoe/bin/python -I" in install.file(UNIT).read_text()
    edited = install.file(UNIT).read_text() + "# mine\n"
    install.file(UNIT).write_text(edited)
    assert install("install") == 1
    assert install.did[UNIT] == "left"
    assert install.file(UNIT).read_text() == edited
    assert install("uninstall") == 1
    assert install.did == {UNIT: "left", **{str(path)[1:]: "removed" for path in OURS if str(path)[1:] != UNIT}}
    install.file(UNIT).unlink()
    assert install("install") == 0
    assert install("uninstall") == 0


def test_a_file_of_somebody_else_is_left(install: Installing) -> None:
    """A unit that no installation wrote, or that was masked, is neither overwritten nor removed."""
    install.file(UNIT).parent.mkdir(parents=True)
    install.file(UNIT).symlink_to("/dev/null")
    assert install("install") == 1
    assert install("uninstall") == 1
    assert install.file(UNIT).readlink() == Path("/dev/null")


def test_a_dry_run_tells_the_same_and_does_nothing(install: Installing) -> None:
    assert install("install", "--dry-run") == 0
    told = install.did
    assert list(install.root.iterdir()) == []
    assert install("install") == 0
    assert install.did == told
    before = install.content()
    assert install("uninstall", "--dry-run") == 0
    assert "removed" in install.did.values()
    assert install.content() == before


def test_uninstalled_the_house_keeps_its_own(install: Installing) -> None:
    """Journal, keys, people and configuration stay, byte for byte."""
    assert install("install") == 0
    state = install.file("var/lib/cardshoe")
    (state / "keys").mkdir(parents=True, exist_ok=True)
    kept = {state / "journal.sqlite": b"journal", state / "keys" / "a": b"key", install.file(CONFIG): b"mine"}
    for path, content in kept.items():
        path.write_bytes(content)
    assert install("uninstall") == 0
    assert {path: path.read_bytes() for path in kept} == kept
    assert [name for name in MODES if install.file(name).exists()] == [CONFIG]
    assert install("uninstall") == 0
    assert set(install.did.values()) == {"absent"}


def test_an_installation_that_broke_off_is_gone_on_with(install: Installing) -> None:
    """Something in the way ends it with its place and without a traceback; what was written before is whole."""
    install.file("etc/systemd").parent.mkdir()
    install.file("etc/systemd").write_text("no directory")
    assert install("install") == 2
    assert str(install.file("etc/systemd")) in install.err
    install.file("etc/systemd").unlink()
    assert install("install") == 0
    assert {"unchanged", "written"} == set(install.did.values())
    assert install("uninstall") == 0
    assert install.did[UNIT] == "removed"


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (("--user", "root"), "not root"),
        (("--user", "Max Muster"), "'Max Muster'"),
        (("--user", "x\nExecStartPre=/bin/sh"), "cannot be the table's user"),
        (("--program", "python3"), "no absolute path"),
        (("--program", "/opt/my python"), "plain letters"),
        (("--program", "/var/tmp/python"), "a service does not see"),
        (("--game", "whist"), "whist"),
    ],
)
def test_what_cannot_be_installed_is_refused_and_nothing_written(
    install: Installing, more: tuple[str, ...], text: str
) -> None:
    assert install("install", *more) in (1, 2)
    assert text in install.err
    assert list(install.root.iterdir()) == []


def test_without_systemd_or_a_root_nothing_is_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("install", "uninstall"):
        assert run([command, "--root", str(tmp_path)]) == 2
        assert run([command, "--systemd", "--root", str(tmp_path / "away")]) == 2
    assert "--systemd" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_link_out_of_the_root_is_not_followed(install: Installing, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    install.file("etc").mkdir()
    install.file("etc/systemd").symlink_to(tmp_path / "outside")
    assert install("install") == 2
    assert "because of a link" in install.err
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"files": 3}', b"\xff"])
def test_a_list_that_is_none_stops_it(install: Installing, content: bytes) -> None:
    install.file(LIST).parent.mkdir(parents=True)
    install.file(LIST).write_bytes(content)
    assert install("install") == 2
    assert "is no list of installed files" in install.err
    assert not install.file(UNIT).exists()


def test_real_user_and_directories_are_made_in_the_root(
    install: Installing, require: Callable[[str, str], str]
) -> None:
    """As root with systemd's own programs; else they are told as what is left to do."""
    require("systemd-sysusers", "the user of the table is made by it")
    assert install("install", "--user", "dealer") == 0
    done = {each["command"][0]: each["done"] for each in install.told["called"]}
    if os.geteuid() != 0:
        assert done == {"systemd-sysusers": False, "systemd-tmpfiles": False}
        assert sum("As root: systemd-" in each for each in install.told["next"]) == 2
        return
    assert done == {"systemd-sysusers": True, "systemd-tmpfiles": True}
    line = next(line for line in install.file("etc/passwd").read_text().splitlines() if line.startswith("dealer:"))
    uid, gid, home = int(line.split(":")[2]), int(line.split(":")[3]), line.split(":")[5]
    assert home == "/var/lib/cardshoe"
    assert any(line.startswith("dialout:") for line in install.file("etc/group").read_text().splitlines())
    owners = {
        name: (
            install.file(name).stat().st_uid,
            install.file(name).stat().st_gid,
            oct(install.file(name).stat().st_mode & 0o777),
        )
        for name in ("var/lib/cardshoe", "var/lib/cardshoe/keys", "var/lib/cardshoe/people", "etc/cardshoe", CONFIG)
    }
    assert owners == {
        "var/lib/cardshoe": (uid, gid, "0o700"),
        "var/lib/cardshoe/keys": (uid, gid, "0o700"),
        "var/lib/cardshoe/people": (uid, gid, "0o700"),
        "etc/cardshoe": (0, gid, "0o750"),
        CONFIG: (0, gid, "0o640"),
    }


# --- what systemd says


def _analyze(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False)


def test_real_systemd_takes_every_line_of_the_unit(install: Installing, require: Callable[[str, str], str]) -> None:
    require("systemd-analyze", "it reads the unit as systemd does")
    require(PYTHON, "the unit must name a program that is there")
    assert install("install") == 0
    told = _analyze("verify", str(install.file(UNIT)))
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")
    wrong = install.file(UNIT).read_text().replace("Restart=always", "Restart=perhaps")
    (install.root / "wrong.service").write_text(wrong)
    assert "perhaps" in _analyze("verify", str(install.root / "wrong.service")).stderr


def test_real_the_service_is_exposed_at_most_2(install: Installing, require: Callable[[str, str], str]) -> None:
    """The score of systemd's own list, from 0 (nothing) to 10: at most 2.0; without the hardening it is far above."""
    require("systemd-analyze", "it computes the exposure of a unit")
    assert install("install") == 0
    judged = ("security", "--offline=true", f"--threshold={EXPOSURE_MOST}", "--no-pager")
    told = _analyze(*judged, str(install.file(UNIT)))
    assert told.returncode == 0, told.stdout[-300:]
    assert "Overall exposure level" in told.stdout
    plain = [line for line in install.file(UNIT).read_text().splitlines() if "=yes" not in line]
    (install.root / "plain.service").write_text("\n".join(plain))
    assert _analyze(*judged, str(install.root / "plain.service")).returncode != 0


def test_the_tools_of_a_debian_are_found_without_a_path(install: Installing, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever calls `sudo` with a short PATH gets the same."""
    monkeypatch.setenv("PATH", "/nowhere")
    assert install("install") == 0
    if os.geteuid() == 0 and shutil.which("systemd-sysusers", path="/usr/bin:/bin"):
        assert all(each["done"] for each in install.told["called"])
