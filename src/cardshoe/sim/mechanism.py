"""The shoe as metal and rollers: magazine, feed path, mouth, gate, door, and where every card in it lies.

Owns the physics and the raw sensor signals with their bounce. Must not know commands, ids or messages: firmware drives
it by `drive`, `stop` and `take_back` and hears of sensors through `signals`.

A card goes magazine → path (the entry sensor sees it) → mouth (the exit sensor sees it) → gate. `drive` moves one card
all the way; a card stays where it is when the motor stops.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from cardshoe.sim.agenda import Entry, Timers
from cardshoe.sim.deck import Placed, counted, shuffled
from cardshoe.sim.journey import Effect, Journey, Pull
from cardshoe.sim.nvram import Store
from cardshoe.sim.signals import Signals
from cardshoe.sim.truth import Truth

PICK_MS: Final = 60.0
BACK_MS: Final = 100.0
DRAG_MS: Final = 30.0
MISCOUNT_MS: Final = (40.0, 30.0)  # when a false pulse begins after the card, and how long it lasts
CHATTER_PULSES: Final = 6


@dataclass(slots=True)
class MachineState:
    """Where things are in the shoe; all of it outlives power cuts. `magazine[0]` is the next card to be fed."""

    magazine: list[Placed] = field(default_factory=list)
    path: list[Placed] = field(default_factory=list)
    mouth: list[Placed] = field(default_factory=list)
    gate: list[Placed] = field(default_factory=list)
    door_open: bool = False
    door_touched: bool = False
    mode: int = 0
    jammed: str = ""
    causes: list[str] = field(default_factory=list)


class Mechanism:
    """The moving parts. `effects_of` tells, for a run of n cards, what goes wrong with which card (from 1)."""

    def __init__(self, *, timers: Timers, rng: random.Random, truth: Truth, store: Store, state: MachineState) -> None:
        self._timers = timers
        self._rng = rng
        self._truth = truth
        self._store = store
        self.state = state
        self.signals = Signals(timers, rng)
        self.effects_of: Callable[[int], dict[int, Effect]] = lambda _: {}
        self._journey = Journey({})
        self._asked = 0
        self._run_out = 0
        self._plan: Entry | None = None
        self._pull = Pull.NORMAL
        self.face_seen = False  # the colour sensor at the exit saw a face in this run
        self._at_exit = state.mouth[0] if state.mouth else None
        self.cover_seen = False  # … and what passes there now, or passed last, is a cover card

    # --- what firmware reads

    def covered(self, sensor: str) -> bool:
        """Return the steady reading of a sensor: entry, exit, gate, magazine, door."""
        state = self.state
        match sensor:
            case "entry":
                return bool(state.path)
            case "exit":
                return bool(state.mouth) and not self._journey.hits("missed_passage")
            case "gate":
                return bool(state.gate or state.mouth)
            case "magazine":
                magazine = state.magazine  # the lowest card tells, unless it is a cover card
                return bool(magazine) and (not magazine[-1].is_cover or counted(magazine) > 0)
            case _:
                return state.door_open

    @property
    def covers_inside(self) -> int:
        """Cover cards that lie ahead of undealt cards."""
        return len(self.state.magazine) - counted(self.state.magazine)

    def passed_exit(self) -> Placed | None:
        """Return what the exit reader saw pass, once: a pulse without a card has nothing to show."""
        passed, self._at_exit = self._at_exit, None
        return passed

    # --- one run of the feeder

    def begin_run(self, cards: int) -> None:
        """The motor starts for a stack of `cards`."""
        self._truth.feeds_started += 1
        self._asked, self._run_out = cards, 0
        self._journey = Journey(self.effects_of(cards))
        self.face_seen = False

    def end_run(self) -> None:
        """The stack is over, complete or not."""
        if 0 < self._run_out < self._asked:
            self._truth.partial_stacks += 1
        self._asked = 0

    def drive(self, pull: Pull) -> None:
        """Move the next card on, to the gate. While it moves, only the strength changes."""
        self._pull = pull
        if self._plan is None or self._plan.done:
            self._next_stage()

    def stop(self) -> None:
        """Stop the motor: the card stays where it is."""
        if self._plan is not None:
            self._plan.cancel()
            self._plan = None

    def take_back(self) -> None:
        """Turn the rollers backwards: a card in the path goes back to the magazine, ahead of all others."""
        self.stop()
        self._plan = self._timers.after(BACK_MS, lambda _: self._back())

    @property
    def feeding(self) -> bool:
        """Tell whether a stack is on its way."""
        return self._asked > 0

    def slide_out(self) -> None:
        """The next card slides out of the mouth by itself."""
        self._journey, self._pull = Journey({}), Pull.NORMAL
        if self._plan is None or self._plan.done:
            self._next_stage()

    def spit(self) -> None:
        """Push what is in the path past the sensors to the gate (only a shoe that breaks SHOE-4.7 does so)."""
        self._out(self.state.path)
        self.state.path = []
        self.signals.edge("entry", covered=False)

    def shuffle(self, rng: random.Random) -> None:
        """Take back what lies in the path and shuffle the magazine; cover cards come to lie ahead of the deck."""
        state = self.state
        if state.path:
            state.magazine[:0] = state.path
            state.path = []
            self.path_emptied()
        covers = [placed for placed in state.magazine if placed.is_cover]
        state.magazine = covers + shuffled([placed for placed in state.magazine if not placed.is_cover], rng)
        self._truth.shuffles += 1
        self._store.touch()

    def _held(self, where: str) -> bool:
        if self.state.jammed != where and self._journey.jams_at(where):
            self.state.jammed = where
            self._store.touch()
        return self.state.jammed == where or self._journey.sticks_at(where, self._pull)

    def _next_stage(self) -> None:
        state, journey = self.state, self._journey
        if state.mouth:
            if not self._held("exit"):
                ms = journey.leg_ms("exit", self._pull, self._rng)
                self._plan = self._timers.after(ms, lambda _: self._leave_mouth())
        elif state.path:
            if not self._held("path"):
                ms = journey.leg_ms("path", self._pull, self._rng)
                self._plan = self._timers.after(ms, lambda _: self._reach_mouth())
        elif self._follows():
            self._plan = self._timers.after(PICK_MS, lambda _: self._leave_magazine())

    def _follows(self) -> bool:
        """Tell whether the card on top of the magazine follows the pull."""
        magazine = self.state.magazine
        if not magazine or self._pull is Pull.SHAKE:
            return False
        return magazine[0].is_cover or not self._journey.next_slips(self._pull)

    def _leave_magazine(self) -> None:
        state = self.state
        self._plan = None
        if not state.magazine:
            return  # hands were quicker
        placed = state.magazine.pop(0)
        if not placed.is_cover:
            self._journey.card_leaves()
            if self._journey.hits("face_up"):
                placed = Placed(placed.card, face_up=True)
            if self._journey.hits("double_feed") and counted(state.magazine):
                state.path.append(placed)
                placed = state.magazine.pop(0)
        state.path.append(placed)
        self._store.touch()
        self._next_stage()
        self.signals.edge("entry", covered=True)

    def _reach_mouth(self) -> None:
        state, journey = self.state, self._journey
        going = len(state.path) if journey.hits("double_feed", flagged=True) else 1
        state.mouth, state.path = state.path[:going], state.path[going:]
        self._at_exit = state.mouth[0]
        self.cover_seen = state.mouth[0].is_cover
        shown = any(placed.face_up for placed in state.mouth) and not journey.hits("face_up", flagged=True)
        self.face_seen = self.face_seen or shown
        self._store.touch()
        self._next_stage()
        if not state.path:
            self.signals.edge("entry", covered=False)
        if not journey.hits("missed_passage"):
            pulses = CHATTER_PULSES if journey.hits("sensor_chatter") else 1
            self.signals.edge("exit", covered=True, pulses=pulses)
        if not state.gate:
            self.signals.edge("gate", covered=True)

    def _leave_mouth(self) -> None:
        state, journey = self.state, self._journey
        self._plan = None
        self._out(state.mouth)
        state.mouth = []
        if state.path:  # a second card was dragged along: it follows without the motor
            self._timers.after(DRAG_MS, lambda _: self._drag())
        if journey.hits("sensor_chatter", flagged=True):
            wait, length = MISCOUNT_MS
            self._timers.after(wait, lambda _: self.signals.emit("exit", covered=True))
            self._timers.after(wait + length, lambda _: self.signals.emit("exit", covered=False))
        if not journey.hits("missed_passage"):
            self.signals.edge("exit", covered=False)

    def _drag(self) -> None:
        if self.state.path and not self.state.mouth and self.signals.listener is not None:
            self._reach_mouth()

    def _out(self, cards: list[Placed]) -> None:
        state = self.state
        before = self._run_out
        self._run_out += counted(cards)
        self._truth.cards_out += counted(cards)
        if before < self._asked <= self._run_out:
            self._truth.stacks_dispensed += 1
        state.gate.extend(cards)
        self._store.touch()

    def _back(self) -> None:
        state = self.state
        self._plan = None
        if not state.path or state.jammed == "path":
            return
        self._journey.cards_return(counted(state.path))
        state.magazine[:0] = state.path
        state.path = []
        self._store.touch()
        self.signals.edge("entry", covered=False)

    # --- sensors

    def empty_gate(self) -> list[Placed]:
        """Hands take everything out of the gate, also a card that sticks out of the mouth."""
        state = self.state
        if state.mouth:
            self.stop()
            state.jammed = "" if state.jammed == "exit" else state.jammed
            pulled, state.mouth = state.mouth, []
            self._out(pulled)
            self.signals.edge("exit", covered=False)
        taken, state.gate = state.gate, []
        self._store.touch()
        self.signals.edge("gate", covered=False)
        return taken

    def laid_in_gate(self, cards: list[Placed]) -> None:
        """Hands lay cards into the gate."""
        self.state.gate.extend(cards)
        self._store.touch()
        self.signals.edge("gate", covered=True)

    def path_emptied(self) -> None:
        """Hands, or the lever, took what lay in the path."""
        self.stop()
        if self.state.jammed == "path":
            self.state.jammed = ""
        self.signals.edge("entry", covered=False)

    def signal(self, sensor: str, *, covered: bool) -> None:
        """Pass on a change of a contact that does not bounce: door, magazine, cover, mode."""
        self._store.touch()
        self.signals.emit(sensor, covered=covered)
