"""Firmware of the shoe: one DISPENSE from its acceptance to its one ending.

Owns SHOE-3.2 (after acceptance), SHOE-4.3 to SHOE-4.7, SHOE-7.4, SHOE-7.5 and the retries of a feed. Must not know the
link. Times are those of a feeder of this kind (milliseconds at speed 1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from cardshoe.sim.codes import Cause, Outcome
from cardshoe.sim.journey import Pull
from cardshoe.sim.messages import FAULT_CODES
from cardshoe.sim.nvram import UNKNOWN, CommandRecord

if TYPE_CHECKING:
    from cardshoe.sim.agenda import Entry
    from cardshoe.sim.shoe import Shoe

MOTOR_START_MS: Final = 20.0
ENTRY_LIMIT_MS: Final = 400.0
STRONG_LIMIT_MS: Final = 1000.0
EXIT_LIMIT_MS: Final = 200.0
EXIT_SHAKE_MS: Final = 300.0
CLEAR_LIMIT_MS: Final = 300.0
CLEAR_SHAKE_MS: Final = 1000.0
GAP_MS: Final = 800.0
SETTLE_MS: Final = 150.0
BACK_LIMIT_MS: Final = 150.0
AFTER_THE_CARD: Final = frozenset({"card_face_up", "card_unreadable", "card_foreign", "over_temperature"})


class Phase(Enum):
    """Where the present card is, as far as the sensors tell."""

    WAIT = auto()
    PICK = auto()
    TRAVEL = auto()
    EXIT = auto()
    GAP = auto()
    SETTLE = auto()
    BACK = auto()


class FeedRun:
    """One stack on its way to the gate. `count` is what the exit sensor counted."""

    def __init__(self, shoe: Shoe, record: CommandRecord, *, deck_id: int, first: int = 0) -> None:
        self._shoe = shoe
        self.deck_id = deck_id
        self._first = first  # cards of this command that had come before (only a shoe that breaks SHOE-4.6 resumes)
        self.record = record
        self.count = first
        self._phase = Phase.WAIT
        self._limit: Entry | None = None
        self._picked_at = 0.0
        self._cause: Cause | None = None
        self._fault: str | None = None
        self._retried = False
        self._disturbed = False
        self._count_lost = False

    @property
    def command_id(self) -> int:
        """The command that is being carried out."""
        return self.record.command_id

    def begin(self) -> None:
        """The reply is on the line: start the motor."""
        self._shoe.point("accepted", 0)
        self._wait(MOTOR_START_MS, self._start_motor)

    def _start_motor(self) -> None:
        self._shoe.mechanism.begin_run(self.record.cards - self._first)
        self._pick()

    def _wait(self, ms: float, then: Callable[[], None]) -> None:
        if self._limit is not None:
            self._limit.cancel()
        self._limit = self._shoe.timers.after(ms, lambda _: then())

    # --- one card

    def _pick(self) -> None:
        self._phase = Phase.PICK
        self._retried = False
        self._picked_at = self._shoe.timers.now
        mechanism = self._shoe.mechanism
        mechanism.drive(Pull.NORMAL)
        if mechanism.covered("entry"):  # a card that stayed in the path
            self.on_entry(covered=True)
            return
        self._wait(ENTRY_LIMIT_MS, self._pull_harder)

    def _pull_harder(self) -> None:
        self._misfed()
        self._shoe.mechanism.drive(Pull.STRONG)
        self._wait(STRONG_LIMIT_MS, self._nothing_came)

    def _nothing_came(self) -> None:
        self._fail("short_feed" if self._shoe.mechanism.covered("magazine") else "empty")

    def _misfed(self) -> None:
        self._retried = True
        self._shoe.memory.misfeeds_total += 1
        self._shoe.store.touch()

    def on_entry(self, *, covered: bool) -> None:
        """The entry sensor is steady again."""
        if not covered or self._phase is not Phase.PICK:
            return
        self._phase = Phase.TRAVEL
        self._wait(EXIT_LIMIT_MS, self._shake_to_exit)
        self._shoe.point("entry", self.count + 1)

    def _shake_to_exit(self) -> None:
        self._misfed()
        self._shoe.mechanism.drive(Pull.SHAKE)
        self._wait(EXIT_SHAKE_MS, lambda: self._fail("jam"))

    def on_exit(self, *, covered: bool) -> None:
        """The exit sensor is steady again."""
        if covered:
            if self._phase is not Phase.BACK:
                self._phase = Phase.EXIT
            self._wait(CLEAR_LIMIT_MS, self._shake_to_clear)
            self._shoe.point("exit_covered", self.count + 1)
        elif self._shoe.mechanism.cover_seen:
            self._shoe.senses.cover_passed(self.command_id)
            self._go_on(after_cover=True)
        else:
            self._passed()

    def _shake_to_clear(self) -> None:
        self._misfed()
        self._shoe.mechanism.drive(Pull.SHAKE)
        self._wait(CLEAR_SHAKE_MS, lambda: self._fail("exit_blocked"))

    def _passed(self) -> None:
        shoe = self._shoe
        slot = shoe.senses.record_passage(self.command_id)
        self.count += 1
        first = slot if self.record.first_slot == UNKNOWN else self.record.first_slot
        self._keep(replace(self.record, cards_seen=min(self.count, 0xFE), first_slot=first))
        if shoe.mechanism.face_seen and self._fault is None:
            shoe.alarms.raise_fault("card_face_up")
        shoe.point("exit_cleared", self.count)
        if self._retried:
            shoe.slow_feed()
        self._go_on(after_cover=False)

    def _go_on(self, *, after_cover: bool) -> None:
        if self._fault is not None:
            fault = self._fault
            self._wait(SETTLE_MS, lambda: self._end_failed(fault))
        elif self._cause is not None:
            cause = self._cause
            self._wait(SETTLE_MS, lambda: self._end_interrupted(cause))
        elif self.count >= self.record.cards:
            self._phase = Phase.SETTLE
            self._wait(SETTLE_MS, self._complete)
        else:
            self._phase = Phase.GAP
            elapsed = (self._shoe.timers.now - self._picked_at) * 1000.0 * self._shoe.speed
            self._wait(0.0 if after_cover else max(0.0, GAP_MS - elapsed), self._pick)

    # --- what stops it

    def gate_emptied(self) -> None:
        """A hand took what lay in the gate before the stack was complete."""
        self._disturbed = True

    def count_lost(self) -> None:
        """A card went through the sensor too fast to be counted: no number of this stack stands."""
        self._count_lost = self._disturbed = True

    def stop(self, cause: Cause) -> None:
        """Stop at the next safe point (SHOE-4.7)."""
        if self._cause is not None or self._fault is not None:
            return
        self._cause = cause
        match self._phase:
            case Phase.WAIT | Phase.GAP | Phase.SETTLE:
                self._end_interrupted(cause)
            case Phase.PICK | Phase.TRAVEL:
                if self._shoe.memory.card_in_sensor:
                    return  # it has reached the exit sensor: it is driven into the gate
                self._take_back(cause)
            case Phase.EXIT | Phase.BACK:
                return

    def _take_back(self, cause: Cause) -> None:
        self._phase = Phase.BACK
        if self._shoe.broken("SHOE-4.7"):
            self._shoe.mechanism.stop()
            self._shoe.mechanism.spit()
        else:
            self._shoe.mechanism.take_back()
        self._wait(BACK_LIMIT_MS, lambda: self._end_interrupted(cause))

    def on_door(self) -> None:
        """The door opened: stop at once (SHOE-7.5)."""
        self._shoe.mechanism.stop()
        self._end_interrupted(Cause.DOOR)

    def on_fault(self, name: str) -> None:
        """A fault was raised: stop at once, or after the card where the fault says so (SHOE-8.2)."""
        if self._fault is not None:
            return
        moving = self._phase in {Phase.PICK, Phase.TRAVEL, Phase.EXIT}
        if name in AFTER_THE_CARD and (moving or self.count):
            self._fault = name
            if not moving:
                self._wait(SETTLE_MS, lambda: self._end_failed(name))
            return
        self._end_failed(name)

    def _fail(self, name: str) -> None:
        self._shoe.alarms.raise_fault(name)  # comes back through on_fault

    # --- its one ending

    def _complete(self) -> None:
        if self.count > self.record.cards:
            self._fail("double_feed")
            return
        if self._disturbed or not self._shoe.senses.gate_occupied:
            self._fail("short_feed")
            return
        shoe = self._shoe
        shoe.point("before_ready", self.count)
        shoe.memory.stacks_total += 1
        self._end(replace(self.record, outcome=Outcome.DONE))
        cards, slot = shoe.as_reported(self.record)
        values = {"command_id": self.command_id, "deck_id": self.deck_id, "cards": cards, "first_slot": slot}
        shoe.report_before_cut("STACK_READY", values, "ready")

    def _end_failed(self, name: str) -> None:
        seen = self._seen()
        code = FAULT_CODES[name]
        self._end(replace(self.record, outcome=Outcome.FAILED, fault=code, cards_seen=seen))
        self._shoe.report("DISPENSE_FAILED", command_id=self.command_id, fault=code, cards_seen=seen)

    def _end_interrupted(self, cause: Cause) -> None:
        seen = self._seen()
        self._end(replace(self.record, outcome=Outcome.INTERRUPTED, cards_seen=seen))
        self._shoe.report("DISPENSE_INTERRUPTED", command_id=self.command_id, cause=cause, cards_seen=seen)
        self._shoe.interrupted(self, cause)

    def _seen(self) -> int:
        lost = self._count_lost or self._shoe.memory.card_in_sensor
        return UNKNOWN if lost else min(self.count, 0xFE)

    def _keep(self, record: CommandRecord) -> None:
        kept = self._shoe.memory.records.get(record.command_id)
        self.record = replace(record, taken=record.taken or (kept is not None and kept.taken))
        if kept is not None:
            self._shoe.memory.keep(self.record)
        self._shoe.store.touch()

    def _end(self, record: CommandRecord) -> None:
        if self._limit is not None:
            self._limit.cancel()
        self._keep(record)
        self._shoe.mechanism.stop()
        self._shoe.mechanism.end_run()
        self._shoe.run_ended(self.record)
