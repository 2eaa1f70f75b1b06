"""Every route of the console, once, as data.

Owns the table that the server is built from and that the OpenAPI document is made of: method, path, what it is for, who
may use it, what comes in and what goes out. Must not know what a route does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from cardshoe.console.operation_forms import OPERATION

Schema = Mapping[str, Any]
_TEXT: Final[Schema] = {"type": "string"}


@dataclass(frozen=True, slots=True)
class Query:
    """One key of a query."""

    name: str
    schema: Schema
    what: str


@dataclass(frozen=True, slots=True)
class Route:
    """One route. `handler` names its function; `body` is the schema of what comes in, None for nothing.

    `signed`: it changes something, so session and token are asked for; `matter`: what the table's people are asked
    about first ("": anybody may; an operation is asked about by the table itself). `lab`: only in a simulated world.
    """

    method: str
    path: str
    handler: str
    what: str
    matter: str = ""
    body: Schema | None = None
    query: tuple[Query, ...] = ()
    media_type: str = "application/json"
    signed: bool = False
    lab: bool = False
    document: bool = True


def _object(**properties: Schema) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


_EMPTY: Final = _object()
_NAME: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 100}
_LAST: Final = Query("last", {"type": "integer", "minimum": 1, "maximum": 200}, "So many at most.")
_SEARCH: Final = (
    Query("kind", {"type": "string", "maxLength": 100}, "Only records of this kind."),
    Query("round", {"type": "integer", "minimum": 0}, "Only records of this round."),
    Query("text", {"type": "string", "maxLength": 100}, "Only records in which this text stands."),
    Query("before", {"type": "integer", "minimum": 0}, "Only records before this number: where the last answer ended."),
    _LAST,
)


@dataclass(frozen=True, slots=True)
class _Page:
    path: str
    what: str
    lab: bool = False


_PAGES: Final = (
    _Page("/dealer", "The dealer's page."),
    _Page("/floor", "The floor's page."),
    _Page("/technician", "The technician's page."),
    _Page("/auditor", "The auditor's page."),
    _Page("/surveillance", "A page that shows the table and takes nothing."),
    _Page("/demo", "The panel of a demo.", lab=True),
)

ROUTES: Final[tuple[Route, ...]] = (
    Route("GET", "/", "first", "Leads to the dealer's page.", document=False),
    *(Route("GET", page.path, "page", page.what, media_type="text/html", lab=page.lab) for page in _PAGES),
    Route("GET", "/static/{name:path}", "file", "Scripts, styles, texts.", document=False),
    Route("GET", "/health", "health", "Whether the table runs: 200, or 503 where it has stopped."),
    Route("GET", "/metrics", "metrics", "Counters for Prometheus; no card and no name.", media_type="text/plain"),
    Route("GET", "/api/openapi.json", "openapi", "This document."),
    Route("GET", "/api/session", "session", "Who this browser is, and the token that changes need; begins a session."),
    Route(
        "POST",
        "/api/sign-in",
        "sign_in",
        "Sign a person in.",
        body=_object(name=_NAME, pin=_NAME),
        signed=True,
    ),
    Route(
        "POST",
        "/api/second",
        "second",
        "Have a second person confirm what waits in this session, which does it.",
        body=_object(name=_NAME, pin=_NAME),
        signed=True,
    ),
    Route("POST", "/api/sign-out", "sign_out", "Sign out.", body=_EMPTY, signed=True),
    Route("GET", "/api/table", "facts", "What is fixed while the table is open: game, spots, choices, devices."),
    Route("GET", "/api/state", "state", "The table now."),
    Route(
        "GET", "/api/events", "events", "The table now and at each change, as events.", media_type="text/event-stream"
    ),
    Route(
        "POST",
        "/api/operations",
        "operation",
        "Do one operation at the table; answered once it is on disk.",
        body=OPERATION,
        signed=True,
    ),
    Route(
        "GET",
        "/api/rounds",
        "rounds",
        "The last rounds, rebuilt from the journal.",
        matter="see_rounds",
        query=(_LAST,),
    ),
    Route(
        "GET",
        "/api/report",
        "report",
        "What a shift came to: figures, counted out of the journal.",
        matter="read_journal",
        query=(Query("shift", {"type": "integer", "minimum": 0}, "Which, the first is 1; else the last."),),
    ),
    Route(
        "GET", "/api/journal", "search", "Records of the journal, newest first.", matter="read_journal", query=_SEARCH
    ),
    Route("POST", "/api/journal/verify", "verify", "Verify it all.", matter="verify_journal", body=_EMPTY, signed=True),
    Route(
        "POST",
        "/api/journal/replay",
        "replay",
        "Compute it all again.",
        matter="replay_journal",
        body=_EMPTY,
        signed=True,
    ),
    Route(
        "GET",
        "/api/journal/export",
        "export",
        "All records with their proofs, one JSON object a line.",
        matter="export_journal",
        media_type="application/x-ndjson",
    ),
    Route(
        "GET",
        "/api/devices",
        "devices",
        "Shoe and reader: health, identity, rates and their course.",
        matter="see_devices",
    ),
    Route(
        "GET",
        "/api/devices/trace",
        "trace",
        "What devices were asked and what they reported, newest first; no card's face.",
        matter="see_devices",
        query=(_LAST,),
    ),
    Route(
        "POST",
        "/api/devices/self-test",
        "self_test",
        "Look whether devices, journal and disk are as they should be; moves nothing.",
        matter="self_test",
        body=_EMPTY,
        signed=True,
    ),
    Route("GET", "/api/lab", "lab", "What can be made to go wrong.", lab=True),
    Route(
        "POST",
        "/api/lab/mishap",
        "mishap",
        "Make it go wrong.",
        body=_object(name=_NAME),
        matter="inject_fault",
        signed=True,
        lab=True,
    ),
    Route(
        "POST",
        "/api/lab/cure",
        "cure",
        "Do what a person does about it.",
        body=_object(name=_NAME),
        matter="inject_fault",
        signed=True,
        lab=True,
    ),
    Route("POST", "/api/lab/hands", "hands", "Move the cards that are due.", body=_EMPTY, signed=True, lab=True),
    Route(
        "POST",
        "/api/lab/robot",
        "robot",
        "Have the robot deal, or not.",
        body=_object(on={"type": "boolean"}),
        signed=True,
        lab=True,
    ),
)
"""In the order in which they are matched and documented."""
