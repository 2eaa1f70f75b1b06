"""Dialogues that every device must stand, told of the shoe: session, heartbeat and lease, commands (link-v1)."""

# ruff: noqa: E501 (a case is a row: cut into lines it can no longer be read beside its neighbours)
from __future__ import annotations

from typing import Any

from steps import (
    SILENT,
    Vector,
    answered,
    beats,
    connect,
    dialogue,
    dispense,
    hello,
    hello_reply,
    let,
    noise,
    nothing,
    opened,
    query,
    raw,
    ready,
    reject,
    repeat,
    send,
    status,
    taken,
    wait,
    want,
    world,
)  # fmt: skip
from vector_wire import spec_hash, wire_of

SAME: dict[str, Any] = {"result": 0, "host_nonce": "$a", "spec_hash": "$spec_hash", "device_kind": 1}
NO_SESSION, UNKNOWN_TYPE, WRONG_LENGTH, WRONG_SEQUENCE, BAD_VALUE = 1, 2, 3, 4, 6
BEFORE = world("counters", answer={"stacks_dispensed": "$stacks", "cards_out": "$out"})
ONE_MORE = world("counters", answer={"stacks_dispensed": "$stacks+1"})
NONE_MORE = world("counters", answer={"stacks_dispensed": "$stacks", "cards_out": "$out"})
COUNT = "READ_COUNTERS"
NEXT = {"in": ["$s mod 255+1"], "bind": "$s"}  # the session after $s: 255 is followed by 1

SESSION = [
    dialogue("silent-before-hello", "LINK-5.1", "before HELLO a device sends nothing by itself", [nothing(2000)]),
    dialogue("no-session-yet", "LINK-5.1", "before HELLO every frame gets REJECT no_session as it came", [
        send("HEARTBEAT", 5, session=9, lease_ms=1000), want("REJECT", sequence=5, session=9, reason=1, rejected_type=0x02),
        send("DISPENSE", 1, session=0, command_id=1, deck_id=1, cards=2, destination=1),
        want("REJECT", sequence=1, session=0, reason=1, rejected_type=0x11),
        send(COUNT, 255, session=255), want("REJECT", sequence=255, session=255, reason=1, rejected_type=0x15),
        nothing(1000),
    ]),
    dialogue("ack-without-session", "LINK-5.1", "EVENT_ACK without a session is dropped in silence and forgets nothing", [
        connect(reply={"last_event": "$l"}), {"discard_ms": 50}, world("reset", device="shoe"), wait(1500),
        send("EVENT_ACK", 1, session=3, consumed_event="$l"), nothing(500), connect(reply={"oldest_event": {"max": "$l"}}),
    ]),
    dialogue("hello", "LINK-5.1 LINK-5.3 LINK-5.4 LINK-7.2 SHOE-1.1", "HELLO is answered with who the device is", [
        hello("$a", sequence=77),
        hello_reply(sequence=77, **SAME, session={"min": 1, "max": 255}, boot_counter={"min": 1}, ring_size={"min": 16},
                    device_nonce={"not": "$a"}, capabilities={"max": 511}, oldest_event={"min": 1}),
    ]),
    dialogue("hello-wrong-hash", "LINK-5.3 LINK-5.2", "another spec hash: refused, the identity is told all the same", [
        hello("$a", spec_hash=spec_hash("reader")),
        hello_reply(**(SAME | {"result": 1}), model={"not": ""}, serial={"not": ""}, firmware={"not": ""}, boot_counter={"min": 1}),
        send("HEARTBEAT", 1, session=1, lease_ms=1000), want("REJECT", sequence=1, session=1, reason=NO_SESSION, rejected_type=0x02),
    ]),
    dialogue("hello-one-bit-of-hash", "LINK-5.3", "one bit of the hash is enough", [
        hello("$a", spec_hash=f"{int(spec_hash('shoe'), 16) ^ 1:064x}"), hello_reply(**(SAME | {"result": 1})),
    ]),
    dialogue("hello-same-nonce", "LINK-5.5 LINK-4.3", "the same HELLO again: the same reply, the same session, the kept reply too", [
        hello("$a"), hello_reply(**SAME, session="$s", device_nonce="$d", boot_counter="$b"), {"discard_ms": 50},
        send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
        hello("$a"), hello_reply(**SAME, session="$s", device_nonce="$d", boot_counter="$b"), {"discard_ms": 50},
        send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
        send(COUNT, 2), want("READ_COUNTERS_REPLY", sequence=2),
    ]),
    dialogue("hello-same-nonce-moved", "LINK-5.5", "the same HELLO again after an event: last_event may have moved, the session not", [
        hello("$a"), hello_reply(**SAME, session="$s", device_nonce="$d", last_event="$l"), {"discard_ms": 50},
        world("open_door"), want("DOOR_OPENED", 1000, event_id="$l+1"),
        hello("$a"), hello_reply(**SAME, session="$s", device_nonce="$d", last_event="$l+1"),
    ]),
    dialogue("hello-new-nonce", "LINK-5.2 LINK-5.4 LINK-5.6", "a new nonce begins a new session and ends the old one", [
        hello("$a"), hello_reply(**SAME, session="$s", device_nonce="$d"), {"discard_ms": 50},
        hello("$b", sequence=2),
        hello_reply(sequence=2, **(SAME | {"host_nonce": "$b"}), session="$s mod 255+1", device_nonce={"not": "$d"}), {"discard_ms": 50},
        send("HEARTBEAT", 3, session="$s", lease_ms=1000), want("REJECT", sequence=3, session="$s", reason=1, rejected_type=0x02),
        send(COUNT, 1, session="$s"), want("REJECT", sequence=1, session="$s", reason=1, rejected_type=0x15),
        send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
    ]),
    dialogue("refused-hello-ends-nothing", "LINK-5.3 LINK-5.4 LINK-5.8", "a HELLO that is refused begins no session and ends none", [
        connect(), {"discard_ms": 50}, send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
        hello("$a", spec_hash=64 * "0"), hello_reply(**(SAME | {"result": 1})), hello("$b", purpose=1), hello_reply(result=2, host_nonce="$b"),
        hello("$c", security=1), hello_reply(result=3, host_nonce="$c"), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
        send("HEARTBEAT", 7, lease_ms=1000), want("STATUS", sequence=7), send(COUNT, 2), want("READ_COUNTERS_REPLY", sequence=2),
    ]),
    dialogue("nonce-of-an-ended-session", "LINK-5.5 LINK-5.4", "a nonce whose session has ended begins a new session like any other", [
        hello("$a"), hello_reply(**SAME, session="$s", device_nonce="$d"), {"discard_ms": 50},
        hello("$b"), hello_reply(host_nonce="$b", session=NEXT), {"discard_ms": 50},
        hello("$a"), hello_reply(**SAME, session=NEXT, device_nonce={"not": "$d"}), {"discard_ms": 50}, world("reset", device="shoe"), wait(1500),
        hello("$a"), hello_reply(**SAME, session=NEXT),
    ]),
    dialogue("session-byte-zero", "LINK-5.6 LINK-4.4", "session 0 is no session, and what came in it changes no sequence", [
        connect(), {"discard_ms": 50}, send(COUNT, 1, session=0), want("REJECT", sequence=1, session=0, reason=1, rejected_type=0x15),
        send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
    ]),
    dialogue("old-session-ack-dropped", "LINK-5.6", "EVENT_ACK of an old session is dropped in silence and forgets nothing", [
        hello("$a"), hello_reply(**SAME, session="$s"), {"discard_ms": 50}, hello("$b"), hello_reply(session={"not": "$s"}, last_event="$l"),
        {"discard_ms": 50}, world("open_door"), want("DOOR_OPENED", 1000, event_id="$l+1"),
        send("EVENT_ACK", 0, session="$s", consumed_event="$l+1"),
        hello("$b"), hello_reply(oldest_event={"max": "$l+1"}, last_event="$l+1"),
    ]),
    dialogue("session-numbers-wrap", "LINK-5.4", "255 is followed by 1, and no session has the number of the one before", [
        hello("$n"), hello_reply(result=0, session={"bind": "$s"}),
        repeat(258, {"connect": {}, "reply": {"result": 0, "session": NEXT}, "within_ms": 100}),
    ]),
    dialogue("session-after-reset", "LINK-5.4 LINK-5.10 LINK-5.6", "a restart ends the session; the number and the boot counter go on", [
        connect(), {"discard_ms": 50}, let(old="$session", boots="$boot"), world("reset", device="shoe"), wait(2000),
        send("HEARTBEAT", 1, session="$old", lease_ms=1000), want("REJECT", sequence=1, session="$old", reason=1, rejected_type=0x02),
        connect(reply={"session": {"in": ["$old mod 255+1"]}, "boot_counter": {"in": ["$boots+1"]}}),
        {"discard_ms": 50}, send("HEARTBEAT", 2, lease_ms=1000), want("STATUS", sequence=2, boot_counter="$boots+1"),
    ]),
    dialogue("session-after-power-cut", "LINK-5.4 LINK-5.10", "the number and the boot counter survive loss of power", [
        connect(), let(old="$session", boots="$boot"), world("power", device="shoe", state="off"), wait(1000),
        world("power", device="shoe", state="on"),
        connect(reply={"session": {"in": ["$old mod 255+1"]}, "boot_counter": {"in": ["$boots+1"]}}),
    ]),
    dialogue("busy-while-starting", "LINK-5.3 LINK-5.12", "a device that is still starting says busy and takes the same HELLO later", [
        world("power", device="shoe", state="off"), wait(200), world("power", device="shoe", state="on"),
        connect(reply={"result": 0}, within_ms=10_000),
    ]),
    dialogue("purpose-service", "LINK-5.8", "a shoe that holds a verified deck refuses a service session", [
        hello("$a", purpose=1), hello_reply(**(SAME | {"result": 2})),
    ]),
    dialogue("purpose-unknown", "LINK-5.8 LINK-4.8", "a purpose that does not exist is unavailable", [
        hello("$a", purpose=9), hello_reply(**(SAME | {"result": 2})),
    ]),
    dialogue("security-sealed", "LINK-5.9 LINK-9.1", "this version of the document has no sealed session", [
        hello("$a", security=1), hello_reply(**(SAME | {"result": 3})),
    ]),
]  # fmt: skip

HEARTBEAT = [
    dialogue("heartbeat-sequence", "LINK-6.1 LINK-6.2", "STATUS has the sequence of its HEARTBEAT, which counts by itself", [
        connect(), {"discard_ms": 50},
        *[step for seq in (200, 7, 255, 0, 0) for step in (
            send("HEARTBEAT", seq, lease_ms=1000), want("STATUS", sequence=seq, boot_counter="$boot", state=1))],
        send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
        send("HEARTBEAT", 9, lease_ms=1000), want("STATUS", sequence=9), send(COUNT, 2), want("READ_COUNTERS_REPLY", sequence=2),
    ]),
    dialogue("status-never-by-itself", "LINK-6.2", "STATUS is never sent unasked and never repeated", [
        *opened(lease=False), send("HEARTBEAT", 90, lease_ms=250), want("STATUS", sequence=90), nothing(3000),
    ]),
    dialogue("status-of-now", "LINK-6.2 SHOE-2.2", "STATUS tells the state of now, not that of the heartbeat before", [
        *opened(lease=False), send("HEARTBEAT", 90, lease_ms=1000), want("STATUS", sequence=90, flags={"clear": 1}), world("open_door"),
        want("DOOR_OPENED", 1000), send("HEARTBEAT", 91, lease_ms=1000), want("STATUS", sequence=91, flags={"set": 1}, last_event="$held+1"),
        world("close_door"), want("DOOR_CLOSED", 1000), send("HEARTBEAT", 92, lease_ms=1000), want("STATUS", sequence=92, flags={"clear": 1}),
    ]),
    dialogue("lease-told", "LINK-6.3 SHOE-2.2", "STATUS tells the lease, and that it is over", [
        *opened(lease=False), send("HEARTBEAT", 90, lease_ms=1000),
        want("STATUS", sequence=90, lease_left_ms={"min": 900, "max": 1000}, flags={"set": 32}),
    ]),
    dialogue("lease-too-short", "LINK-6.3", "a lease of 10 ms is brought to 250 ms", [
        *opened(lease=False), wait(2100), send("HEARTBEAT", 90, lease_ms=10), want("STATUS", sequence=90, lease_left_ms={"min": 150, "max": 250}),
    ]),
    dialogue("lease-too-long", "LINK-6.3", "a lease of a minute is brought to 2000 ms", [
        *opened(lease=False), send("HEARTBEAT", 90, lease_ms=60_000), want("STATUS", sequence=90, lease_left_ms={"min": 1900, "max": 2000}),
        wait(2050), dispense(1), answered(1, 2), nothing(1000),
    ]),
    dialogue("no-lease-no-motion", "LINK-6.4 SHOE-4.2 SHOE-5.2 SHOE-3.4", "without a lease nothing moves; the idle shoe sends no event of it", [
        *opened(lease=False), BEFORE, wait(2100), nothing(500), dispense(1), answered(1, 2), nothing(4000), NONE_MORE, *query(2, 0),
    ]),
    dialogue("no-lease-since-hello", "LINK-6.4", "HELLO gives no lease", [
        *opened(lease=False), wait(2100), connect(), {"discard_ms": 50}, dispense(1), answered(1, 2),
    ]),
    dialogue("lease-ends-with-session", "LINK-5.4 LINK-6.3", "a frame of an old session renews no lease", [
        *opened(lease=False), let(old="$session"), connect(), {"discard_ms": 2100},
        send("HEARTBEAT", 1, session="$old", lease_ms=2000), want("REJECT", sequence=1, session="$old", reason=1, rejected_type=0x02),
        dispense(1), answered(1, 2),
    ]),
    dialogue("lease-lost-in-feed", "LINK-6.4 SHOE-4.6 SHOE-5.2 SHOE-4.7 SHOE-3.6", "heartbeats end in mid-feed: stopped, told, and not taken up again", [
        *opened(), dispense(1, cards=7), answered(1, 0), wait(700), SILENT,
        want("LEASE_LOST", 2000, running_command="$last+1"),
        want("DISPENSE_INTERRUPTED", 2000, command_id="$last+1", cause=1, cards_seen={"min": 1, "max": 6, "bind": "$n"}),
        BEFORE, beats(), nothing(4000), NONE_MORE, *query(2, 4, cards_seen="$n", taken=0),
        status(gate_cards="$n", running_command=0, state=3),
    ]),
    dialogue("lease-back-too-late", "LINK-6.4 SHOE-4.6", "the stack that lease loss cut short is taken; a new id deals on", [
        *opened(), dispense(1, cards=4), answered(1, 0), wait(700), SILENT, want("LEASE_LOST", 2000),
        want("DISPENSE_INTERRUPTED", 2000, command_id="$last+1", cause=1, cards_seen="$n"), beats(),
        *query(2, 4, first_slot="$slot"), *taken("$n"), *query(3, 4, taken=1),
        dispense(4, add=2), answered(4, 0, add=2), ready(2, add=2, first_slot={"min": "$slot+1"}),
    ]),
]  # fmt: skip

WIRE = [
    dialogue("whole-frames-only", "LINK-2.1 LINK-2.4 LINK-2.5 LINK-2.6", "every frame of a long exchange is whole, in both exchanges", [
        *opened(), let(q=0), repeat(60, let(q="$q+1"), send(COUNT, "$q"), want("READ_COUNTERS_REPLY", sequence="$q"), wait(90)),
    ]),
    dialogue("garbage-between", "LINK-3.2 LINK-2.2 LINK-2.4 LINK-9.1", "what is no frame is dropped in silence, the next frame is understood", [
        *opened(), noise("55aa0102030405060700"), noise("ff" * 300 + "00"),
        noise(wire_of(1, 0x15, 1, b"", version=0x81).hex()), noise(wire_of(1, 0x15, 1, b"", version=2).hex()),
        noise(wire_of(1, 0x15, 1, b"")[:-3].hex() + "00"), nothing(300), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
    ]),
    dialogue("flood", "LINK-3.3", "10,000 bytes without a 00, then a frame", [
        *opened(), noise("0155" * 5000 + "00"), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
    ]),
    dialogue("many-zeros", "LINK-3.1", "two hundred 00 before a frame", [
        *opened(), noise("00" * 200), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
    ]),
    dialogue("slow-bytes", "LINK-3.5 LINK-1.2", "one byte every 300 ms is a frame all the same", [
        *opened(lease=False), {"send": {"message": COUNT, "sequence": 1, "fields": {}}, "pieces": 1, "pause_ms": 300},
        want("READ_COUNTERS_REPLY", sequence=1),
    ]),
    dialogue("delimiter-after-silence", "LINK-3.4", "after more than 50 ms of silence the device sends a 00 before its frame", [
        *opened(lease=False), wait(400), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1) | {"delimiter": True},
    ]),
    dialogue("reopened-port", "LINK-1.4 LINK-5.12", "a host that opens the port anew gets a session without a restart", [
        *opened(), let(boots="$boot"), connect(reply={"boot_counter": {"in": ["$boots"]}}),
    ]),
]  # fmt: skip

COMMANDS = [
    dialogue("first-sequence", "LINK-4.1 LINK-4.4 LINK-4.2", "the first command of a session has sequence 1 and no other", [
        *opened(), send(COUNT, 2), reject(WRONG_SEQUENCE, 0x15, 2), send(COUNT, 0), reject(WRONG_SEQUENCE, 0x15, 0),
        send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1), send(COUNT, 2), want("READ_COUNTERS_REPLY", sequence=2),
    ]),
    dialogue("sequence-wraps", "LINK-4.1 LINK-4.3", "after 255 comes 0, and 0 is repeated like any other", [
        *opened(), let(q=0),
        repeat(257, let(q="$q+1 mod 256"), send(COUNT, "$q"), want("READ_COUNTERS_REPLY", sequence="$q")),
        send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1), send(COUNT, 255), reject(WRONG_SEQUENCE, 0x15, 255),
    ]),
    dialogue("repeated-dispense", "LINK-4.3 SHOE-3.3", "the same frame again gets the kept reply and moves nothing", [
        *opened(), BEFORE, dispense(1), answered(1, 0), dispense(1), answered(1, 0), ready(2), dispense(1), answered(1, 0),
        *taken(2), dispense(1), answered(1, 0), nothing(5000), ONE_MORE,
    ]),
    dialogue("repeated-often", "LINK-4.3", "the same frame forty times: forty replies and one stack", [
        *opened(), BEFORE, dispense(1), answered(1, 0), repeat(39, dispense(1), answered(1, 0)), ready(2), nothing(3000), ONE_MORE,
    ]),
    dialogue("repeated-query", "LINK-4.3", "a kept reply is the reply of then, not of now", [
        *opened(), *query(1, 0), *query(1, 0), dispense(2), answered(2, 0), ready(2), *query(3, 2), *query(3, 2),
    ]),
    dialogue("kept-reply-is-old", "LINK-4.3", "the repeated question is not asked anew", [
        *opened(), dispense(1, cards=3), answered(1, 0), *query(2, 1), ready(3), *query(2, 1), *query(3, 2),
    ]),
    dialogue("repeated-other-payload", "LINK-4.3 LINK-4.4", "the same sequence with another payload is refused and not carried out", [
        *opened(), BEFORE, send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1), dispense(2), answered(2, 0), ready(2),
        dispense(2, add=2), reject(WRONG_SEQUENCE, 0x11, 2), dispense(2, to=3), reject(WRONG_SEQUENCE, 0x11, 2),
        dispense(2), answered(2, 0), nothing(3000), ONE_MORE,
    ]),
    dialogue("repeated-other-type", "LINK-4.3", "the same sequence with another type is refused", [
        *opened(), *query(1, 0), send(COUNT, 1), reject(WRONG_SEQUENCE, 0x15, 1), *query(1, 0), *query(2, 0),
    ]),
    dialogue("sequence-ahead", "LINK-4.4", "a sequence that is not the next is refused and moves nothing", [
        *opened(), BEFORE, send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1), dispense(3), reject(WRONG_SEQUENCE, 0x11, 3),
        dispense(200), reject(WRONG_SEQUENCE, 0x11, 200), nothing(3000), NONE_MORE, *query(2, 0),
    ]),
    dialogue("sequence-behind", "LINK-4.4", "the sequence before the last is refused", [
        *opened(), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1), *query(2, 0), send(COUNT, 1), reject(WRONG_SEQUENCE, 0x15, 1),
        *query(2, 0), *query(3, 0),
    ]),
    dialogue("reject-keeps-sequence", "LINK-4.4 LINK-4.8", "a rejected command does not advance the sequence and its REJECT is not kept", [
        *opened(), raw(0x3F, 1), reject(UNKNOWN_TYPE, 0x3F, 1), raw(0x11, 1, "0102"), reject(WRONG_LENGTH, 0x11, 1),
        send("SET_INHIBIT", 1, inhibited=2), reject(BAD_VALUE, 0x12, 1), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
        raw(0x3F, 2), reject(UNKNOWN_TYPE, 0x3F, 2), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
    ]),
    dialogue("wrong-length", "LINK-2.8 SHOE-3.4", "a command of another length is refused and moves nothing", [
        *opened(), BEFORE, raw(0x11, 1, "01000000000000000100000002"), reject(WRONG_LENGTH, 0x11, 1),
        raw(0x11, 1, "010000000000000001000000020100"), reject(WRONG_LENGTH, 0x11, 1), raw(0x15, 1, "00"), reject(WRONG_LENGTH, 0x15, 1),
        raw(0x11, 1, "00" * 232), reject(WRONG_LENGTH, 0x11, 1), nothing(3000), NONE_MORE, dispense(1), answered(1, 0), ready(2),
    ]),
    *[dialogue(f"unknown-type-{kind:02x}", "LINK-4.8", "a type that the shoe does not know", [
        *opened(), raw(kind, 1), reject(UNKNOWN_TYPE, kind, 1), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
    ]) for kind in (0x1C, 0x2A, 0x3F)],
    dialogue("devices-words", "LINK-4.9", "replies, STATUS and events that a host should not send are not answered", [
        *opened(), raw(0x82, 1, "00" * 60), raw(0x91, 1, "00" * 9), raw(0x81, 1), raw(0xFF, 1, "0111"), raw(0x61, 1, "00" * 30),
        raw(0x60, 1), raw(0x7F, 1), raw(0xA0, 1), nothing(500), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
    ]),
    dialogue("answers-while-moving", "LINK-4.7 LINK-4.2 SHOE-3.6 SHOE-2.1", "queries are answered while the motor runs", [
        *opened(), dispense(1, cards=4), answered(1, 0), let(q=1),
        repeat(10, let(q="$q+1"), *query("$q", 1), wait(40)), status(state=2, running_command="$last+1", last_command="$last+1"),
        ready(4), *query(12, 2, cards_seen=4, taken=0, fault=0),
    ]),
    dialogue("kept-reply-forgotten", "LINK-5.4 LINK-4.3 SHOE-3.3", "a new session forgets the kept reply: the same order is stale, not repeated", [
        *opened(), BEFORE, dispense(1), answered(1, 0), ready(2), *taken(2), connect(consumed="$held"), beats(), {"discard_ms": 300},
        dispense(1), answered(1, 10), nothing(3000), ONE_MORE, *query(2, 2, cards_seen=2, taken=1),
    ]),
]  # fmt: skip

VECTORS: list[Vector] = SESSION + HEARTBEAT + WIRE + COMMANDS
