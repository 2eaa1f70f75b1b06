"""The reader's driver: present, absent, unreadable and foreign are four things, and no face is guessed.

Proves for the host READER-1.1 to READER-1.3, READER-2.1 to READER-2.3, READER-2.5, READER-3.1, READER-4.1 to READER-4.4
and FR-17.
"""

from __future__ import annotations

from random import Random
from typing import Any, get_args

import pytest
from driver_bench import Bench, reader_bench

from cardshoe.cards import DECK, Card
from cardshoe.devices import reader_events as happened
from cardshoe.devices import reader_wire as wire
from cardshoe.devices.events import (
    DeviceRefused,
    EventNotUnderstood,
    FaultCleared,
    FaultRaised,
    RequestFailed,
    StatusNotUnderstood,
)
from cardshoe.devices.reader_meaning import ANSWERS, RING_EVENTS
from cardshoe.devices.reader_terms import NoCard, Place, ReaderFlag, ReaderState, ScanResult
from cardshoe.devices.shoe_terms import BootCause
from cardshoe.link.events import LostReason, NotSentReason
from cardshoe.link.messages import RejectReason
from cardshoe.wire.spec import Kind, load_faults

DIRTY = load_faults()[0x0401]
AH, KD = Card("Ah"), Card("Kd")

MEANINGS = [
    ("BOOTED", {"cause": 2}, happened.ReaderBooted(1, BootCause.RESET)),
    ("CARD_READ", {"place": 7, "index": 4, "face": AH.index}, happened.CardRead(1, Place.BOARD, 4, AH)),
    ("CARD_READ", {"place": 0, "index": 0, "face": 0xFE}, happened.CardRead(1, Place.DEALER, 0, NoCard.UNREADABLE)),
    ("CARD_READ", {"place": 6, "index": 1, "face": 0xFD}, happened.CardRead(1, Place.POSITION_6, 1, NoCard.FOREIGN)),
    ("PLACE_CLEARED", {"place": 1}, happened.PlaceCleared(1, Place.POSITION_1)),
    ("FAULT_RAISED", {"fault": 0x0401, "detail": 0}, FaultRaised(1, DIRTY, 0)),
    ("FAULT_CLEARED", {"fault": 0x0401}, FaultCleared(1, DIRTY)),
]


@pytest.mark.parametrize(("name", "fields", "meaning"), MEANINGS)
def test_every_event_means_one_thing(name: str, fields: dict[str, Any], meaning: Any) -> None:
    """READER-2.1, READER-2.3, READER-4.2, READER-4.3, FR-17."""
    assert reader_bench().event(name, **fields) == meaning


@pytest.mark.parametrize("face", range(52))
def test_a_face_is_the_card_of_the_deck(face: int) -> None:
    """READER-1.3: rank × 4 + suit."""
    told = reader_bench().event("CARD_READ", place=7, index=0, face=face)
    assert told.face is DECK[face]
    assert told.face.text == "23456789TJQKA"[face // 4] + "cdhs"[face % 4]


@pytest.mark.parametrize("face", [*range(52, 0xFD), 0xFF])
def test_a_face_that_is_none_is_no_card(face: int) -> None:
    """READER-1.3: neither guessed nor taken for "no card": a card lies there."""
    told = reader_bench().event("CARD_READ", place=7, index=0, face=face)
    assert isinstance(told, EventNotUnderstood)


def test_an_unreadable_card_that_becomes_readable_keeps_its_index() -> None:
    """READER-2.2, FR-17: the driver tells both and merges nothing."""
    bench = reader_bench()
    first = bench.event("CARD_READ", place=7, index=2, face=0xFE)
    second = bench.event("CARD_READ", place=7, index=2, face=KD.index)
    assert (first.index, first.face, second.index, second.face) == (2, NoCard.UNREADABLE, 2, KD)


def test_every_card_is_as_long_on_the_line() -> None:
    """READER-2.5, P4: one message length, whatever the face."""
    assert wire.READER_CODEC.spec.messages["CARD_READ"].size == 8 + 4 + 4 + 3


@pytest.mark.parametrize(
    ("name", "fields"),
    [("BOOTED", {"cause": 4}), ("CARD_READ", {"place": 8}), ("PLACE_CLEARED", {"place": 255}), ("FAULT_RAISED", {})],
)
def test_a_value_that_the_protocol_does_not_know_is_told_in_its_place(name: str, fields: dict[str, Any]) -> None:
    """P5, FR-27: the round can be held."""
    told = reader_bench().event(name, **fields)
    assert isinstance(told, EventNotUnderstood)
    assert told.event_id == 1


# --- scans


def scan(bench: Bench, place: Place = Place.BOARD) -> bytes:
    """Ask for a place; returns what the driver wrote."""
    driver: Any = bench.driver
    data = driver.scan(place=place, now=0.0, deadline=1.0).data
    assert bench.said(data) == [wire.Scan(place)]
    return bytes(data)


def faces(*values: int) -> bytes:
    """The `faces` of SCAN_REPLY."""
    return bytes(values).ljust(8, b"\xff")


@pytest.mark.parametrize(
    ("fields", "meaning"),
    [
        (
            {"result": 0, "faces": faces(AH.index, 0xFE, KD.index, 0xFD)},
            happened.PlaceScanned(Place.BOARD, ScanResult.OK, (AH, NoCard.UNREADABLE, KD, NoCard.FOREIGN)),
        ),
        (
            {"result": 0, "faces": bytes(range(8))},
            happened.PlaceScanned(Place.BOARD, ScanResult.OK, DECK[:8]),
        ),
        ({"result": 1, "faces": faces()}, happened.PlaceScanned(Place.BOARD, ScanResult.PLACE_EMPTY, ())),
        ({"result": 2, "faces": faces()}, happened.PlaceScanned(Place.BOARD, ScanResult.UNSTEADY, ())),
        ({"result": 3, "faces": faces()}, happened.PlaceScanned(Place.BOARD, ScanResult.BAD_VALUE, ())),
    ],
)
def test_a_scan_is_answered_in_order_of_index(fields: dict[str, Any], meaning: Any) -> None:
    """READER-1.2, READER-3.1."""
    bench = reader_bench()
    assert bench.reply(scan(bench), **fields) == (meaning,)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"result": 4, "faces": faces()}, id="no such result"),
        pytest.param({"result": 0, "faces": faces()}, id="ok and nothing there"),
        pytest.param({"result": 1, "faces": faces(3)}, id="empty and a card there"),
        pytest.param({"result": 0, "faces": faces(52)}, id="no such face"),
        pytest.param({"result": 0, "faces": faces(3, 0xFF, 4)}, id="a hole"),
        pytest.param({"result": 0, "faces": faces(3), "place": 6}, id="another place"),
        pytest.param({"result": 0, "faces": faces(3), "place": 8}, id="no such place"),
    ],
)
def test_an_absurd_scan_is_no_scan(fields: dict[str, Any]) -> None:
    """READER-3.1, FR-33: nothing of it is used."""
    bench = reader_bench()
    assert bench.reply(scan(bench), **fields) == (RequestFailed("SCAN", None, LostReason.OUT_OF_STEP),)


def test_a_scan_without_an_answer_failed() -> None:
    """LINK-4.5, LINK-4.8: rejected, lost, never sent."""
    bench = reader_bench()
    assert bench.reject(scan(bench), 6) == (RequestFailed("SCAN", None, RejectReason.BAD_VALUE),)
    scan(bench)
    assert bench.driver.close().happened[0] == RequestFailed("SCAN", None, LostReason.CLOSED)
    driver: Any = bench.driver
    output = driver.scan(place=Place.BOARD, now=0.0, deadline=1.0)
    assert output.happened == (RequestFailed("SCAN", None, NotSentReason.NO_SESSION),)


def test_counters() -> None:
    """READER-4.4."""
    bench = reader_bench()
    driver: Any = bench.driver
    data = driver.read_counters(now=0.0, deadline=1.0).data
    told = bench.reply(data, cards_read_total=1, rereads_total=2, unreadable_total=3, faults_total=4)
    assert told == (happened.ReaderCountersRead(1, 2, 3, 4),)


# --- status, locks


def test_status_in_the_field_s_words() -> None:
    """READER-1.2, READER-4.1."""
    told = reader_bench().status(state=1, flags=3, places_occupied=0b1000_0010, faces_seen=7, cards_read_total=9)
    assert told.status == happened.ReaderStatus(
        boot_counter=1,
        uptime_ms=0,
        last_event=0,
        held_events=0,
        lease_left_ms=0,
        state=ReaderState.READY,
        flags=ReaderFlag.LENS_DIRTY | ReaderFlag.GLARE,
        places_occupied=frozenset({Place.POSITION_1, Place.BOARD}),
        faces_seen=7,
        fault=None,
        cards_read_total=9,
        rereads_total=0,
        unreadable_total=0,
    )


@pytest.mark.parametrize("fields", [{"state": 3}, {"flags": 4}, {"places_occupied": 256}, {"fault": 1}])
def test_a_status_that_the_protocol_does_not_know_is_told(fields: dict[str, int]) -> None:
    """P5, FR-33."""
    assert isinstance(reader_bench().status(**fields), StatusNotUnderstood)


def test_a_shoe_in_the_reader_s_place_is_refused() -> None:
    """READER-1.1, LINK-5.3."""
    bench = reader_bench(opened=False)
    (told,) = bench.open(result=1, device_kind=1, spec_hash=bytes(32))
    assert isinstance(told, DeviceRefused)
    assert told.error.code == "device-other-kind"


def test_every_event_and_reply_of_the_protocol_has_a_meaning() -> None:
    """The file's events and replies, ours, and the reverse."""
    messages = wire.READER_CODEC.spec.messages.values()
    for kind, table in ((Kind.EVENT, RING_EVENTS), (Kind.REPLY, ANSWERS)):
        names = {"".join(word.capitalize() for word in m.name.split("_")) for m in messages if m.kind is kind}
        assert {cls.__name__ for cls in table} == names - {"AttestReply", "UnpairReply"}  # the link's own
    ring = {type(meaning) for _name, _fields, meaning in MEANINGS}
    assert ring - {FaultRaised, FaultCleared} == set(get_args(happened.ReaderRingEvent))


def test_random_messages_never_raise_and_always_mean_something() -> None:
    """FR-33: each event with 200 random payloads gives exactly one event of the closed set."""
    random = Random(53)
    known = set(get_args(happened.ReaderEvent))
    for message in wire.READER_CODEC.spec.messages.values():
        if message.kind is Kind.EVENT:
            for _ in range(200):
                fields = {field.name: random.randrange(256**field.size) for field in message.fields[3:]}
                assert type(reader_bench().event(message.name, **fields)) in known
