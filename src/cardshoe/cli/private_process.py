"""What a process gives away by itself: files for others, core dumps, memory to a debugger, values in tracebacks.

Owns the switches. `keep_files_private` is for every command; `keep_memory_private` for a live table, which a bench may
do without. None of it holds against the superuser of this computer. Implements promise P4 for what ends in a crash.
"""

from __future__ import annotations

import ctypes
import logging
import os
import resource
import sys
import threading
from pathlib import Path
from traceback import extract_tb
from types import TracebackType
from typing import Final

PRIVATE_UMASK: Final = 0o077
_PR_SET_DUMPABLE: Final = 4
_PTRACE_SCOPE: Final = Path("/proc/sys/kernel/yama/ptrace_scope")
_UNEXPECTED: Final = "cardshoe: an error in the program; the table has stopped. Keep the journal and call the maker."


def keep_files_private() -> None:
    """Have every file and directory that this process makes be its owner's alone."""
    os.umask(PRIVATE_UMASK)


def keep_memory_private() -> list[str]:
    """Switch off core dumps, reading by debuggers of the same user, and values in tracebacks.

    Returns sentences about what this computer does not do, for the technician.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    left_open: list[str] = []
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is None or prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        left_open.append("the kernel does not let this process be closed to debuggers")
    scope = ptrace_scope()
    if scope == 0:
        left_open.append("kernel.yama.ptrace_scope is 0: write kernel.yama.ptrace_scope = 2 into /etc/sysctl.d")
    sys.excepthook = _told_bare
    threading.excepthook = _thread_told_bare
    sys.unraisablehook = _unraisable_told_bare
    _log_bare()
    return left_open


def ptrace_scope() -> int | None:
    """Return whom the kernel lets read other processes: 0 the same user, 1 parents, 2 and 3 nobody; None: not told."""
    try:
        return int(_PTRACE_SCOPE.read_text("ascii"))
    except (OSError, ValueError):
        return None


def bare(kind: type[BaseException], trace: TracebackType | None) -> str:
    """Return where an error came from and its type: no message, no line of source, no value of a variable."""
    places = [f"{Path(frame.filename).name}:{frame.lineno} in {frame.name}" for frame in extract_tb(trace)]
    return "\n".join([_UNEXPECTED, *places, kind.__name__])


class _Bare(logging.Formatter):
    """Writes what was logged without its error's message and without what `asyncio` adds about the task."""

    def format(self, record: logging.LogRecord) -> str:
        if record.exc_info is not None and record.exc_info[0] is not None:
            return bare(record.exc_info[0], record.exc_info[2])
        return f"{_UNEXPECTED}\n{record.name}, {record.levelname}"


def _log_bare() -> None:
    logger = logging.getLogger("asyncio")
    handler = logging.StreamHandler()
    handler.setFormatter(_Bare())
    logger.handlers[:] = [handler]
    logger.propagate = False


def _told_bare(kind: type[BaseException], _error: BaseException, trace: TracebackType | None) -> None:
    print(bare(kind, trace), file=sys.stderr)


def _thread_told_bare(given: threading.ExceptHookArgs) -> None:
    if given.exc_type is not SystemExit:
        print(bare(given.exc_type, given.exc_traceback), file=sys.stderr)


def _unraisable_told_bare(given: sys.UnraisableHookArgs) -> None:
    print(bare(given.exc_type, given.exc_traceback), file=sys.stderr)
