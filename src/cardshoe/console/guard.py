"""What is refused before any route is reached, and the headers of every answer.

Owns: the host that a request must name (against names that are bound to this address by somebody else), the origin
of what changes something, the rate, the size and time of a body, and the headers that keep a page from doing anything
but what it is for. Must not know what a route does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cardshoe.console.answers import BODY_MAX, refused
from cardshoe.console.sessions import Rate
from cardshoe.errors import CardshoeError, InputError, Refused
from cardshoe.games.quoting import quoted

BODY_S: Final = 10.0
_CHANGES: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src"
    " 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """Requests a second from one address, and how many at once; a body's bytes and seconds."""

    per_s: float = 60.0
    burst: int = 240
    body_bytes: int = BODY_MAX
    body_s: float = BODY_S


class Guard:
    """Stands before `app`. `hosts` are the names, with port, by which this console is reached."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Callable[[], frozenset[str]],
        scheme: str,
        now: Callable[[], float],
        limits: Limits,
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._scheme = scheme
        self._now = now
        self._limits = limits
        self._rate = Rate(limits.per_s, limits.burst)
        self.refusals = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or refuse it."""
        if scope["type"] != "http":
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._look(scope)
            body = await self._body(scope, receive)
        except CardshoeError as error:
            self.refusals += 1
            answer = refused(error)
            answer.headers["connection"] = "close"  # what is left of the body is not read
            await answer(scope, receive, sent)
            return
        await self._app(scope, _replayed(body, receive), sent)

    def _look(self, scope: Scope) -> None:
        headers = _headers(scope)
        host = headers.get("host", "")
        if host.lower() not in self._hosts():
            raise InputError("console-host", f"this console is not called {quoted(host)}; use the address that it told")
        client = scope.get("client")
        if not self._rate.allows(client[0] if client else "", self._now()):
            raise Refused("console-rate", "too many requests at once from this address; wait a second and ask again")
        if scope["method"] in _CHANGES:
            self._look_at_origin(headers, host)

    def _look_at_origin(self, headers: MutableMapping[str, str], host: str) -> None:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin.lower() != f"{self._scheme}://{host.lower()}":
            raise Refused("console-origin", f"a page of {quoted(origin)} may not act at this table")
        if site not in (None, "same-origin", "none"):
            raise Refused("console-origin", f"a page of another origin ({quoted(site)}) may not act at this table")

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """Return the whole body. Raises `Refused` where it is too large or does not come."""
        stated = _headers(scope).get("content-length", "0")
        if not stated.isascii() or not stated.isdigit() or len(stated) > 9 or int(stated) > self._limits.body_bytes:
            raise Refused("console-body-size", f"a request of more than {self._limits.body_bytes} bytes is not taken")
        chunks: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._limits.body_s):
                more = True
                while more:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise Refused("console-slow", "the request was broken off")
                    chunk = message.get("body", b"")
                    size += len(chunk)
                    if size > self._limits.body_bytes:
                        raise Refused(
                            "console-body-size", f"a request of more than {self._limits.body_bytes} bytes is not taken"
                        )
                    chunks.append(chunk)
                    more = message.get("more_body", False)
        except TimeoutError as error:
            raise Refused("console-slow", f"the request did not come within {self._limits.body_s:g} s") from error
        return b"".join(chunks)


def _headers(scope: Scope) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = value.decode("latin-1") if key not in found else f"{found[key]}, {value.decode('latin-1')}"
    return found


def _replayed(body: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        message: dict[str, Any] = {"type": "http.request", "body": body, "more_body": False}
        return message

    return again
