"""`pytest hil` as a technician runs it: small, on simulated devices; its evidence, its gates, what it does not pass."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from world_outside import bench, cardshoe, world

SMALL = "[limits]\nslack_ms = 5000\nreader_cards = 5\nshuffles = 1\n"


def bench_file(directory: Path, text: str = "") -> str:
    """A bench file with small limits."""
    path = directory / "bench.toml"
    path.write_text(text + SMALL)
    return str(path)


SOME_OF_EACH = (
    "test_who or measured or test_an_event or (test_a_stack and 7) or test_a_board or test_a_restart or acceptance"
)


@pytest.mark.parametrize("chosen", [SOME_OF_EACH, pytest.param("", marks=pytest.mark.nightly)], ids=["some", "all"])
@pytest.mark.timeout(600)
def test_the_suite_on_simulated_devices(tmp_path: Path, chosen: str) -> None:
    """SHOE-4.1, SHOE-4.9, LINK-4.2, READER-2.1: passes; the evidence is whole, signed, and shows every change."""
    folder, key = tmp_path / "evidence", tmp_path / "key.pem"
    status, public, _ = cardshoe("evidence", str(key), "--make-key")
    assert status == 0
    options = ["--bench", bench_file(tmp_path), "--conform", "none", "-k", chosen]
    ran, said = bench(*options, "--evidence", str(folder), "--evidence-key", str(key))
    assert ran == 0, said
    assert "evidence: " in said

    record = json.loads((folder / "record.json").read_text())
    assert record["verdict"] == "PASSED"
    assert record["simulated"] is True
    assert [kind for kind, _ in record["devices"]] == ["shoe", "reader"]
    assert all(one["ok"] for one in record["measurements"])
    assert {one["outcome"] for one in record["tests"]} == {"passed", "skipped"}
    suite = ElementTree.parse(folder / "junit.xml").getroot()[0]
    assert int(suite.attrib["tests"]) == len(record["tests"])
    properties = {one.attrib["name"]: one.attrib["value"] for one in suite.iter("property")}
    assert properties["shoe serial"] == dict(record["devices"])["shoe"]["serial"]
    page = (folder / "report.html").read_text()
    assert "SIMULATED DEVICES" in page
    clear = "not attested: it attests in a sealed session only"
    assert dict(record["devices"])["shoe"]["measurement"].startswith(clear)
    assert clear in page
    assert "http" not in page.replace("http-equiv", ""), "the page needs something beside itself"
    assert "host_nonce <" in page.replace("&lt;", "<"), "nonces are masked"

    check = ["evidence", str(folder), "--public-key", public.strip(), "--json"]
    assert json.loads(cardshoe(*check)[1])["ok"]
    (folder / "report.html").write_text(page.replace("PASSED", "passed"))
    ended, told, _ = cardshoe(*check)
    assert (ended, json.loads(told)["wrong"]) == (1, ["report.html was changed"])


def test_needs_skip_or_fail(tmp_path: Path) -> None:
    """Without hands, without leave to move: skipped with the reasons; --strict-needs makes failures of them."""
    with world(tmp_path) as ready:
        options = ["--device", ready["shoe_url"], "--conform", "none", "-k", "test_a_stack or test_who or test_a_board"]
        ran, said = bench(*options)
        strictly, strict = bench(*options, "--strict-needs")
    assert ran == 0, said
    assert "allow it with --allow-motion" in said
    assert "nobody at the bench can do take_stack" in said
    assert "no reader is on the bench" in said
    assert strictly == 1
    assert "it moves cards" in strict


def test_a_surprise_breaks_the_bench(tmp_path: Path) -> None:
    """LINK-5.10: a shoe that restarts by itself is trusted no more; the rest is skipped, and the report says so."""
    faults = tmp_path / "faults.jsonl"
    faults.write_text("".join(f'{{"kind": "watchdog_reset", "after_s": {at / 10}}}\n' for at in range(7, 2000, 7)))
    with world(tmp_path, "--faults", str(faults)) as ready:
        folder = tmp_path / "evidence"
        ran, said = bench("--device", ready["shoe_url"], "--evidence", str(folder), "-k", "test_times or test_who")
    assert ran == 1, said
    record = json.loads((folder / "record.json").read_text())
    assert record["verdict"] == "BROKEN BENCH", said
    assert record["broken"]
    assert "BROKEN BENCH" in (folder / "report.html").read_text()


def test_a_wrong_shoe_does_not_pass(tmp_path: Path) -> None:
    """SHOE-4.4: a shoe that counts wrongly is told by the test that shows the clause."""
    hands = f'[hands]\nby = "control"\ncontrol = "{tmp_path / "control"}"\n'
    with world(tmp_path, "--mutate", "SHOE-4.4") as ready:
        options = ["--device", ready["shoe_url"], "--bench", bench_file(tmp_path, hands), "--allow-motion"]
        ran, said = bench(*options, "--conform", "none", "-k", "test_a_stack and 1")
    assert ran == 1, said
    assert "test_a_stack[1]" in said


@pytest.mark.nightly
def test_motion_has_a_budget(tmp_path: Path) -> None:
    """Once the cards that the bench file allows are fed, nothing more is."""
    file = tmp_path / "bench.toml"
    file.write_text("[limits]\nslack_ms = 5000\ndispense_budget = 4\n")
    ran, said = bench("--bench", str(file), "--conform", "none", "-k", "test_a_stack or test_nothing_is_dealt")
    assert ran == 0, said
    assert "the dispense budget of 4 cards is spent" in said


def test_a_port_that_is_not_there() -> None:
    """Exit 3, the port named, no test reported as failed."""
    ran, said = bench("--device", "tcp://127.0.0.1:1", "-k", "test_who")
    assert ran == 3
    assert "127.0.0.1:1" in said


def test_evidence_of_two_runs_is_not_mixed(tmp_path: Path) -> None:
    """A folder that is not empty is refused before anything runs."""
    (tmp_path / "old.html").write_text("old")
    ran, said = bench("--evidence", str(tmp_path))
    assert ran == 4
    assert "is not empty" in said


@pytest.mark.nightly
def test_a_key_signs_a_folder(tmp_path: Path) -> None:
    """A key without a folder is wrong usage."""
    assert bench("--evidence-key", str(tmp_path / "key.pem"))[0] == 4
