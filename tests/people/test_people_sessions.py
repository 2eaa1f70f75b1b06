"""Sessions and orders that wait for a second person, in time that the test moves. T13, certification E4."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from people_bench import OF_ROLE, OWNER, ROLES, Bench, listed, person

from cardshoe.games.verdicts import Case
from cardshoe.round import events
from cardshoe.round.events import CardDealt, HoldCleared, IrregularityFound, NoMoreBetsCalled, WagerPlaced
from cardshoe.table import acts
from cardshoe.table.authority import IDLE_S, LONGEST_S, MOST_SESSIONS_EACH, SECOND_S
from cardshoe.table.people import People
from cardshoe.table.roles import Matter, Role
from cardshoe.table.state import TableAlarm, TableState


@pytest.mark.parametrize("role", list(Role))
def test_who_does_nothing_is_signed_out(role: Role) -> None:
    """E4: idle end, by role; it is written down, and an order after it is refused."""
    bench, name = Bench(), OF_ROLE[role]
    bench.sign_in(name)
    bench.pass_time(IDLE_S[role] - 1)
    assert "person_signed_out" not in bench.kinds()
    bench.pass_time(2)
    assert bench.bodies("person_signed_out") == [{"name": name, "role": role.value, "why": "idle"}]
    assert bench.do(acts.OpenRound(), name) == "sign-in-needed"


def test_an_order_keeps_its_session_but_not_for_ever() -> None:
    """E4: absolute end, whatever is done."""
    bench = Bench()
    bench.sign_in("Flo")
    ends = bench.now + LONGEST_S[Role.FLOOR]
    while bench.now < ends - 200:
        bench.pass_time(200)
        assert bench.do(events.PlayerSeated("1", "P1"), "Flo") == "no-round"
    bench.pass_time(200)
    assert bench.bodies("person_signed_out")[-1]["why"] == "end"
    assert bench.do(events.PlayerSeated("1", "P1"), "Flo") == "sign-in-needed"


def test_a_session_that_is_due_is_over_before_anybody_says_so() -> None:
    bench = Bench()
    bench.sign_in("Flo")
    bench.now += IDLE_S[Role.FLOOR]
    assert bench.do(acts.OpenRound(), "Flo") == "sign-in-needed"


def test_the_table_wakes_to_end_a_session() -> None:
    bench = Bench()
    bench.sign_in("Ada")
    assert bench.controller.next_deadline() == bench.now + IDLE_S[Role.DEALER]


def test_too_many_sessions_of_one_person() -> None:
    """A person who signs in everywhere leaves the oldest place; nobody else is touched."""
    bench = Bench()
    bench.sign_in("Bob", *["Ada"] * (MOST_SESSIONS_EACH + 1))
    assert bench.bodies("person_signed_out") == [{"name": "Ada", "role": "dealer", "why": "another"}]
    assert bench.do(acts.OpenRound(), "Bob") == "done"


def test_nobody_speaks_for_another() -> None:
    """A stated role that is not the person's own, and a second person who is only named, are refused."""
    bench = Bench(TableState(alarms=(TableAlarm("stop-asked", "stopped"), TableAlarm("people-replaced", "x"))))
    bench.sign_in("Ada", "Flo")
    assert bench.do(acts.ClearAlarm("stop-asked", "technician", "looked"), "Flo") == "role"
    assert bench.do(acts.ClearAlarm("people-replaced", "floor", "looked", "dealer"), "Flo") == "second-person-same"
    assert bench.do(acts.ClearAlarm("stop-asked", "floor", "looked"), "Flo") == "done"
    assert bench.bodies("alarm_cleared")[-1]["role"] == "floor"


def test_a_second_person_comes_too_late() -> None:
    """T13: within 120 s, and not after the first has gone."""
    bench = Bench(TableState(alarms=(TableAlarm("people-replaced", "x"),)))
    bench.sign_in("Flo")
    order = acts.ClearAlarm("people-replaced", "", "looked")
    assert bench.do(order, "Flo") == "second-person-due"
    bench.pass_time(SECOND_S - 1)
    assert bench.controller.authority is not None
    assert bench.controller.authority.waiting(bench.tokens["Flo"], bench.now) is not None
    bench.pass_time(1)
    assert bench.second("Flo", "Ada") == "second-person-late"
    assert bench.do(order, "Flo") == "second-person-due"
    bench.controller.authority.sign_out(bench.tokens["Flo"])
    assert bench.second("Flo", "Ada") == "second-person-late"
    assert bench.controller.state.alarms


def test_a_newer_order_takes_the_place_of_one_that_waits() -> None:
    both = (TableAlarm("people-replaced", "x"), TableAlarm("device-firmware-changed", "y"))
    bench = Bench(TableState(alarms=both))
    bench.sign_in("Flo")
    for code in ("people-replaced", "device-firmware-changed"):
        assert bench.do(acts.ClearAlarm(code, "", "looked"), "Flo") == "second-person-due"
    assert bench.second("Flo", "Ada") == "done"
    assert [alarm.code for alarm in bench.controller.state.alarms] == ["people-replaced"]


def test_a_confirmed_order_is_held_against_what_is_so_by_then() -> None:
    """The alarm was cleared meanwhile: the second person's word clears nothing, and is not written as an order."""
    bench = Bench(TableState(alarms=(TableAlarm("people-replaced", "x"),)))
    bench.sign_in("Flo", "Fay")
    order = acts.ClearAlarm("people-replaced", "", "looked")
    assert bench.do(order, "Flo") == "second-person-due"
    assert bench.do(order, "Fay") == "second-person-due"
    assert bench.second("Fay", "Tim") == "done"
    assert bench.second("Flo", "Ada") == "no-hold"
    assert len(bench.bodies("ordered")) == 1


def test_what_two_people_granted_is_for_that_matter_and_not_for_ever() -> None:
    bench = Bench()
    bench.sign_in("Tim")
    authority, token = bench.controller.authority, bench.tokens["Tim"]
    assert authority is not None

    def ask(matter: Matter) -> str:
        return bench._code(
            lambda: bench.controller.attended(lambda each: each.permit(matter, token, bench.now), bench.now)
        )

    assert ask(Matter.PAIR_DEVICE) == "second-person-due"
    assert bench.second("Tim", "Flo") == "done"
    assert ask(Matter.UNPAIR_DEVICE) == "second-person-due"
    assert ask(Matter.PAIR_DEVICE) == "second-person-due"  # what was granted is gone with the question for another
    assert bench.second("Tim", "Flo") == "done"
    bench.pass_time(SECOND_S)
    assert ask(Matter.PAIR_DEVICE) == "second-person-due"


# --- voids


def _dealt(bench: Bench) -> None:
    bench.sign_in(*ROLES)
    bench.open_round()
    for act in (WagerPlaced("1", "P1", {"ante": 500}), NoMoreBetsCalled(), CardDealt("1")):
        assert bench.do(act, "Ada") == "done"


def _void_of(bench: Bench) -> bool:
    round_ = bench.controller.state.round
    assert round_ is not None
    return round_.void_all


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("Ada", "Flo", "done"),
        ("Flo", "Ada", "done"),
        ("Flo", "Tim", "done"),
        ("Flo", "Fay", "done"),
        ("Ada", "Bob", "second-person-role"),
        ("Ada", "Tim", "second-person-role"),
        ("Flo", "Aud", "second-person-role"),
    ],
)
def test_a_void_needs_two_people_one_of_them_of_the_floor(first: str, second: str, said: str) -> None:
    """T13: an irregularity that the text rules void; until the second person has signed nothing is void."""
    bench = Bench()
    _dealt(bench)
    assert bench.do(IrregularityFound(Case.DEVICE_FAULT), first) == "second-person-due"
    assert not _void_of(bench)
    assert bench.second(first, second) == said
    assert _void_of(bench) is (said == "done")


def test_what_voids_nothing_needs_one() -> None:
    bench = Bench()
    _dealt(bench)
    assert bench.do(IrregularityFound(Case.DEVICE_FAULT_HARMLESS), "Ada") == "done"


@pytest.mark.parametrize(("choice", "said"), [("continue", "done"), ("void-all", "second-person-due")])
def test_the_answer_that_voids_needs_two(choice: str, said: str) -> None:
    """T13: the same question, the floor alone or with a second person, as the answer is."""
    bench = Bench()
    _dealt(bench)
    assert bench.do(acts.StopAsked("", "smoke"), "Ada") == "done"
    assert bench.do(HoldCleared("stop-asked", choice, "", "seen"), "Ada") == "role"
    assert bench.do(HoldCleared("stop-asked", choice, "", "seen"), "Flo") == said
    if said != "done":
        assert bench.second("Flo", "Ada") == "done"
        assert (
            bench.bodies("hold-cleared")[-1] | {"role": "floor", "second": "dealer"} == bench.bodies("hold-cleared")[-1]
        )
    assert _void_of(bench) is (choice == "void-all")


def test_the_floors_ruling_where_the_text_is_silent() -> None:
    """T13: three-card poker is silent about a card face up; "void" is two people's, "stands" one's."""
    for outcome, said in (("stands", "done"), ("void", "second-person-due")):
        bench = Bench()
        _dealt(bench)
        assert bench.do(IrregularityFound(Case.CARD_FACE_UP_DURING_DEAL), "Ada") == "done"
        assert bench.do(events.FloorRuled("all", outcome, "seen"), "Flo") == said


def test_an_answer_that_is_wrong_waits_for_nobody() -> None:
    """What the rules refuse is refused at once: a second person is not called for nothing."""
    bench = Bench()
    _dealt(bench)
    assert bench.do(acts.StopAsked("", "smoke"), "Ada") == "done"
    assert bench.do(HoldCleared("stop-asked", "void-all", "", " "), "Flo") == "reason"
    assert bench.do(HoldCleared("stop-asked", "nothing", "", "x"), "Flo") == "hold-choice"
    assert bench.do(HoldCleared("jam", "void-all", "", "x"), "Flo") == "no-hold"
    assert "answer_came_late" in bench.kinds()
    assert bench.do(events.FloorRuled("all", "perhaps"), "Flo") == "ruling"


def test_an_event_of_a_device_is_entered_by_nobody() -> None:
    bench = Bench()
    bench.sign_in("Flo")
    assert bench.do(events.AlarmRaised("jam", "x"), "Flo") == "act"


# --- who answers for what, and the list


def test_the_record_of_an_order_stands_beside_what_it_did() -> None:
    """E4: every order has its author, in the round that it belongs to, also the one that closes it."""
    bench = Bench()
    _dealt(bench)
    assert bench.do(IrregularityFound(Case.DEVICE_FAULT), "Flo") == "second-person-due"
    assert bench.second("Flo", "Tim") == "done"
    assert bench.do(events.HandCollected("1"), "Ada") == "done"
    assert bench.do(events.RoundCompleted(), "Ada") == "done"
    ordered = [(body["what"], body["by"], number) for kind, body, number in bench.entries if kind == "ordered"]
    assert ordered[0] == ("open-round", "Ada", 1)
    assert ordered[-1] == ("round-completed", "Ada", 1)
    kinds = bench.kinds()
    assert kinds.index("ordered") == kinds.index("round-opened") + 1
    for kind in ("wager-placed", "no-more-bets-called", "card-dealt", "irregularity-found", "round-completed"):
        assert kinds[kinds.index(kind) + 1] == "ordered"


def test_a_refused_order_has_no_author() -> None:
    bench = Bench()
    bench.sign_in("Ada")
    assert bench.do(NoMoreBetsCalled(), "Ada") == "no-round"
    assert bench.bodies("ordered") == []


def test_the_journal_hears_of_the_list_once() -> None:
    """Enrolled, removed, changed: each change of the list is one record, and a restart repeats none."""
    bench = Bench()
    people = listed("Ada", "Flo")
    bench.take(bench.controller.attended(lambda authority: authority.people_told(people), bench.now))
    assert [body["name"] for body in bench.bodies("person_enrolled")] == ["Ada", "Flo"]
    assert bench.controller.state.alarms == ()
    again = Bench(bench.controller.state)
    more = people.with_person(person("Tim"), OWNER)
    again.take(again.controller.attended(lambda authority: authority.people_told(more), again.now))
    assert again.kinds() == ["person_enrolled"]
    assert again.bodies("person_enrolled")[0]["change"] == 3


def test_who_was_removed_is_here_no_more() -> None:
    bench = Bench()
    people = listed()
    bench.take(bench.controller.attended(lambda authority: authority.people_told(people), bench.now))
    bench.sign_in("Ada", "Flo", "Tim")
    fewer = people.without_person("Ada", OWNER).with_secret("Tim", bytes(32), OWNER)
    bench.take(bench.controller.attended(lambda authority: authority.people_told(fewer), bench.now))
    assert [(body["name"], body["why"]) for body in bench.bodies("person_signed_out")] == [
        ("Ada", "removed"),
        ("Tim", "changed"),
    ]
    assert bench.do(acts.OpenRound(), "Ada") == "sign-in-needed"
    assert bench.do(acts.OpenRound(), "Flo") == "done"


@pytest.mark.parametrize("other", ["another list", "an older copy"])
def test_another_list_holds_the_table(other: str) -> None:
    """Who puts back an older list puts back who was removed: two people look before the next round."""
    first = listed("Ada", "Flo")
    bench = Bench()
    bench.take(
        bench.controller.attended(lambda authority: authority.people_told(first.without_person("Ada", OWNER)), 0.0)
    )
    found = first if other == "an older copy" else listed("Ada", "Flo", store="77" * 16)
    bench.take(bench.controller.attended(lambda authority: authority.people_told(found), 0.0))
    assert [alarm.code for alarm in bench.controller.state.alarms] == ["people-replaced"]
    bench.sign_in("Flo", "Ada")
    assert bench.do(acts.OpenRound(), "Ada") == "held"
    assert bench.do(acts.ClearAlarm("people-replaced", "", "compared"), "Flo") == "second-person-due"
    assert bench.second("Flo", "Ada") == "done"
    once = len(bench.entries)
    bench.take(bench.controller.attended(lambda authority: authority.people_told(found), 0.0))
    assert len(bench.entries) == once


def test_closing_signs_everybody_out() -> None:
    bench = Bench()
    bench.sign_in("Ada", "Flo")
    bench.controller.desk.live.closing = True
    bench.pass_time(0)
    assert [body["why"] for body in bench.bodies("person_signed_out")] == ["closed", "closed"]


@given(
    st.lists(
        st.tuples(st.sampled_from(["in", "out", "order", "second", "wait"]), st.sampled_from(sorted(ROLES))),
        max_size=40,
    )
)
def test_no_sequence_gives_one_person_two_signatures(steps: list[tuple[str, str]]) -> None:
    """T13, law: whatever is done in whatever order, the alarm that needs two is cleared by two different people only,
    one of them of the floor, who was signed in then.
    """
    bench = Bench(TableState(alarms=(TableAlarm("people-replaced", "x"),)))
    inside: set[str] = set()
    for what, name in steps:
        match what:
            case "in":
                bench.sign_in(name)
                inside.add(name)
            case "out" if name in bench.tokens and bench.controller.authority is not None:
                bench.controller.authority.sign_out(bench.tokens[name])
                inside.discard(name)
            case "order" if name in bench.tokens:
                assert bench.do(acts.ClearAlarm("people-replaced", "", "looked"), name) != "done"
            case "second":
                for first in tuple(bench.tokens):
                    if bench.second(first, name) == "done":
                        assert first in inside
            case "wait":
                bench.pass_time(90)
        for body in bench.bodies("ordered"):
            assert ROLES[body["by"]] is Role.FLOOR
            assert body["second"] not in ("", body["by"])
            assert ROLES[body["second"]] is not Role.AUDITOR
    assert bool(bench.controller.state.alarms) is not bool(bench.bodies("ordered"))


@given(st.lists(st.sampled_from(["Ada", "Flo", "Tim", "Aud"]), max_size=30), st.data())
def test_a_list_remembers_every_change(names: list[str], data: st.DataObject) -> None:
    """Law: numbers of changes rise by one, and what the changes tell makes the list."""
    people, present = People("00" * 16), set[str]()
    for name in names:
        if people.find(name) is None:
            people = people.with_person(person(name), OWNER)
            present.add(name)
        elif data.draw(st.booleans()):
            people = people.without_person(name.upper(), OWNER)
            present.discard(name)
        else:
            people = people.with_unlocked(name, OWNER)
    assert [change.number for change in people.changes] == list(range(1, len(names) + 1))
    assert {each.name for each in people.persons} == present
