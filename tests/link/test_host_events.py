"""Events: in order, once, acknowledged when the caller has them safe; a loss is told.

Proves for the host LINK-5.11, LINK-7.1 to LINK-7.8 and E27, E28; FR-20, FR-23, FR-29.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_device import frame_of, make_host
from test_host_session import messages, opened, status

from cardshoe.devices.shoe_wire import DeckLoaded
from cardshoe.link.events import EventArrived, EventNotUnderstood, EventsLost, LinkLost, LinkOutput, StatusArrived
from cardshoe.link.inbox import EventInbox
from cardshoe.link.machine import HostLink
from cardshoe.link.messages import EventAck, Heartbeat, Hello
from cardshoe.wire.framing import encode_frame


def event(event_id: int, *, session: int = 1, boot: int = 1) -> bytes:
    """An event frame; its sequence means nothing."""
    fields = {"event_id": event_id, "boot_counter": boot, "uptime_ms": 0}
    return frame_of("DECK_LOADED", fields, session=session, sequence=(event_id * 7) % 256)


def ids(output: LinkOutput) -> list[int]:
    """The event ids that were handed over."""
    return [told.event_id for told in output.events if isinstance(told, EventArrived)]


def acks(output: LinkOutput) -> list[int]:
    """The acknowledgements on the line."""
    return [message.consumed_event for message in messages(output) if isinstance(message, EventAck)]


def ready(consumed: int | None = 0, **reply: Any) -> HostLink:
    """A host in a session."""
    host = make_host(consumed_event=consumed)
    opened(host, **reply)
    return host


def test_events_are_handed_over_in_order_and_not_acknowledged_by_themselves() -> None:
    """LINK-7.3, LINK-7.4, LINK-7.5, P2: acknowledged when the journal has them, not before."""
    host = ready()
    output = host.receive(event(1) + event(2) + event(3), 0.01)
    assert [told for told in output.events if isinstance(told, EventArrived)] == [
        EventArrived(number, DeckLoaded(number, 1, 0)) for number in (1, 2, 3)
    ]
    assert acks(output) == []
    assert acks(host.acknowledge(2, 0.02)) == [2]
    assert acks(host.acknowledge(3, 0.03)) == [3]


def test_an_event_that_comes_again_is_handed_over_once() -> None:
    """LINK-7.5: not safe yet: in silence; safe: acknowledged again, once for each read."""
    host = ready()
    host.receive(event(1) + event(2), 0.01)
    assert host.receive((event(1) + event(2)) * 3, 0.02) == LinkOutput(b"", ())
    host.acknowledge(2, 0.03)
    output = host.receive((event(1) + event(2)) * 3, 0.04)
    assert (ids(output), acks(output)) == ([], [2])


def test_an_event_beyond_the_next_waits_for_the_missing_one() -> None:
    """LINK-7.5: left alone, neither kept nor acknowledged; the repeats bring it."""
    host = ready()
    output = host.receive(event(2) + event(3), 0.01)
    assert output == LinkOutput(b"", ())
    assert ids(host.receive(event(1) + event(3) + event(2), 0.02)) == [1, 2]
    assert ids(host.receive(event(3), 0.03)) == [3]


@given(st.lists(st.integers(1, 12), max_size=60))
def test_whatever_comes_whenever_each_event_is_handed_over_once_and_in_order(arrivals: list[int]) -> None:
    """LINK-7.1, LINK-7.5: the law over any order, loss and repetition."""
    host = ready()
    handed = [number for event_id in arrivals for number in ids(host.receive(event(event_id), 0.01))]
    assert handed == list(range(1, len(handed) + 1))
    wanted = 1
    for event_id in arrivals:
        wanted += event_id == wanted
    assert len(handed) == wanted - 1


def test_hello_says_what_is_safe_and_the_device_goes_on_from_there() -> None:
    """LINK-5.11, LINK-7.8, FR-29: received but not safe is not consumed; a new session does not hand it over again."""
    host = ready(consumed=40, oldest_event=41, last_event=43)
    assert ids(host.receive(event(41) + event(42) + event(43), 0.01)) == [41, 42, 43]
    host.acknowledge(41, 0.02)
    host.close()
    host.acknowledge(42, 0.5)  # without a session: HELLO will tell
    (hello,) = messages(host.open(1.0, deadline=2.0))
    assert isinstance(hello, Hello)
    assert hello.consumed_event == 42
    output = opened(host, 1.1, session=2, oldest_event=43, last_event=44)
    assert [type(told) for told in output.events if isinstance(told, EventsLost)] == []
    assert ids(host.receive(event(43, session=2) + event(44, session=2), 1.2)) == [44]


@pytest.mark.parametrize(
    ("oldest", "last", "lost", "next_id"),
    [
        pytest.param(41, 40, None, 41, id="nothing new"),
        pytest.param(41, 45, None, 41, id="five held"),
        pytest.param(38, 45, None, 41, id="LINK-7.5 already consumed ones are still held"),
        pytest.param(42, 45, EventsLost(40, 42, 45), 42, id="LINK-7.6 one gone"),
        pytest.param(46, 45, EventsLost(40, 46, 45), 46, id="LINK-7.6 all gone"),
        pytest.param(40, 39, EventsLost(40, 40, 39), 40, id="LINK-7.6 E27 last below the consumed"),
        pytest.param(1, 0, EventsLost(40, 1, 0), 1, id="LINK-7.6 E27 the count fell to 0"),
        pytest.param(1, 7, EventsLost(40, 1, 7), 1, id="LINK-7.2 a bench device that lost its ring"),
    ],
)
def test_loss_is_seen_at_hello(oldest: int, last: int, lost: EventsLost | None, next_id: int) -> None:
    """LINK-7.6, E27, E28: told, and the exchange goes on from the oldest that the device holds."""
    host = make_host(consumed_event=40)
    output = opened(host, oldest_event=oldest, last_event=last)
    assert [told for told in output.events if isinstance(told, EventsLost)] == ([] if lost is None else [lost])
    assert ids(host.receive(event(next_id), 0.1)) == [next_id]


def test_a_device_never_met_before_has_lost_nothing() -> None:
    """LINK-7.6: without a memory of it there is nothing to compare."""
    host = make_host()
    output = opened(host, oldest_event=900, last_event=905)
    assert not any(isinstance(told, EventsLost) for told in output.events)
    assert ids(host.receive(event(900), 0.1)) == [900]


def test_loss_is_seen_in_the_status_of_a_running_session() -> None:
    """LINK-7.6, LINK-7.7: a full ring wrote over events 3 and 4; the session goes on from 5, once told."""
    host = ready(ring_size=16)
    host.receive(event(1) + event(2), 0.01)
    output = host.receive(status(1, last_event=20, held_events=16), 0.02)
    assert [type(told) for told in output.events] == [EventsLost, StatusArrived]
    assert output.events[0] == EventsLost(2, 5, 20)
    assert ids(host.receive(event(5), 0.03)) == [5]
    host.advance(0.25)
    output = host.receive(status(2, last_event=20, held_events=16), 0.26)
    assert [type(told) for told in output.events] == [StatusArrived]


def test_a_count_that_falls_in_a_running_session_is_a_loss() -> None:
    """LINK-7.6, E27: below what was received before the device was asked."""
    host = ready()
    host.receive(event(1) + event(2), 0.01)
    host.receive(status(1, last_event=2, held_events=2), 0.02)
    host.advance(0.25)
    assert EventsLost(2, 1, 1) in host.receive(status(2, last_event=1, held_events=1), 0.26).events


def test_a_status_older_than_the_events_is_no_loss() -> None:
    """LINK-7.6: an event that was sent after the status and came before it."""
    host = ready()
    host.receive(event(1) + event(2), 0.01)
    output = host.receive(status(1, last_event=1, held_events=1), 0.02)
    assert [type(told) for told in output.events] == [StatusArrived]


@pytest.mark.parametrize(("last", "held"), [(0, 9), (2**64 - 1, 0), (5, 65535), (0, 0)])
def test_absurd_counts_neither_raise_nor_end_the_session(last: int, held: int) -> None:
    """FR-33, E28: whatever the numbers say."""
    host = ready()
    output = host.receive(status(1, last_event=last, held_events=held), 0.02)
    assert not any(isinstance(told, LinkLost) for told in output.events)
    assert messages(host.advance(0.25)) == [Heartbeat(1000)]


def test_an_event_that_the_protocol_does_not_know_is_not_passed_over() -> None:
    """LINK-7.5, FR-23, P5: told in its place in the order, so that the round can be held."""
    host = ready()
    payload = (1).to_bytes(8, "little") + (1).to_bytes(4, "little") + bytes(4) + b"?"
    unknown = encode_frame(session=1, type=0x7F, sequence=0, payload=payload)
    assert host.receive(event(2) + unknown, 0.01).events == (EventNotUnderstood(1, 0x7F, payload),)
    assert ids(host.receive(unknown + event(2), 0.02)) == [2]


def test_an_event_of_another_length_is_dropped_and_counted() -> None:
    """LINK-2.8: it is not taken for the event that it may have been."""
    host = ready()
    before = host.dropped
    payload = (1).to_bytes(8, "little") + (1).to_bytes(4, "little") + bytes(5)
    frame = encode_frame(session=1, type=0x6A, sequence=0, payload=payload)
    assert host.receive(frame, 0.01).events == ()
    assert host.dropped == before + 1
    assert ids(host.receive(event(1), 0.02)) == [1]


def test_no_more_than_a_ring_of_events_is_handed_over_unacknowledged() -> None:
    """LINK-7.2, P9: a device that streams events for ever fills no memory; the acknowledgement lets the next come."""
    host = ready(ring_size=16)
    handed = [number for event_id in range(1, 200) for number in ids(host.receive(event(event_id), 0.01))]
    assert handed == list(range(1, 17))
    host.acknowledge(1, 0.02)
    assert ids(host.receive(event(17) + event(18), 0.03)) == [17]


@given(st.lists(st.tuples(st.sampled_from(["arrive", "acknowledge"]), st.integers(0, 2**64 - 1) | st.integers(0, 30))))
def test_the_marks_never_go_back_or_past_each_other(steps: list[tuple[str, int]]) -> None:
    """LINK-7.4, LINK-7.5: safe never exceeds received, and an id that was never received acknowledges nothing."""
    inbox = EventInbox(0)
    inbox.begin_session(oldest=1, last=0, ring_size=16)
    for what, event_id in steps:
        before = (inbox.safe, inbox.received)
        inbox.arrived(event_id) if what == "arrive" else inbox.acknowledge(event_id)
        assert before[0] <= inbox.safe <= inbox.received
        assert before[1] <= inbox.received <= before[1] + 1
