"""Signing in at the console: the same people, the same refusals, over HTTP. T13, certification E4."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from people_bench import PINS, config, people_file

from cardshoe.cli.console_seat import Seat
from cardshoe.console.address import Address
from cardshoe.console.server import open_console
from cardshoe.journal import JournalReader
from cardshoe.table import persons
from cardshoe.table.app import open_table

TRIED = "918273"


class Browser:
    """One browser, its cookie and its token."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.client = httpx.AsyncClient(base_url=url, timeout=30)
        self.told: dict[str, Any] = {}
        self.texts: list[str] = []

    async def load(self) -> None:
        self.told = (await self.client.get("/api/session")).json()

    async def post(self, path: str, **body: object) -> tuple[int, str]:
        """Return the status, and the code of a refusal."""
        headers = {"x-cardshoe-token": self.told["token"], "origin": self.url}
        answer = await self.client.post(path, json=body, headers=headers)
        self.texts.append(answer.text)
        told = answer.json()
        if "token" in told:
            self.told = told
        return answer.status_code, told["error"]["code"] if "error" in told else ""

    async def get(self, path: str) -> int:
        return (await self.client.get(path)).status_code


Play = Callable[[Browser, Browser], Awaitable[None]]


def at_the_console(folder: Path, play: Play) -> None:
    """Have two browsers play at a table with Ada, Flo, Tim and Aud."""

    async def serve() -> None:
        file = people_file(folder, "Ada", "Flo", "Tim", "Aud")
        async with (
            open_table(config(), folder / "journal", people=file) as table,
            open_console(Seat(table), Address(port=0)) as running,
        ):
            one, other = Browser(running.url.rstrip("/")), Browser(running.url.rstrip("/"))
            async with one.client, other.client:
                await one.load()
                await other.load()
                await play(one, other)

    asyncio.run(serve())


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes of little work: these tests are about the way to them."""
    monkeypatch.setattr(persons, "SCRYPT_N", 16)


def test_orders_need_a_name_and_the_role(tmp_path: Path) -> None:
    """T13: nobody, the wrong person, the right one; no other browser; the author stands in the journal."""

    async def play(one: Browser, other: Browser) -> None:
        assert one.told["people"] is True
        assert await one.post("/api/operations", op="open_round") == (401, "sign-in-needed")
        assert await one.post("/api/sign-in", name="Ada", pin=TRIED) == (401, "sign-in-wrong")
        assert await one.post("/api/sign-in", name="Ada", pin=PINS["Ada"]) == (200, "")
        assert (one.told["name"], one.told["role"]) == ("Ada", "dealer")
        assert await one.post("/api/operations", op="open_round") == (200, "")
        assert await one.post("/api/operations", op="confirm") == (403, "role")
        assert await other.post("/api/operations", op="no_more_bets") == (401, "sign-in-needed")
        assert await one.get("/api/state") == 200
        assert await one.get("/api/journal") == 403
        assert await other.get("/api/journal") == 401
        assert await other.post("/api/sign-in", name="Aud", pin=PINS["Aud"]) == (200, "")
        assert await other.get("/api/journal") == 200
        assert await one.post("/api/sign-out") == (200, "")
        assert await one.post("/api/operations", op="no_more_bets") == (401, "sign-in-needed")

    at_the_console(tmp_path, play)
    with JournalReader(tmp_path / "journal") as reader:
        ordered = [(record.body["what"], record.body["by"]) for record in reader.records() if record.kind == "ordered"]
    assert ordered == [("open-round", "Ada"), ("read-journal", "Aud")]


def test_two_people_at_one_browser(tmp_path: Path) -> None:
    """T13: what waits is told to the page of the first; the second signs there, and nowhere else."""

    async def play(one: Browser, other: Browser) -> None:
        assert await one.post("/api/sign-in", name="Tim", pin=PINS["Tim"]) == (200, "")
        assert await other.post("/api/sign-in", name="Flo", pin=PINS["Flo"]) == (200, "")
        change = {"op": "change_calibration", "device": "shoe", "old": "a" * 64, "new": "b" * 64, "reason": "roller"}
        assert await one.post("/api/operations", **change) == (409, "second-person-due")
        await one.load()
        assert one.told["waiting"] == {"what": "calibration-changed", "roles": ["floor"]}
        assert await other.post("/api/second", name="Flo", pin=PINS["Flo"]) == (409, "second-person-late")
        assert await one.post("/api/second", name="Tim", pin=PINS["Tim"]) == (403, "second-person-same")
        assert await one.post("/api/second", name="Ada", pin=PINS["Ada"]) == (403, "second-person-role")
        assert await one.post("/api/second", name="Flo", pin=TRIED) == (401, "sign-in-wrong")
        assert await one.post("/api/second", name="Flo", pin=PINS["Flo"]) == (200, "")
        await one.load()
        assert one.told["waiting"] is None

    at_the_console(tmp_path, play)
    with JournalReader(tmp_path / "journal") as reader:
        [changed] = [record.body for record in reader.records() if record.kind == "calibration_changed"]
    assert changed["role"] == "technician"


def test_the_lock_holds_at_the_console_and_no_answer_repeats_a_pin(tmp_path: Path) -> None:
    """E4, T13."""

    async def play(one: Browser, other: Browser) -> None:
        for _ in range(5):
            assert await one.post("/api/sign-in", name="Ada", pin=TRIED) == (401, "sign-in-wrong")
        assert await other.post("/api/sign-in", name="Ada", pin=PINS["Ada"]) == (429, "sign-in-locked")
        for body in (
            {"name": "Ada", "pin": int(TRIED)},
            {"name": "Ada", "pin": [TRIED]},
            {"name": "Ada", "pin": TRIED * 40},
            {"name": "Ada", "pin": f"x{TRIED}"},
            {"name": "Ada"},
            {"name": "Ada", "pin": TRIED, "again": TRIED},
        ):
            assert (await one.post("/api/sign-in", **body))[0] == 400
        said = "".join([*one.texts, *other.texts])
        assert TRIED not in said
        assert PINS["Ada"] not in said

    at_the_console(tmp_path, play)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert TRIED.encode() not in kept
