"""What several tests of this room look at: what a demo leaves behind, made once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal of two rounds in a folder of its own, with everything that a demo leaves beside it."""
    journal = tmp_path_factory.mktemp("played") / "journal"
    words = [
        "demo",
        "--headless",
        "--rounds",
        "2",
        "--seed",
        "3",
        "--speed",
        "2000",
        "--journal",
        str(journal),
        "--json",
    ]
    # The umask of whoever starts it must not matter.
    subprocess.run(["sh", "-c", 'umask 000; exec "$@"', "sh", sys.executable, "-m", "cardshoe", *words], check=True)
    return journal
