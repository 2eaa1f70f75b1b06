"""A second verifier of a journal, from the prose of `cardshoe.journal.chain` alone: the outside oracle of these tests.

Imports nothing of ours. Reads the database with plain SQLite and says what is wrong, or nothing.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def read_rows(path: Path) -> list[tuple[int, str, bytes, bytes]]:
    """All rows, by a read-only connection of our own."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        return connection.execute("select seq, text, digest, signature from records order by seq").fetchall()
    finally:
        connection.close()


def what_is_wrong(rows: list[tuple[int, str, bytes, bytes]]) -> str | None:
    """Nothing, or the first thing that does not hold."""
    digest, signature = bytes(32), b""
    key = bytes.fromhex(json.loads(rows[0][1])["body"]["public_key"])
    for number, (seq, text, stated, stated_signature) in enumerate(rows, 1):
        linked = b"cardshoe-journal-link-1\0" + digest + bytes([len(signature)]) + signature + text.encode("ascii")
        digest, signature = hashlib.sha256(linked).digest(), stated_signature
        record = json.loads(text)
        if (seq, record["seq"], stated) != (number, number, digest):
            return f"the chain breaks at {number}"
        if json.dumps(record, sort_keys=True, separators=(",", ":")) != text:
            return f"record {number} is not canonical"
        if signature:
            signed = b"cardshoe-journal-head-1\0" + number.to_bytes(8, "big") + digest
            try:
                Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
            except InvalidSignature:
                return f"the head at {number} is not signed"
        elif record["kind"] in {"journal_created", "journal_opened", "head_signed", "journal_closed"}:
            return f"the head at {number} is bare"
    return None
