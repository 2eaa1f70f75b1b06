"""The protocol's prose, its TOML and its proofs agree.

Every clause of the documents is cited by a vector or a test, and nothing cites a clause that does not exist; the spec
hashes of LINK-10 are those of the files (LINK-5.2); a number that the prose states is the number of the TOML; every
enumeration and flag of the TOML has its Python counterpart and the reverse.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from enum import Enum, IntEnum, IntFlag
from itertools import chain
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cardshoe.cards import DECK, RANKS, SUITS
from cardshoe.devices import reader_terms, shoe_terms
from cardshoe.link import messages, timing
from cardshoe.wire import framing
from cardshoe.wire.spec import DEVICE_PROTOCOLS, load_faults, load_spec

ROOT = Path(__file__).parents[2]
PROTOCOLS = ROOT / "firmware_protocols"
CLAUSE = re.compile(r"\b(?:LINK|SHOE|READER)-\d+\.\d+\b")
DEFINITION = re.compile(r"^- \*\*((?:LINK|SHOE|READER)-\d+\.\d+)\*\*", re.MULTILINE)

PROSE = {name: (PROTOCOLS / f"{name}.md").read_text() for name in ("link-v1", "shoe-v1", "reader-v1")}
FILES = {
    name: tomllib.loads((PROTOCOLS / f"{name}.toml").read_text())
    for name in ("link-v1", "shoe-v1", "reader-v1", "faults")
}
DEFINED = [clause for text in PROSE.values() for clause in DEFINITION.findall(text)]


def _proofs() -> dict[str, set[str]]:
    """Clauses cited by each test and each file of vectors (this file apart, which names them all)."""
    files = [path for path in sorted((ROOT / "tests").rglob("test_*.py")) if path != Path(__file__)]
    files += sorted((PROTOCOLS / "vectors").glob("*.jsonl"))
    return {str(path.relative_to(ROOT)): set(CLAUSE.findall(path.read_text())) for path in files}


def test_a_clause_is_defined_once() -> None:
    """An id means one clause, and the clauses of a section are numbered without a gap."""
    assert sorted(DEFINED) == sorted(set(DEFINED))
    sections: dict[str, list[int]] = {}
    for clause in DEFINED:
        section, _, number = clause.rpartition(".")
        sections.setdefault(section, []).append(int(number))
    assert {
        section: numbers for section, numbers in sections.items() if numbers != list(range(1, len(numbers) + 1))
    } == {}


def test_every_clause_is_cited_by_a_vector_or_a_test() -> None:
    """An orphan is a promise that nothing proves."""
    cited = set(chain.from_iterable(_proofs().values()))
    assert [clause for clause in DEFINED if clause not in cited] == []


def test_nothing_cites_a_clause_that_does_not_exist() -> None:
    """A citation of nothing is a proof of nothing."""
    wrong = {name: sorted(cited - set(DEFINED)) for name, cited in _proofs().items() if cited - set(DEFINED)}
    assert wrong == {}


def test_the_documents_refer_to_clauses_that_exist() -> None:
    """Cross-references within the prose."""
    referred = set(chain.from_iterable(CLAUSE.findall(text) for text in PROSE.values()))
    assert sorted(referred - set(DEFINED)) == []


@pytest.mark.parametrize("protocol", DEVICE_PROTOCOLS)
def test_the_printed_spec_hash_is_that_of_the_files(protocol: str) -> None:
    """LINK-5.2, LINK-5.3: the line of section 10, and what the product puts into HELLO."""
    canonical = json.dumps(
        {"link": FILES["link-v1"], "device": FILES[protocol]}, sort_keys=True, separators=(",", ":"), ensure_ascii=True
    )
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    printed = re.findall(rf"^    {protocol} over link-v1   ([0-9a-f]{{64}})$", PROSE["link-v1"], re.MULTILINE)
    assert printed == [hashed]
    assert load_spec(protocol).hash.hex() == hashed


def _clause(name: str) -> str:
    """The text of one clause, up to the next clause or heading."""
    prose = PROSE[{"LINK": "link-v1", "SHOE": "shoe-v1", "READER": "reader-v1"}[name.partition("-")[0]]]
    start = prose.index(f"**{name}**")
    end = re.search(r"^(- \*\*|## )", prose[start + 1 :], re.MULTILINE)
    return prose[start : start + 1 + end.start()] if end else prose[start:]


NUMBERS = [
    ("LINK-2.1", r"Header, (five) bytes", "link-v1", ("frame", "header"), {"five": 5}),
    ("LINK-2.2", r"version byte is ([0-9A-F]{2})", "link-v1", ("frame", "version_clear"), 16),
    ("LINK-2.2", r"\b([0-9A-F]{2}) inside a sealed session", "link-v1", ("frame", "version_sealed"), 16),
    ("LINK-2.3", r"0 to (\d+)", "link-v1", ("frame", "payload_max"), 10),
    ("LINK-2.3", r"length \+ (\d) bytes", "link-v1", ("frame", "check_bytes"), 10),
    ("LINK-2.5", r"at most (\d+) bytes", "link-v1", ("frame", "content_max"), 10),
    ("LINK-2.6", r"at most (\d+) bytes", "link-v1", ("frame", "wire_max"), 10),
    ("LINK-3.4", r"more than (\d+) ms", "link-v1", ("timing", "idle_delimiter_ms"), 10),
    ("LINK-4.2", r"within (\d+) ms", "link-v1", ("timing", "reply_due_ms"), 10),
    ("LINK-4.5", r"after (\d+) ms", "link-v1", ("timing", "command_repeat_ms"), 10),
    ("LINK-5.12", r"every (\d+) ms", "link-v1", ("timing", "hello_repeat_ms"), 10),
    ("LINK-6.1", r"every (\d+) ms", "link-v1", ("timing", "heartbeat_interval_ms"), 10),
    ("LINK-6.3", r"outside (\d+) to", "link-v1", ("timing", "lease_min_ms"), 10),
    ("LINK-6.3", r"outside \d+ to (\d+)", "link-v1", ("timing", "lease_max_ms"), 10),
    ("LINK-6.5", r"for (\d+) ms", "link-v1", ("timing", "link_lost_ms"), 10),
    ("LINK-7.2", r"at least (\d+) places for live", "link-v1", ("events", "ring_min_live"), 10),
    ("LINK-7.2", r"at least (\d+) on a bench", "link-v1", ("events", "ring_min_bench"), 10),
    ("LINK-7.3", r"every (\d+) ms", "link-v1", ("timing", "event_repeat_ms"), 10),
    ("LINK-7.3", r"at most (\d+) events", "link-v1", ("events", "window"), 10),
    ("LINK-9.7", r"every (\d+) ms", "link-v1", ("timing", "seal_repeat_ms"), 10),
    ("LINK-9.8", r"(\d+)-byte tag", "link-v1", ("frame", "tag_bytes"), 10),
    ("LINK-9.8", r"alone, 0 to (\d+)", "link-v1", ("frame", "sealed_payload_max"), 10),
    ("LINK-9.8", r"content = 5 \+ (\d) \+", "link-v1", ("frame", "counter_bytes"), 10),
    ("LINK-11.2", r"of (\d+) s", "link-v1", ("timing", "pairing_window_ms"), {"120": 120_000}),
    ("LINK-11.2", r"after (three) wrong proofs", "link-v1", ("pairing", "wrong_proofs_max"), {"three": 3}),
    ("LINK-11.5", r"at least (four)", "link-v1", ("pairing", "keys_min"), {"four": 4}),
    ("LINK-11.7", r"for (\d+) s", "link-v1", ("timing", "unpair_hold_ms"), {"10": 10_000}),
    ("SHOE-9.8", r"at least (\d+) entries", "shoe-v1", ("limits", "asked_remembered"), 10),
    ("SHOE-9.10", r"(\d+) faces from", "shoe-v1", ("limits", "envelope_faces"), 10),
    ("SHOE-1.1", r"`device_kind` is (\d)", "link-v1", ("enum", "device_kind", "shoe"), 10),
    ("SHOE-3.5", r"last (\d+) ids", "shoe-v1", ("limits", "commands_remembered"), 10),
    ("SHOE-4.1", r"\((\d) to \d\)", "shoe-v1", ("limits", "cards_min"), 10),
    ("SHOE-4.1", r"\(\d to (\d)\)", "shoe-v1", ("limits", "cards_max"), 10),
    ("SHOE-4.1", r"1 to (\d) for a position", "shoe-v1", ("limits", "destination_max"), 10),
    ("SHOE-4.3", r"latest (\d+) ms a card", "shoe-v1", ("limits", "ready_ms_per_card"), 10),
    ("SHOE-6.3", r"within (\d+) s", "shoe-v1", ("limits", "prepare_ms"), {"90": 90_000}),
    ("READER-1.1", r"`device_kind` is (\d)", "link-v1", ("enum", "device_kind", "reader"), 10),
    ("READER-1.3", r"\b(F[0-9A-F]): not a card", "reader-v1", ("face", "foreign"), 16),
    ("READER-1.3", r"\b(F[0-9A-F]): a card that cannot be read", "reader-v1", ("face", "unreadable"), 16),
    ("READER-1.3", r"\b(F[0-9A-F]): no card", "reader-v1", ("face", "none"), 16),
    ("READER-3.1", r"up to (eight) faces", "reader-v1", ("limits", "scan_cards_max"), {"eight": 8}),
]


@pytest.mark.parametrize(("clause", "pattern", "file", "path", "reading"), NUMBERS)
def test_numbers_of_the_prose_are_those_of_the_file(
    clause: str, pattern: str, file: str, path: tuple[str, ...], reading: int | dict[str, int]
) -> None:
    """Where the prose states a number, it is the one that machines use."""
    stated = re.findall(pattern, _clause(clause))
    assert len(stated) == 1, f"{clause} states it {len(stated)} times"
    value: Any = FILES[file]
    for key in path:
        value = value[key]
    expected = len(value) if isinstance(value, list) else value
    assert (int(stated[0], reading) if isinstance(reading, int) else reading[stated[0]]) == expected


LISTED = [
    ("SHOE-2.1", r"`mode`: ([^.]*)\.", "shoe-v1", "mode"),
    ("SHOE-2.1", r"`state`: ([^.]*?) \(", "shoe-v1", "state"),
    ("SHOE-2.3", r"`deck_state`: ([^.]*)\.", "shoe-v1", "deck_state"),
    ("READER-4.1", r"`state` ([^.]*)\.", "reader-v1", "state"),
]


@pytest.mark.parametrize(("clause", "pattern", "file", "enum"), LISTED)
def test_lists_of_the_prose_have_the_numbers_of_the_file(clause: str, pattern: str, file: str, enum: str) -> None:
    """SHOE-2.1, SHOE-2.3, READER-4.1: "0 deal, 1 sort, 2 test" counts as the file does."""
    found = re.search(pattern, _clause(clause))
    assert found is not None
    stated = [int(number) for number in re.findall(r"(?:^|, )(\d) ", found[1])]
    assert stated == sorted(FILES[file]["enum"][enum].values())


@pytest.mark.parametrize("protocol", DEVICE_PROTOCOLS)
def test_every_message_is_named_in_the_prose(protocol: str) -> None:
    """A message that no clause speaks of could mean anything."""
    prose = PROSE["link-v1"] + PROSE[protocol]
    names = [row["name"] for row in FILES[protocol]["message"] if not row["name"].endswith("_REPLY")]
    assert [name for name in names if name not in prose] == []


@pytest.mark.parametrize("protocol", DEVICE_PROTOCOLS)
def test_types_lie_in_their_ranges(protocol: str) -> None:
    """LINK-4, LINK-4.1: commands 10 to 3F, replies the command's type + 80, events 60 to 7F; one reply a command."""
    spec = load_spec(protocol)
    rows = FILES[protocol]["message"]
    types = {row["name"]: row["type"] for row in rows}
    for row in rows:
        match row["kind"]:
            case "command":
                assert row["type"] in spec.command_types
                assert row["from"] == "host"
                assert types[row["name"] + "_REPLY"] == row["type"] + 0x80
            case "reply":
                assert types[row["name"].removesuffix("_REPLY")] == row["type"] - 0x80
            case "event":
                assert row["type"] in spec.event_types
                assert row["from"] == "device"
            case kind:
                pytest.fail(f"{row['name']} is of kind {kind}")
    assert (spec.command_types, spec.event_types, spec.reply_bit) == (range(0x10, 0x40), range(0x60, 0x80), 0x80)


@pytest.mark.parametrize("protocol", DEVICE_PROTOCOLS)
def test_every_message_fits_a_frame(protocol: str) -> None:
    """LINK-2.6: no message is longer than one frame."""
    assert [name for name, message in load_spec(protocol).messages.items() if message.size > framing.PAYLOAD_MAX] == []


def test_the_frames_constants_are_those_of_the_file() -> None:
    """LINK-2.2, LINK-2.3, LINK-2.6: what framing has in code for speed."""
    frame = FILES["link-v1"]["frame"]
    assert (
        frame["version_clear"],
        frame["payload_max"],
        frame["wire_max"],
        frame["check_bytes"],
        len(frame["header"]),
    ) == (
        framing.VERSION_CLEAR,
        framing.PAYLOAD_MAX,
        framing.WIRE_MAX,
        framing.CHECK_BYTES,
        framing.HEADER_BYTES,
    )


def test_intervals_are_those_of_the_file() -> None:
    """LINK-4.5, LINK-5.12, LINK-6.1, LINK-6.5, LINK-3.4, LINK-8.3: in seconds, none below three times 16 ms."""
    file = FILES["link-v1"]["timing"]
    ours = timing.intervals(load_spec("shoe-v1").timing)
    assert [
        ours.heartbeat_s,
        ours.lost_s,
        ours.command_repeat_s,
        ours.hello_repeat_s,
        ours.idle_delimiter_s,
    ] == [
        file[name] / 1000
        for name in (
            "heartbeat_interval_ms",
            "link_lost_ms",
            "command_repeat_ms",
            "hello_repeat_ms",
            "idle_delimiter_ms",
        )
    ]
    assert min(file.values()) >= 3 * 16


# --- closed sets: TOML and Python

LINK_SETS: dict[str, type[Enum]] = {
    "purpose": messages.Purpose,
    "security": messages.Security,
    "hello_result": messages.HelloResult,
    "device_kind": messages.DeviceKind,
    "reject_reason": messages.RejectReason,
    "seal_result": messages.SealResult,
    "pair_result": messages.PairResult,
    "role": messages.Role,
}
SHOE_SETS: dict[str, type[Enum]] = {
    "mode": shoe_terms.Mode,
    "state": shoe_terms.ShoeState,
    "deck_state": shoe_terms.DeckState,
    "outcome": shoe_terms.Outcome,
    "dispense_result": shoe_terms.DispenseResult,
    "clear_result": shoe_terms.ClearResult,
    "boot_cause": shoe_terms.BootCause,
    "cards_at": shoe_terms.CardsAt,
    "interrupt_cause": shoe_terms.InterruptCause,
    "capability": shoe_terms.ShoeCapability,
    "flags": shoe_terms.ShoeFlag,
    "named": shoe_terms.Named,
    "round_state": shoe_terms.RoundState,
    "round_result": shoe_terms.RoundResult,
    "match_result": shoe_terms.MatchResult,
    "reveal_result": shoe_terms.RevealResult,
    "asked": shoe_terms.Asked,
}
READER_SETS: dict[str, type[Enum]] = {
    "state": reader_terms.ReaderState,
    "place": reader_terms.Place,
    "scan_result": reader_terms.ScanResult,
    "boot_cause": shoe_terms.BootCause,
    "capability": reader_terms.ReaderCapability,
    "flags": reader_terms.ReaderFlag,
    "face": reader_terms.NoCard,
}


@pytest.mark.parametrize(("file", "ours"), [("link-v1", LINK_SETS), ("shoe-v1", SHOE_SETS), ("reader-v1", READER_SETS)])
def test_every_closed_set_of_the_file_is_ours_and_the_reverse(file: str, ours: dict[str, type[Enum]]) -> None:
    """SHOE-1.1, SHOE-2.2, SHOE-8.5, READER-1.2 and the rest: same names, same numbers, none left out."""
    tables = dict(FILES[file]["enum"])
    tables |= {name: FILES[file][name] for name in ("flags", "named", "face") if name in FILES[file]}
    assert set(tables) == set(ours)
    for name, cls in ours.items():
        members = {member: value.value for member, value in cls.__members__.items()}
        assert {member.lower(): value for member, value in members.items()} == tables[name], name


@pytest.mark.parametrize("module", [messages, shoe_terms, reader_terms], ids=lambda module: module.__name__)
def test_no_closed_set_of_ours_is_forgotten_above(module: ModuleType) -> None:
    """A set that is compared with nothing could drift."""
    compared = {*LINK_SETS.values(), *SHOE_SETS.values(), *READER_SETS.values()}
    own = {
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Enum) and value not in (Enum, IntEnum, IntFlag)
    }
    assert own - compared == set()


def test_faces_are_cards_in_the_order_of_the_deck() -> None:
    """READER-1.3: rank × 4 + suit, ranks 2 to A are 0 to 12, suits c d h s are 0 to 3."""
    assert [card.text for card in DECK] == [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    assert (RANKS, SUITS) == ("23456789TJQKA", "cdhs")


def test_faults_are_told_apart_and_say_what_to_do() -> None:
    """SHOE-8.1, SHOE-8.2, READER-4.2: one code and one name each; the dealer's text fits the screen."""
    faults = load_faults()
    rows = FILES["faults"]["fault"]
    assert sorted(faults) == sorted(row["code"] for row in rows)
    assert len({fault.name for fault in faults.values()}) == len(rows)
    assert {fault.severity for fault in faults.values()} <= {"note", "advise", "hold", "void", "lockout"}
    assert {fault.clears for fault in faults.values()} <= {"nobody", "dealer", "floor", "two_people", "technician"}
    assert [fault.name for fault in faults.values() if not 0 < len(fault.dealer) <= 120] == []
