"""The three standard streams of a command, as they were given: perhaps closed, full, or read by nobody.

Owns two things. A stream that was given closed becomes /dev/null: else the next file or port that is opened would take
its number, and what is written to the terminal would go to the journal or to the shoe. And what standard output does
not take is told once, by name, with the exit status of a wrong set-up, whatever command wrote it.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Final

from cardshoe.errors import CardshoeError, ConfigError

_INPUT: Final = 0
_OUTPUT: Final = 1
_ERRORS: Final = 2


class _Output(io.TextIOWrapper):
    """Standard output; raises `ConfigError` (`no-output`) when it cannot be written, but lets who went away be."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except BrokenPipeError:
            self._end()
            raise
        except OSError as error:
            self._end()
            raise no_output(error) from None

    def flush(self) -> None:
        try:
            super().flush()
        except BrokenPipeError:
            self._end()
            raise
        except OSError as error:
            self._end()
            raise no_output(error) from None

    def _end(self) -> None:
        """What is still buffered must not fail a second time when the process ends."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, _OUTPUT)
        os.close(null)


def prepare_streams() -> None:
    """Make the streams safe to use; call it before anything is opened."""
    for number, flags in ((_INPUT, os.O_RDONLY), (_OUTPUT, os.O_WRONLY), (_ERRORS, os.O_WRONLY)):
        if _is_closed(number):
            taken = os.open(os.devnull, flags)
            if taken != number:
                os.dup2(taken, number)
                os.close(taken)
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper):
        buffering = out.line_buffering
        # A letter that the terminal's encoding has not, or half of a surrogate pair, goes out escaped.
        lenient = "backslashreplace" if out.errors == "strict" else out.errors
        sys.stdout = _Output(out.detach(), encoding=out.encoding, errors=lenient, line_buffering=buffering)


def finish_output(status: int) -> int:
    """Write what is still buffered; return the exit status, which is another one where that fails."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # who read our output is gone and misses nothing
        return status
    except CardshoeError as error:
        complain(error)
        return error.exit_status
    return status


def complain(error: CardshoeError) -> None:
    """Tell people what went wrong; where nobody can be told, the exit status says it."""
    try:
        print(f"cardshoe: {error.text}", file=sys.stderr, flush=True)
    except OSError:
        return


def no_output(error: OSError) -> ConfigError:
    """Return what people are told when standard output takes no more."""
    reason = error.strerror or type(error).__name__
    return ConfigError("no-output", f"standard output: {reason}; the answers end here, make room, ask again")


def _is_closed(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return True
    return False
