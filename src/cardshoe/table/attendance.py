"""How people sign in at a running table.

Owns the way from a name and what proves it to a session: the try is counted on disk, then looked at in a thread (a PIN
takes a core a good tenth of a second, and the loop must not wait), then written in the journal, then told. One try is
looked at at a time, few wait, and after many wrong ones nobody is looked at for a while, so that who floods the door
stops neither the table nor the disk. Owns also the look at the people's file before each order: who was removed is not
here any more. What the sessions allow is for `authority`. Every method is called on the table's loop.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from cardshoe.clock import Clock
from cardshoe.errors import ConfigError, Refused
from cardshoe.table.authority import IDLE_S, LONGEST_S, TOKEN_BYTES, Authority, Here, Waiting
from cardshoe.table.controller import Controller
from cardshoe.table.orders import Step
from cardshoe.table.people import Author, People
from cardshoe.table.people_file import PeopleFile, Stamp
from cardshoe.table.persons import CHALLENGE_BYTES, KeyProof, Person, Proof, key_of, proves
from cardshoe.table.roles import MATTERS, Matter, Role
from cardshoe.table.tries import Tried, begun, wait_s

_log = logging.getLogger(__name__)

MOST_AT_ONCE: Final = 4
WRONG_A_MINUTE: Final = 20
_MINUTE_S: Final = 60.0
CHALLENGE_S: Final = 60.0
_MOST_CHALLENGES: Final = 64
_MOST_STRANGERS: Final = 256

Work = Callable[[float], Step]


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session that has begun: its holder shows `token` with each order, and nobody else learns it. It ends after
    `idle_ms` without an order and after `most_ms` in any case.
    """

    token: bytes
    name: str
    role: Role
    idle_ms: int
    most_ms: int

    def __repr__(self) -> str:
        return f"SignedIn(name={self.name!r}, role={self.role!r})"


class Attendance:
    """The people of one table. `decide` has the table decide something in its turn and returns once it is on disk."""

    def __init__(
        self, file: PeopleFile, controller: Controller, clock: Clock, decide: Callable[[Work], Awaitable[None]]
    ) -> None:
        self._file = file
        self._controller = controller
        self._clock = clock
        self._decide = decide
        self._people: People | None = None
        self._stamp: Stamp | None = None
        self._complained: Stamp | None = None
        self._proving = asyncio.Lock()
        self._at_the_door = 0
        self._challenges: dict[bytes, float] = {}
        self._strangers: OrderedDict[str, Tried] = OrderedDict()
        self._wrong_at: deque[float] = deque(maxlen=WRONG_A_MINUTE)

    # --- sessions

    def challenge(self) -> bytes:
        """Return 32 random bytes for a key file to sign; good once and for a minute."""
        now = self._clock.now()
        self._challenges = {each: due for each, due in self._challenges.items() if now < due}
        if len(self._challenges) >= _MOST_CHALLENGES:
            del self._challenges[next(iter(self._challenges))]
        fresh = secrets.token_bytes(CHALLENGE_BYTES)
        self._challenges[fresh] = now + CHALLENGE_S
        return fresh

    async def sign_in(self, name: str, proof: Proof) -> SignedIn:
        """Begin a session of the one who proves to be `name`.

        Raises `Refused` (`sign-in-wrong`, `sign-in-locked`, `sign-in-busy`), `ConfigError` for a people's file that
        cannot be used, `JournalError`.
        """
        person = await self._proved(name, proof)
        token = secrets.token_bytes(TOKEN_BYTES)
        await self._told(lambda authority, now: authority.sign_in(person, token, now))
        role = person.role
        return SignedIn(token, person.name, role, int(IDLE_S[role] * 1000), int(LONGEST_S[role] * 1000))

    async def sign_out(self, token: bytes) -> None:
        """End the session of `token`; one that is over already stays over."""
        await self._told(lambda authority, _now: authority.sign_out(token))

    async def second(self, token: bytes, name: str, proof: Proof) -> None:
        """Have the order that waits at `token` confirmed by the one who proves to be `name`: it is done now.

        Raises as `sign_in` does, and `Refused` (`second-person-late`, `second-person-same`, `second-person-role`, what
        the rules refuse).
        """
        if self.waiting(token) is None:
            raise Refused("second-person-late", "no order waits for a second person; the first person gives it again")
        person = await self._proved(name, proof)
        await self._decide(lambda now: self._controller.second(token, person, now))

    async def permit(self, matter: Matter, token: bytes | None) -> None:
        """Return if whoever holds `token` may do `matter` now, and write that down.

        Raises `Refused` (`sign-in-needed`, `role`, `second-person-due`).
        """
        await self.look()
        await self._told(lambda authority, now: authority.permit(matter, token, now))

    def see(self, matter: Matter, token: bytes | None) -> None:
        """Return if whoever holds `token` may see `matter`. Raises `Refused` (`sign-in-needed`, `role`)."""
        if self._controller.authority is not None:
            self._controller.authority.see(matter, token, self._clock.now())

    async def unlock(self, name: str, token: bytes | None) -> None:
        """Forget the wrong tries of `name`. Raises as `permit` does, and `InputError` (`person-unknown`)."""
        await self.permit(Matter.UNLOCK_PERSON, token)
        here = self.who(token)
        author = Author(here.name if here is not None else "", "", self._clock.wall())
        await asyncio.to_thread(self._file.change, lambda people: people.with_unlocked(name, author))
        await asyncio.to_thread(self._file.forget_tries, name)
        await self.look()

    def who(self, token: bytes | None) -> Here | None:
        """Return who is signed in by `token`; None when nobody is (any more). Prolongs nothing."""
        authority = self._controller.authority
        return authority.here(token, self._clock.now()) if authority is not None else None

    def waiting(self, token: bytes) -> Waiting | None:
        """Return the order of this session that waits for a second person."""
        authority = self._controller.authority
        return authority.waiting(token, self._clock.now()) if authority is not None else None

    def may(self, token: bytes | None, matter: Matter) -> bool:
        """Tell whether whoever holds `token` has the role for `matter`: what is shown, never what is decided."""
        here, rule = self.who(token), MATTERS[matter]
        return rule.unsigned or (here is not None and here.role in rule.first)

    # --- the people's file

    async def open(self) -> None:
        """Read the list and have the journal hear of its changes. Raises `ConfigError`."""
        await self._read()

    async def look(self) -> None:
        """Read the list again if it was changed. While it cannot be read those who are here stay, and no more come."""
        try:
            await self._read()
        except ConfigError as error:
            stamp = self._file.stamp()
            if stamp != self._complained or self._stamp is not None:
                self._complained, self._stamp = stamp, None
                _log.warning("%s", error.text)
                why = error.text
                await self._told(lambda authority, _now: authority.list_unreadable(why))

    async def _read(self) -> People:
        stamp = self._file.stamp()
        if self._people is None or stamp is None or stamp != self._stamp:
            people = await asyncio.to_thread(self._file.read)
            await self._told(lambda authority, _now: authority.people_told(people))
            self._people, self._stamp = people, stamp
        return self._people

    async def _told(self, what: Callable[[Authority, float], None]) -> None:
        await self._decide(lambda now: self._controller.attended(lambda authority: what(authority, now), now))

    # --- tries

    async def _proved(self, name: str, proof: Proof) -> Person:
        if self._at_the_door >= MOST_AT_ONCE:
            raise Refused("sign-in-busy", f"{MOST_AT_ONCE} people are signing in; try again in a moment")
        self._at_the_door += 1
        try:
            async with self._proving:
                return await self._prove(name, proof)
        finally:
            self._at_the_door -= 1

    async def _prove(self, name: str, proof: Proof) -> Person:
        people = await self._read()
        now = self._clock.now()
        if len(self._wrong_at) == WRONG_A_MINUTE and now - self._wrong_at[0] < _MINUTE_S:
            raise Refused(
                "sign-in-busy", f"{WRONG_A_MINUTE} wrong tries within a minute; nobody is looked at for a while"
            )
        person = people.find(name)
        tried = await self._counted(name, person, now)
        fresh = self._is_fresh(proof, now)
        right = await asyncio.to_thread(proves, proof, name, person) and fresh
        if person is None or not right:
            self._wrong_at.append(self._clock.now())
            await self._told(lambda authority, _now: authority.turned_away(person, tried.wrong, wait_s(tried.wrong)))
            raise Refused(
                "sign-in-wrong", "nobody of this name is known by this PIN or key; look at both and try again"
            )
        await asyncio.to_thread(self._file.forget_tries, person.name)
        return person

    async def _counted(self, name: str, person: Person | None, now: float) -> Tried:
        """Count this try; a name that nobody has is counted in the same way, but outlives no restart."""
        if person is not None:
            return await asyncio.to_thread(self._file.begin_try, person.name, now=now)
        tried = begun(self._strangers.get(key_of(name), Tried()), now=now, boot="")
        self._strangers[key_of(name)] = tried
        self._strangers.move_to_end(key_of(name))
        await asyncio.to_thread(self._file.count_nobody)  # the disk's time, too, is the same for every name
        if len(self._strangers) > _MOST_STRANGERS:
            self._strangers.popitem(last=False)
        return tried

    def _is_fresh(self, proof: Proof, now: float) -> bool:
        """Tell whether a challenge was given here, lately, and is answered for the first time."""
        if not isinstance(proof, KeyProof):
            return True
        given = next((each for each in self._challenges if hmac.compare_digest(each, proof.challenge)), None)
        return given is not None and now < self._challenges.pop(given)
