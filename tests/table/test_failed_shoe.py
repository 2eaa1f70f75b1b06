"""A shoe that fails in mid-round: people decide what became of its stack, the round ends, another shoe comes."""

from __future__ import annotations

import pytest
from table_play import Dealer, config, playing, world

from cardshoe.errors import Refused
from cardshoe.lab.virtual import VirtualTable
from cardshoe.round import next_step as due_in_round
from cardshoe.round.events import (
    AlarmRaised,
    FloorRuled,
    HoldCleared,
    NoMoreBetsCalled,
    RoundOpened,
    StackDelivered,
    StackRequested,
    WagerPlaced,
)
from cardshoe.round.machine import replay
from cardshoe.table import view
from cardshoe.table.acts import ShoeGivenUp
from cardshoe.table.outcomes import outcomes


def _failed() -> Dealer:
    """A table whose shoe was asked for a stack, and whose cable was pulled for good."""
    dealer = playing(positions="136")
    dealer.play(1, stops=lambda: dealer.table.controller.state.command is not None)
    dealer.must("line", port="shoe", kind="unplug")
    assert dealer.table.run_until(lambda: not dealer.table.shown.shoe_up, within_s=5)
    return dealer


def test_a_shoe_that_is_there_is_not_given_up() -> None:
    """P1: as long as the shoe can be asked, nobody decides in its place; one that owes nothing needs no ruling."""
    dealer = playing(positions="136")
    dealer.play(1, stops=lambda: dealer.table.controller.state.command is not None)
    with pytest.raises(Refused) as refused:
        dealer.table.act(ShoeGivenUp("floor", "it smokes"))
    assert refused.value.code == "shoe-answers"
    with pytest.raises(Refused) as refused:
        dealer.table.act(ShoeGivenUp("dealer", "it smokes"))
    assert refused.value.code == "role"
    dealer.play(1)
    dealer.must("line", port="shoe", kind="unplug")
    assert dealer.table.run_until(lambda: not dealer.table.shown.shoe_up, within_s=5)
    with pytest.raises(Refused) as refused:
        dealer.table.act(ShoeGivenUp("floor", "it smokes"))
    assert refused.value.code == "shoe-owes-nothing"


@pytest.mark.parametrize("void_first", [False, True])
def test_the_round_of_a_failed_shoe_ends_by_people_and_another_shoe_deals_the_next(void_first: bool) -> None:
    """P1, P3, E35: the open stack is never dealt again; every wager goes back; the next round comes from another shoe,
    of whose deck nothing is known."""
    dealer = _failed()
    table = dealer.table
    assert table.shown.shoe_owes
    if void_first:
        table.act(FloorRuled("all", "void", "the shoe is dead"))
        assert isinstance(table.shown.due, view.Wait)
    table.act(ShoeGivenUp("floor", "it smokes"))
    due = table.shown.due
    assert isinstance(due, due_in_round.Held)
    assert due.hold.code == "stack-unknown"
    answer = "void-all" if "void-all" in due.hold.choices else due.hold.choices[0]
    assert table.shown.outcomes[answer] == ("goes-on" if void_first else "void-all")
    table.act(HoldCleared(due.hold.code, answer, "floor", "no card lies in the gate"))
    dealer.play(1)
    assert (table.shown.tally.voided, table.shown.shoe_owes) == (1, False)
    again = VirtualTable(config(), world(seed=77), seed=9, entries=list(table.entries), now=0.0)
    assert again.run_until(lambda: again.shown.shoe_up, within_s=10)
    Dealer(again).play(2)
    assert again.shown.tally.completed == 1
    [given_up] = [entry for entry in again.entries if entry.kind == "shoe_given_up"]
    assert given_up.body["reason"] == "it smokes"


def test_each_answer_says_what_it_leads_to() -> None:
    """NY-5324.36(h)(3): a supervisor reads beside "as the rule says" which hands that makes void; nothing changes."""
    opened = RoundOpened(1, "ultimate-texas-holdem", "automated-shoe", {}, {"1": "Ann", "3": "Bob"})
    wagers = [WagerPlaced(position, player, {"ante": 500, "blind": 500}) for position, player in opened.seats.items()]
    state = replay(opened, [*wagers, NoMoreBetsCalled(), StackRequested(1, "1", 2), StackDelivered(1, "1", 3)])
    [hold] = state.holds
    assert outcomes(state, hold) == {"by-rule": "void 1", "misread": "goes-on"}
    state = replay(opened, [*wagers, NoMoreBetsCalled(), AlarmRaised("stop-asked", "The dealer has stopped the shoe.")])
    [hold] = state.holds
    assert outcomes(state, hold) == {"continue": "goes-on", "void-all": "void-all"}
