"""What a single dialogue cannot show: equal times for all faces, the uptime, a line that holds bytes back."""

from __future__ import annotations

from typing import Any

import pytest
import steps
from device_runner import DeviceRunner
from vector_files import dialogues
from world_bench import START_S, WorldBench, nonces, run

from cardshoe.sim.world import World

OPEN = [
    {"connect": {}, "reply": {"result": 0}, "within_ms": 5000},
    {"discard_ms": 50},
    {"heartbeat": {"lease_ms": 1000}},
]


def _runner(device: str, seed: int) -> tuple[DeviceRunner, WorldBench, World]:
    world = World(seed=seed, now=START_S)
    world.line_opened(device, START_S)
    bench = WorldBench(world, device)
    return DeviceRunner(device, bench, nonces("laws")), bench, world


@pytest.mark.parametrize("unreadable", [False, True])
def test_every_face_is_told_after_the_same_time_in_the_same_length(*, unreadable: bool) -> None:
    """READER-2.5, P4: neither length nor delay of CARD_READ tells the card."""
    runner, bench, world = _runner("reader", 7)
    runner.run([*OPEN, {"world": {"do": "remove_stub"}}])
    seen: set[tuple[int, int]] = set()
    faces: set[Any] = set()
    for turn in range(52):
        if unreadable and turn % 5 == 3:
            runner.run([{"world": {"do": "fault", "kind": "unreadable", "place": "board"}}])
        turned = bench.now()
        runner.run([{"world": {"do": "turn", "what": "board", "cards": 1}}])
        got = runner._next(3000, repeats=False)
        assert got is not None
        assert got.name == "CARD_READ"
        assert got.fields is not None
        faces.add(got.fields["face"])
        seen.add((round((bench.now() - turned) * 1000), len(got.frame.payload)))
        ack = {"message": "EVENT_ACK", "sequence": 0, "fields": {"consumed_event": got.fields["event_id"]}}
        runner.run([{"send": ack}, {"world": {"do": "collect", "what": "board"}}, {"discard_ms": 1000}])
    world.close()
    assert len(seen) == 1
    assert len(faces) == (43 if unreadable else 52)  # 42 faces and FE


def test_uptime_counts_from_the_start_of_the_device() -> None:
    """LINK-8.2: it goes up with time and begins again with the device."""
    runner, _, world = _runner("shoe", 1)
    told: list[int] = []
    for step in ({"wait_ms": 4000}, {"world": {"do": "reset", "device": "shoe"}}):
        runner.run([*OPEN, {"status": {"uptime_ms": {"bind": "$up"}}, "within_ms": 600}])
        told.append(runner.names["up"])
        runner.run([step])
        if "wait_ms" in step:
            runner.run([{"status": {"uptime_ms": {"bind": "$up"}}, "within_ms": 600}])
            assert 3500 <= runner.names["up"] - told[0] <= 5000
    runner.run([*OPEN, {"status": {"uptime_ms": {"bind": "$up"}}, "within_ms": 600}])
    world.close()
    assert runner.names["up"] < 4000 <= told[1]


RESTART = [
    {"connect": {"consumed_event": "$held"}, "reply": {"result": 0}, "within_ms": 5000},
    {"discard_ms": 500},
    {"heartbeat": {"lease_ms": 1000}},
]
STOPS: dict[str, list[dict[str, Any]]] = {
    "inhibit": [steps.send("SET_INHIBIT", 2, inhibited=1), steps.wait(2000)],
    "lease": [steps.SILENT, steps.wait(4000), steps.beats(), steps.wait(500)],
    "door": [steps.world("open_door"), steps.wait(2000), steps.world("close_door"), steps.wait(500)],
    "reset": [steps.world("reset", device="shoe"), *RESTART],
    "power": [
        steps.world("power", device="shoe", state="off"),
        steps.wait(700),
        steps.world("power", device="shoe", state="on"),
        *RESTART,
    ],
}


def stopped(kind: str, ms: int) -> list[dict[str, Any]]:
    """A stack of two is stopped `ms` after its acceptance; then the shoe is asked, and looked into."""
    restarted = kind in ("reset", "power")
    first = 1 if restarted else 3 if kind == "inhibit" else 2
    # Stopped between safe points, a card may lie in the sensor: then the shoe cannot say (SHOE-4.9, SHOE-7.5).
    seen = ["$n"] if kind in ("inhibit", "lease") else ["$n", 255]
    asked = {"command_id": "$last+1", "outcome": {"in": [2, 4]}, "cards_seen": {"in": seen}}
    outcome = {"message": "QUERY_COMMAND_REPLY", "fields": asked}
    return [
        *steps.opened(),
        steps.dispense(1),
        steps.answered(1, 0),
        steps.wait(ms),
        *STOPS[kind],
        {"discard_ms": 0},
        steps.world("look", answer={"gate": {"backs": "$n"}}),
        steps.world("counters", answer={"cards_out": "$out", "feeds_started": "$feeds"}),
        steps.send("QUERY_COMMAND", first, command_id="$last+1"),
        {"expect": outcome, "within_ms": 100},
        steps.dispense(first + 1),
        steps.answered(first + 1, 10),
        steps.nothing(3000),
        steps.world("counters", answer={"cards_out": "$out", "feeds_started": "$feeds"}),
        steps.world("look", answer={"gate": {"backs": "$n"}}),
    ]


def _stop_everywhere(kind: str, every_ms: int) -> None:
    for ms in range(1, 1500, every_ms):
        run({"id": f"stop/{kind}/{ms}", "device": "shoe", "steps": stopped(kind, ms)})


@pytest.mark.parametrize("kind", STOPS)
def test_what_is_told_of_a_stopped_stack_is_what_lies_there(kind: str) -> None:
    """SHOE-3.3, SHOE-4.3, SHOE-4.6, SHOE-4.7, SHOE-4.9, P1: stopped at any moment, never resumed."""
    _stop_everywhere(kind, 37)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", STOPS)
def test_the_same_at_every_millisecond(kind: str) -> None:
    """SHOE-3.3, SHOE-4.3, SHOE-4.6, SHOE-4.7, SHOE-4.9, P1."""
    _stop_everywhere(kind, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(2, 12))
def test_the_dialogues_hold_in_every_world(seed: int) -> None:
    """LINK, SHOE, READER: another seed shuffles another deck and bounces another sensor."""
    for vector in dialogues("device"):
        run(vector, seed=seed)


@pytest.mark.nightly
def test_all_dialogues_hold_on_a_line_that_keeps_bytes_back() -> None:
    """LINK-8.3."""
    for vector in dialogues("device"):
        run(vector, hold_ms=16)


HELD = ["hello", "heartbeat-sequence", "repeated-dispense", "lease-lost-in-feed", "event-order", "ring-after-hello"]


@pytest.mark.parametrize("name", HELD)
def test_intervals_hold_on_a_line_that_keeps_bytes_back(name: str) -> None:
    """LINK-8.3: an adapter that holds bytes for 16 ms changes nothing but the delay, which the README allows for."""
    vector = next(v for v in dialogues("device") if v["id"] == f"dialogue/device/shoe/{name}")
    run(vector, hold_ms=16)
