"""Files of an installation: written, renewed, left alone, removed; each step is told.

Owns the rule of whose a file is: ours as long as it is byte for byte what an installation wrote, whose digests stand in
a list beside the configuration; one that somebody edited is never overwritten and never removed. Files are there whole
or not at all. What is a link, or lies behind one that leads out of the root, is not touched.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import Final

from cardshoe.bounded_files import open_plain
from cardshoe.cli.install_files import LIST, OURS, PUBLIC, Wanted, in_root
from cardshoe.errors import ConfigError
from cardshoe.whole_files import sync_directory, write_whole

_MOST: Final = 1 << 20
_DIRECTORY: Final = 0o755


class Did(Enum):
    """What was done to a file, or with `--dry-run` would be."""

    WRITTEN = "written"
    RENEWED = "renewed"
    UNCHANGED = "unchanged"
    KEPT = "kept"
    LEFT = "left"
    REMOVED = "removed"
    ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Step:
    """One file, seen from the root, and what became of it."""

    path: PurePosixPath
    did: Did


class Files:
    """The files of an installation in `root`; `dry`: nothing is changed, and the same is told.

    Every method raises `ConfigError` (`install-file`) for what cannot be read or written.
    """

    def __init__(self, root: Path, *, dry: bool) -> None:
        self._root = root
        self._dry = dry
        self._digests = self._listed()

    def put(self, wanted: Wanted) -> Step:
        """Write a file of ours, unless somebody else's stands in its place."""
        there = self._content(wanted.path)
        if there == wanted.text.encode():
            self._digests[str(wanted.path)] = _digest(there)
            return Step(wanted.path, Did.UNCHANGED)
        if there is not None and not self._is_ours(wanted.path, there):
            return Step(wanted.path, Did.LEFT)
        self._write(wanted)
        self._digests[str(wanted.path)] = _digest(wanted.text.encode())
        return Step(wanted.path, Did.WRITTEN if there is None else Did.RENEWED)

    def give(self, wanted: Wanted) -> Step:
        """Write a file that belongs to the house from then on; what is there already is kept, whatever it is."""
        if self._content(wanted.path) is not None:
            return Step(wanted.path, Did.KEPT)
        self._write(wanted)
        return Step(wanted.path, Did.WRITTEN)

    def take_back(self, path: PurePosixPath) -> Step:
        """Remove a file of ours, unless somebody edited it."""
        there = self._content(path)
        if there is None:
            return Step(path, Did.ABSENT)
        if not self._is_ours(path, there):
            return Step(path, Did.LEFT)
        self._remove(path)
        return Step(path, Did.REMOVED)

    def note(self) -> None:
        """Write the list of what is ours."""
        listed = {name: self._digests[name] for name in map(str, OURS) if name in self._digests}
        text = json.dumps({"files": listed}, indent=1) + "\n"
        if self._content(LIST) != text.encode():
            self._write(Wanted(LIST, PUBLIC, text))

    def forget(self) -> None:
        """Remove the list."""
        if self._content(LIST) is not None:
            self._remove(LIST)

    def _is_ours(self, path: PurePosixPath, content: bytes) -> bool:
        return self._digests.get(str(path)) == _digest(content)

    def _listed(self) -> dict[str, str]:
        content = self._content(LIST)
        if content is None:
            return {}
        try:
            files: object = json.loads(content)["files"]
        except (ValueError, KeyError, TypeError) as error:
            raise _trouble(in_root(self._root, LIST), "is no list of installed files; move it away") from error
        if not isinstance(files, Mapping):
            raise _trouble(in_root(self._root, LIST), "is no list of installed files; move it away")
        return {str(name): str(digest) for name, digest in files.items()}

    def _content(self, path: PurePosixPath) -> bytes | None:
        """Return what is there, None where nothing is; what is no plain file is something that is not ours."""
        place = in_root(self._root, path)
        self._require_inside(place)
        if place.is_symlink() or (place.exists() and not place.is_file()):
            return b""
        try:
            with os.fdopen(open_plain(place), "rb") as file:
                return file.read(_MOST)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _trouble(place, f"cannot be read: {error.strerror}") from error

    def _write(self, wanted: Wanted) -> None:
        if self._dry:
            return
        place = in_root(self._root, wanted.path)
        try:
            for parent in _missing(place.parent):
                parent.mkdir()
                parent.chmod(_DIRECTORY)
            write_whole(place, wanted.text.encode(), mode=wanted.mode)
            place.chmod(wanted.mode)  # whatever the umask
        except OSError as error:
            raise _trouble(place, f"cannot be written: {error.strerror}") from error

    def _remove(self, path: PurePosixPath) -> None:
        if self._dry:
            return
        place = in_root(self._root, path)
        try:
            place.unlink()
            sync_directory(place.parent)
        except OSError as error:
            raise _trouble(place, f"cannot be removed: {error.strerror}") from error

    def _require_inside(self, place: Path) -> None:
        if not place.parent.resolve().is_relative_to(self._root.resolve()):
            raise _trouble(place, f"lies outside of {self._root}, because of a link on the way")


def _missing(directory: Path) -> Iterable[Path]:
    """Return the directories that have to be made so that `directory` is there, outermost first."""
    return reversed([each for each in (directory, *directory.parents) if not each.exists()])


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _trouble(place: Path, what: str) -> ConfigError:
    return ConfigError("install-file", f"{place} {what}. As root? `sudo` and the same command again goes on from here.")
