"""Stacks: what is ordered comes out, once, and nothing comes out when it may not. These tests move cards."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bench_session import Session
from bench_station import CARD_S, Station
from cardshoe.devices.shoe_events import (
    CommandAccepted,
    CommandOutcome,
    CommandRefused,
    DispenseInterrupted,
    InhibitAnswered,
    LeaseLost,
    StackReady,
)
from cardshoe.devices.shoe_terms import DispenseResult, InterruptCause, Outcome, ShoeState

TAKE = ("take_stack", "load_deck", "new_deck")


def ordered(station: Station, **changes: int) -> CommandAccepted | CommandRefused:
    """Order a stack and return only the answer."""
    shoe = station.session("shoe")
    order = {"command_id": station.command_id(), "deck_id": shoe.status.deck_id, "cards": 2, "destination": 1} | changes
    answer: CommandAccepted | CommandRefused = shoe.ask(shoe.driver.dispense, CommandAccepted, CommandRefused, **order)
    if isinstance(answer, CommandAccepted):
        station.cards_fed += order["cards"]
    return answer


@pytest.mark.needs("shoe", "motion", hands=TAKE, cards=2)
@pytest.mark.proves("SHOE-4.1", "SHOE-4.3", "SHOE-4.4", "SHOE-4.8", "SHOE-2.4")
@pytest.mark.parametrize("cards", [1, 2, 3, 7])
def test_a_stack(station: Station, cards: int, measure: Callable[..., None]) -> None:
    """A stack comes whole, is counted as it is, and its taking is told."""
    station.fresh_deck(at_least=cards)
    before = station.session("shoe").state()
    ready, seconds = station.dispense(cards)
    assert ready.cards == cards
    lying = station.session("shoe").state()
    assert (lying.state, lying.gate_cards) == (ShoeState.STACK_AT_GATE, cards)
    counted, taken = station.take()
    assert (counted, taken.cards) == (cards, cards)
    after = station.session("shoe").state()
    assert after.cards_total - before.cards_total == cards
    assert after.stacks_total - before.stacks_total == 1
    measure("stack ordered to ready, a card", [1000 * seconds / cards], "ms", most=1000 * CARD_S, clause="SHOE-4.3")


@pytest.mark.needs("shoe", "motion", hands=TAKE, cards=2)
@pytest.mark.proves("SHOE-3.3", "SHOE-3.6", "SHOE-4.2")
def test_a_command_id_counts_once(station: Station, shoe: Session) -> None:
    """The same command id again is stale, whatever else is ordered with it, and nothing moves."""
    station.fresh_deck(at_least=2)
    ready, _ = station.dispense(2)
    station.take()
    before = shoe.state().cards_total
    for cards in (2, 3):
        answer = ordered(station, command_id=ready.command_id, cards=cards)
        assert answer == CommandRefused(ready.command_id, DispenseResult.STALE_COMMAND)
    shoe.run(1.0)
    assert shoe.state().cards_total == before
    told = shoe.ask(shoe.driver.query_command, CommandOutcome, command_id=ready.command_id)
    assert (told.outcome, told.cards_seen, told.taken) == (Outcome.DONE, 2, True)


@pytest.mark.needs("shoe", "motion", hands=TAKE, cards=1)
@pytest.mark.proves("SHOE-4.2")
def test_nothing_is_dealt_onto_a_stack(station: Station) -> None:
    """A stack in the gate refuses the next."""
    station.fresh_deck(at_least=3)
    station.dispense(1)
    answer = ordered(station)
    assert isinstance(answer, CommandRefused)
    assert answer.refusal is DispenseResult.GATE_OCCUPIED
    assert station.take()[0] == 1


@pytest.mark.needs("shoe", "motion", hands=("new_deck", "load_deck"))
@pytest.mark.proves("SHOE-5.1", "SHOE-4.2", "SHOE-3.4")
def test_an_inhibited_shoe_refuses(station: Station, shoe: Session) -> None:
    """SET_INHIBIT refuses motion until it is taken back; the refused id was never seen."""
    station.fresh_deck()
    id_ = station.command_id()
    assert shoe.ask(shoe.driver.set_inhibit, InhibitAnswered, inhibited=True).inhibited
    assert ordered(station, command_id=id_) == CommandRefused(id_, DispenseResult.INHIBITED)
    told = shoe.ask(shoe.driver.query_command, CommandOutcome, command_id=id_)
    assert told.outcome is Outcome.NEVER_SEEN
    assert not shoe.ask(shoe.driver.set_inhibit, InhibitAnswered, inhibited=False).inhibited


@pytest.mark.needs("shoe", "motion", hands=(*TAKE, "open_door", "close_door"))
@pytest.mark.proves("SHOE-4.2", "SHOE-6.6")
def test_an_open_door_refuses_and_voids(station: Station, shoe: Session) -> None:
    """With its door open the shoe deals nothing, and its deck is void."""
    station.fresh_deck()
    station.act("open_door")
    shoe.run(0.3)
    answer = ordered(station)
    assert isinstance(answer, CommandRefused)
    assert answer.refusal is DispenseResult.DOOR_OPEN
    station.act("close_door")
    assert shoe.settle(lambda s: s.deck_state.name == "VOID", 3).deck_state.name == "VOID"


@pytest.mark.needs("shoe", "motion", hands=TAKE, cards=7)
@pytest.mark.proves("LINK-6.4", "SHOE-4.6", "SHOE-4.7", "SHOE-5.2")
def test_the_motor_stops_when_the_host_is_silent(station: Station, shoe: Session) -> None:
    """The lease runs out in mid-feed: the motor stops, says so, and does not go on by itself."""
    station.fresh_deck(at_least=7)
    answer = ordered(station, cards=7)
    assert isinstance(answer, CommandAccepted)
    shoe.expects_loss = True
    shoe.silent(1.6)
    again = station.session("shoe")
    came = again.wait(LeaseLost, StackReady, within_s=2)
    if isinstance(came, StackReady):
        station.act("take_stack", to="1")
        pytest.skip("this shoe has seven cards out before a lease can run out")
    stopped = again.wait(DispenseInterrupted, within_s=2)
    assert stopped.cause is InterruptCause.LEASE
    again.run(2.0)
    told = again.ask(again.driver.query_command, CommandOutcome, command_id=answer.command_id)
    assert told.outcome is Outcome.INTERRUPTED
    lying = station.act("take_stack", to="1")["cards"] if again.state().gate_cards else 0
    assert stopped.cards_seen in (None, lying)
