"""A signing key that everybody knows, for journals that are kept as test data: never one of a table."""

from __future__ import annotations

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


def write_fixed_key(path: Path) -> None:
    """Put the key where a journal expects its own."""
    path.write_bytes(KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o600)
