"""Who is signed in at this table, and whether what somebody asks may be done.

Owns the sessions of people (a token that only its holder knows, idle and absolute end), the order that waits for a
second person, and the records of both. How somebody proved his name is settled before (`attendance`). An order is
looked at where the table decides it, against the state that it will change: what was allowed when it was sent may not
be any more. Must not know files, PINs or screens. Pure: `now` is monotonic seconds. Implements threat T13 and the
two-person rules.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final, TypeVar

from cardshoe.errors import CardshoeError, Refused
from cardshoe.games.quoting import quoted
from cardshoe.round.events import Event, HoldCleared
from cardshoe.table.acts import ENTERED_BY_DEVICES, ENTERED_WITHOUT_SHOE, Act
from cardshoe.table.desk import Desk
from cardshoe.table.people import People
from cardshoe.table.persons import Person, key_of
from cardshoe.table.roles import MATTERS, Matter, Role, Roles, Rule, name_of, rule_of, voids, with_void

SECOND_S: Final = 120.0
"""So long an order waits for its second person."""
MOST_SESSIONS_EACH: Final = 4
IDLE_S: Final[Mapping[Role, float]] = {
    Role.DEALER: 1800.0,
    Role.FLOOR: 300.0,
    Role.TECHNICIAN: 900.0,
    Role.AUDITOR: 900.0,
}
LONGEST_S: Final[Mapping[Role, float]] = {
    Role.DEALER: 8 * 3600.0,
    Role.FLOOR: 3600.0,
    Role.TECHNICIAN: 3600.0,
    Role.AUDITOR: 8 * 3600.0,
}
TOKEN_BYTES: Final = 32

A = TypeVar("A", bound=Act)


@dataclass(frozen=True, slots=True)
class Here:
    """One who is signed in, until `idle_due` if nothing is done and until `end_due` in any case (monotonic seconds)."""

    name: str
    role: Role
    idle_due: float
    end_due: float

    @property
    def due(self) -> float:
        """When this session ends if nothing more is done."""
        return min(self.idle_due, self.end_due)


@dataclass(frozen=True, slots=True)
class Waiting:
    """An order that waits for a second person of the roles `seconds` until `due`: `what`, `by` the first person."""

    what: str
    by: str
    seconds: Roles
    due: float
    wanted: Act | Matter


@dataclass(frozen=True, slots=True)
class Signature:
    """Who answers for `what`: `by` in `role`, and the second person where two were needed; "" for nobody."""

    what: str
    by: str = ""
    role: str = ""
    second: str = ""
    second_role: str = ""


class Authority:
    """The sessions of one table. `desk` is where the records are written."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sessions: dict[bytes, Here] = {}
        self._waiting: dict[bytes, Waiting] = {}
        self._granted: dict[bytes, tuple[Signature, float]] = {}

    # --- sessions

    def sign_in(self, person: Person, token: bytes, now: float) -> None:
        """Begin a session of `person`, whose holder knows `token`; the oldest of too many of the same person ends."""
        own = [key for key, here in self._sessions.items() if here.name == person.name]
        for key in own[: max(0, len(own) - MOST_SESSIONS_EACH + 1)]:
            self._end(key, "another")
        role = person.role
        self._sessions[_key(token)] = Here(person.name, role, now + IDLE_S[role], now + LONGEST_S[role])
        self._desk.write("person_signed_in", {"name": person.name, "role": role.value})

    def sign_out(self, token: bytes) -> None:
        """End a session; one that is over already stays over."""
        if _key(token) in self._sessions:
            self._end(_key(token), "signed-out")

    def turned_away(self, person: Person | None, wrong: int, wait: float) -> None:
        """Write a wrong try, the `wrong`th in a row, and the `wait` in seconds that it leads to. A name that nobody has
        is not written: it may be a PIN that was typed in the wrong field.
        """
        name = person.name if person is not None else ""
        self._desk.write("person_refused", {"name": name, "known": person is not None, "wrong": wrong})
        if wait > 0:
            self._desk.write("person_locked_out", {"name": name, "wrong": wrong, "wait_ms": int(wait * 1000)})

    def list_unreadable(self, why: str) -> None:
        """Write down that the list of people cannot be read any more."""
        self._desk.write("people_unreadable", {"why": why})

    def expire(self, now: float) -> None:
        """End what is due; when the table is being closed, everything."""
        for key, here in tuple(self._sessions.items()):
            if self._desk.live.closing:
                self._end(key, "closed")
            elif now >= here.due:
                self._end(key, "end" if now >= here.end_due else "idle")
        for key, waiting in tuple(self._waiting.items()):
            if now >= waiting.due:
                del self._waiting[key]
        for key, (_signature, due) in tuple(self._granted.items()):
            if now >= due:
                del self._granted[key]

    def next_deadline(self) -> float | None:
        """Return when `expire` is due next."""
        due = [here.due for here in self._sessions.values()] + [waiting.due for waiting in self._waiting.values()]
        return min(due) if due else None

    def here(self, token: bytes | None, now: float) -> Here | None:
        """Return who holds `token`, None when nobody does (any more). Prolongs nothing."""
        found = self._sessions.get(_key(token)) if token is not None else None
        return found if found is not None and now < found.due else None

    def waiting(self, token: bytes, now: float) -> Waiting | None:
        """Return the order of this session that waits for a second person."""
        found = self._waiting.get(_key(token))
        return found if found is not None and now < found.due and self.here(token, now) is not None else None

    def people_told(self, people: People) -> None:
        """Write what became of the list since the journal heard of it; who is not in it any more is not here any more.

        Another list, or an older copy of this one, is a question for two people: somebody who was removed may be back.
        """
        upkeep = self._desk.state.upkeep
        known, last = upkeep.people_store, upkeep.people_change
        if known != people.store or last > people.last_change:
            self._desk.write("people_list_found", {"store": people.store, "change": people.last_change, "was": known})
            if known:
                self._desk.alarm(
                    "people-replaced",
                    "The list of people is another one than before, or an older copy. Compare it with who works here.",
                )
            last = people.last_change if known == people.store else 0
        for change in people.changes:
            if change.number > last:
                body = {name: getattr(change, name) for name in ("name", "role", "by", "second", "at")}
                self._desk.write(change.what, {"store": people.store, "change": change.number, **body})
        changed = {change.name for change in people.changes if change.number > last and change.what == "pin_changed"}
        for key, here in tuple(self._sessions.items()):
            person = people.find(here.name)
            if person is None or person.role is not here.role or here.name in changed:
                self._end(key, "removed" if person is None else "changed")

    # --- orders

    def ordered(self, act: Act, token: bytes | None, now: float) -> tuple[Act, Signature]:
        """Return `act` with the roles of those who answer for it, and who they are.

        Raises `Refused` (`sign-in-needed`, `role`, `second-person-due` and what the rules refuse).
        """
        if type(act) in ENTERED_BY_DEVICES and type(act) not in ENTERED_WITHOUT_SHOE:
            raise Refused("act", f"{type(act).__name__} is reported by a device; a person cannot enter it")
        rule = rule_of(act, self._desk.state)
        here = self._used(token, now)
        if here is None or token is None:
            if rule.unsigned:
                return act, Signature(name_of(act))
            raise _nobody()
        own = self._as_own(act, here, rule)
        seconds = self._with_void(own, here.role, rule).second_of(here.role)
        if seconds:
            raise self._wait(token, here, own, seconds, now)
        return own, Signature(name_of(own), here.name, here.role.value)

    def permit(self, matter: Matter, token: bytes | None, now: float) -> None:
        """Write who answers for `matter`; raises as `ordered` does. What two people granted is good once."""
        rule, here = MATTERS[matter], self._used(token, now)
        if here is None or token is None:
            if rule.unsigned:
                return
            raise _nobody()
        self._require_role(matter, here, rule)
        signature, seconds = Signature(matter.value, here.name, here.role.value), rule.second_of(here.role)
        if seconds:
            granted, due = self._granted.pop(_key(token), (None, now))
            if granted is None or granted.what != matter.value or now >= due:
                raise self._wait(token, here, matter, seconds, now)
            signature = granted
        if not rule.unsigned:
            self._desk.write("ordered", asdict(signature))

    def see(self, matter: Matter, token: bytes | None, now: float) -> None:
        """Return if whoever holds `token` may see `matter`. A look is no order: it leaves no record and prolongs
        nothing. Raises `Refused` (`sign-in-needed`, `role`).
        """
        rule, here = MATTERS[matter], self.here(token, now)
        if rule.unsigned:
            return
        if here is None:
            raise _nobody()
        if here.role not in rule.first:
            raise _wrong_role(matter, here, rule)

    def seconded(self, token: bytes, second: Person, now: float) -> tuple[Act | None, Signature]:
        """Return the waiting order of this session as two people have it (None: it was a matter, which is granted now);
        the second has proved his name just now.

        Raises `Refused` (`second-person-late`, `second-person-same`, `second-person-role` and what the rules refuse).
        """
        here, waiting = self._used(token, now), self.waiting(token, now)
        if here is None or waiting is None:
            raise Refused(
                "second-person-late", "no order waits for a second person (any more); the first person gives it again"
            )
        if key_of(second.name) == key_of(here.name):
            raise Refused("second-person-same", f"{here.name} gave the order; another person has to confirm it")
        if second.role not in waiting.seconds:
            raise Refused(
                "second-person-role",
                f"{second.name} is {second.role.value}; {_named(waiting.seconds)} may confirm {waiting.what}",
            )
        del self._waiting[_key(token)]
        signature = Signature(waiting.what, here.name, here.role.value, second.name, second.role.value)
        if isinstance(waiting.wanted, Matter):
            self._granted[_key(token)] = (signature, now + SECOND_S)
            return None, signature
        return self._second_filled(waiting.wanted, here, second), signature

    def _second_filled(self, act: Act, here: Here, second: Person) -> Act:
        """Return `act` with its second person, who must do for what it means by now."""
        rule = self._with_void(act, here.role, rule_of(act, self._desk.state))
        seconds = rule.second_of(here.role)
        if here.role not in rule.first or (seconds and second.role not in seconds):
            raise Refused("second-person-role", f"this needs others by now: {_named(rule.first)}; give the order again")
        return _with(act, second=second.role.value)

    def _used(self, token: bytes | None, now: float) -> Here | None:
        """Return who holds `token`, who thereby is not idle."""
        here = self.here(token, now)
        if here is not None and token is not None:
            here = replace(here, idle_due=now + IDLE_S[here.role])
            self._sessions[_key(token)] = here
        return here

    def _as_own(self, act: Act, here: Here, rule: Rule) -> Act:
        """Return `act` in the role of who is signed in; nobody speaks for another."""
        self._require_role(act, here, rule)
        stated = str(getattr(act, "role", ""))
        if stated not in ("", here.role.value):
            self._denied(act, here)
            raise Refused("role", f"{here.name} is signed in as {here.role.value}, not as {quoted(stated)}")
        if getattr(act, "second", ""):
            raise Refused("second-person-same", "the second person signs, too; leave 'second' out of the order")
        return _with(act, role=here.role.value)

    def _require_role(self, wanted: Act | Matter, here: Here, rule: Rule) -> None:
        if here.role not in rule.first:
            self._denied(wanted, here)
            raise _wrong_role(wanted, here, rule)

    def _denied(self, wanted: Act | Matter, here: Here) -> None:
        self._desk.write("order_denied", {"what": name_of(wanted), "by": here.name, "role": here.role.value})

    def _with_void(self, act: Act, role: Role, rule: Rule) -> Rule:
        """Return the rule of `act` now: a void needs two. Raises what the rules refuse, before anybody waits."""
        round_ = self._desk.open_round
        if round_ is None or not isinstance(act, Event):
            return rule
        if isinstance(act, HoldCleared) and act.code not in [hold.code for hold in round_.holds]:
            return rule  # an answer that comes too late is refused, and written down, as such
        seconds = rule.second_of(role)
        trial = _with(act, second=min(each.value for each in seconds)) if seconds else act
        return with_void(rule) if voids(round_, trial) else rule

    def _wait(self, token: bytes, here: Here, wanted: Act | Matter, seconds: Roles, now: float) -> CardshoeError:
        waiting = Waiting(name_of(wanted), here.name, seconds, now + SECOND_S, wanted)
        self._waiting[_key(token)] = waiting
        return Refused(
            "second-person-due",
            f"{waiting.what} needs a second person: {_named(seconds)}, another than {here.name}, signs within"
            f" {SECOND_S:g} s; nothing is done before",
        )

    def _end(self, key: bytes, why: str) -> None:
        here = self._sessions.pop(key)
        self._waiting.pop(key, None)
        self._granted.pop(key, None)
        self._desk.write("person_signed_out", {"name": here.name, "role": here.role.value, "why": why})


def _key(token: bytes) -> bytes:
    """Return that by which a token is kept: whoever reads the table's memory holds no token."""
    return hashlib.sha256(token).digest()


def _nobody() -> Refused:
    return Refused("sign-in-needed", "nobody is signed in here (any more); sign in with name and PIN, then try again")


def _wrong_role(wanted: Act | Matter, here: Here, rule: Rule) -> Refused:
    return Refused("role", f"{here.name} is {here.role.value}; {name_of(wanted)} is for {_named(rule.first)}")


def _named(roles: Roles) -> str:
    return " or ".join(role.value for role in Role if role in roles)


def _with(act: A, **values: Any) -> A:
    """Return `act` with those of `values` that it has a field for."""
    names = {each.name for each in fields(act)}
    return replace(act, **{name: value for name, value in values.items() if name in names})
