"""Recordings as files: the lines that `transport.tap` writes, read back, with what is wrong in them named.

Owns the reading and the text form. Must not know what the bytes mean: that is `wire.transcript`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cardshoe.bounded_files import read_at_most
from cardshoe.errors import InputError
from cardshoe.wire.spec import DEVICE_PROTOCOLS, DeviceSpec, load_spec
from cardshoe.wire.transcript import Said, Way, read_line, spec_of_line

LINE_BYTES: Final = 1024 * 1024
FILE_MOST: Final = 64 * 1024 * 1024
_KINDS: Final = {name.partition("-")[0]: name for name in DEVICE_PROTOCOLS}
_LATEST_S: Final = 1e12
"""No clock goes so far: a time beyond is none, and neither is NaN."""
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})+")


@dataclass(frozen=True, slots=True)
class Recording:
    """What passed on one line: chunks in order, the code of the loss where it ended in one, the device's protocol."""

    path: Path
    chunks: tuple[tuple[float, Way, bytes], ...]
    lost: str | None
    spec: DeviceSpec

    @property
    def began(self) -> float:
        """Monotonic seconds of the first chunk."""
        return self.chunks[0][0] if self.chunks else 0.0

    def said(self) -> list[Said]:
        """Everything as messages."""
        return list(read_line(self.spec, self.chunks))


def read_recording(path: Path, device: str | None = None) -> Recording:
    """Read a recording. `device` ("shoe", "reader") says what it is of where no HELLO in it does.

    Raises InputError `trace-unreadable` for a file or line that is none, `trace-device` where the device is not known.
    """
    try:
        lines = read_at_most(path, FILE_MOST).decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise InputError("trace-unreadable", f"{path} cannot be read: {why}. Name a recording.") from error
    chunks: list[tuple[float, Way, bytes]] = []
    lost = None
    for number, line in enumerate(lines, start=1):
        if line.strip():
            t, way, what = _line(path, number, line)
            if way == "lost":
                lost = str(what)
            else:
                chunks.append((t, way, bytes.fromhex(what)))
    return Recording(path, tuple(chunks), lost, _spec(path, chunks, device))


def _line(path: Path, number: int, line: str) -> tuple[float, Any, str]:
    try:
        row = json.loads(line) if len(line) <= LINE_BYTES else None
    except (ValueError, RecursionError):
        row = None
    if isinstance(row, dict) and _is_time(row.get("t")):
        what = row.get("code" if row.get("way") == "lost" else "hex")
        if (
            row.get("way") in ("out", "in", "lost")
            and isinstance(what, str)
            and (row["way"] == "lost" or _HEX.fullmatch(what))
        ):
            return float(row["t"]), row["way"], what
    raise InputError(
        "trace-unreadable",
        f"{path}, line {number} is no line of a recording ({line[:40]!r}). Name a file that `cardshoe trace record` or "
        "a table has written.",
    )


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) < _LATEST_S


def _spec(path: Path, chunks: Iterable[tuple[float, Way, bytes]], device: str | None) -> DeviceSpec:
    if device is not None:
        if device not in _KINDS:
            raise InputError("trace-device", f"--device is {device!r}; it is one of {', '.join(_KINDS)}.")
        return load_spec(_KINDS[device])
    found = spec_of_line(chunks)
    if found is None:
        raise InputError(
            "trace-device", f"{path} holds no HELLO, so it is not known what it is of. Say --device shoe or reader."
        )
    return found
