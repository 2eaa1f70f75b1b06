"""What is typed at the terminal and not shown: a PIN, a label secret, a passphrase.

Owns the asking. A secret never comes from the command line, where every process of the machine could read it; standard
input is not asked either, for it may bring something else. Must not know what a secret is for.
"""

from __future__ import annotations

import getpass
import os
from typing import Final

from cardshoe.errors import ConfigError

_TERMINAL: Final = "/dev/tty"


def typed_hidden(prompt: str, code: str, *, what: str, instead: str) -> str:
    """Return the line that is typed at the terminal. Raises `ConfigError` `code`: there is none, or it ended."""
    try:
        os.close(os.open(_TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        raise ConfigError(code, f"There is no terminal to type {what} at. {instead}") from None
    try:
        return getpass.getpass(prompt)
    except EOFError:
        raise ConfigError(code, f"The terminal ended before {what} was typed.") from None
