"""Firmware of the shoe: faults raised and cleared.

Owns SHOE-8.1 to SHOE-8.4. Must not know why a fault matters to the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cardshoe.sim.codes import DeckState
from cardshoe.sim.messages import FAULT_CODES, GOES_ON, LOCKOUT, VOID

if TYPE_CHECKING:
    from cardshoe.sim.shoe import Shoe

DECK_FAULTS: Final = frozenset({"deck_count_wrong", "deck_identity_wrong", "card_unreadable", "card_face_up"})


class Alarms:
    """The shoe's raised faults, oldest first; the list itself is in its memory."""

    def __init__(self, shoe: Shoe) -> None:
        self._shoe = shoe

    @property
    def faulted(self) -> bool:
        """Tell whether a raised fault keeps the motor still (SHOE-8.2)."""
        return any(name not in GOES_ON for name in self._shoe.memory.faults)

    @property
    def oldest(self) -> int:
        """Code of the oldest raised fault, 0 for none (SHOE-2.4)."""
        faults = self._shoe.memory.faults
        return FAULT_CODES[faults[0]] if faults else 0

    def raise_fault(self, name: str) -> None:
        """A fault has appeared; what is moving stops as the fault says."""
        shoe = self._shoe
        if name in shoe.memory.faults:
            return
        shoe.memory.faults.append(name)
        shoe.memory.faults_total += 1
        shoe.store.touch()
        shoe.report("FAULT_RAISED", fault=FAULT_CODES[name], detail=0)
        if name not in GOES_ON and shoe.run is not None:
            shoe.run.on_fault(name)

    def drop_fault(self, name: str) -> None:
        """A fault is gone."""
        if name in self._shoe.memory.faults:
            self._shoe.memory.faults.remove(name)
            self._shoe.store.touch()
            self._shoe.report("FAULT_CLEARED", fault=FAULT_CODES[name])

    def cause_present(self, name: str) -> bool:
        """Tell whether what raised the fault is still there (SHOE-8.3)."""
        mechanism = self._shoe.mechanism
        if name == "jam":
            return mechanism.covered("entry")
        if name == "exit_blocked":
            return mechanism.covered("exit")
        if name in DECK_FAULTS and self._shoe.memory.deck_state == DeckState.REJECTED:
            return mechanism.covered("magazine")
        return name in mechanism.state.causes

    def forget_at_start(self) -> None:
        """After a restart only faults of severity lockout and void stand (SHOE-8.4)."""
        faults = self._shoe.memory.faults
        faults[:] = [name for name in faults if name in LOCKOUT or name in VOID]

    def serviced(self) -> None:
        """A technician has seen to the machine: nothing is raised any more."""
        for name in list(self._shoe.memory.faults):
            self.drop_fault(name)
