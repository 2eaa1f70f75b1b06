"""The client of a world's control socket, against a socket that behaves badly."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from cardshoe.errors import DeviceError, Refused
from cardshoe.lab import hands as module
from cardshoe.lab.eyes import sight
from cardshoe.lab.hands import open_hands

Server = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _served(path: Path, server: Server) -> asyncio.AbstractServer:
    return await asyncio.start_unix_server(server, path)


def _answering(*answers: object) -> Server:
    given = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while given and await reader.readline():
            answer = given.pop(0)
            if answer is None:
                break
            writer.write((answer if isinstance(answer, bytes) else json.dumps(answer).encode()) + b"\n")
            await writer.drain()
        writer.close()

    return serve


def _run(path: Path, server: Server, use: Callable[[module.Hands], Awaitable[None]]) -> None:
    async def main() -> None:
        async with await _served(path, server):
            hands = await open_hands(path)
            try:
                await use(hands)
            finally:
                await hands.close()

    asyncio.run(main())


def test_a_request_is_answered(tmp_path: Path) -> None:
    async def use(hands: module.Hands) -> None:
        assert (await hands.do("take_stack", {"to": "1"}))["cards"] == 2

    _run(tmp_path / "s", _answering({"ok": True, "cards": 2}), use)


def test_what_the_world_cannot_do_is_refused_in_its_words(tmp_path: Path) -> None:
    async def use(hands: module.Hands) -> None:
        with pytest.raises(Refused, match="burn: the dealer holds 0 cards") as caught:
            await hands.do("burn", {})
        assert caught.value.code == "hands-refused"

    _run(tmp_path / "s", _answering({"ok": False, "text": "the dealer holds 0 cards"}), use)


@pytest.mark.parametrize("broken", [None, b"no json", b"[1]", b"\xff"])
def test_an_act_on_which_the_world_went_away_is_not_repeated(tmp_path: Path, broken: bytes | None) -> None:
    """P1 holds for hands, too: whether the stack was taken is looked at, not tried again."""

    async def use(hands: module.Hands) -> None:
        with pytest.raises(Refused, match="look again"):
            await hands.do("take_stack", {"to": "1"})
        assert (await hands.do("look", {}))["ok"]

    _run(tmp_path / "s", _answering(broken, {"ok": True}), use)


def test_a_world_that_stays_away_is_a_lost_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMES_BACK_S", 0.2)

    async def main() -> None:
        server = await _served(tmp_path / "s", _answering({"ok": True}, None))
        hands = await open_hands(tmp_path / "s")
        await hands.do("look", {})
        server.close()
        await server.wait_closed()
        (tmp_path / "s").unlink(missing_ok=True)
        with pytest.raises(DeviceError, match="is gone") as caught:
            await hands.do("look", {})
        assert caught.value.code == "hands-lost"
        await hands.close()

    asyncio.run(main())


def test_no_world_at_all(tmp_path: Path) -> None:
    with pytest.raises(DeviceError, match="No world answers") as caught:
        asyncio.run(open_hands(tmp_path / "nothing"))
    assert caught.value.code == "hands-missing"


def test_a_look_that_is_none_of_ours() -> None:
    with pytest.raises(DeviceError, match="none of ours") as caught:
        sight({"ok": True})
    assert caught.value.code == "hands-lost"
