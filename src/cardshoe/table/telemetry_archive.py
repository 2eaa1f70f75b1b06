"""The archive of everything that left: one file a message, the exact bytes, numbered, each naming the one before.

Owns the directory (mode 0700, one writer) and the files in it (`00000001.json`, mode 0400, made once and never opened
for writing again), and the check that nothing in it was changed, removed or put in. A message is durable here before
anybody is given its bytes. It must not know journals or where messages are sent; nothing is ever received. Implements
WAC 230-16-152: everything sent is kept and can be produced.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from cardshoe.bounded_files import open_plain
from cardshoe.errors import ConfigError, InputError, JournalError
from cardshoe.table.telemetry import FIRST_BEFORE, Message, Meter, Report
from cardshoe.whole_files import sync_directory

MESSAGE_MOST: Final = 4096
"""So many bytes a message has at most; a longer file is none."""
_NAME: Final = "{:08d}.json"
_KEYS: Final = {"sequence", "before", "journal", "why", "meters"}


@dataclass(frozen=True, slots=True)
class Kept:
    """One message as it lies in the archive: what it says, its exact bytes, and their SHA-256 in hexadecimal."""

    message: Message
    sent: bytes
    digest: str


class Archive:
    """An archive that this process may add to; a context manager."""

    def __init__(self, directory: Path, *, make: bool = False) -> None:
        """Open `directory`; `make`: it may be new. Everything in it is checked.

        Raises `ConfigError` `telemetry-archive` where it cannot be had or others may read it, `JournalError`
        `telemetry-altered` naming the first message that is not as it was.
        """
        self.directory = directory
        self._descriptor = _opened(directory, make=make)
        try:
            self.last: Kept | None = None
            for kept in read_archive(directory):
                self.last = kept
        except BaseException:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    @property
    def next_sequence(self) -> int:
        """The number of the next message."""
        return 1 if self.last is None else self.last.message.sequence + 1

    @property
    def before(self) -> str:
        """The digest that the next message names."""
        return FIRST_BEFORE if self.last is None else self.last.digest

    def keep(self, message: Message) -> bytes:
        """Make `message` durable and return its exact bytes, which may be sent now.

        Raises `InputError` `telemetry-value`, `ConfigError` `telemetry-archive` (nothing may be sent then).
        """
        sent = message.sent()
        if (message.sequence, message.before) != (self.next_sequence, self.before) or len(sent) > MESSAGE_MOST:
            raise InputError(
                "telemetry-value", f"Message {message.sequence} does not continue the archive {self.directory}."
            )
        path = self.directory / _NAME.format(message.sequence)
        try:
            self._write(path, sent)
        except OSError as error:
            raise ConfigError(
                "telemetry-archive",
                f"{path} cannot be written ({error.strerror}). Nothing was sent. Make room, and try again.",
            ) from error
        self.last = Kept(message, sent, _digest(sent))
        return sent

    def _write(self, path: Path, sent: bytes) -> None:
        """Write under another name and give the right one only to the whole: a cut leaves no half message."""
        fresh = path.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o400)
        with os.fdopen(descriptor, "wb") as file:
            file.write(sent)
            file.flush()
            os.fsync(file.fileno())
        os.link(fresh, path)  # fails where a message of that number lies: nothing is ever written over
        fresh.unlink()
        sync_directory(self.directory)


def read_archive(directory: Path) -> Iterator[Kept]:
    """Yield the messages in order, each checked.

    Raises `ConfigError` `telemetry-archive`, `JournalError` `telemetry-altered` naming the first that is not as it was.
    """
    try:
        names = sorted(name for name in os.listdir(directory) if not name.endswith(".new"))
    except OSError as error:
        raise ConfigError(
            "telemetry-archive", f"The archive {directory} cannot be read ({error.strerror}). Check its path."
        ) from error
    before = FIRST_BEFORE
    for sequence, name in enumerate(names, start=1):
        if name != _NAME.format(sequence):
            raise _altered(directory, f"{_NAME.format(sequence)} is not there; {name} is")
        kept = _read(directory, name)
        if kept.message.sequence != sequence or kept.message.before != before:
            raise _altered(directory, f"{name} does not continue the message before it")
        before = kept.digest
        yield kept


def _read(directory: Path, name: str) -> Kept:
    try:
        descriptor = open_plain(directory / name)
        with os.fdopen(descriptor, "rb") as file:
            sent = file.read(MESSAGE_MOST + 1)
    except OSError as error:
        raise _altered(directory, f"{name} cannot be read ({error.strerror})") from error
    try:
        message = _parsed(json.loads(sent)) if len(sent) <= MESSAGE_MOST else None
        same = message is not None and message.sent() == sent
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, InputError) as error:
        raise _altered(directory, f"{name} is no message of ours") from error
    if message is None or not same:
        raise _altered(directory, f"{name} is no message of ours")
    return Kept(message, sent, _digest(sent))


def _parsed(plain: dict[str, Any]) -> Message:
    if set(plain) != _KEYS or not all(isinstance(plain["journal"][key], kind) for key, kind in _PLACE.items()):
        raise ValueError("keys")
    report = Report({Meter(name): value for name, value in plain["meters"].items()})
    place = plain["journal"]
    if not 0 <= place["record"] < _RECORD_MOST:
        raise ValueError("record")
    return Message(plain["sequence"], plain["before"], place["record"], place["head"], plain["why"], report)


_RECORD_MOST: Final = 1 << 63
_PLACE: Final = {"record": int, "head": str}


def _opened(directory: Path, *, make: bool) -> int:
    try:
        if make and not directory.exists():
            directory.mkdir(mode=0o700)
            sync_directory(directory.absolute().parent)
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError as error:
        raise ConfigError(
            "telemetry-archive", f"The archive {directory} cannot be opened ({error.strerror}). Name a directory."
        ) from error
    try:
        _require_ours(directory, os.fstat(descriptor))
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise ConfigError(
            "telemetry-archive", f"Another process writes the archive {directory}. Wait until it is through."
        ) from error
    except ConfigError:
        os.close(descriptor)
        raise
    return descriptor


def _require_ours(directory: Path, status: os.stat_result) -> None:
    mode = stat.S_IMODE(status.st_mode)
    if mode & 0o077 or status.st_uid not in (os.geteuid(), 0):
        raise ConfigError(
            "telemetry-archive",
            f"The archive {directory} has mode {mode:04o} and belongs to user {status.st_uid}: others may change it."
            " Set 0700, and ask who did.",
        )


def _altered(directory: Path, what: str) -> JournalError:
    return JournalError(
        "telemetry-altered",
        f"The archive {directory} is not as it was written: {what}. Nothing is sent. Keep it, and ask who was at it.",
    )


def _digest(sent: bytes) -> str:
    return hashlib.sha256(sent).hexdigest()
