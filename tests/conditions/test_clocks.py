"""E36 and FR-44 on a real journal and a real loop: the wall clock is set, and nothing else changes."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.clock import SystemClock
from cardshoe.journal import verify
from cardshoe.table.app import open_table
from cardshoe.table.config import parse_config
from cardshoe.table.wall_clock import Look, stepped

CONFIG = """
[table]
name = "T1"
mode = "bench"
game = "three-card-poker"
method = "hand"
journal = "unused"
"""


class SetClock(SystemClock):
    """A clock whose wall hands can be set."""

    def __init__(self) -> None:
        self.set_by = timedelta()

    def wall(self) -> str:
        return (datetime.now(UTC) + self.set_by).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize(
    "set_by",
    [timedelta(hours=-1), timedelta(hours=1), datetime(1970, 1, 1, tzinfo=UTC) - datetime.now(UTC)],
    ids=["back", "forward", "1970"],
)
def test_a_wall_clock_that_is_set_is_on_record_and_changes_no_deadline(tmp_path: Path, set_by: timedelta) -> None:
    """E36, FR-44, promise P9: one `clock_stepped`, records still in their order, the journal still sound."""
    path = tmp_path / "table.db"
    clock = SetClock()

    async def table_runs() -> list[str]:
        async with open_table(parse_config(CONFIG, "test.toml"), path, clock=clock) as table:
            due = table.controller.next_deadline()
            clock.set_by = set_by
            while True:
                with table.journal.reader() as reader:
                    records = list(reader.records())
                if any(record.kind == "clock_stepped" for record in records):
                    break
                await asyncio.sleep(0.05)
            assert table.controller.next_deadline() == due
            assert [record.seq for record in records] == list(range(1, len(records) + 1))
            assert all(a.mono_us <= b.mono_us for a, b in pairwise(records))
            (step,) = [record.body for record in records if record.kind == "clock_stepped"]
            assert abs(int(str(step["step_ms"])) - set_by.total_seconds() * 1000) < 5000
            return [record.kind for record in records]

    kinds = asyncio.run(table_runs())
    assert kinds.count("clock_stepped") == 1
    assert verify(path).ok


@given(passed_s=st.floats(0, 1e6), step_s=st.floats(-1e6, 1e6))
def test_only_a_difference_of_both_clocks_is_a_step(passed_s: float, step_s: float) -> None:
    """E36: time that passes for both is none; more than 2 s between them is one, whichever way."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    after = start + timedelta(seconds=passed_s + step_s)
    found = stepped(Look(100.0, start.isoformat()), Look(100.0 + passed_s, after.isoformat()))
    if abs(step_s) < 1.9:
        assert found is None
    elif abs(step_s) > 2.1:
        assert found is not None
        assert abs(found.step_ms - step_s * 1000) <= 2


@pytest.mark.parametrize("statement", ["DELETE FROM records", "UPDATE records SET text = ''", "DROP TABLE records"])
def test_the_log_cannot_be_cleared(tmp_path: Path, statement: str) -> None:
    """E36: the journal refuses it; a journal whose table was dropped all the same is not trusted."""
    path = tmp_path / "table.db"

    async def opened() -> None:
        async with open_table(parse_config(CONFIG, "test.toml"), path):
            pass

    asyncio.run(opened())
    with closing(sqlite3.connect(path)) as connection:
        if statement.startswith("DROP"):
            connection.execute(statement)
            connection.commit()
        else:
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)
    assert verify(path).ok is not statement.startswith("DROP")
