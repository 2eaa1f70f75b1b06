"""JSON in, JSON out: the reading of a request's body and query, and the form of an answer and of a refusal.

Owns the HTTP status of each kind of error. Every refusal is an object `{"error": {"code", "text", "cites"}}`. No input
leads to a status of 500 or above; 503 says that the table itself has stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from starlette.responses import Response

from cardshoe.errors import CardshoeError, ConfigError, DeviceError, InputError, JournalError, Refused
from cardshoe.games.quoting import quoted

BODY_MAX: Final = 64 * 1024
_DEEPEST: Final = 16
_STATUS: Final[Mapping[str, int]] = {
    "console-host": 400,
    "console-origin": 403,
    "console-token": 403,
    "console-rights": 403,
    "console-signed-out": 401,
    "console-path": 404,
    "console-method": 405,
    "console-slow": 408,
    "console-body-size": 413,
    "console-rate": 429,
    "console-busy": 429,
    "sign-in-needed": 401,
    "sign-in-wrong": 401,
    "sign-in-locked": 429,
    "sign-in-busy": 429,
    "role": 403,
    "second-person-same": 403,
    "second-person-role": 403,
}
"""Codes whose status is not that of their class."""


def status_of(error: CardshoeError) -> int:
    """Return the HTTP status of `error`."""
    known = _STATUS.get(error.code)
    if known is not None:
        return known
    match error:
        case InputError() | ConfigError():
            return 400
        case Refused() | DeviceError():
            return 409
        case JournalError():
            return 503
        case _:
            return 503


def said(value: object, *, status: int = 200) -> Response:
    """Return `value` as a JSON answer."""
    return Response(as_json(value), status_code=status, media_type="application/json")


def as_json(value: object) -> bytes:
    """Return `value` as JSON in ASCII, so that no character of a name can be lost on the way."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()


def refusal(error: CardshoeError) -> dict[str, Any]:
    """Return the object of a refusal."""
    return {"error": {"code": error.code, "text": error.text, "cites": error.cites}}


def refused(error: CardshoeError) -> Response:
    """Return the answer that a refusal is."""
    return said(refusal(error), status=status_of(error))


def read_object(body: bytes) -> dict[str, Any]:
    """Return the object in `body`. Raises `InputError` (`console-body`) for anything else, a key twice included."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_number, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError("console-body", f"the body is no JSON that can be read: {error}") from error
    if not isinstance(value, dict):
        raise InputError("console-body", "the body is not a JSON object")
    _require_plain(value, 0)
    return value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands there twice")
    return found


def _require_plain(value: object, depth: int) -> None:
    """Refuse what cannot be written down: nesting without end, half characters."""
    if depth > _DEEPEST:
        raise InputError("console-body", f"the body is nested more than {_DEEPEST} deep")
    match value:
        case str():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError as error:
                raise InputError("console-body", "a text of the body holds half a character") from error
        case dict():
            for key, item in value.items():
                _require_plain(key, depth + 1)
                _require_plain(item, depth + 1)
        case list():
            for item in value:
                _require_plain(item, depth + 1)
        case _:
            return


def text_of(body: Mapping[str, Any], key: str, *, most: int = 200) -> str:
    """Return the text under `key`. Raises `InputError` (`console-body`)."""
    value = body.get(key)
    if not isinstance(value, str) or not 0 < len(value) <= most:
        given = "what was sent" if key == "pin" else quoted(value)  # a PIN is repeated to nobody
        raise InputError("console-body", f"{key}: {given} is no text of 1 to {most} characters")
    return value


def only(body: Mapping[str, Any], *keys: str) -> None:
    """Refuse any key that is not one of `keys`. Raises `InputError` (`console-body`)."""
    for key in body:
        if key not in keys:
            known = ", ".join(keys) if keys else "none"
            raise InputError("console-body", f"unknown key {quoted(key)}; known here: {known}")


def number_of(query: Mapping[str, str], key: str, default: int, *, least: int, most: int) -> int:
    """Return the whole number of a query. Raises `InputError` (`console-query`)."""
    text = query.get(key)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit()) or len(text) > 12 or not least <= int(text) <= most:
        raise InputError("console-query", f"{key}={quoted(text)} is no whole number of {least} to {most}")
    return int(text)


def known_query(query: Mapping[str, str], *keys: str) -> None:
    """Refuse any key of a query that is not one of `keys`. Raises `InputError` (`console-query`)."""
    for key in query:
        if key not in keys:
            known = ", ".join(keys) if keys else "none"
            raise InputError("console-query", f"unknown key {quoted(key)} in the query; known here: {known}")


Handled = Callable[[], Response]
