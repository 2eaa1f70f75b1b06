"""The form of a backup: a tar whose first member lists all others, and whose second vouches for that list.

Owns the list (`backup.json`: what was taken, when, from what, and of each file its length and SHA-256 as it lies here),
the seal over it (`backup.seal`), the names that may be in it, and the strict reading of it: plain files only, in the
order of the list, every byte accounted for, nothing read that is longer than it says. Any program that knows tar shows
what is inside. It must not know what the files mean, nor open one that is sealed.
"""

from __future__ import annotations

import hashlib
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final

from cardshoe.bounded_files import open_plain
from cardshoe.errors import ConfigError, InputError
from cardshoe.table.passphrase_seal import LOG2_N_MOST, SALT_BYTES

FORMAT: Final = "cardshoe-backup-1"
LIST_NAME: Final = "backup.json"
SEAL_NAME: Final = "backup.seal"
FOLDER: Final = "table/"
LIST_MOST: Final = 4 << 20
FILES_MOST: Final = 10_000
CHUNK: Final = 1 << 20
_SEAL_BYTES: Final = 32
_BLOCK: Final = tarfile.BLOCKSIZE
_NAME_MOST: Final = 200


@dataclass(frozen=True, slots=True)
class Listed:
    """One file of a backup: where it goes in the restored folder, its bytes and SHA-256 as it lies in the backup."""

    name: str
    bytes: int
    sha256: str
    sealed: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """What a backup says of itself. `running`: a table wrote the journal meanwhile. `open_round`: its number, or None.

    `moved`: keys of the configuration to the paths that they have here, where the old ones led out of its folder.
    """

    made_at: str
    software: str
    table: str
    config: str
    journal: str
    records: int
    head: str
    public_key: str
    schema: int
    running: bool
    open_round: int | None
    moved: dict[str, str]
    salt: str
    log2_n: int
    check: str
    files: tuple[Listed, ...]

    def text(self) -> bytes:
        """Return the list as it stands in the backup."""
        plain = {"format": FORMAT, **asdict(self)}
        return json.dumps(plain, sort_keys=True, indent=1, ensure_ascii=True).encode() + b"\n"


def is_safe(name: str) -> bool:
    """Tell whether `name` leads to a place inside the folder that a backup is restored to."""
    parts = name.split("/")
    plain = name.isprintable() and "\\" not in name and len(name.encode("utf-8", "replace")) <= _NAME_MOST
    return plain and all(part not in ("", ".", "..") for part in parts)


# --- writing


def write_member(out: BinaryIO, name: str, size: int, content: Iterator[bytes]) -> None:
    """Append a plain file to the tar `out`. Raises `OSError`, `ValueError` for what a tar cannot hold."""
    out.write(_head(name, size))
    written = 0
    for piece in content:
        out.write(piece)
        written += len(piece)
    if written != size:
        raise ValueError(f"{name} has {written} bytes and not {size}")
    out.write(bytes(-size % _BLOCK))


def _head(name: str, size: int) -> bytes:
    """Return the block before a file, in which everything but name and size is always the same."""
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o600
    return info.tobuf(tarfile.USTAR_FORMAT, "utf-8", "strict")


def write_end(out: BinaryIO) -> None:
    """End the tar `out`. Raises `OSError`."""
    out.write(bytes(2 * _BLOCK))


def pieces(path: Path) -> Iterator[bytes]:
    """Yield the content of the plain file at `path`. Raises `OSError`."""
    with os.fdopen(open_plain(path), "rb") as file:
        while piece := file.read(CHUNK):
            yield piece


# --- reading


class BackupFile:
    """A backup, open and looked through: a context manager.

    Raises `ConfigError` `backup-file` for what is none, `InputError`: `backup-truncated` for one that ends too soon,
    `backup-changed` for one that is not as it was written, `backup-path` for one that would write elsewhere.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = os.fdopen(open_plain(path), "rb")
        except OSError as error:
            raise ConfigError("backup-file", f"The backup {path} cannot be read: {error.strerror}.") from error
        try:
            self._places: dict[str, int] = {}
            self.list_text = self._list_text()
            self.listing = parse_listing(self.list_text, str(path))
            self.seal = self._seal()
            for listed in self.listing.files:
                self._look_at(listed)
            self._require_end()
        except OSError as error:
            self._file.close()
            raise ConfigError("backup-file", f"The backup {path} cannot be read: {error.strerror}.") from error
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> BackupFile:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._file.close()

    def copy(self, listed: Listed, take: Callable[[bytes], object]) -> None:
        """Hand the bytes of a file to `take`, as they lie here. Raises as the opening does, and `OSError`."""
        self._file.seek(self._places[listed.name])
        digest = hashlib.sha256()
        left = listed.bytes
        while left:
            piece = self._file.read(min(left, CHUNK))
            if not piece:
                raise self._truncated(f"in {listed.name}")
            digest.update(piece)
            left -= len(piece)
            take(piece)
        if digest.hexdigest() != listed.sha256:
            raise self._changed(f"{listed.name} is another than when it was written")

    def _list_text(self) -> bytes:
        info = self._header(first=True)
        if info is None or info.name != LIST_NAME or not 0 < info.size <= LIST_MOST:
            raise ConfigError("backup-file", f"{self.path} is no backup of cardshoe: it does not begin with its list.")
        return self._small(info.size)

    def _seal(self) -> bytes:
        info = self._header()
        if info is None or (info.name, info.size) != (SEAL_NAME, _SEAL_BYTES):
            raise self._changed(f"{SEAL_NAME} does not follow the list")
        return self._small(info.size)

    def _small(self, size: int) -> bytes:
        content = self._file.read(size)
        if len(content) < size:
            raise self._truncated("in its beginning")
        self._pass_padding(size, "its beginning")
        return content

    def _look_at(self, listed: Listed) -> None:
        info = self._header()
        if info is None:
            raise self._changed(f"{listed.name} is listed and not there")
        if (info.name, info.size) != (FOLDER + listed.name, listed.bytes):
            raise self._changed(f"{info.name!r} lies where {listed.name!r} of {listed.bytes} bytes is listed")
        self._places[listed.name] = self._file.tell()
        self.copy(listed, len)
        self._pass_padding(listed.bytes, listed.name)

    def _pass_padding(self, size: int, behind: str) -> None:
        padding = self._file.read(-size % _BLOCK)
        if len(padding) < -size % _BLOCK:
            raise self._truncated(f"behind {behind}")
        if padding.strip(b"\0"):
            raise self._changed(f"something stands behind {behind}")

    def _header(self, *, first: bool = False) -> tarfile.TarInfo | None:
        """Return the next member's head, None at the end of the tar."""
        block = self._file.read(_BLOCK)
        try:
            info = tarfile.TarInfo.frombuf(block, "utf-8", "strict")
        except tarfile.HeaderError as error:
            if block == bytes(_BLOCK):
                return None
            if first:
                raise ConfigError("backup-file", f"{self.path} is no backup of cardshoe: it is no tar.") from error
            if len(block) < _BLOCK:
                raise self._truncated("between two files") from error
            raise self._changed("what should name a file is damaged") from error
        except ValueError as error:
            raise self._changed("what should name a file is damaged") from error
        if not info.isreg():
            raise self._astray(f"{info.name!r} is no plain file but a link, a device or an extension")
        if not is_safe(info.name):
            raise self._astray(f"{info.name!r} leads out of the folder")
        if block != _head(info.name, info.size):
            raise self._changed(f"what names {info.name} was written by another program")
        return info

    def _require_end(self) -> None:
        """Behind the last file stand at least two empty blocks, and nothing else."""
        if len(rest := self._file.read(2 * _BLOCK)) < 2 * _BLOCK:
            raise self._truncated("at its end")
        while rest:
            if rest.strip(b"\0"):
                raise self._changed("something follows its last file")
            rest = self._file.read(CHUNK)

    def _truncated(self, where: str) -> InputError:
        return InputError(
            "backup-truncated",
            f"The backup {self.path} ends too soon, {where}: it was not copied whole. Nothing was restored; copy it"
            " again, or take another.",
        )

    def _changed(self, what: str) -> InputError:
        return changed(self.path, what)

    def _astray(self, what: str) -> InputError:
        return astray(str(self.path), what)


def changed(path: Path, what: str) -> InputError:
    """Return the error for a backup that is not as it was written."""
    return InputError(
        "backup-changed",
        f"The backup {path} was changed since it was made: {what}. Nothing was restored; take another, and ask who had"
        " this one.",
    )


def astray(where: str, what: str) -> InputError:
    """Return the error for a backup that would write elsewhere than it should."""
    return InputError(
        "backup-path",
        f"The backup {where} was not made by this program: {what}. Nothing was restored; ask where it comes from.",
    )


def parse_listing(content: bytes, where: str) -> Listing:
    """Return the list of a backup. Raises `ConfigError` `backup-file`, `InputError` `backup-path`."""
    try:
        plain = json.loads(content)
        if not isinstance(plain, dict) or plain.pop("format", None) != FORMAT:
            raise ConfigError(
                "backup-file", f"{where} is a backup of another form than {FORMAT}. Use the program that made it."
            )
        listing = _listing(plain)
    except (ValueError, TypeError, KeyError, RecursionError, AttributeError) as error:
        raise ConfigError("backup-file", f"{where} is no backup of cardshoe: its list cannot be read.") from error
    for name in (listing.config, listing.journal, *(each.name for each in listing.files)):
        if not is_safe(name):
            raise astray(where, f"{name!r} leads out of the folder")
    return listing


_KINDS: Final[dict[str, type]] = {
    **dict.fromkeys(("made_at", "software", "table", "config", "journal", "head", "public_key", "salt", "check"), str),
    **dict.fromkeys(("records", "schema", "log2_n"), int),
    "running": bool,
    "moved": dict,
    "files": list,
}


def _listing(plain: dict[str, Any]) -> Listing:
    _require(all(type(plain[name]) is kind for name, kind in _KINDS.items()))
    _require(plain["open_round"] is None or type(plain["open_round"]) is int)
    texts = [plain[name] for name, kind in _KINDS.items() if kind is str]
    texts += [text for pair in plain["moved"].items() for text in pair]
    _require(all(isinstance(text, str) and text.isprintable() for text in texts))
    files = tuple(_listed(each) for each in plain.pop("files"))
    _require(len(files) <= FILES_MOST and len({each.name for each in files}) == len(files))
    _require(len(bytes.fromhex(plain["salt"])) == SALT_BYTES and 1 <= plain["log2_n"] <= LOG2_N_MOST)
    return Listing(**plain, files=files)


def _listed(plain: dict[str, Any]) -> Listed:
    _require(isinstance(plain["name"], str) and type(plain["sealed"]) is bool)
    _require(type(plain["bytes"]) is int and plain["bytes"] >= 0)
    _require(len(bytes.fromhex(plain["sha256"])) == hashlib.sha256().digest_size)
    return Listed(**plain)


def _require(fits: bool) -> None:
    if not fits:
        raise ValueError("a value that is none")
