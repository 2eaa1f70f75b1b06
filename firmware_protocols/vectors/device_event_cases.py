"""Dialogues on events (link-v1 section 7), told of the shoe, whose door is the simplest source of events."""

# ruff: noqa: E501 (a case is a row: cut into lines it can no longer be read beside its neighbours)
from __future__ import annotations

from steps import (
    SILENT,
    Step,
    Vector,
    again,
    answered,
    connect,
    dialogue,
    dispense,
    let,
    nothing,
    opened,
    ready,
    repeat,
    send,
    status,
    wait,
    want,
    world,
)  # fmt: skip

OPEN, CLOSE = world("open_door"), world("close_door")


def opening(add: int, **fields: object) -> Step:
    """DOOR_OPENED with the id $held + `add`."""
    return want("DOOR_OPENED", 1000, event_id=f"$held+{add}", **fields)


def closing(add: int) -> Step:
    """DOOR_CLOSED with the id $held + `add`."""
    return want("DOOR_CLOSED", 1000, event_id=f"$held+{add}", cards_present=1)


def old(name: str, add: int, within_ms: int = 450) -> Step:
    """An event of the door that was seen before, with the id $held + `add`."""
    return again(want(name, within_ms, event_id=f"$held+{add}"))


RING = 128

DOOR_MANY = repeat(
    6,
    let(e="$e+1"),
    OPEN,
    want("DOOR_OPENED", 1000, event_id="$e"),
    let(e="$e+1"),
    CLOSE,
    want("DOOR_CLOSED", 1000, event_id="$e"),
)
EIGHT = [
    again(want(name, 450, event_id=f"$base+{i}")) for i, name in enumerate(4 * ["DOOR_OPENED", "DOOR_CLOSED"], start=1)
]

VECTORS: list[Vector] = [
    dialogue("event-at-once", "LINK-7.1 LINK-7.3 SHOE-7.1", "an event is sent at once, with the next id", [
        *opened(), OPEN, opening(1, cards_left=52, boot_counter="$boot"), CLOSE, closing(2), status(last_event="$held+2", held_events=2),
    ]),
    dialogue("event-repeats", "LINK-7.3 LINK-7.4", "an event is sent again every 200 ms until it is consumed, then no more", [
        *opened(), OPEN, opening(1), old("DOOR_OPENED", 1, 250), old("DOOR_OPENED", 1, 250), old("DOOR_OPENED", 1, 250), old("DOOR_OPENED", 1, 250),
        send("EVENT_ACK", 1, consumed_event="$held+1"), {"discard_ms": 50}, nothing(1000) | {"again": True}, status(held_events=0),
    ]),
    dialogue("event-order", "LINK-7.3 LINK-7.1", "repeats come oldest first", [
        *opened(), OPEN, opening(1), CLOSE, closing(2), {"discard_ms": 100},
        old("DOOR_OPENED", 1), old("DOOR_CLOSED", 2), old("DOOR_OPENED", 1), old("DOOR_CLOSED", 2),
    ]),
    dialogue("ack-part", "LINK-7.4", "consumed up to the first: only the second is repeated", [
        *opened(), OPEN, opening(1), CLOSE, closing(2), send("EVENT_ACK", 1, consumed_event="$held+1"), {"discard_ms": 50},
        old("DOOR_CLOSED", 2, 250), old("DOOR_CLOSED", 2, 250), status(held_events=1, last_event="$held+2"),
    ]),
    dialogue("ack-above-last", "LINK-7.4", "an id above last_event is ignored", [
        *opened(), OPEN, opening(1), send("EVENT_ACK", 1, consumed_event="$held+2"), send("EVENT_ACK", 2, consumed_event=2**64 - 1),
        {"discard_ms": 50}, old("DOOR_OPENED", 1, 250), status(held_events=1), CLOSE, closing(2),
    ]),
    dialogue("ack-repeated", "LINK-7.4", "the same EVENT_ACK again, and one for less, do no harm and are not answered", [
        *opened(), OPEN, opening(1), CLOSE, closing(2), send("EVENT_ACK", 1, consumed_event="$held+2"),
        send("EVENT_ACK", 1, consumed_event="$held+2"), send("EVENT_ACK", 2, consumed_event="$held+1"), send("EVENT_ACK", 3, consumed_event=0),
        {"discard_ms": 50}, nothing(800) | {"again": True}, status(held_events=0, last_event="$held+2"),
    ]),
    dialogue("heartbeat-is-no-ack", "LINK-7.4 LINK-7.2", "heartbeats and commands consume nothing", [
        *opened(), OPEN, opening(1), send("READ_COUNTERS", 1), want("READ_COUNTERS_REPLY", sequence=1), wait(3000),
        status(held_events=1), {"discard_ms": 0}, old("DOOR_OPENED", 1),
    ]),
    dialogue("ring-after-hello", "LINK-7.8 LINK-5.11", "after HELLO_REPLY the held events come, oldest first, before new ones", [
        *opened(), OPEN, opening(1), CLOSE, closing(2), OPEN, opening(3),
        connect(consumed="$held", reply={"oldest_event": "$held+1", "last_event": {"bind": "$l"}}),
        old("DOOR_OPENED", 1), old("DOOR_CLOSED", 2), old("DOOR_OPENED", 3),
    ]),
    dialogue("hello-consumes", "LINK-5.11 LINK-7.4", "consumed_event of HELLO forgets like EVENT_ACK", [
        *opened(), OPEN, opening(1), CLOSE, closing(2), let(first="$held"),
        connect(consumed="$first+1", reply={"oldest_event": "$first+2", "last_event": {"bind": "$held"}}),
        again(want("DOOR_CLOSED", 450, event_id="$first+2")), again(want("DOOR_CLOSED", 450, event_id="$first+2")),
        connect(consumed="$first+2", reply={"oldest_event": "$first+3"}), {"discard_ms": 0}, nothing(800) | {"again": True},
    ]),
    dialogue("hello-consumes-too-much", "LINK-5.11", "consumed_event above last_event is ignored", [
        *opened(), OPEN, opening(1), let(first="$held"), connect(consumed="$first+9", reply={"oldest_event": "$first+1", "last_event": "$first+1"}),
        old("DOOR_OPENED", 1),
    ]),
    dialogue("nothing-held", "LINK-5.11", "when nothing is held, oldest_event is last_event + 1", [
        *opened(), let(first="$held"), connect(consumed="$first", reply={"last_event": "$first", "oldest_event": "$first+1"}),
        nothing(800) | {"again": True},
    ]),
    dialogue("window-of-eight", "LINK-7.3 LINK-7.8", "twelve held events: eight at a time, oldest first", [
        *opened(), let(e="$held", base="$held"), DOOR_MANY, connect(consumed="$base", reply={"oldest_event": "$base+1", "last_event": "$base+12"}),
        *EIGHT, nothing(100) | {"again": True}, *EIGHT,
        send("EVENT_ACK", 1, consumed_event="$base+8"), {"discard_ms": 0},
        *[again(want(name, 450, event_id=f"$base+{8 + i}")) for i, name in enumerate(2 * ["DOOR_OPENED", "DOOR_CLOSED"], start=1)],
        send("EVENT_ACK", 2, consumed_event="$base+12"), {"discard_ms": 50}, nothing(800) | {"again": True},
    ]),
    dialogue("events-survive-reset", "LINK-7.1 LINK-7.2 LINK-7.8 SHOE-8.5", "the ring and the ids survive a restart; BOOTED comes behind what was held", [
        *opened(), OPEN, opening(1), CLOSE, closing(2), let(first="$held"), world("reset", device="shoe"),
        connect(consumed="$first", reply={"oldest_event": "$first+1", "last_event": "$first+3"}),
        again(want("DOOR_OPENED", 450, event_id="$first+1", boot_counter="$boot-1")), again(want("DOOR_CLOSED", 450, event_id="$first+2", boot_counter="$boot-1")),
        again(want("BOOTED", 450, event_id="$first+3", cause=2, cards_at=1, boot_counter="$boot")),
    ]),
    dialogue("events-survive-power-cut", "LINK-7.1 LINK-7.2 SHOE-8.5", "the ring and the ids survive loss of power", [
        *opened(), OPEN, opening(1), let(first="$held"), world("power", device="shoe", state="off"), wait(1000),
        world("power", device="shoe", state="on"),
        connect(consumed="$first", reply={"oldest_event": "$first+1", "last_event": "$first+2"}),
        again(want("DOOR_OPENED", 450, event_id="$first+1")), again(want("BOOTED", 450, event_id="$first+2", cause=1, cards_at=1)),
    ]),
    dialogue("event-without-session", "LINK-5.1 LINK-7.2 LINK-7.8", "what happens without a session is kept and told after HELLO", [
        *opened(), let(first="$held"), SILENT, world("reset", device="shoe"), wait(1500), OPEN, wait(500), nothing(500),
        connect(consumed="$first", reply={"last_event": "$first+2"}),
        want("BOOTED", 450, event_id="$first+1", cause=2), want("DOOR_OPENED", 450, event_id="$first+2"),
    ]),
    dialogue("event-ids-count", "LINK-7.1 SHOE-4.4 SHOE-4.8", "ids of all kinds of events are one sequence", [
        *opened(), dispense(1), answered(1, 0), ready(2, event_id="$held+1"), world("take_stack", to="1"),
        want("STACK_TAKEN", 1000, event_id="$held+2"), OPEN, opening(3, cards_left=50), CLOSE, closing(4),
    ]),
    dialogue("ring-full", "LINK-7.7 LINK-5.11 LINK-7.6 SHOE-2.2", "a full ring deals nothing and prepares nothing; the door overwrites the oldest", [
        *opened(), let(first="$held"),
        repeat(RING // 2 + 1, OPEN, {"discard_ms": 300}, CLOSE, {"discard_ms": 300}), status(flags={"set": 64}),
        {"discard_ms": 0}, dispense(1), want("DISPENSE_REPLY", sequence=1, result=12), send("PREPARE_DECK", 2, command_id="$last+1"),
        want("PREPARE_DECK_REPLY", sequence=2, result=12), status(last_command="$last"),
        connect(consumed="$first", reply={"oldest_event": {"min": "$first+2"}, "last_event": {"min": f"$first+{RING + 2}"}}),
    ]),
    dialogue("ring-emptied", "LINK-7.7 LINK-7.4", "once the events are consumed the ring is no longer full", [
        *opened(), repeat(RING // 2 + 1, OPEN, {"discard_ms": 300}, CLOSE, {"discard_ms": 300}), status(flags={"set": 64}, last_event="$top"),
        send("EVENT_ACK", 1, consumed_event="$top"), status(flags={"clear": 64}),
    ]),
]  # fmt: skip
