"""A whole table on real ports with a shoe that commits; its round told from the journal; killed with a try on disk."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cardshoe.journal.reader import JournalReader

CARDSHOE = (sys.executable, "-m", "cardshoe")


def _demo(journal: Path, *more: str) -> tuple[str, ...]:
    return (*CARDSHOE, "demo", "--headless", "--journal", str(journal), "--seed", "3", "--json", *more)


def _story(journal: Path, number: int) -> str:
    shown = subprocess.run(
        (*CARDSHOE, "journal", "show", str(journal), "--round", str(number)), capture_output=True, text=True, check=True
    )
    return shown.stdout


@pytest.mark.parametrize("game", ["ultimate-texas-holdem", "three-card-poker"])
def test_rounds_on_a_real_port(game: str, tmp_path: Path) -> None:
    """SHOE-9.1 to SHOE-9.10, P4, P6: the story names commitments, comparisons and the envelope, and no hidden face."""
    journal = tmp_path / "table.sqlite"
    done = subprocess.run(_demo(journal, "--rounds", "2", "--game", game), capture_output=True, text=True, check=True)
    result = json.loads(done.stdout.splitlines()[-1])
    assert (result["completed"], result["alarms"]) == (2, 0)
    story = _story(journal, 1)
    for words in (
        "the shoe is asked to commit to deck",
        "the shoe commits to the card of slot 0",
        "no more cards leave the shoe in its round 1",
        "is held against what the shoe dealt",
        ": the shoe dealt it there",
        "cards of its round 1",
    ):
        assert words in story, words
    with JournalReader(journal) as reader:
        up = {str(each.body["face"]) for each in reader.records() if each.kind == "card-turned" and each.round == 1}
    held = set(re.findall(r"  ([2-9TJQKA][shdc]) at ", story))
    assert held
    assert held <= up


def test_killed_with_a_try_on_disk(tmp_path: Path) -> None:
    """P1, P2: kill -9 while cards are compared: each comparison that was asked has one answer in the end."""
    journal = tmp_path / "table.sqlite"
    with subprocess.Popen(_demo(journal, "--rounds", "200"), stdout=subprocess.DEVNULL) as process:
        until = time.monotonic() + 60
        while time.monotonic() < until and not _asked(journal):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    subprocess.run(_demo(journal, "--rounds", "1"), capture_output=True, text=True, check=True)
    with JournalReader(journal) as reader:
        records = list(reader.records())
    answered = [
        (each.body["shoe_round"], each.body["command_id"], each.body["card"])
        for each in records
        if each.kind == "card_match_answered" and each.body["result"] in ("match", "mismatch", "unread")
    ]
    assert len(answered) == len(set(answered))
    assert answered


def _asked(journal: Path) -> bool:
    if not journal.exists():
        return False
    shown = subprocess.run(
        (*CARDSHOE, "journal", "show", str(journal), "--kind", "card_match_requested", "--json", "--last", "1"),
        capture_output=True,
        text=True,
        check=False,
    )
    return bool(shown.stdout.strip())
