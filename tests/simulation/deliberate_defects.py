"""Support: defects put into the product on purpose, each of which the checker must find. Not a test.

A defect is a function that takes pytest's `monkeypatch` and spoils one thing that a promise rests on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cardshoe.devices import shoe_events
from cardshoe.devices.shoe_terms import DeckState, DispenseResult, Outcome
from cardshoe.journal import Entry
from cardshoe.lab.simulation.stack import SimulatedTable
from cardshoe.lab.virtual import VirtualTable
from cardshoe.round import dealing as round_dealing
from cardshoe.round import irregular, machine, next_step, progress
from cardshoe.round.events import CardTurned, EntryCorrected, StackDelivered, StackRequested
from cardshoe.round.state import changed
from cardshoe.table import commands, controller, dealing, desk, interlocks, reader_reports, shoe_reports
from cardshoe.table import state as table_state
from cardshoe.table import view as view_room
from cardshoe.table.orders import Acknowledge, Dispense, QueryCommand
from cardshoe.table.state import TableState

Defect = Callable[[Any], None]
DEFECTS: dict[str, tuple[str, Defect]] = {}
"""By name: the promises that it may break (as a regular expression), and what spoils the product."""


def defect(promise: str) -> Callable[[Defect], Defect]:
    def add(function: Defect) -> Defect:
        DEFECTS[function.__name__.replace("_", " ")] = (promise, function)
        return function

    return add


# --- P1


@defect("P1")
def resends_a_command_that_runs(patch: Any) -> None:
    real = shoe_reports.outcome_told

    def told(table: Any, event: Any, now: float) -> None:
        if event.outcome in (Outcome.RUNNING, Outcome.DONE, Outcome.INTERRUPTED, Outcome.FAILED):
            event = replace(event, outcome=Outcome.NEVER_SEEN)
        real(table, event, now)

    patch.setattr(shoe_reports, "outcome_told", told)


@defect("P1")
def takes_a_lost_command_for_a_failed_one(patch: Any) -> None:
    real = shoe_reports.answered

    def answered(table: Any, event: Any, now: float) -> None:
        if isinstance(event, shoe_events.CommandOutcomeUnknown):
            event = shoe_events.CommandRefused(event.command_id, DispenseResult.BUSY)
        real(table, event, now)

    patch.setattr(shoe_reports, "answered", answered)


@defect("P1")
def sends_a_stack_to_another_position(patch: Any) -> None:
    def order(command_id: int, deck_id: int, cards: int, destination: int) -> Dispense:
        return Dispense(command_id, deck_id, cards, destination % 6 + 1)

    patch.setattr(dealing, "Dispense", order)


@defect("P1")
def orders_one_card_more(patch: Any) -> None:
    def order(command_id: int, deck_id: int, cards: int, destination: int) -> Dispense:
        return Dispense(command_id, deck_id, cards + 1, destination)

    patch.setattr(dealing, "Dispense", order)


@defect("P1")
def counts_an_unknown_stack_as_delivered(patch: Any) -> None:
    def delivered(table: Any, command: Any, _why: str) -> None:
        table.live.command_due, table.live.command_unknown = None, False
        table.happened(StackDelivered(command.command_id, command.to, command.cards))

    patch.setattr(commands, "_nobody_knows", delivered)


@defect("P1|P2|fault")
def uses_a_command_id_again(patch: Any) -> None:
    real = interlocks.obstacle

    def again(command_id: int, to: str, cards: int) -> StackRequested:
        return StackRequested(max(1, command_id - 4), to, cards)

    patch.setattr(interlocks, "obstacle", real)
    patch.setattr(dealing, "StackRequested", again)


# --- P2


@defect("P2")
def orders_before_it_is_durable(patch: Any) -> None:
    real = VirtualTable._begin

    def begin(self: Any, step: Any) -> None:
        early = tuple(order for order in step.orders if not isinstance(order, Acknowledge))
        for order in early:
            self._perform(order)
        real(self, replace(step, orders=tuple(order for order in step.orders if order not in early)))

    patch.setattr(VirtualTable, "_begin", begin)


@defect("P2")
def acknowledges_before_it_is_durable(patch: Any) -> None:
    real = VirtualTable._begin

    def begin(self: Any, step: Any) -> None:
        for order in step.orders:
            if isinstance(order, Acknowledge):
                self._perform(order)
        real(self, step)

    patch.setattr(VirtualTable, "_begin", begin)


@defect("P2|P4")
def shows_before_it_is_durable(patch: Any) -> None:
    real = VirtualTable._begin

    def begin(self: Any, step: Any) -> None:
        self._show()
        real(self, step)

    patch.setattr(VirtualTable, "_begin", begin)


@defect("P2|P1")
def writes_no_intent(patch: Any) -> None:
    real = SimulatedTable._keep

    def keep(self: Any, entries: Any) -> None:
        real(self, [each for each in entries if each.kind != "stack-requested"])

    patch.setattr(SimulatedTable, "_keep", keep)


# --- P3


@defect("P3")
def deals_the_dealer_first(patch: Any) -> None:
    real = progress.next_destination

    def destination(state: Any, step: Any, place: int | None = None) -> str | None:
        to = real(state, step, place)
        return "dealer" if to is not None and step.to_dealer and not state.dealer_dealt else to

    for module in (progress, next_step, round_dealing):
        patch.setattr(module, "next_destination", destination)


@defect("P3")
def deals_from_a_spent_deck(patch: Any) -> None:
    def fresh(view: Any, _used: Any) -> bool:
        return view.deck_state is DeckState.VERIFIED

    patch.setattr(interlocks, "fresh_deck", fresh)
    patch.setattr(view_room, "fresh_deck", fresh)


@defect("P3")
def completes_a_round_while_a_dispense_is_open(patch: Any) -> None:
    patch.setattr(controller, "require_none_open", lambda _desk: None)
    patch.setattr(view_room, "_unaccounted", lambda _command, _live: next_step.CompleteRound())


@defect("P3")
def forgets_a_dispense_when_its_round_is_void(patch: Any) -> None:
    def let_go(state: TableState) -> TableState:
        return replace(state, command=None) if state.unwanted is not None else state

    patch.setattr(table_state, "_let_go", let_go)


# --- P4


@defect("P4")
def enters_a_card_that_nobody_saw(patch: Any) -> None:
    def turned(face: str, place: str, source: str) -> CardTurned:
        return CardTurned("2c" if face == "3c" else "3c", place, source)

    patch.setattr(reader_reports, "CardTurned", turned)


# --- P5


@defect("P5")
def does_not_hold_when_the_door_opens(patch: Any) -> None:
    patch.setattr(shoe_reports, "in_deal", lambda _desk: False)


@defect("P5|P1")
def accepts_a_stack_of_another_size(patch: Any) -> None:
    real = shoe_reports.ended

    def ended(table: Any, event: Any, *rest: Any) -> None:
        command = table.state.command
        if isinstance(event, shoe_events.StackReady | shoe_events.StackTaken) and command is not None:
            event = replace(event, cards=command.cards)
        real(table, event, *rest)

    patch.setattr(shoe_reports, "ended", ended)


@defect("P5")
def never_inhibits(patch: Any) -> None:
    patch.setattr(dealing, "_inhibit_as_held", lambda _desk, _view: None)


@defect("P5|P9")
def deals_on_while_a_question_is_open(patch: Any) -> None:
    patch.setattr(desk.Desk, "held", property(lambda _self: False))


@defect("P5")
def lets_anybody_answer(patch: Any) -> None:
    patch.setattr(irregular, "may_clear", lambda _clears, _role, _second: True)
    patch.setattr(controller, "may_clear", lambda _clears, _role, _second: True)


@defect("P5|P6")
def forgets_questions_at_a_restart(patch: Any) -> None:
    real = SimulatedTable._start

    def start(self: Any, state: TableState) -> None:
        round_ = state.round
        if round_ is not None:
            round_ = changed(round_, holds=())
        real(self, replace(state, alarms=(), round=round_))

    patch.setattr(SimulatedTable, "_start", start)


@defect("P5")
def ignores_the_fault_reports_of_the_shoe(patch: Any) -> None:
    patch.setattr(shoe_reports, "_fault", lambda _desk, _event: None)


# --- P6, P9, money


@defect("P2|P6")
def forgets_the_tally_in_its_note(patch: Any) -> None:
    real = desk.noted

    def noted(state: Any) -> Any:
        note = real(state)
        return {**note, "tally": {**note["tally"], "completed": 0}}

    patch.setattr(desk, "noted", noted)


@defect("fault")
def writes_a_fraction(patch: Any) -> None:
    real = desk.Desk.close_round

    def close(self: Any) -> None:
        real(self)
        self._entries.append(Entry("rate_noted", {"rate": 0.5}, None))

    patch.setattr(desk.Desk, "close_round", close)


@defect("money")
def settles_twice(patch: Any) -> None:
    real = desk.Desk.close_round

    def close(self: Any) -> None:
        real(self)
        settled = [each for each in self._entries if each.kind == "settled"]
        self._entries[-1:-1] = settled

    patch.setattr(desk.Desk, "close_round", close)


@defect("money|P3|P6")
def corrects_an_entry_and_leaves_the_first_where_it_was(patch: Any) -> None:
    real = machine._HANDLERS[EntryCorrected]

    def corrected(state: Any, event: Any) -> Any:
        if state.entry is None or type(event.entry) is not type(state.entry.event):
            return real(state, event)
        return machine.apply(changed(state, entry=None), event.entry)

    patch.setitem(machine._HANDLERS, EntryCorrected, corrected)


@defect("money")
def pays_a_dollar_too_much(patch: Any) -> None:
    real = desk.payouts

    def payouts(state: Any) -> Any:
        account = real(state)
        for hand in account["positions"].values():
            for wager in hand.get("result", {"wagers": []})["wagers"]:
                if wager["outcome"] == "win":
                    wager["won_cents"] += 100
                    hand["result"]["won_cents"] += 100
                    return account
        return account

    patch.setattr(desk, "payouts", payouts)


@defect("money")
def keeps_a_wager_that_pushed(patch: Any) -> None:
    real = desk.payouts

    def payouts(state: Any) -> Any:
        account = real(state)
        for hand in account["positions"].values():
            for wager in hand.get("result", {"wagers": []})["wagers"]:
                if wager["outcome"] == "push":
                    hand["result"]["returned_cents"] -= wager["returned_cents"]
                    wager["returned_cents"] = 0
        return account

    patch.setattr(desk, "payouts", payouts)


@defect("P5|P9")
def never_asks_what_became_of_a_command(patch: Any) -> None:
    real = VirtualTable._perform

    def perform(self: Any, order: Any) -> None:
        if not isinstance(order, QueryCommand):
            real(self, order)

    patch.setattr(VirtualTable, "_perform", perform)
