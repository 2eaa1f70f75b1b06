"""Dialogues of the shoe (shoe-v1): command ids, dispensing, interruption, inhibit. Decks and faults have their own file.

Where a dialogue starts the shoe is idle, holds one verified deck of 52 cards from which nothing was dealt, its door is
closed and its gate empty.
"""

# ruff: noqa: E501 (a case is a row: cut into lines it can no longer be read beside its neighbours)
from __future__ import annotations

from typing import Any

from steps import (
    CARD_MS,
    SILENT,
    Step,
    Vector,
    answered,
    beats,
    connect,
    dialogue,
    dispense,
    every,
    let,
    nothing,
    opened,
    query,
    ready,
    reject,
    repeat,
    send,
    status,
    taken,
    told,
    wait,
    want,
    world,
)  # fmt: skip

BEFORE = world("counters", answer={"stacks_dispensed": "$stacks", "cards_out": "$out"})
ONE_MORE = world("counters", answer={"stacks_dispensed": "$stacks+1"})
NONE_MORE = world("counters", answer={"stacks_dispensed": "$stacks", "cards_out": "$out"})
ACCEPTED, INHIBITED, DOOR_OPEN, GATE_OCCUPIED, NOT_VERIFIED, WRONG_DECK, NOT_ENOUGH = 0, 1, 3, 4, 5, 6, 7
BUSY, STALE, BAD_VALUE = 9, 10, 13
NEVER_SEEN, RUNNING, DONE, INTERRUPTED = 0, 1, 2, 4
LEASE, POWER, INHIBIT, DOOR, RESET = 1, 2, 3, 4, 5


def interrupted(cause: int, **fields: object) -> Step:
    """DISPENSE_INTERRUPTED of the first command."""
    return told("DISPENSE_INTERRUPTED", command_id="$last+1", cause=cause, **fields)


def deal(sequence: int, add: int, cards: int, to: str = "1") -> list[Step]:
    """A whole stack: ordered, ready, taken, consumed."""
    place = 0 if to == "dealer" else int(to)
    out = [
        dispense(sequence, add=add, cards=cards, to=place),
        answered(sequence, ACCEPTED, add=add),
        ready(cards, add=add),
    ]
    return [*out, *taken(cards, to=to, add=add)]


def refused(name: str, clauses: str, note: str, result: int, before: list[Step], **changes: Any) -> Vector:
    """A DISPENSE that is refused leaves no trace and moves nothing."""
    return dialogue(name, f"{clauses} SHOE-4.2", note, [
        *opened(), *before, BEFORE, dispense(1, **changes), want("DISPENSE_REPLY", sequence=1, result=result), nothing(3000),
        NONE_MORE, status(last_command="$last", running_command=0),
    ])  # fmt: skip


DEALING = [
    dialogue("hello-in-feed", "LINK-6.3 LINK-5.4", "a lease belongs to time: a new session does not stop a motion that runs", [
        *opened(), dispense(1, cards=4), answered(1, 0), wait(600), let(before="$held"), connect(consumed="$before"), beats(),
        ready(4), *query(1, DONE, cards_seen=4),
    ]),
    dialogue("dispense", "SHOE-4.1 SHOE-4.3 SHOE-4.4 SHOE-4.8 SHOE-2.4 SHOE-2.5 SHOE-3.6", "a stack of two, ready and taken, with the status at each point", [
        *opened(), status(stacks_total="$st", cards_total="$ct", cards_left=52, gate_cards=0), BEFORE,
        dispense(1, to=4), answered(1, ACCEPTED), ready(2, deck_id="$deck", first_slot=0),
        status(state=3, gate_cards=2, flags={"set": 2}, cards_left=50, last_command="$last+1", running_command=0), ONE_MORE,
        *query(2, DONE, cards_seen=2, taken=0, first_slot=0, fault=0), *taken(2, to="4"),
        status(state=1, gate_cards=0, flags={"clear": 2}, cards_left=50, stacks_total="$st+1", cards_total="$ct+2"),
        *query(3, DONE, cards_seen=2, taken=1, first_slot=0),
    ]),
    *[dialogue(f"dispense-{n}", "SHOE-4.1 SHOE-4.3 SHOE-4.4", f"a stack of {n}", [
        *opened(), status(stacks_total="$st", cards_total="$ct"), *deal(1, 1, n), *query(2, DONE, cards_seen=n, taken=1),
        status(stacks_total="$st+1", cards_total=f"$ct+{n}", cards_left=52 - n), nothing(3000),
    ]) for n in (1, 3, 7)],
    dialogue("one-outcome", "SHOE-4.3 SHOE-4.6", "a stack that is ready gets no second outcome", [*opened(), dispense(1), answered(1, 0), ready(2), nothing(9000)]),
    dialogue("slots-go-on", "SHOE-4.4", "slots count on from stack to stack", [
        *opened(),
        dispense(1, cards=2), answered(1, 0), ready(2, first_slot=0), *taken(2),
        dispense(2, add=2, cards=3), answered(2, 0, add=2), ready(3, add=2, first_slot=2), *taken(3, to="2", add=2),
        dispense(3, add=3, cards=1), answered(3, 0, add=3), ready(1, add=3, first_slot=5),
    ]),
    dialogue("to-the-dealer", "SHOE-4.1", "destination 0 is the dealer", [*opened(), *deal(1, 1, 2, to="dealer")]),
    dialogue("gate-occupied", "SHOE-4.2 SHOE-3.4 SHOE-3.6", "nothing is dealt onto a stack that lies in the gate", [
        *opened(), dispense(1), answered(1, 0), ready(2), BEFORE, dispense(2, add=2), answered(2, GATE_OCCUPIED, add=2), nothing(6000), NONE_MORE,
        *query(3, NEVER_SEEN, add=2), status(last_command="$last+1"), *taken(2), dispense(4, add=2), answered(4, 0, add=2), ready(2, add=2),
    ]),
    dialogue("busy-and-wrong-deck", "SHOE-4.2", "busy is told before wrong_deck", [
        *opened(), dispense(1, cards=7), answered(1, 0), dispense(2, add=2, deck_id="$deck+1"), answered(2, BUSY, add=2), ready(7),
    ]),
    dialogue("busy", "SHOE-4.2 SHOE-3.4 SHOE-3.6", "while a command runs another is busy and leaves no trace", [
        *opened(), dispense(1, cards=3), answered(1, 0), dispense(2, add=2), answered(2, BUSY, add=2), send("PREPARE_DECK", 3, command_id="$last+2"),
        want("PREPARE_DECK_REPLY", sequence=3, result=BUSY), ready(3), *query(4, NEVER_SEEN, add=2), *taken(3), nothing(3000),
    ]),
    refused("bad-value-no-cards", "SHOE-4.1", "0 cards", BAD_VALUE, [], cards=0),
    refused("bad-value-eight-cards", "SHOE-4.1", "8 cards", BAD_VALUE, [], cards=8),
    refused("bad-value-destination", "SHOE-4.1", "destination 7", BAD_VALUE, [], destination=7),
    refused("bad-value-id-zero", "SHOE-3.1", "command id 0", BAD_VALUE, [], command_id=0),
    refused("bad-value-first", "SHOE-3.1", "bad_value comes before every other reason", BAD_VALUE, [world("open_door"), {"discard_ms": 100}], cards=255),
    refused("wrong-deck", "SHOE-4.1", "another deck than the verified one", WRONG_DECK, [], deck_id="$deck+1"),
    refused("wrong-deck-zero", "SHOE-4.1", "deck 0", WRONG_DECK, [], deck_id=0),
    refused("door-open", "SHOE-7.1", "the door is open", DOOR_OPEN, [world("open_door"), {"discard_ms": 100}]),
    dialogue("not-enough", "SHOE-4.2 SHOE-6.7 SHOE-2.3", "49 of 52 dealt: 7 are too many, 3 are not; then there is no deck", [
        *opened(), let(q=0, id="$last"),
        repeat(7, let(q="$q+1", id="$id+1"), send("DISPENSE", "$q", command_id="$id", deck_id="$deck", cards=7, destination=1),
               want("DISPENSE_REPLY", sequence="$q", result=0), want("STACK_READY", 7 * CARD_MS, command_id="$id", cards=7),
               world("take_stack", to="1"), want("STACK_TAKEN", 1000, command_id="$id", cards=7)),
        dispense(8, add=8, cards=7), answered(8, NOT_ENOUGH, add=8), *query(9, NEVER_SEEN, add=8),
        dispense(10, add=8, cards=3), answered(10, 0, add=8), ready(3, add=8, first_slot=49), *taken(3, add=8),
        status(deck_state=0, flags={"clear": 8}), dispense(11, add=9, cards=1), answered(11, NOT_VERIFIED, add=9), nothing(1000),
    ]),
]  # fmt: skip


def first_reason(name: str, note: str, result: int, before: list[Step], **changes: Any) -> Vector:
    """Two reasons apply: the first of the list of SHOE-4.2 is told."""
    return dialogue(f"first-reason-{name}", "SHOE-4.2", note, [
        *opened(), *before, {"discard_ms": 300}, dispense(9, **changes), want("DISPENSE_REPLY", sequence=9, result=result), nothing(1500),
    ])  # fmt: skip


OPEN_DOOR, HEAT, SORT = world("open_door"), world("fault", kind="over_temperature"), world("switch_mode", mode="sort")
UPTO_EIGHT = [step for q in range(1, 9) for step in (send("READ_COUNTERS", q), want("READ_COUNTERS_REPLY", sequence=q))]
UPTO_SEVEN = UPTO_EIGHT[:14]
STOP = [*UPTO_SEVEN, send("SET_INHIBIT", 8, inhibited=1), want("SET_INHIBIT_REPLY", sequence=8)]
GATE = [*UPTO_SEVEN, dispense(8, cards=1), answered(8, 0), ready(1)]

REASONS = [
    first_reason("value", "0 cards, a stale id, another mode", BAD_VALUE, [*UPTO_EIGHT, SORT], cards=0, command_id="$last"),
    first_reason("stale", "a stale id in another mode", STALE, [*GATE, SORT], command_id="$last+1"),
    first_reason("mode", "another mode and a fault", 11, [*UPTO_EIGHT, SORT, HEAT]),
    first_reason("fault", "a fault and an inhibit", 8, [*STOP, HEAT]),
    first_reason("inhibit", "an inhibit and no lease", INHIBITED, [*STOP, SILENT, wait(1500)]),
    first_reason("lease", "no lease and an open door", 2, [*UPTO_EIGHT, SILENT, OPEN_DOOR, wait(1500)]),
    first_reason("door", "an open door and a stack in the gate", DOOR_OPEN, [*GATE, OPEN_DOOR], command_id="$last+2"),
    first_reason("gate", "a stack in the gate, a void deck, another deck", GATE_OCCUPIED, [*GATE, OPEN_DOOR, wait(300), world("close_door")],
                 command_id="$last+2", deck_id="$deck+1"),
    first_reason("deck", "a void deck and another deck", NOT_VERIFIED, [*UPTO_EIGHT, OPEN_DOOR, wait(300), world("close_door")], deck_id="$deck+1"),
]  # fmt: skip

IDS = [
    dialogue("stale-equal", "SHOE-3.3", "an id that was carried out is stale, and nothing moves", [
        *opened(), *deal(1, 1, 2), BEFORE, dispense(2), answered(2, STALE), dispense(3, cards=3), answered(3, STALE), nothing(5000), NONE_MORE,
        *query(4, DONE, cards_seen=2, taken=1),
    ]),
    dialogue("stale-below", "SHOE-3.3 SHOE-3.1", "ids may leave gaps; one below the highest is stale though it was never used", [
        *opened(), *deal(1, 100, 2), BEFORE, dispense(2, add=50), answered(2, STALE, add=50), nothing(3000), NONE_MORE, status(last_command="$last+100"),
    ]),
    dialogue("gap-is-not-never-seen", "SHOE-3.6 SHOE-3.3", "an id below the highest that was never used is not never_seen: it can no longer be used", [
        *opened(), dispense(1, add=3, cards=0), want("DISPENSE_REPLY", sequence=1, result=BAD_VALUE), *query(2, NEVER_SEEN, add=3), *deal(3, 100, 1),
        *query(4, 5, add=50), *query(5, 5, add=3), *query(6, NEVER_SEEN, add=101), *query(7, DONE, add=100),
    ]),
    dialogue("stale-before-gate", "SHOE-3.3 SHOE-4.2", "a stale id is stale though the gate is occupied and the motor inhibited", [
        *opened(), dispense(1), answered(1, 0), ready(2), send("SET_INHIBIT", 2, inhibited=1), want("SET_INHIBIT_REPLY", sequence=2, inhibited=1),
        dispense(3), answered(3, STALE), dispense(4, add=2), answered(4, INHIBITED, add=2),
    ]),
    dialogue("stale-after-interruption", "SHOE-3.3 SHOE-3.6", "an interrupted id is stale too, whatever became of it", [
        *opened(), dispense(1, cards=5), answered(1, 0), wait(600), send("SET_INHIBIT", 2, inhibited=1),
        want("SET_INHIBIT_REPLY", sequence=2, inhibited=1), want("DISPENSE_INTERRUPTED", 2000, cause=INHIBIT, cards_seen="$n"),
        send("SET_INHIBIT", 3, inhibited=0), want("SET_INHIBIT_REPLY", sequence=3, inhibited=0), dispense(4), answered(4, STALE), nothing(3000),
    ]),
    dialogue("high-ids", "SHOE-3.1 LINK-2.7", "ids use all 64 bits", [
        *opened(), dispense(1, command_id=2**63 + 5), want("DISPENSE_REPLY", sequence=1, command_id=2**63 + 5, result=0),
        want("STACK_READY", 6000, command_id=2**63 + 5), status(last_command=2**63 + 5),
        dispense(2), answered(2, STALE), send("QUERY_COMMAND", 3, command_id=2**64 - 1),
        want("QUERY_COMMAND_REPLY", sequence=3, command_id=2**64 - 1, outcome=NEVER_SEEN, first_slot=255),
    ]),
    dialogue("prepare-shares-ids", "SHOE-3.1 SHOE-3.3", "PREPARE_DECK and DISPENSE share one sequence of ids", [
        *opened(), *deal(1, 1, 1), send("PREPARE_DECK", 2, command_id="$last+1"), want("PREPARE_DECK_REPLY", sequence=2, command_id="$last+1", result=STALE),
        send("PREPARE_DECK", 3, command_id=0), want("PREPARE_DECK_REPLY", sequence=3, result=BAD_VALUE), nothing(1000),
    ]),
    dialogue("query-every-state", "SHOE-3.6 SHOE-3.4", "never seen, running, done, taken", [
        *opened(), *query(1, NEVER_SEEN), dispense(2), answered(2, 0), *query(3, RUNNING), ready(2), *query(4, DONE, taken=0, cards_seen=2),
        *taken(2), *query(5, DONE, taken=1, cards_seen=2), *query(6, NEVER_SEEN, add=2),
    ]),
    dialogue("query-moves-nothing", "SHOE-3.6", "QUERY_COMMAND needs no lease and moves nothing", [
        *opened(lease=False), wait(2100), BEFORE, *query(1, NEVER_SEEN), *query(2, NEVER_SEEN), world("open_door"), want("DOOR_OPENED", 1000),
        *query(3, NEVER_SEEN), nothing(500), NONE_MORE,
    ]),
    dialogue("outcomes-after-reset", "SHOE-3.5 SHOE-3.3 SHOE-6.6", "outcomes survive a restart; the deck of an idle shoe stays verified", [
        *opened(), *deal(1, 1, 2), *deal(2, 2, 3), let(boots="$boot"), world("reset", device="shoe"), connect(reply={"boot_counter": {"not": "$boots"}}),
        {"discard_ms": 300}, beats(), *query(1, DONE, cards_seen=2, taken=1, first_slot=0), *query(2, DONE, add=2, cards_seen=3, taken=1, first_slot=2),
        status(deck_state=2, deck_id="$deck", last_command="$last+2", cards_left=47), dispense(3, add=2), answered(3, STALE, add=2),
        dispense(4, add=3), answered(4, 0, add=3), ready(2, add=3, first_slot=5),
    ]),
    dialogue("outcomes-after-power-cut", "SHOE-3.5 SHOE-2.5 SHOE-6.6", "outcomes, counters and the deck survive loss of power", [
        *opened(), *deal(1, 1, 2), status(stacks_total="$st", cards_total="$ct"), world("power", device="shoe", state="off"), wait(800),
        world("power", device="shoe", state="on"), connect(), {"discard_ms": 300}, beats(), *query(1, DONE, cards_seen=2, taken=1),
        status(deck_state=2, deck_id="$deck", stacks_total="$st", cards_total="$ct", last_command="$last+1"),
    ]),
    dialogue("sixty-four-outcomes", "SHOE-3.5 SHOE-3.6", "the last 64 outcomes are remembered, an older one may be forgotten", [
        *opened(), let(q=0, id="$last"),
        repeat(52, let(q="$q+1", id="$id+1"), send("DISPENSE", "$q", command_id="$id", deck_id="$deck", cards=1, destination=1),
               want("DISPENSE_REPLY", sequence="$q", result=0), want("STACK_READY", CARD_MS, command_id="$id", cards=1),
               world("take_stack", to="1"), want("STACK_TAKEN", 1000), status(last_event={"bind": "$le"}), send("EVENT_ACK", 0, consumed_event="$le")),
        world("load_deck"), {"discard_ms": 1000}, send("PREPARE_DECK", 53, command_id="$last+53"), want("PREPARE_DECK_REPLY", sequence=53, result=0),
        want("DECK_VERIFIED", 90_000, command_id="$last+53", deck_id="$d2"), let(q=53, id="$last+53"), status(last_event={"bind": "$le"}),
        send("EVENT_ACK", 0, consumed_event="$le"),
        repeat(12, let(q="$q+1", id="$id+1"), send("DISPENSE", "$q", command_id="$id", deck_id="$d2", cards=1, destination=1),
               want("DISPENSE_REPLY", sequence="$q", result=0), want("STACK_READY", CARD_MS, command_id="$id", cards=1),
               world("take_stack", to="1"), want("STACK_TAKEN", 1000)),
        *query(66, {"in": [DONE, 5]}, add=1), *query(67, DONE, add=2, cards_seen=1, taken=1), *query(68, DONE, add=53), *query(69, DONE, add=65),
    ]),
]  # fmt: skip

STOPPING = [
    dialogue("inhibit", "SHOE-5.1 SHOE-4.2", "inhibited: refused; released: dealt", [
        *opened(), send("SET_INHIBIT", 1, inhibited=1), want("SET_INHIBIT_REPLY", sequence=1, inhibited=1), status(flags={"set": 4}),
        dispense(2), answered(2, INHIBITED), send("PREPARE_DECK", 3, command_id="$last+1"), want("PREPARE_DECK_REPLY", sequence=3, result=INHIBITED),
        nothing(3000), send("SET_INHIBIT", 4, inhibited=0), want("SET_INHIBIT_REPLY", sequence=4, inhibited=0), status(flags={"clear": 4}),
        dispense(5), answered(5, 0), ready(2),
    ]),
    dialogue("inhibit-idle", "SHOE-5.1 SHOE-4.6", "an inhibit of an idle shoe, and one after a stack is ready, interrupts nothing", [
        *opened(), send("SET_INHIBIT", 1, inhibited=1), want("SET_INHIBIT_REPLY", sequence=1), send("SET_INHIBIT", 2, inhibited=1), want("SET_INHIBIT_REPLY", sequence=2),
        nothing(500), send("SET_INHIBIT", 3, inhibited=0), want("SET_INHIBIT_REPLY", sequence=3), dispense(4), answered(4, 0), ready(2),
        send("SET_INHIBIT", 5, inhibited=1), want("SET_INHIBIT_REPLY", sequence=5), nothing(2000), *query(6, DONE, cards_seen=2, taken=0), *taken(2),
    ]),
    dialogue("inhibit-bad-value", "SHOE-5.1 LINK-4.8", "another value than 0 and 1 is rejected and changes nothing", [
        *opened(), send("SET_INHIBIT", 1, inhibited=2), reject(6, 0x12, 1), send("SET_INHIBIT", 1, inhibited=255), reject(6, 0x12, 1),
        status(flags={"clear": 4}), dispense(1), answered(1, 0), ready(2),
    ]),
    dialogue("inhibit-ends-with-restart", "SHOE-5.1", "a restart ends an inhibit", [
        *opened(), send("SET_INHIBIT", 1, inhibited=1), want("SET_INHIBIT_REPLY", sequence=1), world("reset", device="shoe"), connect(), {"discard_ms": 300},
        beats(), status(flags={"clear": 4}), dispense(1), answered(1, 0), ready(2),
    ]),
    dialogue("inhibit-in-feed", "SHOE-5.1 SHOE-4.6 SHOE-4.7 SHOE-3.6", "an inhibit in mid-feed stops at the safe point; releasing it resumes nothing", [
        *opened(), dispense(1, cards=7), answered(1, 0), wait(1500), send("SET_INHIBIT", 2, inhibited=1), want("SET_INHIBIT_REPLY", sequence=2, inhibited=1),
        want("DISPENSE_INTERRUPTED", 2000, command_id="$last+1", cause=INHIBIT, cards_seen={"min": 1, "max": 6, "bind": "$n"}), BEFORE,
        send("SET_INHIBIT", 3, inhibited=0), want("SET_INHIBIT_REPLY", sequence=3), nothing(6000), NONE_MORE,
        *query(4, INTERRUPTED, cards_seen="$n", taken=0), status(gate_cards="$n", deck_state=2), *taken("$n"),
    ]),
    *[dialogue(f"safe-point-{ms}", "SHOE-4.7 SHOE-4.6 SHOE-2.4", f"stopped {ms} ms after acceptance: what is counted lies in the gate, no more and no less", [
        *opened(), dispense(1, cards=4), answered(1, 0), wait(ms), send("SET_INHIBIT", 2, inhibited=1), want("SET_INHIBIT_REPLY", sequence=2, inhibited=1),
        want("DISPENSE_INTERRUPTED", 2000, command_id="$last+1", cause=INHIBIT, cards_seen={"max": 3, "bind": "$n"}), wait(2000),
        world("look", answer={"gate": {"backs": "$n"}}), status(gate_cards="$n", deck_state=2), *query(3, INTERRUPTED, cards_seen="$n"), nothing(1000),
    ]) for ms in (60, 120, 180, 240, 300, 400, 800, 900, 1000, 1100, 1200)],
    dialogue("door-in-feed", "SHOE-7.5 SHOE-6.6 SHOE-4.6", "the door opens in mid-feed: interrupted, the deck is void", [
        *opened(), dispense(1, cards=7), answered(1, 0), wait(1500), world("open_door"),
        every(2000, told("DOOR_OPENED"), interrupted(DOOR)), world("close_door"), want("DOOR_CLOSED", 1000), nothing(5000),
        *query(2, INTERRUPTED), status(deck_state=4, running_command=0),
    ]),
    dialogue("reset-in-feed", "SHOE-4.9 SHOE-4.6 SHOE-6.6 SHOE-8.5 SHOE-3.3", "a restart in mid-feed: BOOTED, then interrupted; never resumed; the deck is void", [
        *opened(), dispense(1, cards=7), answered(1, 0), wait(1500), world("reset", device="shoe"), let(before="$held"), connect(consumed="$before"),
        want("BOOTED", 450, event_id="$before+1", cause=2), want("DISPENSE_INTERRUPTED", 450, command_id="$last+1", cause=RESET), BEFORE, beats(),
        nothing(6000), NONE_MORE, *query(1, INTERRUPTED), status(deck_state=4, last_command="$last+1", running_command=0),
        dispense(2), answered(2, STALE), dispense(3, add=2), want("DISPENSE_REPLY", sequence=3, result={"in": [GATE_OCCUPIED, NOT_VERIFIED]}),
    ]),
    dialogue("power-cut-in-feed", "SHOE-4.9 SHOE-3.2 SHOE-6.6 SHOE-8.5", "power cut in mid-feed: the shoe knows the command and does not go on", [
        *opened(), dispense(1, cards=4), answered(1, 0), wait(1000), world("power", device="shoe", state="off"), wait(3000), BEFORE,
        world("power", device="shoe", state="on"), let(before="$held"), connect(consumed="$before"),
        want("BOOTED", 450, cause=1), want("DISPENSE_INTERRUPTED", 450, command_id="$last+1", cause=POWER), beats(), nothing(6000), NONE_MORE,
        *query(1, INTERRUPTED), status(deck_state=4),
    ]),
    dialogue("power-cut-when-accepted", "SHOE-3.2 SHOE-3.6 SHOE-3.3", "power cut directly after `accepted`: the id is known for good", [
        *opened(), world("fault", kind="power_cut", at="accepted", on_after_s=1), dispense(1), answered(1, 0), wait(2000), connect(),
        {"discard_ms": 300}, beats(), *query(1, INTERRUPTED), dispense(2), answered(2, STALE), status(last_command="$last+1"), nothing(3000),
    ]),
    dialogue("power-cut-when-recorded", "SHOE-3.2 SHOE-3.6", "power cut before the reply: the outcome is told, and nothing moved", [
        *opened(), BEFORE, world("fault", kind="power_cut", at="recorded", on_after_s=1), dispense(1), wait(2000), SILENT, {"discard_ms": 0}, connect(),
        {"discard_ms": 300}, beats(), *query(1, INTERRUPTED, cards_seen={"in": [0, 255]}), nothing(3000), NONE_MORE,
    ]),
    dialogue("power-cut-in-sensor", "SHOE-4.9", "a card lies in the exit sensor when power goes: the shoe cannot say how many", [
        *opened(), world("fault", kind="power_cut", at="exit_covered", card=2, on_after_s=1), dispense(1, cards=3), answered(1, 0), wait(6000), SILENT,
        {"discard_ms": 0}, let(before="$held"), connect(consumed="$before"), want("BOOTED", 450, cause=1),
        want("DISPENSE_INTERRUPTED", 450, command_id="$last+1", cards_seen=255), *query(1, INTERRUPTED, cards_seen=255),
    ]),
    dialogue("power-cut-when-ready", "SHOE-4.3 SHOE-4.4 LINK-7.2", "power cut when the outcome is recorded: STACK_READY comes after the restart", [
        *opened(), world("fault", kind="power_cut", at="ready", on_after_s=1), dispense(1), answered(1, 0), wait(6000), SILENT, {"discard_ms": 0},
        let(before="$held"), connect(consumed="$before"), want("STACK_READY", 450, command_id="$last+1", cards=2), want("BOOTED", 450, cards_at={"set": 4}),
        *query(1, DONE, cards_seen=2, taken=0), nothing(2000),
    ]),
    dialogue("restart-with-stack", "SHOE-8.5 SHOE-3.6 SHOE-4.8", "a restart while a stack lies in the gate: BOOTED says so, and its taking is told", [
        *opened(), dispense(1), answered(1, 0), ready(2), world("reset", device="shoe"), let(before="$held"), connect(consumed="$before+1"),
        want("BOOTED", 450, cause=2, cards_at={"set": 5}), beats(), *query(1, DONE, cards_seen=2, taken=0), status(flags={"set": 2}, state=3),
        world("take_stack", to="1"), want("STACK_TAKEN", 1000, command_id="$last+1", cards={"in": [2, 255]}), *query(2, DONE, taken=1),
    ]),
    dialogue("moves-after-reply", "SHOE-3.2", "no motor has started when `accepted` is on the line", [
        *opened(), world("counters", answer={"feeds_started": "$feeds"}), dispense(1), answered(1, 0), ready(2),
        world("counters", answer={"feeds_started": "$feeds+1"}), world("fault", kind="power_cut", at="accepted", on_after_s=1), *taken(2),
        dispense(2, add=2), answered(2, 0, add=2), wait(500), world("counters", answer={"feeds_started": "$feeds+1"}),
    ]),
]  # fmt: skip

VECTORS: list[Vector] = DEALING + REASONS + IDS + STOPPING
