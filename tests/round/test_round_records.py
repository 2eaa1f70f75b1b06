"""Events as records: there and back for every kind, and nothing else is taken."""

from __future__ import annotations

import json
import typing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.errors import InputError
from cardshoe.games.verdicts import Case
from cardshoe.round import events
from cardshoe.round.events import EntryCorrected, Event, RoundOpened, WagerPlaced
from cardshoe.round.records import from_record, kind_of, recorded, to_record

KINDS: tuple[type[Event], ...] = typing.get_args(Event)
TEXT = st.text(max_size=8)
PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), TEXT, st.dictionaries(TEXT, st.integers(), max_size=2))


def _of(hint: Any) -> st.SearchStrategy[Any]:
    if hint is Case:
        return st.sampled_from(Case)
    if typing.get_origin(hint) is tuple:
        return st.lists(TEXT, max_size=3).map(tuple)
    if hint in (str, int, bool):
        return {str: TEXT, int: st.integers(), bool: st.booleans()}[hint]
    if hint == bool | None:
        return st.sampled_from([True, False, None])
    value = typing.get_args(hint)[1]
    return st.dictionaries(TEXT, PLAIN if value is object else _of(value), max_size=3)


def _events(kind: type[Event]) -> st.SearchStrategy[Event]:
    if kind is EntryCorrected:
        inner = st.sampled_from([WagerPlaced, events.DecisionMade, events.CardTurned])
        return inner.flatmap(_events).map(EntryCorrected)  # type: ignore[arg-type]
    hints = typing.get_type_hints(kind, vars(events))
    return st.builds(kind, **{name: _of(hint) for name, hint in hints.items()})


@given(st.sampled_from(KINDS).flatmap(_events))
def test_there_and_back(event: Event) -> None:
    """Through JSON text, and equal; the kind is kebab and past tense by its name."""
    record = to_record(event)
    assert record["kind"] == kind_of(event)
    assert from_record(json.loads(json.dumps(record))) == event


@given(st.sampled_from(KINDS).flatmap(_events))
def test_what_a_table_absorbs_is_what_a_restart_reads(event: Event) -> None:
    """P2: the short way through `recorded` gives the record, and the event, of the long one."""
    record, taken = recorded(event)
    assert record == to_record(event)
    assert taken == from_record(json.loads(json.dumps(record)))


def test_an_event_that_no_record_could_give_is_refused_on_the_way_in() -> None:
    """P6: a number in the place of a text is found before it is written."""
    with pytest.raises(InputError, match="is not what stands there"):
        recorded(events.StackRequested(1, 2, 3))  # type: ignore[arg-type]


def test_kinds_are_distinct_and_kebab() -> None:
    """One name for each kind, stable from now on: the journal holds them."""
    names = [kind_of(kind) for kind in KINDS]
    assert len(set(names)) == len(names) == 30
    assert "stack-requested" in names
    assert all(name == name.lower() and " " not in name for name in names)


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"kind": None},
        {"kind": "stack-exploded"},
        {"kind": "stack-requested"},
        {"kind": "stack-requested", "command_id": 1, "to": "1"},
        {"kind": "stack-requested", "command_id": 1, "to": "1", "cards": 2, "colour": "red"},
        {"kind": "stack-requested", "command_id": "1", "to": "1", "cards": 2},
        {"kind": "stack-requested", "command_id": True, "to": "1", "cards": 2},
        {"kind": "stack-requested", "command_id": 1, "to": 1, "cards": 2},
        {"kind": "stack-requested", "command_id": 1, "to": "1", "cards": 2.0},
        {"kind": "wager-placed", "position": "1", "player": "P", "wagers": {"ante": "5"}, "kinds": {}},
        {"kind": "wager-placed", "position": "1", "player": "P", "wagers": [], "kinds": {}},
        {"kind": "wager-withdrawn", "position": "1", "player": "P", "spots": "ante"},
        {"kind": "wager-withdrawn", "position": "1", "player": "P", "spots": [1]},
        {"kind": "irregularity-found", "case": "earthquake", "who": "", "cards": 0},
        {"kind": "entry-corrected", "entry": {"kind": "no-more-bets-called"}},
        {"kind": "entry-corrected", "entry": "x"},
        {"kind": "card-dealt", "to": "1", "under_cover_card": 1},
    ],
)
def test_a_record_that_is_not_one_of_ours(record: dict[str, object]) -> None:
    """Named by kind and field; nothing is filled in."""
    with pytest.raises(InputError) as caught:
        from_record(record)
    assert caught.value.code == "event-record"


def test_the_opening_of_a_round_keeps_the_house_as_it_was_given() -> None:
    """A replay reads the house again, from what the journal holds."""
    opened = RoundOpened(7, "three-card-poker", "hand", {"six_card_table": {"royal flush": 5}}, {"1": "P"}, live=False)
    assert from_record(json.loads(json.dumps(to_record(opened)))) == opened
