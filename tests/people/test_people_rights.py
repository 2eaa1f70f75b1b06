"""Who may do what: every order and every matter, by every role, and the second person. T13, E03, certification E4."""

from __future__ import annotations

import dataclasses
import itertools
from typing import get_args

import pytest
from people_bench import CONFIG, OF_ROLE, OTHER_OF_ROLE, Bench

from cardshoe.error_table import ERROR_TABLE, Clears
from cardshoe.errors import ConfigError, Refused
from cardshoe.games.verdicts import Case
from cardshoe.round import events
from cardshoe.round.irregular import may_clear
from cardshoe.table import acts
from cardshoe.table.acts import ENTERED_BY_DEVICES, ENTERED_WITHOUT_SHOE, Act
from cardshoe.table.config import parse_config
from cardshoe.table.controller import Controller
from cardshoe.table.roles import ACTS, MATTERS, Matter, Role, clearing, name_of
from cardshoe.table.state import TableAlarm, TableState
from cardshoe.wire.spec import load_faults

GRID = """
order                   dealer floor technician auditor   second
open-round              yes    yes   -          -         -
deck-placed             yes    yes   -          -         -
deck-replaced           -      yes   -          -         -
deck-doubted            yes    yes   yes        -         -
hand-shuffled           yes    yes   yes        -         -
stop-asked              yes    yes   yes        yes       -
stub-counted            yes    yes   -          -         -
signed-off              -      yes   -          -         -
calibration-changed     -      -     yes        -         floor
limits-changed          -      yes   -          -         -
training-set            -      yes   -          -         dealer/floor/technician/auditor
table-reopened          -      yes   -          -         -
shoe-given-up           -      yes   -          -         -
correct-entry           yes    yes   -          -         -
player-seated           yes    yes   -          -         -
player-left             yes    yes   -          -         -
wager-placed            yes    yes   -          -         -
wager-withdrawn         yes    yes   -          -         -
no-more-bets-called     yes    yes   -          -         -
cover-card-inserted     yes    yes   -          -         -
stub-removed            yes    yes   -          -         -
card-dealt              yes    yes   -          -         -
card-burned             yes    yes   -          -         -
board-dealt             yes    yes   -          -         -
board-turned            yes    yes   -          -         -
decision-made           yes    yes   -          -         -
dealer-revealed         yes    yes   -          -         -
card-turned             yes    yes   -          -         -
declared-confirmed      -      yes   -          -         -
hand-settled            yes    yes   -          -         -
hand-collected          yes    yes   -          -         -
round-completed         yes    yes   -          -         -
irregularity-found      yes    yes   -          -         -
floor-ruled             -      yes   -          -         -
entry-corrected         yes    yes   -          -         -
see-table               yes    yes   yes        yes       -
see-health              yes    yes   yes        yes       -
see-devices             -      yes   yes        yes       -
see-rounds              -      yes   -          yes       -
read-journal            -      yes   -          yes       -
verify-journal          -      yes   yes        yes       -
replay-journal          -      yes   -          yes       -
export-journal          -      -     -          yes       -
close-table             -      yes   -          -         -
self-test               -      -     yes        -         -
pair-device             -      -     yes        -         floor
unpair-device           -      -     yes        -         floor
change-mode             -      -     yes        -         floor
open-envelope           -      -     -          yes       floor/auditor
enrol-person            -      yes   -          -         floor/technician/auditor
remove-person           -      yes   -          -         floor/technician/auditor
reset-pin               -      yes   -          -         floor/technician/auditor
unlock-person           -      yes   -          -         -
inject-fault            yes    yes   yes        yes       -
"""
"""What is expected, written down by hand and not taken from the product."""

UNSIGNED = {"stop-asked", "see-table", "see-health"}

EXAMPLES: dict[str, Act] = {
    name_of(act): act
    for act in (
        acts.OpenRound(),
        acts.DeckPlaced("red"),
        acts.DeckReplaced("red", "", "worn"),
        acts.DeckDoubted("", "bent"),
        acts.HandShuffled("", "stopped"),
        acts.StopAsked("", "smoke"),
        acts.StubCounted(40),
        acts.SignedOff(0, "", "end"),
        acts.CalibrationChanged("shoe", "a" * 64, "b" * 64, "", "new roller"),
        acts.LimitsChanged({"ante": 500}, {}, "", "busy"),
        acts.TrainingSet(True, "", "new dealer"),
        acts.TableReopened("", "next shift"),
        acts.ShoeGivenUp("", "it smokes"),
        acts.CorrectEntry(events.DecisionMade("1", "play"), "", "mis-tap"),
        events.PlayerSeated("1", "P1"),
        events.PlayerLeft("P1"),
        events.WagerPlaced("1", "P1", {"ante": 500}),
        events.WagerWithdrawn("1", "P1", ("ante",)),
        events.NoMoreBetsCalled(),
        events.CoverCardInserted(),
        events.StubRemoved(),
        events.CardDealt("1"),
        events.CardBurned(1),
        events.BoardDealt(3),
        events.BoardTurned(1),
        events.DecisionMade("1", "play"),
        events.DealerRevealed(),
        events.CardTurned("As", "1", "declared"),
        events.DeclaredConfirmed(""),
        events.HandSettled("1"),
        events.HandCollected("1"),
        events.RoundCompleted(),
        events.IrregularityFound(Case.DEVICE_FAULT_HARMLESS),
        events.FloorRuled("all", "stands"),
        events.EntryCorrected(events.DecisionMade("1", "fold")),
    )
}


def _rows() -> dict[str, tuple[dict[Role, bool], frozenset[Role]]]:
    rows = {}
    for line in GRID.strip().splitlines()[1:]:
        name, *marks, second = line.split()
        seconds = frozenset(Role(each) for each in second.split("/")) if second != "-" else frozenset()
        rows[name] = ({role: mark == "yes" for role, mark in zip(Role, marks, strict=True)}, seconds)
    return rows


ROWS = _rows()
ALL = list(itertools.product(ROWS, Role))


def test_the_grid_has_a_row_for_everything_that_people_do() -> None:
    """T13: no act and no matter is left to chance; the clearing of alarms has its own test."""
    entered = {act for act in get_args(Act) if act not in ENTERED_BY_DEVICES or act in ENTERED_WITHOUT_SHOE}
    entered -= {acts.ClearAlarm, events.HoldCleared}
    assert set(ACTS) == entered
    assert {type(act) for act in EXAMPLES.values()} == entered
    assert set(MATTERS) == set(Matter)
    assert set(ROWS) == set(EXAMPLES) | {matter.value for matter in Matter}


def _asked(bench: Bench, name: str, by: str | None) -> str:
    if name in EXAMPLES:
        return bench.do(EXAMPLES[name], by)
    token = bench.tokens[by] if by is not None else None
    return bench._code(
        lambda: bench.controller.attended(lambda authority: authority.permit(Matter(name), token, bench.now), bench.now)
    )


@pytest.mark.parametrize(("name", "role"), ALL, ids=lambda value: value.value if isinstance(value, Role) else value)
def test_every_order_by_every_role(name: str, role: Role) -> None:
    """T13: who may not is refused by role and nothing changes; who may goes on to the rules, or waits for a second."""
    bench = Bench()
    bench.sign_in(OF_ROLE[role])
    before = bench.controller.state
    code = _asked(bench, name, OF_ROLE[role])
    may, seconds = ROWS[name]
    if not may[role]:
        assert code == "role"
        assert bench.controller.state == before
        denied = {"what": name, "by": OF_ROLE[role], "role": role.value}
        assert bench.bodies("order_denied") == [denied]
    elif seconds:
        assert code == "second-person-due"
        assert bench.controller.state == before
    else:
        assert code not in ("role", "sign-in-needed", "second-person-due")


@pytest.mark.parametrize("name", list(ROWS))
def test_nobody_signed_in(name: str) -> None:
    """T13: only looking and stopping need no name; a stop that nobody signs is written down as nobody's."""
    bench = Bench()
    before = bench.controller.state
    act = acts.StopAsked("dealer", "smoke") if name == "stop-asked" else None
    code = bench.do(act, None) if act is not None else _asked(bench, name, None)
    if name in UNSIGNED:
        assert code == "done"
        assert [body["by"] for body in bench.bodies("ordered")] == ([""] if act is not None else [])
    else:
        assert code == "sign-in-needed"
        assert bench.controller.state == before


TWO = [
    (name, role, second)
    for name, (may, seconds) in ROWS.items()
    for role in Role
    for second in Role
    if seconds and may[role]
]


@pytest.mark.parametrize(("name", "role", "second"), TWO)
def test_the_second_person(name: str, role: Role, second: Role) -> None:
    """T13: of the role that is needed, another person, and both stand in the record; the act is done by the second."""
    bench = Bench()
    first = OF_ROLE[role]
    bench.sign_in(first)
    assert _asked(bench, name, first) == "second-person-due"
    assert bench.second(first, first) == "second-person-same"
    code = bench.second(first, OTHER_OF_ROLE[second])
    if second not in ROWS[name][1]:
        assert code == "second-person-role"
        assert bench.bodies("ordered") == []
        return
    assert code == "done"
    if name not in EXAMPLES:
        assert bench.bodies("ordered") == []  # granted, not yet used
        assert _asked(bench, name, first) == "done"
    people = {"by": first, "role": role.value, "second": OTHER_OF_ROLE[second], "second_role": second.value}
    marked = {"training": True} if name == "training-set" else {}
    assert bench.bodies("ordered") == [{"what": name, **people, **marked}]
    assert _asked(bench, name, first) == "second-person-due"  # good once


EXPECTED_CLEARS: dict[Clears, dict[str, set[str]]] = {
    Clears.NOBODY_NEEDED: {"dealer": set(), "floor": set(), "technician": set(), "auditor": set()},
    Clears.DEALER: {"dealer": set(), "floor": set(), "technician": set()},
    Clears.FLOOR: {"floor": set()},
    Clears.TWO_PEOPLE: {"floor": {"dealer", "floor", "technician"}},
    Clears.TECHNICIAN: {"technician": set()},
}


@pytest.mark.parametrize("clears", list(Clears))
def test_the_clearing_of_alarms_is_what_the_error_table_says(clears: Clears) -> None:
    """T13: one source: the rule comes out of `clears`, and whoever may by the rule may by the round machine."""
    rule, expected = clearing(clears), EXPECTED_CLEARS[clears]
    assert {role.value for role in rule.first} == set(expected)
    for role in rule.first:
        assert {other.value for other in rule.second_of(role)} == expected[role.value]
    for role, second in itertools.product(Role, Role):
        allowed = role in rule.first and (not rule.second_of(role) or second in rule.second_of(role))
        assert may_clear(clears, role.value, second.value) is allowed


HOLDING = sorted(code for code, row in ERROR_TABLE.items() if row.clears is not Clears.NOBODY_NEEDED)


@pytest.mark.parametrize("code", HOLDING)
@pytest.mark.parametrize("role", list(Role))
def test_every_alarm_is_cleared_by_whom_its_row_names(code: str, role: Role) -> None:
    """T13, S04: an alarm between rounds, by one person of every role, then by two."""
    bench = Bench(TableState(alarms=(TableAlarm(code, "something"),)))
    first, clears = OF_ROLE[role], EXPECTED_CLEARS[ERROR_TABLE[code].clears]
    bench.sign_in(first)
    order = acts.ClearAlarm(code, "", "looked at it")
    said = bench.do(order, first)
    if role.value not in clears:
        assert said == "role"
    elif not clears[role.value]:
        assert said == "done"
    else:
        assert said == "second-person-due"
        assert bench.controller.state.alarms
        assert bench.second(first, "Aud") == "second-person-role"
        assert bench.second(first, "Bob") == "done"
    assert bool(bench.controller.state.alarms) is (role.value not in clears)


def test_a_duplicate_card_needs_two_people() -> None:
    """E03: in the error table and in the faults of the shoe."""
    assert ERROR_TABLE["deck-rejected-identity"].clears is Clears.TWO_PEOPLE
    faults = {fault.name: fault for fault in load_faults().values()}
    assert faults["deck_identity_wrong"].clears == "two_people"


STATED = [name for name, act in EXAMPLES.items() if isinstance(act, acts.UpkeepAct) and hasattr(act, "role")]


@pytest.mark.parametrize("name", STATED)
@pytest.mark.parametrize("role", list(Role))
def test_a_stated_role_is_held_against_the_same_rows(name: str, role: Role) -> None:
    """One source: on a bench without people, where the role is only said, what is refused is the same."""
    plain = parse_config(CONFIG.format(game="three-card-poker").replace("people/list.json", "none"), "test.toml")
    controller = Controller(plain, TableState())
    said = ""
    try:
        controller.act(dataclasses.replace(EXAMPLES[name], role=role.value), 0.0)  # type: ignore[call-arg]
    except Refused as error:
        said = error.code
    assert (said == "role") is not ROWS[name][0][role]


def test_a_live_table_needs_people() -> None:
    """T13: `people = "none"` opens a bench only."""
    live = CONFIG.format(game="three-card-poker").replace('"bench"', '"live"').replace("people/list.json", "none")
    with pytest.raises(ConfigError) as raised:
        parse_config(live, "table.toml")
    assert raised.value.code == "config-people"
    assert "cardshoe people add" in raised.value.text
