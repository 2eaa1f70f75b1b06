"""What service should know before anything breaks: losses of the line, cards that read badly.

Owns the limits and the words of advice. Advice never holds a round; it is written once a deck or once a shift, and
shown. Pure. Implements scenarios S14 and S15.
"""

from __future__ import annotations

from typing import Final

from cardshoe.devices.events import FaultRaised
from cardshoe.table.desk import Desk
from cardshoe.table.upkeep import Upkeep

LEAST_READS: Final = 20
"""Fewer cards say nothing about a rate."""
LOSSES_TOLD: Final = 3


def advise(desk: Desk) -> None:
    """Write the advice that the counts give now, once."""
    for code, text in _due(desk.state.upkeep, desk.config.deck.unreadable_per_1000):
        if code not in desk.state.upkeep.advised:
            desk.write("service_advised", {"code": code, "text": text, **_rates(desk.state.upkeep)})


def advise_fault(desk: Desk, event: FaultRaised) -> None:
    """Write what a device itself says about its wear."""
    code = event.fault.name.replace("_", "-")
    if code not in desk.state.upkeep.advised:
        desk.write("service_advised", {"code": code, "text": event.fault.dealer, **_rates(desk.state.upkeep)})


def notices(upkeep: Upkeep, per_1000: int) -> tuple[str, ...]:
    """Return what service is shown: the counts of this shift, and the advice that they give."""
    shift = upkeep.shift
    told: list[str] = [text for _code, text in _due(upkeep, per_1000)]
    if shift.losses:
        told.append(f"Lines lost since the table opened: {shift.losses}, {shift.losses_on_motion} of them in motion.")
    if shift.unreadable:
        told.append(f"Cards not read since the table opened: {shift.unreadable} of {shift.reads}.")
    return tuple(told)


def _due(upkeep: Upkeep, per_1000: int) -> list[tuple[str, str]]:
    due: list[tuple[str, str]] = []
    if _over(upkeep.deck_unreadable, upkeep.deck_reads, per_1000):
        due.append(("deck-reads-badly", "Many cards of this deck cannot be read. Clean or change the deck."))
    elif _over(upkeep.shift.unreadable, upkeep.shift.reads, per_1000):
        due.append(("reader-reads-badly", "Many cards cannot be read. Clean the reader's window, look at the light."))
    if upkeep.shift.losses_on_motion >= LOSSES_TOLD:
        due.append(("lost-on-motion", "The shoe is lost when its motor starts. Look at its cable and power."))
    return due


def _over(bad: int, reads: int, per_1000: int) -> bool:
    return reads >= LEAST_READS and bad * 1000 > reads * per_1000


def _rates(upkeep: Upkeep) -> dict[str, object]:
    shift = upkeep.shift
    return {
        "deck_reads": upkeep.deck_reads,
        "deck_unreadable": upkeep.deck_unreadable,
        "shift_reads": shift.reads,
        "shift_unreadable": shift.unreadable,
        "losses": shift.losses,
        "losses_on_motion": shift.losses_on_motion,
    }
