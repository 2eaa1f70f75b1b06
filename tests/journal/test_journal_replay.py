"""Replay gives the same rulings and payouts, byte for byte, and names the first record where not (promise P6)."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_rounds import GAMES, play

from cardshoe.errors import Refused
from cardshoe.journal import Entry, Journal, JournalReader, Record
from cardshoe.journal.replay import MachineDriver, Replayed, first_difference
from cardshoe.journal.replay import replay as replay_records

ULTIMATE = "ultimate-texas-holdem"


def _records(entries: list[Entry]) -> list[Record]:
    return [Record(seq, e.kind, e.round, 1, seq, "", e.body) for seq, e in enumerate(entries, 1)]


def _replay(entries: list[Entry]) -> Replayed:
    return replay_records(_records(entries), MachineDriver())


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=15)
@given(seeds=st.lists(st.integers(0, 10**9), min_size=1, max_size=4))
def test_what_was_played_replays_the_same(game: str, seeds: list[int]) -> None:
    """P6, S11: any rounds of any game; other records between them have no effect."""
    entries: list[Entry] = []
    for number, seed in enumerate(seeds, 1):
        entries += [
            Entry("deck_armed", {"shoe": "S1"}, number),
            *play(number, game, seed),
            Entry("head_signed", {}, number),
        ]
    found = _replay(entries)
    assert found.ok, found.why
    assert (found.rounds, found.settled, found.unsettled) == (len(seeds), len(seeds), ())
    assert found.records == len(entries)


def test_a_journal_on_disk_replays_the_same(tmp_path: Path) -> None:
    """P6: over the real store and reader, reopened in the middle of the second round."""
    path = tmp_path / "table.db"
    first, second = list(play(1, ULTIMATE, 1)), list(play(2, ULTIMATE, 2))
    with Journal.open(path) as journal:
        journal.append_now(first)
        journal.append_now(second[:9])
    with Journal.open(path) as journal:
        journal.append_now(second[9:])
        journal.append_now(list(play(3, ULTIMATE, 3))[:12])
    with JournalReader(path) as reader:
        found = replay_records(reader.records(), MachineDriver())
    assert (found.ok, found.rounds, found.settled, found.unsettled) == (True, 3, 2, (3,))


# --- what must be found

Change = Callable[[list[Entry]], tuple[list[Entry], int]]


def _at(entries: list[Entry], kind: str, nth: int = 0) -> int:
    return [index for index, e in enumerate(entries) if e.kind == kind][nth]


def _with(entries: list[Entry], index: int, **fields: object) -> list[Entry]:
    changed = replace(entries[index], body={**entries[index].body, **fields})
    return [*entries[:index], changed, *entries[index + 1 :]]


def _other_face(entries: list[Entry]) -> tuple[list[Entry], int]:
    """A board card of another rank: the accounts differ."""
    index = _at(entries, "card-turned")
    used = {e.body["face"] for e in entries if e.kind == "card-turned"}
    other = next(rank + suit for rank in "A23456789TJQK" for suit in "shdc" if rank + suit not in used)
    return _with(entries, index, face=other), _at(entries, "settled")


def _same_face(entries: list[Entry]) -> tuple[list[Entry], int]:
    """One card twice holds the round: the next step is refused."""
    first, second = _at(entries, "card-turned"), _at(entries, "card-turned", 1)
    changed = _with(entries, second, face=entries[first].body["face"])
    return changed, next(i for i in range(second + 1, len(entries)) if changed[i].kind != "card-turned")


def _more_won(entries: list[Entry]) -> tuple[list[Entry], int]:
    index = _at(entries, "settled")
    body = copy.deepcopy(dict(entries[index].body))
    position = next(iter(body["positions"]))  # type: ignore[call-overload]
    body["positions"][position]["result"]["won_cents"] += 1  # type: ignore[index]
    return [*entries[:index], replace(entries[index], body=body)], index


def _swapped(entries: list[Entry]) -> tuple[list[Entry], int]:
    index = _at(entries, "no-more-bets-called")
    return [*entries[:index], entries[index + 1], entries[index], *entries[index + 2 :]], index


def _left_out(kind: str) -> Change:
    def change(entries: list[Entry]) -> tuple[list[Entry], int]:
        index = _at(entries, kind)
        return [*entries[:index], *entries[index + 1 :]], index

    return change


CHANGES: dict[str, tuple[Change, str]] = {
    "another card": (_other_face, "is recorded as"),
    "the same card twice": (_same_face, "round is held"),
    "a cent more": (_more_won, "won_cents is recorded as"),
    "a stack before no more bets": (_swapped, "cannot be replayed"),
    "no no-more-bets": (_left_out("no-more-bets-called"), "cannot be replayed"),
    "a decision left out": (_left_out("decision-made"), "cannot be replayed"),
    "no opening": (_left_out("round-opened"), "no round is open"),
    "not completed": (_left_out("round-completed"), "before it was complete"),
    "settled twice": (lambda e: ([*e, e[-1]], len(e)), "settled twice"),
    "of another round": (lambda e: ([*e[:5], replace(e[5], round=9), *e[6:]], 5), "belongs to round 9"),
    "opened under another number": (
        lambda e: ([replace(e[0], round=9), *e[1:]], 0),
        "of round 9, its event of round 1",
    ),
    "opened under no number": (lambda e: ([replace(e[0], round=None), *e[1:]], 0), "of round None"),
    "opened over an open one": (lambda e: ([*e[:6], *play(2, ULTIMATE, 8)], 6), "was not complete"),
    "an event of another kind": (lambda e: (_with(e, 3, kind="stub-removed"), 3), "says that it is 'stub-removed'"),
    "an event with a field too many": (lambda e: (_with(e, 3, extra=1), 3), "extra"),
    "a game that is none": (lambda e: (_with(e, 0, game="snap"), 0), "snap"),
    "after the account": (lambda e: ([*e, e[1]], len(e)), "complete"),
}


@pytest.mark.parametrize(("change", "says"), CHANGES.values(), ids=CHANGES)
def test_a_record_that_is_not_what_the_rules_give_is_named(change: Change, says: str) -> None:
    """P6: the first difference, by record and reason; nothing ends in a traceback."""
    entries = list(play(1, ULTIMATE, 4))
    assert _replay(entries).ok
    changed, index = change(entries)
    found = _replay(changed)
    assert (found.ok, found.first_bad) == (False, index + 1), found.why
    assert says in (found.why or "")


DIFFERENCES = {
    "same": ({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, None),
    "value": ({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b is recorded as 1, recomputed as 2"),
    "truth and number": ({"a": True}, {"a": 1}, "a is recorded as True, recomputed as 1"),
    "recorded only": ({"a": 1}, {}, "a is recorded only"),
    "recomputed only": ({}, {"a": 1}, "a is recomputed only"),
    "length": ({"a": [1]}, {"a": [1, 2]}, "a is recorded as [1], recomputed as [1, 2]"),
    "in a list": ({"a": [1, [2, 3]]}, {"a": [1, [2, 4]]}, "a[2][2] is recorded as 3, recomputed as 4"),
}


@pytest.mark.parametrize(("recorded", "again", "says"), DIFFERENCES.values(), ids=DIFFERENCES)
def test_the_place_of_a_difference_is_told(recorded: object, again: object, says: str | None) -> None:
    assert first_difference(recorded, again) == says


# --- the port: replay knows no rules of its own


@dataclass(frozen=True)
class CountToThree:
    """A game whose rule is that three counts make a round."""

    def opens(self, kind: str) -> bool:
        return kind == "begun"

    def continues(self, kind: str) -> bool:
        return kind == "counted"

    def open(self, event: Mapping[str, object]) -> int:
        return 0

    def apply(self, state: int, event: Mapping[str, object]) -> int:
        if state == 3:
            raise Refused("round-closed", "three is enough")
        return state + 1

    def is_complete(self, state: int) -> bool:
        return state == 3

    def payouts(self, state: int) -> Mapping[str, object]:
        return {"counted": state}


def _counting(counts: int, account: int) -> Iterator[Entry]:
    yield Entry("begun", {"kind": "begun"}, 1)
    yield from (Entry("counted", {"kind": "counted"}, 1) for _ in range(counts))
    yield Entry("settled", {"counted": account}, 1)


@pytest.mark.parametrize(("counts", "account", "first_bad"), [(3, 3, None), (3, 2, 5), (2, 2, 4), (4, 3, 5)])
def test_any_rules_can_be_replayed(counts: int, account: int, first_bad: int | None) -> None:
    assert replay_records(_records(list(_counting(counts, account))), CountToThree()).first_bad == first_bad
