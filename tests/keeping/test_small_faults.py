"""Faults that people met in the commands of keeping: each told in words, nothing half done, no raw error (FR-45)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from journal_bench import copy_journal, rewrite_from, rows_of, stranger
from keeping_bench import Call, called

from cardshoe import whole_files
from cardshoe.cli import version
from cardshoe.cli.demo import _tell
from cardshoe.counted import counted
from cardshoe.journal import Entry, Journal, verify
from cardshoe.journal.keyfile import load_key
from cardshoe.lab.demo import DemoResult
from cardshoe.table.audit import make_auditor_key


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    return called(capsys)


# --- the auditor and a journal that somebody wrote


IDENTIFIED = Entry("device_identified", {"device": "shoe", "serial": "S-1"})
COMMITTED: dict[str, Any] = {"event": "CardCommitted", "round_id": 7, "slot": 3, "commitment": "00" * 32}
SEALED: dict[str, Any] = {"event": "RoundSealed", "round_id": 7, "deck_id": 9, "first_slot": 3, "cards": 1}
SEALED |= {"auditor": "00" * 8, "ephemeral": "00" * 32, "sealed": "00" * 100}


def written(path: Path, *bodies: dict[str, Any]) -> None:
    """A journal in which a shoe reports these."""
    with Journal.open(path) as journal:
        journal.append_now([IDENTIFIED, *(Entry("shoe_reported", body) for body in bodies)])


def opened(call: Call, path: Path, key: Path) -> tuple[int, str]:
    status, out, err = call("audit", "open", path, "--round", 7, "--key", key)
    assert "Traceback" not in err
    return status, out + err


WRONG = [
    *({**COMMITTED, key: value} for key in ("slot", "commitment") for value in (None, "x", [], {})),
    *({**SEALED, key: value} for key in SEALED if key not in ("event", "round_id") for value in ("x", [], {"a": 1})),
    *({name: value for name, value in SEALED.items() if name != left_out} for left_out in list(SEALED)[2:]),
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda body: json.dumps(body)[:60])
def test_records_that_no_shoe_wrote_are_refused_in_words(call: Call, tmp_path: Path, wrong: dict[str, Any]) -> None:
    """SHOE-9.10: with a chain that fits, for whoever has the key can write what he likes."""
    path, key = tmp_path / "table.db", tmp_path / "auditor"
    make_auditor_key(key)
    written(path, wrong, SEALED)
    status, said = opened(call, path, key)
    assert status in (1, 2), said
    assert str(path) in said or "round 7" in said


def test_a_device_without_a_serial_is_refused_in_words(call: Call, tmp_path: Path) -> None:
    path, key = tmp_path / "table.db", tmp_path / "auditor"
    make_auditor_key(key)
    with Journal.open(path) as journal:
        journal.append_now([Entry("device_identified", {})])
    status, said = opened(call, path, key)
    assert (status, "is not what a shoe tells" in said) == (2, True)


def test_a_chain_that_does_not_fit_is_found_first(call: Call, tmp_path: Path) -> None:
    """P6: an edited commitment is the journal's matter, not the shoe's; nothing is opened, and no log is begun."""
    path, key = tmp_path / "table.db", tmp_path / "auditor"
    make_auditor_key(key)
    written(path, COMMITTED, SEALED)
    with stranger(path) as connection:
        connection.execute("update records set text = replace(text, '\"slot\":3', '\"slot\":4')")
    status, said = opened(call, path, key)
    assert (status, "cannot be trusted" in said) == (4, True)
    assert not (tmp_path / "auditor.openings.log").exists()


def test_a_tail_signed_anew_is_found_by_the_anchor(call: Call, tmp_path: Path) -> None:
    path, key = tmp_path / "table.db", tmp_path / "auditor"
    make_auditor_key(key)
    written(path, COMMITTED, SEALED)
    copy = copy_journal(path, tmp_path / "copy")
    rows = rows_of(copy)
    changed = [row._replace(text=row.text.replace('"slot":3', '"slot":4')) for row in rows]
    done = rewrite_from(changed, 4, load_key(tmp_path / "copy" / "table.db.key"))
    with stranger(copy) as connection:
        for row in done:
            values = (row.text, row.digest, row.signature, row.seq)
            connection.execute("update records set text = ?, digest = ?, signature = ? where seq = ?", values)
    assert opened(call, copy, key)[0] == 4


# --- files that are whole or not there


def test_a_signed_list_is_whole_or_not_there(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P2: a disk that is full in the middle leaves the list that was there."""
    key, to = tmp_path / "key", tmp_path / "files.json"
    assert call("evidence", key, "--make-key")[0] == 0
    assert call("version", "--sign", key, "--to", to)[0] == 0
    before = to.read_bytes()
    assert json.loads(before)["signature"]

    def full(_descriptor: int) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patched:
        patched.setattr(whole_files.os, "fsync", full)
        status, _out, err = call("version", "--sign", key, "--to", to)
    assert (status, "No space left" in err) == (2, True)
    assert to.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["files.json", "key"]


@pytest.mark.parametrize("to", [".", "/", "/proc/none", "/dev/full/x"])
def test_a_place_that_is_none_is_told(call: Call, tmp_path: Path, to: str) -> None:
    """Of every command that writes one whole file."""
    key, path = tmp_path / "key", tmp_path / "table.db"
    assert call("evidence", key, "--make-key")[0] == 0
    with Journal.open(path):
        pass
    for words in (
        ("version", "--sign", key, "--to", to),
        ("journal", "anchor", path, "--to", to),
        ("journal", "export", path, "--to", to),
        ("journal", "archive", path, "--keep-rounds", 4, "--to", to),
        ("report", "shift", "--journal", path, "--csv", to),
        ("evidence", to, "--make-key"),
        ("people", "key", to),
        ("audit", "keygen", to),
    ):
        status, _out, err = call(*words)
        assert (words, status) == (words, 2)
        assert err.startswith("cardshoe: ")
        assert "Errno" not in err
    assert verify(path).ok


def test_half_a_file_is_not_left_beside_a_folder(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(OSError, match="directory"):
        whole_files.write_whole(tmp_path / "there", b"x", mode=0o600)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


# --- words


def test_evidence_of_nothing_is_told_without_a_number_of_the_system(call: Call, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "manifest.json").write_text("[")
    (tmp_path / "piped").mkdir()
    os.mkfifo(tmp_path / "piped" / "manifest.json")
    for folder in (tmp_path / "none", tmp_path, tmp_path / "broken", tmp_path / "piped", Path("/dev/null")):
        status, _out, err = call("evidence", folder)
        assert (status, "is no folder of evidence" in err, "Errno" in err) == (1, True, False), err


@pytest.mark.parametrize("key", ["", "zz", "0" * 63, "0" * 65, "🂡" * 64])
def test_a_public_key_that_is_none_is_wrong_usage(call: Call, tmp_path: Path, key: str) -> None:
    assert call("evidence", tmp_path, "--public-key", key)[0] == 2


@pytest.mark.parametrize(("kind", "words"), [("editable", "an editable installation"), ("source", "a tree of sources")])
def test_how_it_is_installed_is_told_in_words(monkeypatch: pytest.MonkeyPatch, kind: str, words: str) -> None:
    monkeypatch.setattr(version, "install_kind", lambda _folder: kind)
    monkeypatch.setattr(version, "PINNED", Path("/nowhere"))
    assert f"this is {words};" in version.verified(None, None).why


def test_one_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert [counted(number, "round") for number in (0, 1, 2)] == ["0 rounds", "1 round", "2 rounds"]
    fields = dict.fromkeys(DemoResult.__dataclass_fields__, 1) | {"journal": "J", "journal_head": "H"}
    _tell(DemoResult(**fields), as_json=False)  # type: ignore[arg-type]
    said = capsys.readouterr().out
    assert "1 round: " in said
    assert "held 1 time by a question" in said
    assert "1 stack dispensed" in said
