"""The parts of the measurements: judgement, damage that is seen, peers that answer, a table whose line is watched."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.errors import DeviceError
from cardshoe.lab.bench import damage, link_speed, peers
from cardshoe.lab.bench.figures import Figure, Measured, Target, median, percentile, significant
from cardshoe.lab.bench.round_speed import record
from cardshoe.lab.bench.table_line import Dealer, watched_table
from cardshoe.round.events import HandSettled, RoundCompleted, StackDelivered
from cardshoe.round.machine import apply, open_round
from cardshoe.wire import framing


@pytest.mark.parametrize(
    ("target", "value", "floor", "ok"),
    [
        (None, 1.0, None, True),
        (Target(Measured.VALUE, 3, at_most=True), 3.0, None, True),
        (Target(Measured.VALUE, 3, at_most=True), 3.1, None, False),
        (Target(Measured.VALUE, 3, at_most=False), 3.0, 100.0, True),
        (Target(Measured.VALUE, 3, at_most=False), 2.9, 0.1, False),
        (Target(Measured.RATIO, 2, at_most=True), 4.0, 2.0, True),
        (Target(Measured.RATIO, 2, at_most=True), 4.1, 2.0, False),
        (Target(Measured.RATIO, 2, at_most=False), 3.9, 2.0, False),
        (Target(Measured.RATIO, 2, at_most=True), 1.0, None, False),
        (Target(Measured.RATIO, 2, at_most=True), 1.0, 0.0, False),
    ],
)
def test_a_target_is_judged_by_value_or_ratio(target: Target | None, value: float, floor: float, ok: bool) -> None:
    figure = Figure("some", value, "µs", "least" if floor else None, floor, target)
    assert figure.ok is ok
    assert figure.plain()["ok"] is ok


def test_durations_are_summed_up_as_people_read_them() -> None:
    durations = [float(number) for number in range(100, 0, -1)]
    assert (median(durations), percentile(durations, 99), percentile([7.0], 99)) == (51.0, 100.0, 7.0)
    assert significant(123_456.789) == 123_500
    with pytest.raises(ValueError, match="nothing was measured"):
        median([])


@pytest.mark.parametrize("kind", damage.KINDS)
def test_damage_is_seen_where_the_check_is_blind(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """LINK-2.3, LINK-2.4: none passes; with a check that says yes to everything some do."""
    assert damage.accepted_changed(kind, 300) == 0
    monkeypatch.setattr(framing, "crc32", lambda *_: 0)
    passed = damage.accepted_changed(kind, 300)
    # A lost or an inserted byte alone changes the length, which is checked by itself.
    assert passed > 0 or kind in {"lost", "doubled", "inserted"}


def test_the_bare_peer_answers_eight_bytes_for_sixteen(capfd: pytest.CaptureFixture[str]) -> None:
    with peers.pty_responder({0}, asked=16, answered=8) as (path, slave):
        assert path.exists()
        os.write(slave, bytes(16))
        came = b""
        while len(came) < 8:
            came += os.read(slave, 8)
        assert came == bytes(8)
    assert capfd.readouterr() == ("", "")


def test_the_canned_peer_answers_what_it_knows_and_nothing_else() -> None:
    canned = link_speed.canned_replies()
    known = next(frame for frame in canned if len(canned[frame]) < 60)
    with peers.pty_responder({0}, canned=canned) as (_, slave):
        os.write(slave, b"\x05noise\x00" + known + b"\x00")
        came = b""
        while not came.endswith(b"\x00"):
            came += os.read(slave, 255)
        assert came == canned[known]


def test_every_canned_reply_is_a_good_frame() -> None:
    deframer = framing.Deframer()
    frames = deframer.feed(b"".join(link_speed.canned_replies().values()))
    assert deframer.dropped == 0
    kinds = [type(SHOE_CODEC.decode(frame)).__name__ for frame in frames]
    assert {kind: kinds.count(kind) for kind in kinds} == {"HelloReply": 1, "Status": 256, "ReadCountersReply": 256}


def test_a_peer_that_does_not_start_is_named() -> None:
    with peers.child(["false"]) as process, pytest.raises(DeviceError, match="false") as refused:
        peers.first_line(process)
    assert refused.value.code == "bench-peer"


def test_the_processors_are_given_back() -> None:
    before = os.sched_getaffinity(0)
    with peers.apart() as others:
        assert len(os.sched_getaffinity(0)) == 1
        assert others == (before - os.sched_getaffinity(0) or before)
    assert os.sched_getaffinity(0) == before


def test_a_recorded_round_is_whole() -> None:
    """Seven stacks, six settled hands, the end; and the same seed gives the same round."""
    opened, played = record(7)
    assert (opened, played) == record(7)
    assert sum(isinstance(event, StackDelivered) for event in played) == 7
    assert sum(isinstance(event, HandSettled) for event in played) >= 1
    assert isinstance(played[-1], RoundCompleted)
    state = open_round(opened)
    for event in played:
        state, _ = apply(state, event)
    assert state.closed
    assert all(hand.result is not None for hand in state.hands if hand.status.value == "live")


def test_the_watched_table_stamps_each_stack_once(tmp_path: Path) -> None:
    """A stamp for every acknowledged StackTaken and for every command that follows one; none is negative."""

    async def deal() -> tuple[list[float], list[float], int]:
        async with watched_table(tmp_path) as (table, line):
            await Dealer(table, line).stacks(8)
            counters = line.world.control({"do": "counters"}, asyncio.get_running_loop().time())
            assert table.failure is None
            return *line.stamps, counters["stacks_dispensed"]

    acknowledged, commanded, dispensed = asyncio.run(deal())
    assert len(commanded) == 8
    assert len(commanded) <= len(acknowledged) <= dispensed
    assert min(acknowledged + commanded) > 0
