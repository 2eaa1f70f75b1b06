"""`cardshoe people add | list | remove | pin | unlock | key FILE`: who works at a table.

Owns the arguments, the sentences, and who may change the list: as long as there are not two people in it who may enrol
others, the owner of the files; from then on two people together, each by PIN or key. A table that runs on the same file
hears of a change before its next order, and its journal has it. Exit status 0 done, 1 refused, 2 wrong usage or files
that cannot be used.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from cardshoe.cli.pin_entry import PinEntry, load_key_file, make_key_file
from cardshoe.clock import SystemClock
from cardshoe.errors import ConfigError, Refused
from cardshoe.table.people import Author, People
from cardshoe.table.people_file import PeopleFile, boot_id
from cardshoe.table.persons import (
    CHALLENGE_BYTES,
    SALT_BYTES,
    Person,
    PinHash,
    Proof,
    checked_name,
    hashed,
    key_of,
    proves,
    public_key,
    signed,
)
from cardshoe.table.roles import MATTERS, Matter, Role
from cardshoe.table.tries import Tried, left_s

app = typer.Typer(no_args_is_help=True, help=__doc__)

_STORE_BYTES: Final = 16
_File = Annotated[Path, typer.Argument(metavar="FILE", help="The people's file of the table.", show_default=False)]
_Name = Annotated[str, typer.Argument(metavar="NAME", help="The person's name.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
_As = Annotated[str | None, typer.Option("--as", metavar="NAME", help="Who does this; asked for PIN or --key.")]
_Key = Annotated[Path | None, typer.Option("--key", metavar="FILE", help="The key file of --as, in place of a PIN.")]
_Second = Annotated[str | None, typer.Option("--second", metavar="NAME", help="The second person, who signs too.")]
_SecondKey = Annotated[Path | None, typer.Option("--second-key", metavar="FILE", help="The key file of --second.")]
_PinFd = Annotated[
    int | None,
    typer.Option("--pin-fd", min=0, metavar="N", help="Read PINs from this descriptor, one a line, as they are asked."),
]
_PublicKey = Annotated[
    str | None, typer.Option("--public-key", metavar="HEX", help="The person signs in by a key file, and has no PIN.")
]


@dataclass(frozen=True, slots=True)
class _Signers:
    """Who signs for a change, and where their PINs come from."""

    first: str | None
    first_key: Path | None
    second: str | None
    second_key: Path | None
    entry: PinEntry


@app.command("add")
def add_command(
    file: _File,
    name: _Name,
    *,
    role: Annotated[Role, typer.Option(help="What the person is here.")],
    public: _PublicKey = None,
    by: _As = None,
    key: _Key = None,
    second: _Second = None,
    second_key: _SecondKey = None,
    pin_fd: _PinFd = None,
    as_json: _Json = False,
) -> None:
    """Enrol a person, whose PIN is typed twice here, or whose key file has this public key."""
    store, name = PeopleFile(file), checked_name(name)
    signers = _Signers(by, key, second, second_key, PinEntry(pin_fd))
    people = store.read() if store.exists() else People(secrets.token_hex(_STORE_BYTES))
    if people.find(name) is not None:
        raise Refused("person-exists", f"{name} is enrolled already; names differ by more than capitals")
    author = _author(store, people, Matter.ENROL_PERSON, signers)
    secret = _new_secret(name, public, signers.entry)
    person = Person(name, role, secret, author.by, author.second, author.at)
    store.change(lambda now: now.with_person(person, author), begin=people if not people.persons else None)
    _tell(f"{name} is enrolled as {role.value}.", {"name": name, "role": role.value}, author, as_json=as_json)


@app.command("list")
def list_command(file: _File, *, as_json: _Json = False) -> None:
    """Show who is enrolled, as what, by whom, and who is locked out."""
    store = PeopleFile(file)
    people, tries = store.read(), store.tries()
    for person in people.persons:
        left = _left(tries.get(key_of(person.name), Tried()))
        proof = "PIN" if isinstance(person.secret, PinHash) else "key"
        told = {
            "name": person.name,
            "role": person.role.value,
            "by": proof.lower(),
            "enrolled_by": person.enrolled_by,
            "enrolled_second": person.enrolled_second,
            "enrolled_at": person.enrolled_at,
            "locked_ms": int(left * 1000),
        }
        author = _signed_by(person.enrolled_by, person.enrolled_second)
        locked = f", locked for {int(left) + 1} s" if left else ""
        words = f"{person.name}: {person.role.value}, by {proof}; enrolled {person.enrolled_at} by {author}{locked}"
        print(json.dumps(told, ensure_ascii=False) if as_json else words)
    if not people.governed and not as_json:
        print("There are not two people here yet who may enrol others: the owner of this file does.")


@app.command("remove")
def remove_command(
    file: _File,
    name: _Name,
    *,
    by: _As = None,
    key: _Key = None,
    second: _Second = None,
    second_key: _SecondKey = None,
    pin_fd: _PinFd = None,
    as_json: _Json = False,
) -> None:
    """Remove a person; who is signed in by that name is signed out before the next order."""
    store = PeopleFile(file)
    people = store.read()
    gone = people.need(name)
    author = _author(store, people, Matter.REMOVE_PERSON, _Signers(by, key, second, second_key, PinEntry(pin_fd)))
    store.change(lambda now: now.without_person(gone.name, author))
    store.forget_tries(gone.name)
    _tell(f"{gone.name} is removed.", {"name": gone.name}, author, as_json=as_json)


@app.command("pin")
def pin_command(
    file: _File,
    name: _Name,
    *,
    public: _PublicKey = None,
    by: _As = None,
    key: _Key = None,
    second: _Second = None,
    second_key: _SecondKey = None,
    pin_fd: _PinFd = None,
    as_json: _Json = False,
) -> None:
    """Change a PIN: one's own by the old one, or --key; a forgotten one by two people."""
    store = PeopleFile(file)
    people = store.read()
    person, signers = people.need(name), _Signers(by, key, second, second_key, PinEntry(pin_fd))
    if by is None or key_of(by) == key_of(name):
        _proved(store, people, person.name, key, signers.entry)
        author = Author(person.name, "", SystemClock().wall())
    else:
        author = _author(store, people, Matter.RESET_PIN, signers)
    secret = _new_secret(person.name, public, signers.entry)
    store.change(lambda now: now.with_secret(person.name, secret, author))
    store.forget_tries(person.name)
    _tell(f"{person.name} signs in anew from now on.", {"name": person.name}, author, as_json=as_json)


@app.command("unlock")
def unlock_command(
    file: _File, name: _Name, *, by: _As = None, key: _Key = None, pin_fd: _PinFd = None, as_json: _Json = False
) -> None:
    """Forgive the wrong tries of a person who is locked out."""
    store = PeopleFile(file)
    people = store.read()
    person = people.need(name)
    author = _author(store, people, Matter.UNLOCK_PERSON, _Signers(by, key, None, None, PinEntry(pin_fd)))
    store.change(lambda now: now.with_unlocked(person.name, author))
    store.forget_tries(person.name)
    _tell(f"{person.name} may try again.", {"name": person.name}, author, as_json=as_json)


@app.command("key")
def key_command(
    file: Annotated[Path, typer.Argument(metavar="KEYFILE", help="Where the key goes.", show_default=False)],
    *,
    as_json: _Json = False,
) -> None:
    """Make a key file for a person who signs in by a key, and print its public key for `add --public-key`."""
    public = make_key_file(file)
    print(json.dumps({"key": str(file), "public_key": public}) if as_json else public)


def _author(store: PeopleFile, people: People, matter: Matter, signers: _Signers) -> Author:
    """Return who signs for `matter`. Raises `ConfigError` (`people-as`) and what a wrong proof or role raises."""
    at = SystemClock().wall()
    if not people.governed and signers.first is None:
        return Author(f"owner of the file, user {os.geteuid()}", "", at)
    rule, roles = MATTERS[matter], {role.value for role in MATTERS[matter].first}
    if signers.first is None:
        also = " --second NAME" if rule.seconds else ""
        raise ConfigError("people-as", f"The people of this list keep it themselves: add --as NAME{also}.")
    first = _proved(store, people, signers.first, signers.first_key, signers.entry)
    if first.role not in rule.first:
        raise Refused("role", f"{first.name} is {first.role.value}; {matter.value} is for {' or '.join(sorted(roles))}")
    seconds = rule.second_of(first.role)
    if not seconds or not people.governed:
        return Author(first.name, "", at)
    if signers.second is None:
        raise ConfigError("people-as", f"{matter.value} needs a second person: add --second NAME.")
    if key_of(signers.second) == key_of(first.name):
        raise Refused("second-person-same", f"{first.name} signs already; another person has to sign, too")
    second = _proved(store, people, signers.second, signers.second_key, signers.entry)
    if second.role not in seconds:
        may = " or ".join(sorted(role.value for role in seconds))
        raise Refused("second-person-role", f"{second.name} is {second.role.value}; {may} may sign as the second")
    return Author(first.name, second.name, at)


def _proved(store: PeopleFile, people: People, name: str, key: Path | None, entry: PinEntry) -> Person:
    """Return the person who has just proved to be `name`; each try counts as one at the table does."""
    challenge = secrets.token_bytes(CHALLENGE_BYTES)
    proof: Proof = entry.typed(name) if key is None else signed(load_key_file(key), name, challenge)
    person = people.find(name)
    if person is None:
        store.count_nobody()
    else:
        store.begin_try(person.name, now=time.monotonic())
    if not proves(proof, name, person) or person is None:
        raise Refused("sign-in-wrong", "nobody of this name has this PIN or key; look at both and try again")
    store.forget_tries(person.name)
    return person


def _new_secret(name: str, public: str | None, entry: PinEntry) -> PinHash | bytes:
    if public is not None:
        return public_key(public)
    return hashed(entry.chosen(name), secrets.token_bytes(SALT_BYTES))


def _left(tried: Tried) -> float:
    return left_s(tried, now=time.monotonic(), boot=boot_id())


def _signed_by(by: str, second: str) -> str:
    return f"{by} and {second}" if second else by


def _tell(words: str, told: dict[str, str], author: Author, *, as_json: bool) -> None:
    signed_by = {"by": author.by, "second": author.second}
    if as_json:
        print(json.dumps({**told, **signed_by}, ensure_ascii=False))
    else:
        print(f"{words} Signed by {_signed_by(author.by, author.second)}.")
