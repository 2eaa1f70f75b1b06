"""`cardshoe people add | list | remove | pin | unlock | key FILE`: who works at a table.

Owns the arguments, the sentences, and who may change the list: as long as there are not two people in it who may enrol
others, the owner of the files; from then on two people together, each by PIN or key. A table that runs on the same file
hears of a change before its next order, and its journal has it. Exit status 0 done, 1 refused, 2 wrong usage or files
that cannot be used.
"""

from __future__ import annotations

import json
import secrets
import time
from pathlib import Path
from typing import Annotated, Final

import typer

from cardshoe.cli.pin_entry import PinEntry, make_key_file
from cardshoe.cli.signers import (
    AsOption,
    KeyOption,
    PinFdOption,
    SecondKeyOption,
    SecondOption,
    Signers,
    author_for,
    proved,
)
from cardshoe.clock import SystemClock
from cardshoe.errors import Refused
from cardshoe.table.people import Author, People
from cardshoe.table.people_file import PeopleFile, boot_id
from cardshoe.table.persons import (
    SALT_BYTES,
    Person,
    PinHash,
    checked_name,
    hashed,
    key_of,
    public_key,
)
from cardshoe.table.roles import Matter, Role
from cardshoe.table.tries import Tried, left_s

app = typer.Typer(no_args_is_help=True, help=__doc__)

_STORE_BYTES: Final = 16
_File = Annotated[Path, typer.Argument(metavar="FILE", help="The people's file of the table.", show_default=False)]
_Name = Annotated[str, typer.Argument(metavar="NAME", help="The person's name.", show_default=False)]
_Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
_PublicKey = Annotated[
    str | None, typer.Option("--public-key", metavar="HEX", help="The person signs in by a key file, and has no PIN.")
]


@app.command("add")
def add_command(
    file: _File,
    name: _Name,
    *,
    role: Annotated[Role, typer.Option(help="What the person is here.")],
    public: _PublicKey = None,
    by: AsOption = None,
    key: KeyOption = None,
    second: SecondOption = None,
    second_key: SecondKeyOption = None,
    pin_fd: PinFdOption = None,
    as_json: _Json = False,
) -> None:
    """Enrol a person, whose PIN is typed twice here, or whose key file has this public key."""
    store, name = PeopleFile(file), checked_name(name)
    signers = Signers(by, key, second, second_key, PinEntry(pin_fd))
    people = store.read() if store.exists() else People(secrets.token_hex(_STORE_BYTES))
    if people.find(name) is not None:
        raise Refused("person-exists", f"{name} is enrolled already; names differ by more than capitals")
    author = author_for(store, people, Matter.ENROL_PERSON, signers)
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
    by: AsOption = None,
    key: KeyOption = None,
    second: SecondOption = None,
    second_key: SecondKeyOption = None,
    pin_fd: PinFdOption = None,
    as_json: _Json = False,
) -> None:
    """Remove a person; who is signed in by that name is signed out before the next order."""
    store = PeopleFile(file)
    people = store.read()
    gone = people.need(name)
    author = author_for(store, people, Matter.REMOVE_PERSON, Signers(by, key, second, second_key, PinEntry(pin_fd)))
    store.change(lambda now: now.without_person(gone.name, author))
    store.forget_tries(gone.name)
    _tell(f"{gone.name} is removed.", {"name": gone.name}, author, as_json=as_json)


@app.command("pin")
def pin_command(
    file: _File,
    name: _Name,
    *,
    public: _PublicKey = None,
    by: AsOption = None,
    key: KeyOption = None,
    second: SecondOption = None,
    second_key: SecondKeyOption = None,
    pin_fd: PinFdOption = None,
    as_json: _Json = False,
) -> None:
    """Change a PIN: one's own by the old one, or --key; a forgotten one by two people."""
    store = PeopleFile(file)
    people = store.read()
    person, signers = people.need(name), Signers(by, key, second, second_key, PinEntry(pin_fd))
    if by is None or key_of(by) == key_of(name):
        proved(store, people, person.name, key, signers.entry)
        author = Author(person.name, "", SystemClock().wall())
    else:
        author = author_for(store, people, Matter.RESET_PIN, signers)
    secret = _new_secret(person.name, public, signers.entry)
    store.change(lambda now: now.with_secret(person.name, secret, author))
    store.forget_tries(person.name)
    _tell(f"{person.name} signs in anew from now on.", {"name": person.name}, author, as_json=as_json)


@app.command("unlock")
def unlock_command(
    file: _File,
    name: _Name,
    *,
    by: AsOption = None,
    key: KeyOption = None,
    pin_fd: PinFdOption = None,
    as_json: _Json = False,
) -> None:
    """Forgive the wrong tries of a person who is locked out."""
    store = PeopleFile(file)
    people = store.read()
    person = people.need(name)
    author = author_for(store, people, Matter.UNLOCK_PERSON, Signers(by, key, None, None, PinEntry(pin_fd)))
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
