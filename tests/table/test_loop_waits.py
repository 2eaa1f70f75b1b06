"""Between the table's loop and its journal and clock: the bell of the writer, a timer that moves (P2, P9)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cardshoe.clock import SystemClock
from cardshoe.errors import JournalError
from cardshoe.journal import Entry, Journal, verify
from cardshoe.table.alarm_clock import AlarmClock
from cardshoe.table.confirmations import Confirmations


@asynccontextmanager
async def _confirmed(path: Path) -> AsyncIterator[tuple[Journal, Confirmations]]:
    with Journal.open(path) as journal:
        confirmations = Confirmations(journal, asyncio.get_running_loop())
        try:
            yield journal, confirmations
        finally:
            confirmations.close()


def test_who_waits_is_woken_in_order_once_it_is_on_disk(tmp_path: Path) -> None:
    """P2: at the moment of waking another program finds the records."""

    async def run() -> list[int]:
        async with _confirmed(tmp_path / "table.db") as (journal, confirmations):
            waits = [confirmations.append([Entry("a", {"n": n})] * 3) for n in range(40)]
            ends = []
            for wait in waits:
                ends.append((await wait).last_seq)
                assert journal.head.seq >= ends[-1]
                assert verify(journal.path).records >= ends[-1]
            return ends

    assert asyncio.run(run()) == [2 + 3 * (n + 1) for n in range(40)]


def test_a_failure_of_the_disk_reaches_who_waits(tmp_path: Path) -> None:
    """P2: what could not be written is an error, never a silence."""

    async def run() -> str:
        async with _confirmed(tmp_path / "table.db") as (_, confirmations):
            await confirmations.append([Entry("a", {})])
            (tmp_path / "table.db-wal").unlink()
            with pytest.raises(JournalError) as failed:
                await confirmations.append([Entry("b", {})])
            with pytest.raises(JournalError, match="takes no more records"):
                confirmations.append([Entry("c", {})])
            return failed.value.code

    assert asyncio.run(run()) == "journal-moved"


def test_what_cannot_be_recorded_is_refused_at_once(tmp_path: Path) -> None:
    async def run() -> None:
        async with _confirmed(tmp_path / "table.db") as (_, confirmations):
            with pytest.raises(JournalError, match="is a float"):
                confirmations.append([Entry("a", {"b": 0.5})])

    asyncio.run(run())


def test_a_wait_that_was_given_up_is_written_all_the_same(tmp_path: Path) -> None:
    """P2: who goes away does not take the record along, and stops nobody else."""

    async def run() -> int:
        async with _confirmed(tmp_path / "table.db") as (_, confirmations):
            given_up = confirmations.append([Entry("a", {})])
            given_up.cancel()
            return (await confirmations.append([Entry("b", {})])).last_seq

    assert asyncio.run(run()) == 4


def test_what_is_told_after_the_end_is_told_to_nobody(tmp_path: Path) -> None:
    """P2: the table's loop may be gone when a slow disk answers."""

    async def run() -> None:
        with Journal.open(tmp_path / "table.db") as journal:
            confirmations = Confirmations(journal, asyncio.get_running_loop())
            late = confirmations.append([Entry("a", {})] * 500)
            confirmations.close()
            journal.append_now([Entry("b", {})])
            await asyncio.sleep(0)
            assert not late.done()

    asyncio.run(run())
    assert verify(tmp_path / "table.db").records == 2 + 500 + 1 + 1


def _rings(*settings: float | None, after: float = 0.0) -> list[float]:
    """Set an alarm to each of `settings` (seconds from now), wait; return when it rang, in seconds from now."""
    clock, rang = SystemClock(), []

    async def run() -> None:
        began = clock.now()
        alarm = AlarmClock(clock, lambda: rang.append(clock.now() - began))
        for each in settings:
            alarm.set(None if each is None else began + each)
            await asyncio.sleep(after)
        await asyncio.sleep(0.12)
        alarm.stop()

    asyncio.run(run())
    return rang


@pytest.mark.parametrize(
    ("settings", "due"),
    [
        ((0.02,), 0.02),
        ((0.01, 0.05), 0.05),
        ((0.05, 0.01), 0.01),
        ((0.02, None, 0.03), 0.03),
        ((0.04, 0.01, 0.03), 0.03),
        ((-1.0,), 0.0),
    ],
)
def test_an_alarm_rings_once_when_what_was_set_last_is_due(settings: tuple[float | None, ...], due: float) -> None:
    """P9: never before its time, however often it was moved."""
    (rang,) = _rings(*settings)
    assert rang >= due


@pytest.mark.parametrize("settings", [(), (None,), (0.01, None), (0.02, 0.01, None)])
def test_an_alarm_that_is_not_set_does_not_ring(settings: tuple[float | None, ...]) -> None:
    assert _rings(*settings) == []


def test_an_alarm_that_rang_may_be_set_again() -> None:
    rang = _rings(0.001, 0.02, after=0.01)
    assert len(rang) == 2


def test_a_stopped_alarm_leaves_nothing_behind() -> None:
    async def run() -> list[str]:
        rang: list[str] = []
        alarm = AlarmClock(SystemClock(), lambda: rang.append("rang"))
        alarm.set(SystemClock().now() + 0.01)
        alarm.stop()
        await asyncio.sleep(0.03)
        return rang

    assert asyncio.run(run()) == []
