"""The measurements that `bench` shows measure what they say; how fast it is, no test says."""

from __future__ import annotations

from pathlib import Path

from cardshoe.journal import measure
from cardshoe.journal.canonical import prepare


def test_an_event_is_as_long_as_the_floor_appends() -> None:
    text = prepare(measure._EVENT, boot=1, mono_us=10**10, wall=measure._WALL).text(100)
    assert len(text) == measure.EVENT_BYTES


def test_each_measurement_does_its_work_and_leaves_nothing(tmp_path: Path) -> None:
    for timing, events in (
        (measure.measure_sync_floor(tmp_path, count=20), 1),
        (measure.measure_commit(tmp_path, count=20), 1),
        (measure.measure_commit(tmp_path, count=5, events=10), 10),
        (measure.measure_append(tmp_path, count=20), 1),
    ):
        assert timing.events == events
        assert 0 < timing.median_us <= timing.p99_us
        assert timing.events_per_s > 0
    assert list(tmp_path.iterdir()) == []
