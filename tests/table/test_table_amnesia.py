"""A shoe that comes back with an empty memory under the same serial number (condition E27)."""

from __future__ import annotations

from table_play import Dealer, config, playing, world

from cardshoe.lab.virtual import VirtualTable


def test_a_shoe_that_lost_its_memory_is_asked_about_once_and_then_works() -> None:
    first = playing(seed=7)
    first.play(2)
    again = VirtualTable(config(), world(7), seed=8, entries=list(first.table.entries), now=first.table.now)
    dealer = Dealer(again)
    dealer.connect()
    dealer.play(5)
    tally = again.shown.tally
    asked = [entry for entry in again.entries if entry.kind in ("alarm_raised", "alarm-raised")]
    assert ["memory" in str(entry.body["text"]) for entry in asked] == [True] * len(asked)
    assert 1 <= len(asked) <= 2  # one for each device
    assert tally.completed + tally.voided == 5
    assert (
        again.hands("counters")["stacks_dispensed"] == tally.stacks_dispensed - first.table.shown.tally.stacks_dispensed
    )
