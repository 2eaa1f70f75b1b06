"""Who stands at the standard input of `cardshoe run`: signing in and out, and the second person, as lines.

Owns the operations `sign_in`, `sign_out`, `second` and `challenge`, `--as` and `--key`, and the token of whoever is
signed in here. A PIN goes from the line into `Pin` and nowhere else; no refusal quotes it. At a bench without people
these are no operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from cardshoe.cli.fields import Fields, check_keys
from cardshoe.cli.pin_entry import PinEntry, load_key_file
from cardshoe.errors import ConfigError, InputError, Refused
from cardshoe.table.attendance import Attendance
from cardshoe.table.persons import KeyProof, Pin, Proof, signed

Answer = dict[str, object]

OPERATIONS: Final = ("sign_in", "sign_out", "second", "challenge")
_STANDARD_INPUT: Final = 0


@dataclass(frozen=True, slots=True)
class Opener:
    """Who opens the table by `--as`: a name, and a PIN or the key of a key file."""

    name: str
    proof: Pin | Ed25519PrivateKey


def opener_of(name: str | None, key: Path | None, pin_fd: int | None) -> Opener | None:
    """Return who opens the table, asked for a PIN where no key file is given; None without `--as`.

    Raises `ConfigError` (`people-as`, `pin-entry`, `key-file`), `InputError` (`pin`).
    """
    if name is None:
        if key is not None or pin_fd is not None:
            raise ConfigError("people-as", "--key and --pin-fd say how somebody signs in: add --as NAME.")
        return None
    if pin_fd == _STANDARD_INPUT:
        raise ConfigError("pin-entry", "--pin-fd 0 is standard input, which brings the operations. Give another.")
    return Opener(name, load_key_file(key) if key is not None else PinEntry(pin_fd).typed(name))


class Front:
    """One place where people stand, one signed in at a time. `people` None: a bench where nobody signs in."""

    def __init__(self, people: Attendance | None) -> None:
        self._people = people
        self.token: bytes | None = None

    async def open(self, opener: Opener | None) -> None:
        """Sign in who opened the table. Raises what a sign-in raises, and `ConfigError` (`people-as`) at a bench."""
        if opener is None:
            return
        if self._people is None:
            raise ConfigError("people-as", "--as: nobody signs in at this table; table.people is 'none'.")
        name, own = opener.name, opener.proof
        proof = own if isinstance(own, Pin) else signed(own, name, self._people.challenge())
        self.token = (await self._people.sign_in(name, proof)).token

    def takes(self, line: Fields) -> bool:
        """Tell whether `line` is about people; at a bench without people none is."""
        return self._people is not None and line.get("op") in OPERATIONS

    async def take(self, line: Fields) -> Answer:
        """Do what `line`, which `takes`, says about people, and return what is told of it.

        Raises `InputError` for its form, and what a sign-in raises.
        """
        fields = {key: value for key, value in line.items() if key != "id"}
        if self._people is None:
            raise Refused("sign-in-needed", "nobody can sign in at this table; table.people is 'none'")
        match fields["op"]:
            case "sign_in":
                return await self._sign_in(self._people, fields)
            case "second":
                name, proof = _name_and_proof(fields)
                if self.token is None:
                    raise Refused("sign-in-needed", "nobody is signed in here; sign in first, then give the order")
                await self._people.second(self.token, name, proof)
                return {}
            case "challenge":
                check_keys(fields, ("op",), (), "challenge: ")
                return {"challenge": self._people.challenge().hex()}
            case _:
                check_keys(fields, ("op",), (), "sign_out: ")
                await self.leave()
                return {}

    async def leave(self) -> None:
        """Sign out whoever stands here."""
        if self._people is not None and self.token is not None:
            token, self.token = self.token, None
            await self._people.sign_out(token)

    async def _sign_in(self, people: Attendance, fields: Fields) -> Answer:
        name, proof = _name_and_proof(fields)
        here = await people.sign_in(name, proof)
        await self.leave()
        self.token = here.token
        return {"name": here.name, "role": here.role.value, "idle_ms": here.idle_ms, "most_ms": here.most_ms}


def _name_and_proof(fields: Fields) -> tuple[str, Proof]:
    """Return who signs and by what. Raises `InputError`, which never holds what was typed as a PIN."""
    op = str(fields["op"])
    by_key = "signature" in fields or "challenge" in fields
    check_keys(fields, ("op", "name", *(("challenge", "signature") if by_key else ("pin",))), (), f"{op}: ")
    name = fields["name"]
    if not isinstance(name, str):
        raise InputError("field-type", f"{op}: name is no text; write it in quotes")
    if not by_key:
        pin = fields["pin"]
        if not isinstance(pin, str):
            raise InputError("field-type", f"{op}: pin is no text; write its digits in quotes")
        return name, Pin(pin)
    return name, KeyProof(_bytes(fields, "challenge", op), _bytes(fields, "signature", op))


def _bytes(fields: Mapping[str, object], key: str, op: str) -> bytes:
    value = fields[key]
    try:
        return bytes.fromhex(value) if isinstance(value, str) else _no_hex(key, op)
    except ValueError:
        return _no_hex(key, op)


def _no_hex(key: str, op: str) -> bytes:
    raise InputError("field-type", f"{op}: {key} is no text of hex digits")
