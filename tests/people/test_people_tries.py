"""Wrong tries and the wait that grows with them. Certification E4."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardshoe.errors import Refused
from cardshoe.table.tries import FIRST_WAIT_S, FREE_TRIES, LONGEST_WAIT_S, Tried, begun, left_s, settled, wait_s


@pytest.mark.parametrize(
    ("wrong", "wait"), [(0, 0), (4, 0), (5, 30), (6, 60), (7, 120), (11, 1920), (12, 3600), (13, 3600), (10**9, 3600)]
)
def test_the_wait_grows(wrong: int, wait: float) -> None:
    assert wait_s(wrong) == wait


def test_five_wrong_tries_lock() -> None:
    """E4: the fifth is looked at, the sixth is not before its time."""
    tried = Tried()
    for _ in range(FREE_TRIES):
        tried = begun(tried, now=100.0, boot="a")
    with pytest.raises(Refused) as refused:
        begun(tried, now=100.0 + FIRST_WAIT_S - 0.001, boot="a")
    assert refused.value.code == "sign-in-locked"
    assert begun(tried, now=100.0 + FIRST_WAIT_S, boot="a").wrong == FREE_TRIES + 1


def test_another_boot_begins_the_wait_anew_once() -> None:
    """E4, P9: a restart shortens nothing, and no wall clock is asked."""
    tried = Tried(FREE_TRIES, "a", 130.0)
    assert left_s(tried, now=5.0, boot="b") == FIRST_WAIT_S
    here = settled(tried, now=5.0, boot="b")
    assert left_s(here, now=5.0 + FIRST_WAIT_S, boot="b") == 0
    assert settled(here, now=99.0, boot="b") is here


def test_a_clock_that_is_far_behind_locks_nobody_for_longer() -> None:
    assert left_s(Tried(FREE_TRIES, "a", 1e9), now=0.0, boot="a") == FIRST_WAIT_S


@given(
    st.lists(
        st.tuples(st.floats(0, 5000, allow_nan=False), st.sampled_from(["same", "same", "same", "restart"])),
        max_size=200,
    )
)
def test_however_one_waits_and_restarts_the_tries_are_few(steps: list[tuple[float, str]]) -> None:
    """E4, law: after n looked-at tries at least the sum of their waits has passed in time that the machine was up."""
    tried, now, boot, up_s, looked_at = Tried(), 0.0, 0, 0.0, 0
    for pause, what in steps:
        now += pause
        up_s += pause
        if what == "restart":
            boot, now = boot + 1, 0.0
        tried = settled(tried, now=now, boot=str(boot))
        try:
            tried = begun(tried, now=now, boot=str(boot))
        except Refused:
            continue
        looked_at += 1
        assert tried.wrong == looked_at
        assert up_s >= sum(wait_s(wrong) for wrong in range(looked_at)) - 1e-6
    assert looked_at <= FREE_TRIES + 7 + up_s / LONGEST_WAIT_S
