"""`cardshoe journal` as people and scripts call it: JSON, sentences, exit status, also while a table has it open."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from journal_bench import beside, rows_of, stranger, write_journal
from played_rounds import play

from cardshoe.cli import run as run_command
from cardshoe.journal import Entry, Journal
from cardshoe.journal.anchor import read_anchor


@dataclass(frozen=True)
class Said:
    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict]:
        return [json.loads(line) for line in self.out.splitlines()]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    def call(*words: object) -> Said:
        status = run_command(["journal", *map(str, words)])
        out, err = capsys.readouterr()
        return Said(status, out, err)

    return call


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "table.db"
    write_journal(path)
    return path


def _tamper(path: Path) -> None:
    with stranger(path) as connection:
        connection.execute("update records set text = replace(text, '1002', '9002') where seq = 7")


def test_verify_as_the_interface_says(call, path: Path) -> None:
    said = call("verify", path, "--json")
    assert said.status == 0
    (answer,) = said.lines
    assert {key: answer[key] for key in ("ok", "records", "signed")} == {"ok": True, "records": 15, "signed": True}
    assert answer["head"] == rows_of(path)[-1].digest.hex()
    assert call("verify", path).out.startswith(f"The journal {path} can be trusted: 15 records, head {answer['head']}")


def test_verify_of_a_journal_that_cannot_be_trusted(call, path: Path) -> None:
    """P6, exit 4."""
    _tamper(path)
    said = call("verify", path, "--json")
    assert said.status == 4
    (answer,) = said.lines
    assert (answer["ok"], answer["first_bad"]) == (False, 7)
    assert "Record 7" in answer["why"]
    said = call("verify", path)
    assert (said.status, "CANNOT BE TRUSTED from record 7 on" in said.out) == (4, True)


def test_verify_with_what_the_auditor_holds(call, path: Path, tmp_path: Path) -> None:
    anchor = read_anchor(beside(path, ".anchor"))
    assert anchor is not None
    key = anchor.public_key.hex()
    (tmp_path / "key.txt").write_text(key + "\n")
    (tmp_path / "kept").write_bytes(beside(path, ".anchor").read_bytes())
    assert call("verify", path, "--public-key", key).status == 0
    assert call("verify", path, "--public-key", tmp_path / "key.txt", "--anchor", tmp_path / "kept").status == 0
    assert call("verify", path, "--public-key", "00" * 32, "--json").lines[0]["first_bad"] == 1
    assert call("verify", path, "--public-key", "hello").status == 2
    assert call("verify", path, "--anchor", tmp_path / "none").status == 2


WRONG_USAGE = [
    ("verify",),
    ("verify", "none.db"),
    ("show", "none.db"),
    ("export", "none.db"),
    ("replay", "none.db"),
    ("verify", "."),
    ("show", "PATH", "--last", "0"),
    ("show", "PATH", "--round", "-1"),
    ("show", "PATH", "--bogus"),
    ("burn", "PATH"),
    ("export", "PATH", "--to", "none/there.jsonl"),
    ("export", "PATH", "--to", "PATH"),
    ("export", "PATH", "--to", "PATH.anchor"),
]


@pytest.mark.parametrize("words", WRONG_USAGE, ids=" ".join)
def test_wrong_usage_is_named_and_changes_nothing(call, path: Path, words: tuple[str, ...]) -> None:
    """Exit 2, a sentence, no traceback."""
    before = path.read_bytes(), beside(path, ".anchor").read_bytes()
    said = call(*(word.replace("PATH", str(path)) for word in words))
    assert said.status == 2
    assert said.err
    assert "Traceback" not in said.err
    assert (path.read_bytes(), beside(path, ".anchor").read_bytes()) == before


def test_export_has_every_record_with_its_proof(call, path: Path, tmp_path: Path) -> None:
    said = call("export", path)
    assert said.status == 0
    assert [line["seq"] for line in said.lines] == list(range(1, 16))
    assert [line["round"] for line in said.lines][:8] == [None, None, 1, 1, 1, 1, 2, 2]
    assert {"seq", "kind", "round", "boot", "mono_us", "wall", "body", "digest", "signature"} == set(said.lines[0])
    assert said.lines[-1]["digest"] == rows_of(path)[-1].digest.hex()
    to_file = call("export", path, "--to", tmp_path / "out.jsonl", "--json")
    assert to_file.lines == [{"records": 15, "to": str(tmp_path / "out.jsonl")}]
    assert (tmp_path / "out.jsonl").read_text() == said.out
    assert not (tmp_path / "out.jsonl.partial").exists()


def test_export_of_a_tampered_journal_gives_all_that_is_there_and_exit_4(call, path: Path) -> None:
    """FR-09: the evidence can still be taken out."""
    with stranger(path) as connection:
        connection.execute("update records set text = 'gone' where seq = 7")
    said = call("export", path)
    assert said.status == 4
    assert len(said.lines) == 15
    assert (said.lines[6]["kind"], said.lines[6]["unreadable"]) == (None, "gone")
    assert "cannot be trusted from record 7 on" in said.err


def test_what_is_no_journal_at_all_is_exit_4(call, tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    path.write_text("hello")
    for command in ("verify", "show", "export", "replay"):
        said = call(command, path)
        assert said.status == 4
        assert "Traceback" not in said.err
    assert call("verify", path, "--json").lines[0]["ok"] is False
    assert path.read_text() == "hello"


def test_show_tells_a_round_as_a_story(call, tmp_path: Path) -> None:
    """A disputed hand: who did what, when, and what was paid."""
    path = tmp_path / "table.db"
    with Journal.open(path) as journal:
        for number in (1, 2):
            journal.append_now(list(play(number, "ultimate-texas-holdem", number)))
    said = call("show", path, "--round", 2)
    assert said.status == 0
    assert said.out.startswith("Round 2 · ")
    assert "Round 1" not in said.out
    assert "stack requested: " in said.out
    assert "to dealer" in said.out
    assert "no more bets called" in said.out
    assert "ante $10.00, blind $10.00, trips $5.00" in said.out
    assert "cites NY-5324.36(e)" in said.out
    assert '{"' not in said.out


def test_show_tells_any_record_and_lets_no_name_steer_the_terminal(call, tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    body = {
        "player": "\x1b[2JEve",
        "empty": {},
        "none": None,
        "deep": [{"a_b": True}, [1, False]],
        "paid_cents": -5,
        "n": [1, 2],
        "m": ["check", "play 1x"],
    }
    with Journal.open(path) as journal:
        journal.append_now(
            [Entry("player_seated", body, 1), Entry("settled", {"positions": {"1": 7, "2": {"result": 1}}}, 1)]
        )
    out = call("show", path, "--round", 1).out
    assert "\x1b" not in out
    assert '"\\u001b[2JEve"' in out
    assert "none none" in out
    assert "deep 1 a b yes, deep 2 1 no" in out
    assert "paid -$0.05" in out
    assert "n 1 2" in out
    assert "m check / play 1x" in out
    assert "position 1: 7" in out


def test_show_filters_by_round_kind_and_number(call, path: Path) -> None:
    assert [line["seq"] for line in call("show", path, "--round", 2, "--json").lines] == [7, 8, 9, 10]
    assert [line["seq"] for line in call("show", path, "--kind", "head_signed", "--json").lines] == [6, 10, 14]
    assert [line["seq"] for line in call("show", path, "--last", 2, "--json").lines] == [14, 15]
    assert [line["seq"] for line in call("show", path, "--kind", "head_signed", "--last", 1, "--json").lines] == [14]
    assert call("show", path, "--kind", "x").out == "No record fits.\n"
    for refused in (call("show", path, "--round", 99), call("show", path, "--round", 99, "--json")):
        assert (refused.status, refused.out) == (1, "")
        assert "no round 99" in refused.err
    assert set(call("show", path, "--last", 1, "--json").lines[0]) == {
        "seq",
        "kind",
        "round",
        "boot",
        "mono_us",
        "wall",
        "body",
    }


def test_show_of_a_journal_that_cannot_be_trusted_says_so(call, path: Path) -> None:
    _tamper(path)
    said = call("show", path, "--round", 1)
    assert (said.status, "cannot be trusted from record 7 on" in said.err) == (4, True)
    assert "stack requested" in said.out


def test_replay_recomputes_and_names_the_first_difference(call, tmp_path: Path) -> None:
    """P6, S11: a journal that is sound in itself but records another payout than the rules give."""
    path = tmp_path / "table.db"
    first, second = list(play(1, "ultimate-texas-holdem", 1)), list(play(2, "ultimate-texas-holdem", 2))
    with Journal.open(path) as journal:
        journal.append_now(first)
    said = call("replay", path, "--json")
    assert said.status == 0
    (answer,) = said.lines
    assert {key: answer[key] for key in ("ok", "rounds", "settled")} == {"ok": True, "rounds": 1, "settled": 1}
    assert "same to the byte" in call("replay", path).out
    wrong = Entry("settled", {**second[-1].body, "voided": True}, 2)
    with Journal.open(path) as journal:
        at = journal.append_now([*second[:-1], wrong]).last_seq
    said = call("replay", path, "--json")
    assert said.status == 4
    (answer,) = said.lines
    assert (answer["ok"], answer["first_bad"]) == (False, at)
    assert "voided is recorded as True, recomputed as False" in answer["why"]
    assert "DIFFERS" in call("replay", path).out


def test_replay_of_a_tampered_journal_does_not_replay(call, path: Path) -> None:
    _tamper(path)
    said = call("replay", path, "--json")
    assert (said.status, said.lines[0]["ok"], said.lines[0]["first_bad"]) == (4, False, 7)


def test_every_command_works_while_a_table_holds_the_journal_open(call, path: Path) -> None:
    with Journal.open(path) as journal:
        journal.append_now([Entry("wager_placed", {}, 4)])
        for command in (("verify", path), ("show", path, "--last", 3), ("export", path), ("replay", path)):
            assert call(*command).status == 0
        assert call("verify", path, "--json").lines[0]["records"] == 17


HAMMER = """
import sys
from cardshoe.journal import Entry, Journal
with Journal.open(sys.argv[1]) as journal:
    print("open", flush=True)
    number = 0
    while not sys.stdin.closed and number < 3000:
        number += 1
        journal.append_now([Entry("wager_placed", {"note": "x" * 300}, number)])
        if number % 50 == 0:
            journal.sign_head("round ended", round_number=number).result()
"""


def test_verify_never_raises_a_false_alarm_beside_a_busy_writer(call, path: Path) -> None:
    """P6: another process appends, anchors and checkpoints as fast as it can; every verdict is sound."""
    verdicts = []
    with subprocess.Popen(
        [sys.executable, "-c", HAMMER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        while writer.poll() is None and len(verdicts) < 25:
            said = call("verify", path, "--json")
            verdicts.append((said.status, said.lines[0]["records"]))
        writer.kill()
    assert {status for status, _ in verdicts} == {0}
    counts = [records for _, records in verdicts]
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]
    assert call("verify", path).status == 0


REOPEN = """
import sys
from cardshoe.journal import Entry, Journal
for number in range(int(sys.argv[2])):
    with Journal.open(sys.argv[1]) as journal:
        journal.append_now([Entry("wager_placed", {"note": "x" * 500}, number)] * (number % 7 + 1))
"""


@pytest.mark.nightly
def test_verify_never_raises_a_false_alarm_while_a_table_comes_and_goes(call, path: Path) -> None:
    """P6: the files beside the database appear and vanish under the reader's hands."""
    verdicts = []
    with subprocess.Popen([sys.executable, "-c", REOPEN, str(path), "100"]) as writer:
        while writer.poll() is None:
            said = call("verify", path, "--json")
            verdicts.append((said.status, said.out))
    assert [out for status, out in verdicts if status] == []
    assert len(verdicts) > 20
