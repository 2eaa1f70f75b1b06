"""The rule pack's digest: which games, pay tables and clauses a round is played under.

Owns the digest over the package's files, which goes into the head of each round and is told by `cardshoe version`. Must
not know tables or journals. It tells rules apart; that they are the right ones, the signed list of files says.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent
_KINDS: Final = (".py", ".tsv")


def digest_of(folder: Path) -> str:
    """Return SHA-256 (hex) over every game, pay table and list of clauses under `folder`, each with its name."""
    files = {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.suffix in _KINDS
    }
    return hashlib.sha256(json.dumps(files, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


@cache
def rules_digest() -> str:
    """Return the digest of the rules that are loaded here; read once."""
    return digest_of(_FOLDER)
