"""A dispense of which nobody knows stays open, over a void, a restart, another shoe: no round ends before it (P3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from table_play import TOML, Dealer, config, playing, world

from cardshoe.errors import Refused
from cardshoe.games.verdicts import Case
from cardshoe.lab.virtual import VirtualTable
from cardshoe.round import next_step as due_in_round
from cardshoe.round.events import FloorRuled, HoldCleared, IrregularityFound, RoundCompleted
from cardshoe.round.machine import apply
from cardshoe.round.records import to_record
from cardshoe.table import view
from cardshoe.table.acts import ClearAlarm, OpenRound
from cardshoe.table.config import TableConfig, parse_config
from cardshoe.table.controller import Controller
from cardshoe.table.memory import noted
from cardshoe.table.state import Command, TableState, Work, absorb

LATE_MS = 1500


def _on_its_way(*, answered: bool = False) -> Dealer:
    """A table whose second stack was asked for, while the line to the shoe holds everything back for `LATE_MS`."""
    dealer = playing(positions="136")
    dealer.play(1, stops=lambda: isinstance(dealer.table.shown.due, view.TakeStack))
    port = {"port": "shoe", "kind": "delay", "direction": "to_device", "ms": LATE_MS, "frames": 40}
    if not answered:
        dealer.must("line", **port)
    dealer.must("take_stack", to="1")
    command = dealer.table.controller.state.command
    assert command is not None
    first = command.command_id
    assert dealer.table.run_until(lambda: _open_id(dealer) not in (0, first), within_s=5)
    return dealer


def _without_shoe() -> TableConfig:
    parts = TOML.format(game="ultimate-texas-holdem", house="")
    by_hand = parts.replace('mode = "bench"', 'mode = "bench"\nmethod = "hand"')
    return parse_config(by_hand.replace('[devices.shoe]\nurl = "sim://shoe"\n', ""), "test.toml")


def _open_id(dealer: Dealer) -> int:
    command = dealer.table.controller.state.command
    return 0 if command is None else command.command_id


def _device_fault(dealer: Dealer) -> None:
    dealer.table.act(IrregularityFound(Case.DEVICE_FAULT))


def _void_all(dealer: Dealer) -> None:
    """The floor answers another question with a void of everything."""
    dealer.must("open_door")
    assert dealer.table.run_until(lambda: isinstance(dealer.table.shown.due, due_in_round.Held), within_s=5)
    due = dealer.table.shown.due
    assert isinstance(due, due_in_round.Held)
    dealer.must("close_door")
    dealer.table.act(HoldCleared(due.hold.code, "void-all", "floor", "the door was open"))


def _ruled(dealer: Dealer) -> None:
    dealer.table.act(FloorRuled("all", "void", "nothing can be proved"))


def _hand_by_hand(dealer: Dealer) -> None:
    for position in dealer.positions:
        dealer.table.act(FloorRuled(position, "void", "nothing can be proved"))


ROADS: dict[str, Callable[[Dealer], None]] = {
    "a fault of the equipment": _device_fault,
    "void-all as an answer": _void_all,
    "a ruling of the floor": _ruled,
    "every hand by itself": _hand_by_hand,
}


@pytest.mark.parametrize("road", ROADS)
def test_no_round_ends_while_a_dispense_is_open(road: str) -> None:
    """P1, P3: the command stays open over the void; completing waits for the shoe; nothing comes out afterwards."""
    dealer = _on_its_way()
    asked = _open_id(dealer)
    ROADS[road](dealer)
    assert _open_id(dealer) == asked
    with pytest.raises(Refused, match=r"command 2\b.*wait") as refused:
        dealer.table.act(RoundCompleted())
    assert refused.value.code == "command-open"
    assert not isinstance(dealer.table.shown.due, due_in_round.CompleteRound | view.OpenRoundDue)
    dealer.play(1)
    feeds = dealer.table.hands("counters")["feeds_started"]
    assert dealer.table.shown.tally.voided == 1
    assert _open_id(dealer) == 0
    dealer.table.run_until(lambda: False, within_s=10)
    shuffles = dealer.table.hands("counters")["shuffles"]
    assert dealer.table.hands("counters")["feeds_started"] == feeds
    dealer.play(2)
    tally = dealer.table.shown.tally
    assert (tally.completed, tally.voided) == (1, 1)
    assert dealer.table.hands("counters")["stacks_dispensed"] == tally.stacks_dispensed == tally.stacks_requested
    assert shuffles <= dealer.table.hands("counters")["shuffles"]


def _unplugged() -> Dealer:
    """A table whose shoe is unplugged while a stack is on its way, and whose round is void then."""
    dealer = playing(positions="136")
    dealer.play(1, stops=lambda: _open_id(dealer) != 0)
    dealer.must("line", port="shoe", kind="unplug", for_s=20)
    dealer.table.run_until(lambda: not dealer.table.shown.shoe_up, within_s=5)
    _device_fault(dealer)
    return dealer


def test_a_restart_does_not_lose_the_open_dispense() -> None:
    """P2, P3: killed, restarted, without the shoe: the round does not end until the shoe is there and has answered."""
    dealer = _unplugged()
    table = dealer.table
    again = VirtualTable(config(), table.world, seed=9, entries=list(table.entries), now=table.now)
    dealer = Dealer(again)
    assert "has not said" in again.shown.words
    for act in (RoundCompleted(), OpenRound()):
        with pytest.raises(Refused):
            again.act(act)
    dealer.play(1)
    assert again.shown.shoe_up
    assert again.shown.tally.voided == 1
    dealer.play(2)
    tally = again.shown.tally
    assert again.hands("counters")["stacks_dispensed"] == tally.stacks_dispensed


def test_the_word_of_another_shoe_is_worth_nothing() -> None:
    """P1, E35: what another shoe says of a command is no answer; the floor is asked where the stack is."""
    dealer = _unplugged()
    table = dealer.table
    again = VirtualTable(config(), world(seed=77), seed=9, entries=list(table.entries), now=0.0)
    dealer = Dealer(again)
    again.run_until(lambda: again.shown.shoe_up, within_s=10)
    codes = [hold.code for hold in again.controller.state.round.holds] if again.controller.state.round else []
    assert "stack-unknown" in codes
    (unknown,) = [entry for entry in again.entries if entry.kind == "stack-unknown"]
    assert "stands in the place" in str(unknown.body["why"])
    assert not any(entry.kind == "command_answered" for entry in again.entries)
    dealer.play(1)
    assert again.shown.tally.voided == 1


def test_another_shoe_is_not_asked_about_a_stack_that_is_awaited() -> None:
    """P1, E35: with the round going on, "never seen" of another shoe would deal the stack a second time."""
    dealer = playing(positions="136")
    dealer.play(1, stops=lambda: _open_id(dealer) != 0)
    entries = list(dealer.table.entries)
    again = VirtualTable(config(), world(seed=77), seed=9, entries=entries)
    again.run_until(lambda: again.shown.shoe_up, within_s=10)
    again.run_until(lambda: False, within_s=5)
    assert [entry.kind for entry in again.entries if entry.kind == "stack-not-moved"] == []
    assert again.hands("counters")["feeds_started"] == 0
    assert isinstance(again.shown.due, due_in_round.Held)


def test_a_shoe_whose_events_have_caught_up_is_found_by_its_starts() -> None:
    """P1, E27: a shoe with an empty memory may have counted up to where it was; it has started too seldom for it."""
    dealer = playing(positions="136", seed=7)
    dealer.play(1, stops=lambda: _open_id(dealer) != 0)
    entries = [
        replace(each, body={**each.body, "boot_counter": 9}) if each.kind == "device_identified" else each
        for each in dealer.table.entries
    ]
    again = VirtualTable(config(), world(seed=7), seed=9, entries=entries, now=dealer.table.now)
    again.run_until(lambda: again.shown.shoe_up, within_s=10)
    again.run_until(lambda: False, within_s=5)
    assert {"stack-unknown", "events-lost"} <= set(_codes(Dealer(again)))
    assert "start 1 after 9" in str([each.body for each in again.entries if each.kind == "alarm-raised"])
    assert again.hands("counters")["feeds_started"] == 0


def test_a_shoe_that_lost_its_memory_cannot_say_that_it_never_saw_a_command() -> None:
    """P1, E27: the same shoe, its memory gone: a stack may lie on the table, so the floor looks; none comes unasked."""
    dealer = playing(positions="136", seed=7)
    dealer.play(1)
    dealer.play(2, stops=lambda: isinstance(dealer.table.shown.due, view.TakeStack))
    entries = list(dealer.table.entries)
    while "StackReady" in str(entries[-1].body):
        entries.pop()  # the table died before it was on disk
    again = VirtualTable(config(), world(seed=7), seed=9, entries=entries, now=dealer.table.now)
    dealer = Dealer(again, positions="136")
    again.run_until(lambda: again.shown.shoe_up, within_s=10)
    again.run_until(lambda: False, within_s=5)
    assert "stack-unknown" in _codes(dealer)
    assert [each.kind for each in again.entries if each.kind == "stack-not-moved"] == []
    assert again.hands("counters")["feeds_started"] == 0
    dealer.play(2)
    assert again.shown.tally.voided == 1


def test_a_table_that_has_no_shoe_any_more_asks_the_floor() -> None:
    """P1: a new configuration without the shoe is no road past an open dispense."""
    table = _unplugged().table
    state = TableState()
    for entry in table.entries:
        state = absorb(state, entry.kind, entry.body)
    controller = Controller(_without_shoe(), state)
    with pytest.raises(Refused) as refused:
        controller.act(RoundCompleted(), 0.0)
    assert refused.value.code == "command-open"
    round_ = controller.state.round
    assert round_ is not None
    assert [hold.code for hold in round_.holds] == ["stack-unknown"]
    controller.act(HoldCleared("stack-unknown", "continue", "floor", "the shoe is gone, and empty"), 0.0)
    controller.act(RoundCompleted(), 0.0)
    assert controller.state.round_closed
    assert controller.state.command is None


def test_between_rounds_an_open_dispense_of_an_older_journal_is_settled_first() -> None:
    """P3: a note of an older version may hold a dispense that its round forgot."""
    dealer = playing()
    dealer.play(1)
    note = dict(noted(dealer.table.controller.state))
    note["command"] = {"command_id": 4, "work": "dispense", "to": "dealer", "cards": 2, "ready": False}
    del note["uncounted"]
    state = absorb(TableState(), "table_noted", note)
    assert state.command == Command(4, Work.DISPENSE, "dealer", 2)
    assert state.unwanted is not None
    controller = Controller(config(), state)
    with pytest.raises(Refused, match="command 4"):
        controller.act(OpenRound(), 0.0)
    state = absorb(state, "command_answered", {"command_id": 4, "outcome": "done", "cards_seen": 2})
    assert state.command is None


# --- questions that a void makes needless


@pytest.mark.parametrize("taken_first", [True, False])
def test_a_void_answers_how_many_cards_there_are(taken_first: bool) -> None:
    """NY-5324.36(h)(1): void-all as the answer to an incomplete stack asks nothing more about its count."""
    dealer = playing(positions="13", faults=({"kind": "jam", "card": 2, "where": "path"},))
    dealer.play(1, stops=lambda: "stack-incomplete" in _codes(dealer))
    if taken_first:
        dealer.must("take_stack", to="1")
        assert dealer.table.run_until(lambda: "stack-wrong-count" in _codes(dealer), within_s=5)
    dealer.must("press", button="clear_jam")
    round_ = dealer.table.controller.state.round
    assert round_ is not None
    dealer.table.act(HoldCleared("stack-incomplete", "void-all", "floor", "one card came out"))
    if not taken_first:
        dealer.table.hands("take_stack", to="1")
    dealer.table.run_until(lambda: False, within_s=3)
    assert "stack-wrong-count" not in _codes(dealer)
    with pytest.raises(Refused, match="stack-wrong-count"):
        dealer.table.act(HoldCleared("stack-wrong-count", "by-rule", "floor", "counted"))
    dealer.play(1)
    assert dealer.table.shown.tally.voided == 1


def _codes(dealer: Dealer) -> list[str]:
    round_ = dealer.table.controller.state.round
    return [hold.code for hold in round_.holds] if round_ is not None else []


def test_an_older_record_may_answer_what_a_void_made_needless() -> None:
    """P6: journals in which the question was asked and answered after the void are replayed as before."""
    dealer = playing(positions="13", faults=({"kind": "jam", "card": 2, "where": "path"},))
    dealer.play(1, stops=lambda: "stack-incomplete" in _codes(dealer))
    dealer.must("take_stack", to="1")
    assert dealer.table.run_until(lambda: "stack-wrong-count" in _codes(dealer), within_s=5)
    dealer.table.act(HoldCleared("stack-incomplete", "void-all", "floor", "one card came out"))
    round_ = dealer.table.controller.state.round
    assert round_ is not None
    answer = HoldCleared("stack-wrong-count", "by-rule", "floor", "counted")
    after, _ = apply(round_, answer)
    assert after.moot == ()
    with pytest.raises(Refused):
        apply(after, answer)


# --- counts


def test_a_stack_that_is_reported_after_its_question_was_answered_is_counted_once() -> None:
    """The interface's stacks_requested equals stacks_dispensed, in whichever order people and shoe tell of a stack."""
    ready = {"event": "StackReady", "event_id": 9, "command_id": 7, "deck_id": 1, "cards": 2, "first_slot": 0}
    unknown = {"command_id": 7, "kind": "stack-unknown", "why": "lost"}

    def cleared(choice: str) -> dict[str, object]:
        answer = HoldCleared("stack-unknown", choice, "floor", "looked")
        return dict(to_record(answer))

    start = _requested(7)
    assert (start.tally.stacks_requested, start.tally.stacks_dispensed) == (1, 0)
    for choice in ("delivered", "void-all"):
        state = absorb(absorb(start, "stack-unknown", unknown), "hold-cleared", cleared(choice))
        assert state.tally.stacks_dispensed == (1 if choice == "delivered" else 0)
        for _ in range(2):
            state = absorb(state, "shoe_reported", ready)
        assert state.tally.stacks_dispensed == 1
    state = absorb(start, "shoe_reported", ready)
    state = absorb(state, "stack-delivered", {"kind": "stack-delivered", "command_id": 7, "to": "1", "cards": 2})
    assert (state.tally.stacks_requested, state.tally.stacks_dispensed) == (1, 1)


def _requested(command_id: int) -> TableState:
    dealer = playing(positions="1")
    dealer.play(1, stops=lambda: isinstance(dealer.table.shown.due, view.Wait | due_in_round.RequestStack))
    entries = [each for each in dealer.table.entries if each.kind not in ("stack-requested", "shoe_reported")]
    state = TableState()
    for entry in entries:
        if entry.kind == "stack-delivered":
            break
        state = absorb(state, entry.kind, entry.body)
    request = {"kind": "stack-requested", "command_id": command_id, "to": "1", "cards": 2}
    return absorb(state, "stack-requested", request)


def test_an_alarm_between_rounds_names_the_stack_nobody_knows_of() -> None:
    """P5: with no round open, the floor is asked as well, and the table is held until it has answered."""
    dealer = playing()
    dealer.play(1)
    note = dict(noted(dealer.table.controller.state))
    note["command"] = {"command_id": 4, "work": "dispense", "to": "dealer", "cards": 2, "ready": False}
    controller = Controller(_without_shoe(), absorb(TableState(), "table_noted", note))
    with pytest.raises(Refused, match="command 4"):
        controller.act(OpenRound(), 0.0)
    (alarm,) = controller.state.alarms
    assert alarm.code == "stack-unknown"
    controller.act(ClearAlarm("stack-unknown", "floor", "the shoe is gone"), 0.0)
    controller.act(OpenRound(), 0.0)
