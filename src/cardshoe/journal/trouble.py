"""What went wrong with the disk, in words a person can act on.

Owns the translation of SQLite's and the system's errors into JournalError. It must not know what was being recorded:
a message names the file or directory, what happened and what to do now.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

from cardshoe.errors import JournalError

_NOTHING_MORE = "Nothing more is recorded and nothing may be dealt"


def full(path: Path) -> JournalError:
    """Return the error for a file system without room."""
    return JournalError(
        "journal-full",
        f"The file system of {path.parent} is full: the journal {path.name} cannot grow. {_NOTHING_MORE}; "
        f"make room in {path.parent} and start again.",
    )


def read_only(path: Path) -> JournalError:
    """Return the error for a file or file system that does not take writes."""
    return JournalError(
        "journal-read-only",
        f"The journal {path} cannot be written: its file system or the file is read-only, as a kernel makes it when a "
        f"card or disk fails. {_NOTHING_MORE}; check the disk and the rights of {path.parent}, then start again.",
    )


def disk(path: Path, detail: str) -> JournalError:
    """Return the error for a disk that reads or writes wrongly."""
    return JournalError(
        "journal-disk",
        f"The disk of the journal {path} reported an error ({detail}). {_NOTHING_MORE}; copy {path.name} and the files "
        f"beside it to another disk, replace this one, and run `cardshoe journal verify` on the copy.",
    )


def damaged(path: Path, detail: str) -> JournalError:
    """Return the error for a file that is not, or no longer, a sound journal. The file is left as it is."""
    return JournalError(
        "journal-damaged",
        f"The journal {path} is damaged: {detail.rstrip('.')}. It is left untouched. {_NOTHING_MORE}; move it aside "
        f"with its -wal and .anchor for the auditor (`cardshoe journal export` still reads the good records), and only "
        f"then begin a new one.",
    )


def in_use(path: Path, holder: str) -> JournalError:
    """Return the error for a journal that another writer holds."""
    return JournalError(
        "journal-in-use",
        f"The journal {path} is open for writing elsewhere ({holder}). Stop that one, or name another journal.",
    )


def altered(path: Path, detail: str) -> JournalError:
    """Return the error for a journal that something else than its writer has changed."""
    return JournalError(
        "journal-altered",
        f"The journal {path} was changed by something else than its writer: {detail.rstrip('.')}. {_NOTHING_MORE}; run "
        f"`cardshoe journal verify {path}` and call the floor.",
    )


def moved(path: Path, detail: str) -> JournalError:
    """Return the error for a journal whose file was taken away from under its writer."""
    return JournalError(
        "journal-moved",
        f"The journal {path} was deleted, moved or replaced while it was written: {detail}. Its newest records are not "
        f"where anyone will find them. {_NOTHING_MORE}; put the file back from where it went, or keep what is left for "
        f"the auditor, and call the floor.",
    )


def no_descriptor(path: Path, detail: str) -> JournalError:
    """Return the error for a process or a system that has no free descriptor; the disk is not to blame."""
    return JournalError(
        "journal-no-descriptor",
        f"A file of the journal {path} cannot be opened: {detail}. {_NOTHING_MORE}; allow this process more open files "
        f"(`ulimit -n`, LimitNOFILE of its service), or stop the program that holds them, and start again.",
    )


def from_sqlite(error: sqlite3.Error, path: Path) -> JournalError:
    """Return the JournalError that an error of SQLite on the journal at `path` stands for."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    detail = f"{error}, {getattr(error, 'sqlite_errorname', type(error).__name__)}"
    match code:
        case sqlite3.SQLITE_FULL:
            return full(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return read_only(path)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_ERROR | sqlite3.SQLITE_MISMATCH:
            return damaged(path, detail)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return in_use(path, detail)
        case sqlite3.SQLITE_CONSTRAINT:
            return altered(path, detail)
        case sqlite3.SQLITE_CANTOPEN if _no_descriptor_is_free():
            return no_descriptor(path, detail)
        case sqlite3.SQLITE_CANTOPEN:
            return JournalError(
                "journal-unopenable",
                f"The journal {path} cannot be opened ({detail}). To read one that was not closed, its directory must "
                f"be writable: check the rights of {path.parent}, or copy {path.name} and its -wal to another one.",
            )
        case _:
            return read_only(path) if _is_read_only(path) else disk(path, detail)


def from_system(error: OSError, path: Path) -> JournalError:
    """Return the JournalError that an error of the operating system on a file of the journal stands for."""
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return full(path)
        case errno.EMFILE | errno.ENFILE:
            return no_descriptor(path, error.strerror or str(error))
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return read_only(path)
        case _:
            return disk(path, error.strerror or str(error))


def _no_descriptor_is_free() -> bool:
    """SQLite does not say why it could not open a file; a process that can open nothing at all is its own reason."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))
    except OSError as error:
        return error.errno in (errno.EMFILE, errno.ENFILE)
    return False


def _is_read_only(path: Path) -> bool:
    try:
        return bool(os.statvfs(path.parent).f_flag & os.ST_RDONLY)
    except OSError:
        return False
