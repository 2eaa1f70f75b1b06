"""The console as it runs: the application made of the table of routes, its sockets, its beginning and its end.

Owns what joins the rooms of the console, and uvicorn, which serves in the table's own loop and leaves the signals to
the table. An address that other machines can reach needs a certificate. Must not know what a route does.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute

from cardshoe.clock import Clock, SystemClock
from cardshoe.console.address import Address, hosts_of
from cardshoe.console.answers import refused
from cardshoe.console.connection import Connection
from cardshoe.console.feed import Feed
from cardshoe.console.gate import Gate
from cardshoe.console.guard import Guard, Limits
from cardshoe.console.journal_routes import JournalRoutes
from cardshoe.console.lab_routes import LabRoutes
from cardshoe.console.metrics import Metrics
from cardshoe.console.pages import Pages
from cardshoe.console.ports import LabPort, TablePort
from cardshoe.console.routes import ROUTES, Route
from cardshoe.console.sessions import Sessions
from cardshoe.console.table_routes import TableRoutes
from cardshoe.console.trends import EVERY_S, Trends
from cardshoe.errors import CardshoeError, ConfigError, Refused

Handler = Callable[[Request], Awaitable[Response]]
_GRACE_S: Final = 1
_IDLE_S: Final = 20
_HEAD_MAX: Final = 16 * 1024


@dataclass(frozen=True, slots=True)
class Running:
    """A console that runs. `url` is where a browser on this machine finds it."""

    url: str
    feed: Feed


class _Server(uvicorn.Server):
    """Serves beside the table, whose signals are not its own."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none: the table's end is decided by the command that runs it."""
        yield


class Console:
    """The application of one table, before it has a socket."""

    def __init__(
        self,
        table: TablePort,
        *,
        lab: LabPort | None,
        hosts: Callable[[], frozenset[str]],
        secure: bool,
        clock: Clock,
        limits: Limits,
        cookie: str = "cardshoe",
    ) -> None:
        self.metrics = Metrics(table)
        self.feed = Feed(table, self.metrics.look)
        self.trends = Trends(table)
        self._clock = clock
        self._gate = Gate(Sessions(secrets.token_bytes), table.people, now=clock.now, secure=secure, cookie=cookie)
        self._rooms: list[object] = [
            Pages(),
            TableRoutes(
                table,
                self.feed,
                self._gate,
                self.trends,
                self.metrics,
                lab=lab is not None,
                now=clock.now,
                refusals=lambda: self.guard.refusals,
            ),
            JournalRoutes(table.journal_path),
        ]
        if lab is not None:
            self._rooms.append(LabRoutes(lab, self._gate))
        routes = [self._route(each) for each in ROUTES if lab is not None or not each.lab]
        app = Starlette(routes=routes, exception_handlers={HTTPException: _no_route, CardshoeError: _error})
        app.router.redirect_slashes = False
        self.guard = Guard(app, hosts=hosts, scheme="https" if secure else "http", now=clock.now, limits=limits)

    def _route(self, route: Route) -> StarletteRoute:
        handler = self._handler(route.handler)

        async def asked(request: Request) -> Response:
            if route.signed:
                self._gate.acting(request)
            await self._gate.permit(route.matter, self._gate.session(request))
            return await handler(request)

        return StarletteRoute(route.path, asked, methods=[route.method], name=f"{route.handler} {route.path}")

    def _handler(self, name: str) -> Handler:
        found: Handler = next(getattr(room, name) for room in self._rooms if hasattr(room, name))
        return found

    async def sample(self) -> None:
        """Take samples for the trends, for ever."""
        while True:
            self.trends.sample(self._clock.now())
            await asyncio.sleep(EVERY_S)


async def _no_route(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    if status == 405:
        return refused(Refused("console-method", f"{request.method} is not for {request.url.path}"))
    return refused(Refused("console-path", f"there is nothing at {request.url.path}"))


async def _error(_request: Request, error: Exception) -> Response:
    if not isinstance(error, CardshoeError):
        raise error
    return refused(error)


@asynccontextmanager
async def open_console(
    table: TablePort,
    address: Address,
    *,
    lab: LabPort | None = None,
    clock: Clock | None = None,
    limits: Limits | None = None,
) -> AsyncIterator[Running]:
    """Serve `table` at `address` until the block ends.

    Raises `ConfigError` (`console-address`: it cannot be had; `console-tls`: the certificate cannot be used).
    """
    tls = _tls(address)
    listening = _listen(address)
    port = int(listening.getsockname()[1])
    hosts = hosts_of(address, port)
    console = Console(
        table,
        lab=lab,
        hosts=lambda: hosts,
        secure=tls is not None,
        clock=clock if clock is not None else SystemClock(),
        limits=limits if limits is not None else Limits(),
        cookie=f"cardshoe-{port}",
    )
    server = _Server(_uvicorn_config(console.guard, address))
    if tls is not None:
        server.config.load()
        server.config.ssl = tls
    console.feed.start()
    serving = [
        asyncio.get_running_loop().create_task(server.serve(sockets=[listening]), name="console"),
        asyncio.get_running_loop().create_task(console.sample(), name="console trends"),
    ]
    try:
        while not server.started and not serving[0].done():
            await asyncio.sleep(0.005)
        yield Running(f"{'https' if tls else 'http'}://{address.shown_host}:{port}/", console.feed)
    finally:
        await console.feed.stop()
        server.should_exit = True
        serving[1].cancel()
        await asyncio.gather(*serving, return_exceptions=True)
        listening.close()


def _uvicorn_config(app: Any, address: Address) -> uvicorn.Config:
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what a stranger sends is counted, not told
    return uvicorn.Config(
        app,
        host=address.host,
        port=address.port,
        http=Connection,
        ws="none",
        lifespan="off",
        loop="none",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_GRACE_S,
        h11_max_incomplete_event_size=_HEAD_MAX,
    )


def _listen(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    # The protocol is named, because asyncio switches Nagle's delay (40 ms an answer) off only where it reads it.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
        listening.listen(128)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        raise ConfigError(
            "console-address",
            f"The console cannot listen at {address.host}:{address.port}: {error.strerror}. Choose another port, or"
            " port 0 for a free one.",
        ) from error
    return listening


def _tls(address: Address) -> ssl.SSLContext | None:
    if address.certificate is None or address.key is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(Path(address.certificate), Path(address.key))
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(
            "console-tls",
            f"The console's certificate {address.certificate} with key {address.key} cannot be used: {error}.",
        ) from error
    return context
