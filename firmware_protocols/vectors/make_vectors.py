"""Write frames.jsonl, resync.jsonl, sealed.jsonl and dialogues.jsonl from the hand-written cases beside this file.

    python firmware_protocols/vectors/make_vectors.py [DIRECTORY]

The same cases give the same bytes. A case that contradicts itself (an id twice, fields that do not pack to the payload
written beside them) stops the run.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import device_deck_cases  # noqa: E402 (the cases stand beside this file, wherever it is run from)
import device_event_cases  # noqa: E402
import device_link_cases  # noqa: E402
import device_reader_cases  # noqa: E402
import device_round_cases  # noqa: E402
import device_shoe_cases  # noqa: E402
import frame_cases  # noqa: E402
import host_cases  # noqa: E402
import resync_cases  # noqa: E402
import sealed_cases  # noqa: E402

DIALOGUES = (
    device_link_cases,
    device_event_cases,
    device_shoe_cases,
    device_deck_cases,
    device_round_cases,
    device_reader_cases,
    host_cases,
)


def files() -> dict[str, list[dict[str, Any]]]:
    """Return the vectors by the name of their file; raises ValueError when an id is used twice."""
    made = {
        "frames.jsonl": frame_cases.vectors(),
        "resync.jsonl": resync_cases.vectors(),
        "sealed.jsonl": sealed_cases.vectors(),
        "dialogues.jsonl": [vector for module in DIALOGUES for vector in module.VECTORS],
    }
    ids = [vector["id"] for vectors in made.values() for vector in vectors]
    if twice := {id_ for id_ in ids if ids.count(id_) > 1}:
        raise ValueError(f"used twice: {sorted(twice)}")
    return made


def write(directory: Path) -> None:
    """Write the files into `directory`."""
    for name, vectors in files().items():
        lines = [json.dumps(vector, ensure_ascii=True) for vector in vectors]
        (directory / name).write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
