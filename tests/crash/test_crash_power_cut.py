"""The power of the whole table is cut at every write of a real ext4: what it acted on is there, and it starts (P1, P2).

`CARDSHOE_UML` names the directory into which the package user-mode-linux was unpacked (`apt-get download` and
`dpkg-deb -x`); without it, or without root, these tests are skipped with that reason.
"""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest
from power_cut_bench import PowerCuts, judge_cut, read_log, record_log

from cardshoe.errors import CardshoeError
from cardshoe.journal import Journal
from cardshoe.table.memory import recalled
from cardshoe.table.state import NOTED

GUEST = Path(__file__).with_name("table_guest.py")


@pytest.fixture
def uml() -> Path:
    root = Path(os.environ.get("CARDSHOE_UML", "/nowhere"))
    lacking = [tool for tool in ("dmsetup", "mkfs.ext4") if shutil.which(tool, path="/usr/sbin:/sbin:/usr/bin") is None]
    if not (root / "usr/bin/linux.uml").exists():
        lacking.append("user-mode-linux, unpacked under CARDSHOE_UML")
    if os.geteuid() != 0 or not Path("/dev/loop-control").exists():
        lacking.append("root with loop devices")
    if lacking:
        pytest.skip(f"power cuts need {', '.join(lacking)}")
    return root


def _restarts(path: Path, acknowledged: int) -> str | None:
    """Nothing, or what is wrong: the journal as in its own tests, then the table's start on it."""
    wrong = judge_cut(path, acknowledged)
    if wrong is not None or not path.exists():
        return wrong
    try:
        with Journal.open(path, restart_kind=NOTED, min_free_bytes=0) as journal:
            recalled(journal)
    except CardshoeError as error:
        return f"the table does not start on it: {error.code}: {error.text}"
    return None


def _cut(uml: Path, work: Path, *, synced: bool, rounds: int, every: int = 1, inside_flushes: int = 0) -> PowerCuts:
    log, _disk = record_log(uml, work, synced=synced, appends=rounds, guest=GUEST)
    cuts = PowerCuts(work, judge=_restarts, every=every)
    with log.open("rb") as file:
        cuts.replay(read_log(file), inside_flushes=inside_flushes, chance=random.Random(1))
    return cuts


def test_no_power_cut_takes_back_what_a_table_acted_on(uml: Path, tmp_path: Path) -> None:
    """P1, P2, G7: one round, every twelfth cut; a quicker machine writes the same round in fewer writes."""
    cuts = _cut(uml, tmp_path, synced=True, rounds=1, every=12)
    assert cuts.bad == []
    assert cuts.tried > 20


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_no_power_cut_at_any_write_takes_back_what_a_table_acted_on(
    uml: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """P1, P2, G7: every cut of two rounds, and one more inside each flush."""
    cuts = _cut(uml, tmp_path, synced=True, rounds=2, inside_flushes=1)
    assert cuts.bad == []
    assert cuts.tried >= 300
    with capsys.disabled():
        print(f"\npower cut at {cuts.tried} points of a table, 0 acknowledged records lost")


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_a_table_that_does_not_sync_is_found(uml: Path, tmp_path: Path) -> None:
    """The harness itself: with synchronous=NORMAL the table acts on records that a cut takes back."""
    cuts = _cut(uml, tmp_path, synced=False, rounds=1, every=4)
    assert [text for text in cuts.bad if "records acknowledged" in text] != []
