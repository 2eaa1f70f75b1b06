"""How the host begins a session, keeps it alive, and knows that it is lost.

Proves for the host LINK-1.4, LINK-3.4, LINK-5.1 to LINK-5.7, LINK-5.9 to LINK-5.12, LINK-6.1, LINK-6.3, LINK-6.5,
LINK-6.6, LINK-8.1, LINK-8.2, LINK-9.1 and S18, FR-13, FR-26, FR-29, FR-30, FR-39, FR-42.
"""

from __future__ import annotations

from itertools import count
from random import Random
from typing import Any

import pytest
from scripted_device import SPEC, TYPE, frame_of, hello_reply_fields, make_host, status_fields

from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.link.events import LinkLost, LinkOutput, LostReason, Refusal, SessionOpened, SessionRefused, StatusArrived
from cardshoe.link.machine import HostLink, Phase
from cardshoe.link.messages import EventAck, Heartbeat, Hello
from cardshoe.wire.framing import Deframer, Frame, encode_frame

NO_SESSION, WRONG_SEQUENCE = 1, 4


def sent(output: LinkOutput) -> list[Frame]:
    """The frames of an output; everything that the host writes is frames."""
    deframer = Deframer()
    frames = deframer.feed(output.data)
    assert deframer.dropped == 0
    return frames


def messages(output: LinkOutput) -> list[Any]:
    """The typed messages of an output."""
    return [SHOE_CODEC.decode(frame) for frame in sent(output)]


def opened(host: HostLink, now: float = 0.0, **reply: Any) -> LinkOutput:
    """Open a session; returns the output that answers HELLO_REPLY."""
    (hello,) = messages(host.open(now, deadline=now + 5))
    output = host.receive(hello_reply(hello, **reply), now)
    assert host.phase is Phase.OPEN
    return output


def hello_reply(hello: Hello, **changes: Any) -> bytes:
    """An answer to `hello`."""
    return frame_of("HELLO_REPLY", hello_reply_fields(hello.host_nonce, **changes), session=0, sequence=0)


def status(sequence: int, *, session: int = 1, **changes: int) -> bytes:
    """A STATUS."""
    return frame_of("STATUS", status_fields(**changes), session=session, sequence=sequence)


def reject(reason: int, rejected_type: str, *, session: int = 1, sequence: int = 0) -> bytes:
    """A REJECT."""
    fields = {"reason": reason, "rejected_type": TYPE[rejected_type]}
    return frame_of("REJECT", fields, session=session, sequence=sequence)


# --- HELLO


def test_a_session_begins_with_a_delimiter_and_hello() -> None:
    """LINK-5.1, LINK-5.2, LINK-5.9, LINK-5.12, FR-13, FR-26: 00 first, session 0, our spec hash, a clear session."""
    output = make_host(consumed_event=77).open(10.0, deadline=12.0)
    assert output.data[:1] == b"\x00"
    (frame,), (hello,) = sent(output), messages(output)
    assert (frame.type, frame.session) == (TYPE["HELLO"], 0)
    assert hello._replace(host_nonce=b"") == Hello(b"", SPEC.hash, 0, 0, 77)
    assert len(hello.host_nonce) == 16


def test_hello_is_repeated_every_250_ms_with_the_same_nonce_until_the_deadline() -> None:
    """LINK-5.12, LINK-8.1, P9, FR-27: seven asks in 1.6 s, the same bytes, then silence and a reason."""
    host = make_host()
    first = host.open(0.0, deadline=1.6)
    frames, times = sent(first), [0.0]
    while (at := host.next_deadline()) is not None:
        output = host.advance(at)
        frames += sent(output)
        times += [at] * len(sent(output))
    assert times == pytest.approx([0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5])
    assert set(frames) == {frames[0]}
    assert output.events == (SessionRefused(Refusal.SILENT, None, 0),)
    assert (host.phase, host.advance(2.0)) == (Phase.CLOSED, LinkOutput(b"", ()))


def test_each_session_has_a_fresh_nonce() -> None:
    """LINK-5.2: the nonce of the attempt before is never used again."""
    host = make_host()
    nonces = {messages(host.open(float(now), deadline=now + 1))[0].host_nonce for now in range(50)}
    assert len(nonces) == 50


def test_a_nonce_of_another_length_is_refused() -> None:
    """LINK-5.2: whoever gives the randomness learns of a mistake at once."""
    with pytest.raises(ValueError, match="16 bytes, not 8"):
        HostLink(SHOE_CODEC, nonce=lambda: bytes(8)).open(0.0, deadline=1.0)


def test_the_answer_opens_the_session_and_the_heart_beats_at_once() -> None:
    """LINK-5.3, LINK-5.4, LINK-6.1: the session's number is in every further frame."""
    output = opened(make_host(), session=9, serial="S-77")
    assert [type(event) for event in output.events] == [SessionOpened]
    identity = output.events[0].identity
    assert (identity.serial, identity.session, identity.ring_size) == ("S-77", 9, 16)
    assert messages(output) == [Heartbeat(1000)]
    assert [frame.session for frame in sent(output)] == [9]


def test_everything_before_the_answer_is_dropped() -> None:
    """LINK-5.12, FR-29, FR-13: noise, a banner, old events, an old HELLO_REPLY and REJECT none of which enters."""
    host = make_host()
    (hello,) = messages(host.open(0.0, deadline=5.0))
    old_event = frame_of("DECK_LOADED", {"event_id": 1, "boot_counter": 1, "uptime_ms": 5}, session=1, sequence=1)
    other_nonce = hello._replace(host_nonce=bytes(16))
    noise = b"READY v1.0\r\n\x00\xff\xfe" + b"\x00" + old_event * 3 + status(0) + reject(NO_SESSION, "HEARTBEAT")
    output = host.receive(noise + hello_reply(other_nonce, session=3), 0.1)
    assert (output, host.phase) == (LinkOutput(b"", ()), Phase.OPENING)
    assert host.dropped == 8
    output = host.receive(hello_reply(hello, session=4), 0.2)
    assert [type(event) for event in output.events] == [SessionOpened]
    assert [frame.session for frame in sent(output)] == [4]


def test_a_device_that_is_starting_is_asked_again() -> None:
    """LINK-5.3, LINK-5.12, S18, FR-30: `busy` three times, the same challenge each time, then the session."""
    host = make_host()
    (hello,) = messages(host.open(0.0, deadline=5.0))
    for repeat in range(1, 4):
        assert host.receive(hello_reply(hello, result=4, session=0), repeat * 0.25 - 0.1).events == ()
        assert messages(host.advance(repeat * 0.25)) == [hello]
    assert [type(event) for event in host.receive(hello_reply(hello), 0.8).events] == [SessionOpened]


def test_a_device_that_goes_on_starting_is_named_as_such() -> None:
    """LINK-5.3, FR-30: busy until the deadline is not silence."""
    host = make_host()
    (hello,) = messages(host.open(0.0, deadline=1.0))
    host.receive(hello_reply(hello, result=4, session=0), 0.1)
    assert host.advance(1.0).events == (SessionRefused(Refusal.BUSY, None, 0),)


@pytest.mark.parametrize(
    ("changes", "refusal"),
    [
        pytest.param({"result": 1, "spec_hash": bytes(32)}, Refusal.WRONG_SPEC_HASH, id="LINK-5.3 the device says so"),
        pytest.param({"spec_hash": bytes(32)}, Refusal.WRONG_SPEC_HASH, id="LINK-5.3 ok with another hash"),
        pytest.param({"result": 2}, Refusal.PURPOSE_UNAVAILABLE, id="LINK-5.8"),
        pytest.param({"result": 3}, Refusal.SECURITY_UNAVAILABLE, id="LINK-5.9"),
        pytest.param({"result": 5}, Refusal.ABSURD, id="FR-27 a result that does not exist"),
        pytest.param({"session": 0}, Refusal.ABSURD, id="LINK-5.4 session 0"),
        pytest.param({"device_kind": 2}, Refusal.ABSURD, id="LINK-5.3 our hash, another kind"),
        pytest.param({"ring_size": 15}, Refusal.ABSURD, id="LINK-7.2 a ring too small"),
        pytest.param({"oldest_event": 0}, Refusal.ABSURD, id="LINK-7.1 ids begin at 1"),
        pytest.param({"oldest_event": 9, "last_event": 7}, Refusal.ABSURD, id="LINK-5.11 oldest after the last"),
    ],
)
def test_an_answer_that_opens_no_session(changes: dict[str, Any], refusal: Refusal) -> None:
    """LINK-5.3, LINK-5.8, LINK-5.9: refused at once, with who answered; no heartbeat grants a lease (LINK-6.3)."""
    host = make_host()
    (hello,) = messages(host.open(0.0, deadline=5.0))
    output = host.receive(hello_reply(hello, **changes), 0.1)
    (event,) = output.events
    assert isinstance(event, SessionRefused)
    assert event.refusal is refusal
    assert event.identity is not None
    assert event.identity.serial == "S-0001"
    assert (output.data, host.phase, host.next_deadline()) == (b"", Phase.CLOSED, None)


def test_a_device_that_is_not_admitted_gets_no_lease() -> None:
    """LINK-6.3: who answers is looked at before the first heartbeat."""
    host = make_host(admit=lambda identity: identity.serial == "S-0002")
    (hello,) = messages(host.open(0.0, deadline=5.0))
    output = host.receive(hello_reply(hello), 0.1)
    assert [event.refusal for event in output.events] == [Refusal.NOT_ADMITTED]
    assert output.data == b""


def test_noise_and_silence_are_told_apart() -> None:
    """LINK-3.2: "bytes came" sends a person elsewhere than "nothing came"."""
    host = make_host()
    host.open(0.0, deadline=1.0)
    host.receive(b"\x00\x00", 0.1)
    assert host.advance(1.0).events == (SessionRefused(Refusal.SILENT, None, 0),)
    host.open(2.0, deadline=3.0)
    host.receive(b"login: \x00" + status(1), 2.1)
    assert host.advance(3.0).events == (SessionRefused(Refusal.NOISE, None, 2),)
    host.open(4.0, deadline=5.0)  # each attempt counts for itself
    assert host.advance(5.0).events == (SessionRefused(Refusal.SILENT, None, 0),)


def test_an_answer_at_the_deadline_is_too_late() -> None:
    """LINK-8.1, P9: the deadline is looked at before the bytes."""
    host = make_host()
    (hello,) = messages(host.open(0.0, deadline=1.0))
    output = host.receive(hello_reply(hello), 1.0)
    assert [type(event) for event in output.events] == [SessionRefused]


def test_a_repeated_answer_changes_nothing() -> None:
    """LINK-5.5: the same HELLO_REPLY again, in the session."""
    host = make_host()
    (hello,) = messages(host.open(0.0, deadline=5.0))
    host.receive(hello_reply(hello), 0.1)
    assert host.receive(hello_reply(hello, last_event=3), 0.1) == LinkOutput(b"", ())


# --- heartbeat, silence, restart


def test_the_heart_beats_every_250_ms_with_its_own_sequence() -> None:
    """LINK-6.1, FR-28, FR-39: 600 beats, each answered; the sequence wraps after 255 without a hiccup."""
    host = make_host()
    output = opened(host)
    for beat in range(600):
        (frame,) = sent(output)
        assert (frame.type, frame.sequence) == (TYPE["HEARTBEAT"], (beat + 1) % 256)
        (event,) = host.receive(status(frame.sequence), beat * 0.25 + 0.01).events
        assert isinstance(event, StatusArrived)
        assert event.round_trip_s == pytest.approx(0.01)
        at = host.next_deadline()
        assert at == pytest.approx((beat + 1) * 0.25)
        output = host.advance(at)


def test_the_lease_is_what_the_caller_wants_within_the_limits() -> None:
    """LINK-6.3: 250 to 2000 ms."""
    assert messages(opened(make_host(lease=2000))) == [Heartbeat(2000)]
    for lease in (249, 2001, 0):
        with pytest.raises(ValueError, match=f"a lease of {lease} ms is outside 250 to 2000"):
            make_host(lease=lease)


def test_missed_beats_are_not_made_up_for() -> None:
    """LINK-6.1: a host that was held up for 0.8 s beats once."""
    host = make_host()
    opened(host)
    assert len(sent(host.advance(0.8))) == 1
    assert host.next_deadline() == pytest.approx(1.0)


def test_a_status_of_another_heartbeat_is_ignored() -> None:
    """LINK-6.6: neither an old one, nor one twice, nor one that was not asked for yet."""
    host = make_host()
    opened(host)
    host.advance(0.25)
    assert host.receive(status(1) + status(3), 0.3).events == ()
    assert [type(event) for event in host.receive(status(2) * 2, 0.3).events] == [StatusArrived]


def test_a_second_of_silence_loses_the_link_however_open_the_port_looks() -> None:
    """LINK-6.5, LINK-1.4, FR-08, FR-10: at 1000 ms, not before; nothing is sent after it."""
    host = make_host()
    opened(host)
    host.receive(status(1), 0.2)
    for at in (0.25, 0.5, 0.75, 1.0, 1.1999):
        assert host.advance(at).events == ()
    output = host.advance(1.2)
    assert output.events == (LinkLost(LostReason.SILENCE),)
    assert (output.data, host.phase, host.next_deadline()) == (b"", Phase.CLOSED, None)


@pytest.mark.parametrize(
    "trickle",
    [
        pytest.param(b"\x00", id="delimiters"),
        pytest.param(b"U", id="a flood without a delimiter"),
        pytest.param(status(1, session=2), id="LINK-5.6 frames of another session"),
        pytest.param(frame_of("HEARTBEAT", {"lease_ms": 1000}, session=1, sequence=1), id="LINK-4.9 our own frames"),
    ],
)
def test_what_is_no_valid_frame_of_the_session_does_not_keep_it_alive(trickle: bytes) -> None:
    """LINK-6.5, LINK-8.1, P9: bytes are not life."""
    host = make_host()
    opened(host)
    lost = [event for step in range(1, 15) for event in host.receive(trickle, step * 0.1).events]
    assert lost == [LinkLost(LostReason.SILENCE)]


def test_bytes_that_waited_behind_the_silence_do_not_count() -> None:
    """LINK-6.5, FR-08: a host stopped for 3 s does not act on what queued up meanwhile."""
    host = make_host()
    opened(host)
    event = frame_of("DECK_LOADED", {"event_id": 1, "boot_counter": 1, "uptime_ms": 5}, session=1, sequence=1)
    output = host.receive(status(1) + event, 3.0)
    assert output == LinkOutput(b"", (LinkLost(LostReason.SILENCE),))


def test_another_boot_counter_in_status_is_a_restart() -> None:
    """LINK-5.10, E27: higher or lower; what came with it is not used."""
    for boot in (2, 4):
        host = make_host()
        opened(host, boot_counter=3)
        assert host.receive(status(1, boot_counter=boot), 0.1).events == (LinkLost(LostReason.RESTARTED),)


def test_a_later_boot_counter_in_an_event_is_a_restart_and_an_earlier_one_a_kept_event() -> None:
    """LINK-5.10, LINK-7.2, LINK-8.2: the ring keeps events over a restart; uptime orders nothing."""
    host = make_host()
    opened(host, boot_counter=3, last_event=1)
    event = {"event_id": 1, "boot_counter": 2, "uptime_ms": 2**32 - 1}
    assert [e.event_id for e in host.receive(frame_of("DECK_LOADED", event, session=1, sequence=1), 0.1).events] == [1]
    event = {"event_id": 2, "boot_counter": 4, "uptime_ms": 0}
    output = host.receive(frame_of("DECK_LOADED", event, session=1, sequence=2), 0.1)
    assert output.events == (LinkLost(LostReason.RESTARTED),)


def test_reject_no_session_ends_the_session_and_hello_begins_a_new_one() -> None:
    """LINK-5.6, LINK-5.7: for the present session only; the next HELLO has a new nonce."""
    host = make_host()
    (first,) = messages(host.open(0.0, deadline=5.0))
    host.receive(hello_reply(first), 0.0)
    assert host.receive(reject(NO_SESSION, "HEARTBEAT", session=9, sequence=1), 0.1).events == ()
    assert host.receive(reject(NO_SESSION, "HEARTBEAT", sequence=1), 0.1).events == (LinkLost(LostReason.NO_SESSION),)
    (second,) = messages(host.open(0.2, deadline=5.0))
    assert second.host_nonce != first.host_nonce
    output = host.receive(hello_reply(second, session=2), 0.3)
    assert [(frame.session, frame.sequence) for frame in sent(output)] == [(2, 1)]


def test_other_rejects_without_a_command_change_nothing() -> None:
    """LINK-4.4: a REJECT that concerns nothing on the way."""
    host = make_host()
    opened(host)
    assert host.receive(reject(WRONG_SEQUENCE, "DISPENSE") + reject(77, "HEARTBEAT"), 0.1) == LinkOutput(b"", ())


def test_the_host_sends_no_sealed_frame_and_drops_them() -> None:
    """LINK-9.1, LINK-2.2: version 81 is reserved."""
    host = make_host()
    output = host.open(0.0, deadline=5.0)
    assert len(Deframer().feed(output.data)) == 1  # the deframer takes version 01 only


def test_closing_is_quiet_and_opening_an_open_link_ends_its_session() -> None:
    """LINK-6.4: the host says nothing more; the lease runs out by itself."""
    host = make_host()
    opened(host)
    assert host.close() == LinkOutput(b"", (LinkLost(LostReason.CLOSED),))
    assert host.close() == LinkOutput(b"", ())
    opened(host, now=1.0)
    output = host.open(2.0, deadline=3.0)
    assert output.events == (LinkLost(LostReason.CLOSED),)
    assert len(messages(output)) == 1
    assert host.open(2.01, deadline=3.0).data[0] == 0  # LINK-5.12: 00 first, however busy the line was
    assert host.close(LostReason.PORT).events == (LinkLost(LostReason.PORT),)


# --- the line


def test_a_delimiter_goes_before_a_frame_after_50_ms_of_silence() -> None:
    """LINK-3.4: and not when the line was busy."""
    host = make_host()
    opened(host)
    assert host.acknowledge(0, 0.03).data[0] != 0
    assert host.acknowledge(0, 0.079).data[0] != 0
    assert host.acknowledge(0, 0.13).data[0] == 0
    assert messages(host.acknowledge(0, 0.14)) == [EventAck(0)]


def test_a_slow_adapter_does_not_matter() -> None:
    """LINK-8.3, FR-42: every byte of the device comes 16 ms late, one by one at first; the session lasts."""
    host = make_host()
    (hello,) = messages(host.open(0.0, deadline=5.0))
    now = 0.0
    for value in hello_reply(hello):
        now += 0.016
        output = host.receive(bytes([value]), now)
    assert [type(event) for event in output.events] == [SessionOpened]
    for beat in count(1):
        (event,) = host.receive(status(beat % 256), now + 0.016).events
        assert isinstance(event, StatusArrived)
        now = host.next_deadline() or 0.0
        host.advance(now)
        if beat == 100:
            break


def test_a_million_random_bytes_neither_raise_nor_open_anything() -> None:
    """LINK-3.2, P9: opening, open and closed; the answer to garbage is nothing."""
    random = Random(17)
    host = make_host()
    host.open(0.0, deadline=1e9)
    for step in range(300):
        assert host.receive(random.randbytes(1000), step * 1e-4).events == ()
    host.close()
    for _ in range(300):
        assert host.receive(random.randbytes(1000), 1.0) == LinkOutput(b"", ())
    opened(host, now=2.0)
    for step in range(400):
        output = host.receive(random.randbytes(1000), 2 + step * 1e-3)
        assert output.events == ()
        assert {SHOE_CODEC.decode(frame) for frame in sent(output)} <= {Heartbeat(1000)}


@pytest.mark.parametrize("name", sorted(name for name, spec in SPEC.messages.items() if spec.sender.value == "device"))
def test_absurd_fields_never_raise(name: str) -> None:
    """FR-33, FR-27: each message of the device with random payloads of the right length, in and before a session."""
    random = Random(f"absurd {name}")
    spec = SPEC.messages[name]
    for payload in [bytes(spec.size), b"\xff" * spec.size, *(random.randbytes(spec.size) for _ in range(200))]:
        host = make_host()
        host.open(0.0, deadline=5.0)
        frame = Frame(0, spec.type, 1, payload)
        host.receive(_wire(frame), 0.01)
        host.close()
        opened(host, now=1.0)
        output = host.receive(_wire(frame._replace(session=1)), 1.01)
        sent(output)


def _wire(frame: Frame) -> bytes:
    return encode_frame(session=frame.session, type=frame.type, sequence=frame.sequence, payload=frame.payload)
