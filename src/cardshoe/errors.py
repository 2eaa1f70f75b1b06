"""The tree of errors.

Owns the classes; `error_table` owns what each code means (severity, who may clear it, what the dealer is told). Every
error that leaves a room is one of these: it says what happened, to which device or position, and what to do now.

    CardshoeError
    ├── InputError      a line, card, amount or key that cannot be read            exit 1
    ├── Refused         the rules do not allow this step here; nothing changed     exit 1
    ├── ConfigError     a configuration or command line that cannot be used        exit 2
    ├── DeviceError     a device that could not be had, or was lost                exit 3
    └── JournalError    a journal that cannot be trusted or written                exit 4
"""

from __future__ import annotations

from typing import ClassVar


class CardshoeError(Exception):
    """Any error of the product: a stable `code`, a `text` for people, the clause it `cites` or None."""

    exit_status: ClassVar[int] = 1

    def __init__(self, code: str, text: str, *, cites: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.cites = cites

    def __str__(self) -> str:
        return self.text


class InputError(CardshoeError):
    """Something given to us cannot be read; the text names the value and its place."""


class Refused(CardshoeError):
    """The rules do not allow this step at this point. The state is unchanged."""


class ConfigError(CardshoeError):
    """A configuration or a command line cannot be used; nothing was started."""

    exit_status = 2


class DeviceError(CardshoeError):
    """A device could not be opened or identified, or was lost."""

    exit_status = 3


class JournalError(CardshoeError):
    """The journal cannot be trusted or written; nothing is dealt."""

    exit_status = 4
