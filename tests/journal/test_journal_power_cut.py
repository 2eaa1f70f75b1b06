"""The power is cut at every write of a real ext4: nothing acknowledged is lost, and no false alarm is raised (P2, P6).

`CARDSHOE_UML` names the directory into which the package user-mode-linux was unpacked (`apt-get download` and
`dpkg-deb -x`).
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from power_cut_bench import PowerCuts, read_log, record_log

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(1800)]

Require = Callable[[str, str], str]


@pytest.fixture
def uml(require: Require) -> Path:
    reason = "power cuts need user-mode-linux unpacked under CARDSHOE_UML, dmsetup, mkfs.ext4 and root for loop mounts"
    root = Path(os.environ.get("CARDSHOE_UML", "/"))
    require(str(root / "usr/bin/linux.uml"), reason)
    for tool in ("dmsetup", "mkfs.ext4", "/dev/loop-control"):
        require(tool, reason)
    if os.geteuid() != 0:
        require("/nobody-but-root", reason)
    return root


def _cut_everywhere(uml: Path, work: Path, *, synced: bool, appends: int, inside_flushes: int) -> PowerCuts:
    log, _disk = record_log(uml, work, synced=synced, appends=appends)
    cuts = PowerCuts(work)
    with log.open("rb") as file:
        cuts.replay(read_log(file), inside_flushes=inside_flushes, chance=random.Random(1))
    return cuts


def test_no_power_cut_loses_what_was_acknowledged(uml: Path, tmp_path: Path) -> None:
    """P2: at least 300 cuts, also inside each flush."""
    cuts = _cut_everywhere(uml, tmp_path, synced=True, appends=30, inside_flushes=3)
    assert cuts.bad == []
    assert cuts.tried >= 300


def test_a_writer_that_does_not_sync_is_found(uml: Path, tmp_path: Path) -> None:
    """The harness itself: synchronous=NORMAL loses acknowledged records."""
    cuts = _cut_everywhere(uml, tmp_path, synced=False, appends=15, inside_flushes=0)
    assert [text for text in cuts.bad if "records acknowledged" in text] != []
