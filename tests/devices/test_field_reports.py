"""The field reports that concern a driver, one test each, at the level of the driver.

FR-02, FR-04, FR-05, FR-08, FR-13, FR-14, FR-17, FR-20, FR-26 to FR-33, FR-39, FR-42, FR-43; the laws behind them are in
the tests of wire and link.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from driver_bench import Bench, reader_bench, shoe_bench

from cardshoe.devices import shoe_events as happened
from cardshoe.devices import shoe_wire as wire
from cardshoe.devices.events import DeviceIdentified, DeviceLost, DeviceRefused, RequestFailed
from cardshoe.devices.reader_events import CardRead
from cardshoe.devices.reader_terms import NoCard
from cardshoe.devices.shoe_events import CommandAccepted, CommandOutcomeUnknown, StackReady
from cardshoe.devices.shoe_terms import Outcome
from cardshoe.link.events import LostReason


def ask(bench: Bench, command_id: int, *, now: float = 0.0, within: float = 0.9) -> bytes:
    """Ask for a stack of two."""
    driver: Any = bench.driver
    output = driver.dispense(command_id=command_id, deck_id=1, cards=2, destination=1, now=now, deadline=now + within)
    return bytes(output.data)


def test_fr_02_half_an_answer_is_no_answer() -> None:
    """FR-02: every reply split at every byte, the rest after a pause; "1" of "10" is never a value."""
    whole = shoe_bench()
    answer = whole.frame("DISPENSE_REPLY", {"command_id": 10, "result": 0}, sequence=1)
    for at in range(1, len(answer)):
        bench = shoe_bench()
        ask(bench, 10)
        assert bench.driver.receive(answer[:at], 0.1).happened == ()
        assert bench.driver.receive(answer[at:], 0.14).happened == (CommandAccepted(10),)


def test_fr_04_accepted_is_not_done() -> None:
    """FR-04: accepted at once; done 4 s later, never, or before the acceptance: four different stories."""
    bench = shoe_bench()
    assert bench.reply(ask(bench, 1), result=0) == (CommandAccepted(1),)
    late = bench.event("STACK_READY", 0.9, command_id=1, deck_id=1, cards=2)
    assert isinstance(late, StackReady)
    data = ask(bench, 2, now=0.9)
    early = bench.event("STACK_READY", 0.91, command_id=2, deck_id=1, cards=2)
    assert isinstance(early, StackReady)
    assert bench.reply(data, 0.92, result=0) == (CommandAccepted(2),)


def test_fr_05_a_card_between_two_commands_is_told_as_what_it_is() -> None:
    """FR-05: never as part of a stack."""
    assert shoe_bench().event("CARD_UNEXPECTED", cards=1) == happened.CardUnexpected(1, 1)


def test_fr_08_an_open_port_is_no_living_device() -> None:
    """FR-08: lost by silence; what was queued meanwhile is not acted on when it comes."""
    bench = shoe_bench()
    queued = bench.frame("STACK_READY", {"event_id": 1, "boot_counter": 1, "command_id": 1, "cards": 2}, sequence=0)
    (lost,) = bench.driver.receive(queued, 4.0).happened
    assert isinstance(lost, DeviceLost)
    assert bench.driver.receive(queued, 4.1).happened == ()
    assert isinstance(bench.open(5.0)[0], DeviceIdentified)


def test_fr_13_no_banner_is_waited_for() -> None:
    """FR-13: a banner at open, or none, makes no difference."""
    for banner in (b"", b"CS-1000 ready\r\n"):
        bench = shoe_bench(opened=False)
        output = bench.driver.open(0.0, deadline=2.0)
        answer = bench.hello_reply(output.data)
        assert isinstance(bench.driver.receive(banner + answer, 0.1).happened[0], DeviceIdentified)


def test_fr_14_one_command_at_a_time() -> None:
    """FR-14: a device that overwrites a command that comes too soon never gets one too soon."""
    bench = shoe_bench()
    first = ask(bench, 1)
    assert bench.said(ask(bench, 2)) == []
    (frame,) = bench.frames(first)
    answer = bench.frame("DISPENSE_REPLY", {"command_id": 1, "result": 0}, sequence=frame.sequence)
    assert bench.said(bench.driver.receive(answer, 0.1).data) == [wire.Dispense(2, 1, 2, 1)]


def test_fr_17_unreadable_is_not_absent() -> None:
    """FR-17: a card that cannot be read is a card; a damaged frame is neither."""
    bench = reader_bench()
    told = bench.event("CARD_READ", place=7, index=0, face=0xFE)
    assert isinstance(told, CardRead)
    assert told.face is NoCard.UNREADABLE
    damaged = bytearray(bench.frame("CARD_READ", {"event_id": 2, "place": 7, "index": 1, "face": 3}, sequence=0))
    damaged[8] ^= 4
    assert bench.driver.receive(bytes(damaged), 0.1).happened == ()


def test_fr_20_what_the_device_does_by_itself_is_the_truth() -> None:
    """FR-20: it gives the stack away while a command waits; both are told, in order."""
    bench = shoe_bench()
    bench.event("STACK_READY", command_id=1, deck_id=1, cards=2)
    data = ask(bench, 2)
    assert bench.event("STACK_TAKEN", command_id=1, cards=2) == happened.StackTaken(2, 1, 2)
    (refused,) = bench.reply(data, result=4)
    assert isinstance(refused, happened.CommandRefused)


def test_fr_26_a_device_in_the_middle_of_a_frame_is_freed() -> None:
    """FR-26: each attempt begins with a delimiter, each repeat after a pause too."""
    bench = shoe_bench(opened=False)
    assert bench.driver.open(0.0, deadline=2.0).data[0] == 0
    assert bench.driver.advance(0.25).data[0] == 0


def test_fr_27_an_unlisted_answer_ends_the_wait() -> None:
    """FR-27: a result that does not exist is not waited out, and claims nothing."""
    bench = shoe_bench()
    assert bench.reply(ask(bench, 1), result=200) == (CommandOutcomeUnknown(1, LostReason.OUT_OF_STEP),)


def test_fr_28_six_hundred_commands_in_a_row() -> None:
    """FR-28: past the wrap of the sequence, each accepted once."""
    bench = shoe_bench()
    for command_id in range(1, 601):
        now = command_id * 1e-4
        assert bench.reply(ask(bench, command_id, now=now), now, result=0) == (CommandAccepted(command_id),)


def test_fr_29_nothing_of_before_the_session_enters_it() -> None:
    """FR-29: three valid old card frames, then the answer to HELLO."""
    bench = reader_bench()
    old = [
        bench.frame("CARD_READ", {"event_id": number, "boot_counter": 1, "place": 7, "face": 3}, sequence=0)
        for number in (1, 2, 3)
    ]
    bench.driver.close()
    output = bench.driver.open(1.0, deadline=3.0)
    assert bench.driver.receive(b"".join(old), 1.1).happened == ()
    told = bench.driver.receive(bench.hello_reply(output.data) + b"".join(old), 1.2).happened
    assert [type(event) for event in told] == [DeviceIdentified]


def test_fr_30_a_device_in_a_failed_state_is_no_loop() -> None:
    """FR-30: asked until the deadline that the caller set, then a reason; opening again is offered, not done."""
    bench = shoe_bench(opened=False)
    output = bench.driver.open(0.0, deadline=60.0)
    asked, told = 1, list(output.happened)
    while (at := bench.driver.next_deadline()) is not None:
        output = bench.driver.receive(b"\x00failed, watchdog\x00", at)
        asked += len(bench.said(output.data))
        told += output.happened
    assert asked == 240
    assert [type(event) for event in told] == [DeviceRefused]


def test_fr_31_one_bad_frame_is_not_repeated_for_ever() -> None:
    """FR-31: a device that rejects one frame always: one rejection, one event, no loop."""
    bench = shoe_bench()
    (told,) = bench.reject(ask(bench, 1), 2)
    assert isinstance(told, happened.CommandRejected)
    assert bench.said(bench.driver.advance(0.24).data) == []


def test_fr_32_a_repeat_is_the_same_order() -> None:
    """FR-32: the frame of the command in flight to the byte, never its neighbour."""
    bench = shoe_bench()
    first = bench.frames(ask(bench, 1))
    ask(bench, 2)
    assert bench.frames(bench.driver.advance(0.15).data) == first


def test_fr_33_an_absurd_field_moves_nothing() -> None:
    """FR-33: an answer about another command is no answer about this one."""
    bench = shoe_bench()
    driver: Any = bench.driver
    data = driver.query_command(command_id=134_497, now=0.0, deadline=1.0).data
    told = bench.reply(data, command_id=34_497, outcome=Outcome.NEVER_SEEN)
    assert told == (RequestFailed("QUERY_COMMAND", 134_497, LostReason.OUT_OF_STEP),)


def test_fr_39_the_line_is_never_idle_for_two_seconds() -> None:
    """FR-39: a heartbeat each 250 ms keeps an adapter awake; a first command that fails is queried, not repeated."""
    bench = shoe_bench()
    spoken = [0.0]
    for bench.beat in range(1, 40):
        bench.status(spoken[-1] + 0.01)
        at = bench.driver.next_deadline() or 0.0
        assert bench.frames(bench.driver.advance(at).data) != []
        spoken.append(at)
    assert max(after - before for before, after in pairwise(spoken)) <= 0.25


def test_fr_42_a_latency_of_16_ms_is_told_and_changes_nothing() -> None:
    """FR-42: measured at each heartbeat."""
    assert round(shoe_bench().status(0.016).round_trip_ms) == 16


def test_fr_43_the_driver_never_opens_by_itself() -> None:
    """FR-43: so that a brief success cannot reset a back-off that is not here."""
    bench = shoe_bench()
    bench.driver.advance(1.0)
    assert (bench.driver.next_deadline(), bench.driver.advance(100.0).data) == (None, b"")
