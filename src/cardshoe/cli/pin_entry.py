"""How a command comes by a PIN or a key file: from a terminal without echo, or from a file descriptor.

Owns the two ways, and which key files people have (Ed25519). A PIN never comes from the command
line, where every process of the machine could read it. Must not know what a PIN is for.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardshoe.cli.hidden_entry import typed_hidden
from cardshoe.errors import ConfigError, InputError
from cardshoe.table.persons import Pin
from cardshoe.table.private_keys import keep_key, kept_key

_LONGEST_LINE: Final = 200


@dataclass(frozen=True, slots=True)
class PinEntry:
    """Where PINs come from: the lines of `descriptor`, one a PIN, or the terminal where it is None."""

    descriptor: int | None = None

    def typed(self, whose: str) -> Pin:
        """Return the PIN of `whose`. Raises `ConfigError` (`pin-entry`), `InputError` (`pin`)."""
        return Pin(self._line(f"PIN of {whose}: "))

    def chosen(self, whose: str) -> Pin:
        """Return a new PIN for `whose`, typed twice at a terminal. Raises as `typed` does, and `pin-trivial`."""
        first = self._line(f"New PIN of {whose}: ")
        pin = Pin(first)
        pin.require_good()
        if self.descriptor is None and self._line("The same again: ") != first:
            raise InputError("pin", "The two are not the same; nothing was changed. Begin again.")
        return pin

    def _line(self, prompt: str) -> str:
        return _from_terminal(prompt) if self.descriptor is None else _from_descriptor(self.descriptor)


def load_key_file(path: Path) -> Ed25519PrivateKey:
    """Return the private key in `path`. Raises `ConfigError` (`key-file`) if it is missing, open to others, or none."""
    key = kept_key(path, "key-file", "The key file")
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigError("key-file", f"{path} holds another kind of key than Ed25519.")
    return key


def make_key_file(path: Path) -> str:
    """Make a key, write it to `path`, where nothing may be, and return its public key as 64 hex digits.

    Raises `ConfigError` (`key-file`).
    """
    return keep_key(path, Ed25519PrivateKey.generate(), "key-file", "The key file")


def _from_terminal(prompt: str) -> str:
    return typed_hidden(prompt, "pin-entry", what="a PIN", instead="Give --pin-fd N, a descriptor with one PIN a line.")


def _from_descriptor(descriptor: int) -> str:
    """Read one line and no byte more: what follows is another PIN, or somebody else's."""
    line = bytearray()
    while len(line) <= _LONGEST_LINE:
        try:
            byte = os.read(descriptor, 1)
        except OSError as error:
            raise ConfigError("pin-entry", f"--pin-fd {descriptor} cannot be read: {error.strerror}.") from error
        if byte in (b"", b"\n"):
            break
        line += byte
    return line.decode("utf-8", "replace").rstrip("\r")
