"""Who is enrolled at a table, and what became of the list: a frozen value and its text.

Owns `People`: the persons, and the numbered changes by which the journal learns who enrolled and removed whom; and the
text of the list (JSON with a digest over itself, so that a damaged one is seen, whatever it still says). Must not know
files, time or the table. Pure.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cardshoe.errors import ConfigError, InputError, Refused
from cardshoe.table.persons import HASH_BYTES, SALT_BYTES, SCRYPT_N, SCRYPT_P, SCRYPT_R, Person, PinHash, key_of
from cardshoe.table.roles import MATTERS, Matter, Role

MOST_PEOPLE: Final = 500
MOST_CHANGES: Final = 1000
VERSION: Final = 1

ENROLLED: Final = "person_enrolled"
REMOVED: Final = "person_removed"
PIN_CHANGED: Final = "pin_changed"
UNLOCKED: Final = "person_unlocked"
SIGNED: Final = "signed_elsewhere"


@dataclass(frozen=True, slots=True)
class Author:
    """Who made a change: `by` a person's name or the owner of the files, `second` the second person or "", `at` wall
    time.
    """

    by: str
    second: str
    at: str


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the list, `number` from 1; `what` is the kind of its record in the journal, `name` whom or what it
    is about.
    """

    number: int
    what: str
    name: str
    role: str
    by: str
    second: str
    at: str


@dataclass(frozen=True, slots=True)
class People:
    """The list. `store` is its random name, 32 hex digits; `changes` are the newest, in order."""

    store: str
    persons: tuple[Person, ...] = ()
    changes: tuple[Change, ...] = ()

    def find(self, name: str) -> Person | None:
        """Return the person of that name, whatever the case of its letters."""
        key = key_of(name)
        return next((person for person in self.persons if key_of(person.name) == key), None)

    def need(self, name: str) -> Person:
        """Return the person of that name. Raises `InputError` (`person-unknown`)."""
        person = self.find(name)
        if person is None:
            raise InputError("person-unknown", f"nobody called {name!r} is enrolled; see `cardshoe people list`")
        return person

    @property
    def last_change(self) -> int:
        """The number of the newest change; 0 for a list that was just begun."""
        return self.changes[-1].number if self.changes else 0

    @property
    def governed(self) -> bool:
        """Tell whether there are two people here who may enrol others; before that, the owner of the files does."""
        rule = MATTERS[Matter.ENROL_PERSON]
        return any(
            one is not other and one.role in rule.first and other.role in rule.second_of(one.role)
            for one in self.persons
            for other in self.persons
        )

    def with_person(self, person: Person, author: Author) -> People:
        """Return the list with one person more. Raises `Refused` (`person-exists`, `people-full`)."""
        if self.find(person.name) is not None:
            raise Refused("person-exists", f"{person.name} is enrolled already; names differ by more than capitals")
        if len(self.persons) >= MOST_PEOPLE:
            raise Refused("people-full", f"{MOST_PEOPLE} people are enrolled; remove those who work here no more")
        return self._changed((*self.persons, person), ENROLLED, person, author)

    def without_person(self, name: str, author: Author) -> People:
        """Return the list without that person. Raises `InputError` (`person-unknown`)."""
        gone = self.need(name)
        return self._changed(tuple(each for each in self.persons if each is not gone), REMOVED, gone, author)

    def with_secret(self, name: str, secret: PinHash | bytes, author: Author) -> People:
        """Return the list with another PIN or key of that person. Raises `InputError` (`person-unknown`)."""
        old = self.need(name)
        persons = tuple(each.with_secret(secret) if each is old else each for each in self.persons)
        return self._changed(persons, PIN_CHANGED, old, author)

    def with_unlocked(self, name: str, author: Author) -> People:
        """Return the list with the note that the wrong tries of that person were forgiven."""
        return self._changed(self.persons, UNLOCKED, self.need(name), author)

    def with_signature(self, matter: Matter, author: Author) -> People:
        """Return the list with the note that people of it signed for `matter` away from a running table."""
        first = self.find(author.by)
        number, role = self.last_change + 1, first.role.value if first is not None else ""
        change = Change(number, SIGNED, matter.value, role, author.by, author.second, author.at)
        return replace(self, changes=(*self.changes, change)[-MOST_CHANGES:])

    def _changed(self, persons: tuple[Person, ...], what: str, whom: Person, author: Author) -> People:
        change = Change(self.last_change + 1, what, whom.name, whom.role.value, author.by, author.second, author.at)
        return replace(self, persons=persons, changes=(*self.changes, change)[-MOST_CHANGES:])


# --- the text --------------------------------------------------------------------------------------------------------


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)


class _Scrypt(_Part):
    n: Literal[32768]
    r: Literal[8]
    p: Literal[1]
    salt: str = Field(pattern=rf"^[0-9a-f]{{{2 * SALT_BYTES}}}$")
    hash: str = Field(pattern=rf"^[0-9a-f]{{{2 * HASH_BYTES}}}$")


class _Person(_Part):
    name: str
    role: Literal["dealer", "floor", "technician", "auditor"]
    scrypt: _Scrypt | None = None
    ed25519: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")
    enrolled_by: str
    enrolled_second: str
    enrolled_at: str


class _Change(_Part):
    number: int = Field(ge=1)
    what: Literal["person_enrolled", "person_removed", "pin_changed", "person_unlocked", "signed_elsewhere"]
    name: str
    role: str
    by: str
    second: str
    at: str


class _List(_Part):
    version: Literal[1]
    store: str = Field(pattern=r"^[0-9a-f]{32}$")
    persons: list[_Person]
    changes: list[_Change]
    digest: str


def text_of(people: People) -> str:
    """Return the text of the list."""
    body: dict[str, Any] = {
        "version": VERSION,
        "store": people.store,
        "persons": [_plain(person) for person in people.persons],
        "changes": [asdict(change) for change in people.changes],
    }
    return json.dumps({**body, "digest": _digest(body)}, indent=1, ensure_ascii=False) + "\n"


def people_in(text: str, where: str) -> People:
    """Return the list in `text`. Raises `ConfigError` (`people-damaged`) for one that is not whole."""
    try:
        raw = json.loads(text)
        return _whole(raw, _List.model_validate(raw))
    except (ValueError, ValidationError, RecursionError) as error:
        why = "it is not in its form" if isinstance(error, ValidationError | RecursionError) else str(error)
        raise ConfigError(
            "people-damaged",
            f"The people's file {where} is damaged ({why}). Nobody is let in by it and nothing was changed: put back a"
            " copy of it, or move it away and enrol everybody anew.",
        ) from None


def _whole(raw: Mapping[str, object], read: _List) -> People:
    """Return the list that was `read`. Raises `ValueError` where it is not what was written once."""
    if read.digest != _digest({key: value for key, value in raw.items() if key != "digest"}):
        raise ValueError("its digest does not fit what it says")
    persons = tuple(_person(each) for each in read.persons)
    if len({key_of(person.name) for person in persons}) != len(persons):
        raise ValueError("two people have one name")
    return People(read.store, persons, tuple(Change(**each.model_dump()) for each in read.changes))


def _plain(person: Person) -> dict[str, object]:
    secret = person.secret
    kept: dict[str, object] = {"ed25519": secret.hex()} if isinstance(secret, bytes) else {"scrypt": _stretched(secret)}
    return {
        "name": person.name,
        "role": person.role.value,
        **kept,
        "enrolled_by": person.enrolled_by,
        "enrolled_second": person.enrolled_second,
        "enrolled_at": person.enrolled_at,
    }


def _stretched(secret: PinHash) -> dict[str, object]:
    return {"n": SCRYPT_N, "r": SCRYPT_R, "p": SCRYPT_P, "salt": secret.salt.hex(), "hash": secret.digest.hex()}


def _person(read: _Person) -> Person:
    if (read.scrypt is None) is (read.ed25519 is None):
        raise ValueError("a person has neither PIN nor key, or both")
    secret: PinHash | bytes
    if read.scrypt is not None:
        secret = PinHash(bytes.fromhex(read.scrypt.salt), bytes.fromhex(read.scrypt.hash))
    else:
        secret = bytes.fromhex(read.ed25519 or "")
    return Person(read.name, Role(read.role), secret, read.enrolled_by, read.enrolled_second, read.enrolled_at)


def _digest(body: Mapping[str, object]) -> str:
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
