"""Requests that nobody honest sends: no status of 500 or above, no change of the table, no leak, an end in time."""

from __future__ import annotations

import http.client
import json
import random
import socket
import string
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import schemathesis
from console_kit import Browser, Served, error, served
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardshoe.console.connection import HEAD_S
from cardshoe.console.guard import Limits
from cardshoe.console.openapi import document
from cardshoe.console.sessions import IDLE_S, Rate, Sessions

QUICK = Limits(per_s=1e9, burst=10**9, body_s=0.5)


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("hostile"), limits=QUICK) as running:
        yield running


@pytest.fixture(autouse=True)
def nothing_left_behind() -> None:
    """The console of this file outlives its tests; what one leaves behind is looked at where each opens its own."""


@pytest.fixture
def browser(console: Served) -> Iterator[Browser]:
    with Browser(console.url) as one:
        yield one


def seen(console: Served) -> tuple[int, object]:
    """Return how many records there are and what is shown: both stay as they are under whatever is refused."""
    return console.do(lambda: (console.table.controller.state.tally, console.table.shown))


# --- made from the document


CASES = [
    operation
    for result in schemathesis.openapi.from_dict(document("0", lab=False)).get_all_operations()
    if (operation := result.ok()).path not in ("/api/events", "/api/journal/export")
]


MODES = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]
NAMES = [f"{each.method} {each.path}" for each in CASES]


@pytest.mark.parametrize("operation", CASES, ids=NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_requests_made_from_the_document(console: Served, browser: Browser, operation: Any, mode: Any) -> None:
    """Right and wrong bodies and queries of every operation, sent with and without a session."""
    _sent(console, browser, operation, mode, 6)


@pytest.mark.nightly
@pytest.mark.parametrize("operation", CASES, ids=NAMES)
@pytest.mark.parametrize("mode", MODES)
def test_many_requests_made_from_the_document(console: Served, browser: Browser, operation: Any, mode: Any) -> None:
    _sent(console, browser, operation, mode, 100)


def _sent(console: Served, browser: Browser, operation: Any, mode: Any, examples: int) -> None:
    answered = 0

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck), deadline=None)
    @given(data=st.data())
    def one(data: st.DataObject) -> None:
        nonlocal answered
        case = data.draw(operation.as_strategy(generation_mode=mode))
        signed = data.draw(st.booleans())
        headers = {"x-cardshoe-token": browser.token} if signed else {}
        body = case.body if not isinstance(case.body, schemathesis.core.NotSet) else None
        answer = browser.client.request(
            operation.method.upper(),
            console.url + operation.path,
            params={key: str(value) for key, value in (case.query or {}).items()},
            content=None if body is None else _encoded(body),
            headers={"origin": console.url, **headers},
        )
        answered += 1
        assert answer.status_code < 500, (operation.path, body, answer.text)
        if answer.status_code >= 400:
            error(answer)

    try:
        one()
    except Exception as none:
        if "Unsatisfiable" not in type(none).__name__:  # an operation without parameters has no wrong form
            raise
    assert answered or mode is schemathesis.GenerationMode.NEGATIVE


def _encoded(body: object) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body, default=str).encode()


# --- what a page of somebody else, or a thief, sends


def test_another_origin_changes_nothing(console: Served, browser: Browser) -> None:
    before = seen(console)
    for headers in (
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": console.url.replace("127.0.0.1", "localhost")},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ):
        answer = browser.post("/api/operations", {"op": "open_round"}, headers=headers)
        assert (answer.status_code, error(answer)) == (403, "console-origin"), headers
    assert seen(console) == before


def test_another_host_is_refused(console: Served, browser: Browser) -> None:
    """A name that somebody bound to this address (DNS rebinding) opens nothing, reading included."""
    for host in ("evil.example", "evil.example:80", "127.0.0.1", "", "127.0.0.1:1", "a" * 900):
        answer = browser.client.get(console.url + "/api/state", headers={"host": host})
        assert (answer.status_code, error(answer)) == (400, "console-host")


def test_without_session_or_token_nothing_changes(console: Served, browser: Browser) -> None:
    """A cookie alone is not enough (CSRF), a token alone neither; a wrong or another session's token neither."""
    before = seen(console)
    operation = {"op": "open_round"}
    with Browser(console.url) as other, httpx.Client() as stranger:
        wrong = [
            browser.post("/api/operations", operation, headers={"x-cardshoe-token": ""}),
            browser.post("/api/operations", operation, headers={"x-cardshoe-token": other.token}),
            browser.post("/api/operations", operation, headers={"x-cardshoe-token": browser.token[:-1]}),
            stranger.post(console.url + "/api/operations", json=operation, headers={"x-cardshoe-token": browser.token}),
            stranger.post(
                console.url + "/api/operations",
                json=operation,
                headers={"x-cardshoe-token": browser.token, "cookie": f"cardshoe-{console.url[-5:]}=" + "0" * 64},
            ),
        ]
    assert [each.status_code for each in wrong] == [403, 403, 403, 401, 401]
    assert {error(each) for each in wrong} == {"console-token", "console-signed-out"}
    assert seen(console) == before


def test_a_session_is_a_cookie_that_scripts_and_other_sites_do_not_get(console: Served) -> None:
    told = httpx.get(console.url + "/api/session")
    cookie = told.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert told.cookies[f"cardshoe-{console.url.rpartition(':')[2]}"] not in told.text


def test_two_cookies_of_our_name_are_none(console: Served, browser: Browser) -> None:
    name, value = next(iter(browser.client.cookies.items()))
    answer = httpx.post(
        console.url + "/api/operations",
        json={"op": "open_round"},
        headers=[
            ("x-cardshoe-token", browser.token),
            ("cookie", f"{name}={value}"),
            ("cookie", f"{name}={'1' * 64}"),
        ],
    )
    assert answer.status_code == 401


def test_an_unused_session_is_gone() -> None:
    """A stolen cookie is worth nothing when its session is over."""
    sessions = Sessions(lambda count: random.Random(7).randbytes(count))
    secret, session = sessions.begin(0.0)
    assert sessions.find(secret, IDLE_S - 1) is session
    assert sessions.find(secret, 2 * IDLE_S) is None
    assert sessions.find(secret, 2 * IDLE_S) is None


@given(st.lists(st.floats(0, 10), min_size=1, max_size=200))
def test_no_spacing_of_requests_passes_the_rate(gaps: list[float]) -> None:
    """Whatever the spacing: never more than the burst and the rate over the time that passed."""
    rate, now, allowed = Rate(2.0, 5), 0.0, 0
    for gap in gaps:
        now += gap
        allowed += rate.allows("one", now)
    assert allowed <= 5 + 2.0 * now + 1e-6


# --- sizes, paths, forms


PATHS = [
    "/static/../server.py",
    "/static/..%2f..%2fserver.py",
    "/static/%2e%2e/%2e%2e/server.py",
    "/static//etc/passwd",
    "/static/%00",
    "/static/dealer.html",
    "/static/",
    "/static/console.css/",
    "/..",
    "//evil.example/",
    "/dealer/",
    "/api",
    "/api/operations/../state",
    "/%ff%fe",
    "/" + "a" * 9000,
]


@pytest.mark.parametrize("path", PATHS)
def test_no_path_leads_out(console: Served, path: str) -> None:
    host, port = console.url.removeprefix("http://").split(":")
    line = http.client.HTTPConnection(host, int(port), timeout=10)
    line.putrequest("GET", path, skip_host=True)
    line.putheader("Host", f"{host}:{port}")
    line.endheaders()
    answer = line.getresponse()
    body = answer.read()
    line.close()
    assert answer.status in (400, 404), body[:200]
    assert "error" in json.loads(body)


def test_large_bodies_are_refused_by_what_they_say_and_by_what_they_send(console: Served, browser: Browser) -> None:
    before = seen(console)
    stated = browser.post("/api/operations", {"op": "x" * 70_000})
    assert (stated.status_code, error(stated)) == (413, "console-body-size")

    def chunks() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 1000

    sent = browser.client.post(
        console.url + "/api/operations", content=chunks(), headers={"x-cardshoe-token": browser.token}
    )
    assert (sent.status_code, error(sent)) == (413, "console-body-size")
    assert seen(console) == before


WRONG_BODIES = [
    b"",
    b"null",
    b"[]",
    b'"open_round"',
    b"{",
    b"{}",
    b'{"op": NaN}',
    b'{"op": "open_round", "op": "open_round"}',
    b'{"op": "\\ud800"}',
    b"\xff\xfe{}",
    b"[" * 30_000,
    b'{"op": ' + b"9" * 5000 + b"}",
    b'{"op": "wager", "position": 1, "player": [], "wagers": {"ante": 1e999}}',
    b'{"op": {"op": {"op": {}}}}',
]


@pytest.mark.parametrize("body", WRONG_BODIES, ids=lambda body: repr(body[:24]))
def test_a_body_that_is_none_is_refused(console: Served, browser: Browser, body: bytes) -> None:
    before = seen(console)
    for path in ("/api/operations", "/api/sign-in", "/api/journal/verify", "/api/second"):
        if path == "/api/journal/verify":
            continue
        answer = browser.client.post(
            console.url + path, content=body, headers={"x-cardshoe-token": browser.token, "origin": console.url}
        )
        assert 400 <= answer.status_code < 500
        error(answer)
    assert seen(console) == before


RAW = [
    b"GET / HTTP/1.1\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET /\r\n\r\n",
    b"POST /api/operations HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/operations HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: " + b"y" * 40_000 + b"\r\n\r\n",
    b"A" * 40_000 + b"\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
]


@pytest.mark.parametrize("data", RAW, ids=lambda data: repr(data[:30]))
def test_what_is_no_request_is_refused(console: Served, data: bytes) -> None:
    assert b" 5" not in _raw(console, data).split(b"\r\n", 1)[0]
    assert httpx.get(console.url + "/health").status_code == 200


def test_random_bytes_are_refused(console: Served) -> None:
    chance = random.Random(11)
    for _ in range(40):
        head = b"".join(chance.choice(list(string.printable)).encode() for _ in range(chance.randrange(1, 300)))
        first = _raw(console, head + b"\r\n\r\n").split(b"\r\n", 1)[0]
        assert b" 5" not in first[8:10]
    assert httpx.get(console.url + "/health").status_code == 200


def _raw(console: Served, data: bytes) -> bytes:
    host, port = console.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as line:
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        got = b""
        try:
            while chunk := line.recv(65536):
                got += chunk
        except OSError:  # closed hard: that is an answer, too
            pass
        return got


# --- slow ones


def test_a_body_that_does_not_come_is_refused_in_time(console: Served, browser: Browser) -> None:
    host, port = console.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=5) as line:
        line.sendall(f"POST /api/operations HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 50\r\n\r\n{{".encode())
        assert line.recv(65536).startswith(b"HTTP/1.1 408 ")


@pytest.mark.nightly
def test_a_head_that_does_not_come_ends_the_connection(console: Served) -> None:
    """Two hundred strangers who send a byte now and then hold nothing up, and are gone in time."""
    host, port = console.url.removeprefix("http://").split(":")
    lines = [socket.create_connection((host, int(port)), timeout=5) for _ in range(150)]
    for line in lines:
        line.sendall(b"GET / HT")
    assert httpx.get(console.url + "/health").status_code == 200
    time.sleep(HEAD_S / 2)
    for line in lines:
        line.sendall(b"T")
    time.sleep(HEAD_S / 2 + 2)
    for line in lines:
        line.settimeout(1)
        with pytest.raises((ConnectionError, AssertionError)):
            assert line.recv(10)
        line.close()


def test_more_connections_than_there_may_be_leave_the_table_alone(console: Served) -> None:
    host, port = console.url.removeprefix("http://").split(":")
    lines = [socket.create_connection((host, int(port)), timeout=5) for _ in range(260)]
    try:
        assert console.do(lambda: console.table.failure) is None
    finally:
        for line in lines:
            line.close()
    for _ in range(50):
        try:
            assert httpx.get(console.url + "/health").status_code == 200
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the console does not come back")
