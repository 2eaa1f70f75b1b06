"""What goes wrong at the shoe, the reader and the line: the table holds, names it, and never deals a stack twice."""

from __future__ import annotations

import pytest
from table_play import playing

from cardshoe.round import next_step as due_in_round
from cardshoe.table import view

POWER_CUTS = ["recorded", "accepted", "entry", "exit_covered", "exit_cleared", "before_ready", "ready"]


def _same_counts(dealer) -> None:  # type: ignore[no-untyped-def]
    counters = dealer.table.hands("counters")
    tally = dealer.table.shown.tally
    assert counters["stacks_dispensed"] + counters["partial_stacks"] >= tally.stacks_dispensed
    assert counters["feeds_started"] <= tally.stacks_requested + counters["shuffles"]


@pytest.mark.parametrize("device", ["power_cut", "device_reset"])
@pytest.mark.parametrize("stack", [1, 3, 4])
@pytest.mark.parametrize("at", POWER_CUTS)
def test_the_shoe_loses_power_in_a_dispense(device: str, stack: int, at: str) -> None:
    """Promise P1, condition E14: whatever the shoe says afterwards, no position ever gets a second stack."""
    fault: dict[str, object] = {"kind": device, "at": at, "stack": stack}
    if device == "power_cut":
        fault["on_after_s"] = 1
    dealer = playing(faults=(fault,))
    dealer.play(2)
    _same_counts(dealer)
    for position in "136":
        for round_id in (1, 2):
            delivered = [
                entry
                for entry in dealer.table.entries
                if entry.kind == "stack-delivered" and entry.body["to"] == position and entry.round == round_id
            ]
            assert len(delivered) <= 1


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("jam", {}),
        ("jam", {"where": "exit"}),
        ("double_feed", {}),
        ("short_feed", {}),
        ("stuck", {}),
        ("slip", {}),
        ("sensor_chatter", {}),
        ("missed_passage", {}),
        ("face_up", {"detected": True}),
    ],
)
@pytest.mark.parametrize("stack", [2, 4])
def test_a_fault_in_the_feed(kind: str, more: dict[str, object], stack: int) -> None:
    """Conditions E07, E10, E18: it holds or it passes, and the rounds come to an end in order."""
    dealer = playing(faults=({"kind": kind, "stack": stack, **more},))
    dealer.play(3)
    tally = dealer.table.shown.tally
    assert tally.completed + tally.voided == 3
    _same_counts(dealer)


@pytest.mark.parametrize("port", ["shoe", "reader"])
@pytest.mark.parametrize("kind", ["drop", "flip", "duplicate", "delay", "split", "burst", "babble"])
def test_a_bad_line(port: str, kind: str) -> None:
    """Promise P1: a line that loses, changes, repeats or delays frames costs time, never a card."""
    dealer = playing(seed=3)
    for direction in ("to_host", "to_device"):
        dealer.must("line", port=port, kind=kind, direction=direction, chance=0.15)
    dealer.play(3)
    tally = dealer.table.shown.tally
    assert dealer.table.hands("counters")["stacks_dispensed"] == tally.stacks_dispensed == tally.stacks_requested == 12


def test_the_shoe_is_unplugged_and_comes_back() -> None:
    """Condition E29, E31: dealing stops at once and goes on after the states were compared."""
    dealer = playing()
    dealer.play(1, stops=lambda: isinstance(dealer.table.shown.due, view.TakeStack))
    dealer.must("line", port="shoe", kind="unplug", for_s=5)
    dealer.table.run_until(lambda: not dealer.table.shown.shoe_up, within_s=3)
    assert "not connected" in dealer.table.shown.words
    dealer.table.run_until(lambda: dealer.table.shown.shoe_up, within_s=20)
    dealer.play(1)
    assert dealer.table.shown.tally.completed == 1
    assert dealer.table.hands("counters")["stacks_dispensed"] == 4


def test_the_door_opens_in_mid_deal() -> None:
    """Condition E11, promise P5: held, motors inhibited, nothing is dealt until the floor answers."""
    dealer = playing()
    dealer.play(1, stops=lambda: isinstance(dealer.table.shown.due, view.TakeStack))
    dealer.must("open_door")
    dealer.table.run_until(lambda: isinstance(dealer.table.shown.due, due_in_round.Held), within_s=2)
    dealer.must("take_stack", to="1")
    dealer.must("close_door")
    feeds = dealer.table.hands("counters")["feeds_started"]
    dealer.table.run_until(lambda: False, within_s=20)
    assert dealer.table.hands("counters")["feeds_started"] == feeds
    assert dealer.table.world.control({"do": "look"}, dealer.table.now)["ok"]
    dealer.play(1)
    assert dealer.table.shown.tally.voided == 1


def test_a_deck_that_was_dealt_from_is_not_dealt_from_again() -> None:
    """Deck rules: the next round waits for another verified deck."""
    dealer = playing()
    dealer.play(1)
    assert isinstance(dealer.table.shown.due, view.LoadDeck)
    armed = [entry.body["deck_id"] for entry in dealer.table.entries if entry.kind == "deck_armed"]
    dealer.play(2)
    armed = [entry.body["deck_id"] for entry in dealer.table.entries if entry.kind == "deck_armed"]
    assert len(armed) == len(set(armed)) == 2


@pytest.mark.parametrize("kind", ["missing_card", "duplicate_card", "foreign_card", "extra_card", "unreadable_card"])
def test_a_wrong_deck_is_never_dealt_from(kind: str) -> None:
    """Conditions E01 to E05: the shoe rejects it, the table alarms, and a round starts only with a right deck."""
    dealer = playing()
    dealer.play(1)
    dealer.must("fault", kind=kind)
    dealer.play(2)
    assert any(entry.kind == "alarm_raised" or entry.kind == "alarm-raised" for entry in dealer.table.entries)


@pytest.mark.parametrize("kind", ["misread", "duplicate_read", "foreign_read"])
@pytest.mark.parametrize("place", ["board", "dealer", "3"])
def test_a_reader_that_sees_wrong(kind: str, place: str) -> None:
    """Conditions E03, E05, E08: a face seen twice or of no deck holds; the rounds come to an end all the same."""
    dealer = playing(faults=({"kind": kind, "place": place},))
    dealer.play(2)
    tally = dealer.table.shown.tally
    assert tally.completed + tally.voided == 2


def test_a_reader_that_restarts_tells_nothing_new() -> None:
    dealer = playing()
    dealer.play(1, stops=lambda: len(dealer.table.shown.board_faces) == 3)
    dealer.must("reset", device="reader")
    dealer.table.run_until(lambda: False, within_s=5)
    dealer.play(1)
    assert dealer.table.shown.tally.held == 0
    assert dealer.table.shown.tally.completed == 1
