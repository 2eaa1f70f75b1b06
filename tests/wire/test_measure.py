"""The measurement counts what it says it counts, with a clock that the test owns. No claim about speed is made here."""

from __future__ import annotations

from itertools import count

from cardshoe.devices.shoe_wire import SHOE_CODEC, StackReady, StackTaken
from cardshoe.wire.framing import Deframer
from cardshoe.wire.measure import CHUNK_BYTES, measure, stream

MESSAGES = [StackReady(1, 1, 1, 1, 1, 2, 0), StackTaken(2, 1, 2, 1, 2)]


def test_speeds_are_frames_by_the_time_that_passed() -> None:
    """Each of the three loops runs over every frame once."""
    ticks = count()
    speeds = measure(SHOE_CODEC, MESSAGES, clock=lambda: 2.0 * next(ticks), frames=500)
    assert (speeds.check_per_s, speeds.header_per_s, speeds.message_per_s) == (250, 250, 250)
    assert speeds.frames == 500


def test_the_stream_is_what_a_line_would_carry() -> None:
    """Chunks of 4 KiB cut anywhere, the messages in turn."""
    chunks, covered = stream(SHOE_CODEC, MESSAGES, 301)
    deframer = Deframer()
    frames = [frame for chunk in chunks for frame in deframer.feed(chunk)]
    assert [SHOE_CODEC.decode(frame) for frame in frames] == (MESSAGES * 151)[:301]
    assert {len(chunk) for chunk in chunks[:-1]} == {CHUNK_BYTES}
    assert len(covered) == 301
