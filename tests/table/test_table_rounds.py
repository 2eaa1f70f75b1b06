"""Rounds through the whole stack in virtual time: order, counts, what is written, what a restart rebuilds."""

from __future__ import annotations

import pytest
from table_play import Dealer, config, playing, world

from cardshoe.errors import Refused
from cardshoe.lab.virtual import VirtualTable
from cardshoe.round.events import CoverCardInserted, DecisionMade, NoMoreBetsCalled, StackDelivered
from cardshoe.table.state import TableState, absorb

BOARD_FROM_HAND = 'board_from = "hand"'


@pytest.mark.parametrize(
    ("game", "house"),
    [("ultimate-texas-holdem", ""), ("texas-holdem-bonus", BOARD_FROM_HAND), ("three-card-poker", "")],
)
def test_rounds_of_each_game_are_dealt_from_the_shoe(game: str, house: str) -> None:
    """NY-5324.36(d)(2), NY-5324.35(d)(2): one stack for each wagering position and the dealer, none more."""
    dealer = playing(game=game, house=house)
    dealer.play(3)
    tally = dealer.table.shown.tally
    assert (tally.completed, tally.voided, tally.held) == (3, 0, 0)
    assert tally.stacks_requested == tally.stacks_dispensed == 12
    assert dealer.table.hands("counters")["stacks_dispensed"] == 12


def test_stacks_go_from_the_far_left_and_to_the_dealer_last() -> None:
    """NY-5324.36(d)(2)."""
    dealer = playing(positions="2456")
    dealer.play(1)
    requested = [entry.body["to"] for entry in dealer.table.entries if entry.kind == "stack-requested"]
    assert requested == ["2", "4", "5", "6", "dealer"]


def test_the_intent_is_written_before_the_order_is_given() -> None:
    """Promise P2: every dispense that the shoe saw has its intent among the entries before it."""
    dealer = playing()
    dealer.play(1)
    kinds = [entry.kind for entry in dealer.table.entries]
    for place, entry in enumerate(dealer.table.entries):
        if entry.kind == "shoe_reported" and entry.body["event"] == "StackReady":
            intents = [e.body["command_id"] for e in dealer.table.entries[:place] if e.kind == "stack-requested"]
            assert entry.body["command_id"] in intents
    assert kinds.index("no-more-bets-called") < kinds.index("stack-requested")


def test_what_was_written_rebuilds_the_state() -> None:
    """Promise P2: absorbing the entries gives the state that the table has, at every point."""
    dealer = playing()
    dealer.play(2)
    state = TableState()
    for entry in dealer.table.entries:
        state = absorb(state, entry.kind, entry.body)
    assert state == dealer.table.controller.state


class Crashed(Exception):
    pass


class CrashingTable(VirtualTable):
    """Dies once `limit` entries are on disk, before the orders that go with the last of them."""

    limit = 0

    def _carry_out(self, step) -> None:  # type: ignore[no-untyped-def]
        self.entries.extend(step.entries)
        if len(self.entries) >= self.limit:
            raise Crashed
        for order in step.orders:
            self._perform(order)


def _entries_of_a_round() -> int:
    dealer = playing(seed=5)
    dealer.play(1)
    return len(dealer.table.entries)


@pytest.mark.parametrize("limit", range(1, _entries_of_a_round(), 3))
def test_a_table_killed_anywhere_comes_back_and_deals_no_stack_twice(limit: int) -> None:
    """Promises P1 and P2: killed after any entry, before its orders; the restarted table finishes the round."""
    the_world = world(5)
    crashing = CrashingTable(config(), the_world, seed=5)
    crashing.limit = limit
    with pytest.raises(Crashed):
        dealer = Dealer(crashing)
        dealer.connect()
        dealer.play(1)
    again = VirtualTable(config(), the_world, seed=6, entries=crashing.entries, now=crashing.now + 0.5)
    dealer = Dealer(again)
    dealer.connect()
    dealer.play(1)
    tally = again.shown.tally
    assert (tally.completed, tally.voided, tally.held) == (1, 0, 0)
    assert again.hands("counters")["stacks_dispensed"] == tally.stacks_dispensed == 4


def test_a_person_cannot_enter_what_a_device_reports() -> None:
    dealer = playing()
    dealer.play(1, stops=lambda: "no more bets" in dealer.table.shown.words)
    for event in (StackDelivered(1, "1", 2), CoverCardInserted()):
        with pytest.raises(Refused, match="device"):
            dealer.table.act(event)


def test_a_refused_act_writes_nothing() -> None:
    dealer = playing()
    dealer.play(1, stops=lambda: "no more bets" in dealer.table.shown.words)
    before = list(dealer.table.entries)
    with pytest.raises(Refused):
        dealer.table.act(DecisionMade("1", "check"))
    assert dealer.table.entries == before


def test_no_stack_before_no_more_bets() -> None:
    """NY-5324.36(c)(2), promise P3: nothing is dispensed while wagers are open, however long that lasts."""
    dealer = playing()
    dealer.play(1, stops=lambda: "no more bets" in dealer.table.shown.words)
    dealer.table.run_until(lambda: False, within_s=30)
    assert dealer.table.hands("counters")["feeds_started"] == 0


def test_a_round_without_wagers_deals_nothing() -> None:
    dealer = playing()
    dealer.play(1, stops=lambda: "no more bets" in dealer.table.shown.words)
    dealer.table.act(NoMoreBetsCalled())
    dealer.play(1)
    assert dealer.table.hands("counters")["feeds_started"] == 0
