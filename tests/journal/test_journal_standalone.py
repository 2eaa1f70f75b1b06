"""The stand-alone verifier agrees with `verify` on good and on tampered journals, and trusts nothing of ours (P6)."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from journal_bench import beside, copy_journal, write_journal
from played_rounds import play
from test_journal_damage import DAMAGES, killed
from test_journal_tampering import NEEDS_THE_ANCHOR, TAMPERINGS

from cardshoe.cli import run as run_command
from cardshoe.journal import Journal, schema, standalone_verifier, verify
from cardshoe.journal.keyfile import public_bytes

__all__ = ["killed"]  # a fixture
SOURCE = Path(standalone_verifier.__file__)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "table.db"
    write_journal(path)
    return path


@pytest.fixture
def alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, dict]]:
    """The file as `cardshoe journal verifier` prints it, run by an isolated interpreter without site-packages."""
    assert run_command(["journal", "verifier"]) == 0
    script = tmp_path / "verify.py"
    script.write_text(capsys.readouterr().out)
    assert script.read_bytes() == SOURCE.read_bytes()

    def run(*words: object) -> tuple[int, dict]:
        command = [sys.executable, "-I", "-S", str(script), *map(str, words), "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, json.loads(done.stdout) if done.stdout else {}

    return run


def test_it_imports_the_standard_library_alone() -> None:
    names = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(SOURCE.read_text()))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names <= sys.stdlib_module_names


def test_it_knows_the_schema_that_is_shipped() -> None:
    """Also of every later version: a changed table without a changed verifier would call good journals bad."""
    shipped = {standalone_verifier.hashlib.sha256(each.encode()).hexdigest() for each in schema._STATEMENTS}
    assert shipped == standalone_verifier.SCHEMA_SHA256


def test_a_whole_journal_and_its_export(alone, whole: Path, tmp_path: Path) -> None:
    """P6: as the file, as the JSON Lines export, with the auditor's key and head or without."""
    export = tmp_path / "export.jsonl"
    assert run_command(["journal", "export", str(whole), "--to", str(export)]) == 0
    ours = verify(whole)
    key, anchor = ours.public_key, beside(whole, ".anchor")
    for words in ((whole,), (export,), (whole, "--public-key", key), (export, "--public-key", key, "--anchor", anchor)):
        status, found = alone(*words)
        assert (status, found["ok"], found["records"], found["head"]) == (0, True, ours.records, ours.head)
        assert found["signed_to"] == ours.signed_to
    assert alone(whole, "--public-key", "00" * 32)[0] == 4
    assert alone(whole, "--public-key", "rubbish")[0] == 2
    assert alone(tmp_path / "none")[0] == 2
    export.write_text("".join(export.read_text().splitlines(keepends=True)[:-1]))
    assert alone(export)[0] == 0  # a cut at a head shows only with a head that was kept
    assert alone(export, "--anchor", anchor)[1] == {"ok": False, "first_bad": 15, "why": "It was cut short: a signed "
                                                    "head knows 15 records."}  # fmt: skip


@pytest.mark.parametrize("game", ["ultimate-texas-holdem", "three-card-poker"])
def test_played_rounds(tmp_path: Path, game: str) -> None:
    """P6: real events and accounts, names that are not ASCII."""
    path = tmp_path / "table.db"
    with Journal.open(path) as journal:
        for number in (1, 2):
            journal.append_now([*play(number, game, number)])
        journal.append_now([*play(3, game, 3)][:2])
    found = standalone_verifier.verdict(path)
    assert found == {
        "ok": True,
        "records": verify(path).records,
        "head": verify(path).head,
        "signed_to": verify(path).signed_to,
        "public_key": verify(path).public_key,
    }


@pytest.mark.parametrize("name", TAMPERINGS)
def test_it_agrees_on_what_was_tampered_with(whole: Path, tmp_path: Path, name: str) -> None:
    """P6: the same first bad record as `verify`, with the anchor beside the file and, where that suffices, without."""
    tamper = TAMPERINGS[name][0]
    path = copy_journal(whole, tmp_path / "copy")
    tamper(path)
    assert standalone_verifier.verdict(path)["ok"] is False
    assert standalone_verifier.verdict(path).get("first_bad") == verify(path).first_bad
    if name not in NEEDS_THE_ANCHOR:
        bare = copy_journal(path, tmp_path / "bare", ends=("",))
        assert standalone_verifier.verdict(bare).get("first_bad") == verify(bare).first_bad
        export = tmp_path / "export.jsonl"
        assert run_command(["journal", "export", str(bare), "--to", str(export)]) == 4
        # A count of records that were cut off stands in the database, not in an export of what is left.
        assert standalone_verifier.verdict(export)["ok"] is (name == "cut off the tail")


@pytest.mark.parametrize("name", DAMAGES)
def test_it_agrees_on_what_was_damaged(killed: Path, tmp_path: Path, name: str) -> None:
    """FR-09: whole or not, as `verify` says; never a traceback."""
    path = copy_journal(killed, tmp_path / "copy")
    beside(path, "-shm").unlink(missing_ok=True)
    DAMAGES[name](path)
    ours = verify(path) if path.exists() else None
    if ours is not None:
        assert standalone_verifier.verdict(path)["ok"] is ours.ok


# --- Ed25519 of its own: RFC 8032, section 7.1, and the library as an oracle

RFC_8032 = [
    ("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"),
    ("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"),
    ("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"),
]  # fmt: skip


@pytest.mark.parametrize(("key", "message", "signature"), RFC_8032)
def test_the_published_signatures(key: str, message: str, signature: str) -> None:
    """RFC 8032 7.1, tests 1 to 3; no other message, no other half of the signature."""
    words = bytes.fromhex(key), bytes.fromhex(message), bytes.fromhex(signature)
    assert standalone_verifier.ed25519_verifies(*words)
    assert not standalone_verifier.ed25519_verifies(words[0], words[1] + b"x", words[2])
    larger = int.from_bytes(words[2][32:], "little") + standalone_verifier.ORDER
    assert not standalone_verifier.ed25519_verifies(words[0], words[1], words[2][:32] + larger.to_bytes(32, "little"))


@settings(max_examples=15)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 511))
def test_it_takes_what_the_library_signs_and_no_flipped_bit(secret: bytes, message: bytes, flip: int) -> None:
    """RFC 8032 5.1.7: the library is the oracle."""
    key = Ed25519PrivateKey.from_private_bytes(secret)
    public, signature = public_bytes(key), key.sign(message)
    assert standalone_verifier.ed25519_verifies(public, message, signature)
    bad = bytearray(signature)
    bad[flip // 8] ^= 1 << flip % 8
    assert not standalone_verifier.ed25519_verifies(public, message, bytes(bad))


_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=12,
)


@given(_PLAIN)
def test_its_canonical_form_is_the_journals(value: object) -> None:
    """P6: written by hand, it gives the text that the library's encoder gives."""
    assert standalone_verifier.canonical(value) == json.dumps(value, sort_keys=True, separators=(",", ":"))
