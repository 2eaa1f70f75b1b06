"""`cardshoe conform` against a world that is another process, over a real pty."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from world_outside import BUSY_MS, cardshoe, world


def told(text: str) -> dict[str, str]:
    """The verdicts by clause."""
    return {one["clause"]: one["verdict"] for one in json.loads(text)["clauses"]}


def test_a_right_shoe_used_before(tmp_path: Path) -> None:
    """SHOE-4.8, SHOE-3.1, LINK-6.1: exit 0; and again on the same world, of whose deck cards were dealt."""
    with world(tmp_path) as ready:
        ask = ["conform", ready["shoe_url"], "--control", ready["control"], "--slack-ms", BUSY_MS, "--json"]
        for clause in ("SHOE-8.7", "SHOE-2.5"):
            status, said, complaint = cardshoe(*ask, "--clause", clause)
            assert (status, told(said)) == (0, {clause: "passed"}), said + complaint
        found = json.loads(said)
    assert found["device"]["kind"] == "shoe"
    assert found["device"]["spec_hash"] == found["spec_hash"]
    assert found["measured"][0]["count"] > 0


@pytest.mark.parametrize(("clause", "kind"), [("LINK-5.5", "shoe"), ("READER-2.2", "reader")])
def test_a_wrong_device(tmp_path: Path, clause: str, kind: str) -> None:
    """The clause is the parameter: exit 1, told by the clause, with what was expected and what came."""
    with world(tmp_path, "--mutate", clause) as ready:
        ask = ["conform", ready[f"{kind}_url"], "--control", ready["control"], "--slack-ms", "500", "--clause", clause]
        status, said, complaint = cardshoe(*ask)
    assert status == 1, complaint
    assert f"{clause:11} broken" in said
    assert "expected" in said
    assert "came" in said
    assert f"Look first at {clause}" in said


def test_nobody_at_the_device(tmp_path: Path) -> None:
    """LINK-7.4: what needs hands is not shown, and says so; nothing shown is no pass."""
    with world(tmp_path) as ready:
        status, said, _ = cardshoe("conform", ready["shoe_url"], "--clause", "LINK-7.6", "--json")
    only = json.loads(said)["clauses"][0]
    assert (status, only["verdict"]) == (1, "not shown")
    assert "needs hands at the device" in only["reason"]


def test_a_bench_file_says_who_acts(tmp_path: Path) -> None:
    """READER-2.3, by the control socket that the bench file names; text for people."""
    file = tmp_path / "bench.toml"
    with world(tmp_path) as ready:
        file.write_text(f'[hands]\nby = "control"\ncontrol = "{ready["control"]}"\n[limits]\nslack_ms = {BUSY_MS}\n')
        status, said, complaint = cardshoe(
            "conform", ready["reader_url"], "--bench", str(file), "--clause", "READER-2.3"
        )
    assert status == 0, said + complaint
    assert "READER-2.3  passed" in said
    assert "1 clause: 1 passed" in said


@pytest.mark.parametrize(
    ("options", "status", "says"),
    [
        (["tcp://127.0.0.1:1"], 3, "127.0.0.1:1"),
        (["/dev/ttyACM0"], 2, "serial:///dev/ttyACM0"),
        (["tcp://127.0.0.1:1", "--kind", "toaster"], 2, "toaster"),
        (["tcp://127.0.0.1:1", "--bench", "no-such-file"], 2, "no-such-file"),
    ],
)
def test_what_cannot_be_asked(options: list[str], status: int, says: str) -> None:
    """The value is named; 2 for the command line, 3 for the device."""
    ended, said, complaint = cardshoe("conform", *options)
    assert (ended, said) == (status, "")
    assert says in complaint


def test_a_clause_that_is_none(tmp_path: Path) -> None:
    """Exit 2, the clause named; so for one that no vector asks of a device."""
    with world(tmp_path) as ready:
        for clause in ("LINK-" + "99.1", "LINK-6.5"):
            status, _, complaint = cardshoe("conform", ready["shoe_url"], "--clause", clause)
            assert status == 2
            assert clause in complaint
