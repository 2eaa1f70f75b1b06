"""The people of a running table, as the console sees them.

Owns the way from the console's words (a name, digits, the name of a matter) to `table.attendance` and back. Must not
know HTTP. A PIN is text only until it is handed on.
"""

from __future__ import annotations

from cardshoe.console.ports import Person, SecondWanted
from cardshoe.table.attendance import Attendance
from cardshoe.table.persons import Pin
from cardshoe.table.roles import SHOWN, Matter


class PeopleSeat:
    """Implements the console's `PeoplePort` for `people`."""

    def __init__(self, people: Attendance) -> None:
        self._people = people

    async def sign_in(self, name: str, pin: str) -> bytes:
        """Sign `name` in; return the token."""
        return (await self._people.sign_in(name, Pin(pin))).token

    async def sign_out(self, token: bytes) -> None:
        """Sign out."""
        await self._people.sign_out(token)

    async def second(self, token: bytes, name: str, pin: str) -> None:
        """Have a second person confirm what waits."""
        await self._people.second(token, name, Pin(pin))

    def who(self, token: bytes | None) -> Person | None:
        """Return who is signed in."""
        here = self._people.who(token)
        return Person(here.name, here.role.value) if here is not None else None

    def waiting(self, token: bytes | None) -> SecondWanted | None:
        """Return what waits for a second person."""
        waiting = self._people.waiting(token) if token is not None else None
        return SecondWanted(waiting.what, frozenset(role.value for role in waiting.seconds)) if waiting else None

    async def permit(self, matter: str, token: bytes | None) -> None:
        """Ask whether the matter of this name, such as `read_journal`, may be done. Raises its refusal."""
        wanted = Matter[matter.upper()]
        if wanted in SHOWN:
            self._people.see(wanted, token)
        else:
            await self._people.permit(wanted, token)
