"""Private keys that people keep in files of their own: made once, read by their owner alone.

Owns the file: PEM without a password, mode 0600, never written over. Must not know whose key it is, or what for: who
calls says that by `what` ("The key file") and by the code of the error. Implements P7 for keys of people and auditors.
"""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from cardshoe.bounded_files import open_plain
from cardshoe.errors import ConfigError
from cardshoe.whole_files import write_new

_KEY_MAX: Final = 4096


def keep_key(path: Path, key: Ed25519PrivateKey | X25519PrivateKey, code: str, what: str) -> str:
    """Write `key` to `path`, where nothing may be, and return its public half in hex. Raises `ConfigError`."""
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        write_new(path, pem, mode=0o600)
    except OSError as error:
        raise ConfigError(code, f"{what} {path} cannot be made: {error.strerror}.") from error
    return key.public_key().public_bytes_raw().hex()


def kept_key(path: Path, code: str, what: str) -> PrivateKeyTypes:
    """Return the key in `path`. Raises `ConfigError`: it is missing, open to others, or holds no key."""
    try:
        descriptor = open_plain(path)
    except OSError as error:
        raise ConfigError(code, f"{what} {path} cannot be read: {error.strerror}.") from error
    with os.fdopen(descriptor, "rb") as file:
        mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        if mode & 0o077:
            raise ConfigError(
                code,
                f"{what} {path} has mode {mode:04o}: others may have read it. Run: chmod 600 {shlex.quote(str(path))}",
            )
        pem = file.read(_KEY_MAX)
    try:
        return load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ConfigError(code, f"{path} holds no private key that can be read without a password.") from None
