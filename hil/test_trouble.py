"""Trouble that is brought about on purpose, by relay, gate blocker, hand or the simulated world. Destructive tests."""

from __future__ import annotations

import pytest

from bench_session import Session
from bench_station import Station
from cardshoe.devices.events import DeviceLost, FaultRaised
from cardshoe.devices.shoe_events import (
    ClearFaultAnswered,
    CommandAccepted,
    CommandOutcome,
    CommandRefused,
    DeckRejected,
    DispenseFailed,
    ShoeBooted,
)
from cardshoe.devices.shoe_terms import BootCause, ClearResult, DispenseResult, Outcome
from test_stacks import ordered

DECK = ("new_deck", "load_deck", "take_stack")


@pytest.mark.needs("shoe", "motion", "destructive", hands=(*DECK, "fault jam", "press"), cards=2)
@pytest.mark.proves("SHOE-8.1", "SHOE-8.2", "SHOE-8.3", "SHOE-4.5")
def test_a_jam(station: Station, shoe: Session) -> None:
    """A jam stops the stack, refuses the next one, and is cleared only when it is gone."""
    station.fresh_deck(at_least=4)
    station.act("fault", kind="jam", card=1)
    answer = ordered(station)
    assert isinstance(answer, CommandAccepted)
    raised = shoe.wait(FaultRaised, within_s=8)
    assert raised.fault.name == "jam"
    failed = shoe.wait(DispenseFailed, within_s=8)
    assert (failed.command_id, failed.fault.name) == (answer.command_id, "jam")
    refused = ordered(station)
    assert isinstance(refused, CommandRefused)
    assert refused.refusal is DispenseResult.FAULTED
    still = shoe.ask(shoe.driver.clear_fault, ClearFaultAnswered, fault=raised.fault)
    assert still.result is ClearResult.STILL_PRESENT
    station.act("press", button="clear_jam")
    shoe.run(0.5)
    gone = shoe.ask(shoe.driver.clear_fault, ClearFaultAnswered, fault=raised.fault)
    assert gone.result is ClearResult.CLEARED


@pytest.mark.needs("shoe", "motion", "destructive", hands=(*DECK, "power"), cards=7)
@pytest.mark.proves("SHOE-4.9", "SHOE-3.2", "SHOE-3.5", "SHOE-8.5", "LINK-5.10")
def test_the_power_goes_in_mid_feed(station: Station, shoe: Session) -> None:
    """After a power cut in mid-feed the command is told as interrupted, and never carried out again."""
    station.fresh_deck(at_least=7)
    boots = shoe.identity.boot_counter
    shoe.expects_loss = True
    answer = ordered(station, cards=7)
    assert isinstance(answer, CommandAccepted)
    station.act("power", device="shoe", state="off")
    shoe.wait(DeviceLost, within_s=5)
    station.units["shoe"].watched.cut()
    station.act("power", device="shoe", state="on")
    again = station.session("shoe")
    assert again.identity.boot_counter == boots + 1
    assert again.wait(ShoeBooted, within_s=3).cause is BootCause.POWER_ON
    told = again.ask(again.driver.query_command, CommandOutcome, command_id=answer.command_id)
    assert told.outcome in (Outcome.INTERRUPTED, Outcome.DONE)
    before = again.state().cards_total
    assert ordered(station, command_id=answer.command_id, cards=7) == CommandRefused(
        answer.command_id, DispenseResult.STALE_COMMAND
    )
    again.run(1.0)
    assert again.state().cards_total == before


@pytest.mark.needs("shoe", "destructive", hands=("reset",))
@pytest.mark.proves("LINK-5.4", "LINK-5.10", "LINK-7.2", "SHOE-8.5")
def test_a_restart_is_seen(station: Station, shoe: Session) -> None:
    """A restart ends the session; the next one tells it by the boot counter and BOOTED."""
    boots = shoe.identity.boot_counter
    shoe.expects_loss = True
    station.act("reset", device="shoe")
    shoe.wait(DeviceLost, within_s=5)
    again = station.session("shoe")
    assert again.identity.boot_counter == boots + 1
    assert again.wait(ShoeBooted, within_s=3).cause is BootCause.RESET


@pytest.mark.needs("shoe", "motion", "destructive", "shoe:COUNTS_DECK", hands=(*DECK, "fault missing_card"))
@pytest.mark.proves("SHOE-6.2", "SHOE-6.4")
def test_a_deck_of_51(station: Station, shoe: Session) -> None:
    """A deck that lacks a card is rejected, with what it lacks."""
    station.act("new_deck")
    station.act("load_deck")
    station.act("fault", kind="missing_card")
    shoe.run(0.3)
    rejected = station.prepare()
    assert isinstance(rejected, DeckRejected)
    assert (rejected.cards, rejected.missing) == (51, 1)
    assert rejected.unreadable == rejected.foreign == rejected.jokers == 0
    station.act("new_deck")
