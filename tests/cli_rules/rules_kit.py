"""What the tests of `settle`, `plan` and `rehearse` read and write."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from typing import Any

Run = Callable[..., subprocess.CompletedProcess[bytes]]


def answers(done: subprocess.CompletedProcess[bytes]) -> list[dict[str, Any]]:
    """The answer lines of a command, each one JSON object."""
    return [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()]


def as_line(*cases: Mapping[str, object]) -> bytes:
    """Cases as JSON Lines."""
    return b"".join(json.dumps(case).encode() + b"\n" for case in cases)
