"""The least that can answer at the other end of a line, as a process of its own: `responder.py FD` with a job on stdin.

Owns two jobs. *Raw*: for every N bytes M bytes, which is the floor. *Canned*: for every frame that stands in a table
the reply that stands beside it, and nothing for any other. Knows no protocol and imports nothing of ours, so that its
own time is next to nothing. Ends at end of file or when the line is gone.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Final, TypedDict

READ_BYTES: Final = 4096


class Job(TypedDict):
    """`asked` and `answered` bytes of a raw exchange, and frames (hex, without 00) to replies (hex)."""

    asked: int
    answered: int
    canned: dict[str, str]


def main() -> None:
    """Read the job, say that it is known, do it."""
    fd = int(sys.argv[1])
    job: Job = json.loads(sys.stdin.readline())
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    try:
        if job["canned"]:
            canned = {bytes.fromhex(asked): bytes.fromhex(reply) for asked, reply in job["canned"].items()}
            _answer_frames(fd, canned)
        else:
            _answer_bytes(fd, job["asked"], bytes(job["answered"]))
    except OSError:  # EIO: the other end of the pty closed, which is how the measurement ends
        sys.exit(0)


def _answer_bytes(fd: int, asked: int, reply: bytes) -> None:
    waiting = 0
    while data := os.read(fd, READ_BYTES):
        waiting += len(data)
        while waiting >= asked:
            waiting -= asked
            os.write(fd, reply)


def _answer_frames(fd: int, canned: dict[bytes, bytes]) -> None:
    rest = b""
    while data := os.read(fd, READ_BYTES):
        *frames, rest = (rest + data).split(b"\x00")
        for frame in frames:
            reply = canned.get(frame)
            if reply is not None:
                os.write(fd, reply)


if __name__ == "__main__":
    main()
