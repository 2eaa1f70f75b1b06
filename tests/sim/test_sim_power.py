"""Power cuts and resets at every state of a command: the shoe never lies, never moves twice, loses no card.

SHOE-3.2, SHOE-3.5, SHOE-4.6, SHOE-4.9, SHOE-6.6, SHOE-8.4, SHOE-8.5, LINK-5.10, LINK-7.2; promises P1 and P2.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sim_host import FULL_DECK, Bench, all_cards, count_at, fresh

from cardshoe.sim.errors import SimError
from cardshoe.sim.world import World

POINTS = [
    ("recorded", 1),
    ("accepted", 1),
    ("entry", 1),
    ("entry", 2),
    ("exit_covered", 1),
    ("exit_covered", 2),
    ("exit_cleared", 1),
    ("exit_cleared", 2),
    ("before_ready", 1),
    ("ready", 1),
]


def back_again(bench: Bench) -> None:
    """The shoe has power again and a new session has begun."""
    bench.do("power", device="shoe", state="on")
    bench.session = 0
    bench.run(0.6)
    assert bench.hello().result == 0
    bench.beat()


def judge(bench: Bench, command_id: int, out_before: int = 0) -> None:
    """What the shoe tells of a command agrees with what happened, and asking moves nothing."""
    reply = bench.command("QUERY_COMMAND", command_id=command_id)
    out = bench.do("counters")["cards_out"] - out_before
    match reply.outcome:
        case 0:
            assert out == 0
        case 2:
            assert reply.cards_seen == out == 2
        case 4:
            assert reply.cards_seen in {out, 0xFF}
        case other:
            raise AssertionError(f"outcome {other} after a restart")


@pytest.mark.parametrize(("point", "card"), POINTS)
@pytest.mark.parametrize("kind", ["power_cut", "device_reset"])
def test_a_cut_at_every_state_of_a_dispense(point: str, card: int, kind: str) -> None:
    """SHOE-3.2, SHOE-4.9: interrupted with the truth or FF; the id is stale; the deck is void, or the stack is done."""
    bench = fresh()
    bench.do("fault", kind=kind, at=point, card=card)
    seen = bench.put(bench.frame("DISPENSE", 1, command_id=7, deck_id=1, cards=2, destination=1))
    replied = any(one.name == "DISPENSE_REPLY" for one in seen)
    assert replied == (point != "recorded")
    bench.run(3.0)
    where = bench.world.every_card()
    assert all_cards(bench.world) == FULL_DECK
    if kind == "power_cut":
        assert not bench.world.box("shoe").powered
    back_again(bench)
    bench.run(3.0)
    assert bench.world.every_card() == where, "nothing moves by itself after a restart"
    judge(bench, 7)
    booted = [one for one in bench.events if one.name == "BOOTED"]
    assert booted[-1].cause == (1 if kind == "power_cut" else 2)
    assert bool(booted[-1].cards_at & 1) == bool(where["magazine"])
    assert bool(booted[-1].cards_at & 2) == bool(where["path"] or where["mouth"])
    assert bool(booted[-1].cards_at & 4) == bool(where["gate"])
    endings = [one for one in bench.events if one.name in {"STACK_READY", "DISPENSE_INTERRUPTED", "DISPENSE_FAILED"}]
    assert len(endings) == 1
    done = point == "ready"
    assert (endings[0].name == "STACK_READY") == done
    status = bench.beat()
    assert status.deck_state == (2 if done else 4)
    assert bench.dispense(7) == 10
    if where["gate"] or where["mouth"]:
        assert bench.dispense(8, deck_id=1) == 4
        bench.do("take_stack", to="1")
        assert bench.until("STACK_TAKEN").command_id == 7
        assert bench.command("QUERY_COMMAND", command_id=7).taken == 1
    assert bench.dispense(8) == (0 if done else 5)


@settings(max_examples=120)
@given(
    after_ms=st.integers(0, 1400),
    cut=st.sampled_from(["power", "reset"]),
    cards=st.integers(1, 3),
    seed=st.integers(0, 50),
    taken=st.booleans(),
)
@example(after_ms=963, cut="power", cards=2, seed=0, taken=True)
def test_a_cut_at_any_instant(after_ms: int, cut: str, cards: int, seed: int, *, taken: bool) -> None:
    """SHOE-4.9, SHOE-4.8, P1: whenever it comes, also when hands act while there is no power."""
    bench = fresh(seed)
    bench.dispense(7, cards)
    bench.run(after_ms / 1000)
    bench.do("power", device="shoe", state="off")
    if cut == "reset":
        bench.do("power", device="shoe", state="on")
        bench.do("reset", device="shoe")
    gate = count_at(bench.world, "gate", "mouth")
    if taken and gate:
        assert bench.do("take_stack", to="1")["cards"] == gate
    back_again(bench)
    reply = bench.command("QUERY_COMMAND", command_id=7)
    out = bench.do("counters")["cards_out"]
    assert reply.outcome in {2, 4}
    if reply.outcome == 2:
        assert reply.cards_seen == cards == out
    else:
        assert reply.cards_seen == 0xFF or reply.cards_seen == out
    assert bench.beat().running_command == 0
    if taken and gate:
        told = [one.cards for one in bench.events if one.name == "STACK_TAKEN"]
        assert told in ([out], [0xFF])
    assert all_cards(bench.world) == FULL_DECK


@settings(max_examples=120)
@given(
    after_ms=st.integers(150, 2800),
    cards=st.integers(1, 3),
    seed=st.integers(0, 50),
    then=st.sampled_from(["nothing", "cut", "cut twice"]),
    wait_ms=st.integers(0, 40),
)
@example(after_ms=1765, cards=3, seed=57, then="nothing", wait_ms=0)  # out of the sensor before it had settled
@example(after_ms=190, cards=2, seed=20, then="nothing", wait_ms=0)  # before the gate's sensor had settled
@example(after_ms=982, cards=2, seed=29, then="cut", wait_ms=29)
def test_a_hand_that_takes_at_any_instant(after_ms: int, cards: int, seed: int, then: str, wait_ms: int) -> None:
    """SHOE-4.8, SHOE-4.4, SHOE-4.5: no wrong number is told for certain, of what was taken nor of what came out."""
    bench = fresh(seed)
    bench.dispense(7, cards)
    bench.run(after_ms / 1000)
    if then == "cut twice":
        for state in ("off", "on"):
            bench.do("power", device="shoe", state=state)
        bench.run(0.2)
        bench.do("power", device="shoe", state="off")
    taken = 0
    if count_at(bench.world, "gate", "mouth"):
        taken = bench.do("take_stack", to="1")["cards"]
    if then != "nothing":
        bench.run(wait_ms / 1000)
        bench.do("power", device="shoe", state="off")
        back_again(bench)
    bench.run(4.0)
    told = [one.cards for one in bench.events if one.name == "STACK_TAKEN"]
    status = bench.beat()
    left = count_at(bench.world, "gate", "mouth")
    if taken:
        another_lies_there = told == [] and left > 0 and status.gate_cards == 0xFF
        assert told in ([taken], [0xFF]) or another_lies_there
    assert status.gate_cards in {left, 0xFF}
    assert bench.command("QUERY_COMMAND", command_id=7).cards_seen in {bench.do("counters")["cards_out"], 0xFF}
    assert all_cards(bench.world) == FULL_DECK


@pytest.mark.parametrize("point", ["recorded", "accepted", "shuffling"])
def test_a_cut_during_a_preparation(point: str) -> None:
    """SHOE-4.9, SHOE-6.6: interrupted, the deck void, and a new preparation makes it good."""
    bench = fresh()
    bench.do("fault", kind="power_cut", at=point, on_after_s=2.0)
    bench.put(bench.frame("PREPARE_DECK", 1, command_id=3))
    bench.run(15.0)
    back_again(bench)
    reply = bench.command("QUERY_COMMAND", command_id=3)
    assert (reply.outcome, reply.cards_seen) == (4, 0)
    assert bench.beat().deck_state == 4
    assert bench.command("PREPARE_DECK", command_id=4).result == 0
    assert bench.until("DECK_VERIFIED").deck_id == 2


def test_power_that_comes_back_by_itself() -> None:
    """LINK-5.10, SHOE-8.5: the boot counter counts, and the truth counts apart from it."""
    bench = fresh()
    bench.do("fault", kind="power_cut", at="entry", on_after_s=2.0)
    bench.dispense(1)
    bench.run(1.9)
    assert not bench.world.box("shoe").powered
    bench.session = 0
    bench.run(1.0)
    assert bench.hello().boot_counter == 2
    assert bench.do("counters")["boots"] == 2


def test_a_card_left_in_the_path_goes_back_with_the_next_preparation() -> None:
    """SHOE-6.6: no card is lost on the way."""
    bench = fresh()
    bench.do("fault", kind="power_cut", at="entry")
    bench.dispense(1)
    bench.run(1.0)
    assert count_at(bench.world, "path") == 1
    back_again(bench)
    bench.command("PREPARE_DECK", command_id=2)
    assert bench.until("DECK_VERIFIED").cards == 52
    assert count_at(bench.world, "magazine") == 52


def test_what_hands_did_without_power_is_reported() -> None:
    """SHOE-7.1, SHOE-6.6: the door's latch remembers, and the deck is void."""
    bench = fresh()
    bench.do("power", device="shoe", state="off")
    bench.do("open_door")
    bench.do("close_door")
    back_again(bench)
    assert bench.names[-2:] == ["DOOR_OPENED", "DOOR_CLOSED"]
    assert bench.beat().deck_state == 4
    bench.do("power", device="shoe", state="off")
    bench.do("remove_stub")
    back_again(bench)
    assert bench.names[-3:] == ["DOOR_OPENED", "STUB_REMOVED", "DOOR_CLOSED"]
    bench.do("power", device="shoe", state="off")
    bench.do("load_deck")
    bench.do("insert_cover_card")
    back_again(bench)
    assert bench.names[-4:] == ["DOOR_OPENED", "DECK_LOADED", "DOOR_CLOSED", "COVER_CARD_INSERTED"]
    assert bench.beat().deck_state == 1


def test_a_verified_deck_stays_verified_over_a_restart_at_rest() -> None:
    """SHOE-6.6: only a restart while a command ran makes it void."""
    bench = fresh()
    bench.dispense(1)
    bench.until("STACK_READY")
    bench.do("power", device="shoe", state="off")
    bench.do("take_stack", to="1")
    back_again(bench)
    assert [one.name for one in bench.events[-2:]] == ["BOOTED", "STACK_TAKEN"]
    assert bench.events[-1].cards == 2
    status = bench.beat()
    assert (status.deck_state, status.cards_left, status.gate_cards) == (2, 50, 0)
    assert bench.dispense(2) == 0
    assert bench.until("STACK_READY").first_slot == 2


# --- the state directory


def closed(bench: Bench) -> None:
    bench.world.close()


@settings(max_examples=25)
@given(after_ms=st.integers(0, 1300))
def test_a_world_that_ends_at_any_instant_goes_on_from_there(
    tmp_path_factory: pytest.TempPathFactory, after_ms: int
) -> None:
    """P1, P2: no close, no goodbye; the next world is the same table after a power cut."""
    state = tmp_path_factory.mktemp("world")
    bench = fresh(state_dir=state)
    serial = bench.seen[0].serial
    bench.dispense(7)
    bench.run(after_ms / 1000)
    where = bench.world.every_card()
    before = bench.do("counters")
    bench.world._store.close()  # only the lock goes, as it does when a process is killed
    later = Bench(World(seed=1, state_dir=state))
    assert later.world.every_card() == where
    later.run(0.6)
    hello = later.hello()
    assert (hello.serial, hello.boot_counter, hello.fields["session"]) == (serial, 2, 2)
    later.beat()
    judge(later, 7)
    assert later.do("counters") == {
        **before,
        "boots": 2,
        "reader_boots": 2,
        "commands_seen": before["commands_seen"] + 1,
    }
    assert later.dispense(7) == 10
    assert all_cards(later.world) == FULL_DECK
    closed(later)


def test_the_table_is_remembered_too(tmp_path: Path) -> None:
    """Cards on the felt, hand, rack, cover cards, door and mode lie as they lay."""
    bench = fresh(state_dir=tmp_path)
    bench.dispense(1)
    bench.until("STACK_READY")
    bench.do("take_stack", to="2")
    bench.do("insert_cover_card")
    bench.do("remove_stub")
    bench.do("burn")
    bench.do("turn", what="board", cards=3)
    bench.do("muck", what="2")
    bench.do("fault", kind="joker")
    bench.do("open_door")
    bench.do("switch_mode", mode="sort")
    seen, cards = bench.do("look"), bench.world.every_card()
    closed(bench)
    later = World(seed=1, state_dir=tmp_path)
    assert later.control({"do": "look"}, 0.0) == seen
    assert later.every_card() == cards
    later.close()


def test_two_worlds_do_not_share_a_state(tmp_path: Path) -> None:
    """A second world is refused while the first lives."""
    first = World(seed=1, state_dir=tmp_path)
    with pytest.raises(SimError, match="in use"):
        World(seed=1, state_dir=tmp_path)
    first.close()
    World(seed=1, state_dir=tmp_path).close()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"version": 2}', '{"version": 1}', '{"version": 1, "serials": 3}'])
def test_a_damaged_state_is_refused(tmp_path: Path, text: str) -> None:
    """Nothing is guessed: the text says which file to remove."""
    World(seed=1, state_dir=tmp_path).close()
    (tmp_path / "world.json").write_text(text)
    with pytest.raises(SimError, match=r"world\.json"):
        World(seed=1, state_dir=tmp_path)
