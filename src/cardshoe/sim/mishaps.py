"""Faults that happen at once, carried out on the machines and cards of a world.

Owns what each such fault does. When it does so is in `faults`.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from cardshoe.sim.deck import counted
from cardshoe.sim.errors import Impossible
from cardshoe.sim.faults import DECK_KINDS, ENVIRONMENT, READER_CAUSES, Fault
from cardshoe.sim.hands import Hands
from cardshoe.sim.line import Line
from cardshoe.sim.mechanism import Mechanism
from cardshoe.sim.nvram import Store
from cardshoe.sim.power import BootCause, Box
from cardshoe.sim.reader import Reader
from cardshoe.sim.shoe import Shoe
from cardshoe.sim.table import Table
from cardshoe.sim.tamper import tampered

Later = Callable[[float, Callable[[], None]], None]


class Mishaps:
    """Carries out faults. `shoe` and `reader` return the running firmware, None without power."""

    def __init__(
        self,
        *,
        mechanism: Mechanism,
        table: Table,
        hands: Hands,
        shoe_box: Box,
        reader_box: Box,
        shoe: Callable[[], Shoe | None],
        reader: Callable[[], Reader | None],
        reader_causes: list[str],
        changed_firmware: list[str],
        shoe_line: Line,
        rng: random.Random,
        store: Store,
        later: Later,
        new_uid: Callable[[], int],
    ) -> None:
        self._mechanism = mechanism
        self._table = table
        self._hands = hands
        self._shoe_box = shoe_box
        self._reader_box = reader_box
        self._shoe = shoe
        self._reader = reader
        self._reader_causes = reader_causes
        self._changed_firmware = changed_firmware
        self._shoe_line = shoe_line
        self._rng = rng
        self._store = store
        self._later = later
        self._new_uid = new_uid

    def happen(self, fault: Fault) -> None:
        """Carry out one fault. Raises Impossible, with nothing changed, when it cannot happen now."""
        self._store.touch()
        if fault.kind in ENVIRONMENT:
            self._environment(fault.kind)
        elif fault.kind in READER_CAUSES:
            self._disturb(fault.kind, fault.number("for_s"))
        elif fault.kind in DECK_KINDS:
            self._tamper(fault.kind, int(fault.number("cards") or 1))
        else:
            self._act(fault)

    def _act(self, fault: Fault) -> None:
        match fault.kind:
            case "door":
                self._hands.open_door()
            case "mode":
                self._hands.switch_mode(fault.text("mode"))
            case "unexpected_card":
                self._hands.unexpected_card(fault.text("source"))
            case "usb_drop":
                self._shoe_line.unplug(fault.number("for_s"))
            case "firmware_changed":
                if fault.text("device") not in self._changed_firmware:
                    self._changed_firmware.append(fault.text("device"))
            case "watchdog_reset":
                if not self._shoe_box.powered:
                    raise Impossible("the shoe has no power: it cannot restart")
                self._shoe_box.reset(BootCause.WATCHDOG)
            case _:
                raise ValueError(f"fault {fault.kind!r} does not happen at once")

    def _environment(self, name: str) -> None:
        if name not in self._mechanism.state.causes:
            self._mechanism.state.causes.append(name)
        shoe = self._shoe()
        if shoe is not None:
            self._shoe_box.guard(shoe.alarms.raise_fault, name)

    def _disturb(self, cause: str, for_s: float | None) -> None:
        if cause not in self._reader_causes:
            self._reader_causes.append(cause)
        reader = self._reader()
        if reader is not None:
            self._reader_box.guard(reader.disturbed, cause)
        if for_s is not None:
            self._later(for_s, lambda: self._soothe(cause))

    def _soothe(self, cause: str) -> None:
        if cause in self._reader_causes:
            self._reader_causes.remove(cause)
            self._store.touch()
        reader = self._reader()
        if reader is not None:
            self._reader_box.guard(reader.undisturbed, cause)

    def service(self) -> None:
        """A technician removes every lasting cause and clears every fault at the machine."""
        self._mechanism.state.causes.clear()
        self._store.touch()
        shoe = self._shoe()
        if shoe is not None:
            self._shoe_box.guard(shoe.alarms.serviced)
        for cause in list(self._reader_causes):
            self._soothe(cause)

    def _tamper(self, kind: str, count: int) -> None:
        state = self._mechanism.state
        if counted(state.magazine):
            covers = [placed for placed in state.magazine if placed.is_cover]
            deck = [placed for placed in state.magazine if not placed.is_cover]
            inside, floor = tampered(kind, count, deck, rng=self._rng, new_uid=self._new_uid)
            state.magazine = covers + inside
        else:
            place = "hand" if self._table.cards("hand") else "rack"
            inside, floor = tampered(kind, count, self._table.cards(place), rng=self._rng, new_uid=self._new_uid)
            self._table.take(place)
            self._table.lay(place, inside)
        self._table.lay("floor", floor)
