"""Who signs for a thing that is done away from a running table: one person or two, by PIN or key file.

Owns the options of a command by which people sign, and the looking at their proofs: the roles are those of
`table.roles`, the tries are counted in the same file as those at the table. What was signed for stands in the list of
people, and the journal of the table hears of it as soon as the table runs. Must not know what is signed for.
"""

from __future__ import annotations

import getpass
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from cardshoe.cli.pin_entry import PinEntry, load_key_file
from cardshoe.clock import SystemClock
from cardshoe.errors import ConfigError, Refused
from cardshoe.table.people import Author, People
from cardshoe.table.people_file import PeopleFile
from cardshoe.table.persons import CHALLENGE_BYTES, Person, Proof, key_of, proves, signed
from cardshoe.table.roles import MATTERS, Matter

FD_MOST = 2**31 - 1
"""A descriptor is a C int."""

AsOption = Annotated[str | None, typer.Option("--as", metavar="NAME", help="Who does this; asked for PIN or --key.")]
KeyOption = Annotated[
    Path | None, typer.Option("--key", metavar="FILE", help="The key file of --as, in place of a PIN.")
]
SecondOption = Annotated[
    str | None, typer.Option("--second", metavar="NAME", help="The second person, who signs, too.")
]
SecondKeyOption = Annotated[Path | None, typer.Option("--second-key", metavar="FILE", help="The key file of --second.")]
PinFdOption = Annotated[
    int | None,
    typer.Option(
        "--pin-fd",
        min=0,
        max=FD_MOST,
        metavar="N",
        help="Read PINs from this descriptor, one a line, as they are asked.",
    ),
]


PeopleOption = Annotated[
    Path | None, typer.Option("--people", metavar="FILE", help="The people's file of the table; two people sign.")
]


@dataclass(frozen=True, slots=True)
class Signers:
    """Who is to sign, and where their PINs come from."""

    first: str | None
    first_key: Path | None
    second: str | None
    second_key: Path | None
    entry: PinEntry


def sign_for(store: PeopleFile, matter: Matter, signers: Signers) -> Author:
    """Have people sign for `matter`, which is written down, and return who did.

    Raises `Refused` (`sign-in-wrong`, `sign-in-locked`, `role`, `second-person-same`, `second-person-role`),
    `ConfigError` (`people-as`, a file that cannot be used, a PIN that cannot be typed), `InputError` (`pin`).
    """
    author = author_for(store, store.read(), matter, signers)
    store.change(lambda people: people.with_signature(matter, author))
    return author


def signed_or_user(people: Path | None, matter: Matter, signers: Signers) -> str:
    """Return who answers for `matter`: those who sign for it by the list `people`, else the user of this computer.

    Raises as `sign_for` does, and `ConfigError` (`people-as`) for signers without a list.
    """
    if people is None:
        if signers.first is not None or signers.second is not None:
            raise ConfigError("people-as", "--as and --second are people of a list: add --people FILE.")
        return user_of_computer()
    author = sign_for(PeopleFile(people), matter, signers)
    return f"{author.by} and {author.second}" if author.second else author.by


def user_of_computer() -> str:
    """Return the name of who runs this, or the number where this computer has no name for it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.geteuid()}"


def author_for(store: PeopleFile, people: People, matter: Matter, signers: Signers) -> Author:
    """Return who signs for `matter`: people of the list, or its owner as long as no two of them may. Raises as
    `sign_for` does, and writes nothing but tries.
    """
    at = SystemClock().wall()
    if not people.governed and signers.first is None:
        return Author(f"owner of the file, user {os.geteuid()}", "", at)
    rule = MATTERS[matter]
    if signers.first is None:
        also = " --second NAME" if rule.seconds else ""
        raise ConfigError("people-as", f"The people of this list sign for that themselves: add --as NAME{also}.")
    first = proved(store, people, signers.first, signers.first_key, signers.entry)
    if first.role not in rule.first:
        may = " or ".join(sorted(role.value for role in rule.first))
        raise Refused("role", f"{first.name} is {first.role.value}; {matter.value} is for {may}")
    seconds = rule.second_of(first.role)
    if not seconds or not people.governed:
        return Author(first.name, "", at)
    if signers.second is None:
        raise ConfigError("people-as", f"{matter.value} needs a second person: add --second NAME.")
    if key_of(signers.second) == key_of(first.name):
        raise Refused("second-person-same", f"{first.name} signs already; another person has to sign, too")
    second = proved(store, people, signers.second, signers.second_key, signers.entry)
    if second.role not in seconds:
        may = " or ".join(sorted(role.value for role in seconds))
        raise Refused("second-person-role", f"{second.name} is {second.role.value}; {may} may sign as the second")
    return Author(first.name, second.name, at)


def proved(store: PeopleFile, people: People, name: str, key: Path | None, entry: PinEntry) -> Person:
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
