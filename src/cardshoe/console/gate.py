"""Who is at a browser: its session's cookie, its token, who signed in there, and what needs asking first.

Owns the way from a request to the token that the table's people know. What a person may do is decided by the table,
never here. On a bench without people nobody signs in; each operation still names the role that acts.
"""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from cardshoe.console.ports import PeoplePort
from cardshoe.console.sessions import Session, Sessions, same_token
from cardshoe.errors import Refused

TOKEN_HEADER: Final = "x-cardshoe-token"  # noqa: S105 — the name of a header


class Gate:
    """The gate of one console. `people` None: a bench where nobody signs in; `cookie` is the cookie's name."""

    def __init__(
        self, sessions: Sessions, people: PeoplePort | None, *, now: Callable[[], float], secure: bool, cookie: str
    ) -> None:
        self._sessions = sessions
        self.people = people
        self._now = now
        self._secure = secure
        self._cookie = cookie

    def session(self, request: Request) -> Session | None:
        """Return the session of a request, None where it has none that lives."""
        return self._sessions.find(self._secret(request), self._now())

    def begin(self, response: Response, *, person: bytes | None = None) -> Session:
        """Begin a session, of a signed-in person where `person` is that token; its secret goes with `response`."""
        secret, session = self._sessions.begin(self._now(), person)
        response.set_cookie(self._cookie, secret, path="/", httponly=True, samesite="strict", secure=self._secure)
        return session

    def end(self, session: Session) -> None:
        """Forget a session: what was known before a sign-in is worth nothing after it."""
        self._sessions.end(session)

    def acting(self, request: Request) -> Session:
        """Return the session that changes something. Raises `Refused` (`console-signed-out`, `console-token`)."""
        session = self.session(request)
        if session is None:
            raise Refused("console-signed-out", "this console does not know your browser any more; load the page again")
        if not same_token(session, request.headers.get(TOKEN_HEADER, "")):
            raise Refused("console-token", "the request does not come from a page of this console; load the page again")
        return session

    async def permit(self, matter: str, session: Session | None) -> None:
        """Ask the table's people whether `matter` may be done, where there are people. Raises their refusal."""
        if matter and self.people is not None:
            await self.people.permit(matter, session.person if session is not None else None)

    def told(self, session: Session) -> dict[str, Any]:
        """Return what a page knows of its session: who is signed in, what waits for a second person."""
        people = self.people
        here = people.who(session.person) if people is not None else None
        waiting = people.waiting(session.person) if people is not None else None
        return {
            "token": session.token,
            "people": people is not None,
            "name": here.name if here is not None else "",
            "role": here.role if here is not None else "",
            "waiting": None if waiting is None else {"what": waiting.what, "roles": sorted(waiting.roles)},
        }

    def _secret(self, request: Request) -> str | None:
        found: list[str] = []
        for line in request.headers.getlist("cookie"):
            try:
                jar: SimpleCookie = SimpleCookie(line)
            except CookieError:
                continue
            if self._cookie in jar:
                found.append(jar[self._cookie].value)
        return found[0] if len(found) == 1 else None  # two cookies of our name are none
