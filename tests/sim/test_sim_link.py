"""The device's side of link-v1, spoken to by a second host in virtual time (LINK-3.4, LINK-4 to LINK-8)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_host import Bench, Seen, fresh, spec_hash, wire_frame

from cardshoe.sim.world import World

NO_SESSION, UNKNOWN_TYPE, WRONG_LENGTH, WRONG_SEQUENCE, NOT_ALLOWED, BAD_VALUE = range(1, 7)


def only(seen: list[Seen]) -> Seen:
    assert len(seen) == 1, seen
    return seen[0]


def rejected(seen: list[Seen]) -> tuple[int, int, int, int]:
    one = only(seen)
    assert one.name == "REJECT"
    return one.reason, one.rejected_type, one.session_byte, one.sequence


# --- sessions


@pytest.mark.parametrize("port", ["shoe", "reader"])
def test_before_hello_nothing_is_said_and_everything_rejected(port: str) -> None:
    """LINK-5.1, LINK-5.6, LINK-4.9."""
    bench = Bench(World(seed=1), port=port)
    bench.world.advance(5.0)
    bench.now = 5.0
    assert bench.look() == []
    assert rejected(bench.put(wire_frame(7, 0x15, 9, b""))) == (NO_SESSION, 0x15, 7, 9)
    assert rejected(bench.put(bench.frame("HEARTBEAT", 3, 9, lease_ms=500))) == (NO_SESSION, 0x02, 9, 3)
    assert bench.put(bench.frame("EVENT_ACK", 3, 9, consumed_event=1)) == []
    for kind in (0x81, 0x82, 0xFF, 0x91, 0x60, 0x7F):
        assert bench.put(wire_frame(0, kind, 1, b"\x01\x02")) == []


def test_hello_says_who_it_is() -> None:
    """LINK-5.3, SHOE-1.1."""
    bench = Bench(World(seed=1))
    reply = bench.hello(nonce=b"n" * 16)
    assert reply.result == 0
    assert reply.host_nonce == b"n" * 16
    assert reply.spec_hash == spec_hash("shoe")
    assert (reply.device_kind, reply.model, reply.firmware) == (1, "CS-SIM-SHOE", "1.0.0-sim")
    assert reply.serial.startswith("SIM-S-")
    assert (reply.boot_counter, reply.ring_size, reply.capabilities) == (1, 128, 255)
    assert (reply.oldest_event, reply.last_event) == (1, 1)


def test_hello_that_is_refused_begins_no_session_and_ends_none() -> None:
    """LINK-5.3, LINK-5.8, LINK-5.9; LINK-5.4: the old session goes on."""
    bench = fresh()
    session = bench.session
    refusals = [
        (bench.hello(hash_=b"x" * 32), 1),
        (bench.hello(purpose=1), 2),
        (bench.hello(purpose=9), 2),
        (bench.hello(security=1), 3),
    ]
    for reply, result in refusals:
        assert (reply.result, reply.fields["session"]) == (result, 0)
        assert reply.serial.startswith("SIM-S-")
    assert len({reply.device_nonce for reply, _ in refusals}) == len(refusals)
    assert bench.session == session
    assert bench.command("READ_COUNTERS").name == "READ_COUNTERS_REPLY"


def test_the_same_hello_gets_the_same_reply() -> None:
    """LINK-5.5: only the event fields may move, and the kept reply is still there."""
    bench = Bench(World(seed=1))
    first = bench.hello(nonce=b"a" * 16)
    bench.beat()
    raw = bench.frame("READ_COUNTERS", 1)
    kept = only(bench.put(raw))
    again = bench.hello(nonce=b"a" * 16)
    moved = {"oldest_event", "last_event"}
    assert {k: v for k, v in first.fields.items() if k not in moved} == {
        k: v for k, v in again.fields.items() if k not in moved
    }
    assert only(bench.put(raw)) == kept


def test_session_numbers_count_and_wrap() -> None:
    """LINK-5.4: 255 is followed by 1, and a restart does not begin anew."""
    bench = Bench(World(seed=1))
    numbers = [bench.hello().fields["session"] for _ in range(256)]
    assert numbers == [*range(1, 256), 1]
    bench.do("reset", device="shoe")
    bench.run(1.0)
    bench.session = 0
    assert bench.hello().fields["session"] == 2


def test_a_starting_device_is_busy() -> None:
    """LINK-5.3, LINK-5.12, LINK-5.10."""
    bench = fresh()
    bench.do("power", device="shoe", state="off")
    assert bench.put(bench.frame("HEARTBEAT", 1, lease_ms=500)) == []
    bench.do("power", device="shoe", state="on")
    reply = bench.hello()
    assert (reply.result, reply.fields["session"]) == (4, 0)
    bench.session = 0
    bench.run(0.6)
    assert bench.hello().result == 0
    assert bench.beat().boot_counter == 2


def test_frames_of_another_session() -> None:
    """LINK-5.6: REJECT with session and sequence as received; EVENT_ACK is dropped, and acknowledges nothing."""
    bench = Bench(World(seed=1), acknowledge=False)
    bench.hello()
    other = bench.session + 1
    assert rejected(bench.put(bench.frame("READ_COUNTERS", 1, other))) == (NO_SESSION, 0x15, other, 1)
    assert rejected(bench.put(bench.frame("HEARTBEAT", 5, other, lease_ms=500))) == (NO_SESSION, 0x02, other, 5)
    assert bench.put(bench.frame("EVENT_ACK", 5, other, consumed_event=1)) == []
    assert bench.beat().held_events == 1


def test_service_sessions_move_nothing() -> None:
    """LINK-5.8, LINK-4.8: refused while a verified deck is held, and without DISPENSE and PREPARE_DECK."""
    bench = Bench(World(seed=1))
    assert bench.hello(purpose=1).result == 2
    bench.do("remove_stub")
    assert bench.hello(purpose=1).result == 0
    bench.beat()
    reply = bench.command("DISPENSE", command_id=1, deck_id=1, cards=2, destination=1)
    assert (reply.name, reply.reason) == ("REJECT", NOT_ALLOWED)
    assert bench.command("PREPARE_DECK", command_id=1).reason == NOT_ALLOWED
    assert bench.command("QUERY_COMMAND", command_id=1).outcome == 0


# --- commands


def test_a_repeated_command_is_carried_out_once() -> None:
    """LINK-4.3, SHOE-3.1: the kept reply again, also while the motor moves (LINK-4.7)."""
    bench = fresh()
    raw = bench.frame("DISPENSE", 1, command_id=5, deck_id=1, cards=2, destination=1)
    first = only(bench.put(raw))
    bench.run(0.3)
    for _ in range(5):
        again = only(bench.put(raw))
        assert (again.name, again.sequence, again.fields) == (first.name, first.sequence, first.fields)
    bench.sequence = 2
    bench.until("STACK_READY")
    assert bench.do("counters")["feeds_started"] == 1
    assert bench.do("counters")["cards_out"] == 2


def test_the_kept_frame_with_another_content_is_refused() -> None:
    """LINK-4.3."""
    bench = fresh()
    bench.command("QUERY_COMMAND", command_id=1)
    other = bench.frame("QUERY_COMMAND", 1, command_id=2)
    assert rejected(bench.put(other))[0] == WRONG_SEQUENCE
    assert rejected(bench.put(bench.frame("READ_COUNTERS", 1)))[0] == WRONG_SEQUENCE


@pytest.mark.parametrize("sequence", [0, 2, 3, 128, 255])
def test_a_sequence_that_is_not_next(sequence: int) -> None:
    """LINK-4.1, LINK-4.4: the first is 1; the REJECT carries the command's sequence."""
    bench = fresh()
    raw = bench.frame("QUERY_COMMAND", sequence, command_id=1)
    assert rejected(bench.put(raw)) == (WRONG_SEQUENCE, 0x10, bench.session, sequence)


def test_sequences_wrap() -> None:
    """LINK-4.1: after 255 comes 0."""
    bench = fresh()
    for _ in range(600):
        assert bench.command("READ_COUNTERS").name == "READ_COUNTERS_REPLY"
    assert bench.do("counters")["commands_seen"] == 600


@pytest.mark.parametrize(
    ("kind", "payload", "reason"),
    [
        (0x3F, b"", UNKNOWN_TYPE),
        (0x2F, b"abc", UNKNOWN_TYPE),
        (0x05, b"", UNKNOWN_TYPE),
        (0x40, b"", UNKNOWN_TYPE),
        (0x00, b"", UNKNOWN_TYPE),
        (0x11, b"", WRONG_LENGTH),
        (0x10, bytes(9), WRONG_LENGTH),
        (0x12, b"\x02", BAD_VALUE),
        (0x02, b"\x01", WRONG_LENGTH),
    ],
)
def test_what_gets_a_reject(kind: int, payload: bytes, reason: int) -> None:
    """LINK-2.8, LINK-4.8, SHOE-5.1; LINK-4.4: the sequence does not advance."""
    bench = fresh()
    assert rejected(bench.put(wire_frame(bench.session, kind, 1, payload))) == (reason, kind, bench.session, 1)
    assert bench.command("READ_COUNTERS").sequence == 1


def test_refusals_of_the_reply_itself() -> None:
    """LINK-4.8, SHOE-4.1: a field outside its range gets the reply's own refusal."""
    bench = fresh()
    for values in ((0, 2, 1), (1, 0, 1), (1, 8, 1), (1, 2, 7)):
        command_id, cards, destination = values
        assert bench.dispense(command_id, cards, 1, destination) == 13
    assert bench.beat().last_command == 0


# --- heartbeat and lease


@pytest.mark.parametrize(
    ("asked", "given"), [(0, 250), (249, 250), (250, 250), (1234, 1234), (2000, 2000), (65535, 2000)]
)
def test_the_lease_is_brought_into_its_range(asked: int, given: int) -> None:
    """LINK-6.3."""
    bench = fresh()
    bench.lease_ms = asked
    status = bench.beat()
    assert status.lease_left_ms == given
    assert status.flags & 32
    bench.now += given / 1000 - 0.001
    bench.world.advance(bench.now)
    bench.heartbeat = False
    bench.run(0.0015)
    assert bench.dispense(1, deck_id=1) == 2


def test_status_answers_each_heartbeat_and_counts_its_own_way() -> None:
    """LINK-6.1, LINK-6.2."""
    bench = fresh()
    for sequence in (200, 3, 3, 255, 0):
        status = only(bench.put(bench.frame("HEARTBEAT", sequence, lease_ms=500)))
        assert (status.name, status.sequence) == ("STATUS", sequence)


def test_a_new_session_does_not_stop_a_motion() -> None:
    """LINK-6.3: the lease belongs to time."""
    bench = fresh()
    bench.dispense(1)
    bench.run(0.2)
    bench.hello()
    bench.beat()
    assert bench.until("STACK_READY").command_id == 1


# --- events


def test_events_are_repeated_until_consumed() -> None:
    """LINK-7.3, LINK-7.4."""
    bench = Bench(World(seed=1), acknowledge=False, heartbeat=False)
    bench.hello()
    bench.seen.clear()
    bench.run(1.05)
    assert [round(one.at, 3) for one in bench.seen] == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert {one.event_id for one in bench.seen} == {1}
    bench.seen.clear()
    bench.put(bench.frame("EVENT_ACK", 0, consumed_event=7))  # above last_event: ignored
    bench.run(0.2)
    assert len(bench.seen) == 1
    bench.put(bench.frame("EVENT_ACK", 0, consumed_event=1))
    bench.seen.clear()
    bench.run(2.0)
    assert bench.seen == []


def test_a_window_of_eight() -> None:
    """LINK-7.3, LINK-7.8: oldest first, at most eight at a time, the rest as acknowledgements come."""
    bench = Bench(World(seed=1), acknowledge=False, heartbeat=False)
    for _ in range(10):
        bench.do("open_door")
        bench.do("close_door")
    bench.hello()
    assert [one.event_id for one in bench.seen[1:]] == list(range(1, 9))
    bench.seen.clear()
    bench.run(0.25)
    assert [one.event_id for one in bench.seen] == list(range(1, 9))
    bench.seen.clear()
    bench.put(bench.frame("EVENT_ACK", 0, consumed_event=5))
    assert [one.event_id for one in bench.seen] == list(range(9, 14))


def test_ids_go_on_over_a_restart_and_the_ring_survives() -> None:
    """LINK-7.1, LINK-7.2: with the boot counter and time of when it happened."""
    bench = Bench(World(seed=1), acknowledge=False, heartbeat=False)
    bench.do("open_door")
    bench.do("power", device="shoe", state="off")
    bench.run(3.0)
    bench.do("power", device="shoe", state="on")
    bench.run(1.0)
    reply = bench.hello()
    assert (reply.oldest_event, reply.last_event) == (1, 3)
    assert [(one.name, one.event_id, one.boot_counter) for one in bench.seen[1:]] == [
        ("BOOTED", 1, 1),
        ("DOOR_OPENED", 2, 1),
        ("BOOTED", 3, 2),
    ]


def test_a_full_ring_refuses_motion_and_shows_the_gap() -> None:
    """LINK-7.7, LINK-5.11, SHOE-2.2, SHOE-4.2."""
    bench = Bench(World(seed=1), acknowledge=False)
    bench.hello()
    bench.beat()
    while bench.beat().held_events < 127:
        bench.do("switch_mode", mode="test")
        bench.do("switch_mode", mode="deal")
    bench.do("open_door")
    bench.do("close_door")
    status = bench.beat()
    assert (status.held_events, status.flags & 64) == (128, 64)
    assert bench.dispense(1, deck_id=1) == 12
    assert bench.command("PREPARE_DECK", command_id=1).result == 12
    bench.consumed = 0
    reply = bench.hello()
    assert reply.oldest_event == reply.last_event - 127
    assert reply.oldest_event > 1
    bench.put(bench.frame("EVENT_ACK", 0, consumed_event=reply.last_event))
    bench.beat()
    assert bench.command("PREPARE_DECK", command_id=1).result == 0


def test_a_delimiter_after_silence() -> None:
    """LINK-3.4: a 00 before a frame when the line was silent for more than 50 ms."""
    world = World(seed=1)
    bench = Bench(world)
    bench.hello()
    bench.now += 0.051
    world.receive("shoe", bench.frame("HEARTBEAT", 1, lease_ms=500), bench.now)
    late = world.take_output("shoe")
    world.receive("shoe", bench.frame("HEARTBEAT", 2, lease_ms=500), bench.now + 0.01)
    soon = world.take_output("shoe")
    assert late[0] == 0
    assert soon[0] != 0


def test_uptime_counts_from_the_start_and_never_moves_backwards() -> None:
    """LINK-8.2."""
    bench = fresh()
    before = bench.beat().uptime_ms
    bench.run(2.5)
    assert bench.beat().uptime_ms - before == 2500
    bench.do("reset", device="shoe")
    bench.session = 0
    bench.run(1.0)
    bench.hello()
    assert bench.beat().uptime_ms == 1000


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255), st.binary(max_size=40)), max_size=30
    )
)
def test_no_frame_can_upset_a_device(frames: list[tuple[int, int, int, bytes]]) -> None:
    """LINK-4.8, LINK-4.9: whatever comes, it answers well-formed frames and goes on."""
    for port in ("shoe", "reader"):
        bench = Bench(World(seed=1), port=port)
        bench.hello()
        for session, kind, sequence, payload in frames:
            bench.put(wire_frame(bench.session if session % 2 else session, kind, sequence, payload))
        bench.session = 0
        assert bench.hello().result == 0
        assert bench.beat().name == "STATUS"
