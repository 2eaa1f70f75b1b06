"""What only much of it shows: a working day of rounds, and a hundred million bytes that nobody should send.

`pytest tests/simulation/test_long_figures.py -m nightly -s` prints the figures; the ordinary run takes a small part.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.journal import Journal
from cardshoe.lab.simulation.checker import Checker
from cardshoe.lab.simulation.commitments import AUDITOR
from cardshoe.lab.simulation.people import SimulatedPlay
from cardshoe.lab.simulation.runs import SPEED, config_of
from cardshoe.lab.simulation.stack import SimulatedTable
from cardshoe.lab.simulation.watched import WatchedWorld
from cardshoe.lab.virtual import VirtualTable
from cardshoe.lab.virtual_play import VirtualPlay
from cardshoe.sim.wire import Deframer as DeviceDeframer
from cardshoe.sim.world import World
from cardshoe.wire.framing import Deframer

GAME = "ultimate-texas-holdem"
PIECE = 1 << 14
A_HUNDRED_MILLION = 100_000_000


def _rss_kib() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


# --- a working day


class Day(SimulatedTable):
    """Every entry goes into a real journal as well, and is waited for at the end of each round."""

    journal: Journal | None = None

    def _keep(self, entries: Any) -> None:
        super()._keep(entries)
        if self.journal is not None and entries:
            committed = self.journal.append(entries)
            if any(each.kind == "settled" for each in entries):
                committed.result()


def _a_day(rounds: int, *, speed: float, directory: Path, every: int) -> tuple[list[int], float]:
    """Play `rounds`; return the resident memory in KiB after each `every` of them, and the virtual seconds."""
    world = WatchedWorld(seed=8, speed=speed, auditor=AUDITOR)
    table = Day(config_of(GAME), world, watcher=Checker(world), troubles=(), seed=8)
    play = SimulatedPlay(table, seed=8, speed=speed)
    taken: list[int] = []
    with Journal.open(directory / "day.db", program="test") as journal:
        table.journal = journal
        for done in range(every, rounds + 1, every):
            assert play.go_on(done) == ""
            taken.append(_rss_kib())
    assert table.shown.tally.completed == rounds
    return taken, table.now


def test_a_few_minutes_of_a_working_day(tmp_path: Path) -> None:
    """P2, P5: the whole stack with a real journal beside it, at the speed at which a table is played."""
    _taken, passed_s = _a_day(8, speed=6.5, directory=tmp_path, every=8)
    assert passed_s > 8 * 5


@pytest.mark.nightly
@pytest.mark.timeout(7200)
def test_memory_stays_flat_over_a_working_day(tmp_path: Path) -> None:
    """1,920 rounds in 8 virtual hours: resident memory drifts by less than 2 % after the first hour."""
    taken, passed_s = _a_day(1920, speed=6.5, directory=tmp_path, every=240)
    drift = (taken[-1] - taken[0]) / taken[0]
    print(
        f"1920 rounds in {passed_s / 3600:.2f} virtual hours: resident {taken} KiB each 240 rounds, drift {drift:+.2%}"
    )
    assert passed_s <= 8 * 3600
    assert abs(drift) < 0.02


# --- bytes that nobody should send


def _recorded() -> tuple[list[bytes], list[bytes]]:
    """Return what host and shoe say to each other in three rounds."""
    out: list[bytes] = []
    back: list[bytes] = []

    class Recorded(VirtualTable):
        def _say(self, line: Any, data: bytes) -> None:
            if line.port == "shoe":
                out.append(data)
            super()._say(line, data)

        def _hear(self, line: Any, data: bytes) -> None:
            if line.port == "shoe":
                back.append(data)
            super()._hear(line, data)

    table = Recorded(config_of(GAME), World(seed=4, speed=SPEED), seed=4)
    VirtualPlay(table, seed=4, speed=SPEED).rounds(3)
    return out, back


def _fuzz(total: int, corpus: list[bytes], seed: int) -> Iterator[bytes]:
    """Give `total` bytes in pieces: noise, frames that were changed, frames of another time as they were."""
    dice = random.Random(seed)
    given = 0
    while given < total:
        piece = bytearray()
        noise = dice.random() < 0.5
        while len(piece) < PIECE:
            if noise:
                piece += dice.randbytes(2000)
            else:
                piece += _spoilt(dice, bytearray(dice.choice(corpus)))
        given += len(piece)
        yield bytes(piece)


def _spoilt(dice: random.Random, frame: bytearray) -> bytes:
    match dice.randrange(6):
        case 0:
            frame[dice.randrange(len(frame))] ^= 1 << dice.randrange(8)
        case 1:
            del frame[dice.randrange(len(frame)) :]
        case 2:
            frame[dice.randrange(len(frame))] = dice.randrange(256)
            frame += b"\x00"
        case 3:
            at = dice.randrange(len(frame))
            frame[at:at] = dice.randbytes(dice.randrange(1, 300))
        case 4:
            frame *= 2
        case _:
            pass
    return bytes(frame)


def _decoders(total: int) -> int:
    out, back = _recorded()
    table, device, codec = Deframer(), DeviceDeframer(), SHOE_CODEC
    frames = 0
    for piece in _fuzz(total, out + back, seed=1):
        for frame in table.feed(piece):
            frames += 1
            codec.decode(frame)
        device.feed(piece)
    return frames


def _host(total: int) -> int:
    """The table's end of a link to a shoe that is there, and whose line brings all this as well."""
    _out, back = _recorded()
    return _between(total, back, to_host=True)


def _device(total: int) -> int:
    """The shoe's end: whatever comes, nothing moves that was not commanded."""
    out, _back = _recorded()
    return _between(total, out, to_host=False)


def _between(total: int, corpus: list[bytes], *, to_host: bool) -> int:
    table = VirtualTable(config_of(GAME), World(seed=6, speed=SPEED), seed=6)
    table.run_until(lambda: table.shown.shoe_up, within_s=5)
    line, sessions = table._lines["shoe"], 0
    for piece in _fuzz(total, corpus, seed=2):
        if to_host:
            table._hear(line, piece)
        else:
            table.world.receive("shoe", piece, table.now)
        del table.entries[:]
        table.run_until(lambda: False, within_s=0.3)
        sessions += table.shown.shoe_up
    assert table.run_until(lambda: table.shown.shoe_up, within_s=10)
    return sessions


ENDS: dict[str, Callable[[int], int]] = {"decoders": _decoders, "host": _host, "device": _device}


@pytest.mark.parametrize("end", ENDS)
def test_a_million_bytes_that_nobody_should_send(end: str) -> None:
    """LINK-3.2, LINK-3.3, E32, S16: no exception, whatever comes, and the session is there again afterwards."""
    assert ENDS[end](1_000_000) > 0


@pytest.mark.nightly
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("end", ENDS)
def test_a_hundred_million_bytes_that_nobody_should_send(end: str) -> None:
    """The same with 10^8 bytes each: no exception, and no growth after the first tenth."""
    ENDS[end](A_HUNDRED_MILLION // 10)
    before = _rss_kib()
    told = ENDS[end](A_HUNDRED_MILLION)
    after = _rss_kib()
    print(f"{end}: 10^8 bytes, resident {before} to {after} KiB ({(after - before) / before:+.2%}), {told} told")
    assert (after - before) / before < 0.02
