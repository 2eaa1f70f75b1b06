"""One-way telemetry (WAC 230-16-152; promise P4): only the allow-list leaves, and all that left is kept as sent."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.cards import DECK
from cardshoe.console.metrics import Metrics
from cardshoe.console.ports import DeviceHealth
from cardshoe.errors import CardshoeError, ConfigError, InputError, JournalError
from cardshoe.journal import Record
from cardshoe.table.state import Tally
from cardshoe.table.telemetry import ALLOWED, FIRST_BEFORE, Message, Meter, Meters, Report, When, fitting
from cardshoe.table.telemetry_account import SHIFT_END, Counted, accounts, message
from cardshoe.table.telemetry_archive import Archive, read_archive

GOOD: dict[Meter, int | str] = {
    Meter.ROUNDS_COMPLETED: 7,
    Meter.STACKS_REQUESTED: 30,
    Meter.TABLE: "running",
    Meter.SOFTWARE: "0.1.0",
    Meter.SHOE_SERIAL: "SIM-S-C853FCDB",
    Meter.SHOE_FIRMWARE: "1.0.0-sim",
    Meter.CONFIGURATION: "ab" * 32,
}


def test_the_allow_list_has_a_row_for_each_meter() -> None:
    assert list(ALLOWED) == list(Meter)
    assert Report(GOOD).plain() == {meter.value: GOOD[meter] for meter in Meter if meter in GOOD}


@pytest.mark.parametrize("meter", Meter)
def test_no_card_is_the_value_of_any_meter(meter: Meter) -> None:
    """WAC 230-16-152: no card-specific information. No face, alone or in a row, has the form of any value."""
    deck = [card.text for card in DECK]
    assert len(deck) == 52
    for text in [*deck, *(deck[0] + other for other in deck[1:]), " ".join(deck)]:
        if meter.value.endswith(("serial", "model")) and re.fullmatch(r"[A-Za-z0-9]{4}", text):
            continue  # a device's own name of four letters: it is read at its opening, before any card
        with pytest.raises(InputError, match="form"):
            Report({meter: text})


@pytest.mark.parametrize("value", [-1, 1 << 53, True, 1.5, None, "7", b"7", [7]])
def test_a_count_is_a_count(value: Any) -> None:
    with pytest.raises(InputError):
        Report({Meter.ALARMS: value})


@pytest.mark.parametrize("name", ["alarms", "dealer_faces", None, 3])
def test_what_is_no_row_cannot_be_told(name: Any) -> None:
    """Not even under the name of a row: only the row itself."""
    with pytest.raises(InputError) as refused:
        Report({name: 5})
    assert refused.value.code == "telemetry-value"


@given(
    st.dictionaries(st.sampled_from(list(Meter)), st.one_of(st.integers(), st.text(max_size=20), st.binary(max_size=4)))
)
def test_a_report_holds_what_fits_and_says_what_it_left_out(values: dict[Meter, Any]) -> None:
    """The law: the fitting and the left out make up all, and no refused value is in an error's text."""
    report, left_out = fitting(values)
    assert set(report.values) | set(left_out) == set(values)
    assert not set(report.values) & set(left_out)
    for meter in left_out:
        with pytest.raises(InputError) as refused:
            Report({meter: values[meter]})
        assert refused.value.text == f"The value of {meter.value} has not the form that may leave; it is left out."


def test_a_report_cannot_be_added_to() -> None:
    report = Report(GOOD)
    with pytest.raises(TypeError):
        report.values[Meter.ALARMS] = 1  # type: ignore[index]
    with pytest.raises(AttributeError):
        report.faces = ("As",)  # type: ignore[attr-defined]


def test_counts_stand_still_while_a_round_is_open() -> None:
    """Nothing of a live round: a count that rounds move is told as of the last completed one."""
    meters = Meters()
    first = {Meter.STACKS_REQUESTED: 3, Meter.TABLE: "running"}
    assert meters.look(first, round_open=True).plain() == {"table": "running"}
    assert meters.look(first, round_open=False).plain() == {"stacks_requested": 3, "table": "running"}
    more = {Meter.STACKS_REQUESTED: 5, Meter.TABLE: "stopped"}
    assert meters.look(more, round_open=True).plain() == {"stacks_requested": 3, "table": "stopped"}
    assert meters.look(more, round_open=False).plain() == {"stacks_requested": 5, "table": "stopped"}


def test_what_may_be_told_at_any_time_counts_nothing_of_a_round() -> None:
    at_any_time = {meter for meter, row in ALLOWED.items() if row.when is When.ANY_TIME}
    moved = {"rounds", "questions", "alarms", "stacks", "cards", "shuffles"}
    assert not [meter for meter in at_any_time if meter.value.partition("_")[0] in moved]


# --- out of a journal


def _record(seq: int, kind: str, body: dict[str, object], round_: int | None = None) -> tuple[Record, str]:
    return Record(seq, kind, round_, 1, seq, "2026-01-01T00:00:00.000Z", body), f"{seq:064x}"


def _noted(seq: int, completed: int, requested: int) -> tuple[Record, str]:
    tally = {"completed": completed, "voided": 0, "held": 0, "alarms": 0, "stacks_requested": requested}
    shift = {"reads": completed * 9, "unreadable": 0, "losses": 0}
    faces = {"dealer": ["5s", "Kc"]}
    return _record(seq, "table_noted", {"tally": tally, "upkeep": {"shift": shift}, "reader_faces": faces})


def _journal(rounds: int, *, ends: bool) -> Iterator[tuple[Record, str]]:
    yield _record(1, "table_opened", {"software": "0.1.0", "mode": "bench", "config": "ab" * 32, "name": "As Kd"})
    for number in range(rounds):
        yield _record(10 * number + 2, "stack-requested", {"to": "1", "cards": 2}, number)
        yield _record(10 * number + 3, "card-turned", {"face": "As"}, number)
        yield _record(10 * number + 4, "shoe_reported", {"event": "DeckVerified"}, number)
        yield _noted(10 * number + 5, number + 1, 4 * (number + 1))
    yield _record(10 * rounds + 2, "stack-requested", {"to": "1", "cards": 2}, rounds)
    if ends:
        yield _record(10 * rounds + 9, "head_signed", {"reason": SHIFT_END})


def test_a_message_is_due_each_so_many_rounds_and_at_the_end_of_a_shift() -> None:
    told = list(accounts(_journal(5, ends=True), Counted(), rounds=2))
    assert [(counted.rounds, why) for counted, why in told] == [(2, "rounds"), (4, "rounds"), (5, SHIFT_END)]
    assert [counted.values[Meter.SHUFFLES_DONE] for counted, _why in told if counted.values] == [2, 4, 5]


def test_an_open_round_tells_nothing() -> None:
    """The stack that was asked for after the last completed round is in no message."""
    told = list(accounts(_journal(2, ends=True), Counted(), rounds=100))
    assert [(counted.values or {})[Meter.STACKS_REQUESTED] for counted, _why in told] == [8]
    assert list(accounts(_journal(0, ends=True), Counted(), rounds=1)) == []


def test_no_name_and_no_face_of_the_journal_is_in_a_message() -> None:
    for counted, why in accounts(_journal(3, ends=True), Counted(), rounds=1):
        sent = message(counted, why, sequence=1, before=FIRST_BEFORE)[0].sent().decode()
        assert not re.search(r'"(As|5s|Kc|As Kd)"', sent)


@given(st.integers(0, 20), st.integers(1, 5))
def test_told_in_parts_is_told_as_a_whole(split: int, rounds: int) -> None:
    """Whoever asks more often gets the same messages: no record is counted twice or passed over."""
    whole = list(accounts(_journal(6, ends=False), Counted(), rounds=rounds))
    everything = list(_journal(6, ends=False))
    first = list(accounts(everything[:split], Counted(), rounds=rounds))
    at = first[-1][0] if first else Counted()
    rest = [(record, digest) for record, digest in everything if record.seq > at.record]
    assert first + list(accounts(rest, at, rounds=rounds)) == whole


# --- the archive


def _next(archive: Archive, rounds: int) -> bytes:
    report = Report({Meter.ROUNDS_COMPLETED: rounds})
    return archive.keep(Message(archive.next_sequence, archive.before, rounds, f"{rounds:064x}", "rounds", report))


def _filled(folder: Path, messages: int = 3) -> list[bytes]:
    with Archive(folder, make=True) as archive:
        return [_next(archive, number + 1) for number in range(messages)]


def test_what_is_kept_is_what_was_sent(tmp_path: Path) -> None:
    sent = _filled(tmp_path / "sent")
    kept = list(read_archive(tmp_path / "sent"))
    assert [one.sent for one in kept] == sent
    assert [one.message.before for one in kept] == [
        FIRST_BEFORE,
        *(hashlib.sha256(each).hexdigest() for each in sent[:2]),
    ]
    with Archive(tmp_path / "sent") as archive:
        assert archive.next_sequence == 4
        _next(archive, 9)
    assert len(list(read_archive(tmp_path / "sent"))) == 4


def test_the_archive_is_its_owners_alone_and_never_written_again(tmp_path: Path) -> None:
    _filled(tmp_path / "sent", 1)
    assert (tmp_path / "sent").stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in (tmp_path / "sent").iterdir()] == [0o400]
    (tmp_path / "sent").chmod(0o755)
    with pytest.raises(ConfigError, match="0755"):
        Archive(tmp_path / "sent")


@pytest.mark.parametrize("harm", ["edit", "remove", "swap", "insert", "truncate", "field", "last gone and new"])
def test_any_harm_to_the_archive_is_found(tmp_path: Path, harm: str) -> None:
    folder = tmp_path / "sent"
    _filled(folder)
    first, second, third = (folder / f"0000000{n}.json" for n in (1, 2, 3))
    match harm:
        case "edit":
            _write(second, second.read_bytes().replace(b'"rounds_completed":2', b'"rounds_completed":3'))
        case "remove":
            second.unlink()
        case "swap":
            first.rename(folder / "x")
            second.rename(first)
            (folder / "x").rename(second)
        case "insert":
            _write(folder / "00000002a.json", second.read_bytes())
        case "truncate":
            _write(third, third.read_bytes()[:-2])
        case "field":
            _write(third, third.read_bytes().replace(b'"meters":{', b'"faces":["As"],"meters":{'))
        case _:
            third.unlink()
            _write(third, b'{"sequence":3}\n')
    with pytest.raises(JournalError) as found:
        list(read_archive(folder))
    assert found.value.code == "telemetry-altered"
    with pytest.raises(JournalError):
        Archive(folder)


def _write(path: Path, content: bytes) -> None:
    path.unlink(missing_ok=True)
    path.write_bytes(content)


def test_one_writer_and_no_gap(tmp_path: Path) -> None:
    with Archive(tmp_path / "sent", make=True) as archive:
        with pytest.raises(ConfigError, match="Another process"):
            Archive(tmp_path / "sent")
        gap = Message(2, FIRST_BEFORE, 1, "0" * 64, "rounds", Report({}))
        with pytest.raises(InputError):
            archive.keep(gap)
        assert list((tmp_path / "sent").iterdir()) == []
        (tmp_path / "sent" / "00000001.json").write_bytes(b"")  # somebody was quicker: not written over
        with pytest.raises(ConfigError):
            _next(archive, 1)
        assert (tmp_path / "sent" / "00000001.json").read_bytes() == b""


def test_a_cut_in_the_middle_leaves_the_archive_as_it_was(tmp_path: Path) -> None:
    _filled(tmp_path / "sent", 2)
    (tmp_path / "sent" / "00000003.new").write_bytes(b'{"sequence"')
    with Archive(tmp_path / "sent") as archive:
        _next(archive, 3)
    assert sorted(os.listdir(tmp_path / "sent")) == [f"0000000{n}.json" for n in (1, 2, 3)]


@pytest.mark.parametrize("words", [("why", "As Kd"), ("before", "As"), ("head", "Kd" * 32)])
def test_no_field_beside_the_report_is_free(words: tuple[str, str]) -> None:
    name, text = words
    fields = {"sequence": 1, "before": FIRST_BEFORE, "record": 1, "head": "0" * 64, "why": "rounds", name: text}
    with pytest.raises(CardshoeError):
        Message(**fields, report=Report({})).sent()


# --- the command, on a real journal


def _cardshoe(*words: str, expect: int = 0) -> bytes:
    ran = subprocess.run([sys.executable, "-m", "cardshoe", *words], capture_output=True, stdin=subprocess.DEVNULL)
    assert ran.returncode == expect, ran.stderr.decode()
    return ran.stdout


def test_real_the_messages_of_a_demo(played: Path, tmp_path: Path) -> None:
    """Exact bytes on standard output and in the archive; a second export tells nothing twice; another journal's no."""
    archive = str(tmp_path / "sent")
    sent = _cardshoe("telemetry", "export", str(played), archive, "--rounds", "1")
    messages = [json.loads(line) for line in sent.splitlines()]
    assert [one["meters"]["rounds_completed"] + one["meters"]["rounds_voided"] for one in messages] == [1, 2]
    assert b"".join(one.sent for one in read_archive(Path(archive))) == sent
    assert _cardshoe("telemetry", "export", str(played), archive, "--rounds", "1") == b""
    assert _cardshoe("telemetry", "show", archive, "--message", "2") == sent.splitlines(keepends=True)[1]
    shown = json.loads(_cardshoe("telemetry", "show", archive, "--json"))
    assert [one["sequence"] for one in shown["messages"]] == [1, 2]
    assert b"2 messages" in _cardshoe("telemetry", "show", archive)
    _cardshoe("telemetry", "show", archive, "--message", "3", expect=2)
    for name in ("Ada", "Blaise", "Demo", "player"):
        assert name.encode() not in sent


def test_real_an_altered_journal_or_archive_tells_nothing(played: Path, tmp_path: Path) -> None:
    copy = tmp_path / "journal"
    copy.write_bytes(played.read_bytes())
    damaged = bytearray(copy.read_bytes())
    place = damaged.index(b'"stacks_requested":')
    damaged[place + 19] ^= 1
    copy.write_bytes(damaged)
    assert _cardshoe("telemetry", "export", str(copy), str(tmp_path / "sent"), expect=4) == b""
    _filled(tmp_path / "other")
    assert _cardshoe("telemetry", "export", str(played), str(tmp_path / "other"), expect=2) == b""


# --- the console's metrics


@dataclass
class _Tallied:
    tally: Tally = field(default_factory=Tally)


@dataclass
class _Table:
    """As much of a table as metrics look at."""

    round_open: bool = False
    failure: None = None
    shown: _Tallied = field(default_factory=_Tallied)

    def rates(self) -> dict[str, int]:
        return {"cards_read": 9 * self.shown.tally.stacks_dispensed, "cards_unreadable": 0, "losses": 0}

    def devices(self) -> list[DeviceHealth]:
        return [DeviceHealth("shoe", "serial:///dev/x", "up", "M", "S-1", "1", 0, "As is in here")]


def test_the_metrics_are_of_the_allow_list_and_stand_still_in_a_round() -> None:
    table = _Table()
    metrics = Metrics(table)  # type: ignore[arg-type]
    before = metrics.exposition(listeners=1, refusals=0)
    table.round_open = True
    table.shown = _Tallied(Tally(stacks_requested=3, stacks_dispensed=2, alarms=1))
    assert metrics.exposition(listeners=1, refusals=0) == before
    table.round_open = False
    after = metrics.exposition(listeners=1, refusals=0)
    assert "cardshoe_stacks_requested_total 3" in after
    assert "cardshoe_cards_read_total 18" in after
    assert "As is in here" not in after
    assert "S-1" not in after
    names = {line.split()[2] for line in after.splitlines() if line.startswith("# TYPE")}
    rows = {meter.value for meter in Meter} | {"table_running", "device_up"}
    assert {name.removeprefix("cardshoe_").removesuffix("_total") for name in names} <= rows
