"""No round begins on a disk that is nearly full; a round that is open is finished (P5, FR-45)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from crash_bench import command

from cardshoe.error_table import ERROR_TABLE, Clears
from cardshoe.errors import JournalError, Refused
from cardshoe.journal import Entry, Journal, Verdict, reserve
from cardshoe.journal.space import Space, free_space
from cardshoe.round.events import NoMoreBetsCalled, PlayerSeated, WagerPlaced
from cardshoe.table.acts import ClearAlarm, OpenRound
from cardshoe.table.config import parse_config
from cardshoe.table.controller import Controller
from cardshoe.table.journal_watch import MIB
from cardshoe.table.state import TableState

CONFIG = """
[table]
name = "T1"
mode = "bench"
game = "three-card-poker"
method = "hand"
journal = "{journal}"
min_free_mb = {least}
"""
ROOM, SHORT = Space("/disk", 64 * MIB, 900 * MIB), Space("/disk", 64 * MIB - 1, 900 * MIB)


def _controller() -> Controller:
    return Controller(parse_config(CONFIG.format(journal="unused", least=64), "test"), TableState())


def test_the_table_holds_between_rounds_while_room_is_short() -> None:
    """P5: one alarm, cleared by the technician, raised again while there is no more room."""
    controller = _controller()
    assert controller.room_looked_at(ROOM, 0.0).entries == ()
    for _ in range(2):
        (alarm,) = controller.room_looked_at(SHORT, 0.0).entries
        assert alarm.body["code"] == "disk-space"
        assert "64" in str(alarm.body["text"])
        assert controller.room_looked_at(SHORT, 0.0).entries == ()
        with pytest.raises(Refused) as refused:
            controller.act(OpenRound({}), 0.0)
        assert refused.value.code == "held"
        with pytest.raises(Refused):
            controller.act(ClearAlarm("disk-space", "dealer", "no"), 0.0)
        controller.act(ClearAlarm("disk-space", "technician", "made room"), 0.0)
    assert controller.act(OpenRound({}), 0.0).entries


def test_an_open_round_goes_on() -> None:
    """P5: too late to stop the round; it is finished, and no other begins."""
    controller = _controller()
    controller.act(OpenRound({}), 0.0)
    controller.act(PlayerSeated("1", "Ada"), 0.0)
    controller.act(WagerPlaced("1", "Ada", {"pair_plus": 500}), 0.0)
    assert controller.room_looked_at(SHORT, 0.0).entries == ()
    assert controller.act(NoMoreBetsCalled(), 0.0).entries


def test_a_past_that_cannot_be_trusted_holds_the_table() -> None:
    """P5, P6: also a round that is open; the floor and a second person answer."""
    controller = _controller()
    bad = Verdict(False, 7, "", False, 0, "", 7, "Record 7 does not continue the chain.")
    assert controller.past_checked(Verdict(True, 9, "ab", True, 9, ""), 0.0).entries == ()
    (alarm,) = controller.past_checked(bad, 0.0).entries
    assert alarm.body["code"] == "journal-past-untrusted"
    assert "from record 7" in str(alarm.body["text"])
    assert ERROR_TABLE["journal-past-untrusted"].clears is Clears.TWO_PEOPLE


def test_a_table_asks_its_own_disk(tmp_path: Path) -> None:
    """FR-45: `cardshoe run` on a disk that has less than the configuration wants."""
    least = min(free_space(tmp_path).free_bytes // MIB + 100_000, 1_000_000)
    config = tmp_path / "table.toml"
    config.write_text(CONFIG.format(journal=tmp_path / "journal", least=least))
    clear = {"op": "clear", "code": "disk-space", "role": "technician", "reason": "it is enough"}
    given = '{"op": "open_round"}\n' + json.dumps(clear) + "\n"
    done = subprocess.run(
        command("run", "--config", config, "--json"), input=given, capture_output=True, text=True, timeout=60
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    refusals = [answer["refusal"] for answer in answers if answer.get("accepted") is False]
    assert [refusal["code"] for refusal in refusals] == ["held", "disk-space"], done
    assert all(str(tmp_path) in refusal["text"] for refusal in refusals)


def test_a_key_in_another_unit_is_refused() -> None:
    """Configuration: whole mebibytes, at least one."""
    for wrong in ("0", '"64 MB"', "1.5"):
        with pytest.raises(Exception, match="min_free_mb"):
            parse_config(CONFIG.format(journal="unused", least=wrong), "test")


def test_the_reserve_is_real_room_and_given_up_once(tmp_path: Path) -> None:
    """P2: blocks, not a hole in a file; a journal without room for it is opened without it."""
    path = tmp_path / "table.db"
    with Journal.open(path, reserve_bytes=MIB) as journal:
        file = tmp_path / "table.db.reserve"
        assert file.stat().st_blocks * 512 >= MIB
        journal.append_now([Entry("wager_placed", {}, 1)])
    with Journal.open(path, reserve_bytes=MIB, min_free_bytes=0):
        kept = reserve.Reserve(path, MIB)
        assert kept.give_up()
        assert not kept.give_up()
    assert not reserve.Reserve(path, MIB, spare_bytes=10**18).path.exists()
    assert reserve.is_full(JournalError("journal-full", "x"))
