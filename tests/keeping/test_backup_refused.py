"""A backup that was changed, cut, made up or opened by another passphrase is refused by its own code (P6, P7)."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from keeping_bench import PASSPHRASE, Home, key, played

from cardshoe.cli import run as run_command
from cardshoe.cli.backup import Origin
from cardshoe.cli.backup import rewritten as rewrite
from cardshoe.clock import SystemClock
from cardshoe.errors import CardshoeError
from cardshoe.staging_folder import staging_folder
from cardshoe.table import passphrase_seal
from cardshoe.table.backup_form import BackupFile, is_safe, write_end, write_member
from cardshoe.table.backup_making import make_backup
from cardshoe.table.config import parse_config
from cardshoe.table.passphrase_seal import Passphrase
from cardshoe.table.restoring import restore, unsealed

CODES = {"backup-file", "backup-truncated", "backup-changed", "backup-path", "backup-passphrase"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of a table with keys, made with little work for its passphrase."""
    folder = tmp_path_factory.mktemp("made")
    home, tar = Home(folder / "home", '[security]\nkeys = "keys"', keys=True), folder / "kept.tar"
    played(home)
    origin = Origin(parse_config(home.config.read_text(), "table.toml"), home.config, home.config.read_bytes())
    with pytest.MonkeyPatch.context() as patched, staging_folder(folder / "staging") as staging:
        patched.setattr(passphrase_seal, "LOG2_N", 4)
        make_backup(origin, tar, Passphrase(PASSPHRASE), staging=staging, clock=SystemClock(), rewrite=rewrite)
    return tar


def refused(content: bytes, folder: Path, passphrase: str = PASSPHRASE) -> str:
    """The code by which this content is refused, or "restored"; what is refused leaves nothing."""
    folder.mkdir(exist_ok=True)
    tar, again = folder / "tried.tar", folder / "again"
    tar.write_bytes(content)
    try:
        with BackupFile(tar) as backup:
            seal = unsealed(backup, Passphrase(passphrase))
            with staging_folder(folder / "staging") as staging:
                restore(backup, seal, again, staging=staging)
    except CardshoeError as error:
        code, text = error.code, error.text
    else:
        shutil.rmtree(again)
        code, text = "restored", str(tar)
    assert (sorted(path.name for path in folder.iterdir()), str(tar) in text) == (["tried.tar"], True)
    return code


def members(content: bytes) -> list[tuple[str, bytes]]:
    """The files of a backup."""
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        return [(info.name, tar.extractfile(info).read()) for info in tar.getmembers()]  # type: ignore[union-attr]


def packed(files: list[tuple[str, bytes]]) -> bytes:
    """A backup of these files."""
    out = io.BytesIO()
    for name, content in files:
        write_member(out, name, len(content), iter((content,)))
    write_end(out)
    return out.getvalue()


def relisted(content: bytes, **changes: object) -> bytes:
    """The backup with another list."""
    (name, text), *rest = members(content)
    return packed([(name, json.dumps({**json.loads(text), **changes}).encode()), *rest])


def test_as_it_was_made_it_is_restored(made: Path, tmp_path: Path) -> None:
    assert refused(made.read_bytes(), tmp_path / "t") == "restored"
    assert refused(packed(members(made.read_bytes())), tmp_path / "t") == "restored"


def test_a_wrong_passphrase(made: Path, tmp_path: Path) -> None:
    """Told from a change; however letters are composed, the right one is right."""
    assert refused(made.read_bytes(), tmp_path / "t", "another passphrase") == "backup-passphrase"
    assert refused(made.read_bytes(), tmp_path / "t", PASSPHRASE + " ") == "backup-passphrase"
    composed, apart = (passphrase_seal.seal_of(Passphrase(text + 12 * "x"), bytes(16), 2) for text in ("é", "e\u0301"))
    assert composed == apart


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(at=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_bit_that_is_changed_is_found(made: Path, tmp_path: Path, at: float, bit: int) -> None:
    """P6: anywhere in it."""
    content = bytearray(made.read_bytes())
    content[int(at * len(content))] ^= 1 << bit
    code = refused(bytes(content), tmp_path / "t")
    assert code in CODES, f"byte {int(at * len(content))}"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(part=st.floats(0, 1, exclude_max=True))
def test_one_that_is_cut_is_found(made: Path, tmp_path: Path, part: float) -> None:
    """P6: at every length; one that is cut within its list is no backup."""
    content = made.read_bytes()
    length = int(part * len(content))
    assert refused(content[:length], tmp_path / "t") == ("backup-file" if length < 512 else "backup-truncated")


@pytest.mark.parametrize("name", ["../out", "/etc/out", "table/../../out", "table//out", ".", "table/a\\b"])
def test_a_place_outside_is_refused(made: Path, tmp_path: Path, name: str) -> None:
    """T18: by the name in the tar, by the name in the list, and by both."""
    files = members(made.read_bytes())
    listing = json.loads(files[0][1])
    assert not is_safe(name)
    assert not is_safe(name + "\n")
    assert refused(packed([*files[:3], (name, b"x"), *files[4:]]), tmp_path / "t") == "backup-path"
    listed = [{**listing["files"][0], "name": name}, *listing["files"][1:]]
    for change in ({"files": listed}, {"journal": name}, {"config": name}):
        assert refused(relisted(made.read_bytes(), **change), tmp_path / "t") == "backup-path"


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_what_is_no_plain_file_is_refused(made: Path, tmp_path: Path, kind: bytes) -> None:
    """T18: a link to elsewhere, a device, a pipe."""
    content = made.read_bytes()
    files = members(content)
    cut = len(packed(files[:2])) - 1024
    info = tarfile.TarInfo("table/table.toml")
    info.type, info.linkname = kind, "/etc/passwd"
    assert refused(content[:cut] + info.tobuf(tarfile.USTAR_FORMAT) + content[cut:], tmp_path / "t") == "backup-path"


def test_files_that_are_left_out_added_or_swapped_are_found(made: Path, tmp_path: Path) -> None:
    files = members(made.read_bytes())
    for wrong in (
        files[:-1],
        [*files, ("table/more", b"")],
        [*files[:2], files[3], files[2], *files[4:]],
        [*files[:1], *files[2:]],
        [files[0], (files[1][0], bytes(32)), *files[2:]],
    ):
        assert refused(packed(wrong), tmp_path / "t") == "backup-changed"


def test_a_list_that_was_made_to_fit_is_found_by_the_seal(made: Path, tmp_path: Path) -> None:
    """P6: who changes a file and its hash in the list does not know the passphrase."""
    for change in ({"made_at": "2020-01-01"}, {"records": 1}, {"running": True}, {"table": "T2"}):
        assert refused(relisted(made.read_bytes(), **change), tmp_path / "t") == "backup-changed"


@pytest.mark.parametrize(
    "change",
    [
        {"format": "cardshoe-backup-9"},
        {"salt": "00"},
        {"salt": "zz" * 16},
        {"log2_n": 60},
        {"log2_n": "17"},
        {"files": {}},
        {"files": [1]},
        {"files": [{"name": "a"}]},
        {"records": -1.5},
        {"more": 1},
        {"moved": {"a": 1}},
        {"open_round": "1"},
        {"table": "\x1b[2J"},
        {"running": None},
    ],
)
def test_a_list_that_cannot_be_is_none(made: Path, tmp_path: Path, change: dict[str, object]) -> None:
    assert refused(relisted(made.read_bytes(), **change), tmp_path / "t") == "backup-file"


@pytest.mark.parametrize("content", [b"", b"x", bytes(512), bytes(4096), b"[" * 9000, packed([("a", b"b")])])
def test_what_is_no_backup_is_none(tmp_path: Path, content: bytes) -> None:
    assert refused(content, tmp_path / "t") == "backup-file"


def test_a_list_without_end_is_none(tmp_path: Path) -> None:
    for text in (b"", b"[" * 100_000, b"null", b'{"format": "cardshoe-backup-1"}', b"\xff"):
        assert refused(packed([("backup.json", text), ("backup.seal", bytes(32))]), tmp_path / "t") == "backup-file"


@pytest.mark.parametrize("what", ["folder", "link", "nothing", "pipe"])
def test_what_cannot_be_read_is_said(made: Path, tmp_path: Path, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    """No wait on a pipe, no link followed, no folder made."""
    path = tmp_path / "b.tar"
    match what:
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to(made)
        case "pipe":
            os.mkfifo(path)
        case _:
            pass
    assert run_command(["restore", str(path), "--to", str(tmp_path / "again")]) == 2
    said = capsys.readouterr().err
    assert str(path) in said
    assert "Errno" not in said
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("to", ["/", ".", "/dev/null", "/proc/x/y", "none/there"])
def test_a_place_that_cannot_be_is_said(made: Path, to: str, capsys: pytest.CaptureFixture[str]) -> None:
    passphrase = made.with_name("passphrase")
    backup = ["backup", "--config", str(made.parent / "home" / "table.toml"), "--passphrase-file", str(passphrase)]
    for words in (["restore", str(made), "--passphrase-file", str(passphrase)], backup):
        assert run_command([*words, "--to", to]) == 2
        assert capsys.readouterr().err.startswith("cardshoe: --to ")


def test_a_passphrase_file_that_others_may_read_is_refused(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """P7: with the command that mends it; a link, an empty and a short one, too."""
    path = tmp_path / "passphrase"
    link = tmp_path / "link"
    link.symlink_to(made.with_name("passphrase"))
    call = ["restore", str(made), "--to", str(tmp_path / "again"), "--passphrase-file"]
    for content, mode, status in (
        (PASSPHRASE, 0o644, 2),
        ("", 0o600, 1),
        ("too short", 0o600, 1),
        ("x" * 5000, 0o600, 1),
    ):
        path.write_text(content)
        path.chmod(mode)
        assert run_command([*call, str(path)]) == status
    assert run_command([*call, str(link)]) == 2
    assert f"chmod 600 {path}" in capsys.readouterr().err
    assert not (tmp_path / "again").exists()


def test_sealed_files_cannot_change_places(made: Path, tmp_path: Path) -> None:
    """P7: a sealed file opens under its own name only."""
    with BackupFile(made) as backup:
        seal = unsealed(backup, Passphrase(PASSPHRASE))
    name = f"keys/{key(bytes(32)).info.key_id}.key"
    sealed = dict(members(made.read_bytes()))[f"table/{name}"]
    assert seal.opened(sealed, name) is not None
    assert seal.opened(sealed, "table.sqlite.key") is None
    assert seal.opened(sealed[:-1], name) is None
