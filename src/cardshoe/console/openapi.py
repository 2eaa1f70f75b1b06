"""The OpenAPI document of the console, made of the table of routes.

Owns the document's shape. Nothing in it is said twice: paths, bodies, queries and matters are those that the server is
built from. Pure.
"""

from __future__ import annotations

from typing import Any, Final

from cardshoe.console.routes import ROUTES, Route

_ERROR: Final = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "text": {"type": "string"},
                "cites": {"type": ["string", "null"]},
            },
            "required": ["code", "text", "cites"],
        }
    },
    "required": ["error"],
}
_REFUSALS: Final = {
    "400": "It cannot be read, or the console is not called so.",
    "401": "The browser has no session.",
    "403": "Wrong origin, no token, or no right.",
    "404": "There is nothing here.",
    "405": "Not by this method.",
    "408": "The request did not come in time.",
    "409": "The rules or the state of the table do not allow it; nothing changed.",
    "413": "The request is too large.",
    "429": "Too much at once.",
    "503": "The table has stopped.",
}


def document(version: str, *, lab: bool) -> dict[str, Any]:
    """Return the document of a console of this `version`; `lab`: with the routes of a demo."""
    paths: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        if route.document and (lab or not route.lab):
            paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "cardshoe console",
            "version": version,
            "description": "The table's own interface: what is shown, what may be done, what happened. Changes need a"
            " session (GET /api/session) and its token in the header x-cardshoe-token. Amounts are cents.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": "cardshoe"},
                "token": {"type": "apiKey", "in": "header", "name": "x-cardshoe-token"},
            },
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.handler if route.handler != "page" else f"page_{route.path[1:]}",
        "summary": route.what,
        "x-matter": route.matter,
        "responses": {"200": _answer(route), **{status: _refusal(what) for status, what in _REFUSALS.items()}},
    }
    if route.query:
        operation["parameters"] = [
            {"name": each.name, "in": "query", "description": each.what, "schema": dict(each.schema)}
            for each in route.query
        ]
    if route.body is not None:
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": dict(route.body)}},
        }
    if route.signed:
        operation["security"] = [{"session": [], "token": []}]
    return operation


def _answer(route: Route) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"} if route.media_type == "application/json" else {"type": "string"}
    return {"description": "Done.", "content": {route.media_type: {"schema": schema}}}


def _refusal(what: str) -> dict[str, Any]:
    return {
        "description": what,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
