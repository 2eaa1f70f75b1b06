"""Pairing with a simulated shoe as a technician does it: button, label, `cardshoe pair`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from demo_bench import Elsewhere, command


def pair(world: Elsewhere, keys: Path, device: str = "shoe") -> None:
    """Press the device's button, read its label, and pair through the product's own command."""
    assert world.ask(do="pairing", device=device)["ok"]
    label = world.ask(do="label", device=device)["label"]
    reading, writing = os.pipe()
    os.write(writing, label.encode() + b"\n")
    os.close(writing)
    given = ("pair", world.told[f"{device}_url"], "--role", "deal", "--keys", keys, "--label-fd", reading)
    done = subprocess.run(command(*given), pass_fds=[reading], capture_output=True, text=True, check=False)
    os.close(reading)
    assert done.returncode == 0, done.stderr
