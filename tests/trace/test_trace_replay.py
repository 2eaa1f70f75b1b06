"""A real session recorded, then played: its device's side to a driver, its host's side to another world."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from trace_kit import SHOE, frame, hello, running, write_recording

sys.path.insert(0, str(Path(__file__).parents[1] / "fronts"))

from front_table import ShoeTable

from cardshoe.cli import run
from cardshoe.cli.trace_files import read_recording
from cardshoe.cli.trace_replay import DeviceSide, HostSide
from cardshoe.errors import InputError
from cardshoe.transport import open_transport


class Hands:
    """The hands at a world's table."""

    def __init__(self, path: str) -> None:
        self._path = path

    def ask(self, **request: Any) -> dict[str, Any]:
        request.pop("device", None)
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(self._path)
            line.sendall(json.dumps(request).encode() + b"\n")
            with line.makefile() as answers:
                answer: dict[str, Any] = json.loads(answers.readline())
        assert answer["ok"], answer
        return answer


async def play(url: str, hands: Hands | None) -> None:
    """One session: a deck, a stack to 1 and one to 4."""
    table = ShoeTable(await open_transport(url))
    try:
        await table.identify()
        deck = await table.prepare()
        for to in (1, 4):
            await table.deal(hands or Nobody(), deck, 2, to)
    finally:
        table.close()


class Nobody:
    """Where a recording plays, nobody takes anything."""

    def ask(self, **request: Any) -> dict[str, Any]:
        return {"ok": True}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What passed between the product's driver and a world, by the command itself."""
    folder = tmp_path_factory.mktemp("trace")
    file, hands = folder / "a.jsonl", folder / "hands"
    sim = ["sim", "--json", "--control", str(hands), "--shoe", "tcp:127.0.0.1:0", "--seed", "5", "--speed", "100"]
    with running(*sim) as (_, ready):
        url = json.loads(ready)["shoe_url"]
        with running("trace", "record", url, str(file), "--port", f"pty:{folder / 'port'}") as (recorder, said):
            assert said.startswith(f"ready: serial://{folder / 'port'} leads to {url}")
            asyncio.run(play(f"serial://{folder / 'port'}", Hands(str(hands))))
            recorder.send_signal(signal.SIGINT)
            assert recorder.wait(timeout=20) == 130
    assert not (folder / "port").is_symlink()
    assert file.stat().st_mode & 0o777 == 0o600
    return file


def test_a_recording_tells_the_whole_session(recording: Path) -> None:
    """LINK-5.3, SHOE-4.1 to SHOE-4.8."""
    names = [one.name for one in read_recording(recording).said()]
    assert names.count("DISPENSE") == names.count("STACK_TAKEN") == 2
    assert "garbage" not in names


def test_the_devices_side_satisfies_the_driver(recording: Path, tmp_path: Path) -> None:
    """The same driver, no device: HELLO with another nonce, the same deal."""
    port = tmp_path / "port"
    with running("trace", "replay", str(recording), "--port", f"pty:{port}", "--json") as (player, said):
        assert said == f"ready: serial://{port}\n"
        asyncio.run(play(f"serial://{port}", None))
        assert player.wait(timeout=20) == 0
        assert player.stdout is not None
        assert json.loads(player.stdout.read())["same"] is True


def test_the_hosts_side_is_played_to_a_device_and_its_answers_are_compared(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the same world nothing differs up to where a hand is needed; without a hand the second stack is refused."""
    sim = [
        "sim",
        "--json",
        "--control",
        str(tmp_path / "h"),
        "--shoe",
        "tcp:127.0.0.1:0",
        "--seed",
        "5",
        "--speed",
        "100",
    ]
    with running(*sim) as (_, ready):
        url = json.loads(ready)["shoe_url"]
        assert run(["trace", "replay", str(recording), "--to", url, "--patience", "0.5"]) == 1
    out = capsys.readouterr().out
    assert "-← STACK_TAKEN command_id=2 cards=2" in out
    assert "PREPARE_DECK_REPLY" not in [line[3:].split()[0] for line in out.splitlines() if line[:1] in "+-"]


def test_a_side_is_chosen_once(recording: Path) -> None:
    assert run(["trace", "replay", str(recording)]) == 2
    assert run(["trace", "replay", str(recording), "--to", "tcp://127.0.0.1:1", "--port", "pty:x"]) == 2
    assert run(["trace", "replay", str(recording), "--port", "pigeon"]) == 2
    assert run(["trace", "replay", str(recording), "--to", "tcp://127.0.0.1:1"]) == 3


def test_what_was_not_recorded_strays_and_a_repeat_is_answered_alike(tmp_path: Path) -> None:
    """LINK-4.3."""
    ask, reply = hello()
    order = frame("DISPENSE", command_id=7, cards=2, sequence=5)
    answer = frame("DISPENSE_REPLY", command_id=7, sequence=5)
    file = write_recording(tmp_path / "a", ("out", ask), ("in", reply), ("out", order), ("in", answer))
    side = DeviceSide(read_recording(file))
    assert side.receive(ask, 0.0) == reply
    assert side.receive(frame("DISPENSE", command_id=8, cards=2), 0.0) == b""
    assert side.strayed[0].startswith("DISPENSE command_id=8")
    assert side.receive(order, 0.0) == answer
    assert side.receive(order, 0.0) == answer
    assert side.left == 0


def test_the_host_waits_for_what_was_heard_before_and_uses_the_new_session(tmp_path: Path) -> None:
    """LINK-5.3."""
    ask, reply = hello()
    order = frame("DISPENSE", command_id=7, deck_id=3)
    told = frame("DECK_VERIFIED", event_id=4, deck_id=3)
    file = write_recording(tmp_path / "a", ("out", ask), ("in", reply), ("in", told), ("out", order))
    side = HostSide(read_recording(file))
    assert side.advance(0.0) == ask
    assert side.receive(reply, 0.1) == b""
    assert not side.done
    assert side.receive(frame("DECK_VERIFIED", event_id=9, deck_id=8), 0.2) == frame(
        "DISPENSE", command_id=7, deck_id=8
    )
    assert side.done


def test_a_sealed_or_one_sided_recording_is_not_played(tmp_path: Path) -> None:
    """LINK-9: its keys are not in it."""
    ask, reply = hello()
    with pytest.raises(InputError) as refused:
        DeviceSide(read_recording(write_recording(tmp_path / "a", ("out", ask))))
    assert refused.value.code == "trace-empty"
    sealed = frame("HELLO", session=0, sequence=0, security=1, spec_hash=SHOE.hash)
    with pytest.raises(InputError) as refused:
        HostSide(read_recording(write_recording(tmp_path / "b", ("out", sealed), ("in", reply))))
    assert refused.value.code == "trace-sealed"
