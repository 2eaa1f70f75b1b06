"""Support: a console on a real table in a thread of its own, and a browser's manners without a browser. Not a test."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from cardshoe.cli.console_seat import Seat
from cardshoe.console.address import Address
from cardshoe.console.guard import Limits
from cardshoe.console.server import open_console
from cardshoe.errors import CardshoeError
from cardshoe.table.app import Table, open_table
from cardshoe.table.config import parse_config

BY_HAND = """
[table]
name = "T9"
mode = "bench"
game = "{game}"
method = "hand"
journal = "journal"
"""
OPEN = Limits(per_s=1e9, burst=10**9)
ULTIMATE = "ultimate-texas-holdem"


@dataclass
class Served:
    """A console that runs. `table` belongs to the thread's loop: look at it, or `do` something there."""

    url: str
    table: Table
    loop: asyncio.AbstractEventLoop
    journal: Path

    def do(self, work: Callable[[], Any]) -> Any:
        """Run `work` on the table's loop; return what it returns."""
        done = threading.Event()
        found: list[Any] = []

        def run() -> None:
            found.append(work())
            done.set()

        self.loop.call_soon_threadsafe(run)
        assert done.wait(10)
        return found[0]


@contextmanager
def served(
    folder: Path, *, game: str = ULTIMATE, limits: Limits = OPEN, address: Address | None = None
) -> Iterator[Served]:
    """Serve a table that is dealt by hand, so that every step of it can be said over HTTP."""
    config = parse_config(BY_HAND.format(game=game), "test.toml")
    ready: threading.Event = threading.Event()
    found: list[Served] = []
    ends: list[asyncio.Event] = []

    async def main() -> None:
        journal = folder / "journal"
        loop = asyncio.get_running_loop()
        async with (
            open_table(config, journal) as table,
            open_console(Seat(table), address if address is not None else Address(port=0), limits=limits) as running,
        ):
            ends.append(asyncio.Event())
            found.append(Served(running.url.rstrip("/"), table, loop, journal))
            ready.set()
            await ends[0].wait()

    failed: list[CardshoeError] = []

    def run() -> None:
        try:
            asyncio.run(main())
        except CardshoeError as trouble:
            failed.append(trouble)
            ready.set()

    thread = threading.Thread(target=run, name="table and console")
    thread.start()
    try:
        assert ready.wait(20)
        if failed:
            raise failed[0]
        yield found[0]
    finally:
        if found:
            found[0].loop.call_soon_threadsafe(ends[0].set)
        thread.join(20)
        assert not thread.is_alive()


@dataclass
class Browser:
    """One browser's session with a console."""

    url: str
    client: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=20))
    token: str = ""

    def __enter__(self) -> Browser:
        self.token = self.get("/api/session").json()["token"]
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.client.get(self.url + path, **more)

    def post(self, path: str, body: object = None, **more: Any) -> httpx.Response:
        headers = {"x-cardshoe-token": self.token, "origin": self.url, **more.pop("headers", {})}
        return self.client.post(self.url + path, json={} if body is None else body, headers=headers, **more)

    def op(self, op: str, **fields: object) -> httpx.Response:
        return self.post("/api/operations", {"op": op, **fields})

    def must(self, op: str, **fields: object) -> dict[str, Any]:
        answer = self.op(op, **fields)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    @property
    def state(self) -> dict[str, Any]:
        return dict(self.get("/api/state").json())


def error(answer: httpx.Response) -> str:
    """Return the code of a refusal, which is JSON with code, text and cites."""
    told = answer.json()["error"]
    assert set(told) == {"code", "text", "cites"}
    assert told["text"]
    return str(told["code"])


def play_round(browser: Browser) -> list[dict[str, Any]]:
    """Play one round of Ultimate Texas hold 'em by hand, two players, over HTTP alone; return the states it saw."""
    left, seen = list(FACES), []
    browser.must("open_round", seats={"1": "Ada", "4": "Bob"})
    browser.must("wager", position="1", player="Ada", wagers={"ante": 500, "blind": 500, "trips": 500})
    browser.must("wager", position="4", player="Bob", wagers={"ante": 1000, "blind": 1000})
    browser.must("no_more_bets")
    for _ in range(400):
        seen.append(browser.state)
        due = seen[-1]["due"]
        match due["step"]:
            case "deal_card":
                browser.must("card", to=due["to"])
            case "ask_decision":
                browser.must("decide", position=due["positions"][0], action=due["choices"][-1])
            case "burn_cards":
                browser.must("burn", cards=due["cards"])
            case "deal_community":
                browser.must("board", cards=due["cards"])
            case "turn_dealer":
                browser.must("reveal_dealer")
            case "read_faces":
                browser.must("turned", place=due["place"], card=left.pop(0))
            case "settle_hand":
                browser.must("settle", position=due["position"])
            case "collect_hand":
                browser.must("collect", position=due["position"])
            case "remove_stub":
                browser.must("remove_stub")
            case "complete_round":
                if seen[-1]["declared"]:
                    browser.must("confirm", role="floor")
                browser.must("complete")
            case _:
                return seen
    raise AssertionError(browser.state)


FACES = ["2c", "7d", "9h", "Ts", "Jc", "Qh", "Qd", "As", "Kd", "3c", "3d"]
