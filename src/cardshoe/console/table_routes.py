"""What the routes of the table, its devices and its people do.

Owns the handlers; which there are stands in `routes`. Every change goes through the table's port, which decides.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

import cardshoe
from cardshoe.console.answers import as_json, known_query, only, read_object, said, text_of
from cardshoe.console.facts import table_facts
from cardshoe.console.feed import Feed
from cardshoe.console.gate import Gate
from cardshoe.console.metrics import CONTENT_TYPE, Metrics
from cardshoe.console.openapi import document
from cardshoe.console.ports import PeoplePort, TablePort
from cardshoe.console.self_test import self_test
from cardshoe.console.sessions import Session
from cardshoe.console.trends import Trends
from cardshoe.errors import Refused


class TableRoutes:
    """The routes of `table`. `refusals` tells how many requests were refused before a route."""

    def __init__(
        self,
        table: TablePort,
        feed: Feed,
        gate: Gate,
        trends: Trends,
        metrics: Metrics,
        *,
        lab: bool,
        now: Callable[[], float],
        refusals: Callable[[], int],
    ) -> None:
        self._table = table
        self._feed = feed
        self._gate = gate
        self._trends = trends
        self._metrics = metrics
        self._lab = lab
        self._now = now
        self._refusals = refusals

    async def health(self, request: Request) -> Response:
        """Answer whether the table runs."""
        known_query(request.query_params)
        failure = self._table.failure
        told: dict[str, Any] = {
            "ok": failure is None,
            "table": self._table.config.table.name,
            "version": cardshoe.__version__,
            "shoe": self._table.shown.shoe_up,
            "reader": self._table.shown.reader_up,
            "stopped": None if failure is None else failure.code,
        }
        return said(told, status=200 if failure is None else 503)

    async def metrics(self, request: Request) -> Response:
        """Answer the counters."""
        known_query(request.query_params)
        text = self._metrics.exposition(listeners=self._feed.listeners, refusals=self._refusals())
        return Response(text, headers={"content-type": CONTENT_TYPE})

    async def openapi(self, request: Request) -> Response:
        """Answer the document of this interface."""
        known_query(request.query_params)
        return said(document(cardshoe.__version__, lab=self._lab))

    async def facts(self, request: Request) -> Response:
        """Answer what is fixed while the table is open."""
        known_query(request.query_params)
        return said(table_facts(self._table.config, lab=self._lab, people=self._table.people is not None))

    async def state(self, request: Request) -> Response:
        """Answer the table now."""
        known_query(request.query_params)
        return Response(self._feed.latest, media_type="application/json")

    async def events(self, request: Request) -> Response:
        """Answer the table now and at each change."""
        known_query(request.query_params)
        return StreamingResponse(self._feed.events(), media_type="text/event-stream")

    async def devices(self, request: Request) -> Response:
        """Answer the devices' health and how the counters went."""
        known_query(request.query_params)
        shown = self._table.shown
        return said(
            {
                "devices": [dataclasses.asdict(each) for each in self._table.devices()],
                "deck": shown.deck,
                "notices": list(shown.notices),
                "rates": dict(self._table.rates()),
                "trends": self._trends.plain(self._now()),
            }
        )

    async def self_test(self, request: Request) -> Response:
        """Look whether devices, journal and disk are as they should be."""
        only(read_object(await request.body()))
        return said({"checks": [dataclasses.asdict(each) for each in self_test(self._table)]})

    async def operation(self, request: Request) -> Response:
        """Do one operation; answered once it is on disk, with the number of the state that shows it."""
        session = self._gate.acting(request)
        number = await self._table.give(read_object(await request.body()), session.person)
        await self._feed.refresh()
        return said({"accepted": True, "number": number, "sequence": self._feed.sequence})

    # --- people

    async def session(self, request: Request) -> Response:
        """Answer who this browser is; one that is not known gets a session."""
        known_query(request.query_params)
        session = self._gate.session(request)
        return said(self._gate.told(session)) if session is not None else self._begun(None)

    async def sign_in(self, request: Request) -> Response:
        """Sign a person in, into a session that nobody knew before."""
        session, people = self._gate.acting(request), self._people()
        body = read_object(await request.body())
        only(body, "name", "pin")
        person = await people.sign_in(text_of(body, "name", most=100), text_of(body, "pin", most=100))
        if session.person is not None:
            await people.sign_out(session.person)
        return self._anew(session, person)

    async def second(self, request: Request) -> Response:
        """Have a second person confirm what waits."""
        session, people = self._gate.acting(request), self._people()
        body = read_object(await request.body())
        only(body, "name", "pin")
        if session.person is None:
            raise Refused("console-signed-out", "nobody is signed in here who could wait for a second person")
        await people.second(session.person, text_of(body, "name", most=100), text_of(body, "pin", most=100))
        await self._feed.refresh()
        return said(self._gate.told(session))

    async def sign_out(self, request: Request) -> Response:
        """Sign out whoever is signed in here."""
        session, people = self._gate.acting(request), self._people()
        only(read_object(await request.body()))
        if session.person is not None:
            await people.sign_out(session.person)
        return self._anew(session, None)

    def _people(self) -> PeoplePort:
        if self._table.people is None:
            raise Refused("console-no-people", "nobody signs in at this bench; it has no people")
        return self._table.people

    def _anew(self, old: Session, person: bytes | None) -> Response:
        """Give the browser a new session in place of its old one, and answer who it is now."""
        self._gate.end(old)
        return self._begun(person)

    def _begun(self, person: bytes | None) -> Response:
        answer = Response(media_type="application/json")
        answer.body = as_json(self._gate.told(self._gate.begin(answer, person=person)))
        answer.headers["content-length"] = str(len(answer.body))
        return answer
