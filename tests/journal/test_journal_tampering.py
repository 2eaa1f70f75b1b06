"""What somebody does to a journal is found, and at the right record (promise P6).

Each case changes a real file of 15 records: 1 created, 2 opened, four for each of three rounds (heads at 6, 10, 14),
15 closed. The stranger knows the format and puts the triggers back; only the key is not his.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import independent_verifier
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from journal_bench import beside, copy_journal, replace_rows, rewrite_from, rows_of, stranger, write_journal

from cardshoe.errors import ConfigError, JournalError
from cardshoe.journal import Entry, Head, Journal, verify
from cardshoe.journal.anchor import anchor_line, create_anchor, parse_anchor_line, read_anchor
from cardshoe.journal.canonical import parse_record
from cardshoe.journal.chain import Row
from cardshoe.journal.keyfile import load_key, public_bytes

Tamper = Callable[[Path], None]
RECORDS = 15


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of three rounds, closed."""
    path = tmp_path_factory.mktemp("whole") / "table.db"
    write_journal(path)
    assert len(rows_of(path)) == RECORDS
    return path


def _sql(statement: str) -> Tamper:
    def tamper(path: Path) -> None:
        with stranger(path) as connection:
            connection.execute(statement)

    return tamper


def _move(*statements: str) -> Tamper:
    def tamper(path: Path) -> None:
        with stranger(path) as connection:
            for statement in statements:
                connection.execute(statement)

    return tamper


def _insert_between(path: Path) -> None:
    rows = rows_of(path)
    replace_rows(path, [*rows[:4], Row(5, rows[4].text, rows[4].digest, b""), *(_moved(row) for row in rows[4:])])


def _moved(row: Row) -> Row:
    return Row(row.seq + 1, row.text, row.digest, row.signature)


def _edited(rows: list[Row], seq: int) -> list[Row]:
    old = rows[seq - 1]
    text = old.text.replace('"position":"1"', '"position":"6"')
    assert text != old.text
    return [*rows[: seq - 1], Row(seq, text, old.digest, old.signature), *rows[seq:]]


def _edit_and_link(path: Path) -> None:
    replace_rows(path, rewrite_from(_edited(rows_of(path), 7), 7, None))


def _edit_link_and_sign(path: Path) -> None:
    replace_rows(path, rewrite_from(_edited(rows_of(path), 7), 7, Ed25519PrivateKey.generate()))


def _strip_heads(path: Path) -> None:
    bare = [Row(row.seq, row.text, row.digest, b"" if row.seq > 6 else row.signature) for row in rows_of(path)]
    replace_rows(path, rewrite_from(bare, 7, None))


def _cut(keep: int) -> Tamper:
    return lambda path: replace_rows(path, rows_of(path)[:keep])


def _delete_tail(path: Path) -> None:
    with stranger(path) as connection:
        connection.execute("delete from records where seq > 10")


def _other_journal(path: Path) -> None:
    """Make every record anew with another key, from the first on."""
    key = Ed25519PrivateKey.generate()
    rows = rows_of(path)
    own = str(parse_record(rows[0].text).body["public_key"])
    first = Row(1, rows[0].text.replace(own, public_bytes(key).hex()), b"", rows[0].signature)
    replace_rows(path, rewrite_from([first, *rows[1:]], 1, key))


# What is done, the first record that must be named, and what the reason says.
TAMPERINGS: dict[str, tuple[Tamper, int, str]] = {
    "edit a text": (_sql("update records set text = replace(text, '1002', '9002') where seq = 7"), 7, "changed"),
    "edit the last text": (_sql("update records set text = replace(text, ':15', ':16') where seq = 15"), 15, "swapped"),
    "edit the first text": (_sql("update records set text = replace(text, 'ma\":1', 'ma\":0') where seq = 1"), 1, ""),
    "a text of no characters": (_sql("update records set text = cast(x'ff00' as text) where seq = 5"), 5, "changed"),
    "edit a digest": (_sql("update records set digest = zeroblob(32) where seq = 8"), 8, "chain"),
    "edit the last signature": (_sql("update records set signature = zeroblob(64) where seq = 15"), 15, "not signed"),
    "drop a head's signature": (_sql("update records set signature = x'' where seq = 10"), 7, "not signed"),
    "a signature where none was": (_sql("update records set signature = zeroblob(64) where seq = 8"), 7, "not signed"),
    "remove one": (_sql("delete from records where seq = 5"), 5, "missing"),
    "remove the first": (_sql("delete from records where seq = 1"), 1, "missing"),
    "remove one and close the gap": (
        _move("delete from records where seq = 5", "update records set seq = seq - 1 where seq > 5"), 5, "swapped"),
    "insert a copy": (_insert_between, 6, "swapped"),
    "swap two": (
        _move("update records set seq = 99 where seq = 8", "update records set seq = 8 where seq = 7",
              "update records set seq = 7 where seq = 99"), 7, "swapped"),
    "swap the texts of two": (
        _move("create temp table t as select seq, text from records where seq in (3, 7)",
              "update records set text = (select text from t where seq = 10 - records.seq) where seq in (3, 7)"), 3,
        "swapped"),
    "edit and link anew": (_edit_and_link, 7, "not signed"),
    "edit, link and sign anew": (_edit_link_and_sign, 7, "not signed"),
    "take the heads off and link anew": (_strip_heads, 7, "not signed"),
    "cut off the tail": (_delete_tail, 11, "cut short"),
    "cut off the tail and its count": (_cut(10), 11, "cut short"),
    "cut off the last": (_cut(14), 15, "cut short"),
    "cut off all": (_cut(0), 1, "no record"),
    "make it anew with another key": (_other_journal, 1, "another key"),
}  # fmt: skip


@pytest.mark.parametrize(("tamper", "first_bad", "why"), TAMPERINGS.values(), ids=TAMPERINGS)
def test_tampering_is_found_and_nothing_is_dealt_on_it(whole: Path, tmp_path: Path, tamper, first_bad, why) -> None:
    """P6, FR-09: the verdict names the first bad record; opening for writing is refused and changes no byte."""
    path = copy_journal(whole, tmp_path / "copy")
    tamper(path)
    verdict = verify(path)
    assert (verdict.ok, verdict.first_bad) == (False, first_bad)
    assert why in (verdict.why or "")
    before = path.read_bytes()
    with pytest.raises(JournalError) as refused:
        Journal.open(path)
    assert refused.value.code == "journal-untrusted"
    assert path.read_bytes() == before


NEEDS_THE_ANCHOR = {"cut off the tail and its count", "cut off the last", "make it anew with another key"}


@pytest.mark.parametrize("name", [name for name in TAMPERINGS if name not in NEEDS_THE_ANCHOR])
def test_most_tampering_is_found_in_the_bare_file_too(whole: Path, tmp_path: Path, name: str) -> None:
    """P6: without the anchor beside it the database alone shows all but a cut at a head and a journal made anew."""
    path = copy_journal(whole, tmp_path / "copy", ends=("",))
    tamper, first_bad, _ = TAMPERINGS[name]
    tamper(path)
    assert verify(path).first_bad == first_bad


def test_the_auditor_finds_a_cut_and_another_key_without_the_anchor_beside_it(whole: Path, tmp_path: Path) -> None:
    """P6: a public key and an anchor line kept elsewhere bind whoever owns the computer."""
    key = public_bytes(load_key(beside(whole, ".key")))
    kept = read_anchor(beside(whole, ".anchor"))
    assert kept is not None
    path = copy_journal(whole, tmp_path / "copy", ends=("",))
    _cut(14)(path)
    assert verify(path, trusted_key=key).ok
    assert verify(path, trusted_key=key, auditor_anchor=kept.head).first_bad == 15
    other = copy_journal(whole, tmp_path / "other", ends=("",))
    _other_journal(other)
    assert verify(other).ok
    verdict = verify(other, trusted_key=key)
    assert (verdict.ok, verdict.first_bad) == (False, 1)
    assert "another key" in (verdict.why or "")


def test_an_untouched_copy_is_trusted_and_the_second_verifier_agrees(whole: Path, tmp_path: Path) -> None:
    path = copy_journal(whole, tmp_path / "copy", ends=("",))
    verdict = verify(path)
    assert (verdict.ok, verdict.records, verdict.signed, verdict.signed_to) == (True, RECORDS, True, RECORDS)
    assert verdict.head == rows_of(path)[-1].digest.hex()
    assert independent_verifier.what_is_wrong(independent_verifier.read_rows(path)) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.integers(1, RECORDS), st.sampled_from(["text", "digest", "signature"]), st.integers(0, 400), st.integers(0, 7)
)
def test_no_flipped_bit_is_passed_over(whole: Path, tmp_path: Path, seq: int, column: str, at: int, bit: int) -> None:
    """P6: one bit anywhere in any column; the second verifier must see it too, or the harness proves nothing."""
    path = copy_journal(whole, tmp_path / "copy", ends=("", ".anchor"))
    rows = rows_of(path)
    value = getattr(rows[seq - 1], column)
    raw = bytearray(value.encode() if isinstance(value, str) else value)
    if not raw:
        return
    raw[at % len(raw)] ^= 1 << bit
    with stranger(path) as connection:
        connection.execute("pragma ignore_check_constraints = on")
        kind = "text" if column == "text" else "blob"
        connection.execute(f"update records set {column} = cast(? as {kind}) where seq = ?", (bytes(raw), seq))
    verdict = verify(path)
    assert not verdict.ok
    assert verdict.first_bad is not None
    assert verdict.first_bad <= seq
    try:
        second = independent_verifier.what_is_wrong(independent_verifier.read_rows(path))
    except (ValueError, KeyError, TypeError, sqlite3.Error) as error:
        second = str(error)
    assert second is not None


def test_a_schema_that_was_changed_is_found_even_if_no_record_was(whole: Path, tmp_path: Path) -> None:
    """P6: without its triggers the journal is not append-only; a stranger's trigger may swallow records."""
    path = copy_journal(whole, tmp_path / "copy")
    for statement, names in (
        ("drop trigger records_never_deleted", "records_never_deleted"),
        ("create trigger quiet before insert on records begin select raise(ignore); end", "quiet"),
    ):
        path = copy_journal(whole, tmp_path / "copy")
        connection = sqlite3.connect(path)
        connection.execute(statement)
        connection.close()
        verdict = verify(path)
        assert (verdict.ok, verdict.first_bad) == (False, None)
        assert names in (verdict.why or "")
        with pytest.raises(JournalError):
            Journal.open(path)


# --- the anchor itself


def test_an_anchor_line_survives_its_way_and_no_flipped_bit_does(whole: Path) -> None:
    anchor = read_anchor(beside(whole, ".anchor"))
    assert anchor is not None
    line = anchor_line(anchor)
    assert len(line) == 512
    assert parse_anchor_line(line) == anchor
    payload = len(line.rstrip())
    for at in range(payload):
        for bit in range(8):
            broken = bytearray(line)
            broken[at] ^= 1 << bit
            assert parse_anchor_line(bytes(broken)) in (None, anchor)  # a space for a space in JSON says the same


@pytest.mark.parametrize("line", [0, 1])
def test_a_half_written_anchor_line_leaves_the_other(whole: Path, tmp_path: Path, line: int) -> None:
    """P2: the power fails while a line is written."""
    path = copy_journal(whole, tmp_path / "copy")
    content = bytearray(beside(path, ".anchor").read_bytes())
    content[512 * line + 100 : 512 * line + 512] = bytes(412)
    beside(path, ".anchor").write_bytes(content)
    verdict = verify(path)
    assert verdict.ok
    with Journal.open(path) as journal:
        assert journal.opening.records == RECORDS


ANCHOR_DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "zeroed": (lambda anchor: anchor.write_bytes(bytes(1024)), "journal-anchor"),
    "empty": (lambda anchor: anchor.write_bytes(b""), "journal-anchor"),
    "of another key": (lambda anchor: create_anchor(anchor, Ed25519PrivateKey.generate()), "journal-anchor"),
}


@pytest.mark.parametrize(("damage", "code"), ANCHOR_DAMAGE.values(), ids=ANCHOR_DAMAGE)
def test_a_damaged_anchor_is_not_passed_over(whole: Path, tmp_path: Path, damage, code: str) -> None:
    path = copy_journal(whole, tmp_path / "copy")
    damage(beside(path, ".anchor"))
    assert "anchor" in (verify(path).why or "")
    with pytest.raises(JournalError) as refused:
        Journal.open(path)
    assert refused.value.code == code


def test_an_anchor_with_a_forged_head_is_not_believed(whole: Path, tmp_path: Path) -> None:
    path = copy_journal(whole, tmp_path / "copy")
    anchor = read_anchor(beside(path, ".anchor"))
    assert anchor is not None
    forged = type(anchor)(Head(10, anchor.head.digest, anchor.head.signature), anchor.public_key)
    beside(path, ".anchor").write_bytes(anchor_line(forged) * 2)
    assert "without a valid signature" in (verify(path).why or "")


def test_a_missing_anchor_is_told_and_recorded(whole: Path, tmp_path: Path) -> None:
    """P5: the table can hold; the journal says for ever that the anchor was not there."""
    path = copy_journal(whole, tmp_path / "copy", ends=("", ".key"))
    with Journal.open(path) as journal:
        assert journal.opening.anchor_missing
        with journal.reader() as reader:
            opened = next(reader.records(newest_first=True))
        assert (opened.kind, opened.body["anchor"]) == ("journal_opened", "missing")
    assert verify(path).ok


def test_an_older_copy_put_back_is_found(tmp_path: Path) -> None:
    """P6: the anchor stays when the database is rolled back."""
    path = tmp_path / "table.db"
    write_journal(path)
    older = copy_journal(path, tmp_path / "older", ends=("",))
    with Journal.open(path) as journal:
        journal.append_now([Entry("wager_placed", {}, 4)])
    path.write_bytes(older.read_bytes())
    verdict = verify(path)
    assert (verdict.ok, verdict.first_bad) == (False, RECORDS + 1)


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        verify(tmp_path / "none.db")
    assert refused.value.code == "journal-missing"
