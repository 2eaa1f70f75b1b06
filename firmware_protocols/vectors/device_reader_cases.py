"""Dialogues of the table reader (reader-v1), and the link's clauses told of it once more.

Where a dialogue starts nothing lies on the table, and the shoe beside it holds a deck of 52 cards; `remove_stub` puts
that into the dealer's hand.
"""

# ruff: noqa: E501 (a case is a row: cut into lines it can no longer be read beside its neighbours)
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from steps import (
    SILENT,
    Step,
    Vector,
    again,
    connect,
    dialogue,
    hello,
    hello_reply,
    let,
    nothing,
    opened_reader,
    raw,
    reject,
    repeat,
    send,
    status,
    wait,
    want,
    world,
)  # fmt: skip
from vector_wire import spec_hash

BOARD, DEALER = 7, 0
UNREADABLE, FOREIGN, NO_CARD = 0xFE, 0xFD, 0xFF
OK, PLACE_EMPTY, UNSTEADY, BAD_VALUE = 0, 1, 2, 3
LENS_DIRTY, READER_UNSTEADY = 0x0401, 0x0402
REST_MS = 1500
HAND = [*opened_reader(), world("remove_stub")]
COUNT = "READ_COUNTERS"
FACE = {"min": 0, "max": 51}


def reader(name: str, clauses: str, note: str, steps: Iterable[Step | list[Step]]) -> Vector:
    """A dialogue with the reader."""
    return dialogue(name, clauses, note, steps, device="reader")


def read(place: int, index: int, face: Any, **fields: Any) -> Step:
    """CARD_READ."""
    return want("CARD_READ", REST_MS, place=place, index=index, face=face, **fields)


def scan(sequence: int, place: int, result: Any, **fields: Any) -> list[Step]:
    """SCAN and its answer."""
    return [
        send("SCAN", sequence, place=place),
        want("SCAN_REPLY", sequence=sequence, place=place, result=result, **fields),
    ]


def board(count: int, *, first: int = 0, tag: str = "") -> list[Step]:
    """Cards are dealt face up to the board from the hand and read as what they are."""
    names = [f"$c{tag}{first + i}" for i in range(count)]
    turned = world("turn", what="board", cards=count, answer={"cards": names})
    return [
        turned,
        *[read(BOARD, first + i, {"card": name, "bind": f"$f{tag}{first + i}"}) for i, name in enumerate(names)],
    ]


def cleared(place: int) -> Step:
    """PLACE_CLEARED."""
    return want("PLACE_CLEARED", REST_MS, place=place)


CARDS = [
    reader("board", "READER-2.1 READER-1.2 READER-1.3 READER-4.1", "three cards of the board, in order, each once", [
        *HAND, *board(3), nothing(2000), status(places_occupied=0x80, faces_seen=3, state=1),
    ]),
    reader("board-grows", "READER-1.2 READER-2.1", "the fourth and the fifth card get the next index", [
        *HAND, *board(3), *board(1, first=3), *board(1, first=4), status(faces_seen=5, places_occupied=0x80),
    ]),
    reader("not-the-card-before", "READER-2.4 READER-2.1", "cards turned one by one: each report is the card that lies there, never the one before", [
        *HAND, *[step for i in range(8) for step in board(1, first=i)],
    ]),
    reader("face-down", "READER-2.1 READER-1.2", "a face-down card does not exist for the reader", [
        *HAND, world("deal_card", to="2"), world("deal_card", to="2"), world("deal_card", to="dealer"), nothing(3000),
        status(places_occupied=0, faces_seen=0), *[step for i, p in enumerate((2, 0), 1) for step in scan(i, p, PLACE_EMPTY, faces=16 * "f")],
    ]),
    *[reader(f"place-{what}", "READER-1.2 READER-2.1 READER-4.1", f"two cards of place {what} are turned up", [
        *HAND, world("deal_card", to=what), world("deal_card", to=what), nothing(600), world("turn", what=what, answer={"cards": ["$a", "$b"]}),
        read(place, 0, {"card": "$a"}), read(place, 1, {"card": "$b"}), status(places_occupied=1 << place, faces_seen=2),
    ]) for place, what in enumerate(["dealer", "1", "2", "3", "4", "5", "6"])],
    reader("turned-again", "READER-2.1", "a card that is turned face down and up again is a new card with the next index", [
        *HAND, *board(2), world("turn_down", what="board", cards=1), nothing(1500), world("turn", what="board", cards=1, answer={"cards": ["$x"]}),
        read(BOARD, 2, {"card": "$x"}), status(faces_seen=2),
    ]),
    reader("cleared", "READER-2.3 READER-4.1", "the place is cleared; the next card there has index 0", [
        *HAND, *board(2), world("collect", what="board"), cleared(BOARD), status(places_occupied=0, faces_seen=0), *board(1, tag="new"),
    ]),
    reader("cleared-once", "READER-2.3", "PLACE_CLEARED is told once, and only of a place that had a card", [
        *HAND, *board(1), world("collect", what="board"), cleared(BOARD), nothing(3000),
    ]),
    reader("unreadable", "READER-1.3", "a card that cannot be read is FE, never a guess", [
        *HAND, world("fault", kind="unreadable", place="board"), world("turn", what="board", cards=1), read(BOARD, 0, UNREADABLE), nothing(2000),
    ]),
    reader("readable-later", "READER-2.2", "what gave FE becomes readable: again, with the same index", [
        *HAND, world("fault", kind="unreadable", place="board", recovers_after_s=2), world("turn", what="board", cards=1, answer={"cards": ["$x"]}),
        read(BOARD, 0, UNREADABLE), want("CARD_READ", 4000, place=BOARD, index=0, face={"card": "$x"}), *board(1, first=1),
    ]),
    reader("foreign", "READER-1.3", "a card of another design is FD", [
        *HAND, world("fault", kind="foreign_read", place="board"), world("turn", what="board", cards=1), read(BOARD, 0, FOREIGN),
    ]),
    reader("restart", "READER-4.3 LINK-7.1 LINK-5.10", "every start begins with BOOTED; what lies face up is reported as if just turned", [
        *HAND, *board(2), status(last_event="$before"), let(boots="$boot"), world("reset", device="reader"),
        connect(consumed="$before", reply={"boot_counter": {"in": ["$boots+1"]}, "oldest_event": "$before+1"}),
        want("BOOTED", 450, event_id="$before+1", cause=2), read(BOARD, 0, "$f0", event_id="$before+2"), read(BOARD, 1, "$f1", event_id="$before+3"),
    ]),
    reader("power-cut", "READER-4.3", "after loss of power too", [
        *HAND, *board(1), status(last_event="$before"), world("power", device="reader", state="off"), wait(500), world("power", device="reader", state="on"),
        connect(consumed="$before"), want("BOOTED", 450, event_id="$before+1", cause=1), read(BOARD, 0, "$f0"),
    ]),
    reader("event-ids", "LINK-7.1 READER-2.1", "ids of the reader's events are one sequence", [
        *HAND, let(base="$held"), *board(1), status(last_event="$base+1"), world("collect", what="board"),
        want("PLACE_CLEARED", REST_MS, event_id="$base+2", place=BOARD), status(last_event="$base+2"),
    ]),
]  # fmt: skip

ANSWERS = [
    reader("scan", "READER-3.1 READER-1.3", "SCAN tells the faces in order of index, the rest FF", [
        *HAND, *board(3), send("SCAN", 1, place=BOARD),
        want("SCAN_REPLY", sequence=1, place=BOARD, result=OK, faces={"faces": ["$f0", "$f1", "$f2"]}),
    ]),
    reader("scan-empty", "READER-3.1", "nothing lies face up there", [
        *opened_reader(), *[step for place in range(8) for step in scan(place + 1, place, PLACE_EMPTY, faces=16 * "f")],
    ]),
    reader("scan-bad-place", "READER-3.1 LINK-4.8", "a place above 7 has the reply's own refusal", [
        *opened_reader(), *scan(1, 8, BAD_VALUE), *scan(2, 255, BAD_VALUE), nothing(300),
    ]),
    reader("scan-unreadable", "READER-3.1 READER-1.3", "a card that cannot be read is FE in SCAN too", [
        *HAND, world("fault", kind="unreadable", place="board"), world("turn", what="board", cards=1), read(BOARD, 0, UNREADABLE),
        *scan(1, BOARD, OK, faces="fe" + 14 * "f"),
    ]),
    reader("scan-unsteady", "READER-3.1 READER-4.2", "the reader cannot see the table: unsteady, and a fault", [
        *HAND, *board(1), world("fault", kind="reader_unsteady"), want("FAULT_RAISED", 1000, fault=READER_UNSTEADY), *scan(1, BOARD, UNSTEADY),
        status(fault=READER_UNSTEADY),
    ]),
    reader("steady-again", "READER-4.2 READER-3.1", "the fault is gone: told, and SCAN answers again", [
        *HAND, *board(1), world("fault", kind="reader_unsteady", for_s=2), want("FAULT_RAISED", 1000, fault=READER_UNSTEADY),
        want("FAULT_CLEARED", 4000, fault=READER_UNSTEADY), status(fault=0, state=1), *scan(1, BOARD, OK),
    ]),
    reader("window-dirty", "READER-4.1 READER-4.2", "a dirty window is told and is no reason to stop", [
        *opened_reader(), world("fault", kind="lens_dirty"), wait(0), status(1500, flags={"set": 1}, fault=LENS_DIRTY),
        want("FAULT_RAISED", 1000, fault=LENS_DIRTY),
    ]),
    reader("counters", "READER-4.4 READER-4.1", "lifetime counters count, and survive loss of power", [
        *HAND, send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1, cards_read_total="$n"), *board(3),
        send(COUNT, 2), want("READ_COUNTERS_REPLY", sequence=2, cards_read_total="$n+3"), status(cards_read_total="$n+3"),
        world("collect", what="board"), cleared(BOARD), world("power", device="reader", state="off"), wait(500),
        world("power", device="reader", state="on"), connect(), {"discard_ms": 300}, send(COUNT, 1),
        want("READ_COUNTERS_REPLY", sequence=1, cards_read_total="$n+3"),
    ]),
]  # fmt: skip

LINK = [
    reader("hello", "LINK-5.3 LINK-5.4 READER-1.1", "HELLO is answered with who the reader is", [
        hello("$a", sequence=9), hello_reply(sequence=9, result=0, host_nonce="$a", spec_hash="$spec_hash", device_kind=2, capabilities={"max": 7},
                                             session={"min": 1, "max": 255}, ring_size={"min": 16}),
    ]),
    reader("hello-of-a-shoe", "LINK-5.3 LINK-5.2", "the shoe's spec hash is not the reader's", [
        hello("$a", spec_hash=spec_hash("shoe")), hello_reply(result=1, host_nonce="$a", spec_hash="$spec_hash", device_kind=2, model={"not": ""}),
    ]),
    reader("shoe-commands", "LINK-4.8", "the shoe's commands are unknown to a reader", [
        *opened_reader(), *[step for kind in (0x11, 0x12, 0x13, 0x14) for step in (raw(kind, 1), reject(2, kind, 1))],
        send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1),
    ]),
    reader("wrong-length", "LINK-2.8", "SCAN without a place, and with two", [
        *opened_reader(), raw(0x10, 1), reject(3, 0x10, 1), raw(0x10, 1, "0707"), reject(3, 0x10, 1), *scan(1, BOARD, PLACE_EMPTY),
    ]),
    reader("repeated-scan", "LINK-4.3", "a repeated SCAN gets the kept reply, though a card came since", [
        *HAND, *scan(1, BOARD, PLACE_EMPTY), *board(1), *scan(1, BOARD, PLACE_EMPTY), *scan(2, BOARD, OK),
    ]),
    reader("wrong-sequence", "LINK-4.1 LINK-4.4", "first 1, then the next", [
        *opened_reader(), send(COUNT, 5), reject(4, 0x15, 5), send(COUNT, 1), want("READ_COUNTERS_REPLY", sequence=1), send(COUNT, 3), reject(4, 0x15, 3),
        send("SCAN", 1, place=BOARD), reject(4, 0x10, 1),
    ]),
    reader("heartbeat", "LINK-6.1 LINK-6.2 LINK-6.3", "the reader answers heartbeats and knows the lease, though it moves nothing", [
        *opened_reader(), SILENT, send("HEARTBEAT", 200, lease_ms=5), want("STATUS", sequence=200, lease_left_ms={"max": 250}, state=1), nothing(1500),
        send("HEARTBEAT", 201, lease_ms=1000), want("STATUS", sequence=201, lease_left_ms={"min": 900, "max": 1000}),
    ]),
    reader("purpose-unknown", "LINK-5.8", "a purpose that does not exist is unavailable", [hello("$a", purpose=255), hello_reply(result=2, host_nonce="$a")]),
    reader("event-repeats", "LINK-7.3 LINK-7.4", "CARD_READ is sent again until it is consumed", [
        *HAND, *board(1), *[again(want("CARD_READ", 250, place=BOARD, index=0, face="$f0")) for _ in range(3)], status(last_event="$l", held_events=1),
        send("EVENT_ACK", 0, consumed_event="$l"), status(held_events=0), {"discard_ms": 50}, nothing(1000) | {"again": True},
    ]),
    reader("no-session-yet", "LINK-5.1", "before HELLO the reader rejects and sends nothing by itself", [
        nothing(1000), send("SCAN", 3, session=2, place=7), want("REJECT", sequence=3, session=2, reason=1, rejected_type=0x10), nothing(500),
    ]),
    reader("sequence-wraps", "LINK-4.1", "after 255 comes 0", [
        *opened_reader(), let(q=0), repeat(257, let(q="$q+1 mod 256"), send("SCAN", "$q", place=3), want("SCAN_REPLY", sequence="$q", place=3)),
    ]),
]  # fmt: skip

VECTORS: list[Vector] = CARDS + ANSWERS + LINK
