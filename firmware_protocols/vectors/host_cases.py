"""Dialogues of role "host": what a device sends, and what the host must send or conclude (link-v1, the host's clauses)."""

# ruff: noqa: E501 (a case is a row: cut into lines it can no longer be read beside its neighbours)
from __future__ import annotations

from typing import Any

from message_cases import NONCE_B
from steps import Step, Vector, dialogue, let, noise, raw, repeat, send, wait, want
from vector_wire import spec_hash

SESSION = 5
COUNT = "READ_COUNTERS"
COUNTERS = dict.fromkeys(
    ("stacks_total", "cards_total", "misfeeds_total", "rereads_total", "faults_total", "shuffles_total"), 1
)
HELLO = {"host_nonce": "$nonce", "spec_hash": "$spec_hash", "purpose": 0, "security": 0, "consumed_event": "$consumed"}
QUIET: Step = {"answer_heartbeats": False}
FIRST_MS = 60  # an answer of the host that is due at once
ORDER = {"command_id": 7, "deck_id": 3, "cards": 2, "destination": 4}


def host(name: str, clauses: str, note: str, steps: list[Step | list[Step]]) -> Vector:
    """A dialogue with the host's link."""
    return dialogue(name, clauses, note, steps, role="host")


def begin(*, consumed: int = 0, deadline_ms: int = 5000) -> Step:
    """The application opens the port; it has consumed events up to `consumed`."""
    return {"open": {"consumed_event": consumed, "deadline_ms": deadline_ms}}


def asked(within_ms: int = FIRST_MS, **more: Any) -> Step:
    """The host's HELLO."""
    return want("HELLO", within_ms, session=0, **HELLO) | more


def reply(**changes: Any) -> Step:
    """HELLO_REPLY of a shoe to the HELLO before."""
    fields: dict[str, Any] = {
        "result": 0,
        "host_nonce": "$nonce",
        "device_nonce": NONCE_B,
        "spec_hash": "$spec_hash",
        "session": SESSION,
    }
    fields |= {
        "device_kind": 1,
        "model": "M",
        "serial": "S1",
        "firmware": "1.0.0",
        "boot_counter": 3,
        "ring_size": 128,
        "capabilities": 31,
    }
    what = {
        "message": "HELLO_REPLY",
        "session": 0,
        "sequence": "$hello",
        "fields": fields | {"oldest_event": 1, "last_event": 0} | changes,
    }
    return {"send": what}


def conclude(is_: str, within_ms: int = FIRST_MS, **more: Any) -> Step:
    """The host's link tells its application this."""
    return {"conclude": {"is": is_} | more, "within_ms": within_ms}


def unmoved(ms: int) -> Step:
    """The host's link tells its application nothing but status."""
    return {"conclude_nothing_ms": ms}


def hello(consumed: int = 0) -> list[Step]:
    """The host asks; $nonce and $hello (its sequence) are bound."""
    first = asked()
    first["expect"]["sequence"] = {"bind": "$hello"}
    return [let(consumed=consumed), begin(consumed=consumed), first]


def live(consumed: int = 0, *, answer: bool = True, **changes: Any) -> list[Step]:
    """A session that the host has concluded to be open."""
    events = {"oldest_event": consumed + 1, "last_event": consumed}
    return [
        {"answer_heartbeats": answer},
        *hello(consumed),
        reply(**(events | changes)),
        conclude("opened"),
        want("HEARTBEAT", 260, session=SESSION),
    ]


def command(message: str = COUNT, deadline_ms: int = 2000, **fields: Any) -> Step:
    """The application gives a command."""
    return {"command": message, "fields": fields, "deadline_ms": deadline_ms}


def ordered(sequence: int, within_ms: int = FIRST_MS, **more: Any) -> Step:
    """The host's DISPENSE of the order above."""
    return want("DISPENSE", within_ms, sequence=sequence, session=SESSION, **ORDER) | more


def counted(sequence: Any, *, session: Any = None) -> Step:
    """READ_COUNTERS_REPLY from the device."""
    return send("READ_COUNTERS_REPLY", sequence, session=session, **COUNTERS)


def accepted(sequence: int) -> Step:
    """DISPENSE_REPLY from the device."""
    return send("DISPENSE_REPLY", sequence, command_id=7, result=0)


def door(event: int, *, boot: int = 3, session: Any = None) -> Step:
    """An event from the device."""
    return send(
        "DOOR_OPENED", event % 256, session=session, event_id=event, boot_counter=boot, uptime_ms=1, cards_left=52
    )


def told(event: int) -> Step:
    """The event reaches the application."""
    return conclude("event", event_id=event, message="DOOR_OPENED")


OPENING = [
    host("hello", "LINK-5.1 LINK-5.2 LINK-5.11 LINK-5.12 LINK-3.4", "after opening the port: 00 and HELLO, session 0", [
        let(consumed=41), begin(consumed=41), asked(delimiter=True),
    ]),
    host("hello-repeats", "LINK-5.12", "HELLO again every 250 ms with the same nonce, until the deadline of the attempt", [
        let(consumed=0), begin(deadline_ms=1100), asked(), {"expect_nothing_ms": 230}, asked(40), {"expect_nothing_ms": 230}, asked(40), asked(270), asked(270),
        conclude("refused", 400), {"expect_nothing_ms": 2000},
    ]),
    host("hello-fresh-nonce", "LINK-5.2 LINK-5.12", "another attempt has another nonce", [
        let(consumed=0), begin(deadline_ms=200), asked(), conclude("refused", 300), begin(deadline_ms=200),
        want("HELLO", FIRST_MS, session=0, host_nonce={"not": "$nonce"}),
    ]),
    host("opened", "LINK-5.3 LINK-5.4 LINK-6.1", "HELLO_REPLY opens the session; the heartbeat begins", [
        *hello(), reply(), conclude("opened", session=SESSION), want("HEARTBEAT", 260, session=SESSION),
    ]),
    host("noise-before-reply", "LINK-5.12 LINK-3.2", "noise and a boot loader's text before HELLO_REPLY", [
        *hello(), noise("ff55aa0d0a4f4b"), noise("552d426f6f7400"), noise("0102030400"), reply(), conclude("opened"),
    ]),
    host("noise-costs-one", "LINK-5.12 LINK-3.2", "noise that runs into HELLO_REPLY costs that one: HELLO comes again", [
        *hello(), noise("ff55aa0d0a4f4b"), reply(), unmoved(150), asked(200), reply(), conclude("opened"),
    ]),
    host("old-frames-before-reply", "LINK-5.12 LINK-5.6", "frames of an earlier session before HELLO_REPLY are dropped", [
        *hello(), door(1, session=4), counted(1, session=4), send("REJECT", 0, session=4, reason=1, rejected_type=2), reply(), conclude("opened"), unmoved(200),
    ]),
    host("reply-of-another-nonce", "LINK-5.12 LINK-5.3", "a HELLO_REPLY with another nonce is not ours", [
        *hello(), reply(host_nonce=NONCE_B, session=9), unmoved(150), reply(), conclude("opened", session=SESSION),
    ]),
    host("late-second-reply", "LINK-5.5 LINK-5.12", "the reply to a repeated HELLO comes late and changes nothing", [
        *live(), reply(), unmoved(400), command(), want(COUNT, FIRST_MS, sequence=1, session=SESSION),
    ]),
    host("busy", "LINK-5.3 LINK-5.12", "a device that is starting says busy: the host goes on asking", [
        *hello(), reply(result=4, session=0), asked(260), reply(result=4, session=0), asked(260), reply(), conclude("opened"),
    ]),
    host("busy-for-ever", "LINK-5.12 LINK-8.1", "busy until the deadline of the attempt: no session", [
        {"answer_heartbeats": True}, let(consumed=0), begin(deadline_ms=600), {"expect": {"message": "HELLO", "sequence": {"bind": "$hello"}, "fields": HELLO}, "within_ms": 60},
        reply(result=4, session=0), asked(260), reply(result=4, session=0), asked(260), reply(result=4, session=0), conclude("refused", 300), unmoved(1000),
    ]),
    *[host(f"refused-{name}", f"LINK-5.3 {clause}", f"result {result}: no session begins", [
        *hello(), reply(result=result, session=0, **more), conclude("refused"), {"expect_nothing_ms": 1000},
    ]) for name, clause, result, more in [
        ("hash", "LINK-5.2", 1, {"spec_hash": spec_hash("reader")}), ("purpose", "LINK-5.8", 2, {}), ("security", "LINK-5.9", 3, {}),
    ]],
    host("hash-differs-though-ok", "LINK-5.2 LINK-5.3", "a device that says ok with another spec hash is not believed", [
        *hello(), reply(spec_hash=spec_hash("reader")), conclude("refused"), {"expect_nothing_ms": 1000},
    ]),
    host("session-zero", "LINK-5.4", "a session number of 0 is none", [*hello(), reply(session=0), conclude("refused", 6000)]),
    host("result-unknown", "LINK-5.3", "a result that the protocol does not have opens nothing", [*hello(), reply(result=77), conclude("refused", 6000)]),
]  # fmt: skip

BEATS = [
    host("heartbeats", "LINK-6.1 LINK-6.3", "HEARTBEAT every 250 ms, its sequence counts by itself, the lease is within bounds", [
        *live(), {"expect": {"message": "HEARTBEAT", "session": SESSION, "sequence": {"bind": "$q"}, "fields": {"lease_ms": {"min": 250, "max": 2000}}}, "within_ms": 260},
        repeat(260, let(q="$q+1 mod 256"), want("HEARTBEAT", 260, sequence="$q", session=SESSION)),
    ]),
    host("status", "LINK-6.2", "STATUS reaches the application", [*live(), conclude("status", 300, state=1, deck_state=2)]),
    host("status-old-sequence", "LINK-6.6", "a STATUS with another sequence is ignored", [
        *live(), QUIET, {"expect": {"message": "HEARTBEAT", "session": SESSION, "sequence": {"bind": "$q"}}, "within_ms": 260}, {"forget_status": True},
        {"send_status": {"state": 5}, "sequence": "$q-1 mod 256"}, {"send_status": {"state": 5}, "sequence": "$q+1 mod 256"},
        {"conclude_none": {"is": "status", "state": 5}, "for_ms": 50}, {"send_status": {"state": 3}, "sequence": "$q"}, conclude("status", state=3),
    ]),
    host("silence", "LINK-6.5", "1000 ms without a valid frame: lost", [*live(answer=False), unmoved(700), conclude("lost", 400), {"expect_nothing_ms": 2000}]),
    host("noise-is-silence", "LINK-6.5 LINK-3.2", "noise and frames of another session keep no link alive", [
        *live(answer=False), noise("5500"), wait(200), door(1, session=9), wait(200), noise("ff" * 300 + "00"), wait(200), counted(1, session=SESSION + 1),
        conclude("lost", 500),
    ]),
    host("alive-by-events", "LINK-6.5", "any valid frame of the session keeps it alive", [
        *live(answer=False), *[step for n in range(1, 6) for step in (wait(400), door(n), told(n))], unmoved(700), conclude("lost", 400),
    ]),
    host("boot-counter-in-status", "LINK-5.10", "another boot counter in STATUS: the session is lost", [
        *live(), QUIET, {"expect": {"message": "HEARTBEAT", "session": SESSION, "sequence": {"bind": "$q"}}, "within_ms": 260},
        {"send_status": {"boot_counter": 4}, "sequence": "$q"}, conclude("lost"), {"expect_nothing_ms": 1000},
    ]),
    host("boot-counter-in-event", "LINK-5.10", "a higher boot counter in an event: the session is lost", [
        *live(), door(1, boot=4), conclude("lost"), {"conclude_none": {"is": "event"}, "for_ms": 500},
    ]),
    host("event-of-earlier-start", "LINK-5.10 LINK-7.1", "an event that was held over a restart has a lower boot counter: it is taken", [
        *live(), door(1, boot=2), told(1), {"conclude_none": {"is": "lost"}, "for_ms": 500},
    ]),
    host("no-session-heartbeat", "LINK-5.7", "REJECT no_session for the present session: lost; the next HELLO is new", [
        *live(), send("REJECT", 3, reason=1, rejected_type=2), conclude("lost"), begin(), want("HELLO", 300, session=0, host_nonce={"not": "$nonce"}),
    ]),
    host("no-session-of-another", "LINK-5.7 LINK-5.6", "REJECT no_session for another session means nothing", [
        *live(), send("REJECT", 3, session=SESSION - 1, reason=1, rejected_type=2), unmoved(500),
    ]),
    host("no-session-in-flight", "LINK-5.7 LINK-4.5", "the session is lost with a command in flight: its outcome is unknown, it is not sent again", [
        *live(), command("DISPENSE", **ORDER), ordered(1), send("REJECT", 1, reason=1, rejected_type=0x11), conclude("unknown"), conclude("lost"),
        {"expect_nothing_ms": 1000}, begin(), let(consumed=0), want("HELLO", 300, session=0, host_nonce="$n2"), let(nonce="$n2"), reply(session=6), conclude("opened"),
        {"expect_nothing_ms": 1000},
    ]),
    host("silence-in-flight", "LINK-6.5 LINK-4.5", "the link falls silent with a command in flight: unknown", [
        *live(answer=False), command("DISPENSE", deadline_ms=10_000, **ORDER), ordered(1), conclude("lost", 1100), conclude("unknown"),
    ]),
]  # fmt: skip

COMMANDS = [
    host("command", "LINK-4.1 LINK-4.6 LINK-5.4", "the first command has sequence 1 and the session's number; its reply reaches the application", [
        *live(), command(), want(COUNT, FIRST_MS, sequence=1, session=SESSION), counted(1),
        conclude("replied", message="READ_COUNTERS_REPLY"), command(), want(COUNT, FIRST_MS, sequence=2, session=SESSION), counted(2), conclude("replied"), unmoved(300),
    ]),
    host("repeats-same-frame", "LINK-4.5", "no reply: the same frame again after 150 ms, byte for byte", [
        *live(), command("DISPENSE", **ORDER), ordered(1), {"expect_nothing_ms": 130}, ordered(1, 40, same=True), {"expect_nothing_ms": 130}, ordered(1, 40, same=True),
        accepted(1), conclude("replied", message="DISPENSE_REPLY", fields={"command_id": 7, "result": 0}), {"expect_nothing_ms": 1000},
    ]),
    host("deadline-unknown", "LINK-4.5 LINK-8.1", "beyond the deadline: unknown, and never the same order under another sequence", [
        *live(), command("DISPENSE", deadline_ms=500, **ORDER), ordered(1), ordered(1, 170, same=True), ordered(1, 170, same=True), ordered(1, 170, same=True),
        conclude("unknown", 60), {"expect_nothing_ms": 2000},
    ]),
    host("late-reply", "LINK-4.5 LINK-8.1", "a reply after the deadline changes nothing: unknown stays unknown", [
        *live(), command("DISPENSE", deadline_ms=100, **ORDER), ordered(1), conclude("unknown", 110), accepted(1), {"conclude_none": {"is": "replied"}, "for_ms": 1000},
    ]),
    host("other-sequence", "LINK-4.6", "a reply with another sequence is ignored", [
        *live(), command("DISPENSE", **ORDER), ordered(1), accepted(0), accepted(2), unmoved(100), accepted(1), conclude("replied"),
    ]),
    host("other-type", "LINK-4.6", "a reply of another type is ignored", [
        *live(), command("DISPENSE", **ORDER), ordered(1), counted(1), unmoved(100), accepted(1), conclude("replied", message="DISPENSE_REPLY"),
    ]),
    host("second-reply", "LINK-4.6", "the second reply to a repeated frame is ignored, also while the next command is in flight", [
        *live(), command("DISPENSE", **ORDER), ordered(1), ordered(1, 170, same=True), accepted(1), conclude("replied"), command(),
        want(COUNT, FIRST_MS, sequence=2), accepted(1), unmoved(100), counted(2), conclude("replied", message="READ_COUNTERS_REPLY"), unmoved(200),
    ]),
    host("unasked-reply", "LINK-4.6", "a reply that nobody asked for is ignored", [*live(), accepted(1), counted(0), unmoved(500)]),
    host("one-in-flight", "LINK-4.1", "a second command waits for the first reply", [
        *live(), command("DISPENSE", **ORDER), command(), ordered(1), {"expect_nothing_ms": 130}, accepted(1), conclude("replied", message="DISPENSE_REPLY"),
        want(COUNT, FIRST_MS, sequence=2), counted(2), conclude("replied", message="READ_COUNTERS_REPLY"),
    ]),
    host("sequence-wraps", "LINK-4.1", "after 255 comes 0", [
        *live(), let(q=0), repeat(257, let(q="$q+1 mod 256"), command(), want(COUNT, FIRST_MS, sequence="$q", session=SESSION), counted("$q"), conclude("replied")),
    ]),
    host("rejected", "LINK-4.4 LINK-4.8", "REJECT of the command in flight: not carried out", [
        *live(), command(), want(COUNT, FIRST_MS, sequence=1), send("REJECT", 1, reason=2, rejected_type=0x15), conclude("rejected", reason=2), {"expect_nothing_ms": 500},
    ]),
    host("reject-of-another", "LINK-4.4 LINK-4.6", "a REJECT with another sequence or of another type is not that of the command in flight", [
        *live(), command(), want(COUNT, FIRST_MS, sequence=1), send("REJECT", 2, reason=2, rejected_type=0x15), send("REJECT", 1, reason=2, rejected_type=0x11),
        unmoved(100), counted(1), conclude("replied"),
    ]),
    host("rejected-keeps-sequence", "LINK-4.4", "a rejected command does not advance the sequence", [
        *live(), command(), want(COUNT, FIRST_MS, sequence=1), send("REJECT", 1, reason=6, rejected_type=0x15), conclude("rejected", reason=6),
        command(), want(COUNT, FIRST_MS, sequence=1), counted(1), conclude("replied"),
    ]),
    host("reply-of-wrong-length", "LINK-2.8", "a reply of another length is dropped; the right one is taken", [
        *live(), command("DISPENSE", **ORDER), ordered(1), raw(0x91, 1, "0700000000000000"), raw(0x91, 1, "07000000000000000000"), unmoved(100), accepted(1), conclude("replied"),
    ]),
    host("reply-in-pieces", "LINK-3.5 LINK-1.2", "a reply that comes byte by byte", [
        *live(), command("DISPENSE", **ORDER), ordered(1), accepted(1) | {"pieces": 1, "pause_ms": 5}, conclude("replied", 300),
    ]),
    host("trickle-moves-no-deadline", "LINK-8.1 LINK-4.5", "bytes that trickle in move no deadline", [
        *live(), command("DISPENSE", deadline_ms=600, **ORDER), ordered(1), repeat(12, noise("55"), wait(50)), conclude("unknown", 60),
    ]),
    host("flood-moves-no-deadline", "LINK-8.1 LINK-3.3", "a flood moves no deadline", [
        *live(), command("DISPENSE", deadline_ms=600, **ORDER), ordered(1), repeat(12, noise("55" * 1000), wait(50)), conclude("unknown", 60),
    ]),
    host("flood-then-reply", "LINK-3.3 LINK-3.2", "after a flood and a 00 the reply is understood", [
        *live(), command("DISPENSE", **ORDER), ordered(1), noise("55" * 10_000 + "00"), accepted(1), conclude("replied"),
    ]),
    host("delimiter-after-silence", "LINK-3.4", "after more than 50 ms of silence a 00 before the frame", [
        *live(), want("HEARTBEAT", 260), wait(100), command(), want(COUNT, FIRST_MS, sequence=1) | {"delimiter": True},
    ]),
    host("query-after-unknown", "LINK-4.5 LINK-5.4 SHOE-3.6", "after unknown the application asks by command id in a new session", [
        *live(), command("DISPENSE", deadline_ms=100, **ORDER), ordered(1), conclude("unknown", 110), begin(), want("HELLO", 300, session=0, host_nonce="$n2"),
        let(nonce="$n2"), reply(session=6), conclude("opened"), command("QUERY_COMMAND", command_id=7), want("QUERY_COMMAND", FIRST_MS, sequence=1, session=6, command_id=7),
        send("QUERY_COMMAND_REPLY", 1, command_id=7, outcome=0, cards_seen=0, taken=0, first_slot=255, fault=0),
        conclude("replied", message="QUERY_COMMAND_REPLY", fields={"outcome": 0}),
    ]),
    host("sealed-frames", "LINK-9.1 LINK-2.2", "sealed and future versions are dropped; the host sends 01 only", [
        *live(), command(), want(COUNT, FIRST_MS, sequence=1), noise("0881050a95011801010101010101010101010101010100"), unmoved(80), counted(1), conclude("replied"),
    ]),
]  # fmt: skip

ACK = {"acknowledge": 1}
EVENTS = [
    host("event", "LINK-7.4 LINK-7.5", "an event reaches the application; it is acknowledged when the application says so, not before", [
        *live(), door(1), told(1), {"expect_nothing_ms": 500}, ACK, want("EVENT_ACK", FIRST_MS, session=SESSION, consumed_event=1),
    ]),
    host("event-repeated", "LINK-7.5 LINK-7.3", "a repeat of an event that is not yet acknowledged is told once", [
        *live(), door(1), told(1), door(1), door(1), unmoved(300), {"acknowledge": 1}, want("EVENT_ACK", FIRST_MS, consumed_event=1),
    ]),
    host("event-consumed-again", "LINK-7.5 LINK-7.4", "an event that is consumed already is acknowledged again and otherwise ignored", [
        *live(), door(1), told(1), {"acknowledge": 1}, want("EVENT_ACK", FIRST_MS, consumed_event=1), door(1), want("EVENT_ACK", FIRST_MS, consumed_event=1), unmoved(200),
    ]),
    host("event-consumed-before", "LINK-7.5 LINK-5.11", "an event from before the session that was consumed is acknowledged again", [
        *live(consumed=10), door(10), want("EVENT_ACK", FIRST_MS, consumed_event=10), door(3), want("EVENT_ACK", FIRST_MS, consumed_event=10), unmoved(200),
        door(11), told(11),
    ]),
    host("event-gap", "LINK-7.5", "an id beyond the next is left alone until the missing one has come", [
        *live(), door(2), door(3), unmoved(200), door(1), told(1), door(2), told(2), door(3), told(3), unmoved(200), {"acknowledge": 3}, want("EVENT_ACK", FIRST_MS, consumed_event=3),
    ]),
    host("event-order", "LINK-7.5 LINK-7.1", "n + 1 after n", [*live(consumed=255), door(256), told(256), door(257), told(257), door(258), told(258)]),
    host("event-high-id", "LINK-7.1", "ids have 64 bits", [*live(consumed=2**53), door(2**53 + 1), told(2**53 + 1)]),
    host("events-lost", "LINK-7.6 LINK-7.2", "oldest_event above consumed + 1: events are lost, and it is told", [
        *hello(10), reply(oldest_event=13, last_event=20), conclude("events_lost"),
    ]),
    host("events-counted-back", "LINK-7.6", "last_event below what was consumed: the device's memory is another", [
        *hello(10), reply(oldest_event=6, last_event=5), conclude("events_lost"),
    ]),
    host("events-not-lost", "LINK-7.6 LINK-5.11", "oldest_event at consumed + 1: nothing is lost", [
        *hello(10), reply(oldest_event=11, last_event=12), conclude("opened"), {"conclude_none": {"is": "events_lost"}, "for_ms": 200}, door(11), told(11), door(12), told(12),
    ]),
    host("event-of-another-session", "LINK-5.6", "an event of another session is dropped", [*live(), door(1, session=SESSION + 1), unmoved(200), door(1), told(1)]),
    host("event-of-wrong-length", "LINK-2.8", "an event of another length is dropped and not acknowledged", [
        *live(), raw(0x67, 1, "0100000000000000" "03000000" "01000000"), unmoved(200), door(1), told(1),
    ]),
    host("events-held-over-hello", "LINK-7.8 LINK-7.5", "events that the device held come after HELLO_REPLY", [
        *hello(2), reply(oldest_event=3, last_event=5), door(3), door(4), door(5), conclude("opened"), told(3), told(4), told(5),
    ]),
    host("event-beside-command", "LINK-1.3 LINK-4.6", "an event between command and reply disturbs neither", [
        *live(), command("DISPENSE", **ORDER), ordered(1), door(1), told(1), accepted(1), conclude("replied"),
    ]),
]  # fmt: skip

VECTORS: list[Vector] = OPENING + BEATS + COMMANDS + EVENTS
