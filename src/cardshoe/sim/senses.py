"""Firmware of the shoe: its sensors without their bounce, and what it tells of gate, door, deck and cover card.

Owns SHOE-4.8, SHOE-4.10, SHOE-6.1, SHOE-6.6 (door), SHOE-7. Must not look at cards except through the sensors.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from cardshoe.sim.agenda import Entry, Timers
from cardshoe.sim.codes import Cause, DeckState
from cardshoe.sim.feed import FeedRun
from cardshoe.sim.nvram import UNKNOWN

if TYPE_CHECKING:
    from cardshoe.sim.shoe import Shoe

DEBOUNCE_MS: Final = {"entry": 15.0, "exit": 15.0, "gate": 20.0}
CHATTER_EDGES: Final = 8
STILL_MS: Final = 40.0  # after so long without a motor every contact has settled


class Contact:
    """One sensor without its bounce: a reading counts when it has stood for `ms` milliseconds.

    `dipped` hears when another reading came and went in less than that: something was taken, or came and was taken.
    """

    def __init__(
        self,
        ms: float,
        timers: Timers,
        changed: Callable[[bool], None],
        *,
        covered: bool,
        dipped: Callable[[], None] | None = None,
    ) -> None:
        self._ms = ms
        self._timers = timers
        self._changed = changed
        self._dipped = dipped
        self._entry: Entry | None = None
        self.steady = covered
        self.edges = 0

    def edge(self, *, covered: bool) -> None:
        """The raw signal changed."""
        self.edges += 1
        if self._entry is not None:
            self._entry.cancel()
            self._entry = None
        if covered != self.steady or self._dipped is not None:
            self._entry = self._timers.after(self._ms, lambda _: self._settle(covered))

    def _settle(self, covered: bool) -> None:
        if covered == self.steady:
            if self._dipped is not None:
                self._dipped()
            return
        self.steady = covered
        self._changed(covered)


class Senses:
    """What the shoe hears from its sensors, and the bookkeeping that follows from it."""

    def __init__(self, shoe: Shoe) -> None:
        self._shoe = shoe
        handlers = {"entry": self._on_entry, "exit": self._on_exit, "gate": self._on_gate}
        self._contacts = {
            name: Contact(
                DEBOUNCE_MS[name],
                shoe.timers,
                handler,
                covered=shoe.mechanism.covered(name),
                dipped=self._gate_dipped if name == "gate" else None,
            )
            for name, handler in handlers.items()
        }
        self.late_card = False  # a card was in the exit sensor when its command ended

    @property
    def gate_occupied(self) -> bool:
        """Tell whether something lies in the gate or sticks out into it."""
        return self._contacts["gate"].steady or self._contacts["exit"].steady

    def on_edge(self, sensor: str, covered: bool) -> None:
        """A raw signal of the mechanism."""
        if sensor in self._contacts:
            if sensor == "exit" and covered and not self._shoe.starting:  # at a start a contact may still bounce
                self._card_arrives()
            self._contacts[sensor].edge(covered=covered)
            return
        match sensor:
            case "door":
                self.on_door(opened=covered)
            case "magazine":
                self.on_magazine(filled=covered)
            case "cover" if covered:
                self.cover_inserted()
            case "cover":
                del self._shoe.memory.cover_slots[self._shoe.mechanism.covers_inside :]
            case "mode":
                self._on_mode()
            case _:
                raise ValueError(f"no sensor {sensor!r}")

    def _card_arrives(self) -> None:
        if not self._shoe.memory.card_in_sensor and not self._shoe.mechanism.cover_seen:
            self._shoe.memory.card_in_sensor = True
            self._shoe.store.touch()

    def _on_entry(self, covered: bool) -> None:
        if self._shoe.run is not None:
            self._shoe.run.on_entry(covered=covered)

    def _on_exit(self, covered: bool) -> None:
        shoe, contact = self._shoe, self._contacts["exit"]
        if contact.edges > CHATTER_EDGES:
            shoe.alarms.raise_fault("sensor_chatter")
        contact.edges = 0
        if covered:
            self._card_arrives()
        if isinstance(shoe.run, FeedRun):
            shoe.run.on_exit(covered=covered)
        elif not covered and not shoe.mechanism.cover_seen:
            self.record_passage(shoe.memory.gate_command, unasked=not self.late_card)
            if not self.late_card:
                shoe.report("CARD_UNEXPECTED", cards=1)
            self.late_card = False

    def _on_gate(self, covered: bool) -> None:
        shoe = self._shoe
        if not covered:
            if shoe.run is not None:
                shoe.run.gate_emptied()
            if shoe.memory.card_in_sensor:  # the last card was pulled out of the sensor: is it counted yet?
                shoe.timers.after(STILL_MS, lambda _: self.settle_accounts())
            else:
                self.gate_emptied()
        elif shoe.run is None and not shoe.mechanism.covered("exit"):
            shoe.memory.gate_cards = UNKNOWN
            shoe.report("CARD_UNEXPECTED", cards=UNKNOWN)

    def _gate_dipped(self) -> None:
        """The gate was free, or occupied, for less than a reading: a hand was quick."""
        shoe, memory = self._shoe, self._shoe.memory
        if self._contacts["gate"].steady and memory.gate_cards:
            memory.gate_cards = UNKNOWN  # what lies there now is not what was counted (SHOE-4.8)
            shoe.store.touch()
        if shoe.run is not None:
            shoe.run.gate_emptied()
        shoe.timers.after(STILL_MS, lambda _: self.settle_accounts())

    def settle_accounts(self) -> None:
        """The contacts are still: tell what was gone before it was seen for a whole reading."""
        shoe, memory = self._shoe, self._shoe.memory
        if memory.card_in_sensor and not self._contacts["exit"].steady:
            memory.card_in_sensor = self.late_card = False
            shoe.count_lost()
        if memory.gate_cards and not self.gate_occupied:
            self.gate_emptied()

    def gate_emptied(self) -> None:
        """The gate became empty (SHOE-4.8)."""
        memory = self._shoe.memory
        record = memory.records.get(memory.gate_command)
        if record is not None:
            memory.keep(replace(record, taken=True))
        cards, memory.gate_cards = memory.gate_cards, 0
        self._shoe.store.touch()
        if not self._shoe.broken("SHOE-4.8"):
            self._shoe.report("STACK_TAKEN", command_id=memory.gate_command, cards=cards)

    def record_passage(self, command_id: int, *, unasked: bool = False) -> int:
        """A card has passed the exit sensor: write it down, and return its slot. `unasked`: no command fed it."""
        memory = self._shoe.memory
        slot = memory.passed
        memory.card_in_sensor = False
        memory.passed += 1
        memory.cards_total += 1
        memory.gate_command = command_id
        if memory.gate_cards != UNKNOWN:
            memory.gate_cards += 1
        if memory.deck_state == DeckState.VERIFIED and memory.passed >= memory.deck_cards:
            memory.deck_state = DeckState.NONE  # SHOE-6.7
        self._shoe.store.touch()
        slot = min(slot, UNKNOWN - 1)
        self._shoe.rounds.card_passed(0 if unasked else command_id, slot, memory.deck_id)
        return slot

    # --- door, deck, cover card, mode

    def on_door(self, *, opened: bool) -> None:
        """The door moved (SHOE-6.6, SHOE-7.1, SHOE-7.5)."""
        shoe = self._shoe
        shoe.memory.door_open = opened
        shoe.mechanism.state.door_touched = False
        shoe.store.touch()
        if not opened:
            shoe.report("DOOR_CLOSED", cards_present=int(shoe.mechanism.covered("magazine")))
            return
        shoe.report("DOOR_OPENED", cards_left=shoe.known_left())
        if shoe.run is not None:
            shoe.run.on_door()
        if not shoe.broken("SHOE-6.6"):
            shoe.void_deck()

    def on_magazine(self, *, filled: bool) -> None:
        """All cards were taken out through the open door, or a deck was put in (SHOE-6.1, SHOE-7.2)."""
        shoe, memory = self._shoe, self._shoe.memory
        if filled:
            memory.deck_state = DeckState.LOADED
            shoe.report("DECK_LOADED")
        else:
            known = memory.deck_cards - memory.passed if memory.left_known else UNKNOWN
            memory.deck_state = DeckState.NONE
            memory.cover_slots.clear()
            shoe.report("STUB_REMOVED", cards=known)
        memory.left_known = False
        memory.magazine_filled = filled
        shoe.store.touch()

    def cover_inserted(self) -> None:
        """A cover card lies ahead of the next card that leaves the magazine (SHOE-7.3)."""
        shoe = self._shoe
        leaving = shoe.memory.card_in_sensor or self._contacts["entry"].steady
        slot = min(shoe.memory.passed + int(leaving), UNKNOWN - 1)
        shoe.memory.cover_slots.append(slot)
        shoe.report("COVER_CARD_INSERTED", before_slot=slot)

    def cover_passed(self, command_id: int) -> None:
        """A cover card came through the exit sensor (SHOE-7.4)."""
        memory = self._shoe.memory
        slot = memory.cover_slots.pop() if memory.cover_slots else min(memory.passed, UNKNOWN - 1)
        memory.gate_command = command_id
        self._shoe.store.touch()
        self._shoe.report("COVER_CARD_SEEN", command_id=command_id, before_slot=slot)

    def _on_mode(self) -> None:
        shoe = self._shoe
        mode = shoe.mechanism.state.mode
        shoe.report("MODE_CHANGED", mode=mode)
        if mode != 0:
            if shoe.run is not None:
                shoe.run.stop(Cause.INHIBIT)
            shoe.void_deck()
