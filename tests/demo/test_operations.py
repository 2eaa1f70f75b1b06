"""Lines of `cardshoe run` and the acts that they mean."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from cardshoe.cli.operations import Operations
from cardshoe.errors import InputError, Refused
from cardshoe.games import games
from cardshoe.games.verdicts import Case
from cardshoe.round import events
from cardshoe.table import acts


def _operations(*held: str) -> Operations:
    return Operations(games()["ultimate-texas-holdem"], lambda: held)


CASES: list[tuple[dict[str, Any], acts.Act]] = [
    ({"op": "open_round"}, acts.OpenRound()),
    ({"op": "open_round", "seats": {"1": "Ann"}}, acts.OpenRound({"1": "Ann"})),
    ({"op": "turned", "place": "board", "card": "As"}, events.CardTurned("As", "board", "declared")),
    ({"op": "confirm", "role": "floor"}, events.DeclaredConfirmed("floor")),
    ({"op": "complete"}, events.RoundCompleted()),
    (
        {"op": "clear", "code": "jam", "choice": "continue", "role": "floor", "reason": "seen"},
        events.HoldCleared("jam", "continue", "floor", "seen"),
    ),
    (
        {"op": "clear", "code": "deck-rejected", "role": "floor", "second": "dealer", "reason": "new deck"},
        acts.ClearAlarm("deck-rejected", "floor", "new deck", "dealer"),
    ),
    ({"op": "place_deck", "back": "blue"}, acts.DeckPlaced("blue")),
    ({"op": "replace_deck", "back": "blue", "role": "floor", "reason": "x"}, acts.DeckReplaced("blue", "floor", "x")),
    ({"op": "doubt_deck", "role": "dealer", "reason": "bent"}, acts.DeckDoubted("dealer", "bent")),
    ({"op": "shuffle_by_hand", "role": "dealer", "reason": "x"}, acts.HandShuffled("dealer", "x")),
    ({"op": "stop", "role": "dealer", "reason": "smoke"}, acts.StopAsked("dealer", "smoke")),
    ({"op": "count_stub", "cards": 38}, acts.StubCounted(38)),
    ({"op": "sign_off", "cards": 52, "role": "floor", "reason": "end"}, acts.SignedOff(52, "floor", "end")),
    (
        {"op": "set_limits", "minimum_wager": {"ante": 5}, "maximum_wager": {}, "role": "floor", "reason": "x"},
        acts.LimitsChanged({"ante": 5}, {}, "floor", "x"),
    ),
    ({"op": "set_training", "on": True, "role": "floor", "reason": "x"}, acts.TrainingSet(True, "floor", "x")),
    ({"op": "give_up_shoe", "role": "floor", "reason": "x"}, acts.ShoeGivenUp("floor", "x")),
    ({"op": "reopen_table", "role": "floor", "reason": "x"}, acts.TableReopened("floor", "x")),
    (
        {"op": "irregularity", "kind": "device_fault", "affects_outcome": True},
        events.IrregularityFound(Case.DEVICE_FAULT),
    ),
    ({"op": "burn", "cards": 1, "id": 7}, events.CardBurned(1)),
    ({"op": "decide", "position": "1", "action": "check"}, events.DecisionMade("1", "check")),
]


@pytest.mark.parametrize(("line", "act"), CASES, ids=lambda value: value.get("op") if isinstance(value, dict) else "")
def test_a_line_means_its_act(line: dict[str, Any], act: acts.Act) -> None:
    assert _operations().act(line) == act


def test_every_act_about_decks_and_machines_has_its_operation() -> None:
    """What a table can be told, a line can tell it."""
    change = {"op": "change_calibration", "device": "shoe", "old": "a", "new": "b", "role": "technician", "reason": "x"}
    told = {type(act) for _, act in CASES} | {type(_operations().act(change))}
    assert set(get_args(acts.UpkeepAct)) <= told


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ({}, "missing-key"),
        ({"op": 3}, "unknown-op"),
        ({"op": "open_round", "seats": []}, "field-type"),
        ({"op": "open_round", "seats": {"1": 2}}, "field-type"),
        ({"op": "turned", "place": "board"}, "missing-key"),
        ({"op": "turned", "place": "board", "card": "As", "source": "read"}, "unknown-key"),
        ({"op": "clear", "code": "stub", "role": "floor", "reason": "x"}, "missing-key"),
        ({"op": "count_stub", "cards": True}, "field-type"),
        ({"op": "count_stub", "cards": -1}, "field-type"),
        ({"op": "sign_off", "cards": 52, "role": "floor"}, "missing-key"),
        ({"op": "stop", "role": "floor", "reason": 3}, "field-type"),
        ({"op": "set_training", "on": 1, "role": "floor", "reason": "x"}, "field-type"),
        ({"op": "set_limits", "minimum_wager": 5, "maximum_wager": {}, "role": "floor", "reason": "x"}, "field-type"),
        ({"op": "correct", "of": 0, "wagers": [1]}, "field-type"),
        ({"op": "correct", "of": 0, "wagers": {"jackpot": 1}}, "unknown-key"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: dict[str, Any], code: str) -> None:
    with pytest.raises(InputError) as caught:
        _operations("stub").act(line)
    assert caught.value.code == code


def test_the_shoe_s_stacks_are_not_entered() -> None:
    """P3: a stack comes from the shoe, by its report; nobody can say that it did."""
    with pytest.raises(Refused) as caught:
        _operations().act({"op": "stack", "to": "1", "cards": 2})
    assert caught.value.code == "act"


def test_only_the_last_wager_or_decision_is_corrected() -> None:
    """P6: a mistake is corrected by a new record."""
    operations = _operations()
    wager = {"op": "wager", "position": "1", "player": "Ann", "wagers": {"ante": 1000, "blind": 1000}}
    operations.act(wager)
    operations.accepted(wager)
    fixed = {"op": "correct", "of": 0, "wagers": {"ante": 500, "blind": 500}}
    assert operations.act(fixed) == events.EntryCorrected(events.WagerPlaced("1", "Ann", {"ante": 500, "blind": 500}))
    operations.accepted(fixed)
    assert isinstance(operations.act({"op": "correct", "of": 1, "position": "2"}), events.EntryCorrected)
    why = {"role": "floor", "reason": "mis-tap"}
    explained = operations.act({"op": "correct", "of": 1, "position": "2", **why})
    assert isinstance(explained, acts.CorrectEntry)
    assert (explained.role, explained.reason) == ("floor", "mis-tap")
    with pytest.raises(InputError, match="reason"):
        operations.act({"op": "correct", "of": 1, "position": "2", "role": "floor"})
    for wrong in ({"op": "correct", "of": 5}, {"op": "correct", "of": 0, "action": "check"}):
        with pytest.raises(Refused) as caught:
            operations.act(wrong)
        assert caught.value.code == "nothing-to-correct"


def test_an_entered_card_is_corrected_like_a_wager() -> None:
    operations = _operations()
    turned = {"op": "turned", "place": "board", "card": "As"}
    operations.act(turned)
    operations.accepted(turned)
    fixed = operations.act({"op": "correct", "of": 0, "card": "Ah"})
    assert fixed == events.EntryCorrected(events.CardTurned("Ah", "board", "declared"))
    with pytest.raises(InputError, match="text"):
        operations.act({"op": "correct", "of": 0, "card": 7})
