"""systemd as process 1 of a bare Debian: installed, started, ready, hung and killed, booted again, uninstalled.

Needs root, mmdebstrap, and user-mode Linux in the directory that `CARDSHOE_UML` names (README, "Crash sweeps").
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from systemd_bench import BOOT_S, Debian

DEBIANS_PYTHON = (3, 11)
WAGERS = [{"ante": 1000, "blind": 1000}, {}, {}, {}, {}, {}]

NEEDED = {"serial port", "state", "network", "netlink", "no core dump", "closed to debuggers"}
"""What `confined_probe` may do under the unit, because a table does it."""
REFUSED = {"disk", "system", "packets", "code made in memory", "namespace", "set-user-id", "priority", "home"}


@pytest.fixture
def debian(tmp_path: Path, require: Callable[[str, str], str]) -> Debian:
    uml = Path(os.environ.get("CARDSHOE_UML", "/nowhere"))
    require(str(uml / "usr/bin/linux.uml"), "user-mode Linux, unpacked under CARDSHOE_UML, boots systemd as process 1")
    require("mmdebstrap", "it makes a bare Debian out of its packages")
    if os.geteuid() != 0 or sys.version_info[:2] != DEBIANS_PYTHON:
        pytest.skip("needs root, and the Python of Debian 12, for which the packages of this environment were built")
    return Debian(uml, tmp_path)


def _round(due: dict[str, Any], dispensed: int) -> dict[str, Any]:
    return {"round_id": 1, "due": due, "wagers": WAGERS, "dispensed": dispensed}


def _stack(to: str) -> dict[str, Any]:
    return {"step": "take_stack", "to": to, "cards": 2}


@pytest.mark.nightly
@pytest.mark.timeout(2 * BOOT_S + 600)
def test_systemd_runs_a_table_and_gets_it_back(debian: Debian, capsys: pytest.CaptureFixture[str]) -> None:
    """FR-07, P1, P2: from the clean root to the end, over a watchdog, a kill and a boot; the round is where it was."""
    debian.build()
    debian.boot()
    debian.boot()
    seen = debian.seen()
    told = {each["what"]: each for each in seen}
    with capsys.disabled():
        boots = [each["at_s"] for each in seen if each["what"] == "done"]
        print(f"\nsystemd: two boots, {boots} s after the start of each, watchdog and kill survived")
    assert [each for each in seen if each["what"] == "broken"] == []

    assert told["installed"]["status"] == 0
    assert all(each["done"] for each in json.loads(told["installed"]["out"])["called"])
    assert told["checked"]["out"][0] == 0, told["checked"]
    assert told["enabled"]["out"][0] == 0, told["enabled"]
    ready = told["ready"]
    assert (ready["ActiveState"], ready["SubState"], ready["WatchdogUSec"]) == ("active", "running", "20s")
    assert ready["StatusText"] == "The shoe is not connected. Look at its cable and power."
    assert told["connected"]["confined"] == {
        "CapEff": "0" * 16,
        "CapBnd": "0" * 16,
        "NoNewPrivs": "1",
        "Seccomp": "2",
        "user": "cardshoe",
        "mounts": "['/tmp', '/var/lib/cardshoe', '/var/tmp']",
    }

    tried = told["connected"]["probe"]
    assert {name for name, outcome in tried.items() if outcome == "done"} == NEEDED
    assert {name for name, outcome in tried.items() if outcome != "done"} == REFUSED, tried

    before = told["before the watchdog"]
    assert before["round"] == _round(_stack("1"), 1)
    assert told["after the watchdog"]["round"] == before["round"]
    assert told["after the watchdog"]["NRestarts"] == "1"
    assert told["after a kill"]["round"] == before["round"]
    assert told["after a kill"]["NRestarts"] == "2"
    assert told["dealt on"]["round"] == _round(_stack("dealer"), 2)
    log = told["log"]["out"]
    assert "Watchdog timeout (limit 20s)!" in log
    assert "cardshoe: shoe: not connected at tcp://127.0.0.1:7001" in log
    assert "cardshoe: shoe: connected at tcp://127.0.0.1:7001" in log
    assert "Traceback" not in log

    again = told["after a boot"]
    assert (again["NRestarts"], again["alarm"]) == ("0", "shoe-restarted")
    assert again["round"]["wagers"] == WAGERS
    assert told["ruled"]["round"]["due"] == _stack("dealer")
    assert told["without a watchdog"]["hung"] is True  # so that what came back above came back by the watchdog
    stopped = told["stopped"]
    assert (stopped["ActiveState"], stopped["Result"], stopped["ExecMainStatus"]) == ("inactive", "success", "0")
    assert json.loads(told["verified"]["out"][1])["ok"]
    assert json.loads(told["replayed"]["out"][1])["ok"]
    assert told["uninstalled"]["out"][0] == 0
    assert told["uninstalled"]["journal"]
    assert told["gone"]["out"][1].strip() in {"inactive", "unknown"}
    assert told["gone"]["unit"] != 0
