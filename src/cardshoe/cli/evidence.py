"""`cardshoe evidence DIR`: is this folder of evidence what was written, and who signed it?

Owns the words and the exit status: 0 everything fits; 1 something was changed, is missing or was added, or another key
signed; 2 an option is wrong. `--make-key` writes a signing key for a bench.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from cardshoe.counted import counted
from cardshoe.errors import ConfigError
from cardshoe.lab.conform.evidence import verify
from cardshoe.whole_files import write_new

KEY_HELP = "Hex of the public key that must have signed; known from elsewhere, or it proves nothing."


def command(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Folder of evidence; with --make-key: the key file.")
    ],
    public_key: Annotated[str | None, typer.Option(help=KEY_HELP)] = None,
    make_key: Annotated[
        bool, typer.Option("--make-key", help="Write a new signing key and print its public key.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Check a folder of evidence that `pytest hil --evidence` wrote."""
    if make_key:
        print(_make_key(directory))
        return
    if public_key is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", public_key):
        raise ConfigError("evidence-key", f"--public-key {public_key!r} is none: 64 hexadecimal digits are expected.")
    found = verify(directory, public_key=public_key)
    if as_json:
        told = {"ok": found.ok, "files": found.files, "public_key": found.public_key, "wrong": list(found.wrong)}
        print(json.dumps(told | {"about": found.about}, ensure_ascii=False))
    else:
        for wrong in found.wrong:
            print(f"wrong: {wrong}")
        signer = f"signed by {found.public_key}" if found.public_key else "not signed"
        verdict = "everything fits" if found.ok else "do not trust it"
        print(f"{directory}: {counted(found.files, 'file')}, {signer}, {verdict}")
    if not found.ok:
        raise typer.Exit(1)


def _make_key(path: Path) -> str:
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        write_new(path, pem, mode=0o600)
    except OSError as error:
        raise ConfigError("evidence-key", f"The key {path} cannot be written: {error.strerror}.") from error
    return key.public_key().public_bytes_raw().hex()
