"""What people may hand in by mistake ends in words and an exit status of the list, never in a traceback.

Proves the house rule on bad input for `keys`, `evidence`, `trace`, `audit`, `people`, `telemetry` and `pair`
(LINK-11.6, SHOE-9.11, WAC 230-16-152 where they have files of their own).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from cardshoe.bounded_files import open_plain
from cardshoe.cli.signers import user_of_computer
from cardshoe.cli.trace_files import read_recording
from cardshoe.errors import ConfigError, InputError, JournalError
from cardshoe.lab.conform.evidence import verify
from cardshoe.link.session_keys import key_id
from cardshoe.table.audit import evidence_of, load_auditor_key
from cardshoe.table.keystore import KeyStore
from cardshoe.table.people_file import PeopleFile
from cardshoe.table.sealed_devices import default_store
from cardshoe.table.telemetry_archive import read_archive

CARDSHOE = str(Path(sys.executable).with_name("cardshoe"))
PAIR_KEY = bytes(range(32))


def stored_key(folder: Path, **other: object) -> None:
    """A key file whose digest is right, whatever it says."""
    name = key_id(PAIR_KEY).hex()
    body: dict[str, object] = {
        "format": "cardshoe-key-1", "kind": "shoe", "model": "M", "serial": "S", "role": "deal", "key_id": name,
        "auditor": None, "sealed_count": 0, "paired_at": "t", "paired_by": "me", "pair_key": PAIR_KEY.hex(),
        "identity": "11" * 32,
    }  # fmt: skip
    body |= other
    digest = sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    path = folder / f"{name}.key"
    path.write_text(json.dumps({**body, "digest": digest}))
    path.chmod(0o600)


@pytest.mark.parametrize(
    "other",
    [
        {"serial": "\ud800"}, {"serial": "a\x1b[2J"}, {"auditor": "11"}, {"auditor": ""}, {"identity": ""},
        {"sealed_count": -5}, {"sealed_count": 1 << 64}, {"kind": "toaster"},
    ],
)  # fmt: skip
def test_a_key_file_with_an_impossible_value_is_damaged(tmp_path: Path, other: dict[str, object]) -> None:
    """LINK-11.6: the digest has no key, so that it proves no value."""
    tmp_path.chmod(0o700)
    stored_key(tmp_path)
    assert [info.serial for info in KeyStore(tmp_path).list()] == ["S"]
    stored_key(tmp_path, **other)
    with pytest.raises(ConfigError) as told:
        KeyStore(tmp_path)
    assert told.value.code == "keystore-damaged"


@pytest.mark.parametrize(
    "manifest", ["[" * 200_000, '{"files":[[1,2],["a","b"]],"about":{}}', "[]", '{"files":{},"about":5}']
)
def test_evidence_of_another_form_is_none(tmp_path: Path, manifest: str) -> None:
    """A manifest that is nested without end, or lists what is no object."""
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(InputError) as told:
        verify(tmp_path)
    assert told.value.code == "evidence-folder"


def test_a_signature_nested_without_end_is_wrong(tmp_path: Path) -> None:
    """The folder is told to be wrong."""
    (tmp_path / "manifest.json").write_text('{"files":{},"about":{}}')
    (tmp_path / "manifest.sig").write_text("[" * 200_000)
    assert not verify(tmp_path).ok


@pytest.mark.parametrize(
    "line",
    [
        '{"t":' + "9" * 400 + ',"way":"in","hex":"00"}',
        '{"t":Infinity,"way":"in","hex":"00"}',
        '{"t":NaN,"way":"in","hex":"00"}',
        '{"t":1,"way":[],"hex":"00"}',
    ],
)
def test_a_line_that_no_recording_has(tmp_path: Path, line: str) -> None:
    """A time that no clock shows, a way that is none."""
    (tmp_path / "t").write_text(line)
    with pytest.raises(InputError) as told:
        read_recording(tmp_path / "t", "shoe")
    assert told.value.code == "trace-unreadable"


@pytest.mark.parametrize("name", ["round_id", "deck_id", "first_slot"])
def test_an_envelope_of_endless_numbers_is_none(tmp_path: Path, name: str) -> None:
    """SHOE-9.11."""
    plain = {"format": "cardshoe-envelope-1", "serial": "S", "round_id": 7, "deck_id": 9, "first_slot": 3, "cards": 3,
             "auditor": None, "ephemeral": "11", "sealed": "22", "commitments": {}}  # fmt: skip
    (tmp_path / "e.json").write_text(json.dumps(plain | {name: float("inf")}))
    with pytest.raises(ConfigError) as told:
        evidence_of(tmp_path / "e.json", 7)
    assert told.value.code == "envelope-file"


def test_a_directory_or_a_pipe_is_no_key_and_no_list(tmp_path: Path) -> None:
    """Nobody waits at a pipe that has no writer."""
    tmp_path.chmod(0o700)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe", 0o600)
    for name in ("folder", "pipe"):
        with pytest.raises(OSError):  # noqa: PT011 — the number differs, the kind is what counts
            open_plain(tmp_path / name)
        with pytest.raises(ConfigError):
            load_auditor_key(tmp_path / name)
        with pytest.raises(ConfigError):
            PeopleFile(tmp_path / name).read()


@pytest.mark.parametrize("until", ["9" * 400, "1e999", "NaN"])
def test_tries_of_endless_times_are_damage(tmp_path: Path, until: str) -> None:
    """Nobody is let in by them."""
    tmp_path.chmod(0o700)
    path = tmp_path / "p.tries"
    path.write_text('{"flo":{"wrong":5,"boot":"x","until":' + until + "}}")
    path.chmod(0o600)
    with pytest.raises(ConfigError) as told:
        PeopleFile(tmp_path / "p").tries()
    assert told.value.code == "people-damaged"


@pytest.mark.parametrize(
    ("name", "value"),
    [("meters", []), ("journal", {"record": 10**30, "head": "00" * 32}), ("journal", []), ("why", []), ("why", "x")],
)
def test_an_archive_of_another_form_is_altered(tmp_path: Path, name: str, value: object) -> None:
    """WAC 230-16-152."""
    plain: dict[str, object] = {"sequence": 1, "before": "00" * 32, "why": "rounds", "meters": {},
                                "journal": {"record": 1, "head": "00" * 32}}  # fmt: skip
    (tmp_path / "00000001.json").write_text(json.dumps(plain | {name: value}, separators=(",", ":")) + "\n")
    with pytest.raises(JournalError) as told:
        list(read_archive(tmp_path))
    assert told.value.code == "telemetry-altered"


def test_a_user_without_name_or_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container: the number stands for the name, and the key store has to be named."""
    for name in ("HOME", "LOGNAME", "USER", "LNAME", "USERNAME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def nobody(_number: int) -> object:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr("pwd.getpwuid", nobody)
    assert user_of_computer() == f"user {os.geteuid()}"
    with pytest.raises(ConfigError) as told:
        default_store()
    assert told.value.code == "keystore-missing"


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_letter_that_the_terminal_has_not_goes_out_escaped(tmp_path: Path, encoding: str) -> None:
    """Half of a surrogate pair in no encoding, an arrow not in ASCII."""
    (tmp_path / "manifest.json").write_text('{"files":{"\\ud800→":"5"},"about":{}}', encoding="utf-8")
    done = subprocess.run(
        [CARDSHOE, "evidence", str(tmp_path)],
        capture_output=True, check=False, env={**os.environ, "PYTHONIOENCODING": encoding},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"\\ud800" in done.stdout


@pytest.mark.parametrize("option", [["pair", "tcp://127.0.0.1:1", "--role", "deal", "--label-fd"],
                                    ["people", "pin", "p", "Flo", "--pin-fd"]])  # fmt: skip
def test_a_descriptor_that_no_process_has(option: list[str]) -> None:
    """Wrong usage, exit status 2."""
    done = subprocess.run([CARDSHOE, *option, "9" * 17], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
