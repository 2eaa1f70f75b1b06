"""Support: people at a table without a disk, and their files on a disk. Not a test."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from cardshoe.errors import CardshoeError
from cardshoe.table import persons
from cardshoe.table.acts import Act, OpenRound
from cardshoe.table.config import TableConfig, parse_config
from cardshoe.table.controller import Controller
from cardshoe.table.orders import Step
from cardshoe.table.people import Author, People
from cardshoe.table.people_file import PeopleFile
from cardshoe.table.persons import Person, Pin, PinHash, hashed
from cardshoe.table.roles import Role
from cardshoe.table.state import TableState

CONFIG = """
[table]
name = "T1"
mode = "bench"
game = "{game}"
method = "hand"
journal = "journal"
people = "people/list.json"
"""

PINS = {"Ada": "839201", "Bob": "740163", "Flo": "739105", "Fay": "280417", "Tim": "649201", "Tom": "517308"}
PINS |= {"Aud": "550192", "Abe": "906214"}
ROLES = {"Ada": Role.DEALER, "Bob": Role.DEALER, "Flo": Role.FLOOR, "Fay": Role.FLOOR}
ROLES |= {"Tim": Role.TECHNICIAN, "Tom": Role.TECHNICIAN, "Aud": Role.AUDITOR, "Abe": Role.AUDITOR}
OF_ROLE = {Role.DEALER: "Ada", Role.FLOOR: "Flo", Role.TECHNICIAN: "Tim", Role.AUDITOR: "Aud"}
OTHER_OF_ROLE = {Role.DEALER: "Bob", Role.FLOOR: "Fay", Role.TECHNICIAN: "Tom", Role.AUDITOR: "Abe"}
NO_HASH = PinHash(bytes(16), bytes(32))
OWNER = Author("owner of the file, user 0", "", "2026-11-30T20:00:00.000Z")


def config(game: str = "three-card-poker") -> TableConfig:
    return parse_config(CONFIG.format(game=game), "test.toml")


def person(name: str, role: Role | None = None, secret: PinHash | bytes = NO_HASH) -> Person:
    return Person(name, role or ROLES[name], secret, OWNER.by, "", OWNER.at)


def listed(*names: str, store: str = "5b" * 16, hashes: Mapping[str, PinHash] | None = None) -> People:
    people = People(store)
    for name in names or tuple(ROLES):
        people = people.with_person(person(name, secret=(hashes or {}).get(name, NO_HASH)), OWNER)
    return people


def hash_of(name: str) -> PinHash:
    """The true hash of a person's PIN, of the work that applies."""
    return _hash_of(name, persons.SCRYPT_N)


@cache
def _hash_of(name: str, _work: int) -> PinHash:
    return hashed(Pin(PINS[name]), name.encode().ljust(16, b"."))


def people_file(folder: Path, *names: str) -> PeopleFile:
    """A real file in which `names` sign in by their PINs."""
    file = PeopleFile(folder / "people" / "list.json")
    hashes = {name: hash_of(name) for name in names}
    file.change(lambda _none: listed(*names, hashes=hashes), begin=People("5b" * 16))
    return file


class Bench:
    """A table dealt by hand at which people sign in, with its time in the test's hand."""

    def __init__(self, state: TableState | None = None, game: str = "three-card-poker") -> None:
        self.controller = Controller(config(game), state or TableState())
        self.now = 1000.0
        self.entries: list[tuple[str, dict[str, Any], int | None]] = []
        self.tokens: dict[str, bytes] = {}
        self.sessions = 0

    def sign_in(self, *names: str) -> None:
        for name in names:
            self.sessions += 1
            token = f"token {self.sessions} of {name}".encode().ljust(32, b".")
            self.tokens[name] = token
            self.take(
                self.controller.attended(
                    lambda authority, name=name, token=token: authority.sign_in(person(name), token, self.now), self.now
                )
            )

    def do(self, act: Act, by: str | None) -> str:
        """Give an order; return "done", or the code of the refusal."""
        token = self.tokens[by] if by is not None else None
        return self._code(lambda: self.controller.act(act, self.now, token))

    def second(self, first: str, second: str) -> str:
        """Confirm the order of `first`; return "done", or the code of the refusal."""
        return self._code(lambda: self.controller.second(self.tokens[first], person(second), self.now))

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.take(self.controller.advance(self.now))

    def take(self, step: Step) -> None:
        self.entries += [(entry.kind, dict(entry.body), entry.round) for entry in step.entries]

    def kinds(self) -> list[str]:
        return [kind for kind, _body, _round in self.entries]

    def bodies(self, kind: str) -> list[dict[str, Any]]:
        return [body for each, body, _round in self.entries if each == kind]

    def open_round(self) -> None:
        assert self.do(OpenRound({"1": "P1"}), "Ada") == "done"

    def _code(self, given: Any) -> str:
        try:
            self.take(given())
        except CardshoeError as error:
            self.take(self.controller.advance(self.now))
            return error.code
        return "done"
