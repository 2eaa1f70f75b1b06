"""How long it takes from the pairing button to the first stack, sealed, over real ptys: a printed figure.

`cardshoe pair`, then `cardshoe run`, two players, no more bets, the stack in the gate; mechanical times are shortened.
No time is asserted; the figure to reach is 3 s on a machine that does nothing else. Proves LINK-9, LINK-11.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from demo_bench import elsewhere
from paired_world import pair
from running_table import RunningTable


@pytest.mark.nightly
def test_from_the_pairing_button_to_the_first_stack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first stack lies in the gate of a shoe that was new a moment ago."""
    with elsewhere(tmp_path) as world:
        begun = time.monotonic()
        pair(world, tmp_path / "keys")
        pair(world, tmp_path / "keys", "reader")
        paired = time.monotonic()
        made = RunningTable(
            tmp_path, world, "ultimate-texas-holdem", security="sealed", more='[security]\nkeys = "keys"\n'
        )
        try:
            made.until("open_round")
            made.until_told("ShoeBooted", "ReaderBooted")
            standing = time.monotonic()
            made.begin_a_round()
            made.until("take_stack")
            dealt = time.monotonic()
        finally:
            made.close()
    with capsys.disabled():
        print(
            f"\npairing to first stack {dealt - begun:.2f} s: both devices paired {paired - begun:.2f} s, "
            f"table open {standing - paired:.2f} s, first stack {dealt - standing:.2f} s"
        )
