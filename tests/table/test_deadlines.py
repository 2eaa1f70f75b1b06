"""Every wait for the shoe has an end, and the end is a question for people (promise P9)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from table_play import Dealer, config, playing, world

from cardshoe.devices import shoe_events as shoe
from cardshoe.devices.events import DeviceIdentified, DeviceLost, RequestFailed
from cardshoe.devices.shoe_terms import Outcome
from cardshoe.errors import DeviceError
from cardshoe.lab.virtual import VirtualTable
from cardshoe.link.events import Identity, LostReason
from cardshoe.table import view
from cardshoe.table.memory import noted


class Mute(VirtualTable):
    """A shoe whose answers to some questions never come, though its line is up."""

    unheard: tuple[type, ...] = ()

    def _input(self, port: str, event: Any) -> Any:
        if isinstance(event, self.unheard):
            return lambda: self.controller.advance(self.now)
        return super()._input(port, event)


def questions(table: VirtualTable) -> list[str]:
    round_ = table.controller.desk.open_round
    held = [hold.code for hold in round_.holds] if round_ is not None else []
    return held + [alarm.code for alarm in table.controller.state.alarms]


def muted(*unheard: type, seed: int = 1) -> Dealer:
    table = Mute(config(), world(seed), seed=seed)
    table.unheard = unheard
    dealer = Dealer(table)
    dealer.connect()
    return dealer


def test_a_shoe_that_answers_no_question_is_an_alarm_after_five_seconds() -> None:
    """Deadline: the line is up, status comes, the answer to an inhibit does not."""
    dealer = muted(shoe.InhibitAnswered)
    table = dealer.table
    dealer.play(1, stops=lambda: isinstance(table.shown.due, view.TakeStack))
    dealer.must("open_door")
    table.run_until(lambda: "shoe-door-opened" in questions(table), within_s=2)
    asked = table.now
    assert "shoe-does-not-answer" not in questions(table)
    assert table.run_until(lambda: "shoe-does-not-answer" in questions(table), within_s=8)
    assert 4.5 < table.now - asked < 6.5
    assert table.shown.shoe_up


def test_time_without_a_line_is_not_the_shoes() -> None:
    """Deadline: a line that was down for a minute is no answer that is late."""
    dealer = playing()
    live = dealer.table.controller.desk.live
    live.asked = True
    assert not live.owed(100.0)
    assert not live.owed(103.0)
    live.lost(103.0)
    live.asked = True
    assert not live.owed(200.0)
    assert not live.owed(201.9)
    assert live.owed(202.1)
    live.answered()
    assert not live.owed(203.0)


def test_a_shoe_that_says_done_and_reports_nothing_is_asked_about_by_people() -> None:
    """Deadline, promise P1: done, but where the cards are nobody was told: a person says, no second stack comes."""
    dealer = muted(shoe.StackReady)
    table = dealer.table
    dealer.play(1, stops=lambda: table.controller.state.command is not None)
    assert table.run_until(lambda: "stack-unknown" in questions(table), within_s=60)
    assert table.hands("counters")["stacks_dispensed"] == 1


@pytest.mark.parametrize("outcome", [Outcome.RUNNING, Outcome.FAILED])
def test_a_deck_that_never_gets_ready_is_an_alarm(outcome: Outcome) -> None:
    """Deadline: a preparation that runs for ever, or failed without a report."""
    dealer = muted(shoe.DeckVerified)
    table = dealer.table
    dealer.play(1)
    dealer.must("load_deck")
    table.run_until(lambda: table.controller.state.command is not None, within_s=5)
    command = table.controller.state.command
    assert command is not None
    told = shoe.CommandOutcome(command.command_id, outcome, None, taken=False, first_slot=None, fault=None)
    live = table.controller.desk.live
    for _ in range(2):
        live.command_unknown, live.command_due = True, None
        table._carry_out(table.controller.shoe(told, table.now))
    assert questions(table) == ["deck-overdue" if outcome is Outcome.RUNNING else "deck-rejected"]


def test_a_failed_request_is_made_again_and_counts_as_no_answer() -> None:
    """Deadline: what failed on the way is asked again; only an answer ends the wait."""
    dealer = playing()
    table = dealer.table
    live = table.controller.desk.live
    live.asked = True
    live.owed(table.now)
    since = live.waiting_since
    table._carry_out(table.controller.shoe(RequestFailed("QUERY_COMMAND", 1, LostReason.UNANSWERED), table.now))
    assert not live.asked
    assert live.waiting_since == since


def test_a_thousand_losses_leave_nothing_behind_but_their_count() -> None:
    """Bad links: what is kept of a device that comes and goes does not grow, nor does what waits to be done."""
    dealer = playing()
    controller = dealer.table.controller
    identity = Identity(
        1, "CS-SIM-SHOE", controller.state.devices["shoe"].serial, "1.0.0-sim", b"", 1, 128, 31, 1, 1, 1
    )
    error = DeviceError("device-lost-silence", "the shoe fell silent")
    sizes = []
    for number in range(1, 1001):
        for event in (DeviceLost(LostReason.SILENCE, error), DeviceIdentified(identity)):
            step = controller.shoe(event, float(number))
            assert len(step.entries) == 1
            assert step.orders == ()
        sizes.append(len(json.dumps(noted(controller.state))))
    assert controller.state.upkeep.shift.losses == 1000
    assert max(sizes) - min(sizes) <= 3  # the digits of the count
