"""The shoe's driver: every message means one thing, and nothing that it does not know is guessed or passed over.

Proves for the host SHOE-1.2, SHOE-2.1 to SHOE-2.6, SHOE-3.1, SHOE-3.6, SHOE-4.1 to SHOE-4.10, SHOE-5.1, SHOE-5.2,
SHOE-6.1 to SHOE-6.4, SHOE-7.1 to SHOE-7.4, SHOE-8.1 to SHOE-8.7, and P1, P5.
"""

from __future__ import annotations

from random import Random
from types import UnionType
from typing import Any, get_args

import pytest
from driver_bench import WHERE, Bench, shoe_bench

from cardshoe.cards import DECK, Card
from cardshoe.devices import shoe_events as happened
from cardshoe.devices import shoe_wire as wire
from cardshoe.devices.events import (
    DeviceLost,
    EventNotUnderstood,
    EventsLost,
    FaultCleared,
    FaultRaised,
    RequestFailed,
    StatusNotUnderstood,
)
from cardshoe.devices.round_events import CardCommitted, CardFace, RoundSealed
from cardshoe.devices.round_meaning import ROUND_ANSWERS
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe import ShoeDriver
from cardshoe.devices.shoe_events import (
    CommandAccepted,
    CommandNotSent,
    CommandOutcomeUnknown,
    CommandRefused,
    Discrepancy,
)
from cardshoe.devices.shoe_meaning import ANSWERS, RING_EVENTS
from cardshoe.devices.shoe_terms import (
    BootCause,
    CardsAt,
    ClearResult,
    DeckState,
    DispenseResult,
    InterruptCause,
    Mode,
    Named,
    Outcome,
    RoundState,
    ShoeFlag,
    ShoeState,
)
from cardshoe.link.events import LostReason, NotSentReason
from cardshoe.link.messages import Heartbeat, RejectReason
from cardshoe.wire.spec import Kind, load_faults

FAULTS = load_faults()
JAM, DOUBLE = FAULTS[0x0101], FAULTS[0x0102]


def named(*pairs: tuple[int, int]) -> bytes:
    """The `named` field of DECK_REJECTED."""
    return b"".join(bytes(pair) for pair in pairs).ljust(16, b"\x00")


MEANINGS = [
    (
        "BOOTED",
        {"cause": 3, "cards_at": 5},
        happened.ShoeBooted(1, BootCause.WATCHDOG, CardsAt.MAGAZINE | CardsAt.GATE),
    ),
    ("BOOTED", {"cause": 1, "cards_at": 0}, happened.ShoeBooted(1, BootCause.POWER_ON, CardsAt.NOWHERE)),
    (
        "STACK_READY",
        {"command_id": 2**64 - 1, "deck_id": 7, "cards": 2, "first_slot": 0},
        happened.StackReady(1, 2**64 - 1, 7, 2, 0),
    ),
    (
        "STACK_READY",
        {"command_id": 9, "deck_id": 7, "cards": 3, "first_slot": 255},
        happened.StackReady(1, 9, 7, 3, None),
    ),
    ("STACK_TAKEN", {"command_id": 9, "cards": 2}, happened.StackTaken(1, 9, 2)),
    ("STACK_TAKEN", {"command_id": 9, "cards": 255}, happened.StackTaken(1, 9, None)),
    (
        "DISPENSE_FAILED",
        {"command_id": 9, "fault": 0x0102, "cards_seen": 3},
        happened.DispenseFailed(1, 9, DOUBLE, 3),
    ),
    (
        "DISPENSE_FAILED",
        {"command_id": 9, "fault": 0x0101, "cards_seen": 255},
        happened.DispenseFailed(1, 9, JAM, None),
    ),
    (
        "DISPENSE_INTERRUPTED",
        {"command_id": 9, "cause": 1, "cards_seen": 1},
        happened.DispenseInterrupted(1, 9, InterruptCause.LEASE, 1),
    ),
    (
        "DISPENSE_INTERRUPTED",
        {"command_id": 9, "cause": 2, "cards_seen": 255},
        happened.DispenseInterrupted(1, 9, InterruptCause.POWER, None),
    ),
    ("COVER_CARD_INSERTED", {"before_slot": 8}, happened.CoverCardInserted(1, 8)),
    ("COVER_CARD_SEEN", {"command_id": 9, "before_slot": 8}, happened.CoverCardSeen(1, 9, 8)),
    ("DOOR_OPENED", {"cards_left": 38}, happened.DoorOpened(1, 38)),
    ("DOOR_OPENED", {"cards_left": 255}, happened.DoorOpened(1, None)),
    ("DOOR_CLOSED", {"cards_present": 0}, happened.DoorClosed(1, cards_present=False)),
    ("DOOR_CLOSED", {"cards_present": 1}, happened.DoorClosed(1, cards_present=True)),
    ("STUB_REMOVED", {"cards": 38}, happened.StubRemoved(1, 38)),
    ("STUB_REMOVED", {"cards": 255}, happened.StubRemoved(1, None)),
    ("DECK_LOADED", {}, happened.DeckLoaded(1)),
    ("DECK_VERIFIED", {"command_id": 9, "deck_id": 7, "cards": 52}, happened.DeckVerified(1, 9, 7, 52)),
    (
        "DECK_REJECTED",
        {
            "command_id": 9,
            "cards": 53,
            "missing": 1,
            "duplicate": 2,
            "foreign": 3,
            "unreadable": 4,
            "face_up": 5,
            "jokers": 6,
            "named": named((1, 0), (2, 51), (3, 255), (5, 255)),
        },
        happened.DeckRejected(
            *(1, 9, 53, 1, 2, 3, 4, 5, 6),
            named=(
                Discrepancy(Named.MISSING, Card("2c")),
                Discrepancy(Named.DUPLICATE, Card("As")),
                Discrepancy(Named.FOREIGN, None),
                Discrepancy(Named.JOKER, None),
            ),
        ),
    ),
    ("FAULT_RAISED", {"fault": 0x0101, "detail": 4}, FaultRaised(1, JAM, 4)),
    ("FAULT_CLEARED", {"fault": 0x0101}, FaultCleared(1, JAM)),
    ("LEASE_LOST", {"running_command": 9}, happened.LeaseLost(1, 9)),
    ("MODE_CHANGED", {"mode": 2}, happened.ModeChanged(1, Mode.TEST)),
    ("CARD_UNEXPECTED", {"cards": 1}, happened.CardUnexpected(1, 1)),
    (
        "CARD_COMMITTED",
        {"round_id": 2**64 - 1, "command_id": 9, "slot": 3, "commitment": 32 * b"\xab"},
        CardCommitted(1, 2**64 - 1, 9, 3, 32 * b"\xab"),
    ),
    (
        "ROUND_SEALED",
        {"round_id": 5, "deck_id": 7, "first_slot": 4, "cards": 12, "auditor": 8 * b"\x01", "sealed": 100 * b"\x02"},
        RoundSealed(1, 5, 7, 4, 12, 8 * b"\x01", bytes(32), 100 * b"\x02"),
    ),
    ("ROUND_SEALED", {"round_id": 5, "deck_id": 7}, RoundSealed(1, 5, 7, 0, 0, None, bytes(32), bytes(100))),
    ("CARD_FACE", {"command_id": 9, "slot": 3, "face": 0xFE}, CardFace(1, 9, 3, None)),
]


@pytest.mark.parametrize(("name", "fields", "meaning"), MEANINGS)
def test_every_event_means_one_thing(name: str, fields: dict[str, Any], meaning: Any) -> None:
    """SHOE-4.4 to SHOE-4.10, SHOE-5.2, SHOE-6.1, SHOE-6.3, SHOE-6.4, SHOE-7.1 to SHOE-7.4, SHOE-8.1, SHOE-8.5."""
    assert shoe_bench().event(name, **fields) == meaning


@pytest.mark.parametrize(
    ("name", "fields", "text"),
    [
        ("BOOTED", {"cause": 0}, "BootCause"),
        ("BOOTED", {"cause": 1, "cards_at": 8}, "CardsAt"),
        ("DISPENSE_FAILED", {"fault": 0x7777}, "7777"),
        ("DISPENSE_FAILED", {"fault": 0}, "0000"),
        ("DISPENSE_INTERRUPTED", {"cause": 9}, "InterruptCause"),
        ("DOOR_CLOSED", {"cards_present": 2}, "2 is neither"),
        ("DECK_REJECTED", {"named": named((6, 1))}, "Named"),
        ("DECK_REJECTED", {"named": named((1, 52))}, "34 is not the face"),
        ("FAULT_RAISED", {"fault": 0x0199}, "0199"),
        ("MODE_CHANGED", {"mode": 3}, "Mode"),
        ("CARD_FACE", {"face": 52}, "34 is not the face"),
        ("CARD_FACE", {"face": 0xFF}, "FF is not the face"),
    ],
)
def test_a_value_that_the_protocol_does_not_know_is_told_in_its_place(
    name: str, fields: dict[str, Any], text: str
) -> None:
    """P5, FR-23, FR-27: the round can be held; the next event comes after it."""
    bench = shoe_bench()
    told = bench.event(name, **fields)
    assert isinstance(told, EventNotUnderstood)
    assert told.event_id == 1
    assert text in told.text
    assert bench.event("DECK_LOADED") == happened.DeckLoaded(2)


# --- commands


def dispense(bench: Bench, command_id: int = 9, *, now: float = 0.0, deadline: float = 1.0) -> bytes:
    """Ask for a stack; returns what the driver wrote."""
    driver: Any = bench.driver
    output = driver.dispense(command_id=command_id, deck_id=7, cards=2, destination=4, now=now, deadline=deadline)
    assert output.happened == ()
    return bytes(output.data)


def prepare(bench: Bench, command_id: int = 9, *, now: float = 0.0, deadline: float = 1.0) -> bytes:
    """Ask for a deck; returns what the driver wrote."""
    driver: Any = bench.driver
    return bytes(driver.prepare_deck(command_id=command_id, now=now, deadline=deadline).data)


MOTIONS = [dispense, prepare]


def test_commands_are_written_as_they_were_asked() -> None:
    """SHOE-3.1, SHOE-4.1, SHOE-3.6, SHOE-5.1, SHOE-6.2, SHOE-8.3, SHOE-8.7: value by value."""
    driver: Any
    for ask, message in (
        (
            lambda d: d.dispense(command_id=9, deck_id=7, cards=2, destination=4, now=0.0, deadline=1.0),
            wire.Dispense(9, 7, 2, 4),
        ),
        (lambda d: d.prepare_deck(command_id=9, now=0.0, deadline=1.0), wire.PrepareDeck(9)),
        (lambda d: d.query_command(command_id=9, now=0.0, deadline=1.0), wire.QueryCommand(9)),
        (lambda d: d.set_inhibit(inhibited=True, now=0.0, deadline=1.0), wire.SetInhibit(1)),
        (lambda d: d.set_inhibit(inhibited=False, now=0.0, deadline=1.0), wire.SetInhibit(0)),
        (lambda d: d.clear_fault(fault=JAM, now=0.0, deadline=1.0), wire.ClearFault(0x0101)),
        (lambda d: d.read_counters(now=0.0, deadline=1.0), wire.ReadCounters()),
    ):
        bench = shoe_bench()
        driver = bench.driver
        assert bench.said(ask(driver).data) == [message]


@pytest.mark.parametrize("ask", MOTIONS)
def test_accepted_is_not_done(ask: Any) -> None:
    """SHOE-4.2, SHOE-4.3, FR-04: two events, and the completion may come first."""
    bench = shoe_bench()
    data = ask(bench)
    assert bench.event("STACK_READY", command_id=9, deck_id=7, cards=2) == happened.StackReady(1, 9, 7, 2, 0)
    assert bench.reply(data, result=0) == (CommandAccepted(9),)


@pytest.mark.parametrize("ask", MOTIONS)
@pytest.mark.parametrize("refusal", [result for result in DispenseResult if result is not DispenseResult.ACCEPTED])
def test_each_refusal_is_told_by_its_reason(ask: Any, refusal: DispenseResult) -> None:
    """SHOE-3.3, SHOE-4.2, SHOE-6.2: nothing moves."""
    bench = shoe_bench()
    assert bench.reply(ask(bench), result=refusal) == (CommandRefused(9, refusal),)


@pytest.mark.parametrize("ask", MOTIONS)
@pytest.mark.parametrize(
    "reply",
    [{"result": 15}, {"result": 255}, {"result": 0, "command_id": 8}, {"result": 3, "command_id": 10}],
    ids=["no such result", "FF", "FR-33 another id accepted", "FR-33 another id refused"],
)
def test_an_absurd_reply_claims_nothing(ask: Any, reply: dict[str, int]) -> None:
    """P1, FR-27, FR-33: it ends the wait at once, and the outcome is unknown."""
    bench = shoe_bench()
    assert bench.reply(ask(bench), **reply) == (CommandOutcomeUnknown(9, LostReason.OUT_OF_STEP),)


@pytest.mark.parametrize("ask", MOTIONS)
def test_a_command_without_an_answer_is_unknown_and_never_given_again(ask: Any) -> None:
    """P1, LINK-4.5, SHOE-3.6: repeats carry one sequence; after it nothing is sent, nor in the next session."""
    bench = shoe_bench()
    written = [ask(bench)]
    told: list[Any] = []
    while (at := bench.driver.next_deadline()) is not None:
        output = bench.driver.advance(at)
        written.append(output.data)
        told += output.happened
    frames = [frame for data in written for frame in bench.frames(data) if frame.type in bench.codec.spec.command_types]
    assert len(frames) == 7
    assert len(set(frames)) == 1
    unknown, lost = told
    assert unknown == CommandOutcomeUnknown(9, LostReason.SILENCE)  # nothing at all came for a second
    assert isinstance(lost, DeviceLost)
    output = bench.driver.open(5.0, deadline=7.0)
    reply = bench.hello_reply(output.data)
    bench.session += 1
    assert bench.said(bench.driver.receive(reply, 5.0).data) == []
    assert bench.said(bench.driver.advance(5.2).data) == []


@pytest.mark.parametrize("ask", MOTIONS)
def test_a_rejected_command_did_not_move(ask: Any) -> None:
    """LINK-4.4, LINK-4.8: told by the reason of the link."""
    bench = shoe_bench()
    told = bench.reject(ask(bench), 6)
    assert told == (happened.CommandRejected(9, RejectReason.BAD_VALUE),)


def test_a_command_that_was_never_sent_is_told_as_such() -> None:
    """P1: no session: its id was never seen."""
    bench = shoe_bench(opened=False)
    driver: Any = bench.driver
    output = driver.dispense(command_id=9, deck_id=7, cards=2, destination=4, now=0.0, deadline=1.0)
    assert output.happened == (CommandNotSent(9, NotSentReason.NO_SESSION),)
    assert output.data == b""
    output = driver.query_command(command_id=9, now=0.0, deadline=1.0)
    assert output.happened == (RequestFailed("QUERY_COMMAND", 9, NotSentReason.NO_SESSION),)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_a_query_tells_what_became_of_a_command(outcome: Outcome) -> None:
    """SHOE-3.6: unknown numbers are None, a fault is a row of the table."""
    bench = shoe_bench()
    driver: Any = bench.driver
    data = driver.query_command(command_id=9, now=0.0, deadline=1.0).data
    told = bench.reply(data, outcome=outcome, cards_seen=255, taken=1, first_slot=4, fault=0x0101)
    assert told == (happened.CommandOutcome(9, outcome, None, True, 4, JAM),)
    data = driver.query_command(command_id=9, now=0.0, deadline=1.0).data
    told = bench.reply(data, outcome=outcome, cards_seen=2, taken=0, first_slot=255, fault=0)
    assert told == (happened.CommandOutcome(9, outcome, 2, False, None, None),)


@pytest.mark.parametrize(
    "fields", [{"outcome": 6}, {"taken": 2}, {"fault": 1}, {"command_id": 8}], ids=["outcome", "taken", "fault", "id"]
)
def test_an_absurd_answer_to_a_query_is_no_answer(fields: dict[str, int]) -> None:
    """P1, FR-33: least of all "never seen"."""
    bench = shoe_bench()
    driver: Any = bench.driver
    data = driver.query_command(command_id=9, now=0.0, deadline=1.0).data
    assert bench.reply(data, **fields) == (RequestFailed("QUERY_COMMAND", 9, LostReason.OUT_OF_STEP),)


def test_the_other_requests_are_answered_or_failed() -> None:
    """SHOE-5.1, SHOE-8.3, SHOE-8.7."""
    bench = shoe_bench()
    driver: Any = bench.driver
    data = driver.set_inhibit(inhibited=True, now=0.0, deadline=1.0).data
    assert bench.reply(data) == (happened.InhibitAnswered(inhibited=True),)
    data = driver.set_inhibit(inhibited=True, now=0.0, deadline=1.0).data
    assert bench.reply(data, inhibited=0) == (RequestFailed("SET_INHIBIT", None, LostReason.OUT_OF_STEP),)
    data = driver.clear_fault(fault=JAM, now=0.0, deadline=1.0).data
    assert bench.reply(data, result=1) == (happened.ClearFaultAnswered(JAM, ClearResult.STILL_PRESENT),)
    data = driver.clear_fault(fault=JAM, now=0.0, deadline=1.0).data
    assert bench.reply(data, fault=0x0102) == (RequestFailed("CLEAR_FAULT", None, LostReason.OUT_OF_STEP),)
    data = driver.read_counters(now=0.0, deadline=1.0).data
    counters = {"stacks_total": 1, "cards_total": 2, "misfeeds_total": 3, "rereads_total": 4, "faults_total": 5}
    assert bench.reply(data, shuffles_total=6, **counters) == (happened.ShoeCountersRead(1, 2, 3, 4, 5, 6),)
    data = driver.read_counters(now=0.0, deadline=1.0).data
    assert bench.reject(data, 2) == (RequestFailed("READ_COUNTERS", None, RejectReason.UNKNOWN_TYPE),)
    data = driver.read_counters(now=0.0, deadline=1.0).data
    failed, _lost = driver.close().happened
    assert failed == RequestFailed("READ_COUNTERS", None, LostReason.CLOSED)


def test_an_inhibit_goes_before_everything_that_waits() -> None:
    """SHOE-5.1, P5: behind the command on the line, before the stack that waits."""
    bench = shoe_bench()
    driver: Any = bench.driver
    first = dispense(bench, 1)
    dispense(bench, 2)
    driver.set_inhibit(inhibited=True, now=0.0, deadline=1.0)
    (frame,) = bench.frames(first)
    answer = bench.frame("DISPENSE_REPLY", {"command_id": 1, "result": 0}, sequence=frame.sequence)
    assert bench.said(bench.driver.receive(answer, 0.1).data) == [wire.SetInhibit(1)]


def test_the_lease_is_the_caller_s() -> None:
    """LINK-6.3: what the table's configuration says goes out with every heartbeat."""
    driver = ShoeDriver(expected=Expected(WHERE), nonce=lambda: bytes(16), lease_ms=750)
    bench = Bench(driver, wire.SHOE_CODEC)
    reply = bench.hello_reply(driver.open(0.0, deadline=2.0).data)
    (beat,) = [wire.SHOE_CODEC.decode(frame) for frame in bench.frames(driver.receive(reply, 0.0).data)]
    assert beat == Heartbeat(750)


# --- status


def test_status_says_everything_in_the_field_s_words() -> None:
    """SHOE-2.1 to SHOE-2.6, LINK-6.2."""
    numbers = {
        "uptime_ms": 5000,
        "last_event": 3,
        "held_events": 3,
        "lease_left_ms": 900,
        "mode": 0,
        "state": 2,
        "flags": 32 | 8,
        "deck_state": 2,
        "deck_id": 7,
        "cards_left": 48,
        "gate_cards": 1,
        "running_command": 9,
        "last_command": 9,
        "fault": 0,
        "stacks_total": 100,
        "cards_total": 201,
        "round_id": 4,
        "round_state": 1,
    }
    told = shoe_bench().status(0.016, **numbers)
    assert isinstance(told, happened.ShoeStatusSeen)
    assert told.round_trip_ms == pytest.approx(16)
    assert told.status == happened.ShoeStatus(
        **{
            **numbers,
            "boot_counter": 1,
            "mode": Mode.DEAL,
            "state": ShoeState.FEEDING,
            "flags": ShoeFlag.LEASE_VALID | ShoeFlag.DECK_PRESENT,
            "deck_state": DeckState.VERIFIED,
            "round_state": RoundState.DEALING,
            "fault": None,
        }
    )


def test_status_keeps_the_unknown_unknown() -> None:
    """SHOE-2.3, SHOE-2.4: FF is no count, 0 is no command and no fault."""
    told = shoe_bench().status(cards_left=255, gate_cards=255, running_command=0, fault=0x0206)
    assert (told.status.cards_left, told.status.gate_cards, told.status.running_command) == (None, None, None)
    assert told.status.fault == FAULTS[0x0206]


@pytest.mark.parametrize("fields", [{"mode": 3}, {"state": 6}, {"deck_state": 5}, {"flags": 128}, {"fault": 1}])
def test_a_status_that_the_protocol_does_not_know_is_told(fields: dict[str, int]) -> None:
    """P5, FR-33: neither taken for a quiet shoe nor passed over."""
    assert isinstance(shoe_bench().status(**fields), StatusNotUnderstood)


# --- sessions


def test_events_lost_are_told() -> None:
    """LINK-7.6, E28."""
    bench = shoe_bench(opened=False)
    told = bench.open(oldest_event=5, last_event=9)
    assert EventsLost(0, 5, 9) in told


def test_a_lost_port_leaves_the_command_unknown() -> None:
    """P1, E31, FR-08."""
    bench = shoe_bench()
    dispense(bench)
    unknown, lost = bench.driver.port_lost().happened
    assert unknown == CommandOutcomeUnknown(9, LostReason.PORT)
    assert isinstance(lost, DeviceLost)
    assert (lost.error.code, bench.driver.live, bench.driver.next_deadline()) == ("device-lost-port", False, None)


def test_acknowledgements_go_out_when_the_caller_has_the_event() -> None:
    """LINK-7.4, P2."""
    bench = shoe_bench()
    bench.event("DECK_LOADED")
    assert [message.consumed_event for message in bench.said(bench.driver.acknowledge(1, 0.0).data)] == [1]


# --- locks


def test_every_event_and_reply_of_the_protocol_has_a_meaning() -> None:
    """The file's events and replies, ours, and the reverse."""
    messages = wire.SHOE_CODEC.spec.messages.values()
    classes = {cls.__name__: cls for cls in wire.SHOE_MESSAGES}
    by_kind = {
        kind: {"".join(word.capitalize() for word in m.name.split("_")) for m in messages if m.kind is kind}
        for kind in (Kind.EVENT, Kind.REPLY)
    }
    assert {cls.__name__ for cls in RING_EVENTS} == by_kind[Kind.EVENT]
    links_own = {"AttestReply", "UnpairReply"}
    assert {cls.__name__ for cls in (*ANSWERS, *ROUND_ANSWERS)} == by_kind[Kind.REPLY] - links_own
    assert {name for name, _fields, _meaning in MEANINGS} == {m.name for m in messages if m.kind is Kind.EVENT}
    assert by_kind[Kind.EVENT] <= set(classes)


def test_every_event_of_ours_is_one_that_can_happen() -> None:
    """No class of the closed set is without a message that means it."""
    ring = {type(meaning) for _name, _fields, meaning in MEANINGS}
    assert ring - {FaultRaised, FaultCleared} == set(_members(happened.ShoeRingEvent))


def _members(union: UnionType | Any) -> tuple[type, ...]:
    return get_args(union)


def test_no_message_asks_for_or_tells_an_undealt_face() -> None:
    """SHOE-1.2, P4: the only faces are the named discrepancies of a rejected deck."""
    named_fields = {
        (message.name, field.name)
        for message in wire.SHOE_CODEC.spec.messages.values()
        for field in message.fields
        if "face" in field.name or "order" in field.name or field.name in ("named", "identity", "card")
    }
    assert named_fields == {
        ("DECK_REJECTED", "named"),
        ("DECK_REJECTED", "face_up"),
        ("MATCH_CARD", "face"),  # what lies face up already
        ("REVEAL_STACK_REPLY", "faces"),  # after the deal is closed, sealed at the edge
        ("CARD_FACE", "face"),  # a bench shoe, sealed at the edge
    }


def test_random_messages_never_raise_and_always_mean_something() -> None:
    """FR-33: each event with 300 random payloads gives exactly one event of the closed set."""
    random = Random(52)
    known = set(_members(happened.ShoeEvent))
    for name, cls in {cls.__name__: cls for cls in wire.SHOE_MESSAGES}.items():
        message = next(m for m in wire.SHOE_CODEC.spec.messages.values() if m.name.replace("_", "") == name.upper())
        if message.kind is not Kind.EVENT:
            continue
        for _ in range(300):
            fields = {f.name: _random(random, f) for f in message.fields[3:]}
            told = shoe_bench().event(message.name, **fields)
            assert type(told) in known, cls


def _random(random: Random, field: Any) -> Any:
    if field.kind == "bytes":
        return random.randbytes(field.size)
    return random.choice((0, 1, 2, 255, 0x0101, random.randrange(256**field.size))) % 256**field.size


def test_cards_of_a_rejected_deck_are_the_deck_s_own() -> None:
    """READER-1.3, SHOE-6.4: face numbers are those of the deck."""
    for face, card in enumerate(DECK):
        told = shoe_bench().event("DECK_REJECTED", named=named((1, face)))
        assert told.named == (Discrepancy(Named.MISSING, card),)
