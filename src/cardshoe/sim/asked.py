"""The shoe's own log of what was asked of hidden cards.

Owns SHOE-9.8. Must not know a face, nor how a question is judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from cardshoe.sim.codes import AskedKind
from cardshoe.sim.link import Reply, number
from cardshoe.sim.messages import Value
from cardshoe.sim.nvram import Asked

if TYPE_CHECKING:
    from cardshoe.sim.shoe import Shoe


def note(shoe: Shoe, command_id: int, asked: AskedKind, result: int) -> None:
    """Write a try or a reveal before it is answered."""
    memory, boots = shoe.memory.round, shoe.memory.link.boot_counter
    if not shoe.broken("SHOE-9.8"):
        memory.note(Asked(memory.round_id, command_id, asked, result, boots, shoe.link.uptime_ms))
    shoe.store.touch()


def read_asked(shoe: Shoe, values: Mapping[str, Value]) -> Reply:
    """READ_ASKED: the entry `back` places before the newest."""
    back, memory = number(values["back"]), shoe.memory.round
    nothing = Asked(0, 0, AskedKind.NOTHING, 0, 0, 0)
    entry = memory.log[-1 - back] if back < len(memory.log) else nothing
    answer: dict[str, Value] = {
        "total": memory.asked_total,
        "round_id": entry.round_id,
        "command_id": entry.command_id,
        "asked": entry.asked,
        "result": entry.result,
        "boot_counter": entry.boot_counter,
        "uptime_ms": entry.uptime_ms,
    }
    return Reply("READ_ASKED_REPLY", answer)
