"""Field reports about ports and processes, on real ptys with the devices in a process of their own."""

from __future__ import annotations

import asyncio
import os
import selectors
import signal
import subprocess
import sys
import termios
from collections.abc import Mapping
from pathlib import Path

import pytest
from real_table import GUARD_S, config_file, deleted_ptys, devices, due, kinds, table_at, until

from cardshoe.clock import SystemClock
from cardshoe.errors import DeviceError, Refused
from cardshoe.journal import verify
from cardshoe.lab.hands import open_hands
from cardshoe.lab.playing import Playing
from cardshoe.round.events import NoMoreBetsCalled, WagerPlaced
from cardshoe.table.acts import ClearAlarm, OpenRound
from cardshoe.table.app import FLUSH_S, STOPPING_S, Table
from cardshoe.table.supervisor import Health
from cardshoe.transport import Transport, open_transport
from cardshoe.transport.serial_port import LINGER_S
from cardshoe.transport.usb_bulk import CLOSE_JOIN_S

WAGERS = {"ante": 1000, "blind": 1000}


async def bet(table: Table, positions: str = "1") -> None:
    """Open a round with wagers; the shoe begins to deal."""
    await due(table, "OpenRoundDue")
    await table.act(OpenRound({position: f"P{position}" for position in positions}))
    for position in positions:
        await table.act(WagerPlaced(position, f"P{position}", WAGERS))
    await table.act(NoMoreBetsCalled())


def test_a_second_table_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    """E30, FR-12: the message names the port and who has it; the first never notices."""

    async def both(directory: Path) -> None:
        async with table_at(directory) as first:
            with pytest.raises(DeviceError) as refused:
                async with table_at(directory, journal="other.db"):
                    pass
            assert refused.value.code == "port-busy"
            assert str(os.getpid()) in refused.value.text
            assert first.shoe is not None
            assert first.shoe.health is Health.UP
            await bet(first)
            await due(first, "TakeStack")
            assert not [kind for kind, _body in kinds(first) if kind == "device_lost"]

    with devices(tmp_path / "a") as world:
        asyncio.run(both(world.directory))


def test_an_unplugged_shoe_is_one_state_and_comes_back_under_another_name(tmp_path: Path) -> None:
    """E31, FR-01, FR-06: lost is shown with port and cause, the dead handle is closed, the same device found again."""
    here = tmp_path / "table"
    here.mkdir()

    async def cut(world, links: Path) -> None:  # type: ignore[no-untyped-def]
        async with table_at(links) as table:
            assert table.shoe is not None
            old = os.path.realpath(links / "shoe")
            await bet(table)
            await due(table, "TakeStack")
            world.kill()
            await until(lambda: not table.shown.shoe_up, "lost")
            assert "not connected" in table.shown.words
            assert str(links / "shoe") in str(table.shoe.last.error)
            await until(lambda: not deleted_ptys(), "the dead handles closed")
            keep = [os.openpty() for _ in range(3)]  # whatever comes now has another name
            world.start()
            _follow(links, world.directory)
            for pair in keep:
                os.close(pair[0])
                os.close(pair[1])
            await until(lambda: table.shown.shoe_up and table.shown.reader_up, "found again")
            assert os.path.realpath(links / "shoe") != old
            lost = [body for kind, body in kinds(table) if kind == "device_lost" and body["device"] == "shoe"]
            assert len(lost) == 1
            held = table.controller.desk.open_round
            assert held is not None
            assert held.holds  # the shoe started anew with cards inside: people look (E14)
            assert (await world.do("counters"))["stacks_dispensed"] == 1

    with devices(tmp_path / "a") as world:
        _follow(here, world.directory)
        asyncio.run(cut(world, here))


def _follow(links: Path, directory: Path) -> None:
    """Point the configured links to where the devices are now."""
    for name in ("shoe", "reader"):
        fresh = links / f"{name}.new"
        fresh.symlink_to(os.path.realpath(directory / name))
        fresh.replace(links / name)


def test_a_twin_in_the_place_of_the_shoe_is_turned_away_while_a_round_is_open(tmp_path: Path) -> None:
    """E35: an identical device with another serial gets no lease and moves nothing; two people are asked."""
    here = tmp_path / "table"
    here.mkdir()

    async def swap(world, twin) -> None:  # type: ignore[no-untyped-def]
        async with table_at(here) as table:
            assert table.shoe is not None
            await bet(table, "13")
            await due(table, "TakeStack")
            known = table.shoe.identity
            world.kill()
            _follow(here, twin.directory)
            await until(lambda: len(refusals(table)) == 2, "both twins turned away")
            held = table.controller.desk.open_round.holds  # type: ignore[union-attr]
            asked = [hold for hold in held if hold.code == "device-changed"]
            assert sorted(hold.question.split()[1] for hold in asked) == ["reader", "shoe"]
            assert {hold.clears.value for hold in asked} == {"floor and a second person"}
            assert table.shoe.identity == known
            assert table.shoe.last.error is not None
            assert table.shoe.last.error.code == "device-other-serial"
            assert [body["code"] for body in refusals(table)] == ["device-other-serial"] * 2
            assert (await twin.do("counters"))["commands_seen"] == 0
            world.start()
            _follow(here, world.directory)
            await until(lambda: table.shown.shoe_up, "the right one again")

    with devices(tmp_path / "a", seed=1) as world, devices(tmp_path / "b", seed=2) as twin:
        _follow(here, world.directory)
        asyncio.run(swap(world, twin))


def refusals(table: Table) -> list[Mapping[str, object]]:
    """What was turned away, as the journal has it."""
    return [body for kind, body in kinds(table) if kind == "device_refused"]


def test_a_pinned_serial_turns_any_other_away(tmp_path: Path) -> None:
    """E35: `serial` in the configuration, before anything is dealt."""

    async def refused(directory: Path) -> None:
        more = "serial = 'ANOTHER'\n"  # belongs to [devices.reader], the last part of the text
        with pytest.raises(DeviceError) as error:
            async with table_at(directory, more):
                pass
        assert error.value.code == "device-other-serial"
        assert "ANOTHER" in error.value.text

    with devices(tmp_path / "a") as world:
        asyncio.run(refused(world.directory))


class Counting(selectors.DefaultSelector):
    """A selector that counts the turns of its loop."""

    turns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.turns += 1
        return super().select(timeout)


def test_an_unplugged_shoe_costs_no_time_of_the_processor(tmp_path: Path) -> None:
    """S19, FR-24: over twelve attempts on a port that is gone the loop turns a few times each, it does not spin."""
    selector = Counting()
    attempts: list[str] = []

    async def counted(url: str) -> Transport:
        attempts.append(url)
        return await open_transport(url)

    async def unplugged(world) -> None:  # type: ignore[no-untyped-def]
        async with table_at(world.directory, opener=counted) as table:
            world.kill()
            await until(lambda: not table.shown.shoe_up and not table.shown.reader_up, "lost")
            before, tried = selector.turns, len(attempts)
            await asyncio.sleep(1.0)
            while len(attempts) < tried + 6:
                await asyncio.sleep(0.5)
            assert selector.turns - before < 40 * (len(attempts) - tried)

    with devices(tmp_path / "a") as world, asyncio.Runner(loop_factory=lambda: _loop(selector)) as runner:
        runner.run(unplugged(world))


def _loop(selector: selectors.BaseSelector) -> asyncio.AbstractEventLoop:
    return asyncio.SelectorEventLoop(selector)


def test_a_table_opens_no_connection_but_its_devices(tmp_path: Path) -> None:
    """S13, S20: with both devices on ptys a round is dealt without one network socket."""

    async def sockets(world) -> None:  # type: ignore[no-untyped-def]
        async with table_at(world.directory) as table:
            await bet(table)
            await due(table, "TakeStack")
            assert _network_sockets() == []

    with devices(tmp_path / "a") as world:
        asyncio.run(sockets(world))


def _network_sockets() -> list[str]:
    links = []
    for name in os.listdir("/proc/self/fd"):
        try:
            links.append(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    mine = {link.removeprefix("socket:[").removesuffix("]") for link in links if link.startswith("socket:[")}
    found = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        path = Path("/proc/self/net") / table
        if path.exists():
            rows = path.read_text().splitlines()[1:]
            found += [f"{table} {row}" for row in rows if row.split()[9] in mine]
    return found


def test_the_line_is_plain_8n1(pty_pair) -> None:  # type: ignore[no-untyped-def]
    """S22: eight bits, no parity, one stop bit, raw both ways. A pty keeps the settings; it has no real UART."""

    async def opened() -> None:
        transport = await open_transport(f"serial://{pty_pair.path}")
        _iflag, oflag, cflag, lflag, *_ = termios.tcgetattr(pty_pair.slave)
        transport.close()
        assert cflag & termios.CSIZE == termios.CS8
        assert not cflag & (termios.PARENB | termios.CSTOPB)
        assert not oflag & termios.OPOST
        assert not lflag & (termios.ICANON | termios.ECHO)

    asyncio.run(opened())


def test_a_device_that_stops_answering_is_lost_and_comes_back(tmp_path: Path) -> None:
    """FR-08, FR-42, E29: the port stays open; silence is loss, and what was queued meanwhile is not acted on."""

    async def stopped(world) -> None:  # type: ignore[no-untyped-def]
        async with table_at(world.directory) as table:
            await bet(table)
            await due(table, "TakeStack")
            world.send_signal(signal.SIGSTOP)
            await until(lambda: not table.shown.shoe_up, "silence")
            assert table.shoe is not None
            assert table.shoe.health is not Health.UP
            world.send_signal(signal.SIGCONT)
            await until(lambda: table.shown.shoe_up, "answers again")
            assert (await world.do("counters"))["stacks_dispensed"] == 1

    with devices(tmp_path / "a") as world:
        asyncio.run(stopped(world))


def test_no_device_at_the_start_is_named_and_nothing_claims_success(tmp_path: Path) -> None:
    """FR-07, FR-13: ready is said only after both have identified; without a port the start fails by name."""

    async def never() -> None:
        with pytest.raises(DeviceError) as error:
            async with table_at(tmp_path):
                raise AssertionError("a table without a shoe was opened")
        assert error.value.code == "port-missing"
        assert str(tmp_path / "shoe") in error.value.text

    asyncio.run(never())


def test_a_round_opens_the_port_once(tmp_path: Path) -> None:
    """FR-03, FR-42: opening may restart a board, so a round is dealt on one opening."""

    async def played(world) -> None:  # type: ignore[no-untyped-def]
        async with table_at(world.directory) as table:
            hands = await open_hands(world.directory / "hands")
            try:
                await Playing(table, hands, clock=SystemClock(), seed=3, speed=50.0).rounds(1)
                assert (await hands.do("counters", {}))["opens"] == 1
            finally:
                await hands.close()

    with devices(tmp_path / "a", speed=50.0) as world:
        asyncio.run(played(world))


@pytest.mark.parametrize("stack", [1, pytest.param(2, marks=pytest.mark.nightly)])
def test_a_shoe_that_drops_out_when_its_motor_starts(tmp_path: Path, stack: int) -> None:
    """FR-19, S15: neither done nor undone, flagged "on motion"."""
    faults = tmp_path / "faults.jsonl"
    faults.write_text(f'{{"kind": "usb_drop", "stack": {stack}, "for_s": 1}}\n')

    async def played(world) -> None:  # type: ignore[no-untyped-def]
        async with table_at(world.directory) as table:
            hands = await open_hands(world.directory / "hands")
            try:
                await Playing(table, hands, clock=SystemClock(), seed=3, speed=50.0).rounds(1)
                counters = await hands.do("counters", {})
            finally:
                await hands.close()
            lost = [body for kind, body in kinds(table) if kind == "device_lost" and body["device"] == "shoe"]
            if table.shown.tally.stacks_requested >= stack:
                assert [body["on_motion"] for body in lost] == [True]
                assert any("1 of them in motion" in notice for notice in table.shown.notices)
            assert counters["stacks_dispensed"] + counters["partial_stacks"] <= table.shown.tally.stacks_requested
            delivered = [(body["to"]) for kind, body in kinds(table) if kind == "stack-delivered"]
            assert len(delivered) == len(set(delivered))

    with devices(tmp_path / "a", "--faults", str(faults), speed=50.0) as world:
        asyncio.run(played(world))


def test_motion_is_stopped_when_the_table_is_closed(tmp_path: Path) -> None:
    """FR-10: closed in mid-dispense the shoe is told to stop; it does not run on until its lease is out."""

    async def closed(world) -> None:  # type: ignore[no-untyped-def]
        async with table_at(world.directory) as table:
            await bet(table)
            await until(lambda: table.controller.state.command is not None, "the command")
        async with table_at(world.directory) as again:
            await until(lambda: any("Interrupted" in str(body) for _kind, body in kinds(again)), "what became of it")
            (told,) = [body for kind, body in kinds(again) if body.get("event") == "DispenseInterrupted"]
            assert told["cause"] == "inhibit"

    with devices(tmp_path / "a", speed=1.0) as world:
        asyncio.run(closed(world))


def test_what_came_last_is_on_record_when_the_table_is_closed(tmp_path: Path) -> None:
    """S20, FR-20: an answer that came too late just before the end is written all the same; closing is no loss."""

    async def closed(directory: Path) -> list[str]:
        async with table_at(directory) as table:
            with pytest.raises(Refused):
                await table.act(ClearAlarm("shoe-mode", "floor", "too late"))
        async with table_at(directory) as again:
            return [kind for kind, _body in kinds(again)]

    with devices(tmp_path / "a") as world:
        told = asyncio.run(closed(world.directory))
    assert told.count("answer_came_late") == 1
    assert told.count("device_closed") == 2
    assert "device_lost" not in told


@pytest.mark.parametrize("stopped", [False, True], ids=["answering", "stopped"])
def test_the_end_comes_whatever_the_port_does(tmp_path: Path, stopped: bool) -> None:
    """FR-16, FR-10, FR-15: SIGTERM in mid-dispense, the device stopped: status 0, the journal closed and sound."""
    with devices(tmp_path / "a", speed=1.0) as world:
        run = subprocess.Popen(
            [sys.executable, "-m", "cardshoe", "run", "--config", str(config_file(world.directory))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert run.stdin is not None
        assert run.stdout is not None
        lines = ['{"op": "open_round", "seats": {"1": "P1"}}']
        lines.append('{"op": "wager", "position": "1", "player": "P1", "wagers": {"ante": 1000, "blind": 1000}}')
        lines.append('{"op": "no_more_bets"}')
        run.stdin.write("".join(f"{line}\n" for line in lines))
        run.stdin.flush()
        for line in run.stdout:
            if '"await_stack"' in line or "is coming" in line:
                break
        if stopped:
            world.send_signal(signal.SIGSTOP)
        run.send_signal(signal.SIGTERM)
        try:
            assert run.wait(timeout=GUARD_S) == 0
        finally:
            run.kill()
            run.wait()
            run.stdin.close()
            run.stdout.close()
        assert verify(world.directory / "table.db").ok


def test_what_the_end_waits_for_adds_up_to_less_than_five_seconds() -> None:
    """FR-16, FR-15: everything that waits for a port at the end has a bound, and their sum is within 5 s."""
    ports = 2 * max(LINGER_S, CLOSE_JOIN_S)
    assert STOPPING_S + FLUSH_S + ports < 5.0


def test_a_killed_table_starts_again_at_once(tmp_path: Path) -> None:
    """FR-22, promise P1: kill -9 in mid-round, three times: port and journal are free, no stack comes twice."""

    async def again(world) -> int:  # type: ignore[no-untyped-def]
        async with table_at(world.directory) as table:
            await until(lambda: table.shown.shoe_up, "the shoe")
            return len([1 for kind, _ in kinds(table) if kind == "stack-requested"])

    with devices(tmp_path / "a") as world:
        for _ in range(3):
            run = subprocess.Popen(
                [sys.executable, "-m", "cardshoe", "run", "--config", str(config_file(world.directory))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert run.stdin is not None
            assert run.stdout is not None
            run.stdin.write('{"op": "open_round", "seats": {"1": "P1"}}\n')
            run.stdin.write(
                '{"op": "wager", "position": "1", "player": "P1", "wagers": {"ante": 1000, "blind": 1000}}\n'
            )
            run.stdin.write('{"op": "no_more_bets"}\n')
            run.stdin.flush()
            for line in run.stdout:
                if "take_stack" in line:
                    break
            run.kill()
            run.wait()
            run.stdin.close()
            run.stdout.close()
        assert asyncio.run(again(world)) == 1


def test_two_devices_of_one_kind_are_told_apart(tmp_path: Path) -> None:
    """E35, FR-40: shoe and reader swapped on their ports: named, and neither is adopted."""

    async def swapped(directory: Path) -> None:
        with pytest.raises(DeviceError) as error:
            async with table_at(directory):
                pass
        assert error.value.code == "device-other-kind"

    with devices(tmp_path / "a") as world:
        here = tmp_path / "swapped"
        here.mkdir()
        (here / "shoe").symlink_to(os.path.realpath(world.directory / "reader"))
        (here / "reader").symlink_to(os.path.realpath(world.directory / "shoe"))
        asyncio.run(swapped(here))
