"""One command in flight: the same frame again, one deadline, and an honest end.

Proves for the host LINK-4.1 to LINK-4.6, LINK-4.9, LINK-8.1 and P1, P9;
FR-04, FR-14, FR-27, FR-28, FR-31, FR-32, FR-33.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import pytest
from scripted_device import SPEC, TYPE, dispense, frame_of, make_host
from test_host_session import messages, opened, reject, sent, status

from cardshoe.devices.shoe_wire import SHOE_CODEC, DispenseReply, SetInhibit
from cardshoe.link.events import (
    CommandNotSent,
    CommandRejected,
    CommandReplied,
    CommandUnknown,
    LinkLost,
    LinkOutput,
    LostReason,
    NotSentReason,
    StatusArrived,
)
from cardshoe.link.lane import WAITING_MAX
from cardshoe.link.machine import HostLink, Phase
from cardshoe.link.messages import RejectReason
from cardshoe.wire.framing import Frame, encode_frame


def ready(now: float = 0.0) -> HostLink:
    """A host in a session, its first heartbeat answered."""
    host = make_host()
    opened(host, now)
    host.receive(status(1), now)
    return host


def reply(command_id: int, sequence: int, *, result: int = 0, session: int = 1) -> bytes:
    """A DISPENSE_REPLY."""
    fields = {"command_id": command_id, "result": result}
    return frame_of("DISPENSE_REPLY", fields, session=session, sequence=sequence)


def commands(output: LinkOutput) -> list[Frame]:
    """The command frames of an output."""
    return [frame for frame in sent(output) if frame.type in SPEC.command_types]


def step(host: HostLink, until: float) -> list[tuple[float, LinkOutput]]:
    """Advance at each deadline up to `until`, keeping the link alive."""
    outputs = []
    while (at := host.next_deadline()) is not None and at <= until:
        outputs.append((at, host.advance(at)))
        for frame in sent(outputs[-1][1]):
            if frame.type == TYPE["HEARTBEAT"]:
                host.receive(status(frame.sequence), at)
    return outputs


def test_the_first_command_has_sequence_1_and_each_next_one_more() -> None:
    """LINK-4.1, FR-28: 600 commands over two wraps, each replied, none twice, 0 after 255."""
    host = ready()
    sequences = []
    for number in range(1, 601):
        now = number * 1e-3
        (frame,) = commands(host.send_command(dispense(number), now=now, deadline=9.0))
        sequences.append(frame.sequence)
        (event,) = host.receive(reply(number, frame.sequence), now).events
        assert event == CommandReplied(dispense(number), DispenseReply(number, 0))
    assert sequences[0] == 1
    assert all(after == (before + 1) % 256 for before, after in pairwise(sequences))


def test_one_command_is_in_flight_and_the_others_wait_in_order() -> None:
    """LINK-4.1, FR-14, FR-32: the next goes out with the reply to the one before."""
    host = ready()
    (first,) = commands(host.send_command(dispense(1), now=0.0, deadline=9.0))
    for number in (2, 3):
        assert commands(host.send_command(dispense(number), now=0.0, deadline=9.0)) == []
    (second,) = commands(host.receive(reply(1, 1), 0.01))
    assert host.receive(reply(1, 1), 0.02).events == ()
    (third,) = commands(host.receive(reply(2, 2), 0.03))
    assert [SHOE_CODEC.decode(frame) for frame in (first, second, third)] == [dispense(1), dispense(2), dispense(3)]
    assert commands(host.receive(reply(3, 3), 0.04)) == []


def test_an_urgent_command_goes_before_those_that_wait() -> None:
    """SHOE-5.1, P5: an inhibit does not queue behind three stacks; it never overtakes what is on the line."""
    host = ready()
    for number in (1, 2, 3):
        host.send_command(dispense(number), now=0.0, deadline=9.0)
    assert commands(host.send_command(SetInhibit(1), now=0.0, deadline=9.0, urgent=True)) == []
    (frame,) = commands(host.receive(reply(1, 1), 0.01))
    assert SHOE_CODEC.decode(frame) == SetInhibit(1)


def test_without_a_reply_the_same_frame_goes_again_every_150_ms() -> None:
    """LINK-4.5, FR-31, FR-32: to the byte, under the same sequence, until the deadline; then the outcome is unknown."""
    host = ready()
    outputs = [(0.0, host.send_command(dispense(7), now=0.0, deadline=1.0)), *step(host, 1.0)]
    frames = [(at, frame) for at, output in outputs for frame in commands(output)]
    assert [at for at, _frame in frames] == pytest.approx([0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9])
    assert {frame for _at, frame in frames} == {frames[0][1]}
    at, last = outputs[-1]
    assert at == 1.0
    unknown = CommandUnknown(dispense(7), LostReason.UNANSWERED)
    assert last.events == (unknown, LinkLost(LostReason.UNANSWERED))
    assert host.phase is Phase.CLOSED


@pytest.mark.parametrize("deadline", [0.01, 0.15, 0.3333, 0.95, 5.0])
@pytest.mark.parametrize("noise", [b"", b"\x00", b"U" * 100, status(200)], ids=["silence", "00", "flood", "frames"])
def test_nothing_passes_the_deadline(deadline: float, noise: bytes) -> None:
    """LINK-8.1, P9, FR-27: silence, trickle and flood end at the same moment."""
    host = ready()
    host.send_command(dispense(7), now=0.0, deadline=deadline)
    now, told = 0.0, []
    while not told:
        now = min(now + 0.01, host.next_deadline() or now)
        output = host.receive(noise, now) if noise else host.advance(now)
        told = [event for event in output.events if isinstance(event, CommandUnknown)]
        for frame in sent(output):
            if frame.type == TYPE["HEARTBEAT"]:
                host.receive(b"\x00" + status(frame.sequence), now)
    assert now == pytest.approx(deadline)


def test_a_reply_at_the_deadline_is_too_late() -> None:
    """LINK-8.1, P1: unknown, not accepted after all."""
    host = ready()
    host.send_command(dispense(7), now=0.0, deadline=0.5)
    output = host.receive(reply(7, 1), 0.5)
    assert output.events == (CommandUnknown(dispense(7), LostReason.UNANSWERED), LinkLost(LostReason.UNANSWERED))


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(reply(7, 0), id="LINK-4.6 sequence before"),
        pytest.param(reply(7, 2), id="LINK-4.6 sequence after"),
        pytest.param(reply(7, 1, session=2), id="LINK-5.6 another session"),
        pytest.param(
            frame_of("SET_INHIBIT_REPLY", {"inhibited": 1}, session=1, sequence=1), id="LINK-4.6 reply of another type"
        ),
        pytest.param(
            encode_frame(session=1, type=TYPE["DISPENSE_REPLY"], sequence=1, payload=bytes(8)),
            id="LINK-2.8 a byte too short",
        ),
        pytest.param(
            encode_frame(session=1, type=TYPE["DISPENSE_REPLY"], sequence=1, payload=bytes(10)),
            id="LINK-2.8 a byte too long",
        ),
        pytest.param(encode_frame(session=1, type=0xBF, sequence=1, payload=b""), id="a type that does not exist"),
        pytest.param(
            frame_of(
                "DISPENSE",
                {"command_id": 7, "deck_id": 1, "cards": 2, "destination": 1},
                session=1,
                sequence=1,
            ),
            id="LINK-4.9 our own command",
        ),
        pytest.param(reject(2, "QUERY_COMMAND", sequence=1), id="LINK-4.4 REJECT of another type"),
        pytest.param(reject(2, "DISPENSE", sequence=2), id="LINK-4.4 REJECT of another sequence"),
    ],
)
def test_a_frame_that_is_not_the_reply_is_ignored(frame: bytes) -> None:
    """LINK-4.6, FR-33: and the right one is taken after it."""
    host = ready()
    host.send_command(dispense(7), now=0.0, deadline=5.0)
    assert host.receive(frame, 0.05) == LinkOutput(b"", ())
    assert host.receive(reply(7, 1), 0.06).events == (CommandReplied(dispense(7), DispenseReply(7, 0)),)


def test_a_damaged_reply_has_no_other_meaning() -> None:
    """FR-17, FR-33, FR-02: each byte of a reply dropped or changed; it is taken right or not at all."""
    random = Random(33)
    good = reply(7, 1)
    lines = [good[:at] + good[at + 1 :] for at in range(len(good))]
    lines += [
        good[:at] + bytes([value]) + good[at + 1 :]
        for at in range(len(good))
        for value in random.sample(range(256), 40)
    ]
    right = CommandReplied(dispense(7), DispenseReply(7, 0))
    for line in lines:
        host = ready()
        host.send_command(dispense(7), now=0.0, deadline=5.0)
        assert set(host.receive(b"\x00" + line + b"\x00", 0.05).events) <= {right}


@pytest.mark.parametrize(
    "reason",
    [RejectReason.UNKNOWN_TYPE, RejectReason.WRONG_LENGTH, RejectReason.NOT_ALLOWED_IN_PURPOSE, RejectReason.BAD_VALUE],
)
def test_a_rejected_command_was_not_carried_out_and_its_sequence_is_used_again(reason: RejectReason) -> None:
    """LINK-4.4, LINK-4.8: the device has not advanced, so the next command is the next again."""
    host = ready()
    host.send_command(SetInhibit(3), now=0.0, deadline=5.0)
    output = host.receive(reject(reason, "SET_INHIBIT", sequence=1), 0.05)
    assert output.events == (CommandRejected(SetInhibit(3), reason),)
    (frame,) = commands(host.send_command(dispense(7), now=0.1, deadline=5.0))
    assert frame.sequence == 1


@pytest.mark.parametrize("reason", [RejectReason.WRONG_SEQUENCE, 0, 99])
def test_a_reject_that_shows_two_counts_leaves_the_outcome_unknown(reason: int) -> None:
    """LINK-4.3, LINK-4.4, FR-27, FR-28: the two sides are out of step; a new session puts them right."""
    host = ready()
    host.send_command(dispense(7), now=0.0, deadline=5.0)
    output = host.receive(reject(reason, "DISPENSE", sequence=1), 0.05)
    assert output.events == (CommandUnknown(dispense(7), LostReason.OUT_OF_STEP), LinkLost(LostReason.OUT_OF_STEP))


def test_a_late_second_reject_is_not_taken_for_an_answer_to_the_next_command() -> None:
    """LINK-4.4, P1: "rejected" would promise that nothing moved; the REJECT may be the answer to a repeat before."""
    host = ready()
    host.send_command(dispense(7), now=0.0, deadline=5.0)
    host.advance(0.15)  # on the line twice, so two REJECTs come
    assert [type(event) for event in host.receive(reject(6, "DISPENSE", sequence=1), 0.2).events] == [CommandRejected]
    host.send_command(dispense(8), now=0.21, deadline=5.0)
    output = host.receive(reject(6, "DISPENSE", sequence=1), 0.22)
    assert output.events == (CommandUnknown(dispense(8), LostReason.OUT_OF_STEP), LinkLost(LostReason.OUT_OF_STEP))


def _restarted(host: HostLink) -> LinkOutput:
    host.advance(0.25)
    return host.receive(status(2, boot_counter=2), 0.26)


@pytest.mark.parametrize(
    ("loss", "reason"),
    [
        pytest.param(lambda host: host.advance(1.0), LostReason.SILENCE, id="LINK-6.5"),
        pytest.param(
            lambda host: host.receive(reject(1, "DISPENSE", sequence=1), 0.1), LostReason.NO_SESSION, id="LINK-5.7"
        ),
        pytest.param(_restarted, LostReason.RESTARTED, id="LINK-5.10"),
        pytest.param(lambda host: host.close(), LostReason.CLOSED, id="closed"),
        pytest.param(lambda host: host.close(LostReason.PORT), LostReason.PORT, id="port"),
    ],
)
def test_a_lost_session_leaves_the_command_unknown_and_those_that_waited_unsent(loss: Any, reason: LostReason) -> None:
    """P1, LINK-4.5: a lost command is not a failed command; one that was never sent is no riddle."""
    host = ready()
    host.send_command(dispense(7), now=0.0, deadline=5.0)
    host.send_command(dispense(8), now=0.0, deadline=5.0)
    assert loss(host).events == (
        CommandUnknown(dispense(7), reason),
        CommandNotSent(dispense(8), NotSentReason.NO_SESSION),
        LinkLost(reason),
    )
    assert commands(opened_again(host)) == []  # nothing is sent again by itself


def opened_again(host: HostLink) -> LinkOutput:
    """Open the next session."""
    return opened(host, 3.0, session=2)


def test_a_new_session_counts_from_1_again() -> None:
    """LINK-4.1, LINK-5.4: sequence 1, the new session's number."""
    host = ready()
    host.send_command(dispense(7), now=0.0, deadline=5.0)
    host.receive(reply(7, 1), 0.01)
    host.close()
    opened_again(host)
    (frame,) = commands(host.send_command(dispense(8), now=3.0, deadline=5.0))
    assert (frame.session, frame.sequence) == (2, 1)
    assert host.receive(reply(8, 1, session=1), 3.1).events == ()
    assert host.receive(reply(8, 1, session=2), 3.1).events == (CommandReplied(dispense(8), DispenseReply(8, 0)),)


def test_a_command_that_never_reached_the_line_is_told_as_such() -> None:
    """P1: no session, too many waiting, or the deadline passed while it waited: certainly not carried out."""
    host = make_host()
    output = host.send_command(dispense(1), now=0.0, deadline=1.0)
    assert output == LinkOutput(b"", (CommandNotSent(dispense(1), NotSentReason.NO_SESSION),))
    host = ready()
    host.send_command(dispense(1), now=0.0, deadline=5.0)
    for number in range(2, WAITING_MAX + 2):
        assert host.send_command(dispense(number), now=0.0, deadline=0.2 if number == 2 else 5.0).events == ()
    too_many = host.send_command(dispense(99), now=0.0, deadline=5.0)
    assert too_many.events == (CommandNotSent(dispense(99), NotSentReason.QUEUE_FULL),)
    late = [event for _at, output in step(host, 0.2) for event in output.events]
    assert late == [CommandNotSent(dispense(2), NotSentReason.DEADLINE)]
    (frame,) = commands(host.receive(reply(1, 1), 0.21))
    assert SHOE_CODEC.decode(frame) == dispense(3)


def test_a_deadline_already_past_sends_nothing() -> None:
    """LINK-8.1: a command whose time is over before its turn."""
    host = ready()
    output = host.send_command(dispense(1), now=0.5, deadline=0.5)
    assert commands(output) == []
    assert output.events == (CommandNotSent(dispense(1), NotSentReason.DEADLINE),)


def test_a_value_that_does_not_fit_changes_nothing() -> None:
    """LINK-2.7: the mistake is the caller's, and nothing is half done."""
    host = ready()
    with pytest.raises(ValueError, match="cards cannot hold 256"):
        host.send_command(dispense(1, cards=256), now=0.0, deadline=1.0)
    (frame,) = commands(host.send_command(dispense(1), now=0.0, deadline=1.0))
    assert frame.sequence == 1
    assert messages(host.advance(0.0)) == []


def test_what_has_come_is_heard_before_anything_is_said_again() -> None:
    """LINK-4.5, LINK-6.6: a late loop takes the reply and the status that are there first."""
    host = ready()
    host.advance(0.25)
    host.send_command(dispense(7), now=0.3, deadline=5.0)
    output = host.receive(b"\x00" + reply(7, 1) + status(2), 0.51)  # the repeat and the next beat are due too
    assert [type(event) for event in output.events] == [CommandReplied, StatusArrived]
    assert [frame.type for frame in sent(output)] == [TYPE["HEARTBEAT"]]
