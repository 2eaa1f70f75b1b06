"""Serial ports on real ptys: settings, split reads, floods, deaf peers, and every way of being lost.

A pty shows no speed, parity, modem lines or overruns; that is left to the bench. Promises P9 and P10.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import os
import signal
import subprocess
import sys
import termios
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transport_owner import Owner, settle, until

from cardshoe.errors import DeviceError
from cardshoe.transport import SerialUrl, serial_port
from cardshoe.transport.descriptor import DescriptorTransport
from cardshoe.transport.ports import READ_CHUNK_BYTES
from cardshoe.transport.serial_port import give_back, open_serial


def opened(path: str, **settings: int) -> DescriptorTransport:
    return open_serial(SerialUrl(path), **settings)  # type: ignore[arg-type]


# Settings


def test_the_port_is_raw_115200_and_an_empty_read_can_only_mean_the_end(pty_pair) -> None:
    transport = opened(pty_pair.path)
    iflag, oflag, cflag, lflag, ispeed, ospeed, cc = termios.tcgetattr(pty_pair.slave)
    transport.close()
    assert ispeed == ospeed == termios.B115200
    assert not lflag & (termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
    assert not iflag & (termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.ISTRIP | termios.PARMRK)
    assert not oflag & termios.OPOST
    assert cflag & termios.CSIZE == termios.CS8
    assert not cflag & (termios.PARENB | termios.CSTOPB | termios.CRTSCTS)
    assert (cc[termios.VMIN], cc[termios.VTIME]) in {(1, 0), (b"\x01", b"\x00")}


@pytest.mark.parametrize("hold", [True, False])
def test_dtr_stays_up_after_close_only_where_it_is_held(pty_pair, hold: bool) -> None:
    """FR-03: an edge of DTR at the next opening would reset the board."""
    before = termios.tcgetattr(pty_pair.slave)
    before[2] |= termios.HUPCL
    termios.tcsetattr(pty_pair.slave, termios.TCSANOW, before)
    open_serial(SerialUrl(pty_pair.path), hold_dtr=hold).close()
    assert bool(termios.tcgetattr(pty_pair.slave)[2] & termios.HUPCL) is not hold


# Bytes


@given(pieces=st.lists(st.binary(min_size=1, max_size=300), min_size=1, max_size=12))
def test_however_the_bytes_are_split_they_arrive_whole(pieces: list[bytes]) -> None:
    """FR-02: a transport gives no meaning to where a read ends."""
    master, slave = os.openpty()

    async def main() -> None:
        owner = Owner(opened(os.ttyname(slave)))
        for piece in pieces:
            os.write(master, piece)
            await asyncio.sleep(0)
        await until(lambda: len(owner.received) >= sum(map(len, pieces)), "all pieces")
        assert owner.received == b"".join(pieces)
        owner.transport.close()

    try:
        asyncio.run(main())
    finally:
        os.close(master)
        os.close(slave)


def test_a_flood_arrives_whole_in_bounded_chunks_and_the_loop_goes_on(pty_pair) -> None:
    block = bytes(range(256)) * 8
    total = 512 * 1024

    async def main() -> None:
        owner = Owner(opened(pty_pair.path))
        turns, sent = 0, 0
        while len(owner.received) < total:
            turns += 1
            if sent < total:
                with contextlib.suppress(BlockingIOError):
                    sent += os.write(pty_pair.master, block[sent % len(block) :])
            await asyncio.sleep(0)
        assert owner.received == block * (total // len(block))
        assert max(map(len, owner.chunks)) <= READ_CHUNK_BYTES
        assert turns >= total // READ_CHUNK_BYTES, "others had their turn between the chunks"
        owner.transport.close()

    asyncio.run(main())


@pytest.mark.parametrize("early", [False, True])
def test_a_peer_that_reads_late_gets_everything_in_order(pty_pair, wakeups: list[int], early: bool) -> None:
    data = os.urandom(60_000)  # more than the kernel's buffer of a pty

    async def main() -> None:
        owner = Owner(opened(pty_pair.path, write_limit_bytes=65_536), start=not early)
        for start in range(0, len(data), 7_000):
            owner.transport.write(data[start : start + 7_000])
        assert owner.transport.pending_bytes > 0
        if early:
            owner.start()
        got = bytearray()

        def complete() -> bool:
            with contextlib.suppress(BlockingIOError):
                got.extend(os.read(pty_pair.master, 4096))
            return len(got) >= len(data)

        await until(complete, "everything")
        assert bytes(got) == data
        assert owner.losses == []
        before = wakeups[0]
        await asyncio.sleep(0.05)
        assert wakeups[0] - before <= 5, "a port that could take more is not asked again and again"
        owner.transport.close()

    asyncio.run(main())


def test_closing_offers_what_still_waits_once_more(pty_pair) -> None:
    """FR-10: a stop written just before the end must not wait for a turn of the loop that never comes."""

    async def main() -> None:
        transport = opened(pty_pair.path, write_limit_bytes=65_536)
        got = bytearray()
        while not transport.pending_bytes:
            transport.write(bytes(1_000))
        transport.write(b"stop")
        with contextlib.suppress(BlockingIOError):
            while True:
                got.extend(os.read(pty_pair.master, 65_536))
        transport.close()
        with contextlib.suppress(BlockingIOError):
            while True:
                got.extend(os.read(pty_pair.master, 65_536))
        assert got.endswith(b"stop")

    asyncio.run(main())


# Loss


@pytest.fixture
def wakeups(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the turns of the loop: a spin shows as thousands, without looking at a clock."""
    turns = [0]
    one_turn = asyncio.BaseEventLoop._run_once

    def counted(loop: asyncio.BaseEventLoop) -> None:
        turns[0] += 1
        one_turn(loop)

    monkeypatch.setattr(asyncio.BaseEventLoop, "_run_once", counted)
    return turns


def test_unplugged_while_idle_is_lost_once_closed_at_once_and_never_spins(pty_pair, wakeups: list[int]) -> None:
    """FR-01, FR-06, FR-24."""

    async def main() -> None:
        owner = Owner(opened(pty_pair.path))
        await settle()
        pty_pair.hang_up()
        await until(lambda: owner.losses, "the loss")
        links = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if _readable_link(fd)]
        assert sum(link.startswith(pty_pair.path) for link in links) == 1, "only the test's own slave is still open"
        before = wakeups[0]
        await asyncio.sleep(0.2)
        assert wakeups[0] - before <= 5
        assert len(owner.losses) == 1
        owner.transport.close()

    asyncio.run(main())


def _readable_link(fd: str) -> bool:
    return os.path.lexists(f"/proc/self/fd/{fd}")


def test_unplugged_with_output_pending_is_lost_once(pty_pair) -> None:
    """FR-23: the error path must not swallow the loss."""

    async def main() -> None:
        owner = Owner(opened(pty_pair.path, write_limit_bytes=65_536))
        owner.transport.write(bytes(40_000))
        assert owner.transport.pending_bytes > 0
        pty_pair.hang_up()
        owner.transport.write(b"more")
        await until(lambda: owner.losses, "the loss")
        await settle()
        assert len(owner.losses) == 1
        assert owner.transport.pending_bytes == 0
        owner.transport.close()

    asyncio.run(main())


def test_a_loss_found_by_a_write_is_not_signalled_from_inside_it_nor_after_close(pty_pair) -> None:
    async def main() -> None:
        owner = Owner(opened(pty_pair.path))
        pty_pair.hang_up()
        owner.transport.write(b"x")
        assert owner.losses == []
        owner.transport.close()
        await settle()
        assert owner.losses == []

    asyncio.run(main())


def test_a_loss_soon_after_opening_is_told_from_a_later_one(pty_pair, new_pty, monkeypatch) -> None:
    """FR-41: "appeared and vanished" is a diagnosis of its own."""

    async def lost(pair) -> DeviceError:  # type: ignore[no-untyped-def]
        owner = Owner(opened(pair.path))
        pair.hang_up()
        await until(lambda: owner.losses, "the loss")
        owner.transport.close()
        return owner.losses[0]

    soon = asyncio.run(lost(pty_pair))
    monkeypatch.setattr(serial_port, "VANISHED_WITHIN_S", 0.0)
    later = asyncio.run(lost(new_pty()))
    assert (soon.code, later.code) == ("port-vanished", "port-lost")
    assert "brltty" in soon.text
    assert pty_pair.path in soon.text


def test_the_device_comes_back_under_another_name_behind_the_same_link(new_pty, tmp_path: Path) -> None:
    """FR-06: the old handle is gone, the link leads to the new node."""
    link = tmp_path / "shoe"

    async def main() -> None:
        first, second = new_pty(), new_pty()
        link.symlink_to(first.path)
        owner = Owner(opened(str(link)))
        first.hang_up()
        await until(lambda: owner.losses, "the loss")
        link.unlink()
        link.symlink_to(second.path)
        again = Owner(opened(str(link)))
        os.write(second.master, b"here")
        await until(lambda: again.received == b"here", "the new device")
        again.transport.close()
        owner.transport.close()

    asyncio.run(main())


# A peer that does nothing


ECHO = """
    import os, sys
    while True:
        os.write(int(sys.argv[1]), os.read(int(sys.argv[1]), 4096))
"""


def test_a_stopped_peer_blocks_nothing_and_answers_when_it_goes_on(pty_pair) -> None:
    """FR-08, FR-15, FR-16: the port looks open, nobody reads; writing and closing still return."""
    os.set_blocking(pty_pair.master, True)
    peer = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(ECHO), str(pty_pair.master)], pass_fds=[pty_pair.master]
    )

    async def main() -> None:
        owner = Owner(opened(pty_pair.path, write_limit_bytes=30_000))
        owner.transport.write(b"hello")
        await until(lambda: owner.received == b"hello", "the echo")
        peer.send_signal(signal.SIGSTOP)
        await until(lambda: _state(peer.pid) == "T", "the stop")
        for _ in range(40):
            owner.transport.write(bytes(1_000))
        waiting = owner.transport.pending_bytes
        assert 0 < waiting <= 30_000
        assert owner.received == b"hello"
        assert owner.losses == []
        peer.send_signal(signal.SIGCONT)
        await until(lambda: len(owner.received) == 5 + 40_000, "the rest of the echo")
        peer.send_signal(signal.SIGSTOP)
        for _ in range(30):
            owner.transport.write(bytes(1_000))
        owner.transport.close()
        await settle()
        assert owner.losses == []

    try:
        asyncio.run(main())
    finally:
        peer.kill()
        peer.wait()


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_closing_throws_away_what_a_stuck_uart_does_not_send(pty_pair, monkeypatch) -> None:
    """FR-16: the kernel's close waits up to 30 s for output; a pty never does, so its answer is replaced here."""
    flushed: list[tuple[int, int]] = []
    fd = os.open(pty_pair.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    monkeypatch.setattr(fcntl, "ioctl", lambda *_: (100).to_bytes(4, sys.byteorder))
    monkeypatch.setattr(termios, "tcflush", lambda *args: flushed.append(args))
    give_back(fd, lost=False)
    assert flushed == [(fd, termios.TCOFLUSH)]
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


def test_closing_a_port_that_dies_meanwhile_still_closes(pty_pair, monkeypatch) -> None:
    fd = os.open(pty_pair.path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)

    def dead(*_: object) -> bytes:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(fcntl, "ioctl", dead)
    give_back(fd, lost=False)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


def test_a_thousand_openings_leave_nothing_open(pty_pair) -> None:
    """FR-21, FR-34: counts stay the same."""

    async def main() -> None:
        before = len(os.listdir("/proc/self/fd"))
        for n in range(1_000):
            owner = Owner(opened(pty_pair.path))
            if n % 50 == 0:  # the same number of descriptor again and again, on the same loop
                os.write(pty_pair.master, b"y")
                await until(lambda owner=owner: owner.received == b"y", "the byte")
            owner.transport.close()
        assert len(os.listdir("/proc/self/fd")) == before

    asyncio.run(main())
