"""The signing key of a table's journal, in a file that only its owner can read.

Owns the file: PEM, mode 0600, written whole or not at all. A key is made only for a new journal, never to replace one.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from cardshoe import whole_files
from cardshoe.bounded_files import open_plain
from cardshoe.errors import JournalError
from cardshoe.journal import trouble

KEY_MOST: Final = 4096
"""So many bytes a key file has at most."""


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """Return the 32 bytes of the public key, which an auditor keeps."""
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def load_key(path: Path) -> Ed25519PrivateKey:
    """Return the key in `path`. Raises JournalError `journal-key` if it is missing, open to others, or none."""
    try:
        descriptor = open_plain(path)
    except OSError as error:
        raise JournalError(
            "journal-key",
            f"The journal's signing key {path} cannot be read ({error.strerror}). Restore it from the table's back-up; "
            f"a new key cannot continue an old journal.",
        ) from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        mode = stat.S_IMODE(status.st_mode)
        if mode & 0o077:
            raise JournalError(
                "journal-key",
                f"The signing key {path} has mode {mode:04o}: others may read it. Set 0600, and ask who did.",
            )
        if status.st_uid not in (os.geteuid(), 0):
            raise JournalError(
                "journal-key", f"The signing key {path} belongs to user {status.st_uid}, not to this one."
            )
        pem = file.read(KEY_MOST)
    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError) as error:
        raise JournalError("journal-key", f"{path} holds no private key that can be read: {error}.") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise JournalError("journal-key", f"{path} holds another kind of key than Ed25519.")
    return key


def create_key(path: Path) -> Ed25519PrivateKey:
    """Make a key, write it durably to `path`, which must not exist, and return it. Raises JournalError."""
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_whole(path, pem, mode=0o600)
    return key


def write_whole(path: Path, content: bytes, *, mode: int) -> None:
    """Write `content` to `path` so that after any cut it is there whole or not at all. Raises JournalError."""
    try:
        whole_files.write_whole(path, content, mode=mode)
    except OSError as error:
        raise trouble.from_system(error, path) from error
