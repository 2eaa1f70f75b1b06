"""Dialogues of the shoe (shoe-v1 sections 6 to 8): decks, door, stub, cover card, faults, counters."""

# ruff: noqa: E501 (a case is a row: cut into lines it can no longer be read beside its neighbours)
from __future__ import annotations

from steps import (
    PREPARE_MS,
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
    raw,
    ready,
    reject,
    send,
    status,
    taken,
    told,
    wait,
    want,
    world,
)  # fmt: skip

ACCEPTED, INHIBITED, NO_LEASE, DOOR_OPEN, GATE_OCCUPIED, NOT_VERIFIED, WRONG_DECK = 0, 1, 2, 3, 4, 5, 6
FAULTED, BUSY, STALE, WRONG_MODE = 8, 9, 10, 11
DONE, FAILED, INTERRUPTED = 2, 3, 4
NONE, LOADED, VERIFIED, REJECTED, VOID = 0, 1, 2, 3, 4
CLEARED, STILL_PRESENT, NOT_RAISED, NEEDS_SERVICE = 0, 1, 2, 3
JAM, DOUBLE_FEED, SHORT_FEED, SENSOR_STUCK, FEED_SLOW, LOW_BATTERY, HOT = (
    0x0101,
    0x0102,
    0x0103,
    0x0106,
    0x010B,
    0x0303,
    0x0304,
)


def prepare(sequence: int, result: int, *, add: int = 1) -> list[Step]:
    """PREPARE_DECK with the id $last + `add`, and its reply."""
    id_ = f"$last+{add}"
    return [
        send("PREPARE_DECK", sequence, command_id=id_),
        want("PREPARE_DECK_REPLY", sequence=sequence, command_id=id_, result=result),
    ]


def verified(deck: str, *, add: int = 1) -> Step:
    """DECK_VERIFIED of 52 cards."""
    return want("DECK_VERIFIED", PREPARE_MS, command_id=f"$last+{add}", deck_id=deck, cards=52)


def rejected(**fields: object) -> Step:
    """DECK_REJECTED of the first command; a fault that says the same may come with it."""
    return want("DECK_REJECTED", PREPARE_MS, command_id="$last+1", **fields) | {"skip": ["FAULT_RAISED"]}


def stub_gone(cards: int) -> list[Step]:
    """The stub is taken out by hand."""
    all_ = [
        told("DOOR_OPENED", cards_left=cards),
        told("STUB_REMOVED", cards=cards),
        told("DOOR_CLOSED", cards_present=0),
    ]
    return [world("remove_stub", answer={"cards": cards}), every(2000, *all_)]


def clear(sequence: int, fault: int, result: int) -> list[Step]:
    """CLEAR_FAULT and its answer."""
    return [
        send("CLEAR_FAULT", sequence, fault=fault),
        want("CLEAR_FAULT_REPLY", sequence=sequence, fault=fault, result=result),
    ]


def spoiled(name: str, note: str, kind: str, **fields: object) -> Vector:
    """A deck with something wrong in it is rejected, and no card is dealt from it."""
    return dialogue(f"deck-{name}", "SHOE-6.4 SHOE-6.3 SHOE-2.3 SHOE-3.6", note, [
        *opened(), world("fault", kind=kind), *prepare(1, ACCEPTED), rejected(**fields), status(deck_state=REJECTED, running_command=0),
        *query(2, FAILED), dispense(3, add=2), want("DISPENSE_REPLY", sequence=3, result={"in": [NOT_VERIFIED, FAULTED]}), nothing(2000),
    ])  # fmt: skip


PREPARING = [
    dialogue("prepare", "SHOE-6.2 SHOE-6.3 SHOE-2.1 SHOE-4.4 SHOE-3.6", "a new deck: verified, a new deck id, slots from 0 again", [
        *opened(), dispense(1), answered(1, 0), ready(2), *taken(2), world("load_deck"), {"discard_ms": 1000}, *prepare(2, ACCEPTED, add=2),
        status(state=4, running_command="$last+2"), dispense(3, add=3), answered(3, BUSY, add=3), *query(4, 1, add=2), verified("$deck+1", add=2),
        status(state=1, deck_state=VERIFIED, deck_id="$deck+1", cards_left=52), *query(5, DONE, add=2), dispense(6, add=3), answered(6, WRONG_DECK, add=3),
        dispense(7, add=3, deck_id="$deck+1"), answered(7, 0, add=3), ready(2, add=3, deck_id="$deck+1", first_slot=0),
    ]),
    dialogue("prepare-counts", "SHOE-8.7 SHOE-6.2", "a shoe that shuffles counts the shuffle", [
        *opened(), send("READ_COUNTERS", 1), want("READ_COUNTERS_REPLY", sequence=1, shuffles_total="$sh"), *prepare(2, ACCEPTED), verified("$deck+1"),
        send("READ_COUNTERS", 3), want("READ_COUNTERS_REPLY", sequence=3, shuffles_total={"in": ["$sh", "$sh+1"]}),
    ]),
    dialogue("prepare-again", "SHOE-6.2 SHOE-6.3", "a verified deck may be prepared again", [*opened(), *prepare(1, ACCEPTED), verified("$deck+1"), nothing(2000)]),
    dialogue("prepare-refused", "SHOE-6.2 SHOE-3.4 SHOE-3.3", "gate, door, stale id: refused, and no trace", [
        *opened(), dispense(1), answered(1, 0), ready(2), *prepare(2, GATE_OCCUPIED, add=2), *taken(2), *prepare(3, STALE), world("open_door"),
        {"discard_ms": 200}, *prepare(4, DOOR_OPEN, add=2), *query(5, 0, add=2), status(last_command="$last+1"),
    ]),
    dialogue("prepare-no-lease", "SHOE-5.3 SHOE-6.2", "no lease, no preparation", [*opened(lease=False), wait(2100), *prepare(1, NO_LEASE), *query(2, 0)]),
    dialogue("prepare-empty", "SHOE-6.2 SHOE-6.7", "an empty magazine cannot be prepared", [
        *opened(), *stub_gone(52), status(deck_state=NONE), *prepare(1, NOT_VERIFIED), nothing(2000), *query(2, 0),
    ]),
    dialogue("prepare-lease-lost", "SHOE-5.3 SHOE-5.2 LINK-6.4", "the lease ends while the deck is shuffled: interrupted, loaded, not taken up again", [
        *opened(), *prepare(1, ACCEPTED), wait(2000), SILENT, want("LEASE_LOST", 2000, running_command="$last+1"),
        want("DISPENSE_INTERRUPTED", 2000, command_id="$last+1", cause=1, cards_seen=0), beats(), nothing(30_000),
        *query(2, INTERRUPTED, cards_seen=0), status(deck_state=LOADED, state=1), dispense(3, add=2), answered(3, NOT_VERIFIED, add=2),
    ]),
    dialogue("prepare-inhibited", "SHOE-5.1 SHOE-4.6 SHOE-6.3", "an inhibit interrupts the preparation", [
        *opened(), *prepare(1, ACCEPTED), wait(2000), send("SET_INHIBIT", 2, inhibited=1), want("SET_INHIBIT_REPLY", sequence=2),
        want("DISPENSE_INTERRUPTED", 2000, command_id="$last+1", cause=3), *query(3, INTERRUPTED), status(deck_state={"in": [LOADED, VOID]}),
    ]),
    dialogue("prepare-door", "SHOE-7.5 SHOE-6.3", "the door interrupts the preparation", [
        *opened(), *prepare(1, ACCEPTED), wait(2000), world("open_door"),
        every(2000, told("DOOR_OPENED"), told("DISPENSE_INTERRUPTED", command_id="$last+1", cause=4)), *query(2, INTERRUPTED),
        status(deck_state={"in": [LOADED, VOID]}),
    ]),
    dialogue("prepare-reset", "SHOE-4.9 SHOE-6.6 SHOE-3.5", "a restart in the middle of the preparation: interrupted, void", [
        *opened(), *prepare(1, ACCEPTED), wait(2000), world("reset", device="shoe"), let(before="$held"), connect(consumed="$before"),
        want("BOOTED", 450, cause=2), want("DISPENSE_INTERRUPTED", 450, command_id="$last+1"), beats(), *query(1, INTERRUPTED),
        status(deck_state=VOID), nothing(30_000), *prepare(2, ACCEPTED, add=2), verified("$deck+1", add=2),
    ]),
    dialogue("deck-id-after-restart", "SHOE-6.3 SHOE-2.3", "a deck id is never given twice, not over a restart either", [
        *opened(), *prepare(1, ACCEPTED), verified("$deck+1"), world("reset", device="shoe"), connect(), {"discard_ms": 300}, beats(),
        status(deck_id="$deck+1"), *prepare(1, ACCEPTED, add=2), verified("$deck+2", add=2),
    ]),
    spoiled("missing", "51 cards: one is missing", "missing_card", cards=51, missing=1, duplicate=0, foreign=0, named={"pairs": [1]}),
    spoiled("duplicate", "one card twice", "duplicate_card", duplicate=1, named={"pairs": [2]}),
    spoiled("foreign", "a card of another deck", "foreign_card", foreign=1, named={"pairs": [3]}),
    spoiled("joker", "a joker", "joker", jokers=1, named={"pairs": [5]}),
    spoiled("unreadable", "a card that cannot be read", "unreadable_card", unreadable=1, named={"pairs": [4]}),
    spoiled("face-up", "a card that lies face up", "face_up_in_deck", face_up=1),
    spoiled("extra", "53 cards", "extra_card", cards=53, named={"pairs": [2]}),
    dialogue("deck-nine-missing", "SHOE-6.4", "nine are missing: all are counted, eight are named", [
        *opened(), world("fault", kind="missing_card", cards=9), *prepare(1, ACCEPTED), rejected(cards=43, missing=9, named={"pairs": [1], "not": 32 * "0"}),
    ]),
    dialogue("deck-rejected-restart", "SHOE-8.4 SHOE-2.3 SHOE-3.5", "a rejected deck stays rejected over a restart, and so does the fault that says so", [
        *opened(), world("fault", kind="missing_card"), *prepare(1, ACCEPTED), rejected(missing=1), status(deck_state=REJECTED, fault="$f"),
        world("reset", device="shoe"), connect(), {"discard_ms": 300}, beats(), status(deck_state=REJECTED, fault="$f"), *query(1, FAILED),
    ]),
    dialogue("service-deals-nothing", "LINK-5.8 LINK-4.8", "a service session begins when no deck is inside, and deals nothing", [
        *opened(), *stub_gone(52), let(before="$held"),
        {"connect": {"purpose": 1, "consumed_event": "$before"}, "reply": {"result": 0}, "within_ms": 1000}, {"discard_ms": 300}, beats(),
        dispense(1), reject(5, 0x11, 1), send("READ_COUNTERS", 1), want("READ_COUNTERS_REPLY", sequence=1),
    ]),
    dialogue("deck-short-by-two", "SHOE-6.4 SHOE-6.6", "a deck of which two were dealt is prepared: two are missing", [
        *opened(), dispense(1), answered(1, 0), ready(2), *taken(2), *prepare(2, ACCEPTED, add=2),
        want("DECK_REJECTED", PREPARE_MS, command_id="$last+2", cards=50, missing=2, duplicate=0) | {"skip": ["FAULT_RAISED"]},
    ]),
    dialogue("cover-card-in-deck", "SHOE-6.5", "a cover card in the magazine is no card of the deck", [
        *opened(), world("insert_cover_card"), want("COVER_CARD_INSERTED", 1000), *prepare(1, ACCEPTED), verified("$deck+1"),
    ]),
    dialogue("no-question-for-faces", "SHOE-1.2 LINK-4.8", "no type of the command range asks for anything else", [
        *opened(), *[step for kind in range(0x1C, 0x40) if kind not in (0x38, 0x39) for step in (raw(kind, 1), reject(2, kind, 1))],
    ]),
]  # fmt: skip

BY_HAND = [
    dialogue("door-voids", "SHOE-6.6 SHOE-7.1 SHOE-2.2", "the door opens while undealt cards of a verified deck are inside: void for good", [
        *opened(), dispense(1), answered(1, 0), ready(2), *taken(2), world("open_door"), want("DOOR_OPENED", 1000, cards_left=50),
        status(flags={"set": 1}, deck_state=VOID), world("close_door"), want("DOOR_CLOSED", 1000, cards_present=1), status(flags={"clear": 1}, deck_state=VOID),
        dispense(2, add=2), answered(2, NOT_VERIFIED, add=2), nothing(2000), *prepare(3, ACCEPTED, add=2),
        want("DECK_REJECTED", PREPARE_MS, cards=50, missing=2) | {"skip": ["FAULT_RAISED"]},
    ]),
    dialogue("void-deck-prepared", "SHOE-6.6 SHOE-6.3", "PREPARE_DECK makes a new deck of a void one", [
        *opened(), world("open_door"), want("DOOR_OPENED", 1000), world("close_door"), want("DOOR_CLOSED", 1000), status(deck_state=VOID),
        *prepare(1, ACCEPTED), verified("$deck+1"), dispense(2, add=2, deck_id="$deck+1"), answered(2, 0, add=2), ready(2, add=2, first_slot=0),
    ]),
    dialogue("void-after-restart", "SHOE-6.6", "a void deck is void after a restart too", [
        *opened(), world("open_door"), want("DOOR_OPENED", 1000), world("close_door"), want("DOOR_CLOSED", 1000), world("reset", device="shoe"),
        connect(), {"discard_ms": 300}, beats(), status(deck_state=VOID), dispense(1), answered(1, NOT_VERIFIED),
    ]),
    dialogue("stub-removed", "SHOE-7.2 SHOE-7.1 SHOE-6.7 SHOE-2.2", "the stub is taken out: door, stub, door, and no deck", [
        *opened(), dispense(1), answered(1, 0), ready(2), *taken(2), *stub_gone(50), status(deck_state=NONE, flags={"clear": 8}),
        dispense(2, add=2), answered(2, NOT_VERIFIED, add=2),
    ]),
    dialogue("deck-loaded", "SHOE-6.1 SHOE-7.1 SHOE-2.3", "a deck is put in: loaded, nothing is known of it", [
        *opened(), *stub_gone(52), world("load_deck", answer={"cards": 52}),
        every(2000, told("DOOR_OPENED"), told("DECK_LOADED"), told("DOOR_CLOSED", cards_present=1)),
        status(deck_state=LOADED, cards_left=255, flags={"set": 8}), dispense(1), answered(1, NOT_VERIFIED), *prepare(2, ACCEPTED), verified("$deck+1"),
    ]),
    dialogue("cover-card", "SHOE-7.3 SHOE-7.4 SHOE-2.2", "a cover card goes in before slot 2 and comes out with the next stack, not counted", [
        *opened(), dispense(1), answered(1, 0), ready(2), *taken(2), world("insert_cover_card"), want("COVER_CARD_INSERTED", 1000, before_slot=2),
        status(flags={"set": 16}), dispense(2, add=2), answered(2, 0, add=2), want("COVER_CARD_SEEN", 6000, command_id="$last+2", before_slot=2),
        ready(2, add=2, first_slot=2), status(flags={"clear": 16}, cards_left=48, gate_cards=2), *taken(2, add=2),
    ]),
    dialogue("two-cover-cards", "SHOE-7.3", "a second cover card is told by a second event", [
        *opened(), world("insert_cover_card"), want("COVER_CARD_INSERTED", 1000, before_slot=0), world("insert_cover_card"),
        want("COVER_CARD_INSERTED", 1000, before_slot=0), status(flags={"set": 16}),
    ]),
    dialogue("card-unexpected", "SHOE-4.10", "a card appears in the gate while no command runs", [
        *opened(), world("fault", kind="unexpected_card", source="magazine"),
        want("CARD_UNEXPECTED", 2000, cards=1) | {"skip": ["FAULT_RAISED"]}, status(flags={"set": 2}),
    ]),
    dialogue("mode", "SHOE-8.6 SHOE-2.1 SHOE-4.2", "the mode switch is turned: told, nothing is dealt, the deck is void", [
        *opened(), world("switch_mode", mode="sort"), want("MODE_CHANGED", 1000, mode=1), status(mode=1, deck_state=VOID), dispense(1), answered(1, WRONG_MODE),
        *prepare(2, WRONG_MODE), world("switch_mode", mode="test"), want("MODE_CHANGED", 1000, mode=2), dispense(3), answered(3, WRONG_MODE),
        world("switch_mode", mode="deal"), want("MODE_CHANGED", 1000, mode=0), dispense(4), answered(4, NOT_VERIFIED),
    ]),
    dialogue("counters", "SHOE-8.7 SHOE-2.5", "lifetime counters count, and survive loss of power", [
        *opened(), send("READ_COUNTERS", 1), want("READ_COUNTERS_REPLY", sequence=1, stacks_total="$st", cards_total="$ct", shuffles_total="$sh"),
        dispense(2, cards=3), answered(2, 0), ready(3), *taken(3), send("READ_COUNTERS", 3),
        want("READ_COUNTERS_REPLY", sequence=3, stacks_total="$st+1", cards_total="$ct+3", shuffles_total="$sh"),
        world("power", device="shoe", state="off"), wait(500), world("power", device="shoe", state="on"), connect(), {"discard_ms": 300},
        send("READ_COUNTERS", 1), want("READ_COUNTERS_REPLY", sequence=1, stacks_total="$st+1", cards_total="$ct+3", shuffles_total="$sh"),
    ]),
]  # fmt: skip


def fails(name: str, kind: str, fault: int, **seen: object) -> Vector:
    """A fault that stops a stack: raised, failed, refused until cleared."""
    return dialogue(f"fault-{name}", "SHOE-8.1 SHOE-8.2 SHOE-4.5 SHOE-3.6 SHOE-2.1 SHOE-2.4", f"{name.replace('-', ' ')} in the second card", [
        *opened(), world("fault", kind=kind, card=2), dispense(1, cards=2), answered(1, 0), want("FAULT_RAISED", 6000, fault=fault),
        want("DISPENSE_FAILED", 6000, command_id="$last+1", fault=fault, **seen), status(fault=fault, state=5, running_command=0),
        *query(2, FAILED, fault=fault), dispense(3, add=2), answered(3, FAULTED, add=2), *prepare(4, FAULTED, add=2), nothing(4000),
    ])  # fmt: skip


def goes_on(name: str, kind: str, fault: int) -> Vector:
    """A fault that is only advice: told, and the stack is dealt."""
    return dialogue(f"fault-{name}", "SHOE-8.1 SHOE-8.2 SHOE-2.1 SHOE-2.4", f"{name.replace('-', ' ')}: told, the motor goes on", [
        *opened(), world("fault", kind=kind), want("FAULT_RAISED", 1000, fault=fault), status(fault=fault, state=1), dispense(1), answered(1, 0), ready(2),
    ])  # fmt: skip


FAULTS = [
    fails("jam", "jam", JAM, cards_seen={"in": [1, 255]}),
    fails("double-feed", "double_feed", DOUBLE_FEED, cards_seen=3),
    fails("short-feed", "short_feed", SHORT_FEED, cards_seen=1),
    dialogue("jam-cleared", "SHOE-8.3 SHOE-8.1 SHOE-8.2", "a jam is still present, then cleared; the id stays used, the next one deals", [
        *opened(), world("fault", kind="jam", card=1), dispense(1), answered(1, 0), want("FAULT_RAISED", 6000, fault=JAM), want("DISPENSE_FAILED", 6000),
        *clear(2, JAM, STILL_PRESENT), status(fault=JAM, state=5), world("press", button="clear_jam"), wait(500), send("CLEAR_FAULT", 3, fault=JAM),
        every(1000, told("CLEAR_FAULT_REPLY", sequence=3, result=CLEARED, fault=JAM), told("FAULT_CLEARED", fault=JAM)), status(fault=0),
        *clear(4, JAM, NOT_RAISED), dispense(5), answered(5, STALE), *query(6, FAILED, fault=JAM),
    ]),
    dialogue("fault-not-raised", "SHOE-8.3", "a fault that is not there, and one that does not exist", [
        *opened(), *clear(1, JAM, NOT_RAISED), *clear(2, 0xFFFF, NOT_RAISED), *clear(3, 0, NOT_RAISED), nothing(500),
    ]),
    dialogue("fault-lockout", "SHOE-8.3 SHOE-8.4 SHOE-8.2", "a lockout is not cleared over the line and survives a restart", [
        *opened(), world("fault", kind="sensor_stuck"), want("FAULT_RAISED", 2000, fault=SENSOR_STUCK), *clear(1, SENSOR_STUCK, NEEDS_SERVICE),
        dispense(2), answered(2, FAULTED), world("reset", device="shoe"), connect(), {"discard_ms": 500}, beats(), status(fault=SENSOR_STUCK, state=5),
        *clear(1, SENSOR_STUCK, NEEDS_SERVICE), dispense(2), answered(2, FAULTED), world("press", button="service"),
        want("FAULT_CLEARED", 1000, fault=SENSOR_STUCK), status(fault=0),
    ]),
    dialogue("fault-hot", "SHOE-8.2 SHOE-8.3", "too hot: refused until it is cleared", [
        *opened(), world("fault", kind="over_temperature"), want("FAULT_RAISED", 1000, fault=HOT), status(state=5, fault=HOT), dispense(1), answered(1, FAULTED),
        *clear(2, HOT, STILL_PRESENT), *query(3, 0),
    ]),
    goes_on("feed-slow", "feed_slow", FEED_SLOW),
    goes_on("low-battery", "low_battery", LOW_BATTERY),
    dialogue("oldest-fault", "SHOE-2.4 SHOE-2.1", "STATUS names the oldest raised fault; a stopping one decides the state", [
        *opened(), world("fault", kind="low_battery"), want("FAULT_RAISED", 1000, fault=LOW_BATTERY), world("fault", kind="over_temperature"),
        want("FAULT_RAISED", 1000, fault=HOT), status(fault=LOW_BATTERY, state=5), dispense(1), answered(1, FAULTED),
    ]),
    dialogue("watchdog", "SHOE-8.5 LINK-5.10", "a restart by the watchdog says so", [
        *opened(), let(before="$held", boots="$boot"), world("reset", device="shoe", cause="watchdog"),
        connect(consumed="$before", reply={"boot_counter": {"in": ["$boots+1"]}}), want("BOOTED", 450, event_id="$before+1", cause=3, cards_at=1),
    ]),
]  # fmt: skip

VECTORS: list[Vector] = PREPARING + BY_HAND + FAULTS
