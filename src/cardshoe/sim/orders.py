"""Firmware of the shoe: which command is allowed now, and its answer.

Owns SHOE-3.1 to SHOE-3.6, SHOE-4.1, SHOE-4.2, SHOE-5.1, SHOE-6.2, SHOE-8.3, SHOE-8.7. Must not move anything itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from cardshoe.sim.codes import ClearResult, DeckState, Outcome, Result
from cardshoe.sim.feed import FeedRun
from cardshoe.sim.link import BAD_VALUE, Reply, number
from cardshoe.sim.messages import FAULT_NAMES, LOCKOUT, Value
from cardshoe.sim.nvram import CommandRecord
from cardshoe.sim.prepare import Preparation
from cardshoe.sim.rounds import ROUND_ORDERS

if TYPE_CHECKING:
    from cardshoe.sim.shoe import Shoe

CARDS_MAX: Final = 7
DESTINATION_MAX: Final = 6


def _first(reasons: list[tuple[bool, Result]]) -> Result:
    return next((result for applies, result in reasons if applies), Result.ACCEPTED)


def _common(shoe: Shoe, command_id: int, *, bad: bool) -> list[tuple[bool, Result]]:
    """Return the reasons that both kinds of motion share, in the order of SHOE-4.2."""
    mechanism = shoe.mechanism
    stale = command_id <= shoe.memory.last_command and not shoe.broken("SHOE-3.3")
    return [
        (bad or command_id == 0, Result.BAD_VALUE),
        (stale, Result.STALE_COMMAND),
        (mechanism.state.mode != 0, Result.WRONG_MODE),
        (shoe.alarms.faulted, Result.FAULTED),
        (shoe.run is not None, Result.BUSY),
        (shoe.link.events.full and not shoe.broken("LINK-7.7"), Result.RING_FULL),
        (shoe.inhibited and not shoe.broken("SHOE-5.1"), Result.INHIBITED),
        (not shoe.link.lease_valid and not shoe.broken("LINK-6.4"), Result.NO_LEASE),
        (mechanism.covered("door"), Result.DOOR_OPEN),
        (shoe.senses.gate_occupied and not shoe.broken("SHOE-4.2"), Result.GATE_OCCUPIED),
    ]


def judge_dispense(shoe: Shoe, command_id: int, deck_id: int, cards: int, destination: int) -> Result:
    """Return the first reason against this DISPENSE, or ACCEPTED (SHOE-4.2)."""
    memory, rounds = shoe.memory, shoe.rounds
    bad = not 1 <= cards <= CARDS_MAX or destination > DESTINATION_MAX
    left = memory.deck_cards - memory.passed
    return _first(
        [
            *_common(shoe, command_id, bad=bad),
            (memory.deck_state != DeckState.VERIFIED, Result.DECK_NOT_VERIFIED),
            (memory.deck_id != deck_id or rounds.has_other_deck(deck_id), Result.WRONG_DECK),
            (rounds.deal_closed, Result.DEAL_CLOSED),
            (left < cards, Result.NOT_ENOUGH_CARDS),
        ]
    )


def judge_prepare(shoe: Shoe, command_id: int) -> Result:
    """Return the first reason against this PREPARE_DECK, or ACCEPTED (SHOE-6.2)."""
    empty = not shoe.mechanism.covered("magazine") and not shoe.mechanism.covered("entry")
    return _first([*_common(shoe, command_id, bad=False), (empty, Result.DECK_NOT_VERIFIED)])


def _record(shoe: Shoe, record: CommandRecord) -> None:
    """Write the id to memory before anything else happens (SHOE-3.2)."""
    memory = shoe.memory
    memory.keep(record)
    memory.last_command = max(memory.last_command, record.command_id)
    memory.running = record.command_id
    shoe.store.touch()
    shoe.point("recorded", 0)


def dispense(shoe: Shoe, values: Mapping[str, Value]) -> Reply:
    """DISPENSE."""
    command_id, deck_id = number(values["command_id"]), number(values["deck_id"])
    cards, destination = number(values["cards"]), number(values["destination"])
    result = judge_dispense(shoe, command_id, deck_id, cards, destination)
    answer = Reply("DISPENSE_REPLY", {"command_id": command_id, "result": result})
    if result is not Result.ACCEPTED:
        return answer
    shoe.stack_accepted()
    record = CommandRecord(command_id, "dispense", cards, destination, Outcome.RUNNING)
    run = FeedRun(shoe, record, deck_id=deck_id)
    shoe.run = run
    if shoe.broken("SHOE-3.2"):
        run.begin()
        return answer
    _record(shoe, record)
    return Reply(answer.name, answer.values, then=run.begin)


def prepare_deck(shoe: Shoe, values: Mapping[str, Value]) -> Reply:
    """PREPARE_DECK."""
    command_id = number(values["command_id"])
    result = judge_prepare(shoe, command_id)
    answer = Reply("PREPARE_DECK_REPLY", {"command_id": command_id, "result": result})
    if result is not Result.ACCEPTED:
        return answer
    record = CommandRecord(command_id, "prepare", 0, 0, Outcome.RUNNING)
    _record(shoe, record)
    shoe.memory.deck_state = DeckState.LOADED
    shoe.memory.left_known = False
    preparation = Preparation(shoe, record)
    shoe.run = preparation
    return Reply(answer.name, answer.values, then=preparation.begin)


def query_command(shoe: Shoe, values: Mapping[str, Value]) -> Reply:
    """QUERY_COMMAND: always allowed, moves nothing (SHOE-3.6)."""
    command_id, memory = number(values["command_id"]), shoe.memory
    record = memory.records.get(command_id)
    if record is None:
        outcome = Outcome.NEVER_SEEN if command_id > memory.last_command else Outcome.FORGOTTEN
        record = CommandRecord(command_id, "", 0, 0, outcome)
    answer: dict[str, Value] = {
        "command_id": command_id,
        "outcome": record.outcome,
        "cards_seen": record.cards_seen,
        "taken": int(record.taken),
        "first_slot": record.first_slot,
        "fault": record.fault,
    }
    return Reply("QUERY_COMMAND_REPLY", answer)


def set_inhibit(shoe: Shoe, values: Mapping[str, Value]) -> Reply | int:
    """SET_INHIBIT (SHOE-5.1)."""
    wanted = number(values["inhibited"])
    if wanted not in {0, 1}:
        return BAD_VALUE
    return Reply("SET_INHIBIT_REPLY", {"inhibited": wanted}, then=lambda: shoe.set_inhibited(wanted == 1))


def clear_fault(shoe: Shoe, values: Mapping[str, Value]) -> Reply:
    """CLEAR_FAULT (SHOE-8.3)."""
    code = number(values["fault"])
    name = FAULT_NAMES.get(code, "")
    if name not in shoe.memory.faults:
        result = ClearResult.NOT_RAISED
    elif name in LOCKOUT:
        result = ClearResult.NEEDS_SERVICE
    elif shoe.alarms.cause_present(name):
        result = ClearResult.STILL_PRESENT
    else:
        result = ClearResult.CLEARED
    reply: dict[str, Value] = {"result": result, "fault": code}
    cleared = result is ClearResult.CLEARED
    return Reply("CLEAR_FAULT_REPLY", reply, then=(lambda: shoe.alarms.drop_fault(name)) if cleared else None)


def read_counters(shoe: Shoe, _: Mapping[str, Value]) -> Reply:
    """READ_COUNTERS (SHOE-8.7)."""
    memory = shoe.memory
    names = ("stacks_total", "cards_total", "misfeeds_total", "rereads_total", "faults_total", "shuffles_total")
    return Reply("READ_COUNTERS_REPLY", {name: getattr(memory, name) for name in names})


ORDERS: Final[dict[str, Callable[[Shoe, Mapping[str, Value]], Reply | int]]] = {
    "QUERY_COMMAND": query_command,
    "DISPENSE": dispense,
    "SET_INHIBIT": set_inhibit,
    "PREPARE_DECK": prepare_deck,
    "CLEAR_FAULT": clear_fault,
    "READ_COUNTERS": read_counters,
    **ROUND_ORDERS,
}
MOTION: Final = frozenset({"DISPENSE", "PREPARE_DECK"})
