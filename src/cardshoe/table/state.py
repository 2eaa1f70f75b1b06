"""What the table knows and must not forget: one frozen value, built from journal entries alone.

Owns `TableState` and `absorb`, the one place where it changes. A live table absorbs each entry that it writes; a
restarted one absorbs the journal's records and stands where it stood (promise P2). Must not know devices' bytes,
screens or time. Its values have no slots, so that `changed` copies them quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

from cardshoe.error_table import ERROR_TABLE, Clears
from cardshoe.round.events import (
    Event,
    HoldCleared,
    RoundOpened,
    StackDelivered,
    StackNotMoved,
    StackRequested,
    StackUnknown,
)
from cardshoe.round.machine import apply, open_round, seats_of
from cardshoe.round.records import from_record
from cardshoe.round.state import State, changed
from cardshoe.table import shoe_round
from cardshoe.table.upkeep import Upkeep, recalled_upkeep, upkept

NOTED: Final = "table_noted"
"""The kind of the entry that sums up everything before it, between two rounds."""
REMEMBERED: Final = 64
"""So many commands a shoe remembers at least (SHOE-3.5); a report of an older one is none."""

_THROUGH: Final = frozenset({"StackReady", "StackTaken", "DispenseFailed", "DispenseInterrupted"})
"""Reports after which the motor does nothing more for the command that they name."""
_UNFINISHED: Final = frozenset({"never_seen", "running"})
"""Answers about a command that do not end it; what was never seen is ended by an event of its own."""


class Work(Enum):
    """What a shoe's command does."""

    DISPENSE = "dispense"
    PREPARE = "prepare"


@dataclass(frozen=True)
class Command:
    """The command that is not accounted for yet. `ready`: its stack lies in the gate; `stopped`: the shoe said that its
    motor is through with it, or never began.
    """

    command_id: int
    work: Work
    to: str = ""
    cards: int = 0
    ready: bool = False
    stopped: bool = False


@dataclass(frozen=True)
class Known:
    """A device as the journal knows it: `serial`, the last event of it that is safe, `firmware` as it says itself, and
    how often it had `started` (0: an older record did not say).
    """

    serial: str
    consumed_event: int
    firmware: str = ""
    started: int = 0


@dataclass(frozen=True, slots=True)
class TableAlarm:
    """An open question between rounds; blocks the next deal like a hold of the round (promise P5)."""

    code: str
    text: str

    @property
    def clears(self) -> Clears:
        """Who may clear it; a code that no table knows is the floor's."""
        meaning = ERROR_TABLE.get(self.code)
        return meaning.clears if meaning is not None else Clears.FLOOR


@dataclass(frozen=True)
class Tally:
    """Counts over the whole journal. A request that the shoe never took up does not count; it is made anew."""

    completed: int = 0
    voided: int = 0
    held: int = 0
    alarms: int = 0
    stacks_requested: int = 0
    stacks_dispensed: int = 0


@dataclass(frozen=True)
class TableState:
    """`deck_id`: the deck that the open or last round is dealt from, None before its first stack; `next_slot`: the
    first slot of it not used yet, `slot_before` what that was before the last stack. `round_closed`: the open round's
    payouts are written. `reader_faces`: faces told by the reader at each place since it was last clear;
    `reader_rechecks`: those that it will tell once more because it restarted. `not_moved`: the last commands of which
    the shoe said that they moved nothing; `uncounted`: the last ones whose stack is not counted in the tally.
    """

    round: State | None = None
    round_closed: bool = True
    last_round_id: int = 0
    seats: Mapping[str, str] = field(default_factory=dict)
    command: Command | None = None
    last_command_id: int = 0
    deck_id: int | None = None
    spent_deck_id: int = 0
    next_slot: int = 0
    slot_before: int = 0
    reader_faces: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reader_rechecks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    devices: Mapping[str, Known] = field(default_factory=dict)
    alarms: tuple[TableAlarm, ...] = ()
    tally: Tally = Tally()
    upkeep: Upkeep = field(default_factory=Upkeep)
    not_moved: tuple[int, ...] = ()
    uncounted: tuple[int, ...] = ()
    shoe_round: shoe_round.ShoeRound | None = None

    @property
    def unwanted(self) -> Command | None:
        """The open dispense of which the round awaits nothing any more: it is void, or there is none."""
        command = self.command
        wanted = command is None or command.work is not Work.DISPENSE or _awaited(self.round, command)
        return None if wanted else command


def absorb(state: TableState, kind: str, body: Mapping[str, Any]) -> TableState:
    """Return `state` after the journal entry of `kind` with `body`. Entries of other kinds tell nothing.

    Raises what the round machine raises, `KeyError` and `TypeError` for a body that is not one of ours.
    """
    if body.get("kind") == kind:  # a round's event carries its kind in itself
        return absorb_event(state, from_record(body))
    taken = _TAKEN.get(kind)
    after = state if taken is None else taken(state, body)
    if kind in shoe_round.KINDS:
        after = changed(after, shoe_round=shoe_round.absorbed(after.shoe_round, kind, body))
    upkeep = upkept(after.upkeep, kind, body, after.last_round_id)
    return after if upkeep is after.upkeep else changed(after, upkeep=upkeep)


def absorb_event(state: TableState, event: Event) -> TableState:
    """Return `state` after a round's event, as it is read out of its record. Raises what the round machine raises."""
    if isinstance(event, RoundOpened):
        spent = state.deck_id if state.deck_id is not None else state.spent_deck_id
        return changed(
            state,
            round=open_round(event),
            round_closed=False,
            last_round_id=event.round_id,
            deck_id=None,
            spent_deck_id=spent,
            next_slot=0,
            slot_before=0,
        )
    if state.round is None:
        return state
    before = state.round
    after, _effects = apply(before, event)
    new_holds = len([hold for hold in after.holds if hold not in before.holds])
    tally = _plus(state.tally, held=new_holds, alarms=new_holds) if new_holds else state.tally
    if isinstance(event, StackRequested):
        state = changed(
            state,
            command=Command(event.command_id, Work.DISPENSE, event.to, event.cards),
            last_command_id=event.command_id,
        )
        tally = _plus(tally, stacks_requested=1)
        kept = shoe_round.stack_requested(state.shoe_round, event.command_id, event.to)
        state = changed(state, uncounted=(*state.uncounted, event.command_id)[-REMEMBERED:], shoe_round=kept)
    if isinstance(event, StackNotMoved):
        state = changed(state, not_moved=(*state.not_moved, event.command_id)[-REMEMBERED:])
    state = changed(state, round=after, seats=seats_of(after), tally=tally)
    return state if state.command is None else _command_after(state, state.command, event)


def _command_after(state: TableState, command: Command, event: Event) -> TableState:
    """Return `state` after an event of its round, which may account for the open command."""
    match event:
        case StackDelivered(command_id, _, cards) if command_id == command.command_id:
            state = _stopped(_counted(state, command_id) if cards >= command.cards else state, command_id)
        case StackNotMoved(command_id) | StackUnknown(command_id) if command_id == command.command_id:
            state = _stopped(state, command_id)
        case HoldCleared("stack-unknown", "delivered"):
            state = _counted(state, command.command_id)
        case _:
            pass
    return _let_go(state)


def _awaited(round_: State | None, command: Command) -> bool:
    """Tell whether the round still takes what becomes of `command`."""
    if round_ is None or round_.closed or round_.pending is None:
        return False
    return round_.pending.command_id == command.command_id


def _let_go(state: TableState) -> TableState:
    """Forget a dispense when the shoe is through with it and the round awaits nothing of it, never before (P1, P3)."""
    command = state.unwanted
    return changed(state, command=None) if command is not None and command.stopped else state


def _stopped(state: TableState, command_id: int) -> TableState:
    """Note that the shoe is through with a dispense."""
    command = state.command
    if command is None or command.work is not Work.DISPENSE or command.command_id != command_id or command.stopped:
        return state
    return changed(state, command=changed(command, stopped=True))


def _counted(state: TableState, command_id: int) -> TableState:
    """Count the stack of a command once, whichever tells of it first: the report, its delivery or the floor."""
    if command_id not in state.uncounted:
        return state
    left = tuple([each for each in state.uncounted if each != command_id])
    return changed(state, uncounted=left, tally=_plus(state.tally, stacks_dispensed=1))


def _deck_armed(state: TableState, body: Mapping[str, Any]) -> TableState:
    return changed(state, deck_id=_number(body, "deck_id"), next_slot=0, slot_before=0)


def _preparation_requested(state: TableState, body: Mapping[str, Any]) -> TableState:
    number = _number(body, "command_id")
    return changed(state, command=Command(number, Work.PREPARE), last_command_id=number)


def _command_withdrawn(state: TableState, _body: Mapping[str, Any]) -> TableState:
    return changed(state, tally=_plus(state.tally, stacks_requested=-1))


def _command_ended(state: TableState, body: Mapping[str, Any]) -> TableState:
    if state.command is not None and state.command.command_id == body["command_id"]:
        return changed(state, command=None)
    return state


def _ids_raised(state: TableState, body: Mapping[str, Any]) -> TableState:
    return changed(state, last_command_id=max(state.last_command_id, _number(body, "last_command")))


def _alarm_raised(state: TableState, body: Mapping[str, Any]) -> TableState:
    alarm = TableAlarm(str(body["code"]), str(body["text"]))
    return changed(state, alarms=(*state.alarms, alarm), tally=_plus(state.tally, alarms=1, held=1))


def _alarm_cleared(state: TableState, body: Mapping[str, Any]) -> TableState:
    return changed(state, alarms=tuple(each for each in state.alarms if each.code != body["code"]))


def _identified(state: TableState, body: Mapping[str, Any]) -> TableState:
    device, serial = str(body["device"]), str(body["serial"])
    known = state.devices.get(device)
    consumed = _number(body, "consumed_event")
    # A device whose count fell back has lost its memory; its events count anew from what it still holds.
    if known is not None and known.serial == serial and known.consumed_event <= _number(body, "last_event"):
        consumed = known.consumed_event
    started = body.get("boot_counter", 0)
    known = Known(serial, consumed, str(body.get("firmware", "")), started if isinstance(started, int) else 0)
    return changed(state, devices={**state.devices, device: known})


def _shoe_told(state: TableState, body: Mapping[str, Any]) -> TableState:
    state = _shoe_reported(_safe(state, "shoe", body), body)
    kept = shoe_round.reported(state.shoe_round, body)
    return state if kept is state.shoe_round else changed(state, shoe_round=kept)


def _reader_told(state: TableState, body: Mapping[str, Any]) -> TableState:
    return _reader_reported(_safe(state, "reader", body), body)


def _safe(state: TableState, device: str, body: Mapping[str, Any]) -> TableState:
    known = state.devices.get(device)
    if known is None:
        return state
    known = changed(known, consumed_event=_number(body, "event_id"))
    return changed(state, devices={**state.devices, device: known})


def _shoe_reported(state: TableState, body: Mapping[str, Any]) -> TableState:
    if body["event"] not in _THROUGH:
        return state
    command_id, command = _number(body, "command_id"), state.command
    if body["event"] != "StackReady":
        return _let_go(_stopped(state, command_id))
    state = _counted(state, command_id)  # whatever else was said of the command before
    if command is None or command.command_id != command_id or command.ready:
        return state
    slot = body["first_slot"]
    state = changed(
        state,
        command=changed(command, ready=True, stopped=True),
        slot_before=state.next_slot,
        next_slot=slot + _number(body, "cards") if isinstance(slot, int) else state.next_slot,
    )
    return _let_go(state)


def _answered(state: TableState, body: Mapping[str, Any]) -> TableState:
    if body["outcome"] in _UNFINISHED:
        return state
    return _let_go(_stopped(state, _number(body, "command_id")))


def _reader_reported(state: TableState, body: Mapping[str, Any]) -> TableState:
    faces, rechecks = dict(state.reader_faces), dict(state.reader_rechecks)
    if body["event"] == "ReaderBooted":
        return changed(state, reader_rechecks=faces)
    place = str(body.get("place"))
    if body["event"] == "PlaceCleared":
        faces.pop(place, None)
        rechecks.pop(place, None)
    elif body["event"] == "CardRead":
        face, again = str(body["face"]), rechecks.get(place, ())
        if face in again:
            rechecks[place] = _less(again, face)
        else:
            faces[place] = (*faces.get(place, ()), face)
    return changed(state, reader_faces=faces, reader_rechecks=rechecks)


def _less(faces: tuple[str, ...], face: str) -> tuple[str, ...]:
    where = faces.index(face)
    return (*faces[:where], *faces[where + 1 :])


def _settled(state: TableState, _body: Mapping[str, Any]) -> TableState:
    if state.round is None or state.round_closed:
        return state
    void = state.round.void_all
    return changed(
        state, round_closed=True, tally=_plus(state.tally, completed=0 if void else 1, voided=1 if void else 0)
    )


def _noted(_state: TableState, body: Mapping[str, Any]) -> TableState:
    command = body["command"]
    return TableState(
        last_round_id=_number(body, "last_round_id"),
        seats=body["seats"],
        command=None if command is None else Command(**{**command, "work": Work(command["work"])}),
        last_command_id=_number(body, "last_command_id"),
        deck_id=body["deck_id"],
        spent_deck_id=_number(body, "spent_deck_id"),
        devices={name: Known(**known) for name, known in body["devices"].items()},
        alarms=tuple(TableAlarm(**alarm) for alarm in body["alarms"]),
        tally=Tally(**body["tally"]),
        reader_faces={place: tuple(faces) for place, faces in body["reader_faces"].items()},
        reader_rechecks={place: tuple(faces) for place, faces in body["reader_rechecks"].items()},
        upkeep=recalled_upkeep(body.get("upkeep", {})),
        not_moved=tuple(body.get("not_moved", ())),
        uncounted=tuple(body.get("uncounted", ())),
        shoe_round=shoe_round.recalled(body.get("shoe_round")),
    )


def _plus(tally: Tally, **more: int) -> Tally:
    return changed(tally, **{name: getattr(tally, name) + number for name, number in more.items()})


def _number(body: Mapping[str, Any], key: str) -> int:
    value = body[key]
    if not isinstance(value, int):
        raise TypeError(f"{key} of a journal entry is {value!r}, not a number")
    return value


_TAKEN: Final[Mapping[str, Callable[[TableState, Mapping[str, Any]], TableState]]] = {
    "deck_armed": _deck_armed,
    "deck_preparation_requested": _preparation_requested,
    "command_answered": _answered,
    "command_ended": _command_ended,
    "command_withdrawn": _command_withdrawn,
    "command_ids_raised": _ids_raised,
    "device_identified": _identified,
    "shoe_reported": _shoe_told,
    "reader_reported": _reader_told,
    "alarm_raised": _alarm_raised,
    "alarm_cleared": _alarm_cleared,
    "settled": _settled,
    NOTED: _noted,
}
"""What each kind of entry does to the state."""
