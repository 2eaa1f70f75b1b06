"""What the bench's report says of a device's firmware: its signed measurement, or that it is not attested and why."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from world_outside import CARDSHOE, bench, world

from cardshoe.lab.conform.hands import ControlHands

ONLY = ["--conform", "none", "-k", "test_its_firmware_is_measured or test_who_it_is"]


def paired(ready: dict[str, Any], keys: Path) -> None:
    """Press the button, read the label inside the door, pair."""
    hands = ControlHands(Path(ready["control"]))
    assert hands.act({"do": "pairing", "device": "shoe"})["ok"]
    read, write = os.pipe()
    os.write(write, hands.act({"do": "label", "device": "shoe"})["label"].encode() + b"\n")
    os.close(write)
    command = [*CARDSHOE, "pair", ready["shoe_url"], "--role", "deal", "--keys", str(keys), "--label-fd", str(read)]
    done = subprocess.run(command, pass_fds=[read], capture_output=True, text=True, timeout=60)
    os.close(read)
    assert done.returncode == 0, done.stderr


def test_the_measurement_of_a_paired_shoe_is_in_the_report(tmp_path: Path) -> None:
    """LINK-12.1, LINK-12.2: a paired shoe signs for each run, and is tested on (in clear: see the suite's own test)."""
    file, keys, folder = tmp_path / "bench.toml", tmp_path / "keys", tmp_path / "evidence"
    with world(tmp_path) as ready:
        paired(ready, keys)
        file.write_text(f'[shoe]\nurl = "{ready["shoe_url"]}"\nkeys = "{keys}"\n[limits]\nslack_ms = 5000\n')
        status, said = bench("--bench", str(file), "--evidence", str(folder), *ONLY)
    assert status == 0, said
    record = json.loads((folder / "record.json").read_text())
    shoe = dict(record["devices"])["shoe"]
    told = shoe["measurement"].split()[0]
    assert told in (folder / "report.html").read_text()
    assert told in said
    image = f"cardshoe simulated firmware shoe {shoe['firmware'].split()[0]}"  # what a simulated device runs
    assert told == hashlib.sha256(image.encode()).hexdigest()
    assert {one["outcome"] for one in record["tests"] if "[shoe]" in one["test"]} == {"passed"}
