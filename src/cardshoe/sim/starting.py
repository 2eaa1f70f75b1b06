"""Firmware of the shoe: what it finds and reports when it starts.

Owns SHOE-4.9, SHOE-8.4, SHOE-8.5 and SHOE-6.6 as far as a restart makes a deck void. Moves nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from cardshoe.sim.codes import Cause, DeckState, Outcome
from cardshoe.sim.nvram import UNKNOWN
from cardshoe.sim.power import BootCause

if TYPE_CHECKING:
    from cardshoe.sim.shoe import Shoe

MAGAZINE, FEED_PATH, GATE = 1, 2, 4
_CAUSES: Final = {
    BootCause.POWER_ON: Cause.POWER,
    BootCause.RESET: Cause.RESET,
    BootCause.WATCHDOG: Cause.RESET,
}


def look_around(shoe: Shoe, cause: BootCause) -> None:
    """Report BOOTED first, then what became of a running command, then what hands did in the meantime."""
    shoe.report("BOOTED", cause=cause, cards_at=_cards_at(shoe))
    shoe.alarms.forget_at_start()
    if shoe.broken("SHOE-3.5"):
        shoe.memory.records.clear()
        shoe.memory.running = 0
    if shoe.memory.running:
        _interrupted(shoe, _CAUSES[cause])
    _card_in_the_sensor(shoe)
    _hands_at_the_gate(shoe)
    _hands_in_the_magazine(shoe)
    if shoe.mechanism.state.mode != 0:
        shoe.void_deck()
    for name in shoe.mechanism.state.causes:
        shoe.alarms.raise_fault(name)
    if cause is BootCause.WATCHDOG:
        shoe.alarms.raise_fault("watchdog_reset")


def _cards_at(shoe: Shoe) -> int:
    mechanism, memory = shoe.mechanism, shoe.memory
    in_exit = mechanism.covered("exit")
    at = MAGAZINE if mechanism.covered("magazine") else 0
    if in_exit or mechanism.covered("entry"):
        at |= FEED_PATH
    if mechanism.covered("gate") and (memory.gate_cards > 0 or not in_exit):
        at |= GATE
    return at


def _interrupted(shoe: Shoe, cause: Cause) -> None:
    memory, mechanism = shoe.memory, shoe.mechanism
    record = memory.records.get(memory.running)
    if record is None:  # only a shoe that accepts stale ids forgets its newest command
        memory.running = 0
        return
    unsure = record.kind == "dispense" and (memory.card_in_sensor or mechanism.covered("exit"))
    seen = UNKNOWN if unsure and not shoe.broken("SHOE-4.9") else record.cards_seen
    memory.keep(replace(record, outcome=Outcome.INTERRUPTED, cards_seen=seen))
    memory.running = 0
    if unsure:
        memory.gate_command = record.command_id
    memory.deck_state = DeckState.VOID if mechanism.covered("magazine") else DeckState.NONE
    shoe.store.touch()
    shoe.report("DISPENSE_INTERRUPTED", command_id=record.command_id, cause=cause, cards_seen=seen)


def _card_in_the_sensor(shoe: Shoe) -> None:
    """A card lay in the exit sensor when the power went, or lies there now: what is beyond it is not known.

    In the dark it may have been pulled out, alone or with the cards in the gate, so no count of them stands (SHOE-4.8).
    """
    memory, in_exit = shoe.memory, shoe.mechanism.covered("exit")
    if memory.card_in_sensor or in_exit:
        memory.left_known = False
        memory.gate_cards = UNKNOWN
        if not in_exit:
            shoe.count_lost()
    memory.card_in_sensor = shoe.senses.late_card = in_exit
    shoe.store.touch()


def _hands_at_the_gate(shoe: Shoe) -> None:
    memory, occupied = shoe.memory, shoe.mechanism.covered("gate")
    if memory.gate_cards and not occupied:
        shoe.senses.gate_emptied()
    elif occupied and not memory.gate_cards and not shoe.mechanism.covered("exit"):
        memory.gate_cards = UNKNOWN
        shoe.report("CARD_UNEXPECTED", cards=UNKNOWN)


def _hands_in_the_magazine(shoe: Shoe) -> None:
    """The door has a latch that remembers, without power, that it was moved."""
    memory, mechanism = shoe.memory, shoe.mechanism
    open_now, filled = mechanism.covered("door"), mechanism.covered("magazine")
    if mechanism.state.door_touched or open_now != memory.door_open:
        if not memory.door_open:
            shoe.senses.on_door(opened=True)
        if filled != memory.magazine_filled:
            shoe.senses.on_magazine(filled=filled)
        if not open_now:
            shoe.senses.on_door(opened=False)
    while len(memory.cover_slots) < mechanism.covers_inside:
        shoe.senses.cover_inserted()
    del memory.cover_slots[mechanism.covers_inside :]
