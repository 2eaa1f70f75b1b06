"""Nothing tells two rounds apart that differ only in hidden cards: 100,000 pairs, in parallel (promise P4, T2, T3).

CARDSHOE_PAIRS asks for another number of pairs. Prints how many pairs were played and how many were told apart.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator

import pytest
from pairs import Setup, setups, try_pairs

FIRST = 100_000
OF_A_SETUP = 20


def _tried(setup: Setup) -> list[str]:
    return [str(each) for each in try_pairs(setup, OF_A_SETUP, pictures=False)]


def _wanted() -> Iterator[Setup]:
    pairs = int(os.environ.get("CARDSHOE_PAIRS", "100000"))
    return setups(FIRST, -(-pairs // OF_A_SETUP))


@pytest.mark.nightly
@pytest.mark.timeout(6 * 3600)
def test_a_hundred_thousand_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    """All games, dealing methods and levels of trouble in turn, each setup from a seed of its own."""
    begun, asked, told = time.monotonic(), list(_wanted()), []
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for differences in pool.imap_unordered(_tried, asked, chunksize=4):
            told += differences
        pool.close()
        pool.join()
    with capsys.disabled():
        pairs, took_s = len(asked) * OF_A_SETUP, time.monotonic() - begun
        print(f"\n{pairs} pairs of rounds, {len(told)} told apart, {len(asked)} setups, {took_s:.0f} s")
    assert told == []
