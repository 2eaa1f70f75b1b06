"""What the console needs: of a table, and, in a laboratory, of the simulated world.

Owns the protocols and the values that pass. Whoever runs a table implements them (`cli`); the console never reaches
past them, so that nothing that is not meant to be shown can be shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cardshoe.errors import CardshoeError
from cardshoe.table.config import TableConfig
from cardshoe.table.view import TableView


@dataclass(frozen=True, slots=True)
class DeviceHealth:
    """One device as its port knows it. `health`: "up", "lost", …; `trouble`: why it is not up, "" where it is."""

    name: str
    url: str
    health: str
    model: str
    serial: str
    firmware: str
    failures: int
    trouble: str


@dataclass(frozen=True, slots=True)
class LastEntry:
    """The last wager, decision or card that this console entered and that can be corrected by its `number`.

    `position`: whose it is, or where the card lies; `said`: wagers (spot to cents), action or card as it was entered;
    `choices`: what could be said instead, where it was a decision.
    """

    number: int
    op: str
    position: str
    said: Mapping[str, int] | str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who is signed in."""

    name: str
    role: str


@dataclass(frozen=True, slots=True)
class SecondWanted:
    """What waits for a second person: what it is, and of which roles that person may be."""

    what: str
    roles: frozenset[str]


class PeoplePort(Protocol):
    """The people of a table. `token` is what a sign-in gave; the console keeps it beside the browser's session."""

    async def sign_in(self, name: str, pin: str) -> bytes:
        """Sign `name` in; return the token. Raises `CardshoeError`; a wrong name and a wrong PIN look alike."""

    async def sign_out(self, token: bytes) -> None:
        """Sign out; a token that is over already is no error."""

    async def second(self, token: bytes, name: str, pin: str) -> None:
        """Have a second person confirm what waits, which does it. Raises `CardshoeError`."""

    def who(self, token: bytes | None) -> Person | None:
        """Return who is signed in."""

    def waiting(self, token: bytes | None) -> SecondWanted | None:
        """Return what waits for a second person."""

    async def permit(self, matter: str, token: bytes | None) -> None:
        """Ask whether `matter` may be done. Raises `CardshoeError`."""


class TablePort(Protocol):
    """A running table."""

    @property
    def config(self) -> TableConfig:
        """What applies."""

    @property
    def journal_path(self) -> Path:
        """Where its journal lies; it is read, never written."""

    @property
    def shown(self) -> TableView:
        """What may be shown now."""

    @property
    def round_open(self) -> bool:
        """Whether a round is open: what it moves is not counted for others yet."""

    @property
    def failure(self) -> CardshoeError | None:
        """Why it has stopped, None while it runs."""

    @property
    def last_entry(self) -> LastEntry | None:
        """What `correct` may change."""

    async def changed(self, seen: TableView) -> TableView:
        """Wait for another view than `seen`. Raises the failure when the table has stopped."""

    @property
    def people(self) -> PeoplePort | None:
        """Who signs in here, None on a bench without people."""

    async def give(self, operation: Mapping[str, object], token: bytes | None) -> int:
        """Do one operation, the same as `cardshoe run` takes; return its number once it is on disk.

        Raises `InputError`, `Refused`, `JournalError`; then nothing changed.
        """

    def devices(self) -> Sequence[DeviceHealth]:
        """Shoe and reader, as far as they are configured."""

    def rates(self) -> Mapping[str, int]:
        """Counters of this opening of the table, for service: cards read, unreadable, losses."""


@dataclass(frozen=True, slots=True)
class Mishap:
    """A fault that a person can try out. `what` says what will be seen, `cure` what the person does about it."""

    name: str
    what: str
    cure: str


class LabPort(Protocol):
    """The simulated world of a demo. No live table has one."""

    @property
    def robot(self) -> bool:
        """Whether the robot deals; else the person at the console does, and `hands` moves the cards."""

    def set_robot(self, *, on: bool) -> None:
        """Have the robot deal, or leave it to the person."""

    @property
    def mishaps(self) -> Sequence[Mishap]:
        """What can be made to go wrong."""

    async def mishap(self, name: str) -> str:
        """Make `name` go wrong; say what was done. Raises `Refused`."""

    async def cure(self, name: str) -> str:
        """Do what a person does at the machine about `name`; say what was done. Raises `Refused`."""

    async def hands(self) -> str:
        """Have the simulated hands do the part of what is due that moves cards. Raises `Refused`."""
