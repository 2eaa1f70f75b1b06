"""JSON Lines in, JSON Lines out: one answer a line, same order, memory flat.

Owns reading lines safely (`interfaces.md`: UTF-8, at most 1 MiB, no duplicate keys, no NaN), the form of an answer and
of a refusal, and the exit status. Must not know what a line means: `answer` does.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final, NoReturn

import typer

from cardshoe.errors import CardshoeError, ConfigError, InputError
from cardshoe.games.quoting import quoted

LONGEST_LINE: Final = 1 << 20
LONGEST_TEXT: Final = 600
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

Case = Mapping[str, object]
Answer = Callable[[Case], dict[str, object]]


def answer_lines(file: Path | None, answer: Answer) -> NoReturn:
    """Answer each line of `file` (standard input for None) on standard output, then exit 0, or 1 if one was refused.

    `answer` gets the object of a line and returns the answer without its `id`. Raises `ConfigError` when the file
    cannot be read or holds no line at all.
    """
    refused = False
    any_line = False
    where = "standard input" if file is None else str(file)
    with _opened(file) as source:
        for number, raw in _readable(source, where):
            any_line = True
            answered = answer_line(number, raw, answer)
            refused = refused or "error" in answered
            _write(_ENCODER.encode(answered) + "\n")
    if not any_line:
        raise ConfigError("no-lines", f"{where} holds no line; give one JSON object a line")
    raise typer.Exit(1 if refused else 0)


def _write(text: str) -> None:
    """Write an answer at once, for one who asks line by line."""
    if sys.stdout is None:
        raise ConfigError("no-output", "standard output: it was given closed; open it, or name a file, and ask again")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        # What is still buffered must not fail a second time when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        reason = error.strerror or type(error).__name__
        raise ConfigError(
            "no-output", f"standard output: {reason}; the answers end here, make room, ask again"
        ) from None


def _readable(source: BinaryIO, where: str) -> Iterator[tuple[int, bytes | None]]:
    try:
        yield from numbered_lines(source)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError("no-file", f"{where}: {reason}; it cannot be read to its end") from None


def answer_line(number: int, raw: bytes | None, answer: Answer) -> dict[str, object]:
    """Return the answer to one line; `raw` is None where the line was too long to be read."""
    identity: object = None
    try:
        case, problem = _read(number, raw)
        identity = _identity(case)
        if problem is not None:
            raise problem
        return {"id": identity, **answer(case)}
    except CardshoeError as error:
        return refusal(identity, error)
    except RecursionError:
        return refusal(
            identity, InputError("line-nested", f"line {number}: nested too deeply; nothing here needs that")
        )


def refusal(identity: object, error: CardshoeError) -> dict[str, object]:
    """Return the answer to a line that is refused."""
    text = error.text if len(error.text) <= LONGEST_TEXT else f"{error.text[: LONGEST_TEXT - 1]}…"
    return {"id": identity, "error": {"code": error.code, "text": text, "cites": error.cites}}


def numbered_lines(source: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield (number from 1, bytes) of each line that is not blank; None stands for one over `LONGEST_LINE`."""
    number = 0
    while raw := source.readline(LONGEST_LINE + 2 + (0 if number else len(_BYTE_ORDER_MARK))):
        number += 1
        if number == 1:
            raw = raw.removeprefix(_BYTE_ORDER_MARK)
        line: bytes | None = raw
        if len(raw.rstrip(b"\r\n")) > LONGEST_LINE:
            line = None
            while raw and not raw.endswith(b"\n"):
                raw = source.readline(LONGEST_LINE)
        if line is None or line.strip():
            yield number, line


class _Found:
    """What the decoder met on its way that is refused: the first of it."""

    __slots__ = ("code", "text")

    def __init__(self) -> None:
        self.code = ""
        self.text = ""

    def note(self, code: str, text: str) -> None:
        if not self.code:
            self.code, self.text = code, text


_found = _Found()


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    read = dict(pairs)
    if len(read) != len(pairs):
        double = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        _found.note("line-duplicate-key", f"the key {quoted(double)} stands there twice; keep one")
    return read


def _constant(name: str) -> None:
    _found.note("line-not-json", f"{name} is no number of JSON; give whole cents")


_ENCODER: Final = json.JSONEncoder(check_circular=False, allow_nan=False)
"""An answer is a tree, made here or read from JSON."""

_DECODER: Final = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant)


def _read(number: int, raw: bytes | None) -> tuple[Case, InputError | None]:
    """Return the object of a line, and what is wrong with it although it can be read."""
    if raw is None:
        raise InputError("line-too-long", f"line {number} is over {LONGEST_LINE} bytes; it was not read")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            "line-not-utf8", f"line {number}: byte {error.start} is not UTF-8; save the file as UTF-8"
        ) from None
    _found.code = ""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise InputError("line-not-json", f"line {number}, column {error.colno}: not JSON ({error.msg})") from None
    except ValueError:  # a number of thousands of digits
        raise InputError("line-not-json", f"line {number}: a number is too long to be an amount") from None
    if not isinstance(value, dict):
        raise InputError("line-not-object", f"line {number}: {quoted(value)} is not an object; give one object a line")
    if _found.code:
        return value, InputError(_found.code, f"line {number}: {_found.text}")
    return value, None


def _identity(case: Case) -> object:
    """Return the line's `id`, whatever JSON it is. Raises `InputError` (`line-id`) for one that JSON cannot repeat."""
    identity = case.get("id")
    if identity is None or isinstance(identity, str | int):
        return identity
    try:
        json.dumps(identity, allow_nan=False)
    except ValueError:
        raise InputError(
            "line-id", f"id: {quoted(identity)} holds a number beyond all bounds, which no answer can repeat; change it"
        ) from None
    return identity


def _opened(file: Path | None) -> BinaryIO:
    if file is None:
        # Standard input that was given closed holds no line.
        return sys.stdin.buffer if sys.stdin is not None else io.BytesIO()
    try:
        return file.open("rb")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigError("no-file", f"{file}: {reason}; name a readable file, or none for standard input") from None
