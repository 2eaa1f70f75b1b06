"""What is installed here, file by file, and whether it is what a list says.

Owns the walk over the package's files, the signed list (`cardshoe-files-1`: SHA-256 of each file, Ed25519 over the
canonical JSON), and the comparison: changed, missing and extra files by name, and compiled files that hold another
program than their source. Must not know where a key comes from. What it cannot prove: a computer that is in a
stranger's hands runs his Python, and that says what he likes; an honest answer needs this list checked from outside.
"""

from __future__ import annotations

import hashlib
import json
import marshal
import os
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Any, Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

import cardshoe
from cardshoe.errors import ConfigError
from cardshoe.journal.keyfile import public_bytes

FORMAT: Final = "cardshoe-files-1"
LIST_MOST: Final = 4 << 20
"""So many bytes a list has at most."""
_COMPILED: Final = ".pyc"
_CACHE: Final = "__pycache__"
_PYC_HEADER: Final = 16
_KEYS: Final = {"format", "version", "files", "signature"}
_HEX_DIGEST: Final = 64


@dataclass(frozen=True, slots=True)
class FileList:
    """What should be installed: SHA-256 (hex) of each file by its path. `signature`: hex, "" where nobody signed."""

    version: str
    files: Mapping[str, str]
    signature: str = ""

    def signed_bytes(self) -> bytes:
        """Return what the signature is over."""
        plain = {"format": FORMAT, "version": self.version, "files": dict(self.files)}
        return json.dumps(plain, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")

    def text(self) -> str:
        """Return the list as the file that holds it."""
        plain = {"format": FORMAT, "version": self.version, "files": dict(self.files), "signature": self.signature}
        return json.dumps(plain, sort_keys=True, indent=1, ensure_ascii=True) + "\n"

    def is_signed_by(self, key: bytes) -> bool:
        """Tell whether the holder of the 32-byte public `key` signed it."""
        try:
            Ed25519PublicKey.from_public_bytes(key).verify(bytes.fromhex(self.signature), self.signed_bytes())
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Differences:
    """How what is installed differs from a list: paths in the package, in order."""

    changed: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    recompiled: tuple[str, ...]
    """Compiled files that hold another program than their source, or have no source."""

    @property
    def none(self) -> bool:
        """Whether everything is as the list says."""
        return not (self.changed or self.missing or self.extra or self.recompiled)


def package_folder() -> Path:
    """Return the folder of the package that runs."""
    return Path(cardshoe.__file__).parent


def install_kind(folder: Path) -> str:
    """Return how the package at `folder` was installed: "wheel", "editable", or "source" for a tree without one."""
    try:
        found = metadata.distribution("cardshoe")
        where = json.loads(found.read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        return "source"
    if isinstance(where, dict) and where.get("dir_info", {}).get("editable") is True:
        return "editable"
    return "wheel" if Path(str(found.locate_file("cardshoe"))).resolve() == folder.resolve() else "source"


def measured(folder: Path) -> dict[str, str]:
    """Return SHA-256 (hex) of each file below `folder`, compiled files aside. Raises `ConfigError` `version-files`."""
    return {path: _digest(folder / path) for path in sorted(_paths(folder)) if not _is_compiled(path)}


def signed_list(folder: Path, key: Ed25519PrivateKey) -> FileList:
    """Return the list of what lies in `folder`, signed. Raises `ConfigError` `version-files`."""
    unsigned = FileList(cardshoe.__version__, measured(folder))
    return FileList(unsigned.version, unsigned.files, key.sign(unsigned.signed_bytes()).hex())


def public_hex(key: Ed25519PrivateKey) -> str:
    """Return the public half of `key` in hexadecimal."""
    return public_bytes(key).hex()


def parse_list(content: bytes, where: str) -> FileList:
    """Return the list that the file named `where` holds. Raises `ConfigError` `version-list`."""
    if len(content) > LIST_MOST:
        raise _no_list(where, f"it has more than {LIST_MOST} bytes")
    try:
        plain = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _no_list(where, "it is not JSON") from error
    if not isinstance(plain, dict) or set(plain) != _KEYS or plain["format"] != FORMAT:
        raise _no_list(where, f"it is not of the form {FORMAT}")
    files = plain["files"]
    if not isinstance(files, dict) or not all(_is_entry(path, digest) for path, digest in files.items()):
        raise _no_list(where, "a file in it has no digest, or a path that leads elsewhere")
    if not isinstance(plain["version"], str) or not isinstance(plain["signature"], str):
        raise _no_list(where, "its version or signature is not text")
    return FileList(plain["version"], files, plain["signature"])


def recorded_list() -> FileList | None:
    """Return the installer's own record of what it installed, which nobody signed; None where there is none."""
    try:
        found = metadata.distribution("cardshoe")
    except metadata.PackageNotFoundError:
        return None
    files: dict[str, str] = {}
    for entry in found.files or ():
        inside, _, path = str(entry).partition("/")
        if inside == "cardshoe" and entry.hash is not None and entry.hash.mode == "sha256":
            files[path] = urlsafe_b64decode(entry.hash.value + "=").hex()
    return FileList(found.version, files) if files else None


def differences(folder: Path, wanted: FileList) -> Differences:
    """Compare what lies in `folder` with a list. Raises `ConfigError` `version-files` for what cannot be read."""
    here = measured(folder)
    return Differences(
        changed=tuple(path for path in sorted(wanted.files) if path in here and here[path] != wanted.files[path]),
        missing=tuple(sorted(set(wanted.files) - set(here))),
        extra=tuple(sorted(set(here) - set(wanted.files))),
        recompiled=tuple(
            path for path in sorted(_paths(folder)) if _is_compiled(path) and not _is_of_source(folder, path)
        ),
    )


def _paths(folder: Path) -> Iterator[str]:
    for inside, _folders, names in os.walk(folder, followlinks=True):
        for name in names:
            yield str((Path(inside) / name).relative_to(folder))


def _is_compiled(path: str) -> bool:
    return path.endswith(_COMPILED) and Path(path).parent.name == _CACHE


def _is_of_source(folder: Path, path: str) -> bool:
    """Tell whether a compiled file of this Python holds the program of its source; one of another Python is not run."""
    compiled = folder / path
    module, _, tag = compiled.name.partition(".")
    source = compiled.parent.parent / f"{module}.py"
    if not source.is_file():
        return False
    level = {"opt-1": 1, "opt-2": 2}.get(tag.removesuffix(_COMPILED).partition(".")[2], 0)
    content = _content(compiled)
    if content[:4] != MAGIC_NUMBER:
        return True
    try:
        held = marshal.loads(content[_PYC_HEADER:])  # noqa: S302 — Python itself runs it; here it is only looked at
        wanted = compile(_content(source), str(source), "exec", dont_inherit=True, optimize=level)
    except (ValueError, EOFError, TypeError, SyntaxError):
        return False
    return isinstance(held, CodeType) and held == wanted


def _digest(path: Path) -> str:
    return hashlib.sha256(_content(path)).hexdigest()


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError("version-files", f"The installed file {path} cannot be read: {error.strerror}.") from error


def _is_entry(path: Any, digest: Any) -> bool:
    if not isinstance(path, str) or not isinstance(digest, str) or len(digest) != _HEX_DIGEST:
        return False
    return not path.startswith("/") and ".." not in Path(path).parts


def _no_list(where: str, why: str) -> ConfigError:
    return ConfigError("version-list", f"{where} is no list of files: {why}. Name the list that came with the release.")
