"""`cardshoe version`: every installed file against a signed list, the bill of materials, the lock, the wheel."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from cardshoe.cli import version
from cardshoe.cli.bill_of_materials import bill_of_materials, licences, runtime_distributions
from cardshoe.cli.installed_files import (
    FileList,
    differences,
    install_kind,
    measured,
    package_folder,
    parse_list,
    signed_list,
)
from cardshoe.cli.version import facts, verified
from cardshoe.errors import ConfigError
from cardshoe.games.rule_pack import digest_of, rules_digest
from cardshoe.journal import JournalReader
from cardshoe.journal.keyfile import create_key, public_bytes
from cardshoe.wire.spec import load_spec

ROOT = Path(__file__).parents[2]
LOCK = ROOT / ".ci" / "requirements.lock"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A small package of its own, with a compiled file."""
    folder = tmp_path / "package"
    (folder / "games").mkdir(parents=True)
    (folder / "__init__.py").write_text("NAME = 'package'\n")
    (folder / "games" / "pays.py").write_text("ODDS = 3\n")
    (folder / "games" / "clauses.tsv").write_text("id\tkind\trule\n")
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(folder)], check=True, env={})
    return folder


KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def test_what_was_signed_fits(package: Path) -> None:
    made = signed_list(package, KEY)
    assert sorted(made.files) == ["__init__.py", "games/clauses.tsv", "games/pays.py"]
    assert made.is_signed_by(public_bytes(KEY))
    assert parse_list(made.text().encode(), "list") == made
    assert differences(package, made).none


@pytest.mark.parametrize("harm", ["changed", "missing", "extra", "recompiled", "orphan"])
def test_each_harm_is_named(package: Path, harm: str) -> None:
    made = signed_list(package, KEY)
    name = "games/pays.py"
    compiled = next((package / "games" / "__pycache__").glob("pays.*.pyc"))
    expected = name
    match harm:
        case "changed":
            # The compiled file is now another program than its source, too; that is named as well.
            (package / name).write_text("ODDS = 4\n")
        case "missing":
            (package / name).unlink()
            compiled.unlink()
        case "extra":
            expected = "games/more.py"
            (package / expected).write_text("")
        case "recompiled":
            other = package.parent / "other.py"
            other.write_text("ODDS = 4\n")
            header = compiled.read_bytes()[:16]
            subprocess.run([sys.executable, "-m", "compileall", "-q", str(other)], check=True, env={})
            told = next((package.parent / "__pycache__").glob("other.*.pyc")).read_bytes()
            compiled.write_bytes(header + told[16:])
            expected = str(compiled.relative_to(package))
        case _:
            orphan = compiled.with_name(compiled.name.replace("pays", "gone"))
            shutil.copy(compiled, orphan)
            expected = str(orphan.relative_to(package))
    found = differences(package, made)
    assert expected in getattr(found, "recompiled" if harm == "orphan" else harm)
    assert not found.none


@given(st.data())
def test_no_flipped_bit_of_a_list_is_passed_over(data: st.DataObject) -> None:
    made = FileList("1.0", {"a.py": "0" * 64, "b.py": "1" * 64})
    made = FileList(made.version, made.files, KEY.sign(made.signed_bytes()).hex())
    content = bytearray(made.text().encode())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= 1 << data.draw(st.integers(0, 6))
    try:
        read = parse_list(bytes(content), "list")
    except (ConfigError, UnicodeDecodeError):
        return
    assert read == made or not read.is_signed_by(public_bytes(KEY)) or read.signature.lower() == made.signature


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b"\xff", b'{"format":"other","version":"1","files":{},"signature":""}',
     b'{"format":"cardshoe-files-1","version":"1","files":{"/etc/passwd":"' + b"0" * 64 + b'"},"signature":""}',
     b'{"format":"cardshoe-files-1","version":"1","files":{"../x":"' + b"0" * 64 + b'"},"signature":""}',
     b'{"format":"cardshoe-files-1","version":"1","files":{"x":"00"},"signature":""}',
     b'{"format":"cardshoe-files-1","version":1,"files":{},"signature":""}',
     b"[" * 100_000, b" " * ((4 << 20) + 1)],
    ids=range(11),
)  # fmt: skip
def test_what_is_no_list_is_refused(content: bytes) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_list(content, "list.json")
    assert refused.value.code == "version-list"


# --- the verdict on this installation


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "etc"
    folder.mkdir()
    monkeypatch.setattr(version, "PINNED", folder)
    return folder


def test_a_signed_list_of_this_installation(pinned: Path) -> None:
    """Signed by the pinned key: fits. By another: does not. Without a key: it says that nobody checked."""
    made = signed_list(package_folder(), KEY)
    (pinned / "files.json").write_text(made.text())
    without = verified(None, None)
    assert (without.ok, without.signed) == (True, False)
    assert "no key was given" in without.why
    (pinned / "release.pub").write_text(public_bytes(KEY).hex() + "\n")
    told = verified(None, None)
    assert (told.ok, told.signed, told.found.none) == (True, True, True)
    other = verified(None, "ab" * 32)
    assert (other.ok, other.signed) == (False, False)


def test_an_unsigned_list_is_said_to_be_unsigned(pinned: Path) -> None:
    (pinned / "files.json").write_text(FileList("0.1.0", measured(package_folder())).text())
    told = verified(None, None)
    assert told.ok
    assert "nobody signed this list" in told.why
    assert not verified(None, public_bytes(KEY).hex()).ok


def test_nothing_to_compare_with_is_no_verdict(pinned: Path) -> None:
    """An editable installation has no record of its files; it is told apart."""
    if install_kind(package_folder()) == "wheel":
        assert verified(None, None).against == "the installer's own record"
        return
    told = verified(None, None)
    assert (told.ok, told.against) == (False, "nothing")
    assert told.install in told.why


@pytest.mark.parametrize("place", ["", "release.pub"])
def test_a_pinned_key_that_others_may_change_is_refused(pinned: Path, place: str) -> None:
    (pinned / "release.pub").write_text(public_bytes(KEY).hex())
    (pinned / "release.pub").chmod(0o644)
    pinned.chmod(0o755)
    verified(None, None)
    (pinned / place).chmod(0o777)
    with pytest.raises(ConfigError, match="can be changed by others"):
        verified(None, None)


@pytest.mark.parametrize("text", ["", "ab", "zz" * 32, "ab" * 33])
def test_what_is_no_public_key_is_refused(pinned: Path, text: str) -> None:
    (pinned / "release.pub").write_text(text)
    for given_key in (text, None):
        with pytest.raises(ConfigError) as refused:
            verified(None, given_key)
        assert refused.value.code == "version-key"


def test_real_sign_and_verify(tmp_path: Path) -> None:
    key = create_key(tmp_path / "key.pem")
    line = [sys.executable, "-m", "cardshoe", "version"]
    signed = subprocess.run(
        [*line, "--sign", str(tmp_path / "key.pem"), "--to", str(tmp_path / "list"), "--json"],
        capture_output=True, check=True,
    )  # fmt: skip
    public = json.loads(signed.stdout)["public_key"]
    assert public == public_bytes(key).hex()
    check = [*line, "--verify", "--list", str(tmp_path / "list"), "--public-key", public, "--json"]
    told = json.loads(subprocess.run(check, capture_output=True, check=True).stdout)
    assert (told["ok"], told["signed"], told["changed"]) == (True, True, [])
    edited = (tmp_path / "list").read_text().replace("cli/version.py", "cli/version_.py")
    (tmp_path / "list").write_text(edited)
    ran = subprocess.run(check, capture_output=True)
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["missing"], told["extra"]) == (1, ["cli/version_.py"], ["cli/version.py"])
    for half in (["--sign", str(tmp_path / "key.pem")], ["--to", "x"], ["--sign", "nowhere", "--to", "x"]):
        assert subprocess.run([*line, *half], capture_output=True).returncode == 2


def test_what_is_told() -> None:
    told = facts()
    assert told["protocols"] == {name: load_spec(name).hash.hex() for name in ("reader-v1", "shoe-v1")}
    assert told["dependencies"]["cryptography"] == importlib.metadata.version("cryptography")
    assert json.loads(json.dumps(told)) == told


def test_the_rules_have_a_digest_of_their_own(package: Path) -> None:
    """T16: it moves with a pay table or a clause and with nothing else."""
    games = package / "games"
    before = digest_of(games)
    (package / "__init__.py").write_text("NAME = 'other'\n")
    shutil.rmtree(games / "__pycache__")
    assert digest_of(games) == before
    (games / "clauses.tsv").write_text("id\tkind\trule\nX\ty\tz\n")
    after = digest_of(games)
    assert after != before
    (games / "pays.py").write_text("ODDS = 4\n")
    assert digest_of(games) not in (before, after)


def test_real_each_round_stands_under_the_digest_of_its_rules(played: Path) -> None:
    """T16: in the record of the opening and in the header of each round."""
    with JournalReader(played) as reader:
        heads = [record.body["rules"] for record in reader.records() if record.kind in ("table_opened", "round_header")]
    assert heads == [rules_digest()] * 3
    assert facts()["rules"] == rules_digest()


# --- what of others is in it


def test_the_bill_of_materials_names_everything_that_runs() -> None:
    bill = bill_of_materials()
    names = [part["name"] for part in bill["components"]]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {Requirement(text).name for text in project["dependencies"]} <= set(names)
    assert not {"pytest", "hypothesis", "mypy"} & set(names)
    assert names == sorted(set(names))
    references = {part["bom-ref"] for part in bill["components"]} | {bill["metadata"]["component"]["bom-ref"]}
    assert {row["ref"] for row in bill["dependencies"]} == references
    assert all(set(row["dependsOn"]) <= references for row in bill["dependencies"])
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.5")
    assert bill == bill_of_materials()


def test_nothing_under_the_gpl_is_linked_in() -> None:
    """Each names a licence; none is the GPL or AGPL (the LGPL of the libusb that is loaded at run time is another)."""
    told = {name: " ".join(licences(found)) for name, found in runtime_distributions().items()}
    assert [name for name, text in told.items() if not text] == []
    assert [name for name, text in told.items() if re.search(r"(?<![L])A?GPL|General Public", text)] == []


def _locked() -> dict[str, tuple[str, int]]:
    rows = re.findall(
        r"^([A-Za-z0-9._-]+)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n?)+)", LOCK.read_text(), re.M
    )
    return {name: (pinned_to, text.count("--hash=")) for name, pinned_to, text in rows}


def test_the_lock_pins_every_dependency_by_version_and_hash() -> None:
    locked = _locked()
    assert len(locked) == len(re.findall(r"^[A-Za-z]", LOCK.read_text(), re.M))
    assert all(hashes >= 1 for _version, hashes in locked.values())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for text in [*project["dependencies"], *project["optional-dependencies"]["test"]]:
        wanted = Requirement(text)
        pinned_to, _hashes = locked[wanted.name.lower()]
        assert SpecifierSet(str(wanted.specifier)).contains(pinned_to), text


def test_the_lock_names_no_place_to_load_from() -> None:
    assert not re.search(r"://|--(index|extra-index|find-links|trusted)", LOCK.read_text())


def test_what_runs_needs_is_in_the_lock() -> None:
    assert set(runtime_distributions()) <= {re.sub(r"[-_.]+", "-", name).lower() for name in _locked()}


def test_the_gate_installs_from_the_lock() -> None:
    gate = (ROOT / ".ci" / "run").read_text()
    assert "--require-hashes -r .ci/requirements.lock" in gate


# --- the wheel


def _wheel(source: Path, to: Path, *, umask: int) -> Path:
    to.mkdir()
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(to)],
        cwd=source, check=True, capture_output=True, umask=umask, env={**os.environ, "SOURCE_DATE_EPOCH": "1600000000"},
    )  # fmt: skip
    return next(to.glob("*.whl"))


def test_real_two_builds_of_one_source_are_the_same_bytes(tmp_path: Path) -> None:
    """Another folder, other times, another umask: the same wheel. And it carries what `version --verify` asks for."""
    trees = [tmp_path / "a" / "tree", tmp_path / "b" / "elsewhere" / "tree"]
    trees[0].mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, trees[0])
    for name in ("src", "firmware_protocols"):
        made_by_tools = shutil.ignore_patterns("__pycache__", "*.pyc", ".*_cache")
        shutil.copytree(ROOT / name, trees[0] / name, symlinks=True, ignore=made_by_tools)
    shutil.copytree(trees[0], trees[1], symlinks=True)
    for path in trees[1].rglob("*"):
        if path.is_file() and not path.is_symlink():
            os.utime(path, (1_700_000_000, 1_700_000_000))
    first, second = (
        _wheel(tree, tmp_path / str(n), umask=mask)
        for n, (tree, mask) in enumerate(zip(trees, (0o022, 0o077), strict=True))
    )
    assert first.name == second.name
    assert first.read_bytes() == second.read_bytes()
    unpacked = tmp_path / "site"
    with zipfile.ZipFile(first) as wheel:
        wheel.extractall(unpacked)
    assert set(measured(unpacked / "cardshoe")) == set(measured(trees[0] / "src" / "cardshoe"))
    assert differences(unpacked / "cardshoe", signed_list(unpacked / "cardshoe", KEY)).none
