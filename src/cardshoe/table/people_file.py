"""The people's file of a table: who is enrolled, and beside it the wrong tries.

Owns the files: `PATH` (the list), `PATH.tries` (wrong tries, written before each try is looked at), `PATH.lock`. The
folder has mode 0700 and the files 0600, and belong to who runs the table or to root; anything else is refused with the
command that mends it. Each file is written whole or not at all; a damaged one is never written over. Two programs may
have them open (a table and `cardshoe people`): each change is read, made and written under one lock, and nobody waits
for that lock longer than `LOCK_S`. Must not know sessions or the table.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

from cardshoe.bounded_files import open_plain
from cardshoe.errors import ConfigError
from cardshoe.locked_files import take_lock
from cardshoe.table.config import NO_PEOPLE, TableConfig
from cardshoe.table.people import People, people_in, text_of
from cardshoe.table.persons import key_of
from cardshoe.table.tries import Tried, begun, settled
from cardshoe.whole_files import write_whole

LOCK_S: Final = 2.0
_FILE_MAX: Final = 4 * 1024 * 1024
_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")

_LATEST_S: Final = 1e12
"""No monotonic clock goes so far: a time beyond, or one that is no number, is damage."""

Stamp = tuple[int, int, int]
"""By which a list that was changed is told from the same: inode, time of change in nanoseconds, size."""


class PeopleFile:
    """One table's people. Every method reads the disk anew and raises `ConfigError` for files that cannot be used."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._tries = Path(f"{path}.tries")
        self._lock = Path(f"{path}.lock")

    def exists(self) -> bool:
        """Tell whether there is a list."""
        return os.path.lexists(self.path)

    def stamp(self) -> Stamp | None:
        """Return what changes with the list; None where there is none."""
        try:
            status = os.stat(self.path, follow_symlinks=False)
        except OSError:  # said by name as soon as it is read
            return None
        return status.st_ino, status.st_mtime_ns, status.st_size

    def read(self) -> People:
        """Return the list. Raises `ConfigError` (`people-missing`, `people-mode`, `people-file`, `people-damaged`)."""
        self._require_private_folder()
        text = _private_text(self.path)
        if text is None:
            raise ConfigError(
                "people-missing",
                f"There is no people's file {self.path}. Enrol the first person as the owner of that folder:"
                f" cardshoe people add {self.path} NAME --role floor",
            )
        return people_in(text, str(self.path))

    def change(self, changed: Callable[[People], People], *, begin: People | None = None) -> People:
        """Replace the list by what `changed` makes of it, and return that. `begin` is changed where there is none yet,
        in a folder that is made if need be. What `changed` raises leaves everything as it was.
        """
        if begin is not None:
            self._make_folder()
        with self._alone():
            before = begin if begin is not None and not self.exists() else self.read()
            after = changed(before)
            _write(self.path, text_of(after))
        return after

    def begin_try(self, name: str, *, now: float) -> Tried:
        """Count one more try of `name`, durably, before it is looked at; return the count.

        Raises `Refused` (`sign-in-locked`) while the name is locked.
        """
        boot = boot_id()
        with self._alone():
            every = self._read_tries()
            before = every.get(key_of(name), Tried())
            here = settled(before, now=now, boot=boot) if before.wrong else before
            if here != before:
                self._write_tries({**every, key_of(name): here})
            after = begun(here, now=now, boot=boot)
            self._write_tries({**every, key_of(name): after})
        return after

    def count_nobody(self) -> None:
        """Do the work of counting a try, and count none."""
        with self._alone():
            self._write_tries(self._read_tries())

    def forget_tries(self, name: str) -> bool:
        """Forget the wrong tries of `name`; tell whether there were any."""
        with self._alone():
            every = self._read_tries()
            if key_of(name) not in every:
                return False
            del every[key_of(name)]
            self._write_tries(every)
        return True

    def tries(self) -> dict[str, Tried]:
        """Return the wrong tries by the key of a name."""
        self._require_private_folder()
        return self._read_tries()

    def _read_tries(self) -> dict[str, Tried]:
        text = _private_text(self._tries)
        if text is None:
            return {}
        try:
            return {str(key): _tried(each) for key, each in dict(json.loads(text)).items()}
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ConfigError(
                "people-damaged",
                f"The file of wrong tries {self._tries} is damaged. Nobody is let in. Ask who did it; then move it"
                " away: every count begins anew.",
            ) from None

    def _write_tries(self, every: dict[str, Tried]) -> None:
        body = {key: {"wrong": t.wrong, "boot": t.boot, "until": t.until} for key, t in every.items() if t.wrong}
        _write(self._tries, json.dumps(body, indent=1, ensure_ascii=False) + "\n")

    def _make_folder(self) -> None:
        folder = self.path.parent
        if not folder.exists():
            try:
                folder.mkdir(mode=0o700)
            except OSError as error:
                _unusable(folder, error)
        self._require_private_folder()

    def _require_private_folder(self) -> None:
        folder = self.path.parent
        try:
            status = os.stat(folder)
        except FileNotFoundError:
            return  # told as the missing file
        except OSError as error:
            _unusable(folder, error)
        _require_private(folder, status, 0o700)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._require_private_folder()
        try:
            descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            _unusable(self._lock, error)
        try:
            _wait_for(descriptor, self._lock)
            yield
        finally:
            os.close(descriptor)


def people_of(config: TableConfig, folder: Path) -> PeopleFile | None:
    """Return the people's file that `config` names, relative to `folder`; None for a bench without people."""
    named = config.table.people
    return None if named == NO_PEOPLE else PeopleFile(folder / named)


def boot_id() -> str:
    """Return the name of this boot of the machine, by which monotonic times of another are told from ours."""
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except OSError as error:
        _unusable(_BOOT_ID, error)


def _tried(each: dict[str, object]) -> Tried:
    wrong, boot, until = each["wrong"], each["boot"], each["until"]
    if (
        type(wrong) is not int
        or wrong < 0
        or not isinstance(boot, str)
        or not isinstance(until, int | float)
        or not abs(until) < _LATEST_S
    ):
        raise TypeError("not a count of tries")
    return Tried(wrong, boot, float(until))


def _wait_for(descriptor: int, path: Path) -> None:
    try:
        take_lock(descriptor, wait_s=LOCK_S)
    except BlockingIOError:
        raise ConfigError(
            "people-busy", f"Another program has {path} locked for {LOCK_S:g} s. End it and try again."
        ) from None
    except OSError as error:
        _unusable(path, error)


def _private_text(path: Path) -> str | None:
    """Return the text of a file that only its owner can read; None where there is none."""
    try:
        descriptor = open_plain(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        _unusable(path, error)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(file.fileno())
        _require_private(path, status, 0o600)
        data = file.read(_FILE_MAX + 1)
    if len(data) > _FILE_MAX:
        raise ConfigError("people-damaged", f"{path} is over {_FILE_MAX} bytes; it was not written by this program.")
    return data.decode("utf-8", "replace")


def _require_private(path: Path, status: os.stat_result, wanted: int) -> None:
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o077:
        raise ConfigError(
            "people-mode",
            f"{path} has mode {mode:04o}: others than its owner get at who may do what. Run: chmod {wanted:o} {path}",
        )
    if status.st_uid not in (os.geteuid(), 0):
        raise ConfigError(
            "people-mode",
            f"{path} belongs to user {status.st_uid}, not to the one who runs this ({os.geteuid()}). Run as root: chown"
            f" {os.geteuid()} {path}",
        )


def _write(path: Path, text: str) -> None:
    """Write `text` to `path` so that after any cut the old or the new is there, whole."""
    try:
        write_whole(path, text.encode("utf-8", "replace"), mode=0o600)
    except OSError as error:
        _unusable(path, error)


def _unusable(path: Path, error: OSError) -> NoReturn:
    raise ConfigError(
        "people-file", f"{path} cannot be used: {error.strerror}. Nobody is let in by it; nothing was changed."
    ) from error
