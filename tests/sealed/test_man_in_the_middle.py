"""Somebody stands in the cable between `cardshoe run` and a paired simulated shoe, on real ptys.

What he tries (`man_in_the_middle`, a program of its own) is refused for what it is, moves no card and stands in the
journal: read, change, replay, reorder, splice of two sessions, downgrade, swap of devices, clone with copied memory.
Proves LINK-5.9 and LINK-9.1 to LINK-9.12 for the whole product (T1, T5 to T7 of the threat model, promise P7).
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from demo_bench import Elsewhere, command, elsewhere
from man_in_the_middle import SEALED
from paired_world import pair
from sim_host import uncobs

from cardshoe.journal import JournalReader

SCRIPT = Path(__file__).with_name("man_in_the_middle.py")
WITHIN_S = 20.0


class Sealed:
    """A `cardshoe run` that speaks sealed to a shoe behind `url`."""

    def __init__(self, folder: Path, url: str) -> None:
        config = folder / "table.toml"
        config.write_text(
            f'[table]\nname = "T7"\nmode = "bench"\ngame = "three-card-poker"\njournal = "journal"\n'
            f'[devices.shoe]\nurl = "{url}"\nsecurity = "sealed"\n[security]\nkeys = "keys"\n'
        )
        self.journal = folder / "journal"
        self.process = subprocess.Popen(
            command("run", "--config", config, "--json"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def opened(self) -> None:
        """Wait until the round may be opened: the session stands."""
        assert self.process.stdout is not None
        while (line := self.process.stdout.readline()) and '"open_round"' not in line:
            continue
        assert line, self.process.communicate()[1]

    def records(self) -> list[tuple[str, dict[str, Any]]]:
        """What stands in the journal."""
        with JournalReader(self.journal) as reader:
            return [(each.kind, dict(each.body)) for each in reader.records()]

    def wait_for(self, kind: str) -> dict[str, Any]:
        """Wait for a record of this kind and return its body."""
        end = time.monotonic() + WITHIN_S
        while time.monotonic() < end:
            found = [body for each, body in self.records() if each == kind] if self.journal.exists() else []
            if found:
                return found[-1]
            time.sleep(0.05)
        raise AssertionError(f"no {kind} in {[each for each, _ in self.records()]}")

    def end(self) -> tuple[int, str]:
        """End the input; return exit status and standard error."""
        try:
            _out, err = self.process.communicate(timeout=WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _out, err = self.process.communicate()
        return self.process.returncode, err


@contextmanager
def table(folder: Path, url: str) -> Iterator[Sealed]:
    """A table that ends with the test."""
    made = Sealed(folder, url)
    try:
        yield made
    finally:
        if made.process.poll() is None:
            made.end()


class Man:
    """The man in the cable."""

    def __init__(self, folder: Path, world: Elsewhere, trick: str, *more: object) -> None:
        self.link = folder / "cable"
        device = str(world.told["shoe_url"]).removeprefix("serial://")
        self.process = subprocess.Popen(
            [
                sys.executable,
                str(SCRIPT),
                "--host",
                str(self.link),
                "--device",
                device,
                "--trick",
                trick,
                *map(str, more),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.said()

    @property
    def url(self) -> str:
        """Where the table finds him."""
        return f"serial://{self.link}"

    def said(self) -> dict[str, Any]:
        """His next line."""
        assert self.process.stdout is not None
        return dict(json.loads(self.process.stdout.readline()))

    def go(self) -> int:
        """Have him do it; returns how many frames he has touched by now."""
        assert self.process.stdin is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return int(self.said()["tricks"])

    def leave(self) -> dict[str, Any]:
        """End him; returns what he has seen."""
        out, _ = self.process.communicate(timeout=WITHIN_S)
        return dict(json.loads(out.splitlines()[-1]))


@contextmanager
def in_the_cable(folder: Path, world: Elsewhere, trick: str, *more: object) -> Iterator[Man]:
    """He leaves with the test."""
    man = Man(folder, world, trick, *more)
    try:
        yield man
    finally:
        if man.process.poll() is None:
            man.process.kill()
            man.process.communicate()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Elsewhere]:
    """A paired shoe that remembers over restarts."""
    with elsewhere(tmp_path, reader=False, state=True) as made:
        pair(made, tmp_path / "keys")
        yield made


def nothing_moved(world: Elsewhere) -> None:
    """No motor ran and no card left, by what physically happened."""
    told = world.ask(do="counters")
    assert {key: told[key] for key in ("feeds_started", "cards_out", "stacks_dispensed")} == {
        "feeds_started": 0,
        "cards_out": 0,
        "stacks_dispensed": 0,
    }


def alarms(made: Sealed) -> list[str]:
    """The codes of all alarms in the journal."""
    return [body["code"] for kind, body in made.records() if kind == "alarm_raised"]


def test_he_reads_nothing(world: Elsewhere, tmp_path: Path) -> None:
    """LINK-9.8: behind the greeting every frame is sealed: no name, no serial, no plain heartbeat twice."""
    with in_the_cable(tmp_path, world, "read") as man, table(tmp_path, man.url) as made:
        made.opened()
        time.sleep(1.0)
        made.end()
        seen = man.leave()
    for way, greetings in (("up", 2), ("down", 2)):
        contents = [uncobs(bytes.fromhex(frame)) for frame in seen[way]]
        sealed = [content for content in contents if content[0] == SEALED]
        assert len(sealed) > 3
        assert len(contents) - len(sealed) <= greetings  # HELLO and SEAL, and their answers
        closed = [content[9:] for content in sealed]
        assert len({each[:8] for each in closed}) == len(closed)  # equal messages have nothing in common
        assert not any(b"SIM-S" in each or b"1.0" in each for each in closed)
    nothing_moved(world)


@pytest.mark.parametrize(("trick", "replays", "wrong_tags"), [("change", 0, 9), ("replay", 1, 0), ("reorder", 1, 0)])
def test_what_he_does_to_a_session_is_told_and_holds_the_table(
    world: Elsewhere, tmp_path: Path, trick: str, replays: int, wrong_tags: int
) -> None:
    """LINK-9.10, T5, T6: counted for what it is, in the journal, and an alarm; no card moves."""
    with in_the_cable(tmp_path, world, trick) as man, table(tmp_path, man.url) as made:
        made.opened()
        man.go()
        body = made.wait_for("link_tampered")
        assert (body["device"], body["replays"]) == ("shoe", replays)
        assert body["wrong_tags"] >= wrong_tags
        assert "link-tampered" in alarms(made)
    nothing_moved(world)


def test_the_tables_old_frames_do_nothing_at_the_shoe(world: Elsewhere, tmp_path: Path) -> None:
    """LINK-9.9, T6: each is counted by the shoe as a replay, and not one is carried out."""
    with in_the_cable(tmp_path, world, "replay-down") as man, table(tmp_path, man.url) as made:
        made.opened()
        sent = man.go()
        assert sent > 0
        end = time.monotonic() + WITHIN_S
        while world.ask(do="security", device="shoe")["replays"] < sent and time.monotonic() < end:
            time.sleep(0.05)
        assert world.ask(do="security", device="shoe")["replays"] == sent
    nothing_moved(world)


@pytest.mark.nightly
def test_frames_of_another_session_are_foreign(world: Elsewhere, tmp_path: Path) -> None:
    """LINK-9.5, T6: what he recorded yesterday has a wrong tag today."""
    recorded = tmp_path / "yesterday"
    with in_the_cable(tmp_path, world, "read", "--record", recorded) as man, table(tmp_path, man.url) as made:
        made.opened()
        end = time.monotonic() + 8.0
        while time.monotonic() < end:
            time.sleep(0.5)
        made.end()
        man.leave()
    with in_the_cable(tmp_path, world, "splice", "--take", recorded) as man, table(tmp_path, man.url) as made:
        made.opened()
        assert man.go() > 8
        body = made.wait_for("link_tampered")
        assert (body["replays"], body["wrong_tags"] > 8) == (0, True)
        assert "link-tampered" in alarms(made)
    nothing_moved(world)


def refused(folder: Path, url: str, code: str) -> str:
    """A table that cannot be opened: its own code in the journal, one paragraph, no traceback."""
    with table(folder, url) as made:
        body = made.wait_for("device_refused")
        status, err = made.end()
        assert body["code"] == code
        assert status != 0
        assert "Traceback" not in err
        return err


def test_a_greeting_made_clear_opens_nothing(world: Elsewhere, tmp_path: Path) -> None:
    """LINK-5.9, LINK-9.2, T7: the paired shoe serves no clear session, and the table takes none."""
    with in_the_cable(tmp_path, world, "downgrade") as man:
        assert refused(tmp_path, man.url, "device-not-paired") != ""
        assert man.leave()["tricks"] > 0
    nothing_moved(world)


def test_another_paired_shoe_in_its_place_is_refused(world: Elsewhere, tmp_path: Path) -> None:
    """LINK-9.3, T1: it is paired too, but not with this table."""
    other_place = tmp_path / "other"
    other_place.mkdir()
    with elsewhere(other_place, reader=False, more=("--seed", "12")) as other:
        pair(other, other_place / "keys")
        with in_the_cable(tmp_path, other, "read") as man:
            refused(tmp_path, man.url, "device-unknown-key")
        nothing_moved(other)
    nothing_moved(world)


def test_a_clone_with_copied_memory_is_refused(world: Elsewhere, tmp_path: Path) -> None:
    """LINK-9.6, T4: memory, keys and all are copied, and the true shoe has been used since."""
    url = str(world.told["shoe_url"])
    copied = tmp_path / "copied"
    for number in range(2):
        with table(tmp_path, url) as made:
            made.opened()
            made.end()
        if number == 0:
            shutil.copytree(tmp_path / "memory", copied / "memory")
    with elsewhere(copied, reader=False, state=True) as clone, in_the_cable(tmp_path, clone, "read") as man:
        refused(tmp_path, man.url, "device-copied")
        with JournalReader(tmp_path / "journal") as reader:
            assert "device-copied" in [dict(each.body).get("code") for each in reader.records()]
        nothing_moved(clone)
