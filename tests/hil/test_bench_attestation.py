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

ONLY = ["--conform", "none", "-k", "test_its_firmware_is_measured or test_who_it_is or test_times_of_answers"]


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


def ran(directory: Path, name: str, file: Path) -> tuple[str, dict[str, Any], str]:
    """Run the small suite of one bench file; what it printed, its record, its page."""
    folder = directory / name
    status, said = bench("--bench", str(file), "--evidence", str(folder), *ONLY)
    assert status == 0, said
    return said, json.loads((folder / "record.json").read_text()), (folder / "report.html").read_text()


def test_the_measurement_of_a_paired_shoe_is_in_the_report(tmp_path: Path) -> None:
    """LINK-12.1, LINK-12.2: in clear it is not attested, and why; paired, it signs for each run and is tested on."""
    file, keys = tmp_path / "bench.toml", tmp_path / "keys"
    with world(tmp_path) as ready:
        about = f'[shoe]\nurl = "{ready["shoe_url"]}"\n'
        limits = "[limits]\nslack_ms = 5000\n"
        file.write_text(about + limits)
        _, record, page = ran(tmp_path, "clear", file)
        told = dict(record["devices"])["shoe"]["measurement"]
        assert told.startswith("not attested: it attests in a sealed session only")
        assert "not attested" in page
        paired(ready, keys)
        file.write_text(about + f'keys = "{keys}"\n' + limits)
        said, record, page = ran(tmp_path, "sealed", file)
    shoe = dict(record["devices"])["shoe"]
    assert shoe["measurement"].split()[0] in page
    assert shoe["measurement"].split()[0] in said
    image = f"cardshoe simulated firmware shoe {shoe['firmware'].split()[0]}"  # what a simulated device runs
    assert shoe["measurement"].split()[0] == hashlib.sha256(image.encode()).hexdigest()
    assert {one["outcome"] for one in record["tests"] if "[shoe]" in one["test"]} == {"passed"}
