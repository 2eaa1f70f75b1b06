"""The shoe's firmware and mechanism against what physically happened (SHOE-2 to SHOE-8)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from sim_host import FULL_DECK, Bench, all_cards, count_at, face_number, fresh

from cardshoe.sim.world import World

DEAL = {"command_id": 1, "deck_id": 1, "cards": 2, "destination": 1}


def outcome(bench: Bench, command_id: int) -> tuple[int, int, int, int]:
    reply = bench.command("QUERY_COMMAND", command_id=command_id)
    return reply.outcome, reply.cards_seen, reply.taken, reply.first_slot


# --- a stack


@pytest.mark.parametrize("cards", range(1, 8))
def test_a_stack_is_what_lies_in_the_gate(cards: int) -> None:
    """SHOE-4.1, SHOE-4.3, SHOE-4.4, SHOE-2.4, SHOE-3.6: reported and physical truth agree."""
    bench = fresh()
    expected = bench.world.every_card()["magazine"][:cards]
    assert bench.dispense(4, cards) == 0
    assert outcome(bench, 4) == (1, 0, 0, 0xFF)
    ready = bench.until("STACK_READY")
    assert ready.at < 3.0 * cards
    assert (ready.command_id, ready.deck_id, ready.cards, ready.first_slot) == (4, 1, cards, 0)
    assert bench.world.every_card()["gate"] == expected
    status = bench.beat()
    assert (status.gate_cards, status.cards_left, status.state, status.flags & 2) == (cards, 52 - cards, 3, 2)
    assert outcome(bench, 4) == (2, cards, 0, 0)
    bench.do("take_stack", to="3")
    taken = bench.until("STACK_TAKEN")
    assert (taken.command_id, taken.cards) == (4, cards)
    assert outcome(bench, 4) == (2, cards, 1, 0)
    assert bench.beat().state == 1
    counters = bench.do("counters")
    assert (counters["stacks_dispensed"], counters["cards_out"], counters["partial_stacks"]) == (1, cards, 0)


def test_a_whole_deck_in_order_each_slot_once() -> None:
    """SHOE-4.4, SHOE-6.7, SHOE-2.5: 52 cards, 26 stacks, slots 0 to 50."""
    bench = fresh()
    deck = bench.world.every_card()["magazine"]
    slots = []
    for command in range(1, 27):
        assert bench.dispense(command, deck_id=1) == 0
        slots.append(bench.until("STACK_READY").first_slot)
        bench.do("take_stack", to="board")
        bench.until("STACK_TAKEN")
    assert slots == list(range(0, 52, 2))
    assert bench.world.every_card()["board"] == deck
    status = bench.beat()
    assert (status.deck_state, status.cards_left, status.flags & 8) == (0, 0, 0)
    assert (status.stacks_total, status.cards_total) == (26, 52)
    assert bench.dispense(27, deck_id=1) == 5
    counters = bench.command("READ_COUNTERS")
    assert (counters.stacks_total, counters.cards_total) == (26, 52)


def test_times_are_those_of_a_real_feeder() -> None:
    """devices.md section 6: a gap of 800 ms from card to card."""
    bench = fresh()
    moments = []
    bench.dispense(1, 3)
    seen = 0
    while len(moments) < 3:
        bench.run(0.005)
        if bench.beat().cards_total > seen:
            seen += 1
            moments.append(bench.now)
    for before, after in pairwise(moments):
        assert 0.78 <= after - before <= 0.84


def test_speed_makes_the_mechanism_faster_and_not_the_link() -> None:
    """Deadlines of the link are never scaled (LINK-7.3, LINK-6.3)."""
    bench = fresh(speed=100.0)
    bench.dispense(1)
    assert bench.until("STACK_READY", 0.1).at < 0.02
    assert bench.beat().lease_left_ms == 1000
    slow = Bench(World(seed=1, speed=100.0), acknowledge=False, heartbeat=False)
    slow.hello()
    slow.seen.clear()
    slow.run(0.21)
    assert [round(one.at, 3) for one in slow.seen] == [0.2]


# --- refusals


def prepared(name: str, bench: Bench) -> None:
    """Bring the shoe into a state in which DISPENSE is refused."""
    match name:
        case "stale":
            bench.dispense(9)
            bench.until("STACK_READY")
            bench.do("take_stack", to="1")
            bench.until("STACK_TAKEN")
        case "mode":
            bench.do("switch_mode", mode="sort")
        case "faulted":
            bench.do("fault", kind="motor_stalled")
        case "busy":
            bench.dispense(1)
        case "inhibited":
            assert bench.command("SET_INHIBIT", inhibited=1).inhibited == 1
        case "lease":
            bench.heartbeat = False
            bench.run(2.5)
        case "door":
            bench.do("open_door")
        case "gate":
            bench.dispense(1)
            bench.until("STACK_READY")
        case "deck":
            bench.do("open_door")
            bench.do("close_door")
        case "few":
            for command in range(1, 8):
                bench.dispense(command, 7)
                bench.until("STACK_READY")
                bench.do("take_stack", to="1")
                bench.until("STACK_TAKEN")


@pytest.mark.parametrize(
    ("name", "changes", "result"),
    [
        ("stale", {"command_id": 9}, 10),
        ("stale", {"command_id": 3}, 10),
        ("mode", {}, 11),
        ("faulted", {}, 8),
        ("busy", {"command_id": 2}, 9),
        ("inhibited", {}, 1),
        ("lease", {}, 2),
        ("door", {}, 3),
        ("gate", {"command_id": 2}, 4),
        ("deck", {}, 5),
        ("", {"deck_id": 2}, 6),
        ("few", {"command_id": 20, "cards": 4}, 7),
        ("few", {"command_id": 20, "cards": 3}, 0),
        ("lease", {"cards": 9}, 13),
        ("door", {"deck_id": 5}, 3),
    ],
)
def test_refusals_in_the_order_of_the_list(name: str, changes: dict[str, Any], result: int) -> None:
    """SHOE-4.2, SHOE-3.3, SHOE-3.4: the first reason that applies, and nothing moves."""
    bench = fresh()
    prepared(name, bench)
    before = bench.world.control({"do": "counters"}, bench.now)["feeds_started"]
    wanted = {**DEAL, **changes}
    assert bench.command("DISPENSE", **wanted).result == result
    if result:
        running = bench.protocol.enums["outcome"]["running"]
        reply = bench.command("QUERY_COMMAND", command_id=wanted["command_id"])
        if name not in {"stale", "busy"}:
            assert reply.outcome in {0, 5}
        bench.run(1.5)
        moved = bench.world.control({"do": "counters"}, bench.now)["feeds_started"] - before
        assert moved == (1 if name == "busy" else 0)
        assert reply.outcome != running or name == "busy"


def test_a_refused_id_may_be_used_again() -> None:
    """SHOE-3.4: its id counts as never seen."""
    bench = fresh()
    assert bench.dispense(5, deck_id=2) == 6
    assert outcome(bench, 5) == (0, 0, 0, 0xFF)
    assert bench.dispense(5) == 0


def test_outcomes_of_the_last_64_ids() -> None:
    """SHOE-3.5, SHOE-3.6: forgotten, not never seen, when it is too long ago or was skipped."""
    bench = fresh(speed=100.0)
    for number in range(70):
        command = 10 * (number + 1)
        assert bench.command("PREPARE_DECK", command_id=command).result == 0
        bench.until("DECK_VERIFIED")
    bench.do("power", device="shoe", state="off")
    bench.do("power", device="shoe", state="on")
    bench.session = 0
    bench.run(0.1)
    bench.hello()
    assert [outcome(bench, 10 * n)[0] for n in (6, 7, 70)] == [5, 2, 2]
    assert outcome(bench, 695)[0] == 5
    assert outcome(bench, 701)[0] == 0


# --- stopping


@pytest.mark.parametrize("after_ms", [10, 60, 110, 130, 160, 190, 220, 300, 700, 850, 930, 1010, 1100])
@pytest.mark.parametrize("how", ["lease", "inhibit"])
def test_the_safe_point(after_ms: int, how: str) -> None:
    """SHOE-4.6, SHOE-4.7, SHOE-5.1, SHOE-5.2: what is told is what lies in the gate, and nothing goes on by itself."""
    bench = fresh()
    cards = bench.world.every_card()["magazine"]
    bench.lease_ms = 250 if how == "lease" else 1000
    bench.beat()
    bench.dispense(1)
    if how == "lease":
        stop = bench.now + after_ms / 1000
        while bench.now < stop - 0.25:
            bench.run(min(0.1, stop - 0.25 - bench.now))
            bench.beat()
        bench.heartbeat = False
    else:
        bench.run(after_ms / 1000)
        bench.command("SET_INHIBIT", inhibited=1)
    bench.run(3.0)
    told = bench.events[-1]
    assert told.name == "DISPENSE_INTERRUPTED"
    assert told.cause == (1 if how == "lease" else 3)
    assert told.cards_seen == count_at(bench.world, "gate")
    assert count_at(bench.world, "path", "mouth") == 0
    assert ("LEASE_LOST" in bench.names) == (how == "lease")
    bench.heartbeat = True
    bench.lease_ms = 1000
    bench.beat()
    bench.command("SET_INHIBIT", inhibited=0)
    bench.run(3.0)
    assert bench.events[-1] == told
    everything = bench.world.every_card()
    assert everything["gate"] + everything["magazine"] == cards
    assert outcome(bench, 1)[:2] == (4, told.cards_seen)
    assert bench.beat().cards_left == 52 - told.cards_seen
    if told.cards_seen:
        bench.do("take_stack", to="1")
        assert bench.until("STACK_TAKEN").cards == told.cards_seen
    assert bench.dispense(2) == 0
    assert bench.until("STACK_READY").first_slot == told.cards_seen


def test_nothing_is_said_about_a_lease_when_nothing_moves() -> None:
    """SHOE-5.2."""
    bench = fresh()
    bench.heartbeat = False
    bench.run(5.0)
    assert bench.names == ["BOOTED"]


@pytest.mark.parametrize("after_ms", [50, 110, 180, 260, 600, 900, 960, 1030])
def test_the_door_stops_at_once(after_ms: int) -> None:
    """SHOE-7.5, SHOE-6.6, SHOE-7.1: the card stays where it is, and the shoe says when it does not know."""
    bench = fresh()
    bench.dispense(1)
    bench.run(after_ms / 1000)
    bench.do("open_door")
    where = bench.world.every_card()
    told = bench.events[-1]
    assert (told.name, told.cause) == ("DISPENSE_INTERRUPTED", 4)
    assert told.cards_seen in {len(where["gate"]), 0xFF}
    if where["mouth"]:
        assert told.cards_seen == 0xFF
    bench.run(2.0)
    assert bench.world.every_card() == where
    assert bench.beat().deck_state == 4
    if where["gate"] or where["mouth"]:
        bench.do("take_stack", to="1")
        bench.until("STACK_TAKEN")
    stub = bench.do("remove_stub")["cards"]
    assert stub == 52 - len(where["gate"]) - len(where["mouth"])
    assert all_cards(bench.world) == FULL_DECK


# --- door, stub, deck, cover card


def test_the_stub_goes_to_the_hand() -> None:
    """SHOE-7.1, SHOE-7.2, SHOE-6.6, SHOE-6.7."""
    bench = fresh()
    bench.dispense(1)
    bench.until("STACK_READY")
    bench.do("take_stack", to="1")
    bench.until("STACK_TAKEN")
    stub = bench.world.every_card()["magazine"]
    assert bench.do("remove_stub")["cards"] == 50
    assert [(one.name, one.fields.get("cards_left", one.fields.get("cards"))) for one in bench.events[-3:-1]] == [
        ("DOOR_OPENED", 50),
        ("STUB_REMOVED", 50),
    ]
    assert (bench.events[-1].name, bench.events[-1].cards_present) == ("DOOR_CLOSED", 0)
    assert bench.world.every_card()["hand"] == stub
    assert (bench.beat().deck_state, bench.beat().cards_left) == (0, 0)


def test_a_deck_is_loaded_prepared_and_dealt() -> None:
    """SHOE-6.1 to SHOE-6.3, SHOE-6.5: another order, the same 52 cards, a new deck id, slots from 0."""
    bench = fresh()
    bench.dispense(1)
    bench.until("STACK_READY")
    bench.do("insert_cover_card")
    bench.do("take_stack", to="1")
    bench.until("STACK_TAKEN")
    assert bench.do("load_deck")["cards"] == 52
    assert [one.name for one in bench.events[-4:]] == ["DOOR_OPENED", "STUB_REMOVED", "DECK_LOADED", "DOOR_CLOSED"]
    status = bench.beat()
    assert (status.deck_state, status.cards_left, status.flags & 16) == (1, 0xFF, 0)
    before = bench.world.every_card()["magazine"]
    assert bench.command("PREPARE_DECK", command_id=2).result == 0
    assert bench.dispense(3) == 9
    assert bench.beat().state == 4
    verified = bench.until("DECK_VERIFIED")
    assert (verified.command_id, verified.deck_id, verified.cards) == (2, 2, 52)
    assert 20.0 < verified.at - bench.now + 22.1 < 23.0
    after = bench.world.every_card()["magazine"]
    assert after != before
    assert sorted(after) == sorted(before)
    assert outcome(bench, 2)[0] == 2
    assert bench.dispense(4, deck_id=1) == 6
    assert bench.dispense(4, deck_id=2) == 0
    assert bench.until("STACK_READY").first_slot == 0


@pytest.mark.parametrize("what", ["lease", "inhibit", "door", "reset", "power"])
def test_a_preparation_that_is_stopped(what: str) -> None:
    """SHOE-5.3, SHOE-6.6, SHOE-4.9: loaded and not verified, or void after a restart."""
    bench = fresh()
    bench.command("PREPARE_DECK", command_id=1)
    bench.run(15.0)
    match what:
        case "lease":
            bench.heartbeat = False
        case "inhibit":
            bench.command("SET_INHIBIT", inhibited=1)
        case "door":
            bench.do("open_door")
        case _:
            bench.do("reset", device="shoe") if what == "reset" else bench.do("power", device="shoe", state="off")
            bench.do("power", device="shoe", state="on")
            bench.session = 0
            bench.run(0.6)
            bench.hello()
    bench.run(10.0)
    told = next(one for one in bench.events if one.name == "DISPENSE_INTERRUPTED")
    causes = {"lease": 1, "power": 2, "inhibit": 3, "door": 4, "reset": 5}
    assert (told.command_id, told.cause, told.cards_seen) == (1, causes[what], 0)
    assert bench.beat().deck_state == (4 if what in {"reset", "power"} else 1)
    assert outcome(bench, 1)[0] == 4
    assert "DECK_VERIFIED" not in bench.names


@pytest.mark.parametrize(
    ("kind", "count", "fault", "cards", "found"),
    [
        ("missing_card", 1, 0x0201, 51, {"missing": 1}),
        ("missing_card", 10, 0x0201, 42, {"missing": 10}),
        ("duplicate_card", 1, 0x0202, 52, {"missing": 1, "duplicate": 1}),
        ("foreign_card", 2, 0x0202, 52, {"missing": 2, "foreign": 2}),
        ("extra_card", 1, 0x0201, 53, {"duplicate": 1}),
        ("joker", 2, 0x0201, 54, {"jokers": 2}),
        ("unreadable_card", 1, 0x0203, 52, {"missing": 1, "unreadable": 1}),
        ("face_up_in_deck", 1, 0x0204, 52, {"missing": 1, "face_up": 1}),
    ],
)
def test_a_wrong_deck_is_rejected_by_name(kind: str, count: int, fault: int, cards: int, found: dict[str, int]) -> None:
    """SHOE-6.4, SHOE-8.1, SHOE-1.2: counts and names, never places."""
    bench = fresh()
    bench.do("fault", kind=kind, cards=count)
    bench.command("PREPARE_DECK", command_id=1)
    rejected = bench.until("DECK_REJECTED")
    names = ("missing", "duplicate", "foreign", "unreadable", "face_up", "jokers")
    assert {name: rejected.fields[name] for name in names if rejected.fields[name]} == found
    assert rejected.cards == cards
    pairs = [tuple(rejected.named[n : n + 2]) for n in range(0, 16, 2)]
    named = [pair for pair in pairs if pair[0]]
    assert named == sorted(named)
    assert len(named) == min(8, sum(found.values()) - found.get("face_up", 0))
    if kind == "missing_card":
        gone = {face_number(card) for card in bench.world.every_card()["floor"]}
        assert {face for _, face in named} <= gone
    assert [one.fault for one in bench.events if one.name == "FAULT_RAISED"] == [fault]
    assert bench.beat().deck_state == 3
    assert outcome(bench, 1)[0] == 3
    assert bench.dispense(2) == 8
    assert bench.command("CLEAR_FAULT", fault=fault).result == 1  # the deck is still there
    bench.do("remove_stub")
    assert bench.command("CLEAR_FAULT", fault=fault).result == 0


def test_a_cover_card_comes_with_its_stack() -> None:
    """SHOE-7.3, SHOE-7.4, SHOE-6.5: ahead of the first card, not counted, a second one by a second event."""
    bench = fresh()
    bench.dispense(1)
    bench.until("STACK_READY")
    bench.do("take_stack", to="1")
    bench.until("STACK_TAKEN")
    bench.do("insert_cover_card")
    bench.do("insert_cover_card")
    assert [one.before_slot for one in bench.events[-2:]] == [2, 2]
    assert "no cover card" in bench.refused("insert_cover_card")
    assert bench.beat().flags & 16
    assert bench.beat().cards_left == 50
    bench.dispense(2)
    ready = bench.until("STACK_READY")
    assert [(one.command_id, one.before_slot) for one in bench.events if one.name == "COVER_CARD_SEEN"] == [(2, 2)] * 2
    assert (ready.cards, ready.first_slot) == (2, 2)
    assert bench.world.every_card()["gate"][:2] == ["cover", "cover"]
    assert bench.do("take_stack", to="dealer") == {"ok": True, "cards": 2, "cover_cards": 2}
    assert bench.until("STACK_TAKEN").cards == 2
    assert bench.beat().flags & 16 == 0
    assert bench.do("look")["cover_cards_in_hand"] == 2


def test_a_cover_card_inserted_in_mid_feed_lies_before_the_next_card() -> None:
    """SHOE-7.3."""
    bench = fresh()
    bench.dispense(1)
    bench.run(0.2)
    bench.do("insert_cover_card")
    assert bench.events[-1].before_slot == 1
    bench.until("STACK_READY")
    assert [card == "cover" for card in bench.world.every_card()["gate"]] == [False, True, False]


def test_the_mode_switch() -> None:
    """SHOE-8.6, SHOE-2.1."""
    bench = fresh()
    bench.do("switch_mode", mode="test")
    assert (bench.events[-1].name, bench.events[-1].mode) == ("MODE_CHANGED", 2)
    status = bench.beat()
    assert (status.mode, status.deck_state) == (2, 4)


def test_a_card_that_nobody_asked_for() -> None:
    """SHOE-4.10."""
    bench = fresh()
    bench.do("fault", kind="unexpected_card")
    assert bench.until("CARD_UNEXPECTED").cards == 1
    assert (bench.beat().gate_cards, bench.beat().cards_left) == (1, 51)
    bench.do("take_stack", to="board")
    assert bench.until("STACK_TAKEN").cards == 1
    bench.do("remove_stub")
    bench.do("fault", kind="unexpected_card", source="hand")
    assert bench.until("CARD_UNEXPECTED").cards == 0xFF
    bench.do("take_stack", to="board")
    assert bench.until("STACK_TAKEN").cards == 0xFF


def test_a_hand_that_takes_the_stack_too_early() -> None:
    """SHOE-4.4, SHOE-4.8: what does not lie in the gate is no stack."""
    bench = fresh()
    bench.dispense(1)
    bench.run(0.5)
    bench.do("take_stack", to="1")
    assert bench.until("STACK_TAKEN").cards == 1
    failed = bench.until("DISPENSE_FAILED")
    assert (failed.fault, failed.cards_seen) == (0x0103, 2)
    assert outcome(bench, 1)[2] == 1


# --- faults


@pytest.mark.parametrize("card", [1, 2])
def test_a_jam_is_cleared_by_the_lever(card: int) -> None:
    """SHOE-4.5, SHOE-8.1 to SHOE-8.3: the fault before the failure, no motion until it is cleared, no card lost."""
    bench = fresh()
    cards = bench.world.every_card()["magazine"]
    bench.do("fault", kind="jam", card=card)
    bench.dispense(1)
    failed = bench.until("DISPENSE_FAILED")
    assert [one.name for one in bench.events[-2:]] == ["FAULT_RAISED", "DISPENSE_FAILED"]
    assert (failed.fault, failed.cards_seen) == (0x0101, card - 1)
    assert bench.dispense(2) == 8
    assert bench.command("CLEAR_FAULT", fault=0x0101).result == 1
    assert bench.beat().state == 5
    bench.do("press", button="clear_jam")
    bench.run(0.1)
    assert bench.command("CLEAR_FAULT", fault=0x0101).result == 0
    bench.look()
    assert bench.events[-1].name == "FAULT_CLEARED"
    assert bench.command("CLEAR_FAULT", fault=0x0101).result == 2
    if card == 2:
        bench.do("take_stack", to="1")
        bench.until("STACK_TAKEN")
    assert bench.dispense(3) == 0
    bench.until("STACK_READY")
    where = bench.world.every_card()
    assert where["1"] + where["gate"] == cards[: card + 1]


def test_a_card_that_sticks_in_the_mouth() -> None:
    """SHOE-4.5: the shoe cannot say whether it passed; a hand pulls it out."""
    bench = fresh()
    bench.do("fault", kind="jam", where="exit")
    bench.dispense(1)
    failed = bench.until("DISPENSE_FAILED")
    assert (failed.fault, failed.cards_seen) == (0x0105, 0xFF)
    assert bench.do("take_stack", to="1")["cards"] == 2
    assert bench.until("STACK_TAKEN").cards == 0xFF
    assert bench.command("CLEAR_FAULT", fault=0x0105).result == 0
    assert bench.beat().cards_left == 50
    assert bench.do("counters")["cards_out"] == 2


@pytest.mark.parametrize("where", ["path", "exit"])
def test_a_card_that_vibration_frees(where: str) -> None:
    """devices.md section 5: 0.3 to 1.3 s late, the same card, not a second one."""
    bench = fresh()
    bench.do("fault", kind="stuck", where=where, card=1)
    bench.dispense(1)
    ready = bench.until("STACK_READY")
    assert ready.cards == count_at(bench.world, "gate") == 2
    assert bench.command("READ_COUNTERS").misfeeds_total == 1


def test_a_card_that_slips_once() -> None:
    """A second, stronger pull brings it (devices.md section 6)."""
    bench = fresh()
    bench.do("fault", kind="slip", card=1)
    bench.dispense(1)
    assert bench.until("STACK_READY").cards == 2
    assert bench.command("READ_COUNTERS").misfeeds_total == 1
    for command in range(2, 6):
        bench.do("take_stack", to="1")
        bench.until("STACK_TAKEN")
        bench.do("fault", kind="slip")
        bench.dispense(command)
        bench.until("STACK_READY")
    assert [one.fault for one in bench.events if one.name == "FAULT_RAISED"] == [0x010B]
    assert bench.beat().state == 3  # an advice stops nothing (SHOE-8.2)


def test_a_short_feed() -> None:
    """SHOE-4.5."""
    bench = fresh()
    bench.do("fault", kind="short_feed")
    bench.dispense(1)
    failed = bench.until("DISPENSE_FAILED")
    assert (failed.fault, failed.cards_seen) == (0x0103, 1)
    assert count_at(bench.world, "gate") == 1
    assert bench.do("counters")["partial_stacks"] == 1


def test_two_cards_at_once_are_counted() -> None:
    """SHOE-4.5: more than asked for, reported as counted."""
    bench = fresh()
    bench.do("fault", kind="double_feed")
    bench.dispense(1)
    failed = bench.until("DISPENSE_FAILED")
    assert (failed.fault, failed.cards_seen) == (0x0102, 3)
    assert bench.beat().gate_cards == count_at(bench.world, "gate") == 3
    assert bench.beat().cards_left == 49


def test_two_cards_as_one_are_seen_at_the_end_only() -> None:
    """devices.md section 5: one passage, a later total one short; the shoe is empty when it thinks otherwise."""
    bench = fresh()
    bench.do("fault", kind="double_feed", hidden=True)
    bench.dispense(1)
    assert bench.until("STACK_READY").cards == 2
    assert count_at(bench.world, "gate") == 3
    assert bench.do("counters")["cards_out"] == 3
    for command in range(2, 27):
        bench.do("take_stack", to="board")
        bench.until("STACK_TAKEN")
        assert bench.dispense(command) == 0
        bench.run(4.0)
    assert bench.events[-1].name == "DISPENSE_FAILED"
    assert (bench.events[-1].fault, bench.events[-1].cards_seen) == (0x0104, 1)


def test_a_sensor_that_chatters() -> None:
    """An advice; with `miscount` the shoe counts a card that was none."""
    bench = fresh()
    bench.do("fault", kind="sensor_chatter", card=1)
    bench.dispense(1)
    assert bench.until("STACK_READY").cards == count_at(bench.world, "gate") == 2
    assert [one.fault for one in bench.events if one.name == "FAULT_RAISED"] == [0x0107]
    bench.do("take_stack", to="1")
    bench.until("STACK_TAKEN")
    bench.do("fault", kind="sensor_chatter", card=1, miscount=True)
    bench.dispense(2)
    assert bench.until("STACK_READY").cards == 2
    assert count_at(bench.world, "gate") == 1
    assert bench.do("counters")["stacks_dispensed"] == 1
    assert bench.do("counters")["partial_stacks"] == 1


def test_a_card_that_the_sensor_does_not_see() -> None:
    """devices.md section 5: an edge absent. The shoe's count and the truth differ."""
    bench = fresh()
    bench.do("fault", kind="missed_passage", card=1)
    bench.dispense(1)
    failed = bench.until("DISPENSE_FAILED")
    assert (failed.fault, failed.cards_seen) == (0x0101, 0)
    assert count_at(bench.world, "gate") == 1


@pytest.mark.parametrize("detected", [True, False])
def test_a_card_that_comes_out_face_up(*, detected: bool) -> None:
    """SHOE-8.2: stops after the card; undetected, only eyes see it."""
    bench = fresh()
    bench.do("fault", kind="face_up", card=1, detected=detected)
    bench.dispense(1)
    told = bench.until("DISPENSE_FAILED" if detected else "STACK_READY")
    if detected:
        assert (told.fault, told.cards_seen) == (0x0204, 1)
    assert len(bench.do("look")["gate"]["faces"]) == 1


@pytest.mark.parametrize(
    ("kind", "code", "clears"),
    [
        ("motor_stalled", 0x010A, 1),
        ("over_temperature", 0x0304, 1),
        ("homing_failed", 0x0108, 3),
        ("platform_out_of_position", 0x0109, 3),
        ("memory_corrupt", 0x0301, 3),
        ("sensor_stuck", 0x0106, 3),
    ],
)
def test_faults_of_the_machine(kind: str, code: int, clears: int) -> None:
    """SHOE-8.1 to SHOE-8.4: in mid-feed too; lockouts survive a restart; a technician clears them."""
    bench = fresh()
    bench.dispense(1)
    bench.run(0.5)
    bench.do("fault", kind=kind)
    bench.run(1.0)
    assert [one.fault for one in bench.events if one.name == "FAULT_RAISED"] == [code]
    assert bench.events[-1].name == "DISPENSE_FAILED"
    assert bench.command("CLEAR_FAULT", fault=code).result == clears
    bench.do("reset", device="shoe")
    bench.session = 0
    bench.run(1.0)
    bench.hello()
    assert bench.beat().fault == code
    bench.do("press", button="service")
    assert bench.events[-1].name == "FAULT_CLEARED"
    assert bench.beat().fault == 0


FEED_FAULTS = [
    {"kind": "jam"},
    {"kind": "jam", "where": "exit"},
    {"kind": "stuck"},
    {"kind": "stuck", "where": "exit"},
    {"kind": "double_feed"},
    {"kind": "short_feed"},
    {"kind": "slip"},
    {"kind": "sensor_chatter"},
    {"kind": "missed_passage"},
    {"kind": "face_up"},
]
ENDINGS = {"STACK_READY", "DISPENSE_FAILED", "DISPENSE_INTERRUPTED"}


@pytest.mark.parametrize("fault", FEED_FAULTS, ids=lambda fault: "-".join(fault.values()))
@pytest.mark.parametrize(("cards", "card"), [(1, 1), (2, 1), (2, 2), (3, 2), (7, 7)])
def test_a_dispense_ends_once_and_in_time(fault: dict[str, str], cards: int, card: int) -> None:
    """SHOE-4.3, SHOE-4.5: exactly one ending, at the latest 3000 ms a card after acceptance, a cover card included."""
    bench = fresh(seed=cards * 10 + card)
    bench.do("insert_cover_card")
    bench.do("fault", card=card, **fault)
    bench.dispense(1, cards)
    accepted = bench.now
    bench.run(3.0 * cards + 5.0)
    endings = [one for one in bench.events if one.name in ENDINGS]
    assert len(endings) == 1
    assert endings[0].at - accepted <= 3.0 * cards
    out = bench.do("counters")["cards_out"]
    told = endings[0].fields.get("cards_seen", endings[0].fields.get("cards"))
    assert told in ({out - 1} if fault["kind"] == "missed_passage" else {out, 0xFF})
    assert all_cards(bench.world) == FULL_DECK


def test_a_card_that_slides_out_while_hands_empty_the_magazine() -> None:
    """Nothing moves any more when the magazine is empty."""
    bench = fresh()
    bench.do("fault", kind="unexpected_card")
    bench.run(0.02)
    bench.do("remove_stub")
    bench.run(1.0)
    assert count_at(bench.world, "hand") == 52


def test_a_watchdog_reset() -> None:
    """SHOE-8.5, faults.toml 0302."""
    bench = fresh()
    bench.do("fault", kind="watchdog_reset")
    bench.session = 0
    bench.run(1.0)
    bench.hello()
    assert [(one.name, one.fields.get("cause"), one.fields.get("fault")) for one in bench.events[-2:]] == [
        ("BOOTED", 3, None),
        ("FAULT_RAISED", None, 0x0302),
    ]
    assert bench.command("CLEAR_FAULT", fault=0x0302).result == 0
