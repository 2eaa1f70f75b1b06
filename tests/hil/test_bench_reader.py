"""The reader's acceptance by a test deck: at the size that shows the bar, and of a reader that confuses cards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from world_outside import bench, world

from bench_statistics import READER_BAR, cards_without_fault, rate_bounds

ACCEPTANCE = ["--conform", "none", "-k", "test_reader_acceptance"]


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_the_bar_is_shown_by_enough_cards(tmp_path: Path) -> None:
    """READER-1.3, READER-2.1: 15,577 cards, none taken for another: at most one in 5,200, with 95 % confidence."""
    assert cards_without_fault() == 15_577
    file, folder = tmp_path / "bench.toml", tmp_path / "evidence"
    file.write_text(f"[limits]\nslack_ms = 5000\nreader_cards = {cards_without_fault()}\n")
    ran, said = bench("--bench", str(file), "--evidence", str(folder), *ACCEPTANCE, within_s=3000)
    assert ran == 0, said
    (one,) = json.loads((folder / "record.json").read_text())["measurements"]
    assert one["count"] * 5 >= cards_without_fault()
    assert rate_bounds(0, one["count"] * 5)[1] <= READER_BAR
    assert "the bar is shown" in (folder / "report.html").read_text()


def test_a_reader_that_guesses_is_refused(tmp_path: Path) -> None:
    """READER-2.4: one that reports the card before it again is told within the first cards."""
    file, hands = tmp_path / "bench.toml", f'[hands]\nby = "control"\ncontrol = "{tmp_path / "control"}"\n'
    file.write_text(f"{hands}[limits]\nslack_ms = 5000\nreader_cards = 10\n")
    with world(tmp_path, "--mutate", "READER-2.4") as ready:
        ran, said = bench("--reader", ready["reader_url"], "--bench", str(file), *ACCEPTANCE)
    assert ran == 1, said
    assert "the bar of one fault in 5,200 cards is broken" in said
