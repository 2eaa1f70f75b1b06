"""Who may do what at a table: roles, and for each thing that can be done the people whom it needs.

Owns the table of rights as data: one row for each act and for each matter beside the acts (reading the journal, pairing
a device, enrolling a person). Who may clear an alarm or answer a hold is not repeated here: it follows from `clears` of
the error table and from the one function that reads it (`round.irregular.may_clear`). A void, whichever way it comes
about, needs two people, one of them of the floor. Must not know who is here (`authority`) nor how people prove their
name. Pure. Implements threat T13, certification line E4 and the two-person rules for void, key, mode, calibration and
envelope; E03 comes out of the error table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from typing import Final

from cardshoe.error_table import Clears
from cardshoe.round import events
from cardshoe.round.irregular import may_clear
from cardshoe.round.machine import apply
from cardshoe.round.state import VOID, State
from cardshoe.table.acts import (
    Act,
    CalibrationChanged,
    ClearAlarm,
    CorrectEntry,
    DeckDoubted,
    DeckPlaced,
    DeckReplaced,
    HandShuffled,
    LimitsChanged,
    OpenRound,
    ShoeGivenUp,
    SignedOff,
    StopAsked,
    StubCounted,
    TableReopened,
    TrainingSet,
)
from cardshoe.table.state import TableState


class Role(Enum):
    """What a person is at this table; everybody has one role."""

    DEALER = "dealer"
    FLOOR = "floor"
    TECHNICIAN = "technician"
    AUDITOR = "auditor"


Roles = frozenset[Role]


@dataclass(frozen=True, slots=True)
class Rule:
    """Whom a thing needs. `first`: the roles that may do it; `seconds`: where one person is not enough, the roles of
    the second person by the role of the first. `unsigned`: nobody need be signed in.
    """

    first: Roles
    seconds: Mapping[Role, Roles] = field(default_factory=dict)
    unsigned: bool = False

    def second_of(self, role: Role) -> Roles:
        """Return the roles of the second person beside one of `role`; none when one person is enough."""
        return self.seconds.get(role, frozenset())


class Matter(Enum):
    """What people do beside the acts of the table."""

    SEE_TABLE = "see-table"
    SEE_HEALTH = "see-health"
    SEE_DEVICES = "see-devices"
    SEE_ROUNDS = "see-rounds"
    READ_JOURNAL = "read-journal"
    VERIFY_JOURNAL = "verify-journal"
    REPLAY_JOURNAL = "replay-journal"
    EXPORT_JOURNAL = "export-journal"
    CLOSE_TABLE = "close-table"
    SELF_TEST = "self-test"
    PAIR_DEVICE = "pair-device"
    UNPAIR_DEVICE = "unpair-device"
    CHANGE_MODE = "change-mode"
    OPEN_ENVELOPE = "open-envelope"
    ENROL_PERSON = "enrol-person"
    REMOVE_PERSON = "remove-person"
    RESET_PIN = "reset-pin"
    UNLOCK_PERSON = "unlock-person"
    INJECT_FAULT = "inject-fault"


def _one(*roles: Role) -> Rule:
    return Rule(frozenset(roles))


def _two(first: Role, *seconds: Role) -> Rule:
    return Rule(frozenset({first}), {first: frozenset(seconds)})


_DEALING: Final = _one(Role.DEALER, Role.FLOOR)
_FLOOR: Final = _one(Role.FLOOR)
_AT_THE_TABLE: Final = _one(Role.DEALER, Role.FLOOR, Role.TECHNICIAN)
_ANYBODY: Final = Rule(frozenset(Role), unsigned=True)
_SIGNED_IN: Final = Rule(frozenset(Role))
# A person who could enrol another alone would be two people by himself.
_STAFF: Final = _two(Role.FLOOR, Role.FLOOR, Role.TECHNICIAN, Role.AUDITOR)
_SET_UP: Final = _two(Role.TECHNICIAN, Role.FLOOR)  # keys, mode, calibration
_WITNESSED: Final = _two(Role.FLOOR, *Role)

UPKEEP: Final[Mapping[type, Rule]] = {
    DeckPlaced: _DEALING,
    DeckReplaced: _FLOOR,
    DeckDoubted: _AT_THE_TABLE,
    HandShuffled: _AT_THE_TABLE,
    StopAsked: _ANYBODY,  # a shoe is never kept running for want of a name
    StubCounted: _DEALING,
    SignedOff: _FLOOR,
    CalibrationChanged: _SET_UP,
    LimitsChanged: _FLOOR,
    TrainingSet: _WITNESSED,  # what is training is not counted as play, so nobody can say so alone
    TableReopened: _FLOOR,
    ShoeGivenUp: _FLOOR,
}

ACTS: Final[Mapping[type, Rule]] = {
    OpenRound: _DEALING,
    CorrectEntry: _DEALING,
    **UPKEEP,
    events.PlayerSeated: _DEALING,
    events.PlayerLeft: _DEALING,
    events.WagerPlaced: _DEALING,
    events.WagerWithdrawn: _DEALING,
    events.NoMoreBetsCalled: _DEALING,
    events.CoverCardInserted: _DEALING,
    events.StubRemoved: _DEALING,
    events.CardDealt: _DEALING,
    events.CardBurned: _DEALING,
    events.BoardDealt: _DEALING,
    events.BoardTurned: _DEALING,
    events.DecisionMade: _DEALING,
    events.DealerRevealed: _DEALING,
    events.CardTurned: _DEALING,
    events.DeclaredConfirmed: _FLOOR,
    events.HandSettled: _DEALING,
    events.HandCollected: _DEALING,
    events.RoundCompleted: _DEALING,
    events.IrregularityFound: _DEALING,
    events.FloorRuled: _FLOOR,
    events.EntryCorrected: _DEALING,
}
"""Every act but the clearing of alarms and holds; an act that voids a hand needs a second person besides. Events that
only a device tells have no row: `controller` refuses them, whoever enters them."""

MATTERS: Final[Mapping[Matter, Rule]] = {
    Matter.SEE_TABLE: _ANYBODY,
    Matter.SEE_HEALTH: _ANYBODY,
    Matter.SEE_DEVICES: _one(Role.FLOOR, Role.TECHNICIAN, Role.AUDITOR),
    Matter.SEE_ROUNDS: _one(Role.FLOOR, Role.AUDITOR),
    Matter.READ_JOURNAL: _one(Role.FLOOR, Role.AUDITOR),
    Matter.VERIFY_JOURNAL: _one(Role.FLOOR, Role.TECHNICIAN, Role.AUDITOR),
    Matter.REPLAY_JOURNAL: _one(Role.FLOOR, Role.AUDITOR),
    Matter.EXPORT_JOURNAL: _one(Role.AUDITOR),
    Matter.CLOSE_TABLE: _FLOOR,
    Matter.SELF_TEST: _one(Role.TECHNICIAN),
    Matter.PAIR_DEVICE: _SET_UP,
    Matter.UNPAIR_DEVICE: _SET_UP,
    Matter.CHANGE_MODE: _SET_UP,
    Matter.OPEN_ENVELOPE: _two(Role.AUDITOR, Role.FLOOR, Role.AUDITOR),
    Matter.ENROL_PERSON: _STAFF,
    Matter.REMOVE_PERSON: _STAFF,
    Matter.RESET_PIN: _STAFF,
    Matter.UNLOCK_PERSON: _FLOOR,
    Matter.INJECT_FAULT: _SIGNED_IN,
}

SHOWN: Final = frozenset({Matter.SEE_TABLE, Matter.SEE_HEALTH, Matter.SEE_DEVICES, Matter.SEE_ROUNDS})
"""Matters that only show. A page asks for them by itself, so they are no order: they keep nobody signed in, and they
leave no record."""

_CAPITAL: Final = re.compile(r"(?<!^)(?=[A-Z])")


def name_of(wanted: Act | Matter) -> str:
    """Return what is done as the journal names it: `hold-cleared`, `pair-device`."""
    return wanted.value if isinstance(wanted, Matter) else _CAPITAL.sub("-", type(wanted).__name__).lower()


@cache
def clearing(clears: Clears) -> Rule:
    """Return whom the clearing of what `clears` demands needs, as `may_clear` has it."""
    first: set[Role] = set()
    seconds: dict[Role, Roles] = {}
    for role in Role:
        if may_clear(clears, role.value, ""):
            first.add(role)
        elif others := frozenset(other for other in Role if may_clear(clears, role.value, other.value)):
            first.add(role)
            seconds[role] = others
    return Rule(frozenset(first), seconds)


def rule_of(act: Act, state: TableState) -> Rule:
    """Return whom `act` needs now, as long as it voids nothing. What is not open is cleared by nobody in particular:
    that is refused for what it is. Raises `KeyError` for an event that is never entered by a person.
    """
    round_ = state.round
    match act:
        case ClearAlarm(code):
            alarm = next((each for each in state.alarms if each.code == code), None)
            return clearing(alarm.clears) if alarm is not None else _SIGNED_IN
        case events.HoldCleared(code):
            holds = round_.holds if round_ is not None and not state.round_closed else ()
            hold = next((each for each in holds if each.code == code), None)
            return clearing(hold.clears) if hold is not None else _SIGNED_IN
        case _:
            return ACTS[type(act)]


def with_void(rule: Rule) -> Rule:
    """Return whom the same act needs when it voids a hand: two people, one of them of the floor."""
    beside_the_floor = clearing(Clears.TWO_PEOPLE).second_of(Role.FLOOR)
    return Rule(
        rule.first,
        {role: beside_the_floor if role is Role.FLOOR else frozenset({Role.FLOOR}) for role in rule.first},
    )


def voids(round_: State, event: events.Event) -> bool:
    """Tell whether `event` makes a hand of `round_` void, or all of them. Raises what the round machine raises."""
    after, _effects = apply(round_, event)
    before = {hand.position for hand in round_.hands if hand.status is VOID}
    more = any(hand.status is VOID and hand.position not in before for hand in after.hands)
    return more or (after.void_all and not round_.void_all)
