"""The head anchor: the newest signed head, kept in a small file outside the database.

Owns `<journal>.anchor`: two lines of 512 bytes, written in turn and made durable at a round's end, so that a line that
was half written always leaves the other. It shows what the database alone cannot: records cut off the end, a zeroed
write-ahead file, an old copy put back. The anchor is never ahead of the database; a database that is behind its anchor
has lost records. A copy of a line, kept by the auditor, binds the journal against whoever owns the computer.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardshoe.bounded_files import read_at_most
from cardshoe.errors import JournalError
from cardshoe.journal import trouble
from cardshoe.journal.chain import GENESIS, Head, head_is_signed, sign_head
from cardshoe.journal.keyfile import public_bytes, write_whole

LINE_BYTES: Final = 512
_FILE_MOST: Final = 64 * LINE_BYTES
_READS: Final = 3


@dataclass(frozen=True, slots=True)
class Anchor:
    """A signed head and the public key (32 bytes) under which it was signed."""

    head: Head
    public_key: bytes


def anchor_line(anchor: Anchor) -> bytes:
    """Return the 512 bytes of `anchor`: one line of JSON, padded."""
    head = anchor.head
    fields: dict[str, object] = {
        "seq": head.seq,
        "head": head.digest.hex(),
        "signature": head.signature.hex(),
        "public_key": anchor.public_key.hex(),
    }
    return json.dumps(fields | {"sum": _sum(fields)}).encode().ljust(LINE_BYTES - 1) + b"\n"


def parse_anchor_line(line: bytes) -> Anchor | None:
    """Return the anchor in `line`, or None when the line is half-written or none."""
    try:
        fields = json.loads(line)
        stated = fields.pop("sum")
        if stated != _sum(fields):
            return None
        head = Head(int(fields["seq"]), bytes.fromhex(fields["head"]), bytes.fromhex(fields["signature"]))
        return Anchor(head, bytes.fromhex(fields["public_key"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _sum(fields: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:16]


def read_anchor(path: Path) -> Anchor | None:
    """Return the newest anchor in the file `path`, None if there is no such file.

    Raises JournalError `journal-anchor` if no line can be read, or if one is not signed with the key that it names.
    """
    anchors: list[Anchor] = []
    for _ in range(_READS):  # a line may be under the writer's hands just now
        try:
            content = read_at_most(path, _FILE_MOST)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise trouble.from_system(error, path) from error
        lines = [content[at : at + LINE_BYTES] for at in range(0, len(content), LINE_BYTES)]
        found = [parse_anchor_line(line) for line in lines[:2]]
        anchors = [anchor for anchor in found if anchor is not None]
        if len(anchors) == 2:
            break
    if not anchors:
        raise JournalError("journal-anchor", f"The head anchor {path} cannot be read: no whole line is in it.")
    newest = max(anchors, key=lambda anchor: anchor.head.seq)
    if not head_is_signed(newest.public_key, newest.head):
        raise JournalError(
            "journal-anchor", f"The head anchor {path} names record {newest.head.seq} without a valid signature."
        )
    return newest


def create_anchor(path: Path, key: Ed25519PrivateKey) -> None:
    """Write the anchor of a journal that has no record yet. Raises JournalError."""
    beginning = Head(0, GENESIS.digest, sign_head(key, 0, GENESIS.digest))
    write_whole(path, anchor_line(Anchor(beginning, public_bytes(key))) * 2, mode=0o644)


class AnchorFile:
    """The anchor of a journal that is being written."""

    def __init__(self, path: Path, public_key: bytes) -> None:
        """Open `path`, which must exist. Raises OSError."""
        self._public_key = public_key
        self._descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._turn = 0

    def write(self, head: Head, *, durable: bool) -> None:
        """Put `head` over the older line; `durable` waits until it is on disk. Raises OSError."""
        line = anchor_line(Anchor(head, self._public_key))
        written = os.pwrite(self._descriptor, line, self._turn * LINE_BYTES)
        if written != LINE_BYTES:
            raise OSError(5, f"only {written} of {LINE_BYTES} bytes of the head anchor were written")
        self._turn = 1 - self._turn
        if durable:
            os.fdatasync(self._descriptor)

    def close(self) -> None:
        """Close the file."""
        os.close(self._descriptor)
