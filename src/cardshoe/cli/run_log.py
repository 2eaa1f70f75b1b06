"""The log of `cardshoe run`: standard error, or a file that is put aside when it has its size.

Owns where the lines go and their form; what they say is the rooms' own, and no card, PIN or key is in it (promise P4):
of an unexpected error a live table's log holds the type and the places, never a value. A log that cannot be written
does not end the table; that is told once on standard error. On standard error only losses and faults are told, unless
a service manager reads it; a file also tells who connected. Must not know what a line means.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Final

from cardshoe.cli.private_process import bare
from cardshoe.errors import ConfigError
from cardshoe.table.config import ServicePart

_MEBIBYTE: Final = 1 << 20
_OURS: Final = "cardshoe"
_Told = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


@dataclass(frozen=True, slots=True)
class RunLog:
    """Where a table's log goes: `file` (None: standard error), put aside at `most_bytes`, `kept` of them kept.

    `private`: no value of an unexpected error is told. `all_told`: who connects is told too, not losses alone.
    """

    file: Path | None
    most_bytes: int
    kept: int
    private: bool
    all_told: bool

    @contextmanager
    def kept_open(self) -> Iterator[None]:
        """Write the log while the block runs. Raises `ConfigError` (`log-file`)."""
        logger, handler = logging.getLogger(_OURS), self._handler()
        level = logger.level
        logger.addHandler(handler)
        if self.all_told:
            logger.setLevel(logging.INFO)
        try:
            yield
        finally:
            logger.setLevel(level)
            logger.removeHandler(handler)
            handler.close()

    def _handler(self) -> logging.Handler:
        if self.file is None:
            handler: logging.Handler = logging.StreamHandler()
            handler.setFormatter(_Lines("cardshoe: %(message)s", private=self.private))
            return handler
        try:
            handler = _Rotated(self.file, maxBytes=self.most_bytes, backupCount=self.kept, encoding="utf-8")
        except OSError as error:
            raise ConfigError(
                "log-file",
                f"The log file {self.file} cannot be written: {error.strerror}. Name another file in [service] log_file"
                " or --log-file. Nothing was started.",
            ) from error
        handler.setFormatter(_Lines("%(asctime)s %(levelname)s %(message)s", private=self.private))
        return handler


def run_log(part: ServicePart, asked: Path | None, folder: Path, *, private: bool, served: bool) -> RunLog:
    """Return the log that `part` and the option `asked` want; a relative path of `part` counts from `folder`.

    `served`: a service manager reads standard error.
    """
    file = asked if asked is not None else folder / part.log_file if part.log_file is not None else None
    return RunLog(file, part.log_mb * _MEBIBYTE, part.log_kept, private=private, all_told=served or file is not None)


class _Lines(logging.Formatter):
    """Lines that tell what an error of the program was, as far as they may."""

    def __init__(self, form: str, *, private: bool) -> None:
        super().__init__(form)
        self._private = private

    def formatException(self, ei: _Told) -> str:
        kind, _error, trace = ei
        return bare(kind, trace) if self._private and kind is not None else super().formatException(ei)


class _Rotated(RotatingFileHandler):
    """A log file that may become unwritable while the table runs."""

    _complained = False

    def handleError(self, record: logging.LogRecord) -> None:
        """Nothing of the record is told."""
        self._complain()

    def close(self) -> None:
        """Give the file back; what it did not take is lost, and that is told."""
        try:
            super().close()
        except OSError:
            self._complain()

    def _complain(self) -> None:
        if not self._complained:
            self._complained = True
            print(f"cardshoe: the log file {self.baseFilename} cannot be written any more", file=sys.stderr)
